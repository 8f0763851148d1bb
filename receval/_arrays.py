"""Checks of arrays and of ranked lists, calls of users' functions, sums, ties and other helpers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from receval._checks import (
    MAX_EXACT_INTEGER,
    AnyArray,
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_callable,
    check_count,
    check_none,
    check_that,
    format_first,
    input_error,
    is_scalar,
    shorten,
)

if TYPE_CHECKING:
    import pandas as pd

# Checks -------------------------------------------------------------------------------------------


def as_array(values: object, name: str) -> AnyArray:
    """Return ``values`` as an array with at least one axis; raise if that is not possible.

    Also raises if NumPy would round a whole number of a list, because the list has floats, too.
    """
    if isinstance(values, np.ma.MaskedArray):
        advice = f"Say what the masked places mean, e.g. {name}.filled(0)"
        raise input_error(name, "be an ordinary array", "a masked array", advice)
    try:
        array = np.asarray(values)
    except ValueError:  # NumPy refuses rows of different lengths
        advice = "Pad the shorter ones at the end (grades with NaN, item codes with -1)"
        raise input_error(name, "be rectangular", "rows of different lengths", advice) from None
    check_that(array.ndim > 0, name, "be a list or an array", values)
    if isinstance(values, (list, tuple)):
        check_not_rounded(values, array, name)
    return array


def as_numbers(values: object, name: str) -> FloatArray:
    """Return ``values`` as float64 with at least one axis; raise if they are not all numbers.

    Also raises if float64 would round a whole number.
    """
    array = as_array(values, name)
    if array.dtype.kind == "O":
        types = (int, float, np.integer, np.floating)
        is_wrong = [not isinstance(value, types) or isinstance(value, bool) for value in array.flat]
        check_none(array, np.reshape(is_wrong, array.shape), name, "hold numbers")
    # "biuf" are booleans, signed and unsigned whole numbers, and floats. An empty list may have
    # any type.
    elif array.size and array.dtype.kind not in "biuf":
        raise InputError(f"{name} must hold numbers; got type {array.dtype}")
    check_exact(array, name)
    return array.astype(np.float64, copy=False)


def check_exact(array: AnyArray, name: str) -> None:
    """Raise if an array has whole numbers beyond 2**53, which float64 may round.

    The array has numbers, or objects that are numbers. ``name`` is its name in messages.
    """
    if array.dtype.kind == "O":
        integers = [value for value in array.flat if isinstance(value, (int, np.integer))]
        array = np.array(integers, object)
    elif array.dtype.kind not in "iu":
        return
    is_too_large = (array > MAX_EXACT_INTEGER) | (array < -MAX_EXACT_INTEGER)
    if is_too_large.any():
        got = format_first(array[is_too_large].tolist(), to_text=shorten)
        advice = "Float64 would round larger whole numbers: divide all by one number first"
        raise input_error(name, "hold whole numbers of at most 2**53", got, advice)


def check_not_rounded(values: Sequence[object], array: AnyArray, name: str) -> None:
    """Raise if NumPy rounded whole numbers when it made the array from a list with floats."""
    if array.dtype.kind == "f" and (np.abs(array) >= MAX_EXACT_INTEGER).any():
        check_exact(np.array(values, dtype=object), name)


def check_any_shape(
    values: object, name: str, read: Callable[[object, str], AnyArray] = as_numbers
) -> AnyArray:
    """Apply a check such as `as_numbers` to an array, or to a single number, which stays one."""
    if is_scalar(values):
        return cast(AnyArray, read([values], name)[0])
    return read(values, name)


def as_finite(values: object, name: str) -> FloatArray:
    """Return ``values`` as float64; raise if a number is infinite or NaN."""
    array = as_numbers(values, name)
    check_none(array, ~np.isfinite(array), name, "be finite")
    return array


def as_integers(values: object, name: str) -> IntArray:
    """Return whole numbers as int64 with at least one axis; raise for other numbers.

    Floats are accepted if they are whole numbers, such as 2.0.
    """
    array = as_array(values, name)
    if array.size and array.dtype.kind not in "iuf":
        raise InputError(f"{name} must hold whole numbers; got type {array.dtype}")
    if array.dtype.kind == "f":
        is_wrong = (np.floor(array) != array) | np.isinf(array)  # NaN isn't equal to itself
        check_none(array, is_wrong, name, "hold whole numbers")
    if array.dtype.kind in "fu":  # signed whole numbers always fit
        # The bounds themselves count as too large, because float64 may have rounded a larger number
        # to them.
        is_too_large = (array >= 2**63) | (array <= -(2**63))
        check_none(array, is_too_large, name, "fit into 64 bits")
    return array.astype(np.int64)


def check_cutoff(k: object, name: str = "k") -> int | None:
    """Return a cut-off rank, or None for the whole list; raise unless it is a positive integer."""
    if k is None:
        return None
    return check_count(k, name, "be a positive integer or None")


def check_overflow(values: FloatArray, name: str) -> FloatArray:
    """Return ``values`` as they are; raise if one of them is infinite or NaN.

    The values were computed from the argument ``name``, which has only finite numbers. If a value
    is infinite, these numbers were too large.
    """
    if not np.isfinite(values).all():
        rule = "be small enough to be added up and multiplied in float64 (below about 1e308)"
        raise input_error(name, rule, "an overflow", "Divide all of them by one large number first")
    return values


def as_tailed(values: object, name: str) -> FloatArray:
    """Return numbers by rank; raise if one is infinite, or if a number follows NaN.

    NaN fills the tail of a list that is shorter than the axis.
    """
    array = as_numbers(values, name)
    is_empty = np.isnan(array)
    is_gap = is_empty[..., :-1] & ~is_empty[..., 1:]
    rule = "have NaN only at the tail, after the last rank"
    advice = "A retrieved item without a grade is not relevant: give it 0"
    check_none(array[..., :-1], is_gap, name, rule, advice)
    check_none(array, np.isinf(array), name, "be finite")
    return array


def as_gains(values: object, name: str = "gains", *, by_rank: bool = True) -> FloatArray:
    """Return grades; raise unless they are finite and at least 0.

    If the grades are ``by_rank``, NaN may only fill the tail of a list that is shorter than the
    axis. Otherwise, NaN may be anywhere, and callers count it as 0.
    """
    if by_rank:
        array = as_tailed(values, name)
    else:
        array = as_numbers(values, name)
    check_none(array, np.isinf(array), name, "be finite")
    check_none(array, array < 0, name, "be at least 0", "0 means not relevant")
    return array


def as_counts(values: object, name: str) -> IntArray:
    """Return whole numbers; raise if one is below 0. A scalar stays a scalar."""
    counts: IntArray = check_any_shape(values, name, as_integers)
    check_none(counts, counts < 0, name, "be at least 0")
    return counts


def as_codes(values: object, name: str = "items", *, n_items: int | None = None) -> IntArray:
    """Return item codes: 0, 1, 2, … with -1 for an empty rank.

    Raises for other numbers, and for codes that are not in a catalogue of ``n_items``.
    """
    codes = as_integers(values, name)
    check_none(codes, codes < -1, name, "be at least 0, or -1 for an empty rank")
    if n_items is not None:
        rule = f"lie in the catalogue of {n_items} items (0 to {n_items - 1})"
        check_none(codes, codes >= n_items, name, rule)
    return codes


def check_no_repeats(codes: IntArray, name: str) -> None:
    """Raise if an item is in a list twice; -1, an empty rank, may be repeated.

    ``codes`` are the items of each list along the last axis.
    """
    # Sorting makes equal codes neighbours. A stable sort leaves them in the order of the list, so
    # that the message names the places after the first one.
    order = np.argsort(codes, axis=-1, kind="stable")
    in_order = np.take_along_axis(codes, order, axis=-1)
    equals_previous = in_order[..., 1:] == in_order[..., :-1]
    # Go back from places in sorted order to places in the list.
    is_repeat = np.zeros(codes.shape, bool)
    np.put_along_axis(is_repeat, order[..., 1:], equals_previous, axis=-1)
    check_none(codes, is_repeat & (codes >= 0), name, "hold each item at most once")


def as_list_codes(values: object, name: str, k: int | None = None) -> IntArray:
    """Return the item codes of the first k ranks, or of all ranks if ``k`` is None.

    Raises if an item is in a list twice, or if -1, an empty rank, comes before an item.
    """
    codes = as_codes(values, name)[..., :k]
    is_gap = (codes[..., :-1] < 0) & (codes[..., 1:] >= 0)
    check_none(codes[..., :-1], is_gap, name, "have -1 at the tail only, after the last item")
    check_no_repeats(codes, name)
    return codes


def as_flags(values: object, name: str) -> FloatArray:
    """Return flags by rank as 1.0 or 0.0; raise for other numbers.

    NaN fills the tail of a list that is shorter than the axis.
    """
    array = as_tailed(values, name)
    is_wrong = (array != 0) & (array != 1) & ~np.isnan(array)
    check_none(array, is_wrong, name, "be boolean, or 0 and 1")
    return array


def labels_of(values: object) -> list[pd.Index]:
    """Return the labels of each axis of a Series or a DataFrame; an empty list for other values.

    A list of labels is returned as it is.
    """
    axes = getattr(values, "axes", values)
    if isinstance(axes, list) and all(hasattr(labels, "get_indexer") for labels in axes):
        return axes
    return []


def lists_of(values: object) -> list[pd.Index]:
    """Return the labels of an input without those of its last axis, which is rank."""
    return labels_of(values)[:-1]


def columns_of(values: object) -> list[pd.Index]:
    """Return the labels of the last axis of an input."""
    return labels_of(values)[-1:]


def check_same_labels(**values: object) -> None:
    """Raise if two labelled inputs have different labels, because position matches their values.

    ``values`` are the inputs by argument. Those of pandas have labels, which can be passed in their
    place. As with NumPy's rules of broadcasting, the last axes belong together, then those before
    them. Axes of different lengths are left to the checks of shapes.
    """
    for (first, first_values), (second, second_values) in combinations(values.items(), 2):
        axes = zip(labels_of(first_values)[::-1], labels_of(second_values)[::-1], strict=False)
        for labels, other_labels in axes:
            if len(labels) == len(other_labels) > 0 and not labels.equals(other_labels):
                got = f"{shorten(labels.tolist())} and {shorten(other_labels.tolist())}"
                advice = (
                    "Position matches their values: bring both into one order, such as with .loc; "
                    f"if they are in one order, pass {second}.to_numpy()"
                )
                raise input_error(f"{first} and {second}", "have the same labels", got, advice)


def broadcast_leading_axes(names: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common shape of leading axes under NumPy's rules of broadcasting.

    ``shapes`` has the lengths of the leading axes for each argument, and ``names`` holds the names
    of the arguments, separated by blanks. Raises an `InputError` if the shapes don't agree.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        got = f"shapes {' and '.join(map(str, shapes))}"
        rule = "agree in their leading axes (one entry per list)"
        raise input_error(names.replace(" ", " and "), rule, got) from None


def check_pairs(first: AnyArray, second: AnyArray, names: str) -> None:
    """Raise unless two arrays hold equally long lists and their leading axes can be broadcast.

    The last axis holds the list. ``names`` holds the names of both arguments, separated by a blank.
    """
    if first.shape[-1] != second.shape[-1]:
        got = f"{first.shape[-1]} and {second.shape[-1]}"
        raise input_error(names.replace(" ", " and "), "have the same length", got)
    broadcast_leading_axes(names, first.shape[:-1], second.shape[:-1])


# Sums, ties and other helpers ---------------------------------------------------------------------

ROUNDING = 2.0**-40
"""Two numbers differ by rounding only if they differ by at most this share of them, about 1e-12."""


def divide_or_nan(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Divide element by element; return NaN where the denominator is 0."""
    divisor = np.asarray(denominator, float)
    quotient: FloatArray = np.asarray(numerator, float) / np.where(divisor == 0, np.nan, divisor)
    return quotient[()]


