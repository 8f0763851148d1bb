"""Columns of a log: ids as codes, responses, positions, weights and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from receval._arrays import as_finite, as_integers, as_numbers
from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    TableLike,
    check_none,
    check_not_empty,
    format_first,
    input_error,
)
from receval.splitting.times import as_sortable, as_times
from receval.tables.columns import check_no_rows, column_labels, read_column
from receval.tables.ids import shared_codes
from receval.tables.reading import open_table


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
    more_weights: Iterable[str] = (),
) -> tuple[pd.DataFrame, AnyArray]:
    """Return the columns that the measures need, and the ids of the systems.

    The arguments are the names of the columns; ``more_weights`` names further columns of weights.
    If ``user`` is None, the function reads the column "user", if the log has one. The same holds
    for ``session`` and ``item``.

    The frame has the columns ``system``, ``position`` and ``response``. It also has ``user``,
    ``session``, ``item`` and ``weight`` if the log has them, and a column for each of
    ``more_weights``; `weight_column` returns the name of such a column. Ids are codes from 0; the
    code of a system is its position in the array of ids. Responses are degrees from 0 to 1. Rows of
    different systems or users never share a session, even if the log has the same id for both.

    Raises
    ------
    InputError
        If the log is empty, a value is invalid, or a session has an item or a position twice.
    """
    table = open_table(log, "impressions")
    names = {"system": system}  # columns of ids to read
    columns_of_table = column_labels(table)
    for kind, name in {"user": user, "session": session, "item": item}.items():
        if name is not None:
            names[kind] = name
        elif kind in columns_of_table:
            names[kind] = kind
    rows = pd.DataFrame()
    for kind, name in names.items():
        ids = read_column(table, name, "impressions")
        codes, id_index = shared_codes({"impressions": ids}, name)
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
    rows["response"] = grades(read_column(table, response, "impressions"), response)
    if weight is not None:
        rows["weight"] = _weights(read_column(table, weight, "impressions"), weight)
    for name in more_weights:
        rows[weight_column(name)] = _weights(read_column(table, name, "impressions"), name)
    return rows, system_index.take(system_codes)


def weight_column(name: str) -> str:
    """Return the name that the log's column of weights ``name`` gets in the frame of `read`."""
    return f"weight {name}"


def number_groups(rows: pd.DataFrame) -> IntArray:
    """Return a code from 0 for each row: equal rows get equal codes, greater rows higher codes."""
    return rows.groupby([*rows], sort=True).ngroup().to_numpy().astype(np.int64, copy=False)


def grades(values: pd.Series, name: str) -> FloatArray:
    """Return a column of responses as degrees from 0 to 1; raise for other values.

    Booleans become 0 and 1.
    """
    if values.dtype == bool:
        return values.to_numpy(np.float64)
    degrees = as_numbers(values.to_numpy(), name)
    # This is true for NaN too, because comparisons with NaN are false.
    is_outside = ~((degrees >= 0) & (degrees <= 1))
    advice = "Grades in between are allowed too: divide other numbers by their largest value"
    check_none(degrees, is_outside, name, "be boolean, or 0 and 1", advice)
    return degrees


def positions(values: pd.Series, name: str) -> IntArray:
    """Return positions in lists as integers; raise if one is below 1."""
    numbers = as_integers(values.to_numpy(), name)
    check_none(numbers, numbers < 1, name, "be at least 1", "The first place is 1")
    return numbers


def times(logs: Mapping[str, pd.DataFrame], name: str) -> tuple[AnyArray, int]:
    """Return the times of all logs as one array of numbers, and the number of units per second.

    ``logs`` holds the tables by the names that error messages use; ``name`` is the column of the
    times. The array holds the times of the first log, then those of the next one, and so on. Dates
    become microseconds; numbers mean seconds. Raises if a time is missing, or if one log has dates
    and another numbers.
    """
    times_by_log = {}
    for log, table in logs.items():
        values = as_times(read_column(table, name, log), f"{name} of {log}")
        check_no_rows(values, values.isna().to_numpy(), f"{name} of {log}", "not be missing")
        times_by_log[log] = as_sortable(values)
    # Empty columns say nothing about the type of the times, so leave them out unless all columns
    # are empty.
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


def _weights(values: pd.Series, name: str) -> FloatArray:
    """Return a column of weights; raise if one is negative or not finite."""
    weights = as_finite(values.to_numpy(), name)
    check_none(weights, weights < 0, name, "be at least 0")
    return weights


def _check_not_repeated(rows: pd.DataFrame, name: str) -> None:
    """Raise if a session has an item or a position twice.

    ``rows`` has the column ``session`` and one more, which error messages call ``name``.
    """
    repeated = np.flatnonzero(rows.duplicated())
    if len(repeated) > 0:
        got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}"
        advice = "Remove duplicate impressions, or name the session column with session="
        raise input_error(name, "not repeat within a session", got, advice)
