"""Discounts: functions from ranks to weights in (0, 1], which never rise."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import check_any_shape
from receval._checks import FloatArray, check_none

Discount: TypeAlias = Callable[[FloatArray], npt.ArrayLike]
"""A function that maps ranks 1, 2, … to weights of the same shape."""


def check_ranks(
    formula: Callable[[FloatArray], FloatArray],
) -> Callable[[npt.ArrayLike], FloatArray]:
    """Decorate a formula from ranks to weights, so that it checks its ranks first.

    The result also takes lists and single numbers, and raises if a rank is below 1 or NaN.
    """

    @wraps(formula)
    def checked(rank: npt.ArrayLike) -> FloatArray:
        ranks = check_any_shape(rank, "rank")
        check_none(ranks, ~(ranks >= 1), "rank", "be at least 1", "The best item has rank 1")
        return formula(ranks)

    return checked


@check_ranks
def shifted_log2(rank: FloatArray) -> FloatArray:
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
    return 1 / np.log2(1 + rank)


@check_ranks
def clipped_log2(rank: FloatArray) -> FloatArray:
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
    return 1 / np.maximum(1, np.log2(rank))


@check_ranks
def reciprocal(rank: FloatArray) -> FloatArray:
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
    return 1 / rank


@check_ranks
def undiscounted(rank: FloatArray) -> FloatArray:
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
    return np.ones_like(rank)
