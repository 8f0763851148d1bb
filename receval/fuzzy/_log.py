"""The columns of a log of recommendations, checked: ids as codes, places, responses, weights."""

from __future__ import annotations

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
from receval.tables.columns import read_column, read_ids, to_pandas


def read_log(
    impressions: TableLike,
    response: str,
    *,
    system: str,
    position: str,
    weight: str | None = None,
    user: str = "user",
    session: str = "session",
    item: str = "item",
) -> tuple[pd.DataFrame, AnyArray]:
    """Return the columns that the measures need, and the ids of the systems.

    The arguments are the names of the columns. Columns called "user", "session" and "item" are
    optional.

    The frame has the columns ``system``, ``position`` and ``response``, and ``user``, ``session``,
    ``item`` and ``weight`` if the log has them. Ids are codes from 0; the code of a system is its
    position in the array of ids. Responses are degrees from 0 to 1. Rows of different systems or
    users never share a session, even if the log has the same id for both.

    Raises
    ------
    InputError
        If the log is empty, a value is invalid, or a session has an item or a position twice.
    """
    table = to_pandas(impressions, "impressions")
    check_not_empty(table, "impressions")
    rows = pd.DataFrame()
    rows["system"], systems = id_codes(table, system, "impressions")
    for kind, name in {"user": user, "session": session, "item": item}.items():
        if name != kind or name in table:
            rows[kind], _ = id_codes(table, name, "impressions")
    rows["position"] = positions(table, position)
    rows["response"] = grades(table, response)
    if weight is not None:
        weights = as_finite(read_column(table, weight, "impressions").to_numpy(), weight)
        check_none(weights, weights < 0, weight, "be at least 0")
        rows["weight"] = weights
    if "session" in rows:
        rows["session"] = number_groups(rows.filter(["system", "user", "session"]))
        for kind, name in {"position": position, "item": item}.items():
            repeated = np.flatnonzero(rows.filter(["session", kind]).duplicated())
            if kind in rows and len(repeated) > 0:
                got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}"
                advice = "Remove duplicate impressions, or give each list a session of its own"
                raise input_error(name, "not repeat within a session", got, advice)
    return rows, systems


def id_codes(table: pd.DataFrame, label: str, name: str) -> tuple[IntArray, AnyArray]:
    """Return a code from 0 for the id in each row, and the distinct ids in ascending order.

    ``label`` is the column of the ids, and ``name`` the name of the table in error messages.
    """
    column = read_column(table, label, name)
    read_ids(column, f"{label} of {name}")  # raises unless each row has an id, all of one kind
    return pd.factorize(column.to_numpy(), sort=True)


def number_groups(rows: pd.DataFrame) -> IntArray:
    """Return a code from 0 for each row: equal rows get equal codes, greater rows higher codes."""
    return rows.groupby([*rows], sort=True).ngroup().to_numpy().astype(np.int64, copy=False)


def positions(table: pd.DataFrame, name: str) -> IntArray:
    """Return the column of positions in lists as integers; raise if one is below 1."""
    numbers = as_integers(read_column(table, name, "impressions").to_numpy(), name)
    check_none(numbers, numbers < 1, name, "be at least 1", "The first place is 1")
    return numbers


def grades(table: pd.DataFrame, name: str) -> FloatArray:
    """Return the column of responses as degrees from 0 to 1; raise for other values.

    Booleans become 0 and 1.
    """
    degrees = as_numbers(read_column(table, name, "impressions").to_numpy(), name)
    # This is true for NaN too, because comparisons with NaN are false.
    is_outside = ~((degrees >= 0) & (degrees <= 1))
    advice = "Grades in between are allowed too: divide other numbers by their largest value"
    check_none(degrees, is_outside, name, "be boolean, or 0 and 1", advice)
    return degrees
