"""Metrics that compare predicted with actual ratings.

The last axis runs over the rated pairs of user and item; leading axes (folds, systems) are
independent and are kept. Sums are float64 for every type of rating. `factorization_rmse` takes
matrices instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, wraps
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    as_numbers,
    broadcast_leading_axes,
    check_overflow,
    check_pairs,
    check_same_labels,
    columns_of,
    divide_or_nan,
    lists_of,
    power_of_two_scale,
    sum_exactly,
)
from receval._checks import AnyArray, FloatArray, IntArray, check_flag, check_none, check_that
from receval.metrics.formula import sum_over_ranks
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction, SetLevel

__all__ = [
    "factorization_rmse",
    "mae",
    "mse",
    "rmse",
]


# Errors of ratings --------------------------------------------------------------------------------


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
    return np.sqrt(mean_square) * unit[..., 0]


def mean(terms: FloatArray, names: str = "predicted and actual") -> FloatArray:
    """Return the mean over the last axis; NaN if the axis is empty or holds NaN.

    If the sum overflows, the error blames the arguments ``names``.
    """
    with np.errstate(over="ignore"):
        result = divide_or_nan(terms.sum(axis=-1), terms.shape[-1])
    check_overflow(result[~np.isnan(result)], names)  # NaN isn't an overflow
    return result


# Matrix factorization -----------------------------------------------------------------------------


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
        return check_overflow(np.square(_cell_errors(a, b, m)), "a, b and m")


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
    errors = _cell_errors(a, b, m)
    n_users, n_items = errors.shape[-2:]
    n_factors = np.shape(a)[-1]
    errors_in_one_axis = errors.reshape(*errors.shape[:-2], n_users * n_items)
    return root_mean_square(errors_in_one_axis, n_factors if divide_by_factors else 1)


def _cell_errors(a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike) -> FloatArray:
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


# Scores as predictions ----------------------------------------------------------------------------


def min_max_scaled(scores: npt.ArrayLike) -> FloatArray:
    r"""Scale the scores of each list linearly to [0, 1].

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
    Document 002, section IV-A; its program compares scores with relevances of 0 and 1.

    Examples
    --------
    >>> min_max_scaled([2, 3, 6])
    array([0.  , 0.25, 1.  ])
    """
    values = as_finite(scores, "scores")
    if values.shape[-1] == 0:
        return values.copy()  # there is no lowest score
    lowest = values.min(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        span = check_overflow(values.max(axis=-1, keepdims=True) - lowest, "scores")
    return divide_or_nan(values - lowest, span)


def one_minus_mae(scores: npt.ArrayLike, relevance: npt.ArrayLike) -> FloatArray:
    r"""1 - MAE of scaled scores against relevances of 0 and 1.

    .. math:: 1 - \frac1n \sum_i |s'_i - r_i|

    with the scores s' of `min_max_scaled`.

    Parameters
    ----------
    scores : array_like, shape (..., n)
        Scores of all candidates, on any scale.
    relevance : array_like, shape (..., n)
        Relevance of each candidate in [0, 1]. In document 002 it is 1 for the chosen items and 0
        for the rest.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for a list that has no candidates or whose scores are all equal.

    Raises
    ------
    InputError
        If the lengths differ, a number is not finite, or a relevance lies outside [0, 1].

    References
    ----------
    Document 002, section IV-A, MAE. The document compares 1 - MAE with on-line measures.

    Examples
    --------
    >>> one_minus_mae([2, 3, 6], [0, 0, 1]).round(4)
    np.float64(0.9167)
    """
    check_same_labels(scores=scores, relevance=relevance)
    grades = as_finite(relevance, "relevance")
    check_none(grades, (grades < 0) | (grades > 1), "relevance", "lie in [0, 1]")
    scaled_scores = min_max_scaled(scores)
    check_pairs(scaled_scores, grades, "scores relevance")
    return 1 - mean(np.abs(scaled_scores - grades))


def r_squared(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> FloatArray:
    r"""Coefficient of determination: the share of the variance that the predictions explain.

    .. math:: R^2 = 1 - \frac{\sum (\hat r - r)^2}{\sum (r - \bar r)^2}

    Parameters
    ----------
    predicted : array_like, shape (..., n)
        Predictions; if a list contains NaN, its value is NaN.
    actual : array_like, shape (..., n)
        The true values.

    Returns
    -------
    ndarray of float, shape (...)
        At most 1, and negative if the mean would predict better. NaN if all actual values are
        equal.

    Raises
    ------
    InputError
        If the lengths differ, a prediction is infinite, or an actual value is not finite.

    References
    ----------
    Document 002's program; the document itself does not print the measure.

    Examples
    --------
    >>> r_squared([1, 2, 3], [1, 2, 4]).round(4)
    np.float64(0.7857)
    """
    check_same_labels(predicted=predicted, actual=actual)
    predictions = as_numbers(predicted, "predicted")
    true_values = as_finite(actual, "actual")
    check_none(predictions, np.isinf(predictions), "predicted", "be finite")
    check_pairs(predictions, true_values, "predicted actual")
    with np.errstate(over="ignore"):
        deviations = check_overflow(
            true_values - mean(true_values, "actual")[..., np.newaxis], "actual"
        )
        # The mean of equal values can differ from them by rounding.
        is_constant = (true_values == true_values[..., :1]).all(axis=-1, keepdims=True)
        deviations = np.where(is_constant, 0, deviations)
        # Divide by a power of two, so that the squares of deviations neither overflow nor
        # underflow. It cancels in the quotient.
        unit = power_of_two_scale(np.abs(deviations))
        residual_sum = np.square((predictions - true_values) / unit).sum(axis=-1)
    check_overflow(residual_sum[~np.isnan(residual_sum)], "predicted")  # NaN isn't an overflow
    return 1 - divide_or_nan(residual_sum, np.square(deviations / unit).sum(axis=-1))


# Measures of tables -------------------------------------------------------------------------------

# MAE, MSE and RMSE of a system, whose scores predict the grades. They cover the recommended items
# that have a grade. `evaluate` reads users in blocks: it calls `_state_of_block` for each, adds up
# the states, and computes the value of all users from the sum.

Errors: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""A function that returns the absolute or the squared error of each predicted and actual rating."""


