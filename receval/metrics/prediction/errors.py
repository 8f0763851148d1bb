"""The distance of predicted ratings from the actual ones: MAE, MSE, RMSE."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    check_overflow,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    power_of_two_scale,
)
from receval._checks import FloatArray


def mae_terms(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    """Return the absolute error of each pair; the mean is `mae`.

    See `mae` for parameters and errors.

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
        At least 0, in the unit of the ratings. NaN if there is no pair.

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
    return mean(mae_terms(predicted, actual))


def mse_terms(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    """Return the squared error of each pair; the mean is `mse`, and its square root is `rmse`.

    See `mse` for parameters and errors.

    Examples
    --------
    >>> mse_terms([3, 5], [4, 3])
    array([1., 4.])
    """
    with np.errstate(over="ignore"):
        return check_overflow(np.square(_errors(predicted, actual)), "predicted and actual")


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
        At least 0, in the squared unit of the ratings. NaN if there is no pair.

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
    return mean(mse_terms(predicted, actual))


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
        At least 0, in the unit of the ratings. NaN if there is no pair.

    Raises
    ------
    InputError
        If the lengths differ, or a rating is NaN or infinite.

    References
    ----------
    Document 001, eq. of RMSE.

    Examples
    --------
    Two folds. The document averages over folds; here you do that yourself:

    >>> rmse([[3, 5], [4, 4]], [[4, 3], [4, 4]]).round(4)
    array([1.5811, 0.    ])
    """
    return root_mean_square(_errors(predicted, actual))


def _errors(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    """Return predicted minus actual ratings, a number for each pair of user and item.

    Raise if the lengths differ or a rating is not finite, if two different ratings would become
    equal in float64, or if a difference overflows.
    """
    check_same_labels(predicted=predicted, actual=actual)
    predicted_ratings = as_finite(predicted, "predicted")
    actual_ratings = as_finite(actual, "actual")
    check_pairs(predicted_ratings, actual_ratings, "predicted actual")
    with np.errstate(over="ignore"):
        return check_overflow(predicted_ratings - actual_ratings, "predicted and actual")


def root_mean_square(errors: FloatArray, divisor: float = 1) -> FloatArray:
    """Return the root of (mean square over the last axis / divisor), without any overflow."""
    # Divide the errors by a power of two, so that their squares neither overflow nor underflow.
    unit = power_of_two_scale(np.abs(errors))
    mean_square = divide_or_nan(mean(np.square(errors / unit)), divisor)
    return np.asarray(np.sqrt(mean_square) * unit[..., 0])[()]


def mean(terms: FloatArray, names: str = "predicted and actual") -> FloatArray:
    """Return the mean over the last axis; NaN if the axis is empty or holds NaN.

    If the sum overflows, the error blames the arguments ``names``.
    """
    with np.errstate(over="ignore"):
        result = divide_or_nan(terms.sum(axis=-1), terms.shape[-1])
    check_overflow(result[~np.isnan(result)], names)  # NaN isn't an overflow
    return result
