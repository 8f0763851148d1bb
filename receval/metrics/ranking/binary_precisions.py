"""Metrics that use precision at several ranks: R-precision and average precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._arrays import as_gains, check_cutoff, divide_or_nan
from receval._checks import AnyArray, FloatArray, check_choice
from receval.metrics.formula import (
    Divisor,
    RankedLists,
    RankFormula,
    Terms,
    is_relevant,
    sum_over_ranks,
)
from receval.metrics.ranking.binary_counts import (
    HITS,
    cutoff_divisor,
    lists_with_counts,
    reachable_divisor,
    relevant_divisor,
    retrieved_divisor,
)
from receval.metrics.spec import MeasureSpec
from receval.metrics.ties import precision_so_far

# R-precision --------------------------------------------------------------------------------------


def r_precision(gains: npt.ArrayLike, n_relevant: npt.ArrayLike) -> FloatArray:
    r"""Precision at rank R, where R is the number of relevant items.

    .. math:: \mathrm{R\text{-}Precision} = \frac{1}{R} \sum_{i=1}^{R} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    n_relevant : array_like of int, shape (...)
        R, the number of relevant items.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if nothing is relevant.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)
    np.float64(0.5)
    """
    lists = lists_with_counts(gains, n_relevant)
    ranks = np.arange(1, lists.grades.shape[-1] + 1)
    is_hit = (lists.grades > 0) & (ranks <= lists.n_relevant[..., np.newaxis])
    return divide_or_nan(np.count_nonzero(is_hit, axis=-1), lists.n_relevant)


R_PRECISION = MeasureSpec(
    name="R-Precision",
    function=r_precision,
    label="R-precision",
    title="precision at the number of relevant items",
    formula=r"\frac{1}{R_u} \sum_{i \le R_u} [g_{ui} > 0]",
    source="@manning2008",
    computation=RankFormula(HITS, relevant_divisor, list_cutoff=lambda lists: lists.n_relevant),
    takes_cutoff=False,
    aliases=("rprec", "r_precision", "rprecision"),
)

# Average precision --------------------------------------------------------------------------------

PRECISIONS = Terms(is_relevant, above="precision")


def listed_divisor(lists: RankedLists, k: int | None) -> AnyArray:
    """Return the number of relevant or of retrieved items, whichever is smaller, and at most k."""
    return np.minimum(retrieved_divisor(lists, k), lists.n_relevant)


def found_divisor(lists: RankedLists, k: int | None) -> AnyArray:
    """Return the number of relevant items among the first k."""
    return lists.sum(HITS, k)


@dataclass(frozen=True)
class RelevantHitsDivisor:
    """A divisor of AP that leaves the value undefined only if nothing is relevant.

    If something is relevant but ``divisor`` is 0, AP is 0: there is nothing to sum.
    """

    divisor: Divisor

    def __call__(self, lists: RankedLists, k: int | None) -> AnyArray:
        """Return the divisor of each list."""
        return np.where(lists.n_relevant > 0, np.maximum(self.divisor(lists, k), 1), 0)


class FoundHitsDivisor(RelevantHitsDivisor):
    """The number of hits among the first k as the divisor of AP; it can depend on tied scores."""

    def bounds(
        self, lists: RankedLists, k: int | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the lowest, mean and highest AP of each list over all orders of tied scores.

        AP is the sum of the precisions at the hits, divided by their number. One more hit among
        the first k can lower it, so the best order is not simply the one with the most hits on
        top. But once we know how many hits are among the first k, the divisor is fixed, and AP is
        highest if the hits come first within each run of tied scores. So this method computes the
        AP for each possible number of hits, and combines the results.

        receval asks only for lists with tied scores, so there is at least one rank.
        """
        depth = lists.grades[:, :k].shape[-1]  # the number of ranks that count
        hits = np.asarray(is_relevant(lists.grades), np.float64)
        lowest = np.full(len(hits), np.inf)
        mean = np.zeros(len(hits))
        highest = np.zeros(len(hits))
        # `best_first` has the hits first within each run, with the shape (lists, depth).
        for chance, best_first, ties in lists.ties.cases_at_cutoff(hits, depth):
            # Reverse the order within each run.
            reversed_index = ties.first + ties.last - np.arange(depth)
            worst_first = np.take_along_axis(best_first, reversed_index, axis=-1)
            divisor = np.maximum(best_first.sum(axis=-1), 1)  # without a hit, the value is 0 / 1
            lowest_of_case = sum_over_ranks(PRECISIONS.columns(worst_first).terms) / divisor
            highest_of_case = sum_over_ranks(PRECISIONS.columns(best_first).terms) / divisor
            mean_of_case = sum_over_ranks(precision_so_far(best_first, ties)) / divisor
            # A case can be impossible in some of the lists; its chance is 0 there.
            is_possible = chance > 0
            lowest = np.where(is_possible, np.minimum(lowest, lowest_of_case), lowest)
            mean += chance * mean_of_case
            highest = np.where(is_possible, np.maximum(highest, highest_of_case), highest)
        return lowest, mean, highest


