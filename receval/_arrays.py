"""Arithmetic that several rooms share: ratios, ties, and what a user's function answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import (
    FloatArray,
    InputError,
    IntArray,
    check_callable,
    check_none,
    input_error,
    shorten,
)
from receval._lists import as_finite


def retrieved(values: FloatArray) -> IntArray:
    """How many items each list has."""
    result: IntArray = np.count_nonzero(~np.isnan(values), axis=-1)
    return result


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Numerator over denominator, NaN where the denominator is 0."""
    divisor = np.asarray(denominator, float)
    result: FloatArray = np.asarray(numerator, float) / np.where(divisor == 0, np.nan, divisor)
    return result[()]


def power_of_two_scale(sizes: FloatArray, bits: int = 1) -> FloatArray:
    """The power of two that is 2^-bits of the largest size of each row, or a little more.

    Dividing by it rounds nothing, and lets squares neither overflow nor vanish.
    """
    _, power = np.frexp(sizes.max(axis=-1, keepdims=True, initial=0))
    return np.asarray(np.ldexp(1.0, np.maximum(power - bits, -1074)))


def tie_runs(in_order: FloatArray) -> tuple[IntArray, IntArray]:
    """First and last position of the run of equal values that each place of a sorted array is in.

    >>> tie_runs(np.array([1.0, 4.0, 4.0, 5.0]))
    (array([0, 1, 1, 3]), array([0, 2, 2, 3]))
    """
    n = in_order.shape[-1]
    position = np.arange(n)
    starts, ends = np.ones((2, *in_order.shape), bool)
    starts[..., 1:] = ends[..., :-1] = in_order[..., 1:] != in_order[..., :-1]
    first = np.maximum.accumulate(np.where(starts, position, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, position, n)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def batches_of_equal_length(lengths: Sequence[int], cells: int) -> Iterator[list[int]]:
    """Places of equal lengths, as many together as make so many cells."""
    places: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        places.setdefault(length, []).append(place)
    for length, alike in places.items():
        most = max(1, cells // max(1, length))
        yield from (alike[start : start + most] for start in range(0, len(alike), most))


class ReadOnlyView:
    """Something as a user's function sees it: its arrays, which others read too, only to read."""

    def __init__(self, seen: Any) -> None:
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        return read_only(getattr(self._seen, name))

    def __call__(self, *given: Any, **named: Any) -> Any:
        return read_only(self._seen(*given, **named))


def read_only(value: Any) -> Any:
    """The same, without leave to write into it; nothing is copied."""
    if not isinstance(value, np.ndarray):
        return ReadOnlyView(value) if hasattr(value, "__dict__") else value
    view = value.view()
    view.flags.writeable = False
    return view


def call_read_only(function: Callable[..., Any], name: str, *given: Any) -> Any:
    """What a user's function answers; refused if it writes into what it is given."""
    try:
        return function(*map(read_only, given))
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        rule, advice = "change nothing of what it is given", "Work on a copy, as of grades.copy()"
        raise input_error(name, rule, error, advice) from error


def as_real_numbers(answer: npt.ArrayLike, name: str) -> FloatArray:
    """What a user's function answered, as real numbers."""
    try:
        array = np.asarray(answer)
        if array.dtype.kind != "c":
            return np.asarray(array, dtype=float)
        what = f"type {array.dtype}"
    except (TypeError, ValueError):
        what = shorten(answer)
    raise InputError(f"{name} must answer real numbers; got {what}")


def weights_of(n: int, discount: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """The weights of ranks 1 to n."""
    check_callable(discount, "discount", "shifted_log2")
    result = as_real_numbers(discount(np.arange(1.0, n + 1)), "discount")
    check_answer_shape(result, (n,), "discount", "weight per rank")
    return as_finite(result, "discount")


def gains_of(grades: FloatArray, gain: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """What the grades are worth by a function; NaN stays NaN."""
    check_callable(gain, "gain", "linear_gain")
    found = as_real_numbers(call_read_only(gain, "gain", grades), "gain")
    check_answer_shape(found, grades.shape, "gain", "number per grade")
    if not (found.min(initial=0) >= 0 and found.max(initial=0) < np.inf):
        check_none(found, ~np.isfinite(found) & ~np.isnan(grades), "gain", "answer finite numbers")
        check_none(found, found < 0, "gain", "answer numbers of at least 0")
    return found


def check_answer_shape(found: FloatArray, shape: tuple[int, ...], name: str, what: str) -> None:
    """A function of the user's answered one number for each that it was asked for."""
    if found.shape != shape:
        raise input_error(name, f"answer one {what}", f"shape {found.shape} for {shape}")
