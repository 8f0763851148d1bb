"""Checks of arrays and of ranked lists: numbers, grades, flags, item codes, cut-offs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    IntArray,
    check_count,
    check_none,
    input_error,
    is_scalar,
    shorten,
)
from receval._rounding import check_exact
from receval._types import AnyArray

if TYPE_CHECKING:
    import pandas as pd

REAL_NUMBERS = (int, float, np.integer, np.floating)


def as_array(values: object, name: str) -> AnyArray:
    """Return ``values`` as an array with at least one axis; raise if that is not possible."""
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


def as_numbers(values: object, name: str, *, keep_integers: bool = False) -> FloatArray:
    """Return ``values`` as float64 with at least one axis; raise if they are not all numbers.

    Also raises if float64 would round a whole number. A caller that goes on with the original whole
    numbers sets ``keep_integers``, which skips this check for them.
    """
    array = as_array(values, name)
    if array.dtype.kind == "O":
        # The message shows the objects that are not numbers, because the user has to change them.
        wrong = [
            value
            for value in array.ravel()
            if not isinstance(value, REAL_NUMBERS) or isinstance(value, bool)
        ]
        if wrong:
            examples = ", ".join(map(shorten, wrong[:MAX_EXAMPLES]))
            raise input_error(name, "hold numbers", f"objects such as {examples}")
    # "biuf" are booleans, signed and unsigned whole numbers, and floats. An empty list may have
    # any type.
    elif array.size and array.dtype.kind not in "biuf":
        raise InputError(f"{name} must hold numbers; got type {array.dtype}")
    if not (keep_integers and array.dtype.kind in "iu"):
        check_exact(array, name)
    return array.astype(np.float64, copy=False)


def check_any_shape(
    values: object, name: str, read: Callable[[object, str], FloatArray] = as_numbers
) -> FloatArray:
    """Apply a check such as `as_numbers` to an array, or to a single number."""
    if is_scalar(values):
        number: FloatArray = read([values], name)[0]
        return number
    return read(values, name)


def as_finite(values: object, name: str) -> FloatArray:
    """Return ``values`` as float64; raise if a number is infinite or NaN."""
    array = as_numbers(values, name)
    check_none(array, ~np.isfinite(array), name, "be finite")
    return array


def as_integers(values: object, name: str) -> IntArray:
    """Return whole numbers as int64; raise for other numbers. A scalar stays a scalar.

    Floats are accepted if they are whole numbers, such as 2.0.
    """
    if isinstance(values, (int, float, np.number, np.bool_)):
        integer: IntArray = as_integers([values], name)[0]
        return integer
    array = as_array(values, name)
    if array.size and array.dtype.kind not in "iuf":
        raise InputError(f"{name} must hold whole numbers; got type {array.dtype}")
    if array.dtype.kind == "f":
        is_fraction = np.floor(array) != array  # true for NaN, and false for infinity
        check_none(array, is_fraction | np.isinf(array), name, "hold whole numbers")
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
    if type(k) is int and 0 < k <= MAX_EXACT_INTEGER:  # the common case needs no further checks
        return k
    return check_count(k, name, "be a positive integer or None")


def check_overflow(values: FloatArray, name: str) -> FloatArray:
    """Return ``values`` as they are; raise if one of them is infinite or NaN.

    The values were computed from the argument ``name``, which has only finite numbers. If a value
    is infinite, these numbers were too large.
    """
    if not np.isfinite(values).all():
        rule = "be small enough to be added up and multiplied in float64 (below about 1e308)"
        advice = "Divide all of them by one large number first"
        raise input_error(name, rule, "an overflow", advice)
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
    array = as_numbers(values, name)
    # The common case needs no further checks. An array with NaN fails this comparison.
    if array.min(initial=0) >= 0 and array.max(initial=0) < np.inf:
        return array
    if by_rank:
        as_tailed(array, name)
    check_none(array, np.isinf(array), name, "be finite")
    check_none(array, array < 0, name, "be at least 0", "0 means not relevant")
    return array


def as_counts(values: object, name: str) -> IntArray:
    """Return whole numbers; raise if one is below 0. A scalar stays a scalar."""
    counts = as_integers(values, name)
    array = np.asarray(counts)  # for the comparison only
    check_none(array, array < 0, name, "be at least 0")
    return counts


def as_codes(values: object, name: str = "items", *, n_items: int | None = None) -> IntArray:
    """Return item codes: 0, 1, 2, … with -1 for an empty rank.

    Raises for other numbers, and for codes that are not in a catalogue of ``n_items``.
    """
    codes = as_integers(as_array(values, name), name)
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


class Labels(NamedTuple):
    """The labels of the axes of an input; a Series and a DataFrame have the same attribute."""

    axes: list[pd.Index]


def labels_of(values: object) -> list[pd.Index]:
    """Return the labels of each axis of a Series or a DataFrame; an empty list for other values."""
    axes = getattr(values, "axes", None)
    if isinstance(axes, list) and all(hasattr(labels, "equals") for labels in axes):
        return axes
    return []


def lists_of(values: object) -> Labels:
    """Return the labels of an input without those of its last axis, which is rank."""
    return Labels(labels_of(values)[:-1])


def columns_of(values: object) -> Labels:
    """Return the labels of the last axis of an input."""
    return Labels(labels_of(values)[-1:])


def check_same_labels(**values: object) -> None:
    """Raise if two labelled inputs have different labels, because position matches their values.

    ``values`` are the inputs by argument. Those of pandas have labels. As with NumPy's rules of
    broadcasting, the last axes belong together, then those before them. Axes of different lengths
    are left to the checks of shapes.
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


def check_same_length(first: AnyArray, second: AnyArray, names: str) -> None:
    """Raise unless the last axes of two arrays, which are their ranks, have the same length.

    ``names`` holds the names of both arguments, separated by a blank.
    """
    if first.shape[-1] != second.shape[-1]:
        got = f"{first.shape[-1]} and {second.shape[-1]}"
        raise input_error(names.replace(" ", " and "), "have the same length", got)


def broadcast_leading_axes(names: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the common shape of leading axes under NumPy's rules of broadcasting.

    ``shapes`` has the lengths of the leading axes for each argument, and ``names`` holds the names
    of the arguments, separated by blanks. Raises an `InputError` if the shapes don't agree.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        rule = "agree in their leading axes (one entry per list)"
        got = f"shapes {' and '.join(map(str, shapes))}"
        raise input_error(names.replace(" ", " and "), rule, got) from None


def check_pairs(first: AnyArray, second: AnyArray, names: str) -> None:
    """Raise unless two arrays hold equally long lists and their leading axes can be broadcast."""
    check_same_length(first, second, names)
    broadcast_leading_axes(names, first.shape[:-1], second.shape[:-1])
