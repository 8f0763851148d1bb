"""The programming task of lesson 5: the RMSE of predictions, some without an actual rating."""

from __future__ import annotations

import math
from collections.abc import Sequence

from receval.metrics import prediction

Predicted = Sequence[float]
Actual = Sequence[float | None]


def right(predicted: Predicted, actual: Actual) -> float:
    """Return the RMSE of the rated films."""
    guesses: list[float] = []
    ratings: list[float] = []
    for guess, rating in zip(predicted, actual, strict=True):
        if rating is not None:
            guesses.append(guess)
            ratings.append(rating)
    return float(prediction.rmse(guesses, ratings))


def _errors(predicted: Predicted, actual: Actual) -> list[float]:
    """Return the errors of the rated films, with their signs."""
    pairs = zip(predicted, actual, strict=True)
    return [guess - rating for guess, rating in pairs if rating is not None]


def _sum_of_squares(predicted: Predicted, actual: Actual) -> float:
    """Add up the squared errors of the rated films."""
    return sum(error**2 for error in _errors(predicted, actual))


def mae(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: return the mean absolute error."""
    errors = _errors(predicted, actual)
    return sum(map(abs, errors)) / len(errors)


def mse(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: return the mean squared error."""
    return _sum_of_squares(predicted, actual) / len(_errors(predicted, actual))


def missing_in_divisor(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: divide by the number of all films."""
    return math.sqrt(_sum_of_squares(predicted, actual) / len(predicted))


def missing_is_zero(predicted: Predicted, actual: Actual) -> float:
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
