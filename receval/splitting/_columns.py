"""Columns of times and ids, checked once for all splitting functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    BoolArray,
    InputError,
    IntArray,
    as_array,
    check_text,
    no_huge_numbers,
    shorten,
)
from receval.tables.codes import Ids
from receval.tables.columns import column, refuse_rows
from receval.tables.ids import encode

DATES = {"datetime64", "datetime", "date"}
NUMBERS = {"integer", "floating", "mixed-integer-float"}
Pairs = tuple[IntArray, IntArray]


def as_series(values: object, name: str) -> pd.Series:
    """One-dimensional values as a Series; a Series stays as it is."""
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, (list, tuple, pd.Index, pd.api.extensions.ExtensionArray)):
        check_text(values, name)
        with no_huge_numbers(name):
            return pd.Series(values)  # NumPy would make text of 1 and "1"
    array = as_array(values, name)
    if array.dtype.kind == "V":
        raise InputError(f"{name} must hold single values; got type {array.dtype}")
    if array.ndim != 1:
        raise InputError(f"{name} must have one axis; got shape {array.shape}")
    return pd.Series(array)


def as_times(values: object, name: str) -> pd.Series:
    """Dates or numbers to sort by; missing ones are NaT or NaN. Dates as objects are parsed."""
    times = as_series(values, name)
    kind = pd.api.types.infer_dtype(times, skipna=True)
    if times.dtype == object and kind in NUMBERS:
        with no_huge_numbers(name):
            times = pd.to_numeric(times)
    elif times.dtype == object and (kind in DATES or times.isna().all()):
        try:
            times = pd.to_datetime(times)
        except (ValueError, TypeError) as error:  # aware and naive times in one column
            raise InputError(f"{name} must be of one kind; got {shorten(str(error))}") from None
    is_date = pd.api.types.is_datetime64_any_dtype(times.dtype)
    is_number = pd.api.types.is_numeric_dtype(times.dtype) and kind not in ("boolean", "complex")
    if not (is_date or is_number) and len(times):
        raise InputError(
            f"{name} must hold dates or numbers; got {kind} such as {shorten(times.iloc[0])}. "
            "Turn text into dates with pandas.to_datetime first"
        )
    if pd.api.types.is_float_dtype(times.dtype):
        infinite = np.isinf(times.to_numpy(dtype=float, na_value=np.nan))
        refuse_rows(times, infinite, name, "be finite", "Use NaN for an unknown time")
    return times


def known_times(values: object, name: str) -> pd.Series:
    """Times without a gap."""
    times = as_times(values, name)
    missing = times.isna().to_numpy()
    refuse_rows(times, missing, name, "be known", "See receval.splitting.fill_missing_dates")
    return times


def sortable(times: pd.Series) -> npt.NDArray[Any]:
    """Known times as an array that NumPy orders."""
    if isinstance(times.dtype, pd.DatetimeTZDtype):
        times = times.dt.tz_convert("UTC").dt.tz_localize(None)
    return times.to_numpy()


def ids_of(values: object, name: str) -> tuple[IntArray, int]:
    """Ids as codes from 0, and a number that all codes are below."""
    codes, ids = encode({name: as_series(values, name)}, "ids")
    return codes[name], ids.size


def frame(table: object, name: str) -> pd.DataFrame:
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"{name} must be a pandas DataFrame; got {type(table).__name__}")
    return table


def ids_of_sides(
    train: pd.DataFrame, test: pd.DataFrame, name: str
) -> tuple[IntArray, IntArray, Ids]:
    """One id column of the two sides of a split, coded alike, and the ids."""
    sides = {"train": frame(train, "train"), "test": frame(test, "test")}
    codes, ids = encode({side: column(table, name, side) for side, table in sides.items()}, name)
    return codes["train"], codes["test"], ids


def pairs_among(pairs: Pairs, others: Pairs, n: int) -> BoolArray:
    """Which pairs of codes, the second below n, are among the others."""
    return np.isin(pairs[0] * n + pairs[1], others[0] * n + others[1])
