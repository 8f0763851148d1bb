"""Reading the columns of a log: presence, types and missing ids are checked once, here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    SHOWN,
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    as_finite,
    as_numbers,
    as_whole,
    refuse,
    shorten,
)

Times = npt.NDArray[np.int64] | FloatArray


def names(table: Any) -> list[Any]:
    """The column names of a pandas, Polars or Arrow table, or of a dict of arrays."""
    found = getattr(table, "column_names", None)
    if found is None:
        found = getattr(table, "columns", None)
    if found is None and isinstance(table, dict):
        found = table.keys()
    if found is None:
        raise InputError(f"a log must be a table with named columns; got {type(table).__name__}")
    return list(found)


def column(table: Any, name: str, log: str) -> Any:
    """The column ``name`` of the table that the caller knows as ``log``."""
    there = names(table)
    if not isinstance(name, str):
        raise InputError(f"the name of a column of {log} must be text; got {shorten(name)}")
    if there.count(name) != 1:
        times = "twice" if name in there else "not"
        raise InputError(
            f"{log} must have the column {name!r} once; got it {times} among {shorten(there, 200)}"
        )
    return table[name]


def rows(wrong: BoolArray) -> str:
    """The first offending row numbers as text."""
    where = np.flatnonzero(wrong)
    more = f" and {len(where) - SHOWN} more" if len(where) > SHOWN else ""
    return ", ".join(map(str, where[:SHOWN])) + more


def codes(values: Any, name: str) -> tuple[IntArray, npt.NDArray[Any]]:
    """Ids as 0, 1, 2, … in the order of the sorted labels, and the labels."""
    series = values if isinstance(values, (pd.Series, pd.Index)) else pd.Series(np.asarray(values))
    missing = np.asarray(series.isna())
    if missing.any():
        raise InputError(f"{name} must not be missing; got rows {rows(missing)}")
    kind = pd.api.types.infer_dtype(series, skipna=False)
    if kind == "boolean" or kind.startswith("mixed"):
        raise InputError(
            f"{name} must hold ids of one type, numbers or text; got {kind} values such as "
            f"{', '.join(map(repr, series[:SHOWN]))}"
        )
    found, labels = pd.factorize(series, sort=True)
    return found.astype(np.int64, copy=False), np.asarray(labels)


def joint_codes(first: Any, second: Any, name: str, logs: Sequence[str]) -> tuple[IntArray, ...]:
    """Ids of two logs under common codes; ids of different types never match silently."""
    one, two = (pd.Series(np.asarray(values)) for values in (first, second))
    kinds = [pd.api.types.infer_dtype(values, skipna=False) for values in (one, two)]
    if len(one) and len(two) and kinds[0] != kinds[1]:
        raise InputError(
            f"{name} must have one type in {logs[0]} and {logs[1]}; got {kinds[0]} and {kinds[1]}"
        )
    together, _ = codes(pd.concat([one, two], ignore_index=True), name)
    return together[: len(one)], together[len(one) :]


def flags(values: Any, name: str) -> BoolArray:
    """A yes-or-no column."""
    array = np.asarray(values)
    if array.dtype == bool:
        return array
    number = as_numbers(array, name)
    refuse(number, (number != 0) & (number != 1), name, "be boolean, or 0 and 1")
    yes: BoolArray = number == 1
    return yes


def positions(values: Any, name: str) -> IntArray:
    """1-based places."""
    place = as_whole(np.asarray(values), name)
    refuse(place, place < 1, name, "be at least 1", "The first place is 1")
    return place


def weights(values: Any, name: str) -> FloatArray:
    """Weights of at least 0."""
    weight = as_finite(np.asarray(values), name)
    refuse(weight, weight < 0, name, "be at least 0")
    return weight


def times(first: Any, second: Any, name: str, logs: Sequence[str]) -> tuple[Times, Times, int]:
    """Times of two logs in one unit, and how many of that unit make a second."""
    one, two = (
        _ticks(values, f"{name} of {log}")
        for values, log in zip((first, second), logs, strict=True)
    )
    if one[1] != two[1]:
        kinds = ["numbers" if per_second == 1 else "dates" for _, per_second in (one, two)]
        raise InputError(
            f"{name} must have one type in {logs[0]} and {logs[1]}; got {kinds[0]} and {kinds[1]}"
        )
    return one[0], two[0], one[1]


def _ticks(values: Any, name: str) -> tuple[Times, int]:
    series = values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        missing = np.asarray(series.isna())
        if missing.any():
            raise InputError(f"{name} must not be missing; got rows {rows(missing)}")
        zone = getattr(series.dtype, "tz", None)
        moments = series.dt.tz_convert("UTC").dt.tz_localize(None) if zone is not None else series
        return moments.to_numpy().astype("datetime64[us]").astype(np.int64), 1_000_000
    if pd.api.types.is_bool_dtype(series.dtype) or not pd.api.types.is_numeric_dtype(series.dtype):
        raise InputError(
            f"{name} must hold dates or numbers of seconds; got type {series.dtype}. "
            "Convert text with pandas.to_datetime"
        )
    array = series.to_numpy()
    return (array.astype(np.int64) if array.dtype.kind in "iu" else as_finite(array, name)), 1
