"""What equal scores leave open: a measure's interval and its expected value over all orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.evaluation import expected
from receval.evaluation.lists import Lists
from receval.evaluation.measure import Context, Measure

__all__ = ["Spread"]


@dataclass(frozen=True)
class Spread:
    """Values of some users over all orders of their equal scores."""

    pessimistic: FloatArray
    expected: FloatArray
    optimistic: FloatArray


def depends_on_ties(one: Measure) -> bool:
    """Whether the interval and the expected value of a measure are known."""
    return one.expected is not None


def spreads(
    lists: Lists, users: IntArray, measures: list[Measure], context: Context
) -> dict[str, Spread]:
    """For each measure the spread of the values of ``users``, who have ties."""
    known = [one for one in measures if depends_on_ties(one)]
    parts: dict[str, list[FloatArray]] = {one.name: [] for one in known}
    tied = lists.only(users)
    best, worst = (replace(tied, tie=tie) for tie in ("optimistic", "pessimistic"))
    if users.size:
        for high, low in zip(best.blocks(), worst.blocks(), strict=True):
            for one in known:
                assert one.expected is not None
                values = one.of(low, context), one.expected(high, context, one.k)
                row = np.stack([*values, one.of(high, context)])
                if one.key == "MAP" and context.convention.average_precision == "found":
                    # One more relevant item can lower it: the extreme orders do not bound it.
                    row = np.stack(expected.average_precision_by_found(high, one.k))
                parts[one.name].append(row)
    empty = [np.empty((3, 0))]
    return {name: Spread(*np.concatenate(rows or empty, axis=1)) for name, rows in parts.items()}


def settle(
    values: Mapping[str, FloatArray],
    lists: Lists,
    users: IntArray,
    measures: list[Measure],
    context: Context,
) -> None:
    """Put in the values that a convention takes over ties in another way than by one order.

    ``values`` holds, by measure, one value for each judged user; those of ``users``, who have
    ties, are replaced: by the mean over all orders, or for MRR with a cut-off by another order.
    """
    rules = context.convention
    if not users.size:
        return
    places = np.searchsorted(lists.truth.judged, users)
    if rules.ties == "average":
        for name, spread in spreads(lists, users, measures, context).items():
            values[name][places] = spread.expected
    if rules.cut_mrr_ties is not None:
        other = replace(lists.only(users), tie=rules.cut_mrr_ties)
        for one in measures:
            if one.key == "MRR" and one.k is not None:
                values[one.name][places] = np.concatenate(
                    [one.of(block, context) for block in other.blocks()]
                )
