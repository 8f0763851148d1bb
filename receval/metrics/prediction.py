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
    as_numbers,
    check_flag,
    check_leading,
    check_same_length,
    refuse,
)
from receval.metrics.ranking._parts import in_range, ratio

__all__ = [
    "factorization_rmse",
    "factorization_rmse_terms",
    "mae",
    "mae_terms",
    "min_max_scaled",
    "mse",
    "mse_terms",
    "one_minus_mae",
    "r_squared",
    "rmse",
]


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
    with np.errstate(over="ignore"):
        return in_range(np.square(_errors(predicted, actual)), "predicted and actual")


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


def min_max_scaled(scores: npt.ArrayLike) -> FloatArray:
    r"""Scores of each list moved and stretched to [0, 1].

    .. math:: s'_i = \frac{s_i - \min_j s_j}{\max_j s_j - \min_j s_j}

    Parameters
    ----------
    scores : array_like, shape (..., n)
        Scores of all candidates, on any scale.

    Returns
    -------
    ndarray of float, shape (..., n)
        0 for the lowest and 1 for the highest; NaN for a list whose scores are all equal.

    Raises
    ------
    InputError
        If a score is NaN or infinite.

    References
    ----------
    Document 002, section IV-A, where its program compares scores with relevances of 0 and 1.

    Examples
    --------
    >>> min_max_scaled([2, 3, 6])
    array([0.  , 0.25, 1.  ])
    """
    s = as_finite(scores, "scores")
    if s.shape[-1] == 0:
        return s.copy()
    lowest = s.min(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        span = in_range(s.max(axis=-1, keepdims=True) - lowest, "scores")
    return ratio(s - lowest, span)


def one_minus_mae(scores: npt.ArrayLike, relevance: npt.ArrayLike) -> FloatArray:
    r"""How near scaled scores come to relevances of 0 and 1: 1 - MAE.

    .. math:: 1 - \frac1n \sum_i |s'_i - r_i|

    with the scores of `min_max_scaled`.

    Parameters
    ----------
    scores : array_like, shape (..., n)
        Scores of all candidates, on any scale.
    relevance : array_like, shape (..., n)
        Their relevances in [0, 1], in document 002 1 for what was chosen and 0 for the rest.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for a list without candidates or with equal scores only.

    Raises
    ------
    InputError
        If the lengths differ, a number is not finite, or a relevance lies outside [0, 1].

    References
    ----------
    Document 002, section IV-A, MAE; it enters the comparison with on-line measures as 1 - MAE.

    Examples
    --------
    >>> one_minus_mae([2, 3, 6], [0, 0, 1]).round(4)
    np.float64(0.9167)
    """
    r = as_finite(relevance, "relevance")
    refuse(r, (r < 0) | (r > 1), "relevance", "lie in [0, 1]")
    s = min_max_scaled(scores)
    check_same_length(s, r, "scores relevance")
    check_leading("scores relevance", s.shape[:-1], r.shape[:-1])
    return 1 - _mean(np.abs(s - r))


def r_squared(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    r"""Coefficient of determination: what share of the variance the predictions explain.

    .. math:: R^2 = 1 - \frac{\sum (\hat r - r)^2}{\sum (r - \bar r)^2}

    Parameters
    ----------
    predicted : array_like, shape (..., n)
        Predictions; a list with NaN has the value NaN.
    actual : array_like, shape (..., n)
        What they predict.

    Returns
    -------
    ndarray of float, shape (...)
        At most 1, and negative where the mean would predict better. NaN where all actual
        values are equal.

    Raises
    ------
    InputError
        If the lengths differ, a prediction is infinite, or an actual value is not finite.

    References
    ----------
    Document 002's program; the document itself does not print it.

    Examples
    --------
    >>> r_squared([1, 2, 3], [1, 2, 4]).round(4)
    np.float64(0.7857)
    """
    p, r = as_numbers(predicted, "predicted"), as_finite(actual, "actual")
    refuse(p, np.isinf(p), "predicted", "be finite")
    check_same_length(p, r, "predicted actual")
    check_leading("predicted actual", p.shape[:-1], r.shape[:-1])
    if r.shape[-1] == 0:
        return _mean(p - r)
    with np.errstate(over="ignore", invalid="ignore"):
        residual = np.square(p - r).sum(axis=-1)
        total = np.square(r - r.mean(axis=-1, keepdims=True)).sum(axis=-1)
    in_range(total, "actual")
    in_range(residual[~np.isnan(residual)], "predicted")
    return 1 - ratio(residual, total)


def factorization_rmse_terms(a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike) -> FloatArray:
    """Squared error of each cell; their mean, over K, is the square of `factorization_rmse`.

    Parameters and errors are those of `factorization_rmse`.

    Examples
    --------
    >>> factorization_rmse_terms([[1, 0], [0, 1]], [[1, 2], [3, 4]], [[1, 2], [3, 2]])
    array([[0., 0.],
           [0., 4.]])
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
    with np.errstate(over="ignore", invalid="ignore"):
        return in_range(np.square(users @ items - ratings), "a, b and m")


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
        If the shapes do not fit together, a number is NaN or infinite, or
        ``divide_by_factors`` is neither True nor False.

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
    check_flag(divide_by_factors, "divide_by_factors")
    terms = factorization_rmse_terms(a, b, m)
    cells = terms.reshape(*terms.shape[:-2], terms.shape[-2] * terms.shape[-1])
    squared = _mean(cells, "a, b and m")
    n_factors = np.shape(a)[-1] if divide_by_factors else 1
    return np.sqrt(squared / n_factors if n_factors else squared * np.nan)


def _errors(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    p, r = as_finite(predicted, "predicted"), as_finite(actual, "actual")
    check_same_length(p, r, "predicted actual")
    check_leading("predicted actual", p.shape[:-1], r.shape[:-1])
    with np.errstate(over="ignore"):
        return in_range(p - r, "predicted and actual")


def _mean(terms: FloatArray, names: str = "predicted and actual") -> FloatArray:
    # An empty mean is NaN by rule; NumPy would add a warning.
    with np.errstate(over="ignore"):
        mean: FloatArray = terms.mean(axis=-1) if terms.shape[-1] else terms.sum(axis=-1) * np.nan
    in_range(mean[~np.isnan(mean)], names)
    return mean
