"""Checked columns of ids and times, for all splitting functions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from receval._checks import AnyArray, IntArray, input_error, shorten
from receval.tables.columns import as_series, check_frame, check_no_rows, read_column
from receval.tables.ids import Ids, shared_codes

DATE_KINDS = {"datetime64", "datetime", "date"}
NUMBER_KINDS = {"integer", "floating", "mixed-integer-float"}
TIMES_ADVICE = (
    "Convert one of them, such as seconds since 1970 by pd.to_datetime(times, unit='s'), "
    "milliseconds by unit='ms'"
)


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
    if times.dtype == object:
        try:
            if kind in NUMBER_KINDS:
                times = pd.to_numeric(times)
            elif kind in DATE_KINDS or times.isna().all():
                times = pd.to_datetime(times)
        except (ValueError, TypeError, OverflowError) as error:  # huge numbers, mixed time zones
            got = shorten(str(error))
            raise input_error(name, "hold times of one kind that pandas can hold", got) from None
    is_date = pd.api.types.is_datetime64_any_dtype(times.dtype)
    # Booleans and complex numbers are numeric to pandas, but they aren't times.
    is_number = pd.api.types.is_numeric_dtype(times.dtype) and kind not in ("boolean", "complex")
    if not (is_date or is_number) and len(times):  # an empty column may have any type
        raise input_error(
            name,
            "hold dates or numbers",
            f"{kind} such as {shorten(times.iloc[0])}",
            "Turn text into dates with pandas.to_datetime first",
        )
    if pd.api.types.is_float_dtype(times.dtype):
        is_infinite = np.isinf(times.to_numpy(dtype=float, na_value=np.nan))
        check_no_rows(times, is_infinite, name, "be finite", "Use NaN for an unknown time")
    return times


def known_times(values: object, name: str) -> pd.Series:
    """Return dates or numbers as a Series; raise an error about ``name`` if one is missing."""
    times = as_times(values, name)
    advice = "See receval.splitting.fill_missing_dates"
    check_no_rows(times, times.isna().to_numpy(), name, "be known", advice)
    return times


def as_sortable(times: pd.Series) -> AnyArray:
    """Return times as an array that NumPy sorts; times with a time zone are converted to UTC."""
    if isinstance(times.dtype, pd.DatetimeTZDtype):
        times = times.dt.tz_convert("UTC").dt.tz_localize(None)
    return times.to_numpy()


def rank_times(times_by_name: Mapping[str, pd.Series], argument: str) -> list[IntArray]:
    """Return the rank of each time in several Series of times.

    The ranks count the distinct times of all Series from 0, the earliest first, so equal times have
    equal ranks. An unknown time has the rank -1. Raises an `InputError` about the argument if the
    Series, which have the given names, are of different kinds.
    """
    try:
        ranks, _ = pd.factorize(pd.concat(times_by_name, ignore_index=True), sort=True)
    except TypeError:  # dates and numbers, or time zones on one side only
        got = " and ".join(str(times.dtype) for times in times_by_name.values())
        raise input_error(
            argument, f"be of one kind in {' and '.join(times_by_name)}", got, TIMES_ADVICE
        ) from None
    return np.split(ranks, np.cumsum([len(times) for times in times_by_name.values()])[:-1])


def ids_of(values: object, name: str) -> IntArray:
    """Return ids as codes from 0; error messages call them ``name``."""
    codes, _ = shared_codes({name: as_series(values, name)}, "ids")
    return codes[name]


def ids_of_sides(
    train: pd.DataFrame, test: pd.DataFrame, name: str
) -> tuple[IntArray, IntArray, Ids]:
    """Return the ids in column ``name`` of the training and of the test table as codes from 0.

    The third result holds the distinct ids of both tables, in the order of the codes; an id has the
    same code in both. Raises an `InputError` if a table lacks the column or an id is missing.
    """
    columns = {
        "train": read_column(check_frame(train, "train"), name, "train"),
        "test": read_column(check_frame(test, "test"), name, "test"),
    }
    codes, ids = shared_codes(columns, name)
    return codes["train"], codes["test"], ids
