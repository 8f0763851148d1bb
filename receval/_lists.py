"""What is asked of lists by rank: grades, answers of yes or no, item codes, and lists in pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import (
    FloatArray,
    IntArray,
    as_array,
    as_numbers,
    as_whole,
    refusal,
    refuse,
)


def in_range(values: FloatArray, name: str) -> FloatArray:
    """``values`` that were computed from finite ``name``, none of them beyond float64."""
    if not np.isfinite(values).all():
        rule = "be small enough to be added up and multiplied in float64 (below about 1e308)"
        advice = "Divide all of them by one large number first"
        raise refusal(name, rule, "an overflow", advice)
    return values


def as_tailed(values: object, name: str) -> FloatArray:
    """Numbers by rank: finite, but for a NaN tail where a list is shorter than the axis."""
    array = as_numbers(values, name)
    missing = np.isnan(array)
    rule = "have NaN only at the tail, after the last rank"
    advice = "A retrieved item without a grade is not relevant: give it 0"
    refuse(array[..., :-1], missing[..., :-1] > missing[..., 1:], name, rule, advice)
    refuse(array, np.isinf(array), name, "be finite")
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
    refuse(array, np.isinf(array), name, "be finite")
    refuse(array, array < 0, name, "be at least 0", "0 means not relevant")
    return array


def as_counts(values: object, name: str) -> IntArray:
    """Whole numbers of at least 0; a scalar is one count."""
    counts = as_whole(values, name)
    array = np.asarray(counts)
    refuse(array, array < 0, name, "be at least 0")
    return counts


def as_codes(values: object, name: str = "items") -> IntArray:
    """Item codes: 0, 1, 2, … with -1 for an empty rank."""
    codes = as_whole(values, name)
    refuse(codes, codes < -1, name, "be at least 0, or -1 for an empty rank")
    return codes


def refuse_twice(codes: IntArray, name: str) -> None:
    """No item stands twice in a list; -1, an empty rank, may."""
    order = np.argsort(codes, axis=-1, kind="stable")
    in_order, again = np.take_along_axis(codes, order, axis=-1), np.zeros(codes.shape, bool)
    np.put_along_axis(again, order[..., 1:], in_order[..., 1:] == in_order[..., :-1], axis=-1)
    refuse(codes, again & (codes >= 0), name, "hold each item at most once")


def as_list_codes(values: object, name: str, k: int | None = None) -> IntArray:
    """Item codes by rank, of the first k: each item once, -1 behind the last one only."""
    codes = as_codes(as_array(values, name), name)[..., :k]
    early = (codes[..., :-1] < 0) & (codes[..., 1:] >= 0)
    refuse(codes[..., :-1], early, name, "have -1 at the tail only, after the last item")
    refuse_twice(codes, name)
    return codes


def as_flags(values: object, name: str) -> FloatArray:
    """Yes or no as 1.0 or 0.0, with a NaN tail where a list is short."""
    array = as_tailed(values, name)
    wrong = (array != 0) & (array != 1) & ~np.isnan(array)
    refuse(array, wrong, name, "be boolean, or 0 and 1")
    return array


def check_same_length(first: npt.NDArray[Any], second: npt.NDArray[Any], names: str) -> None:
    """The last axes have one length: nothing is stretched along a list."""
    if first.shape[-1] != second.shape[-1]:
        got = f"{first.shape[-1]} and {second.shape[-1]}"
        raise refusal(names.replace(" ", " and "), "have the same length", got)


def check_leading(names: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Leading axes that go together by NumPy's broadcasting rules."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        rule = "agree in their leading axes (one entry per list)"
        got = f"shapes {' and '.join(map(str, shapes))}"
        raise refusal(names.replace(" ", " and "), rule, got) from None


def check_pairs(first: npt.NDArray[Any], second: npt.NDArray[Any], names: str) -> None:
    """Lists of one length whose leading axes go together."""
    check_same_length(first, second, names)
    check_leading(names, first.shape[:-1], second.shape[:-1])
