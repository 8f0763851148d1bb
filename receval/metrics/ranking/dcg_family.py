"""The cumulative-gain family: metrics that use the grade of each item."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_gains,
    broadcast_leading_axes,
    check_cutoff,
    check_same_labels,
    lists_of,
)
from receval._checks import FloatArray
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2
from receval.metrics.formula import ArrayLists, RankFormula, Terms, sum_over_ranks
from receval.metrics.spec import MeasureSpec


def cumulative_gain(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""Cumulative gain (CG): the sum of the first k grades, whatever their order.

    .. math:: \mathrm{CG@}k = \sum_{i=1}^{\min(k, n)} g_i

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank.

    Returns
    -------
    ndarray of float, shape (...)
        One value per list, at least 0, in the unit of the grades; 0 for an empty list.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN comes before a grade, or ``k`` is not a
        positive integer.

    References
    ----------
    Document 001, eq. of the cumulative gain.

    Examples
    --------
    >>> cumulative_gain([9, 9, 6, 4])
    np.float64(28.0)
    """
    top = as_gains(gains)[..., : check_cutoff(k)]
    return sum_over_ranks(np.where(np.isnan(top), 0.0, top))


CG = MeasureSpec(
    name="CG",
    function=cumulative_gain,
    title="cumulative gain",
    formula=r"\sum_{i \le k} g_{ui}",
    source="@jarvelin2002; document 001",
    computation=RankFormula(Terms(linear_gain)),
)


def dcg_formula(gain: Gain = linear_gain, discount: Discount = shifted_log2) -> RankFormula:
    """Return the formula of DCG for a gain and a discount."""
    return RankFormula(Terms(gain, discount))


def dcg_terms(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
) -> FloatArray:
    """Return gain times weight at each of the first k ranks, 0 at empty ranks; the sum is `dcg`.

    See `dcg` for parameters and errors.

    Examples
    --------
    >>> dcg_terms([3, 2, 0], k=3).round(4)
    array([3.    , 1.2619, 0.    ])
    """
    grades = as_gains(gains)[..., : check_cutoff(k)]
    return Terms(gain, discount).columns(grades).terms


def dcg(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
) -> FloatArray:
    r"""Discounted cumulative gain (DCG).

    .. math:: \mathrm{DCG@}k = \sum_{i=1}^{\min(k, n)} \mathrm{gain}(g_i) \, d(i)

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    k : int, optional
        Cut-off rank.
    discount : callable, default `shifted_log2`
        A function that maps ranks to weights. `receval.metrics.discounts` has the published ones.
    gain : callable, default `linear_gain`
        A function that maps grades to gains. `receval.metrics.discounts` has the published ones.

    Returns
    -------
    ndarray of float, shape (...)
        One value per list, at least 0, in the unit of the gains; 0 for an empty list.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN comes before a grade, ``k`` is not a positive
        integer, or ``discount`` or ``gain`` does not return one finite number per rank.

    References
    ----------
    Document 001, eq. of DCG (`clipped_log2`); document 004, DCG (`shifted_log2`).

    Examples
    --------
    Document 001's group list for U1, with the ratings of its table:

    >>> from receval.metrics import clipped_log2
    >>> print(f"{dcg([9, 9, 6, 4], discount=clipped_log2):.2f}")
    23.79
    """
    return sum_over_ranks(dcg_terms(gains, k=k, discount=discount, gain=gain))


DCG = MeasureSpec(
    name="DCG",
    function=dcg,
    title="discounted cumulative gain",
    formula=r"\sum_{i \le k} \mathrm{gain}(g_{ui})\, d(i)",
    source="@jarvelin2002; documents 001 and 004",
    computation=dcg_formula,
    choices={"gain": "gain", "discount": "discount"},
)


def ideal_dcg_terms(
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
) -> FloatArray:
    """Return the terms of the best possible list, best first; the sum is `ideal_dcg`.

    See `ideal_dcg` for parameters and errors.

    Examples
    --------
    >>> ideal_dcg_terms([0, 2, 3], k=2).round(4)
    array([3.    , 1.2619])
    """
    grades = as_gains(relevance, "relevance", by_rank=False)
    best = ArrayLists(grades, relevance=grades).best.grades[..., : check_cutoff(k)]
    return Terms(gain, discount).columns(best).terms