AP_DIVISORS: dict[str, Divisor] = {
    "relevant": RelevantHitsDivisor(relevant_divisor),
    "reachable": RelevantHitsDivisor(reachable_divisor),
    "listed": RelevantHitsDivisor(listed_divisor),
    "cutoff": RelevantHitsDivisor(cutoff_divisor),
    "found": FoundHitsDivisor(found_divisor),
}


def average_precision_terms(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    """Return the precision at each relevant rank, 0 elsewhere; the sum is the numerator of AP.

    See `average_precision` for parameters and errors.

    Examples
    --------
    >>> average_precision_terms([1, 0, 1]).round(4)
    array([1.    , 0.    , 0.6667])
    """
    return PRECISIONS.columns(as_gains(gains)[..., : check_cutoff(k)]).terms


def average_precision_formula(denominator: str = "relevant") -> RankFormula:
    """Return the formula of AP for a divisor, given by its name."""
    return RankFormula(PRECISIONS, AP_DIVISORS[denominator])


def average_precision(
    gains: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "relevant",
) -> FloatArray:
    r"""Average of the precisions at the relevant ranks (AP); its mean over lists is the MAP.

    .. math:: \mathrm{AP@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0] \, \mathrm{P@}i

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    n_relevant : array_like of int, shape (...)
        Number of relevant items.
    k : int, optional
        Cut-off rank.
    denominator : {"relevant", "reachable", "listed", "cutoff", "found"}, default "relevant"
        The divisor D. ``"relevant"``: n_relevant (document 004, trec_eval, ranx).
        ``"reachable"``: min(k, n_relevant) (RankSys, RePlay). ``"listed"``: the smaller of
        n_relevant and the number of items retrieved, at most k (LensKit). ``"cutoff"``: k.
        ``"found"``: the number of relevant items among the first k (document 002's program). If
        this number is 0 although something is relevant, the value is 0.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if nothing is relevant.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists.

    Notes
    -----
    With a cut-off, ``"relevant"`` cannot reach 1 if more than k items are relevant; ``"found"``
    can fall when a further relevant item is found.

    References
    ----------
    Document 004, Average precision.

    Examples
    --------
    >>> average_precision([1, 0, 1], 4).round(4)
    np.float64(0.4167)
    >>> average_precision([1, 0, 1], 4, denominator="found").round(4)
    np.float64(0.8333)
    """
    check_choice(denominator, "denominator", AP_DIVISORS)
    lists = lists_with_counts(gains, n_relevant)
    sums = sum_over_ranks(average_precision_terms(lists.grades, k=k))
    return divide_or_nan(sums, AP_DIVISORS[denominator](lists, k))


MAP = MeasureSpec(
    name="MAP",
    function=average_precision,
    label="AP",
    title="mean average precision",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]\, P@i(u)",
    source="@buckley2000; document 004",
    computation=average_precision_formula,
    choices={"denominator": "average_precision"},
    aliases=("ap", "average_precision"),
)
