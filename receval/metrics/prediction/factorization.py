"""The error of a matrix factorization over all cells of the rating matrix."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    broadcast_leading_axes,
    check_overflow,
    check_same_labels,
    columns_of,
    lists_of,
)
from receval._checks import FloatArray, check_flag, check_that
from receval.metrics.prediction.errors import root_mean_square


def factorization_rmse_terms(a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike) -> FloatArray:
    """Return the squared error of each cell.

    The mean of these errors, divided by K, is the square of `factorization_rmse`. See
    `factorization_rmse` for parameters and errors.

    Examples
    --------
    >>> factorization_rmse_terms([[1, 0], [0, 1]], [[1, 2], [3, 4]], [[1, 2], [3, 2]])
    array([[0., 0.],
           [0., 4.]])
    """
    with np.errstate(over="ignore"):
        return check_overflow(np.square(_errors(a, b, m)), "a, b and m")


def factorization_rmse(
    a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike, *, divide_by_factors: bool = True
) -> FloatArray:
    r"""RMSE of a matrix factorization over all cells of the rating matrix.

    .. math:: \mathrm{RMSE} = \sqrt{\frac{\sum_{u=1}^{U} \sum_{i=1}^{I}
              \left(\sum_{k=1}^{K} A_{uk} B_{ki} - M_{ui}\right)^2}{U \, I \, K}}

    Parameters
    ----------
    a : array_like, shape (..., U, K)
        Factors of the users.
    b : array_like, shape (..., K, I)
        Factors of the items.
    m : array_like, shape (..., U, I)
        Actual ratings, one in every cell.
    divide_by_factors : bool, default True
        Divide by U I K as in the document's formula, or by U I, which gives the `rmse` over all
        cells. The document's value is the usual RMSE divided by the root of K.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0, in the unit of the ratings. NaN if there is no cell, or no factor to
        divide by.

    Raises
    ------
    InputError
        If the shapes do not fit together, a number is NaN or infinite, or
        ``divide_by_factors`` is neither True nor False.

    Notes
    -----
    The sum runs over all cells, whereas the sum of `rmse` runs over the test pairs only.

    References
    ----------
    Document 001, eq. of the RMSE of the SVD module.

    Examples
    --------
    >>> a, b = [[1, 0], [0, 1]], [[1, 2], [3, 4]]
    >>> factorization_rmse(a, b, [[1, 2], [3, 2]])
    np.float64(0.7071067811865476)
    >>> factorization_rmse(a, b, [[1, 2], [3, 2]], divide_by_factors=False)
    np.float64(1.0)
    """
    check_flag(divide_by_factors, "divide_by_factors")
    errors = _errors(a, b, m)
    n_users, n_items = errors.shape[-2:]
    n_factors = np.shape(a)[-1]
    errors_in_one_axis = errors.reshape(*errors.shape[:-2], n_users * n_items)
    return root_mean_square(errors_in_one_axis, n_factors if divide_by_factors else 1)


def _errors(a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike) -> FloatArray:
    """Return A B - M, the error of each cell of the rating matrix, shape (..., U, I).

    Raise unless the last two axes are (U, K), (K, I) and (U, I) and the leading axes agree.
    """
    check_same_labels(a=lists_of(a), m=lists_of(m))
    check_same_labels(b=columns_of(b), m=columns_of(m))
    check_same_labels(a=columns_of(a), b=lists_of(b))
    user_factors = as_finite(a, "a")
    item_factors = as_finite(b, "b")
    ratings = as_finite(m, "m")
    for name, matrix in {"a": user_factors, "b": item_factors, "m": ratings}.items():
        check_that(matrix.ndim >= 2, name, "have the shape of a matrix (two axes)", matrix.shape)
    shapes = (user_factors.shape, item_factors.shape, ratings.shape)
    n_users, n_factors = user_factors.shape[-2:]
    n_rows, n_items = item_factors.shape[-2:]
    fits = n_rows == n_factors and ratings.shape[-2:] == (n_users, n_items)
    check_that(fits, "a, b and m", "have the shapes (U, K), (K, I) and (U, I)", shapes)
    broadcast_leading_axes("a b m", *(shape[:-2] for shape in shapes))
    with np.errstate(over="ignore", invalid="ignore"):
        return check_overflow(user_factors @ item_factors - ratings, "a, b and m")
