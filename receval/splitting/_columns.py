"""Columns of ids and times, checked once for all splitting functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import SHOWN, BoolArray, InputError, IntArray, as_array, shorten

DATES = {"datetime64", "datetime", "date"}
Pairs = tuple[IntArray, IntArray]
NUMBERS = {"integer", "floating", "mixed-integer-float"}


def plain(value: object) -> str:
    """A value as text, NumPy's scalars as Python's own."""
    return shorten(value.item() if isinstance(value, np.generic) else value)


def column(table: object, name: str, argument: str) -> pd.Series:
    """One column of a DataFrame."""
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"{argument} must be a DataFrame; got {type(table).__name__}")
    found = [label for label in table.columns if label == name]
    if len(found) != 1:
        have = ", ".join(map(repr, table.columns[:10]))
        what = "no such column" if not found else f"{len(found)} of that name"
        raise InputError(f"{argument} must have one column {name!r}; got {what} among {have}")
    return table[name]


def as_series(values: object, name: str) -> pd.Series:
    """One-dimensional values as a Series; a Series stays as it is."""
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, (list, tuple, pd.Index, pd.api.extensions.ExtensionArray)):
        return pd.Series(values)  # NumPy would make text of 1 and "1"
    array = as_array(values, name)
    if array.ndim != 1:
        raise InputError(f"{name} must have one axis; got shape {array.shape}")
    return pd.Series(array)


def refuse_rows(values: pd.Series, wrong: BoolArray, name: str, rule: str, advice: str) -> None:
    """Raise if any row is ``wrong``, naming the first of them."""
    if wrong.any():
        places = np.flatnonzero(wrong)
        shown = ", ".join(f"{plain(values.iloc[row])} at {row}" for row in places[:SHOWN])
        more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
        raise InputError(f"{name} must {rule}; got {shown}{more}. {advice}")


def as_times(values: object, name: str) -> pd.Series:
    """Dates or numbers to sort by; missing ones are NaT or NaN. Dates as objects are parsed."""
    times = as_series(values, name)
    kind = pd.api.types.infer_dtype(times, skipna=True)
    if times.dtype == object and kind in NUMBERS:
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
            f"{name} must hold dates or numbers; got {kind} such as {plain(times.iloc[0])}. "
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


def as_ids(values: object, name: str) -> pd.Series:
    """Ids: whole numbers, text or categories, of one kind and none missing."""
    ids = as_series(values, name)
    refuse_rows(ids, ids.isna().to_numpy(), name, "have an id in every row", "Drop or name them")
    if isinstance(ids.dtype, pd.CategoricalDtype):
        ids = ids.astype(ids.cat.categories.dtype)
    kind = pd.api.types.infer_dtype(ids, skipna=False)
    if len(ids) and (kind.startswith("mixed") or kind in ("boolean", "floating", "complex")):
        floats = kind == "floating" and (ids == np.floor(ids)).all()
        if not floats:
            shown = ", ".join(map(plain, ids.drop_duplicates().iloc[:SHOWN]))
            raise InputError(f"{name} must hold ids of one kind, text or whole; got {shown}")
    return ids


def codes(values: object, name: str) -> tuple[IntArray, int]:
    """Ids as 0, 1, … in order of appearance, and how many there are."""
    numbers, distinct = pd.factorize(as_ids(values, name))
    return numbers.astype(np.int64), len(distinct)


def codes_of_both(
    train: pd.DataFrame, test: pd.DataFrame, name: str
) -> tuple[IntArray, IntArray, pd.Index]:
    """One id column of two tables, coded alike, and the ids."""
    (trained, tested), ids = codes_alike(
        {f"{side}[{name!r}]": column(table, name, side) for side, table in _sides(train, test)}
    )
    return trained, tested, ids


def codes_alike(columns: dict[str, pd.Series]) -> tuple[list[IntArray], pd.Index]:
    """Columns of ids coded alike, and the ids; ids of two kinds would never match."""
    checked = {name: as_ids(values, name) for name, values in columns.items()}
    kinds = {
        name: pd.api.types.infer_dtype(values, skipna=False)
        for name, values in checked.items()
        if len(values)
    }
    if len(set(kinds.values())) > 1:
        raise InputError(
            f"{' and '.join(kinds)} must hold ids of one kind; got {' and '.join(kinds.values())}. "
            "Convert one, e.g. with .astype(str)"
        )
    parts = list(checked.values())
    if len({part.dtype for part in parts}) > 1:  # pandas would make floats of int64 and uint64
        parts = [part.astype(object) for part in parts]
    numbers, distinct = pd.factorize(pd.concat(parts, ignore_index=True))
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return np.split(numbers.astype(np.int64), ends), pd.Index(distinct)


def pairs_among(pairs: Pairs, others: Pairs, n: int) -> BoolArray:
    """Which pairs of codes below n are among the others."""
    return np.isin(pairs[0] * n + pairs[1], others[0] * n + others[1])


def _sides(train: object, test: object) -> list[tuple[str, object]]:
    return [("train", train), ("test", test)]
