"""The lines under a table of means: what has to be known to read them rightly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from receval._checks import some
from receval.engine.file import System
from receval.evaluation import markup
from receval.measure.convention import Convention

NOTED = 3  # values or systems that a note names


def on_ties(ties: pd.DataFrame, digits: int, convention: Convention) -> list[str]:
    """What equal scores change in a table with so many decimals; nothing if they do not."""
    if convention.ties == "average" or ties.empty:
        return []
    text = ties[["pessimistic", "optimistic", "expected"]].map(lambda value: f"{value:.{digits}f}")
    changed = text[text["pessimistic"] != text["optimistic"]]
    shown = [
        f"{' '.join(map(str, key)) if isinstance(key, tuple) else key} {low} to {high} "
        f"(expected {expected})"
        for key, low, high, expected in changed.itertuples()
    ]
    return [f"equal scores leave open: {some(shown, NOTED)}; see ties()"] if shown else []


def on_users(n: pd.DataFrame, counts: pd.DataFrame, each: str = "users") -> list[str]:
    """The measures whose mean is over fewer users than are judged; nothing if none is."""
    judged = counts["judged"]
    where = {}
    for name in n.columns[n.lt(judged, axis=0).any()]:
        pairs = [f"{few} of {every}" for few, every in zip(n[name], judged, strict=True)]
        told = [f"{pair} ({system})" for pair, system in zip(pairs, n.index, strict=True)]
        where[str(name)] = pairs[0] if len({*pairs}) == 1 else some(told, NOTED)
    by_number = markup.listed((number, name) for name, number in where.items())
    found = [f"{names} {number}" for number, names in by_number.items()]
    return [f"means over fewer {each} than judged: {'; '.join(found)}"] if found else []


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
