"""Values of a measure over all orders of equal scores: the lowest, the mean and the highest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.measure.block import UserBlock
from receval.measure.definition import EvaluationContext, Measure
from receval.measure.matching import JudgedRun
from receval.metrics.formula import ArrayLists, RankFormula

DRAWS = 400
"""Number of orders that are drawn if a mean over all orders is not known exactly."""

SEED = 20260101


def values_over_orders(
    lists: JudgedRun, tied: IntArray, measures: Iterable[Measure], context: EvaluationContext
) -> dict[str, FloatArray]:
    """Return the lowest, mean and highest value of users who have ties, for each measure.

    ``tied`` are the positions of these users among the judged users, ascending. The arrays, by
    name of the measure, have the shape (3, users). Measures that do not depend on the order are
    left out. The lowest and highest values are NaN if the measure does not allow to know them.
    """
    measures = [measure for measure in measures if measure.tie_rule]
    values_by_measure = {measure.name: np.empty((3, tied.size)) for measure in measures}
    best = lists.with_full_lists(tied, "optimistic")
    worst = lists.with_full_lists(tied, "pessimistic")
    grades = np.zeros(1)
    longest = 1
    for (positions, best_block), (_, worst_block) in zip(
        best.blocks(), worst.blocks(), strict=True
    ):
        for measure in measures:
            values = _bounds_and_mean(measure, worst_block, best_block, context)
            values_by_measure[measure.name][:, positions] = values
        grades = np.union1d(grades, best_block.grades)
        longest = max(longest, best_block.grades.shape[1])

    grades = grades[~np.isnan(grades)]
    for measure in measures:
        if not _has_known_bounds(measure, context, grades, longest):
            values_by_measure[measure.name][[0, 2]] = np.nan
    return values_by_measure


def _bounds_and_mean(
    measure: Measure, worst: UserBlock, best: UserBlock, context: EvaluationContext
) -> FloatArray:
    """Return the value of the worst order, the mean over all, and the value of the best.

    ``worst`` and ``best`` are the same users, with irrelevant or relevant items first among equal
    scores. The shape is (3, users).
    """
    computation = measure.computation_under(context)
    if computation.bounds is not None:
        # The extreme values are not those of these two orders: the measure computes them itself.
        bounds = computation.bounds(measure.binarized_lists(best, context), measure.k)
        return np.array([measure.compute(best, context, bound) for bound in bounds])
    if isinstance(computation, RankFormula) and measure.tie_rule == "exact":
        mean = computation.over_ties(measure.binarized_lists(best, context), measure.k)
    else:
        mean = _mean_over_drawn_orders(measure, best, context)
    lowest = measure.compute(worst, context)
    expected = measure.compute(best, context, mean)
    highest = measure.compute(best, context)
    return np.array([lowest, expected, highest])


def _has_known_bounds(
    measure: Measure, context: EvaluationContext, grades: FloatArray, longest: int
) -> bool:
    """Check that no order is better than relevant items first, and none worse than the reverse.

    That holds if the weights of the ranks never rise and the gain of the grades never falls.
    ``grades`` are all grades in the lists, ascending, and ``longest`` the longest list.
    """
    computation = measure.computation_under(context)
    if not isinstance(computation, RankFormula) or measure.tie_rule != "exact":
        return computation.bounds is not None
    gains = computation.terms.columns(grades).gains.astype(np.float64)
    weights = computation.terms.columns(np.zeros(longest)).weight
    weights_rise = weights is not None and (np.diff(weights) > 0).any()
    gains_fall = (np.diff(gains) < 0).any()
    return not (weights_rise or gains_fall)


def _mean_over_drawn_orders(
    measure: Measure, block: UserBlock, context: EvaluationContext
) -> FloatArray:
    """Return the mean value of each user over randomly drawn orders of equal scores.

    A draw uses the same random number for rank i of every list, so the value of a user does not
    depend on the other users in the block.
    """
    total = np.zeros(block.users.size)
    for draw in range(DRAWS):
        numbers = np.random.default_rng([SEED, draw]).random(block.grades.shape[1])
        order = np.argsort(block.ties.first + numbers, axis=-1)
        grades = np.take_along_axis(block.grades, order, axis=-1)
        lists = ArrayLists(grades, block.n_relevant, block.relevance, block.scores)
        total += measure.compute(lists, context)
    return total / DRAWS


def replace_tied(
    values: Mapping[str, FloatArray],
    lists: JudgedRun,
    tied: IntArray,
    measures: Iterable[Measure],
    context: EvaluationContext,
) -> None:
    """Replace the values of users who have ties, if the convention asks for it.

    A convention can take the mean over all orders of equal scores, or use another order for some
    measures with a cut-off. ``values`` holds one value for each judged user, by name of the
    measure, and is changed in place at the positions ``tied``.
    """
    measures = list(measures)
    rules = context.convention
    if rules.ties == "average":
        for name, (_, mean, _) in values_over_orders(lists, tied, measures, context).items():
            values[name][tied] = mean
    for key, tie in rules.cut_ties:
        cut_measures = [
            measure for measure in measures if measure.key == key and measure.k is not None
        ]
        if not cut_measures:
            continue
        for positions, block in lists.with_full_lists(tied, tie).blocks():
            for measure in cut_measures:
                values[measure.name][tied[positions]] = measure.compute(block, context)
