r"""Discounts and gains: the weight of a rank, and the value of a grade.

The literature uses the name DCG for every combination of two discounts and three gains. In receval,
each discount and each gain has a name.

============================ ===================================== =============================
name                         definition                            used by
============================ ===================================== =============================
`shifted_log2`               :math:`1/\log_2(1+i)`                 document 004, trec_eval, ranx
`clipped_log2`               :math:`1/\max(1, \log_2 i)`           document 001, LensKit
`reciprocal`                 :math:`1/i`                           reciprocal rank
`undiscounted`               :math:`1`                             cumulative gain
`linear_gain`                :math:`g`                             documents 001 (example), 004
`binary_gain`                :math:`[g > 0]`                       RecTools, RePlay, LensKit
`exponential_gain`           :math:`2^g-1`                         document 001 (IDCG formula)
`relison_gain`               :math:`2^{g-t+1}-1` where g >= t      RELISON's program (004), Elliot
============================ ===================================== =============================
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import as_gains, check_any_shape
from receval._checks import FloatArray, check_none, check_number

__all__ = [
    "binary_gain",
    "clipped_log2",
    "exponential_gain",
    "linear_gain",
    "reciprocal",
    "relison_gain",
    "shifted_log2",
]


# Discounts ----------------------------------------------------------------------------------------


Discount: TypeAlias = Callable[[FloatArray], npt.ArrayLike]
"""A function that maps ranks 1, 2, … to weights of the same shape."""


def shifted_log2(rank: npt.ArrayLike) -> FloatArray:
    r"""Discount :math:`d(i) = 1/\log_2(1+i)`: rank 1 counts fully, rank 3 half.

    Parameters
    ----------
    rank : array_like
        Ranks, 1-based.

    Returns
    -------
    ndarray of float
        Weights in (0, 1], in the shape of ``rank``.

    Raises
    ------
    InputError
        If a rank is below 1.

    References
    ----------
    Document 004 (RELISON, accuracy metrics), DCG; document 002, eq. 7.

    Examples
    --------
    >>> shifted_log2([1, 2, 3]).round(4)
    array([1.    , 0.6309, 0.5   ])
    """
    return 1 / np.log2(1 + _read_ranks(rank))


def clipped_log2(rank: npt.ArrayLike) -> FloatArray:
    r"""Discount :math:`d(i) = 1/\max(1, \log_2 i)`: ranks 1 and 2 both count fully.

    Parameters
    ----------
    rank : array_like
        Ranks, 1-based.

    Returns
    -------
    ndarray of float
        Weights in (0, 1], in the shape of ``rank``.

    Raises
    ------
    InputError
        If a rank is below 1.

    References
    ----------
    Document 001, eq. of DCG (the first rank is outside the sum); Järvelin and
    Kekäläinen (2002), ACM Transactions on Information Systems 20(4).

    Examples
    --------
    >>> clipped_log2([1, 2, 3, 4]).round(4)
    array([1.    , 1.    , 0.6309, 0.5   ])
    """
    return 1 / np.maximum(1, np.log2(_read_ranks(rank)))


def reciprocal(rank: npt.ArrayLike) -> FloatArray:
    """Discount :math:`d(i) = 1/i`, as in reciprocal rank.

    Parameters
    ----------
    rank : array_like
        Ranks, 1-based.

    Returns
    -------
    ndarray of float
        Weights in (0, 1], in the shape of ``rank``.

    Raises
    ------
    InputError
        If a rank is below 1.

    References
    ----------
    Document 000, section "Evaluated metrics", multiplicative inverse rank.

    Examples
    --------
    >>> reciprocal([1, 2, 4])
    array([1.  , 0.5 , 0.25])
    """
    return 1 / _read_ranks(rank)


def undiscounted(rank: npt.ArrayLike) -> FloatArray:
    """Discount :math:`d(i) = 1`: every rank counts the same, as in cumulative gain.

    Parameters
    ----------
    rank : array_like
        Ranks, 1-based.

    Returns
    -------
    ndarray of float
        Ones, in the shape of ``rank``.

    Raises
    ------
    InputError
        If a rank is below 1.

    References
    ----------
    Document 001, eq. of the cumulative gain.

    Examples
    --------
    >>> undiscounted([1, 2, 3])
    array([1., 1., 1.])
    """
    return np.ones_like(_read_ranks(rank))


def _read_ranks(rank: npt.ArrayLike) -> FloatArray:
    """Return ranks, an array or a single number, as floats; raise if one is below 1 or NaN."""
    ranks = check_any_shape(rank, "rank")
    check_none(ranks, ~(ranks >= 1), "rank", "be at least 1", "The best item has rank 1")
    return ranks


# Gains --------------------------------------------------------------------------------------------


Gain: TypeAlias = Callable[[FloatArray], npt.ArrayLike]
"""A function that maps grades to gains of the same shape."""


def linear_gain(grades: npt.ArrayLike) -> FloatArray:
    """Gain equal to the grade: :math:`g`.

    Parameters
    ----------
    grades : array_like
        Grades of relevance, at least 0; NaN stays NaN.

    Returns
    -------
    ndarray of float
        Gains, in the shape of ``grades``.

    Raises
    ------
    InputError
        If a grade is negative or infinite.

    References
    ----------
    Document 001, example of DCG; document 004, DCG.

    Examples
    --------
    >>> linear_gain([0, 1, 3])
    array([0., 1., 3.])
    """
    return np.array(_read_grades(grades))  # a copy: the caller's array must stay unchanged


def binary_gain(grades: npt.ArrayLike) -> FloatArray:
    r"""Gain of 1 for every relevant item, whatever its grade: :math:`[g > 0]`.

    Parameters
    ----------
    grades : array_like
        Grades of relevance, at least 0; NaN stays NaN.

    Returns
    -------
    ndarray of float
        Gains 0 and 1, in the shape of ``grades``.

    Raises
    ------
    InputError
        If a grade is negative or infinite.

    References
    ----------
    RecTools 0.19, RePlay 0.22, and LensKit 2025.8.1 unless ``gain=`` names a column of grades.

    Examples
    --------
    >>> binary_gain([0, 0.5, 3])
    array([0., 1., 1.])
    """
    values = _read_grades(grades)
    return np.where(np.isnan(values), values, values > 0)


def exponential_gain(grades: npt.ArrayLike) -> FloatArray:
    r"""Gain :math:`2^g - 1`: each further grade roughly doubles the gain.

    Parameters
    ----------
    grades : array_like
        Grades of relevance, at least 0; NaN stays NaN.

    Returns
    -------
    ndarray of float
        Gains, in the shape of ``grades``.

    Raises
    ------
    InputError
        If a grade is negative or infinite, or if it is 1024 or more, so that its gain is beyond
        float64.

    References
    ----------
    Document 001, eq. of IDCG; Burges et al. (2005), ICML.

    Examples
    --------
    >>> exponential_gain([0, 1, 3])
    array([0., 1., 7.])
    """
    values = _read_grades(grades)
    gains = _power_of_two_minus_1(values, powers=values)
    # 2^g is exact for whole grades. But for grades near 0 it is near 1, and subtracting 1 would
    # lose digits, so compute the gains of grades below 1 with expm1.
    is_small = (values > 0) & (values < 1)
    small_gains = np.expm1(np.minimum(values, 1) * np.log(2))  # larger grades would overflow
    return np.where(is_small, small_gains, gains)[()]


def relison_gain(grades: npt.ArrayLike | None = None, *, threshold: float = 0.5) -> Any:
    r"""Gain of RELISON's program: :math:`2^{g-t+1}-1` for grades of at least t, the relevant ones.

    Without ``grades`` it returns the gain function for that threshold, which you can pass to a
    metric: ``dcg(grades, gain=relison_gain(threshold=1))``.

    Parameters
    ----------
    grades : array_like, optional
        Grades of relevance (edge weights), at least 0; NaN stays NaN.
    threshold : float, default 0.5
        Smallest grade that counts as relevant; 0 means any grade above 0.

    Returns
    -------
    ndarray of float, or a function of grades
        Gains, in the shape of ``grades``; 0 for grades that don't count as relevant.

    Raises
    ------
    InputError
        If a grade is negative or infinite, or so large that its gain is beyond float64; or if
        the threshold is negative or infinite.

    Notes
    -----
    The text of document 004 calls the gain "the grade of relevance", that is `linear_gain`;
    the documented program uses `relison_gain`. With grades 0 and 1, the two gains differ by a
    constant factor, which cancels in nDCG.

    References
    ----------
    Document 004, nDCG, and the nDCG of the RankSys framework that RELISON calls. Elliot 0.3.1 has
    the same gain, with a threshold of 0 unless the configuration states another one.

    Examples
    --------
    >>> relison_gain([0, 0.25, 0.5, 1.5])
    array([0., 0., 1., 3.])
    """
    threshold = check_number(threshold, "threshold", "a number of at least 0", lambda t: t >= 0)
    if grades is None:
        return partial(relison_gain, threshold=threshold)
    values = _read_grades(grades)
    gains = _power_of_two_minus_1(values, powers=values - threshold + 1)
    is_irrelevant = (values < threshold) | (values == 0)
    return np.where(is_irrelevant, 0.0, gains)  # a grade of NaN keeps its gain of NaN


def _power_of_two_minus_1(grades: FloatArray, powers: FloatArray) -> FloatArray:
    """Return ``2**powers - 1``; if a result is beyond float64, raise an error with the grades."""
    check_none(
        grades, powers >= 1024, "grades", "have a gain below about 1e308, 2 to the power 1024"
    )
    return np.exp2(powers) - 1


def _read_grades(grades: npt.ArrayLike) -> FloatArray:
    """Return the grades, an array or a single number, as floats; raise if one is negative."""
    return check_any_shape(grades, "grades", partial(as_gains, by_rank=False))
