"""The part of each user's value that comes from each rank."""

from __future__ import annotations

from typing import cast

import numpy as np

from receval._checks import FloatArray
from receval.measure.block import UserBlock
from receval.measure.context import EvaluationContext
from receval.measure.definition import Measure
from receval.measure.items import ListsWithItems
from receval.metrics.formula import RankedLists, RankFormula
from receval.metrics.spec import PerListFunction, SetLevel


def is_sum_over_ranks(measure: Measure) -> bool:
    """Return whether a user's value under a measure is a sum over the ranks of the list."""
    # Any other computation is a formula, or a function of options that returns one.
    has_other_form = isinstance(measure.spec.computation, (PerListFunction, SetLevel))
    return measure.per_user and not has_other_form


def rank_contributions(
    measure: Measure, block: UserBlock, context: EvaluationContext
) -> FloatArray:
    """Return what each rank adds to the value of each user, shape (users, ranks).

    This is the term of the rank in the working, divided as the measure divides the sum of all
    terms: for nDCG by the ideal DCG, for AP by the number of relevant items. A rank without a term,
    such as those after the first hit under MRR, adds 0. Where nothing is relevant, all ranks add 0.
    The contributions of a user add up to the value, up to rounding in the last digit, unless that
    is a mean over several orders of equal scores.

    ``block`` has the users' lists, and ``context`` the convention. The measure must be a sum over
    ranks, see `is_sum_over_ranks`.
    """
    formula = cast(RankFormula, measure.computation_under(context))
    lists = measure.binarized_lists(block, context)
    if measure.needs:  # the functions of a custom measure may look at data about the items
        lists = cast(RankedLists, ListsWithItems(lists, context))
    depth = measure.k
    if formula.list_cutoff is not None:
        depth = None
    terms = formula.terms.columns(lists.grades[:, :depth]).terms.astype(np.float64)
    if formula.list_cutoff is not None:
        # Only the ranks up to the cut-off of each list count; R-precision has such cut-offs.
        cutoffs = np.asarray(formula.list_cutoff(lists))[:, np.newaxis]
        terms = np.where(np.arange(terms.shape[1]) < cutoffs, terms, 0.0)
    # The formula divides these in place of the sums of the lists. With a line for each rank, each
    # of its columns is divided by the divisor of its user.
    contributions = formula(lists, measure.k, sums=terms.T).T
    return np.where(np.isnan(contributions), 0.0, contributions)
