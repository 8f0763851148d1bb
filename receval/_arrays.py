"""Helpers that several packages share: ratios, ties, and calls of users' functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from receval._checks import (
    FloatArray,
    IntArray,
    check_callable,
    check_none,
    input_error,
    shorten,
)
from receval._lists import as_finite

Value = TypeVar("Value")

ROUNDING = 2.0**-40
"""Two numbers differ by rounding only if they differ by at most this share of them, about 1e-12."""


def count_retrieved(values: FloatArray) -> IntArray:
    """Count the items of each list: the ranks along the last axis that are not NaN."""
    n_items: IntArray = np.count_nonzero(~np.isnan(values), axis=-1)
    return n_items


def divide_or_nan(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Divide element by element; return NaN where the denominator is 0."""
    divisor = np.asarray(denominator, float)
    quotient: FloatArray = np.asarray(numerator, float) / np.where(divisor == 0, np.nan, divisor)
    return quotient[()]


def mean(values: npt.ArrayLike) -> float:
    """Return the mean of the values that are not NaN, or NaN if there are none.

    The sum is exact and rounded once, so the order of the values does not matter.
    """
    array = np.asarray(values, float)
    numbers = array[~np.isnan(array)]
    if numbers.size == 0:
        return math.nan
    try:
        return math.fsum(numbers) / numbers.size
    except OverflowError:  # the sum is too large for float64, but the mean is not
        return math.fsum(numbers / numbers.size)


def sum_exactly(values: Iterable[float]) -> list[float]:
    """Return a few numbers that have exactly the same sum as the values.

    If you pass the results for several groups of values, you get the sum of all. `math.fsum` rounds
    it once, so neither the order nor the groups change the rounded sum.
    """
    values = list(values)
    parts: list[float] = []
    rest = math.fsum(values)
    while rest != 0:
        parts.append(rest)
        rest = math.fsum([*values, *(-part for part in parts)])
    return parts


def power_of_two_scale(sizes: FloatArray, bits: int = 1) -> FloatArray:
    """Return a power of two for each row; dividing the row by it scales ``sizes`` to about 2^bits.

    If you divide a row by its power, the largest quotient is below 2^bits and at least half of
    that. Division by a power of two does not round, and the square of the largest quotient neither
    overflows nor underflows. The sizes must not be negative. The result has the axes of ``sizes``,
    but its last axis has length 1.
    """
    # frexp splits a size into m * 2^power with 0.5 <= m < 1.
    _, power = np.frexp(sizes.max(axis=-1, keepdims=True, initial=0))
    # 2^-1074 is the smallest float64 above 0.
    return np.asarray(np.ldexp(1.0, np.maximum(power - bits, -1074)))


def find_tie_runs(in_order: FloatArray) -> tuple[IntArray, IntArray]:
    """Return, for each position, the first and the last position of its run of equal values.

    ``in_order`` is sorted along its last axis. Both results have the same shape. NaN does not equal
    NaN, so each NaN is a separate run.

    >>> find_tie_runs(np.array([1.0, 4.0, 4.0, 5.0]))
    (array([0, 1, 1, 3]), array([0, 2, 2, 3]))
    """
    n = in_order.shape[-1]
    positions = np.arange(n)
    # The first position always starts a run, and the last position always ends one.
    is_change = in_order[..., 1:] != in_order[..., :-1]
    is_start = np.ones(in_order.shape, bool)
    is_start[..., 1:] = is_change
    is_end = np.ones(in_order.shape, bool)
    is_end[..., :-1] = is_change
    # Take the last start at or before each position: this is a running maximum.
    first = np.maximum.accumulate(np.where(is_start, positions, 0), axis=-1)
    # Take the first end at or after each position: a running minimum from right to left.
    ends_from_right = np.where(is_end, positions, n)[..., ::-1]
    last = np.minimum.accumulate(ends_from_right, axis=-1)[..., ::-1]
    return first, last


def without_rounding_noise(
    values: FloatArray, *, axis: int = -1, scale: npt.ArrayLike | None = None
) -> FloatArray:
    """Return a copy in which numbers that differ by rounding only are equal.

    0.1 + 0.2 and 0.3 stand for the same number, but differ in floating point. So ranks, signs of
    differences and best values need this copy wherever the numbers have been computed.

    Parameters
    ----------
    values : ndarray of float
        Lines of numbers along ``axis``; NaN differs from everything.
    axis : int, default -1
        The axis along which numbers are compared.
    scale : array_like, optional
        The size of the numbers that they were computed from, in an array that broadcasts to the
        values. Numbers are equal if they differ by at most `ROUNDING` times this size. Default: the
        larger of the two numbers themselves.

    Returns
    -------
    ndarray of float
        Numbers that are equal share the lowest one of them. Chains are joined: if a equals b and b
        equals c, then a equals c.

    Examples
    --------
    >>> without_rounding_noise(np.array([0.5, 0.1 + 0.2, 0.3])).tolist()
    [0.5, 0.3, 0.3]
    """
    lines = np.moveaxis(values, axis, -1)
    order = np.argsort(lines, axis=-1, kind="stable")
    in_order = np.take_along_axis(lines, order, axis=-1)
    lower, higher = in_order[..., :-1], in_order[..., 1:]
    if scale is None:
        size = np.maximum(np.abs(lower), np.abs(higher))
    else:
        scale_of_lines = np.moveaxis(np.broadcast_to(scale, values.shape), axis, -1)
        size = scale_of_lines[..., 1:]
    with np.errstate(over="ignore", invalid="ignore"):  # huge and infinite numbers
        gap = higher - lower
        is_noise = (gap <= ROUNDING * size) & np.isfinite(gap)
    # Each number takes the value at the start of its run of neighbours that differ by noise.
    is_start = np.ones(lines.shape, bool)
    is_start[..., 1:] = ~is_noise
    positions = np.arange(lines.shape[-1])
    start = np.maximum.accumulate(np.where(is_start, positions, 0), axis=-1)
    result = np.empty(lines.shape)
    np.put_along_axis(result, order, np.take_along_axis(in_order, start, axis=-1), axis=-1)
    return np.moveaxis(result, -1, axis)


