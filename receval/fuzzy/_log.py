"""Columns of a log: ids as codes, responses, positions, weights and times."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    IntArray,
    check_none,
    check_not_empty,
    format_first,
    input_error,
)
from receval._lists import as_finite, as_integers, as_numbers
from receval._types import AnyArray, TableLike
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import check_no_rows, column_labels, read_column
from receval.tables.formats import open_table
from receval.tables.times import as_sortable, as_times


def read(
    log: TableLike,
    response: str,
    system: str,
    position: str,
    weight: str | None,
    *,
    user: str | None,
    session: str | None,
    item: str | None,
) -> tuple[pd.DataFrame, AnyArray]:
    """Return the columns that the measures need, and the ids of the systems.

    The arguments are the names of the columns. If ``user``, ``session`` or ``item`` is None, the
    column of that name is read if the log has one.

    The frame has the columns ``system``, ``position``, ``response`` and, as far as the log has
    them, ``user``, ``session``, ``item`` and ``weight``. Ids are codes from 0; the code of a
    system is its position in the array of ids. Sessions of different systems or users differ.

    Raises
    ------
    InputError
        If the log is empty, a value is invalid, or a session has an item or a position twice.
    """
    table = open_table(log, "impressions")
    names = {"system": system}  # of the columns of ids to read
    columns_of_table = column_labels(table)
    for kind, name in {"user": user, "session": session, "item": item}.items():
        if name is not None:
            names[kind] = name
        elif kind in columns_of_table:
            names[kind] = kind
    rows = pd.DataFrame()
    for kind, name in names.items():
        ids = read_column(table, name, "impressions")
        codes, id_index = shared_code_arrays({"impressions": ids}, name)
        rows[kind] = codes["impressions"]
        if kind == "system":
            system_index = id_index
    # The index may hold systems without rows, such as unused categories. Number the others anew.
    system_codes, rows["system"] = np.unique(rows["system"], return_inverse=True)
    rows["position"] = positions(read_column(table, position, "impressions"), position)
    check_not_empty(rows, "impressions", "hold at least one row")
    if "session" in rows:
        # Two systems or users may use the same session id.
        rows["session"] = number_groups(rows.filter(["system", "user", "session"]))
        _check_not_repeated(rows[["session", "position"]], position)
        if "item" in rows:
            _check_not_repeated(rows[["session", "item"]], names["item"])
    rows["response"] = flags(read_column(table, response, "impressions"), response)
    if weight is not None:
        weights = as_finite(read_column(table, weight, "impressions").to_numpy(), weight)
        rows["weight"] = weights
        check_none(weights, weights < 0, weight, "be at least 0")
    return rows, system_index.take(system_codes)


def number_groups(rows: pd.DataFrame) -> IntArray:
    """Return a code for each row, from 0: equal rows have equal codes, greater rows higher ones."""
    return rows.groupby([*rows], sort=True).ngroup().to_numpy().astype(np.int64, copy=False)


def flags(values: pd.Series, name: str) -> BoolArray:
    """Return a column of booleans, or of 0 and 1, as booleans; raise for other values."""
    if values.dtype == bool:
        return values.to_numpy()
    numbers = as_numbers(values.to_numpy(), name)
    check_none(numbers, (numbers != 0) & (numbers != 1), name, "be boolean, or 0 and 1")
    return np.asarray(numbers == 1)


def positions(values: pd.Series, name: str) -> IntArray:
    """Return positions in lists as integers; raise if one is below 1."""
    numbers = as_integers(values.to_numpy(), name)
    check_none(numbers, numbers < 1, name, "be at least 1", "The first place is 1")
    return numbers


def times(logs: Mapping[str, pd.DataFrame], name: str) -> tuple[AnyArray, int]:
    """Return the times of all logs as one array of numbers, and how many make a second.

    ``logs`` are the tables by the name that error messages use; ``name`` is the column. In the
    array they follow each other in this order. Dates become microseconds, so a million make a
    second; numbers are seconds already. Raises if a time is missing, or if one log has dates and
    another numbers.
    """
    times_by_log = {}
    for log, table in logs.items():
        values = as_times(read_column(table, name, log), f"{name} of {log}")
        check_no_rows(values, values.isna().to_numpy(), f"{name} of {log}", "not be missing")
        times_by_log[log] = as_sortable(values)
    # An empty column has no type to compare, unless all are empty.
    compared = {log: values for log, values in times_by_log.items() if len(values)}
    if not compared:
        compared = times_by_log
    kinds = []
    for log_times in compared.values():
        kinds.append("dates" if log_times.dtype.kind == "M" else "numbers")  # M: datetime64
    if len(set(kinds)) > 1:
        raise input_error(name, f"have one type in {' and '.join(compared)}", " and ".join(kinds))
    all_times = np.concatenate([*compared.values()])
    if all_times.dtype.kind == "M":
        return all_times.astype("datetime64[us]").astype(np.int64), 1_000_000
    if all_times.dtype.kind in "iu":
        return all_times.astype(np.int64), 1
    return all_times.astype(np.float64), 1


def _check_not_repeated(rows: pd.DataFrame, name: str) -> None:
    """Raise if a session has an item or a position twice.

    ``rows`` has the column ``session`` and one more, which error messages call ``name``.
    """
    repeated = np.flatnonzero(rows.duplicated())
    if len(repeated) > 0:
        got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}"
        advice = "Remove duplicate impressions, or name the column of the sessions with session="
        raise input_error(name, "not repeat within a session", got, advice)
