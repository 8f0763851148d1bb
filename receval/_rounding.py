"""Convert numbers to float64, and raise if different numbers become equal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from receval._checks import MAX_EXACT_INTEGER, AnyArray, FloatArray, input_error, shorten

if TYPE_CHECKING:
    import pandas as pd

ADVICE = "Pass numbers with fewer digits, or ranks 1, 2, 3, … instead"


def as_float64(array: AnyArray, name: str) -> FloatArray:
    """Return the numbers of an array as float64; raise if different numbers become equal."""
    check_not_merged(name, array)
    return array.astype(np.float64, copy=False)


def check_not_merged(name: str, *inputs: object) -> None:
    """Raise if two different numbers, of one or of several inputs, are equal as float64.

    Error messages call the inputs ``name``.
    """
    # The search below is slow. Most inputs don't need it: they have floats or small whole numbers.
    if all(_fits_float64(values) for values in inputs):
        return
    numbers: list[Any] = []
    for values in inputs:
        for column in _columns_of(values):
            numbers += np.array(column, dtype=object).ravel().tolist()
    merged = merged_numbers(numbers)
    if merged is not None:
        first, second = merged
        rule = "hold numbers that float64 can distinguish"
        got = f"{shorten(first)} and {shorten(second)}, which become one number"
        raise input_error(name, rule, got, ADVICE)


def merged_numbers(numbers: Iterable[Any]) -> tuple[object, object] | None:
    """Return the first two different numbers that are equal as float64, or None.

    If a nonzero number becomes 0, it is returned together with 0, even if 0 is not among the
    numbers. None and NaN are skipped.
    """
    # Map each float to the first number that became it. The entry 0 catches numbers that become 0.
    first_by_float: dict[float, object] = {0.0: 0}
    for number in numbers:
        if number is None:
            continue
        try:
            as_float = float(number)
        except (OverflowError, ValueError, TypeError):  # not a number, or too large; checked later
            continue
        if math.isnan(as_float):
            continue
        first = first_by_float.setdefault(as_float, number)
        if first != number:
            return first, number
    return None


def _fits_float64(values: object) -> bool:
    """Return whether float64 surely holds all numbers of an input exactly.

    The type of the array decides. For whole numbers of 64 bits, the smallest and the largest number
    decide. If the result is False, the caller has to compare the numbers.
    """
    if _has_only_floats(values):
        return True
    # Check the columns of a frame one by one. Any other input is itself the only column.
    columns = _columns_of(values)
    is_frame = len(columns) != 1 or columns[0] is not values
    if is_frame:
        return all(_fits_float64(column) for column in columns)
    array = np.asarray(values)
    kind = array.dtype.kind  # b: booleans, i and u: whole numbers, f: floats
    n_bytes = array.dtype.itemsize
    if array.size == 0 or kind == "b" or (kind in "iu" and n_bytes <= 4):
        return True
    if kind not in "iuf" or n_bytes > 8:
        return False
    # An array or a Series has a single type. A list of floats may also hold whole numbers.
    if kind == "f" and hasattr(values, "dtype"):
        return True
    # Skip NaN, which would hide the smallest and the largest number.
    smallest = np.nanmin(array, initial=0).item()
    largest = np.nanmax(array, initial=0).item()
    # The bounds are exclusive, because 2^53 + 1 may have become 2^53.
    return bool(smallest > -MAX_EXACT_INTEGER and largest < MAX_EXACT_INTEGER)


def _has_only_floats(values: object) -> bool:
    """Return whether an input is a frame whose columns are all NumPy's floats of up to 64 bits.

    A frame can have many thousand columns, and few types. It takes long to look at each column.
    """
    if not _is_frame(values):
        return False
    types = set(cast("pd.DataFrame", values).dtypes.tolist())
    return all(
        isinstance(dtype, np.dtype) and dtype.kind == "f" and dtype.itemsize <= 8 for dtype in types
    )


def _is_frame(values: object) -> bool:
    """Return whether an input is a frame of pandas, without importing pandas."""
    # The ``dtypes`` of a frame are a Series, which has ``tolist``; those of a Series are one dtype.
    return hasattr(getattr(values, "dtypes", None), "tolist")


def _columns_of(values: object) -> list[npt.ArrayLike]:
    """Return the columns of a frame, each with its own type, or the input as the only column.

    NumPy would give all columns of a frame the same type, and round whole numbers.
    """
    if _is_frame(values):
        frame = cast("pd.DataFrame", values)
        return [column for _, column in frame.items()]
    return [cast(npt.ArrayLike, values)]
