"""The part of each user's value that comes from each rank."""

from __future__ import annotations

from typing import cast

import numpy as np

from receval._checks import FloatArray
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext, UserLists
from receval.metrics.formula import RankedLists, RankFormula, TermColumns
from receval.metrics.spec import PerListFunction, SetLevel


def is_sum_over_ranks(measure: Measure) -> bool:
    """Return whether a user's value under a measure is a sum over the ranks of the list."""
    # Any other computation is a formula, or a function of options that returns one.
    has_other_form = isinstance(measure.spec.computation, (PerListFunction, SetLevel))
    return measure.per_user and not has_other_form


def rank_contributions(
    measure: Measure, block: UserLists, context: EvaluationContext
) -> FloatArray:
    """Return what each rank adds to the value of each user, shape (users, ranks).

    This is the term of the rank in the working, divided as the measure divides the sum of all
    terms: for nDCG by the ideal DCG, for AP by the number of relevant items. A rank without a term,
    such as those after the first hit under MRR, adds 0. Where nothing is relevant, all ranks add 0.
    The contributions of a user add up to the user's value, apart from rounding in the last digit,
    unless the value is a mean over several orders of equal scores.

    ``block`` has the users' lists, and ``context`` the convention. The measure must be a sum over
    ranks, see `is_sum_over_ranks`.
    """
    formula = cast(RankFormula, measure.computation_under(context))
    lists = measure.binarized_lists(block)
    terms = terms_by_rank(formula, lists, measure.k).terms.astype(np.float64)
    # With `sums`, the formula divides the terms instead of the sums of the lists. In the transposed
    # array each column is a user, so each term is divided by the divisor of its user.
    contributions = formula.divide(terms.T, lists, measure.k).T
    return np.where(np.isnan(contributions), 0.0, contributions)


def terms_by_rank(formula: RankFormula, lists: RankedLists, k: int | None) -> TermColumns:
    """Return the terms of the first ``k`` ranks of some lists, and the factors of the terms.

    If the formula has a cut-off for each list, as R-precision has, the result has all ranks. Those
    after the cut-off have the term 0.
    """
    if formula.list_cutoff is None:
        return formula.terms.columns(lists.grades[..., :k])
    columns = formula.terms.columns(lists.grades)
    ranks = np.arange(1, columns.terms.shape[-1] + 1)
    is_counted = ranks <= np.expand_dims(formula.list_cutoff(lists), -1)
    return columns._replace(terms=columns.terms * is_counted)
