"""Degrees of truth, and the checks that all connectives share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
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


TruthFunction: TypeAlias = Callable[..., FloatArray]
"""A function of two arguments, each a degree or an array of degrees."""


def as_truth(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return numbers as an array of degrees; raise if one is outside [0, 1] or NaN."""
    degrees = np.asarray(check_any_shape(values, name))
    check_none(degrees, ~((degrees >= 0) & (degrees <= 1)), name, "be in [0, 1]")
    return degrees


def pair(**operands: npt.ArrayLike) -> list[FloatArray]:
    """Return two operands, passed under their names, as degrees, broadcast to the same shape."""
    check_same_labels(**operands)
    degrees = [as_truth(values, name) for name, values in operands.items()]
    shape = broadcast_leading_axes(" ".join(operands), *(array.shape for array in degrees))
    return [np.broadcast_to(array, shape) for array in degrees]


def truth_function(formula: Connective) -> TruthFunction:
    """Return a function that reads two operands with `pair` and applies the formula to them."""
    signature = inspect.signature(formula)

    @wraps(formula)
    def read_and_apply(*args: npt.ArrayLike, **kwargs: npt.ArrayLike) -> FloatArray:
        operands = signature.bind(*args, **kwargs).arguments
        return np.asarray(formula(*pair(**operands)))[()]

    return read_and_apply


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
        raise input_error(
            name,
            "take two arrays and return one number per pair",
            error,
            "numpy.vectorize turns a function of numbers into a function of arrays",
        ) from error
    check_shape(value, body.shape, f"value of {name}")
    check_none(value, ~((value >= 0) & (value <= 1)), f"value of {name}", "be in [0, 1]")
    return value
