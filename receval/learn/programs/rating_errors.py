"""The programming task of lesson 5: the RMSE of predictions, some without an actual rating."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval._checks import FloatArray
from receval.metrics import prediction


def right(predicted: Sequence[float], actual: Sequence[float | None]) -> float:
    """Return the RMSE of the rated films."""
    errors = _errors(predicted, actual)
    return float(prediction.rmse(errors, np.zeros(len(errors))))


def _errors(predicted: Sequence[float], actual: Sequence[float | None]) -> FloatArray:
    """Return the errors of the rated films, with their signs."""
    errors: FloatArray = np.subtract(predicted, np.array(actual, dtype=float))  # None becomes NaN
    return errors[~np.isnan(errors)]


def mae(predicted: Sequence[float], actual: Sequence[float | None]) -> float:
    """Make a slip: return the mean absolute error."""
    return float(np.abs(_errors(predicted, actual)).mean())


def mse(predicted: Sequence[float], actual: Sequence[float | None]) -> float:
    """Make a slip: return the mean squared error."""
    return right(predicted, actual) ** 2


def missing_in_divisor(predicted: Sequence[float], actual: Sequence[float | None]) -> float:
    """Make a slip: divide by the number of all films."""
    return float(np.sqrt((_errors(predicted, actual) ** 2).sum() / len(predicted)))


def missing_is_zero(predicted: Sequence[float], actual: Sequence[float | None]) -> float:
    """Make a slip: count a missing rating as 0."""
    return right(predicted, [rating or 0 for rating in actual])


INPUTS = [
    ([4, 2], [5, 4]),
    ([4, 2, 3], [5, None, 3]),
    ([3, 4.5, 2, 1], [1, 4, 5, 1]),
    ([2, 5, 1, 4], [None, 4, 4, None]),
    ([1.5, 5.0, 3.0, 3.0, 2.5, 3.0], [2, 4, 3, 5, 4, 1]),
    ([1.5, 5.0, 3.0, 3.0, 2.5, 3.0], [2, 4, None, 5, 4, 1]),
]
"""Short lists of predicted and actual ratings, some of them missing."""
