"""Metrics of scores as predictions: 1 - MAE of scaled scores, and R squared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    as_numbers,
    check_overflow,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    power_of_two_scale,
)
from receval._checks import FloatArray, check_none
from receval.metrics.prediction.errors import mean


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
        # Divide by a power of two, so that the squares of deviations neither overflow nor
        # underflow. It cancels in the quotient.
        unit = power_of_two_scale(np.abs(deviations))
        residual_sum = np.square((predictions - true_values) / unit).sum(axis=-1)
    check_overflow(residual_sum[~np.isnan(residual_sum)], "predicted")  # NaN isn't an overflow
    return 1 - divide_or_nan(residual_sum, np.square(deviations / unit).sum(axis=-1))
