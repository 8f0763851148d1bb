"""What equal scores leave open: a measure's interval and its expected value over all orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.measure.block import UserBlock
from receval.measure.definition import EvaluationContext, Measure
from receval.measure.matching import JudgedRun
from receval.metrics import formula as form
from receval.metrics.formula import RankFormula

DRAWS, SEED = 400, 20260101


def over_orders(
    lists: JudgedRun, places: IntArray, measures: Iterable[Measure], context: EvaluationContext
) -> dict[str, FloatArray]:
    """For each measure the lowest, mean and highest values of some judged users, who have ties.

    ``places`` are theirs among the judged users, ascending. Where the lowest and the highest are
    not known they are NaN.
    """
    known = [one for one in measures if one.tie_rule]
    found = {one.name: np.empty((3, places.size)) for one in known}
    best, worst = (
        lists.with_full_lists(places, "optimistic"),
        lists.with_full_lists(places, "pessimistic"),
    )
    grades, longest = np.zeros(1), 1
    for (here, high), (_, low) in zip(best.blocks(), worst.blocks(), strict=True):
        for one in known:
            found[one.name][:, here] = _bounds_and_mean(one, low, high, context)
        grades, longest = np.union1d(grades, high.grades), max(longest, high.grades.shape[1])
    for one in known:
        if not _bounded(one, context, grades[~np.isnan(grades)], longest):
            found[one.name][[0, 2]] = np.nan
    return found


def _bounds_and_mean(
    one: Measure, low: UserBlock, high: UserBlock, context: EvaluationContext
) -> FloatArray:
    """Values of the worst order, over all orders, and of the best."""
    how = one.computation_under(context)
    if how.bounds is not None:
        bounds = how.bounds(
            one.binarized_lists(high, context), one.k
        )  # the extreme orders are not known
        return np.array([one.compute(high, context, value) for value in bounds])
    if isinstance(how, RankFormula) and one.tie_rule == "exact":
        mean = how.over_ties(one.binarized_lists(high, context), one.k)
    else:
        mean = _over_drawn_orders(one, high, context)
    values = one.compute(low, context), one.compute(high, context, mean), one.compute(high, context)
    return np.array(values)


def _bounded(one: Measure, context: EvaluationContext, grades: FloatArray, longest: int) -> bool:
    """Whether no order is better than relevant items first: weights fall and gains rise."""
    how = one.computation_under(context)
    if not isinstance(how, RankFormula) or one.tie_rule != "exact":
        return how.bounds is not None
    gains = how.terms.columns(grades).gains.astype(np.float64)
    weight = how.terms.columns(np.zeros(longest)).weight
    rises = weight is not None and (np.diff(weight) > 0).any()
    return not (rises or (np.diff(gains) < 0).any())


def _over_drawn_orders(one: Measure, block: UserBlock, context: EvaluationContext) -> FloatArray:
    """The mean of the value over drawn orders of equal scores.

    The keys of a draw belong to places: a user's value depends on the user's own list alone.
    """
    total = np.zeros(block.users.size)
    for draw in range(DRAWS):
        keys = np.random.default_rng([SEED, draw]).random(block.grades.shape[1])
        order = np.argsort(block.ties.first + keys, axis=-1)
        drawn = np.take_along_axis(block.grades, order, axis=-1)
        lists = form.ArrayLists(drawn, block.n_relevant, block.relevance, block.scores)
        total += one.compute(lists, context)
    return total / DRAWS


def replace_tied(
    values: Mapping[str, FloatArray],
    lists: JudgedRun,
    places: IntArray,
    measures: Iterable[Measure],
    context: EvaluationContext,
) -> None:
    """Put in the values that a convention takes over ties in another way than by one order.

    ``values`` holds, by measure, one value for each judged user; those at ``places``, who have
    ties, are replaced: by the mean over all orders, or for some with a cut-off by another order.
    """
    rules = context.convention
    if rules.ties == "average":
        for name, found in over_orders(lists, places, measures, context).items():
            values[name][places] = found[1]
    for key, rule in rules.cut_ties:
        cut = [one for one in measures if one.key == key and one.k is not None]
        for here, block in lists.with_full_lists(places, rule).blocks() if cut else ():
            for one in cut:
                values[one.name][places[here]] = one.compute(block, context)
