"""What equal scores leave open: a measure's interval and its expected value over all orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.measure import expected
from receval.measure.form import Context, Measure
from receval.measure.lists import Lists

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
    lists: Lists, places: IntArray, measures: list[Measure], context: Context
) -> dict[str, Spread]:
    """For each measure the spread of the values of some judged users, who have ties.

    ``places`` are theirs among the judged users, ascending.
    """
    known = [one for one in measures if depends_on_ties(one)]
    found = {one.name: np.empty((3, places.size)) for one in known}
    tied = lists.only(places)
    best, worst = tied.with_ties("optimistic"), tied.with_ties("pessimistic")
    for (here, high), (_, low) in zip(best.blocks(), worst.blocks(), strict=True):
        for one in known:
            assert one.expected is not None
            values = one.of(low, context), one.expected(high, context, one.k)
            row = np.stack([*values, one.of(high, context)])
            if one.key == "MAP" and context.convention.average_precision == "found":
                # One more relevant item can lower it: the extreme orders do not bound it.
                row = np.stack(expected.average_precision_by_found(high, one.k))
            found[one.name][:, here] = row
    return {name: Spread(*rows) for name, rows in found.items()}


def settle(
    values: Mapping[str, FloatArray],
    lists: Lists,
    places: IntArray,
    measures: list[Measure],
    context: Context,
) -> None:
    """Put in the values that a convention takes over ties in another way than by one order.

    ``values`` holds, by measure, one value for each judged user; those at ``places``, who have
    ties, are replaced: by the mean over all orders, or for MRR with a cut-off by another order.
    """
    rules = context.convention
    if not places.size:
        return
    if rules.ties == "average":
        for name, spread in spreads(lists, places, measures, context).items():
            values[name][places] = spread.expected
    if rules.cut_mrr_ties is not None:
        for here, block in lists.only(places).with_ties(rules.cut_mrr_ties).blocks():
            for one in measures:
                if one.key == "MRR" and one.k is not None:
                    values[one.name][places[here]] = one.of(block, context)
