"""Checked columns of times and ids, for all splitting functions."""

from __future__ import annotations

import pandas as pd

from receval._checks import IntArray
from receval.splitting.times import as_times
from receval.tables.columns import as_series, check_frame, check_no_rows, read_column
from receval.tables.ids import Ids, shared_codes


def known_times(values: object, name: str) -> pd.Series:
    """Return dates or numbers as a Series; raise an error about ``name`` if one is missing."""
    times = as_times(values, name)
    missing = times.isna().to_numpy()
    check_no_rows(times, missing, name, "be known", "See receval.splitting.fill_missing_dates")
    return times


def ids_of(values: object, name: str) -> IntArray:
    """Return ids as codes from 0; error messages call them ``name``."""
    codes, _ = shared_codes({name: as_series(values, name)}, "ids")
    return codes[name]


def ids_of_columns(table: pd.DataFrame, table_name: str, *columns: str) -> list[IntArray]:
    """Return the ids of each column as codes from 0; errors call the table ``table_name``."""
    table = check_frame(table, table_name)
    return [
        ids_of(read_column(table, label, table_name), f"{table_name}[{label!r}]")
        for label in columns
    ]


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