def run_starts(in_order: FloatArray) -> IntArray:
    """Return the position at which each run of equal neighbours begins, in an array with one axis.

    >>> run_starts(np.array([1.0, 4.0, 4.0, 5.0]))
    array([0, 1, 3])
    """
    is_start = np.ones(in_order.size, bool)
    np.not_equal(in_order[1:], in_order[:-1], out=is_start[1:])
    return np.flatnonzero(is_start)


def batches_of_equal_length(lengths: Sequence[int], cells: int) -> Iterator[list[int]]:
    """Yield batches of lists that have the same length, so that each batch can become a matrix.

    ``lengths`` has the length of each list. A batch consists of positions in ``lengths``. Its
    matrix has a row for each list, and at most ``cells`` cells; if a single list is longer than
    that, the matrix has one row.
    """
    positions_by_length: dict[int, list[int]] = {}
    for position, length in enumerate(lengths):
        positions_by_length.setdefault(length, []).append(position)
    for length, positions in positions_by_length.items():
        batch_size = max(1, cells // max(1, length))  # a length may be 0
        for start in range(0, len(positions), batch_size):
            yield positions[start : start + batch_size]


class ReadOnlyView:
    """A proxy of an object, with read-only arrays, to pass to users' functions.

    All measures share the arrays, so a function must not change them.
    """

    def __init__(self, target: object) -> None:
        self._target: Any = target

    def __getattr__(self, name: str) -> object:
        return read_only(getattr(self._target, name))

    def __call__(self, *args: object, **kwargs: object) -> object:
        return read_only(self._target(*args, **kwargs))


def read_only(value: Value) -> Value:
    """Return a read-only view of an array, or a read-only proxy of another object.

    Nothing is copied. Objects without attributes, such as numbers and text, are returned unchanged.
    """
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    if hasattr(value, "__dict__"):
        return cast(Value, ReadOnlyView(value))
    return value


def call_read_only(function: Callable[..., Value], name: str, *args: object) -> Value:
    """Call a user's function with read-only arguments and return its answer.

    If the function writes into its arguments, this raises an `InputError` that calls it ``name``.
    Any other exception of the function passes through.
    """
    try:
        return function(*map(read_only, args))
    except ValueError as error:
        # NumPy raises a plain ValueError, "assignment destination is read-only".
        if "read-only" not in str(error):
            raise
        rule = "change nothing in its arguments"
        advice = "Work on a copy, such as grades.copy()"
        raise input_error(name, rule, error, advice) from error


def as_real_numbers(answer: npt.ArrayLike, name: str) -> FloatArray:
    """Return the answer of a user's function as floats; raise if it isn't an array of numbers.

    Error messages call the function ``name``.
    """
    rule = "return real numbers"
    try:
        array = np.asarray(answer)
    except ValueError:  # rows of different lengths
        raise input_error(name, rule, shorten(answer)) from None
    if array.dtype.kind == "c":  # NumPy would drop the imaginary parts
        raise input_error(name, rule, f"type {array.dtype}")
    try:
        return np.asarray(array, dtype=float)
    except (TypeError, ValueError):  # texts and other objects
        raise input_error(name, rule, shorten(answer)) from None


def rank_weights(n: int, discount: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """Return the weights of ranks 1 to n, which ``discount`` computes from an array of ranks.

    Raises unless ``discount`` returns one finite number per rank.
    """
    check_callable(discount, "discount", "shifted_log2")
    weights = as_real_numbers(discount(np.arange(1.0, n + 1)), "discount")
    check_answer_shape(weights, (n,), "discount", "weight per rank")
    return as_finite(weights, "discount")


def grade_gains(grades: FloatArray, gain: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """Return the gain that a user's function gives to each grade, in the shape of the grades.

    A grade of NaN marks an empty rank. Its gain may be anything, and the caller must not use it.
    Raises unless the function returns a finite number of at least 0 for each other grade.
    """
    check_callable(gain, "gain", "linear_gain")
    gains = as_real_numbers(call_read_only(gain, "gain", grades), "gain")
    check_answer_shape(gains, grades.shape, "gain", "number per grade")
    # The common case needs no further checks. If any gain is NaN, both comparisons are false.
    are_valid = gains.min(initial=0) >= 0 and gains.max(initial=0) < np.inf
    if not are_valid:
        has_grade = ~np.isnan(grades)
        check_none(gains, ~np.isfinite(gains) & has_grade, "gain", "return finite numbers")
        check_none(gains, (gains < 0) & has_grade, "gain", "return numbers of at least 0")
    return gains


def check_answer_shape(
    answer: FloatArray, shape: tuple[int, ...], name: str, description: str
) -> None:
    """Raise unless a user's function returned one number for each input.

    ``description`` completes "must return one …" in the message, for example "weight per rank".
    """
    if answer.shape != shape:
        raise input_error(name, f"return one {description}", f"shape {answer.shape} for {shape}")