def mean(values: npt.ArrayLike) -> float:
    """Return the mean of the values that are not NaN, or NaN if there are none.

    The mean is computed from the exact sum and rounded once, so the order of the values does not
    matter.
    """
    array = np.asarray(values, float)
    numbers: FloatArray = array[~np.isnan(array)]
    if not numbers.size:
        return math.nan
    parts = sum_exactly(numbers)
    if np.isinf(parts).any():
        return math.fsum(parts)
    return float(sum(map(Fraction, parts)) / numbers.size)


def sum_exactly(values: npt.ArrayLike) -> list[float]:
    """Return a few numbers that have exactly the same sum as the values.

    If you pass the results for several groups of values, you get the sum of all. `math.fsum` rounds
    it once, so neither the order nor the groups change the rounded sum.

    References
    ----------
    S. M. Rump, T. Ogita, S. Oishi: Accurate floating-point summation, part I, SIAM Journal on
    Scientific Computing 31 (1), 2008. The function is their ``ExtractVector``, repeated.
    """
    rest = np.asarray(values, float)
    parts: list[float] = []
    while rest.any():
        # Adding and subtracting a power of two leaves the leading digits of each number. These are
        # multiples of one unit, and so few that float64 adds them up without rounding.
        largest = float(np.abs(rest).max())
        power = math.frexp(largest)[1] + (rest.size + 2).bit_length()
        if math.isinf(largest) or power >= sys.float_info.max_exp:  # the power would be infinite
            return [*parts, *rest.tolist()]
        leading = (rest + math.ldexp(1.0, power)) - math.ldexp(1.0, power)
        parts.append(float(leading.sum()))
        rest = rest - leading
    return parts


