"""Degrees of truth, and what the connectives share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._arrays import check_answer_shape
from receval._checks import FloatArray, InputError, check_callable, check_none, input_error
from receval._lists import check_leading, of_any_shape

# Two degrees of truth to one: (b, h) for an implicator, (b, r) for a conjunctor.
Connective = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], npt.ArrayLike]


def as_truth(values: npt.ArrayLike, name: str) -> FloatArray:
    """Degrees of truth: numbers in [0, 1]; a scalar is one of them."""
    degrees = np.asarray(of_any_shape(values, name))
    check_none(degrees, ~((degrees >= 0) & (degrees <= 1)), name, "be in [0, 1]")
    return degrees


def pair(body: npt.ArrayLike, other: npt.ArrayLike, names: str) -> tuple[FloatArray, FloatArray]:
    """Two operands, checked and brought to one shape."""
    first, second = names.split()
    one, two = as_truth(body, first), as_truth(other, second)
    shape = check_leading(names, one.shape, two.shape)
    return np.broadcast_to(one, shape), np.broadcast_to(two, shape)


def answer(connective: Connective, body: FloatArray, other: FloatArray, name: str) -> FloatArray:
    """What a connective of the user's answers: one degree of truth per pair."""
    check_callable(connective, name, "lukasiewicz")
    try:
        value = np.asarray(connective(body, other), dtype=float)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        rule = "take two arrays and answer one number per pair"
        advice = "A function of single numbers becomes one with numpy.vectorize"
        raise input_error(name, rule, error, advice) from error
    check_answer_shape(value, body.shape, name, "number per pair")
    check_none(value, ~((value >= 0) & (value <= 1)), f"value of {name}", "be in [0, 1]")
    return value
