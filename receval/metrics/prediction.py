"""Predicted against actual ratings.

The last axis runs over the rated pairs of user and item; leading axes (folds, systems) are
independent and stay. Sums are float64 whatever the type of the ratings.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._checks import (
    FloatArray,
    InputError,
    as_finite,
    check_leading,
    check_same_length,
)

__all__ = ["factorization_rmse", "mae", "mae_terms", "mse", "mse_terms", "rmse"]


def mae_terms(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    """Absolute error of each pair; their mean is `mae`.

    Parameters and errors are those of `mae`.

    Examples
    --------
    >>> mae_terms([3, 5], [4, 3])
    array([1., 2.])
    """
    return np.abs(_errors(predicted, actual))


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    r"""Mean absolute error.

    .. math:: \mathrm{MAE} = \frac{1}{|\tau|} \sum_{(u,i) \in \tau} |\hat r_{ui} - r_{ui}|

    Parameters
    ----------
    predicted, actual : array_like, shape (..., n)
        Ratings of the same pairs in the same order.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0, in the unit of the ratings. NaN where there is no pair.

    Raises
    ------
    InputError
        If the lengths differ, or a rating is NaN or infinite.

    References
    ----------
    Document 001, eq. of MAE.

    Examples
    --------
    >>> mae([3, 5], [4, 3])
    np.float64(1.5)
    """
    return _mean(mae_terms(predicted, actual))


def mse_terms(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    """Squared error of each pair; their mean is `mse`, and its root is `rmse`.

    Parameters and errors are those of `mse`.

    Examples
    --------
    >>> mse_terms([3, 5], [4, 3])
    array([1., 4.])
    """
    return np.square(_errors(predicted, actual))


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    r"""Mean squared error.

    .. math:: \mathrm{MSE} = \frac{1}{|\tau|} \sum_{(u,i) \in \tau} (\hat r_{ui} - r_{ui})^2

    Parameters
    ----------
    predicted, actual : array_like, shape (..., n)
        Ratings of the same pairs in the same order.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0, in the squared unit of the ratings. NaN where there is no pair.

    Raises
    ------
    InputError
        If the lengths differ, or a rating is NaN or infinite.

    References
    ----------
    Document 001, section on the root mean square error.

    Examples
    --------
    >>> mse([3, 5], [4, 3])
    np.float64(2.5)
    """
    return _mean(mse_terms(predicted, actual))


def rmse(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    r"""Root of the mean squared error.

    .. math:: \mathrm{RMSE} =
              \sqrt{\frac{1}{|\tau|} \sum_{(u,i) \in \tau} (\hat r_{ui} - r_{ui})^2}

    Parameters
    ----------
    predicted, actual : array_like, shape (..., n)
        Ratings of the same pairs in the same order.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0, in the unit of the ratings. NaN where there is no pair.

    Raises
    ------
    InputError
        If the lengths differ, or a rating is NaN or infinite.

    References
    ----------
    Document 001, eq. of RMSE.

    Examples
    --------
    Two folds; the document averages over folds, which the caller does:

    >>> rmse([[3, 5], [4, 4]], [[4, 3], [4, 4]]).round(4)
    array([1.5811, 0.    ])
    """
    return np.sqrt(mse(predicted, actual))


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
        Divide by U I K as the document's formula does, or by U I, which gives the `rmse` over
        all cells. The document's value is the usual one over the root of K.

    Returns
    -------
    ndarray of float, shape (...)
        At least 0, in the unit of the ratings. NaN where there is no cell, or no factor to
        divide by.

    Raises
    ------
    InputError
        If the shapes do not fit together, or a number is NaN or infinite.

    Notes
    -----
    The sum runs over all cells, the one of `rmse` over the test pairs only.

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
    matrices = as_finite(a, "a"), as_finite(b, "b"), as_finite(m, "m")
    for matrix, name in zip(matrices, "abm", strict=True):
        if matrix.ndim < 2:
            raise InputError(f"{name} must be a matrix (two axes); got shape {matrix.shape}")
    users, items, ratings = matrices
    fits = users.shape[-1] == items.shape[-2]
    fits &= ratings.shape[-2:] == (users.shape[-2], items.shape[-1])
    if not fits:
        raise InputError(
            "a, b and m must have the shapes (U, K), (K, I) and (U, I); "
            f"got {users.shape}, {items.shape} and {ratings.shape}"
        )
    check_leading("a b m", *(matrix.shape[:-2] for matrix in matrices))
    errors = users @ items - ratings
    squared = _mean(np.square(errors).reshape(*errors.shape[:-2], -1))
    if not divide_by_factors:
        return np.sqrt(squared)
    n_factors = users.shape[-1]
    return np.sqrt(squared / n_factors) if n_factors else np.full_like(squared, np.nan)


def _errors(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    p, r = as_finite(predicted, "predicted"), as_finite(actual, "actual")
    check_same_length(p, r, "predicted actual")
    check_leading("predicted actual", p.shape[:-1], r.shape[:-1])
    return p - r


def _mean(terms: FloatArray) -> FloatArray:
    # An empty mean is NaN by rule; NumPy would add a warning.
    mean: FloatArray = terms.mean(axis=-1) if terms.shape[-1] else terms.sum(axis=-1) * np.nan
    return mean
