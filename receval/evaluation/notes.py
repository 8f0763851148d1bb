"""The lines under a table of means: what has to be known to read them rightly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from receval.measure.convention import Convention
from receval.measure.lists import Lists

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


def on_users(n: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    """The measures whose mean is over fewer users than are judged; nothing if none is."""
    judged = counts["judged"]
    by_number: dict[str, list[str]] = {}
    for name in n.columns[n.lt(judged, axis=0).any()]:
        if len({*zip(n[name], judged, strict=True)}) == 1:
            where = f"{n[name].iloc[0]} of {judged.iloc[0]}"
        else:
            pairs = zip(n.index, n[name], judged, strict=True)
            each = [f"{some} of {all_} ({system})" for system, some, all_ in pairs]
            where = _some(each[:NOTED], len(each))
        by_number.setdefault(where, []).append(str(name))
    if not by_number:
        return []
    each = [f"{', '.join(names)} {where}" for where, names in by_number.items()]
    return [f"means over fewer users than judged: {'; '.join(each)}"]


@dataclass(frozen=True)
class Signs:
    """What in the lists of one system may come from a slip; signs of parts can be added up.

    Attributes
    ----------
    shares : bool
        Whether a recommended item is in relevance, of this or of another user.
    ranked, rising : bool
        Whether every list has the scores 1 to n, and whether one has not those from n down to 1.
    """

    shares: bool = False
    ranked: bool = True
    rising: bool = False

    @classmethod
    def of(cls, lists: Lists) -> Signs:
        """The signs in the lists of a system."""
        return cls(_any_in_truth(lists), *_scores_as_ranks(lists))

    def __add__(self, other: Signs) -> Signs:
        return Signs(
            self.shares or other.shares,
            self.ranked and other.ranked,
            self.rising or other.rising,
        )


def on_input(signs: Mapping[Any, Signs], n_items: Callable[[Any], int]) -> list[str]:
    """What looks like a slip in the tables given.

    ``n_items`` answers how many distinct items a system recommends.
    """
    notes = []
    for name, one in signs.items():
        of = f" of {name!r}" if name != "" else ""
        if not one.shares and (n := n_items(name)):
            notes.append(
                f"0 of {n} recommended items{of} are in relevance: are "
                "the item ids of both tables from one numbering?"
            )
        if one.ranked and one.rising:
            notes.append(
                f"scores{of} are 1, 2, …, n in every list, and the highest counts as the best: "
                "if they are ranks, name their column with rank="
            )
    return notes


def _any_in_truth(lists: Lists) -> bool:
    if any((block.gains > 0).any() for _, block in lists.blocks()):  # seen in the first block
        return True
    in_truth = np.zeros(lists.truth.items.size, bool)
    in_truth[lists.truth.item[:]] = True
    return bool(in_truth[lists.item[:]].any())


def _scores_as_ranks(lists: Lists) -> tuple[bool, bool]:
    """Whether every list has the scores 1 to n, and whether one has them not from n down to 1."""
    if lists.how.by_rank:
        return False, False
    rising = False
    for _, block in lists.blocks():
        score, length = block.given, block.length[:, np.newaxis]
        rank = np.arange(1, score.shape[1] + 1)
        if (np.where(rank <= length, np.sort(score, axis=1) != rank, False)).any():
            return False, False
        rising |= bool(np.where(rank <= length, score != length + 1 - rank, False).any())
    return True, rising


def _some(shown: list[str], total: int) -> str:
    more = f" and {total - len(shown)} more" if total > len(shown) else ""
    return ", ".join(shown) + more
