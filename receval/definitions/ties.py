"""Values of a measure over all orders of equal scores: the lowest, the mean and the highest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from receval._arrays import mean
from receval._checks import FloatArray, IntArray, check_that
from receval._threads import map_in_threads
from receval.definitions.definition import Measure
from receval.definitions.lists import JudgedRun, block_positions, build_lists
from receval.metrics.formula import RankFormula, Terms

BOUNDS = ("pessimistic", "expected", "value", "optimistic")
"""The lowest value over all orders, the mean, the value in the list's order, and the highest."""

MIN_DIFFERENCE = 1e-12
"""A smaller difference between the lowest and the highest value is a rounding error."""


def values_over_orders(
    run: JudgedRun, tied: IntArray, measures: Iterable[Measure]
) -> dict[str, FloatArray]:
    """Return the lowest, mean and highest value of users who have ties, for each measure.

    ``run`` has the lists of a system. Values are over all orders of items with equal scores.
    ``tied`` are the positions of these users among the judged users, ascending. For the name of
    each measure, the result has an array of the shape (3, users). Measures that do not depend on
    the order are left out, and so are users' functions of whole lists. The lowest and highest
    values are NaN if receval cannot know them for the measure.
    """
    measures = [measure for measure in measures if measure.has_mean_over_ties]
    values = {measure.name: np.empty((3, tied.size)) for measure in measures}
    # Begin with the measures that look deepest; see `receval.evaluation.values.measure_lists`.
    measures.sort(key=lambda measure: measure.depth, reverse=True)
    # A convention can compare scores as 32-bit floats for some measures only.
    for compares_float32 in (False, True):
        measures_of_group = [
            measure
            for measure in measures
            if compares_float32 == in_order_of_measure(run, measure).rules.compares_float32
        ]
        if not measures_of_group:
            continue
        rules = run.rules._replace(compares_float32=compares_float32)
        run_of_tied = replace(run, rules=rules).with_full_lists(tied, "optimistic")
        measure_block = partial(
            _measure_block, values, run_of_tied, measures_of_group, run.rules.depth
        )
        for _ in map_in_threads(measure_block, block_positions(run_of_tied)):
            pass
    return values


def _measure_block(
    values: Mapping[str, FloatArray],
    run: JudgedRun,
    measures: Iterable[Measure],
    depth: float,
    positions: IntArray,
) -> None:
    """Fill in the values over all orders of a block of users; see `values_over_orders`.

    ``run`` has the lists with relevant items first among equal scores, and ``positions`` says where
    the block's users are among its users. The measures look at ``depth`` ranks.
    """
    best = build_lists(run, positions)
    n_ranks = best.grades.shape[1]
    if depth < n_ranks:
        # The order matters down to the last item whose score equals that of the last rank.
        last_rank = int(depth) - 1
        assert best.scores is not None  # lists with ranks have no ties
        equals_last = best.scores[:, last_rank:] == best.scores[:, [last_rank]]
        n_ranks = last_rank + max(1, int(np.count_nonzero(equals_last, axis=1).max()))
        best = replace(best, grades=best.grades[:, :n_ranks])
    # The lists with irrelevant items first: the order within each run of equal scores is reversed.
    reversed_order = best.ties.first + best.ties.last - np.arange(n_ranks)
    worst_grades = np.take_along_axis(best.grades, reversed_order, axis=1)
    worst = replace(best, grades=np.asfortranarray(worst_grades))
    grades = np.unique(best.grades[~np.isnan(best.grades)])  # NaN is after the end of a list
    for measure in measures:
        computation = measure.computation_under(run.context)
        lists = measure.binarized_lists(best)
        lowest = highest = np.full(positions.size, np.nan)
        if computation.bounds is not None:
            # Another order may be better or worse than these two, so the measure computes the
            # lowest, mean and highest value itself.
            lowest, mean_value, highest = (
                measure.under_convention(bound, lists)
                for bound in computation.bounds(lists, measure.k)
            )
        else:
            assert isinstance(computation, RankFormula)
            mean_value = computation.over_ties(lists, measure.k)
            if _best_first_is_highest(computation.terms, grades, n_ranks):
                lowest = measure.compute(worst)
                highest = measure.compute(best)
        mean_value = measure.under_convention(mean_value, lists)
        # If all orders give the same value, it is the mean, without an error of rounding. So ties
        # below the cut-off of a measure don't change the last digit of its value.
        mean_value = np.where(lowest == highest, highest, mean_value)
        values[measure.name][:, positions] = lowest, mean_value, highest


