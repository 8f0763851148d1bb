"""Degrees of truth, and the checks that all connectives share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    broadcast_leading_axes,
    check_any_shape,
    check_same_labels,
)
from receval._checks import (
    FloatArray,
    InputError,
    check_callable,
    check_none,
    check_shape,
    input_error,
)

Connective: TypeAlias = Callable[[FloatArray, FloatArray], npt.ArrayLike]
"""A function of two arrays of degrees: (b, h) for an implicator, (b, r) for a conjunctor."""


def as_truth(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return numbers as an array of degrees; raise if one is outside [0, 1] or NaN."""
    degrees = np.asarray(check_any_shape(values, name))
    # Two reductions are faster than a mask. NaN fails the comparison.
    if degrees.size > 0 and degrees.min() >= 0 and degrees.max() <= 1:
        return degrees
    check_none(degrees, ~((degrees >= 0) & (degrees <= 1)), name, "be in [0, 1]")
    return degrees


def pair(body: npt.ArrayLike, other: npt.ArrayLike, names: str) -> tuple[FloatArray, FloatArray]:
    """Return two operands as degrees, broadcast to the same shape.

    ``names`` holds the names of both arguments, separated by a blank.
    """
    body_name, other_name = names.split()
    check_same_labels(**{body_name: body, other_name: other})
    body = as_truth(body, body_name)
    other = as_truth(other, other_name)
    shape = broadcast_leading_axes(names, body.shape, other.shape)
    return np.broadcast_to(body, shape), np.broadcast_to(other, shape)


def answer(connective: Connective, body: FloatArray, other: FloatArray, name: str) -> FloatArray:
    """Call a connective that the user may have written, and check what it returns.

    ``body`` and ``other`` hold the operands of each pair and have the same shape. Returns one
    degree of truth per pair. Raises if the connective fails, or if it returns a wrong shape or
    values outside [0, 1]; ``name`` is the connective's name in the message.
    """
    check_callable(connective, name, "lukasiewicz")
    try:
        value = np.asarray(connective(body, other), dtype=float)
    except InputError:
        raise  # a connective of receval explains its errors itself
    except (TypeError, ValueError) as error:
        rule = "take two arrays and return one number per pair"
        advice = "numpy.vectorize turns a function of numbers into a function of arrays"
        raise input_error(name, rule, error, advice) from error
    check_shape(value, body.shape, f"value of {name}")
    check_none(value, ~((value >= 0) & (value <= 1)), f"value of {name}", "be in [0, 1]")
    return value
