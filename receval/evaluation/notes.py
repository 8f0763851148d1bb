"""The lines under a table of means: what has to be known to read them rightly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from receval.engine.file import System
from receval.measure.convention import Convention

NOTED = 3  # values or systems that a note names


def on_ties(ties: pd.DataFrame, digits: int, convention: Convention) -> list[str]:
    """What equal scores change in a table with so many decimals; nothing if they do not."""
    if convention.ties == "average" or ties.empty:
        return []
    text = ties[["pessimistic", "expected", "optimistic"]].map(lambda value: f"{value:.{digits}f}")
    changed = text[text["pessimistic"] != text["optimistic"]]
    if changed.empty:
        return []
    shown = [
        f"{' '.join(map(str, key)) if isinstance(key, tuple) else key} {row.pessimistic} to "
        f"{row.optimistic} (expected {row.expected})"
        for key, row in zip(changed.index, changed.head(NOTED).itertuples(), strict=False)
    ]
    return [f"equal scores leave open: {_some(shown, len(changed))}; see ties()"]


def on_users(n: pd.DataFrame, counts: pd.DataFrame, each: str = "users") -> list[str]:
    """The measures whose mean is over fewer users than are judged; nothing if none is."""
    judged = counts["judged"]
    by_number: dict[str, list[str]] = {}
    for name in n.columns[n.lt(judged, axis=0).any()]:
        if len({*zip(n[name], judged, strict=True)}) == 1:
            where = f"{n[name].iloc[0]} of {judged.iloc[0]}"
        else:
            pairs = zip(n.index, n[name], judged, strict=True)
            shown = [f"{some} of {all_} ({system})" for system, some, all_ in pairs]
            where = _some(shown[:NOTED], len(shown))
        by_number.setdefault(where, []).append(str(name))
    if not by_number:
        return []
    found = [f"{', '.join(names)} {where}" for where, names in by_number.items()]
    return [f"means over fewer {each} than judged: {'; '.join(found)}"]


def on_input(systems: Mapping[Any, System]) -> list[str]:
    """What looks like a slip in the tables given."""
    notes = []
    for name, one in systems.items():
        of = f" of {name!r}" if name != "" else ""
        if one.foreign:
            notes.append(
                f"0 of {one.foreign} recommended items{of} are in relevance: are "
                "the item ids of both tables from one numbering?"
            )
        if one.like_ranks:
            notes.append(
                f"scores{of} are 1, 2, …, n in every list, and the highest counts as the best: "
                "if they are ranks, name their column with rank="
            )
    return notes


def _some(shown: list[str], total: int) -> str:
    more = f" and {total - len(shown)} more" if total > len(shown) else ""
    return ", ".join(shown) + more
