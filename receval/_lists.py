"""What is asked of arrays and of lists by rank: numbers, grades, flags, item codes, cut-offs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import (
    LARGEST,
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    IntArray,
    check_count,
    check_none,
    input_error,
    is_scalar,
    no_huge_numbers,
    shorten,
)
from receval._rounding import as_float64, check_not_merged


def as_array(values: object, name: str) -> npt.NDArray[Any]:
    """``values`` as an array with at least one axis."""
    if isinstance(values, np.ma.MaskedArray):
        advice = f"Say what the masked places mean, e.g. {name}.filled(0)"
        raise input_error(name, "be an ordinary array", "a masked array", advice)
    try:
        array = np.asarray(values)
    except ValueError:  # NumPy refuses rows of different lengths
        advice = "Pad the shorter ones at the end (grades with NaN, item codes with -1)"
        raise input_error(name, "be rectangular", "rows of different lengths", advice) from None
    if array.dtype.kind == "O" and array.ndim == 0:
        raise InputError(f"{name} must be a list or an array; got {type(values).__name__}")
    if array.ndim == 0:
        raise InputError(f"{name} must have at least one axis; got a scalar, {shorten(values)}")
    return array


def as_numbers(values: object, name: str, *, whole_stay: bool = False) -> FloatArray:
    """``values`` as float64 with at least one axis.

    Numbers that differ and become equal are refused; whole ones are not if they ``whole_stay`` as
    they are, because the caller compares these themselves.
    """
    array = as_array(values, name)
    if array.dtype.kind == "O":
        # Name what hides in a column of objects: that is what the user has to mend.
        real = (int, float, np.integer, np.floating)
        wrong = [x for x in array.ravel() if not isinstance(x, real) or isinstance(x, bool)]
        if wrong:
            shown = ", ".join(map(shorten, wrong[:MAX_EXAMPLES]))
            raise input_error(name, "hold numbers", f"objects such as {shown}")
        with no_huge_numbers(name):
            return as_float64(array, name)
    if array.size and array.dtype.kind not in "biuf":
        raise InputError(f"{name} must hold numbers; got type {array.dtype}")
    if not (whole_stay and array.dtype.kind in "iu"):
        check_not_merged(name, values)
    return array.astype(np.float64, copy=False)


def of_any_shape(
    values: object, name: str, read: Callable[[object, str], FloatArray] = as_numbers
) -> FloatArray:
    """The same of an array of any shape, or of a single number."""
    return read([values], name)[0] if is_scalar(values) else read(values, name)


def as_finite(values: object, name: str) -> FloatArray:
    """Finite numbers."""
    array = as_numbers(values, name)
    check_none(array, ~np.isfinite(array), name, "be finite")
    return array


def as_integers(values: object, name: str) -> IntArray:
    """Whole numbers; floats are taken where they are whole."""
    scalar = isinstance(values, (int, float, np.number, np.bool_))
    array = as_array([values] if scalar else values, name)
    if array.size and array.dtype.kind not in "iuf":
        raise InputError(f"{name} must hold whole numbers; got type {array.dtype}")
    if array.dtype.kind == "f":
        check_none(array, (np.floor(array) != array) | np.isinf(array), name, "hold whole numbers")
    if array.dtype.kind in "fu":
        check_none(array, (array >= 2**63) | (array <= -(2**63)), name, "fit into 64 bits")
    whole = array.astype(np.int64)
    return whole[0] if scalar else whole


def check_cutoff(k: Any, name: str = "k") -> int | None:
    """A cut-off rank: a positive integer, or None for the whole list."""
    if k is None or (type(k) is int and 0 < k <= LARGEST):  # mostly, at once
        return k
    return check_count(k, name, "be a positive integer or None")


def in_range(values: FloatArray, name: str) -> FloatArray:
    """``values`` that were computed from finite ``name``, none of them beyond float64."""
    if not np.isfinite(values).all():
        rule = "be small enough to be added up and multiplied in float64 (below about 1e308)"
        advice = "Divide all of them by one large number first"
        raise input_error(name, rule, "an overflow", advice)
    return values


def as_tailed(values: object, name: str) -> FloatArray:
    """Numbers by rank: finite, but for a NaN tail where a list is shorter than the axis."""
    array = as_numbers(values, name)
    missing = np.isnan(array)
    rule = "have NaN only at the tail, after the last rank"
    advice = "A retrieved item without a grade is not relevant: give it 0"
    check_none(array[..., :-1], missing[..., :-1] > missing[..., 1:], name, rule, advice)
    check_none(array, np.isinf(array), name, "be finite")
    return array


def as_gains(values: object, name: str = "gains", *, by_rank: bool = True) -> FloatArray:
    """Grades: finite and at least 0.

    By rank they have a NaN tail where a list is short; in any other order NaN pads and counts as 0.
    """
    array = as_numbers(values, name)
    if array.min(initial=0) >= 0 and array.max(initial=0) < np.inf:  # the common case, at once
        return array
    if by_rank:
        as_tailed(array, name)
    check_none(array, np.isinf(array), name, "be finite")
    check_none(array, array < 0, name, "be at least 0", "0 means not relevant")
    return array


def as_counts(values: object, name: str) -> IntArray:
    """Whole numbers of at least 0; a scalar is one count."""
    counts = as_integers(values, name)
    array = np.asarray(counts)
    check_none(array, array < 0, name, "be at least 0")
    return counts


def as_codes(values: object, name: str = "items", *, n_items: int | None = None) -> IntArray:
    """Item codes: 0, 1, 2, … with -1 for an empty rank; in a catalogue of ``n_items``, if given."""
    codes = as_integers(as_array(values, name), name)
    check_none(codes, codes < -1, name, "be at least 0, or -1 for an empty rank")
    if n_items is not None:
        rule = f"lie in the catalogue of {n_items} items (0 to {n_items - 1})"
        check_none(codes, codes >= n_items, name, rule)
    return codes


def check_no_repeats(codes: IntArray, name: str) -> None:
    """No item stands twice in a list; -1, an empty rank, may."""
    order = np.argsort(codes, axis=-1, kind="stable")
    in_order, again = np.take_along_axis(codes, order, axis=-1), np.zeros(codes.shape, bool)
    np.put_along_axis(again, order[..., 1:], in_order[..., 1:] == in_order[..., :-1], axis=-1)
    check_none(codes, again & (codes >= 0), name, "hold each item at most once")


def as_list_codes(values: object, name: str, k: int | None = None) -> IntArray:
    """Item codes by rank, of the first k: each item once, -1 behind the last one only."""
    codes = as_codes(values, name)[..., :k]
    early = (codes[..., :-1] < 0) & (codes[..., 1:] >= 0)
    check_none(codes[..., :-1], early, name, "have -1 at the tail only, after the last item")
    check_no_repeats(codes, name)
    return codes


def as_flags(values: object, name: str) -> FloatArray:
    """Yes or no as 1.0 or 0.0, with a NaN tail where a list is short."""
    array = as_tailed(values, name)
    wrong = (array != 0) & (array != 1) & ~np.isnan(array)
    check_none(array, wrong, name, "be boolean, or 0 and 1")
    return array


def check_same_length(first: npt.NDArray[Any], second: npt.NDArray[Any], names: str) -> None:
    """The last axes have one length: nothing is stretched along a list."""
    if first.shape[-1] != second.shape[-1]:
        got = f"{first.shape[-1]} and {second.shape[-1]}"
        raise input_error(names.replace(" ", " and "), "have the same length", got)


def check_leading(names: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Leading axes that go together by NumPy's broadcasting rules."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        rule = "agree in their leading axes (one entry per list)"
        got = f"shapes {' and '.join(map(str, shapes))}"
        raise input_error(names.replace(" ", " and "), rule, got) from None


def check_pairs(first: npt.NDArray[Any], second: npt.NDArray[Any], names: str) -> None:
    """Lists of one length whose leading axes go together."""
    check_same_length(first, second, names)
    check_leading(names, first.shape[:-1], second.shape[:-1])
