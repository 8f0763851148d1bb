"""Metrics that use the grade of each item: expected reciprocal rank and the cumulative gains."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_gains,
    broadcast_leading_axes,
    check_cutoff,
    check_same_labels,
    lists_of,
)
from receval._checks import FloatArray, check_none, check_number
from receval.metrics.discounts import (
    Discount,
    Gain,
    exponential_gain,
    linear_gain,
    reciprocal,
    shifted_log2,
)
from receval.metrics.formula import (
    ArrayLists,
    RankFormula,
    Terms,
    divide_by_ideal,
    share_not_stopped,
    sum_over_ranks,
)
from receval.metrics.spec import MeasureSpec

# Expected reciprocal rank: the better an item is, the likelier a user stops at it -----------------


LARGEST_GRADE = 1000  # 2.0**1000 is far below the largest float64, about 2.0**1024


@cache
def stopping_gain(max_grade: float) -> Gain:
    """Return the gain (2^grade - 1) / 2^max_grade, the share of users who stop at an item.

    The gain is cached, because `RankedLists.sum` recognises terms by the identity of their
    functions.
    """

    def gain(grades: FloatArray) -> FloatArray:
        _check_highest_grade(grades, max_grade, "relevance")
        return np.asarray(exponential_gain(grades) / 2.0**max_grade)

    return gain


def _check_highest_grade(grades: FloatArray, max_grade: float, name: str) -> None:
    """Raise if a grade is above ``max_grade``."""
    check_none(grades, grades > max_grade, name, f"be at most max_grade, {max_grade:g}")


def _check_scale(max_grade: float) -> float:
    """Return the highest grade of the scale as a number; raise if it lies outside [0, 1000]."""
    return check_number(
        max_grade,
        "max_grade",
        f"a number from 0 to {LARGEST_GRADE}",
        lambda grade: 0 <= grade <= LARGEST_GRADE,
    )


def err_formula(max_grade: float) -> RankFormula:
    """Return the formula of ERR for the highest grade of the scale."""
    gain = stopping_gain(_check_scale(max_grade))
    return RankFormula(Terms(gain, weight=reciprocal, above="unstopped"))


def err(gains: npt.ArrayLike, *, max_grade: float, k: int | None = None) -> FloatArray:
    r"""Return the expected reciprocal rank (ERR): the mean of 1/i, where users stop at rank i.

    .. math:: \mathrm{ERR@}k = \sum_{i=1}^{\min(k, n)} \frac{R_i}{i} \prod_{j < i} (1 - R_j),
              \qquad R_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    max_grade : float
        The highest grade of the scale, from 0 to 1000; no grade may lie above it.
    k : int, optional
        Cut-off rank.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1); 0 for an empty list.

    Raises
    ------
    InputError
        In the cases that `receval.metrics.ranking` lists, and if a grade is above ``max_grade``,
        or ``max_grade`` is not a number from 0 to 1000.

    Notes
    -----
    The scale belongs to all judgements, not to one list: `evaluate` takes the largest grade of the
    truth, unless the name of the measure sets another one, as in ``"ERR(max_grade=4)@10"``.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan (2009), CIKM, eq. 4 and 5, doi:10.1145/1645953.1646033.

    Examples
    --------
    >>> err([1, 0, 2], max_grade=2)
    np.float64(0.4375)
    """
    grades = as_gains(gains)
    scale = _check_scale(max_grade)
    _check_highest_grade(grades, scale, "gains")
    top = np.nan_to_num(grades[..., : check_cutoff(k)])
    stops = exponential_gain(top) / 2.0**scale
    ranks = np.arange(1, top.shape[-1] + 1)
    return sum_over_ranks(stops * share_not_stopped(stops) * reciprocal(ranks))


ERR = MeasureSpec(
    name="ERR",
    function=err,
    title="expected reciprocal rank",
    formula=r"\sum_{i \le k} \frac{R_{ui}}{i} \prod_{j < i} (1 - R_{uj}),\quad "
    r"R_{ui} = \frac{2^{g_{ui}} - 1}{2^{g_{\max}}}",
    source="@chapelle2009",
    computation=err_formula,
    options=("max_grade",),
    truth_options=("max_grade",),
)


# The cumulative gains -----------------------------------------------------------------------------


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
    gain_of_list = dcg(gains, k=k, discount=discount, gain=gain)
    gain_of_ideal = ideal_dcg(relevance, k=k, discount=discount, gain=gain)
    broadcast_leading_axes("gains relevance", gain_of_list.shape, gain_of_ideal.shape)  # or raise
    return divide_by_ideal(gain_of_list, gain_of_ideal)


NDCG = MeasureSpec(
    name="nDCG",
    function=ndcg,
    title="normalised discounted cumulative gain",
    formula=r"\frac{\mathrm{DCG}@k(u)}{\mathrm{IDCG}@k(u)}",
    source="@jarvelin2002; documents 001 and 004",
    computation=ndcg_formula,
    # The convention sets these options. Under "receval" they are `linear_gain`, `shifted_log2` =
    # 1 / log2(1 + i), and the ideal list of all relevant items.
    choices={"gain": "gain", "discount": "discount", "ideal": "ideal"},
)
