"""The programming task of lesson 5: the RMSE of predictions, some without an actual rating."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import prediction

__all__ = ["CODE"]

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


def not_averaged(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: return the root of the sum."""
    return math.sqrt(_sum_of_squares(predicted, actual))


def divided_after_root(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: take the root before dividing by the number of ratings."""
    return not_averaged(predicted, actual) / len(_errors(predicted, actual))


def signs_cancel(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: square the mean error, so that signs cancel."""
    errors = _errors(predicted, actual)
    return abs(sum(errors)) / len(errors)


def root_of_mae(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: return the root of the mean absolute error."""
    return math.sqrt(mae(predicted, actual))


def divided_by_one_less(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: divide by one less than the number of films."""
    n_rated = len(_errors(predicted, actual))
    return math.sqrt(_sum_of_squares(predicted, actual) / (n_rated - 1))


def missing_in_divisor(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: divide by the number of all films."""
    return math.sqrt(_sum_of_squares(predicted, actual) / len(predicted))


def missing_is_zero(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: count a missing rating as 0."""
    return right(predicted, [rating or 0 for rating in actual])


def fails_on_missing(predicted: Predicted, actual: Actual) -> float:
    """Subtract each rating, which fails if one is None."""
    pairs = zip(predicted, actual, strict=True)
    errors = [guess - rating for guess, rating in pairs]  # type: ignore[operator]
    return math.sqrt(sum(error**2 for error in errors) / len(errors))


def largest_error(predicted: Predicted, actual: Actual) -> float:
    """Make a slip: return the largest error."""
    return max(map(abs, _errors(predicted, actual)))


def returns_in_loop(predicted: Predicted, actual: Actual) -> float:
    """Return the first error, because the return is inside the loop."""
    return abs(_errors(predicted, actual)[0])


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists of predicted and actual ratings, some of them missing."""
    predicted = (rng.integers(2, 11, size=6) / 2).tolist()
    actual = rng.integers(1, 6, size=6).tolist()
    with_gap = [*actual[:2], None, *actual[3:]]
    return [
        ([4, 2], [5, 4]),
        ([4, 2, 3], [5, None, 3]),
        ([3, 4.5, 2, 1], [1, 4, 5, 1]),
        ([2, 5, 1, 4], [None, 4, 4, None]),
        (predicted, actual),
        (predicted, with_gap),
    ]


CODE = Program(
    right,
    inputs,
    {
        "mae": mae,
        "mse": mse,
        "not_averaged": not_averaged,
        "divided_after_root": divided_after_root,
        "signs_cancel": signs_cancel,
        "root_of_mae": root_of_mae,
        "divided_by_one_less": divided_by_one_less,
        "missing_in_divisor": missing_in_divisor,
        "missing_is_zero": missing_is_zero,
        "fails_on_missing": fails_on_missing,
        "largest_error": largest_error,
        "returns_in_loop": returns_in_loop,
    },
)
"""The task "rating_errors.code"."""
