"""Refuse whole numbers that float64 would round."""

from __future__ import annotations

import numpy as np

from receval._checks import MAX_EXACT_INTEGER, FloatArray, format_first, input_error, shorten
from receval._types import AnyArray


def as_float64(array: AnyArray, name: str) -> FloatArray:
    """Return the numbers of an array as float64; raise if float64 would round a whole number."""
    check_exact(array, name)
    return array.astype(np.float64, copy=False)


def check_exact(array: AnyArray, name: str) -> None:
    """Raise if an array has whole numbers beyond 2**53, which float64 may round.

    The array has numbers, or objects that are numbers. ``name`` is its name in messages.
    """
    values = array.ravel()
    if values.dtype.kind == "O":
        is_integer = np.array([isinstance(value, (int, np.integer)) for value in values], bool)
        values = values[is_integer]
    elif values.dtype.kind not in "iu":
        return
    is_too_large = (values > MAX_EXACT_INTEGER) | (values < -MAX_EXACT_INTEGER)
    if is_too_large.any():
        got = format_first(values[is_too_large].tolist(), to_text=shorten)
        advice = "Float64 would round larger whole numbers: divide all by one number first"
        raise input_error(name, "hold whole numbers of at most 2**53", got, advice)