def _best_first_is_highest(terms: Terms, grades: FloatArray, n_ranks: int) -> bool:
    """Return whether a sum of terms is highest if relevant items come first among equal scores.

    It is, and the sum with relevant items last is the lowest, if the weights of the ``n_ranks``
    ranks are at least 0 and never rise, and the gains of the ``grades`` in the lists, which are
    ascending, never fall.
    """
    # The grades as one list, whose gains are compared with their neighbours.
    gains = terms.columns(grades).gains.astype(np.float64)
    # The weights depend on the ranks alone, so any list of this length has them.
    weights = terms.columns(np.zeros(n_ranks)).weight
    # Ranks below these count for nothing, so their weight is 0.
    weights_rise = weights is not None and (np.diff(weights, append=0.0) > 0).any()
    return not (weights_rise or (np.diff(gains) < 0).any())


def replace_tied(
    values: Mapping[str, FloatArray],
    run: JudgedRun,
    tied: IntArray,
    measures: Iterable[Measure],
) -> None:
    """Replace the values of users who have ties, if the convention asks for it.

    A convention can take the mean over all orders of equal scores, or use another order for some
    measures with a cut-off. ``values`` holds one value for each judged user, by name of the
    measure, and is changed in place at the positions ``tied``.
    """
    measures = list(measures)
    if run.context.convention.ties == "average":
        unknown = [
            measure.name
            for measure in measures
            if measure.is_custom and not measure.has_mean_over_ties
        ]
        rule = "be sums of terms with ties='average', because others have no known mean over orders"
        check_that(not unknown, "measures", rule, unknown)
        # Of the lowest, mean and highest value, take the mean.
        for name, (_, mean, _) in values_over_orders(run, tied, measures).items():
            values[name][tied] = mean
    for measure in measures:
        run_of_measure = in_order_of_measure(run, measure)
        if run_of_measure is not run:
            # These positions are counted among the users with ties, not among all judged users.
            for positions, block in run_of_measure.with_full_lists(tied).blocks():
                values[measure.name][tied[positions]] = measure.compute(block)


def in_order_of_measure(run: JudgedRun, measure: Measure) -> JudgedRun:
    """Return the run with its equal scores in the order that the convention uses for a measure.

    A convention can use another order for some measures with a cut-off. For all other measures, the
    run is returned unchanged.
    """
    tie = dict(run.context.convention.cut_ties).get(measure.spec.name)
    if tie is None or measure.k is None:
        return run
    # The rule for equal scores also says how scores are compared.
    rules = run.rules._replace(tie=tie, compares_float32=tie == "trec_eval")
    return replace(run, rules=rules)


def row_of_ties(values: FloatArray, tied: IntArray, of_orders: FloatArray) -> dict[str, float]:
    """Return the mean for each of `BOUNDS`, and the number of users as "users".

    ``values`` are the values that the result shows, and the users at the positions ``tied`` have
    ties. ``of_orders`` has the shape (3, tied users): the lowest, the mean and the highest value of
    each of these users over all orders. NaN means unknown, and makes the mean of this bound unknown
    too. "users" counts the users whose value depends on the order.
    """
    pessimistic, expected, optimistic = of_orders
    untied = np.delete(values, tied)
    bounds = zip(BOUNDS, [pessimistic, expected, values[tied], optimistic], strict=True)
    row = dict.fromkeys(BOUNDS, math.nan)
    for bound, of_tied in bounds:
        # A user without a value, such as one without relevant items, has no bounds either.
        if np.count_nonzero(np.isnan(of_tied)) == np.count_nonzero(np.isnan(values[tied])):
            row[bound] = mean(np.concatenate([untied, of_tied]))
    # Smaller differences are rounding errors. A comparison with NaN is False.
    row["users"] = int(np.count_nonzero(optimistic - pessimistic > MIN_DIFFERENCE))
    return row