def power_of_two_scale(sizes: FloatArray) -> FloatArray:
    """Return a power of two for each row; dividing the row by it scales ``sizes`` to about 1.

    If you divide a row by its power, the largest quotient is below 2 and at least 1. Division by a
    power of two does not round, and the square of the largest quotient neither overflows nor
    underflows. The sizes must not be negative. The result has the axes of ``sizes``, but its last
    axis has length 1.
    """
    # frexp splits a size into m * 2^power with 0.5 <= m < 1.
    _, power = np.frexp(sizes.max(axis=-1, keepdims=True, initial=0))
    # 2^-1074 is the smallest float64 above 0.
    return np.asarray(np.ldexp(1.0, np.maximum(power - 1, -1074)))


def find_tie_runs(in_order: FloatArray) -> tuple[IntArray, IntArray]:
    """Return, for each position, the first and the last position of its run of equal values.

    ``in_order`` is sorted along its last axis. Both results have the same shape. NaN does not equal
    NaN, so each NaN is a separate run.

    >>> find_tie_runs(np.array([1.0, 4.0, 4.0, 5.0]))
    (array([0, 1, 1, 3]), array([0, 2, 2, 3]))
    """
    is_change = in_order[..., 1:] != in_order[..., :-1]
    first = _starts_of_runs(is_change, in_order.shape)
    # Count from right to left, where the last position is 0.
    last_from_right = _starts_of_runs(is_change[..., ::-1], in_order.shape)[..., ::-1]
    return first, in_order.shape[-1] - 1 - last_from_right


