"""Columns of times: dates or numbers, and the arrays by which they are ordered."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, input_error, no_huge_numbers, shorten
from receval.tables.columns import as_series, refuse_rows

DATES = {"datetime64", "datetime", "date"}
NUMBERS = {"integer", "floating", "mixed-integer-float"}


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
        got = f"{kind} such as {shorten(times.iloc[0])}"
        advice = "Turn text into dates with pandas.to_datetime first"
        raise input_error(name, "hold dates or numbers", got, advice)
    if pd.api.types.is_float_dtype(times.dtype):
        infinite = np.isinf(times.to_numpy(dtype=float, na_value=np.nan))
        refuse_rows(times, infinite, name, "be finite", "Use NaN for an unknown time")
    return times


def sortable(times: pd.Series) -> npt.NDArray[Any]:
    """Known times as an array that NumPy orders."""
    if isinstance(times.dtype, pd.DatetimeTZDtype):
        times = times.dt.tz_convert("UTC").dt.tz_localize(None)
    return times.to_numpy()
