"""How far predicted ratings are from the actual ones: MAE, MSE, RMSE."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import power_of_two_scale, ratio
from receval._checks import FloatArray
from receval._lists import as_finite, check_pairs, in_range
from receval._rounding import check_not_merged


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
    return mean(mae_terms(predicted, actual))


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
    return root_mean_square(_errors(predicted, actual))


def _errors(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    p, r = as_finite(predicted, "predicted"), as_finite(actual, "actual")
    check_pairs(p, r, "predicted actual")
    check_not_merged("predicted and actual", predicted, actual)
    with np.errstate(over="ignore"):
        return in_range(p - r, "predicted and actual")


def root_mean_square(errors: FloatArray, divisor: float = 1) -> FloatArray:
    """The root of the mean square over the last axis, over a divisor; of errors of any size."""
    unit = power_of_two_scale(np.abs(errors))
    mean_square = ratio(mean(np.square(errors / unit)), divisor)
    return np.asarray(np.sqrt(mean_square) * unit[..., 0])[()]


def mean(terms: FloatArray, names: str = "predicted and actual") -> FloatArray:
    """The mean over the last axis; NaN where it is empty or holds NaN."""
    with np.errstate(over="ignore"):
        result = ratio(terms.sum(axis=-1), terms.shape[-1])
    in_range(result[~np.isnan(result)], names)
    return result
