"""Precision at the number of relevant items (grade above 0), and averaged over their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, check_choice
from receval._lists import as_gains, check_cutoff
from receval.metrics.formula import (
    Divisor,
    RankedLists,
    RankFormula,
    Terms,
    cumulative,
    is_relevant,
)
from receval.metrics.ranking.binary_counts import (
    HITS,
    counted,
    cutoff,
    reachable,
    relevant,
    retrieved,
)
from receval.metrics.spec import MeasureSpec

AT_R = RankFormula(HITS, relevant, list_cutoff=lambda lists: lists.n_relevant)


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
        Values in [0, 1]. NaN where nothing is relevant.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)
    np.float64(0.5)
    """
    return AT_R(counted(gains, n_relevant))


R_PRECISION = MeasureSpec(
    name="R-Precision",
    function=r_precision,
    label="R-precision",
    title="precision at the number of relevant items",
    formula=r"\frac{1}{R_u} \sum_{i \le R_u} [g_{ui} > 0]",
    source="@manning2008",
    computation=AT_R,
    takes_cutoff=False,
    aliases=("rprec", "r_precision", "rprecision"),
)

PRECISIONS = Terms(is_relevant, above="precision")


def listed(lists: RankedLists, k: int | None) -> Any:
    return np.minimum(retrieved(lists, k), lists.n_relevant)


def found(lists: RankedLists, k: int | None) -> Any:
    return lists.sum(HITS, k)


@dataclass(frozen=True)
class RelevantHitsDivisor:
    """Divisor of AP, undefined only where nothing is relevant: a sum of nothing is 0."""

    divisor: Divisor

    def __call__(self, lists: RankedLists, k: int | None) -> Any:
        return np.where(lists.n_relevant > 0, np.maximum(self.divisor(lists, k), 1), 0)


class FoundHitsDivisor(RelevantHitsDivisor):
    """The same by the hits found, which the order of equal scores decides."""

    def bounds(
        self, lists: RankedLists, k: int | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Lowest, mean and highest value over all orders; one more hit can lower it.

        Given how many hits of the run across k stand above it, the divisor is known.
        """
        n = lists.grades.shape[-1]
        cut = min(k or n, n)
        hits = np.asarray(is_relevant(lists.grades), np.float64)
        low, mean, high = np.full(len(hits), np.inf), np.zeros(len(hits)), np.zeros(len(hits))
        for chance, best, ties in lists.ties.by_hits(hits, cut):
            worst = np.take_along_axis(best, ties.first + ties.last - np.arange(cut), axis=-1)
            ends = (PRECISIONS.columns(one).terms for one in (worst, best))
            terms = *ends, PRECISIONS.prefix_factor.over_ties(best, ties)
            divisor = np.maximum(best.sum(axis=-1), 1)
            lowest, highest, middle = (cumulative(one)[:, -1] / divisor for one in terms)
            low = np.where(chance > 0, np.minimum(low, lowest), low)
            mean += chance * middle
            high = np.where(chance > 0, np.maximum(high, highest), high)
        return low, mean, high


AP_DIVISORS = {
    one.__name__: (FoundHitsDivisor if one is found else RelevantHitsDivisor)(one)
    for one in (relevant, reachable, listed, cutoff, found)
}


def average_precision_terms(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    """Precision at each relevant rank, 0 elsewhere; their sum is AP's numerator.

    Parameters and errors are those of `average_precision`.

    Examples
    --------
    >>> average_precision_terms([1, 0, 1]).round(4)
    array([1.    , 0.    , 0.6667])
    """
    return PRECISIONS.columns(as_gains(gains)[..., : check_cutoff(k)]).terms


def average_precision_form(denominator: str = "relevant") -> RankFormula:
    return RankFormula(
        PRECISIONS, AP_DIVISORS[check_choice(denominator, "denominator", AP_DIVISORS)]
    )


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
        What D is. ``"relevant"``: n_relevant (document 004, trec_eval, ranx).
        ``"reachable"``: min(k, n_relevant) (RankSys, RePlay). ``"listed"``: the smaller of
        n_relevant and the number of items retrieved, at most k (LensKit). ``"cutoff"``: k.
        ``"found"``: the relevant items among the first k (document 002's program); 0 if
        there is none although something is relevant.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where nothing is relevant.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`.

    Notes
    -----
    With a cut-off, ``"relevant"`` cannot reach 1 where more than k items are relevant;
    ``"found"`` can fall when a further relevant item is found.

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
    return average_precision_form(denominator)(counted(gains, n_relevant), check_cutoff(k))


MAP = MeasureSpec(
    name="MAP",
    function=average_precision,
    label="AP",
    title="mean average precision",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]\, P@i(u)",
    source="@buckley2000; document 004",
    computation=average_precision_form,
    choices={"denominator": "average_precision"},
    aliases=("ap", "average_precision"),
)
