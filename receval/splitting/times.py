"""Convert columns of times, which are dates or numbers, to Series and to arrays for sorting."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import AnyArray, InputError, input_error, shorten
from receval.tables.columns import as_series, check_no_rows

DATE_KINDS = {"datetime64", "datetime", "date"}
NUMBER_KINDS = {"integer", "floating", "mixed-integer-float"}


def as_times(values: object, name: str) -> pd.Series:
    """Return dates or numbers as a Series, in which missing times are NaT or NaN.

    Dates and numbers that are Python objects get a type of pandas. ``name`` is the name of the
    values in error messages.

    Raises
    ------
    InputError
        If the values are neither dates nor numbers, mix both, or include infinite numbers.
    """
    times = as_series(values, name)
    kind = pd.api.types.infer_dtype(times, skipna=True)
    if times.dtype == object and kind in NUMBER_KINDS:
        try:
            times = pd.to_numeric(times)
        except OverflowError:
            raise InputError(f"{name} must hold numbers below about 1e308; got larger") from None
    elif times.dtype == object and (kind in DATE_KINDS or times.isna().all()):
        try:
            times = pd.to_datetime(times)
        except (ValueError, TypeError) as error:  # times with and without a time zone
            raise InputError(f"{name} must be of one kind; got {shorten(str(error))}") from None

    is_date = pd.api.types.is_datetime64_any_dtype(times.dtype)
    # Booleans and complex numbers are numeric to pandas, but they aren't times.
    is_number = pd.api.types.is_numeric_dtype(times.dtype) and kind not in ("boolean", "complex")
    if not (is_date or is_number) and len(times):  # an empty column may have any type
        got = f"{kind} such as {shorten(times.iloc[0])}"
        advice = "Turn text into dates with pandas.to_datetime first"
        raise input_error(name, "hold dates or numbers", got, advice)
    if pd.api.types.is_float_dtype(times.dtype):
        is_infinite = np.isinf(times.to_numpy(dtype=float, na_value=np.nan))
        check_no_rows(times, is_infinite, name, "be finite", "Use NaN for an unknown time")
    return times


def as_sortable(times: pd.Series) -> AnyArray:
    """Return times as an array that NumPy sorts; times with a time zone are converted to UTC."""
    if isinstance(times.dtype, pd.DatetimeTZDtype):
        times = times.dt.tz_convert("UTC").dt.tz_localize(None)
    return times.to_numpy()


EPOCH_UNITS = {"s": 1e8, "ms": 1e11, "us": 1e14, "ns": 1e17}
"""Units of time, and how many of each had passed between 1970 and about 1973.

It takes 3,000 years until a thousand times as many have passed, so the size of a number reveals the
unit.
"""


def epoch_advice(times: pd.Series, name: str) -> str:
    """Return a line of code that turns numbers counted from 1970 into dates.

    Returns "" if the numbers don't look as if they counted from 1970.

    ``name`` is the name of the numbers in messages.
    """
    if not pd.api.types.is_numeric_dtype(times.dtype):
        return ""
    numbers = times.dropna().to_numpy(dtype=float)
    if numbers.size == 0:
        return ""
    median = float(np.median(numbers))
    for unit, smallest in EPOCH_UNITS.items():
        if smallest <= median < 1000 * smallest:
            line = f"pd.to_datetime({name}, unit={unit!r})"
            return f"Numbers that count from 1970 become dates by {line}"
    return ""
