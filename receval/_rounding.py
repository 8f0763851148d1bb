"""Numbers become float64 only where no two unlike ones become equal by it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import LARGEST, FloatArray, input_error, shorten

ADVICE = "Give numbers of fewer digits, or ranks 1, 2, 3, … in their place"


def as_float64(array: npt.NDArray[Any], name: str) -> FloatArray:
    """The numbers of an array as float64; refused where it makes unlike ones equal."""
    check_not_merged(name, array)
    return array.astype(np.float64, copy=False)


def check_not_merged(name: str, *inputs: Any) -> None:
    """Refuse numbers that differ, and that are equal as float64; those of all inputs together.

    Arrays and lists of float64, and of whole numbers up to 2^53, pass after a look at their ends.
    """
    if all(map(_is_told_apart, inputs)):
        return
    numbers: list[Any] = []
    for values in inputs:
        for column in _columns(values):
            numbers += np.array(column, dtype=object).ravel().tolist()
    merged = merged_numbers(numbers)
    if merged is not None:
        first, second = map(shorten, merged)
        rule = "hold numbers that stay apart as float64"
        raise input_error(name, rule, f"{first} and {second}, which become one number", ADVICE)


def merged_numbers(numbers: Iterable[Any]) -> tuple[Any, Any] | None:
    """The first two of these that differ, and that are equal as float64; None is left out.

    A number that isn't 0 and becomes 0 is told beside 0, whether 0 is there or not.
    """
    first_by_float: dict[float, Any] = {0.0: 0}
    for number in numbers:
        if number is None:
            continue
        try:
            rounded = float(number)
        except (OverflowError, ValueError, TypeError):  # refused elsewhere, by its own name
            continue
        if rounded != rounded:
            continue
        first = first_by_float.setdefault(rounded, number)
        if first != number:
            return first, number
    return None


def _is_told_apart(values: Any) -> bool:
    """Whether the ends of an input show that float64 tells all its numbers apart."""
    columns = _columns(values)
    if len(columns) != 1 or columns[0] is not values:
        return all(map(_is_told_apart, columns))
    array = np.asarray(values)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "b" or not array.size:
        return True
    if kind == "f" and isinstance(values, np.ndarray):
        return size <= 8
    if kind == "f" and hasattr(values, "dtype"):  # a Series, of one type
        return size <= 8
    if kind in "iu" and size <= 4:
        return True
    if kind not in "iuf" or size > 8:
        return False
    # NaN is in no order: it must not hide an end.
    ends = np.nanmin(array, initial=0), np.nanmax(array, initial=0)
    # 2^53 + 1 may have become 2^53. Python's numbers compare across all types.
    return bool(ends[0].item() > -LARGEST and ends[1].item() < LARGEST)


def _columns(values: Any) -> list[Any]:
    """The columns of a frame, which have a type each; NumPy would make one of all, and round."""
    if hasattr(getattr(values, "dtypes", None), "tolist"):
        return [column for _, column in values.items()]
    return [values]