def _starts_of_runs(is_change: BoolArray, shape: tuple[int, ...]) -> IntArray:
    """Return, for each position, the position at which its run begins, in an array of a shape.

    ``is_change`` says for each position except the first whether another run begins there.
    """
    is_start = np.ones(shape, bool)  # the first position always starts a run
    is_start[..., 1:] = is_change
    # Take the last start at or before each position: this is a running maximum.
    starts: IntArray = np.where(is_start, np.arange(shape[-1]), 0)
    return np.maximum.accumulate(starts, axis=-1)


def without_rounding_noise(values: FloatArray, *, scale: npt.ArrayLike | None = None) -> FloatArray:
    """Return a copy in which numbers that differ by rounding only are equal.

    0.1 + 0.2 and 0.3 stand for the same number, but differ in floating point. So ranks, signs of
    differences and best values need this copy wherever the numbers have been computed.

    Parameters
    ----------
    values : ndarray of float
        Lines of numbers along the last axis, which are compared; NaN differs from everything.
    scale : array_like, optional
        The size of the numbers that each was computed from, in an array that broadcasts to the
        values. Numbers are equal if they differ by at most `ROUNDING` times the smaller of their
        sizes. Default: the larger of the two numbers themselves.

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
    # Sort each line, so that numbers that differ by rounding only are neighbours.
    order = np.argsort(values, axis=-1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=-1)
    lower, higher = in_order[..., :-1], in_order[..., 1:]  # in each pair of neighbours
    if scale is None:
        size = np.maximum(np.abs(lower), np.abs(higher))
    else:
        sizes = np.take_along_axis(np.broadcast_to(scale, values.shape), order, axis=-1)
        size = np.minimum(sizes[..., 1:], sizes[..., :-1])
    with np.errstate(over="ignore", invalid="ignore"):  # huge and infinite numbers
        gap = higher - lower
        is_noise = (gap <= ROUNDING * size) & np.isfinite(gap)
    # Neighbours that differ by noise form a run, and all become its first number, the lowest. In
    # 0.3, 0.1 + 0.2, 0.5 the first two are a run, so the runs of the numbers start at 0, 0 and 2.
    start_of_run = _starts_of_runs(~is_noise, values.shape)
    equalized = np.take_along_axis(in_order, start_of_run, axis=-1)
    # Undo the sorting.
    result = np.empty(values.shape)
    np.put_along_axis(result, order, equalized, axis=-1)
    return result


def as_answer(answer: npt.ArrayLike, shape: tuple[int, ...], name: str) -> FloatArray:
    """Return the answer of a user's function as floats; raise unless it is numbers of a shape.

    Error messages call the function ``name``.
    """
    rule = f"return real numbers of shape {shape}"
    try:
        check_that(np.isrealobj(answer), name, rule, answer)  # NumPy would drop imaginary parts
        numbers = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):  # texts and other objects, rows of different lengths
        raise input_error(name, rule, shorten(answer)) from None
    if numbers.shape != shape:
        raise input_error(name, rule, f"numbers of shape {numbers.shape}")
    return numbers


def rank_weights(n: int, discount: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """Return the weights of ranks 1 to n, which ``discount`` computes from an array of ranks.

    Raises unless ``discount`` returns one finite number per rank.
    """
    check_callable(discount, "discount", "shifted_log2")
    return as_finite(as_answer(discount(np.arange(1.0, n + 1)), (n,), "discount"), "discount")


def grade_gains(grades: FloatArray, gain: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """Return the gain that a user's function gives to each grade, in the shape of the grades.

    A grade of NaN marks an empty rank. Its gain may be anything, and the caller must not use it.
    Raises unless the function returns a finite number of at least 0 for each other grade.
    """
    check_callable(gain, "gain", "linear_gain")
    gains = as_answer(gain(grades.copy()), grades.shape, "gain")  # a copy: it may write into it
    has_grade = ~np.isnan(grades)
    is_wrong = ~np.isfinite(gains) & has_grade
    advice = ""
    if is_wrong.any():
        grade = f"{grades[is_wrong][0]:g}"
        advice = f"The first of them is the gain of grade {grade}: return 0 if it adds nothing"
    check_none(gains, is_wrong, "gain", "return finite numbers", advice)
    check_none(gains, (gains < 0) & has_grade, "gain", "return numbers of at least 0")
    return gains