def _sum_of_each_user(
    errors_of: Errors, predicted: FloatArray, actual: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Return the sum of each user's errors, and the number of the errors.

    The arrays have the shape (users, ranks); ``actual`` is NaN for an item without a grade.
    """
    is_rated = ~np.isnan(actual)
    errors = np.zeros(actual.shape)
    errors[is_rated] = errors_of(predicted[is_rated], actual[is_rated])
    return sum_over_ranks(errors, "score"), is_rated.sum(axis=-1)


def _state_of_block(errors_of: Errors, lists: ListsWithFacts, _k: int | None) -> AnyArray:
    """Return the number of all users' errors, and numbers whose sum is the sum of the errors.

    These are exact, so the value of all users doesn't depend on the blocks of users.
    """
    sums, counts = _sum_of_each_user(errors_of, lists.predicted, lists.ratings)
    return np.array([counts.sum(), *sum_exactly(sums)])


def _add_states(states: list[AnyArray]) -> AnyArray:
    """Return the number and the sum of the errors of several blocks of users."""
    count = sum(state[0] for state in states)
    sums = np.concatenate([state[1:] for state in states])
    return np.array([count, *sum_exactly(sums)])


def _mean_of_all(state: AnyArray, _facts: object) -> float:
    """Return the mean error of all users from the number and the sum of their errors."""
    count, *sums = state
    return float(divide_or_nan(math.fsum(sums), count))


def _root_of_all(state: AnyArray, facts: object) -> float:
    """Return the root of the mean squared error of all users."""
    return math.sqrt(_mean_of_all(state, facts))


def _spec_of_error(
    metric: Errors,
    errors_of: Errors,
    title: str,
    formula: str,
    *,
    is_root: bool = False,
) -> MeasureSpec:
    """Describe MAE, MSE or RMSE to `evaluate`.

    ``metric`` is the public array function, and the measure has its name. ``errors_of`` returns
    the errors whose mean is the value, or its square if ``is_root`` is True. ``title`` and
    ``formula`` (LaTeX) are for the documentation.
    """
    name = metric.__name__.upper()

    @wraps(metric)  # the working is looked up by the name of the metric
    def value_of_each_user(predicted: FloatArray, actual: FloatArray) -> FloatArray:
        """Return one value per user, NaN if no recommended item has a grade."""
        means = divide_or_nan(*_sum_of_each_user(errors_of, predicted, actual))
        return np.sqrt(means) if is_root else means

    return MeasureSpec(
        name=name,
        title=title,
        formula=formula,
        source="@herlocker2004; document 001",
        computation=SetLevel(
            partial=partial(_state_of_block, errors_of),
            combine=_add_states,
            finish=_root_of_all if is_root else _mean_of_all,
            per_list=PerListFunction(
                value_of_each_user,
                lambda lists, _k: {"predicted": lists.predicted, "actual": lists.ratings},
            ),
        ),
        depends_on=(),
        needs=("scores",),
        takes_cutoff=False,
        methods_note=f"{name} covers all recommended items that have a grade; comparisons and "
        f"intervals use one {name} per user",
        higher_is_better=False,
    )


MEAN = r"\frac{1}{|\tau|} \sum_{(u,i) \in \tau}"
MEAN_SQUARE = MEAN + r" (s_{ui} - g_{ui})^2"

MAE = _spec_of_error(mae, mae_terms, "mean absolute error", MEAN + r" |s_{ui} - g_{ui}|")
MSE = _spec_of_error(mse, mse_terms, "mean squared error", MEAN_SQUARE)
RMSE = _spec_of_error(
    rmse, mse_terms, "root mean squared error", rf"\sqrt{{{MEAN_SQUARE}}}", is_root=True
)