def ideal_dcg(
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
) -> FloatArray:
    r"""DCG of the best list that the relevant items allow (IDCG).

    .. math:: \mathrm{IDCG@}k = \sum_{i=1}^{\min(k, m)} \mathrm{gain}(r_{(i)}) \, d(i),
              \qquad r_{(1)} \ge r_{(2)} \ge \dots

    Parameters
    ----------
    relevance : array_like, shape (..., m)
        Grades of the relevant items, in any order.
    k : int, optional
        Cut-off rank. Default: all relevant items.
    discount, gain : callable
        As in `dcg`; the gain must not fall as the grade rises.

    Returns
    -------
    ndarray of float, shape (...)
        One value per list, at least 0, in the unit of the gains.

    Raises
    ------
    InputError
        If a grade is negative or infinite, ``k`` is not a positive integer, or ``discount``
        or ``gain`` does not return one finite number per rank.

    References
    ----------
    Document 001, eq. of IDCG. The printed equation uses `exponential_gain` and `shifted_log2` for
    all items; the document's example uses `linear_gain` and `clipped_log2` for the first k items.

    Examples
    --------
    U1's ratings in document 001; the example prints 26.55:

    >>> from receval.metrics import clipped_log2, exponential_gain
    >>> ratings = [2, 4, 5, 9, 1, 3, 7, 9, 8, 6]
    >>> print(f"{ideal_dcg(ratings, k=4, discount=clipped_log2):.2f}")
    26.55
    >>> print(f"{ideal_dcg(ratings, gain=exponential_gain):.2f}")
    1059.42
    """
    terms = ideal_dcg_terms(relevance, k=k, discount=discount, gain=gain)
    return sum_over_ranks(terms, "relevance")


def ndcg_formula(
    gain: Gain = linear_gain, discount: Discount = shifted_log2, ideal: str = "relevant"
) -> RankFormula:
    """Return the formula of nDCG for a gain, a discount and a kind of ideal list.

    ``ideal`` is "perfect" (k items of grade 1) or "relevant" (the relevant items, best first).
    """
    divisors = {"relevant": "ideal", "perfect": "perfect"}
    return RankFormula(Terms(gain, discount), divisors[ideal])


def ndcg(
    gains: npt.ArrayLike,
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
) -> FloatArray:
    r"""Normalised discounted cumulative gain (nDCG): DCG divided by the best possible DCG.

    .. math:: \mathrm{nDCG@}k = \frac{\mathrm{DCG@}k}{\mathrm{IDCG@}k}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    relevance : array_like, shape (..., m)
        Grades of the relevant items, in any order.
    k : int, optional
        Cut-off rank of the list and of the ideal list. Default: the whole list against all relevant
        items.
    discount, gain : callable
        As in `dcg`, for the list and for the ideal list.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN if nothing is relevant.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN comes before a grade, ``k`` is not a positive
        integer, ``discount`` or ``gain`` does not return one finite number per rank, or a list
        beats its ideal list because ``relevance`` lacks grades that are in ``gains``.

    References
    ----------
    Document 001, eq. of nDCG; document 004, nDCG; Järvelin and Kekäläinen (2002).

    Examples
    --------
    Two numbers for one list, both called nDCG@10:

    >>> from receval.metrics import clipped_log2
    >>> grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    >>> print(f"{ndcg(grades, grades, k=10):.2f}")
    0.92
    >>> print(f"{ndcg(grades, grades, k=10, discount=clipped_log2):.2f}")
    0.88
    """
    check_same_labels(gains=lists_of(gains), relevance=lists_of(relevance))
    gains = as_gains(gains)
    relevance = as_gains(relevance, "relevance", by_rank=False)
    broadcast_leading_axes("gains relevance", gains.shape[:-1], relevance.shape[:-1])  # or raise
    formula = ndcg_formula(gain, discount)
    return formula(ArrayLists(gains, relevance=relevance), check_cutoff(k))


NDCG = MeasureSpec(
    name="nDCG",
    function=ndcg,
    title="normalised discounted cumulative gain",
    formula=r"\frac{\mathrm{DCG}@k(u)}{\mathrm{IDCG}@k(u)}",
    source="@jarvelin2002; documents 001 and 004",
    computation=ndcg_formula,
    choices={"gain": "gain", "discount": "discount", "ideal": "ideal"},
)
