"""Columns of times and ids, checked once for all splitting functions."""

from __future__ import annotations

import pandas as pd

from receval._checks import IntArray
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import as_series, column, frame, refuse_rows
from receval.tables.ids import IdIndex
from receval.tables.times import as_times


def known_times(values: object, name: str) -> pd.Series:
    """Times without a gap."""
    times = as_times(values, name)
    missing = times.isna().to_numpy()
    refuse_rows(times, missing, name, "be known", "See receval.splitting.fill_missing_dates")
    return times


def ids_of(values: object, name: str) -> IntArray:
    """Ids as codes from 0."""
    return shared_code_arrays({name: as_series(values, name)}, "ids")[0][name]


def ids_of_columns(table: pd.DataFrame, what: str, *names: str) -> list[IntArray]:
    """The ids of some columns as codes, each from 0."""
    given = frame(table, what)
    return [ids_of(column(given, name, what), f"{what}[{name!r}]") for name in names]


def ids_of_sides(
    train: pd.DataFrame, test: pd.DataFrame, name: str
) -> tuple[IntArray, IntArray, IdIndex]:
    """One id column of the two sides of a split, coded alike, and the ids."""
    sides = {"train": frame(train, "train"), "test": frame(test, "test")}
    codes, ids = shared_code_arrays(
        {side: column(table, name, side) for side, table in sides.items()}, name
    )
    return codes["train"], codes["test"], ids
