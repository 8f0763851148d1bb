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
    check_that,
    format_first,
    input_error,
)
from receval.tables.columns import check_once, read_ids, to_pandas


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
    ids = {"system": system}  # columns of ids to read
    for kind, name in {"user": user, "session": session, "item": item}.items():
        if kind in table or not (isinstance(name, str) and name == kind):
            ids[kind] = name
    check_columns(table, [*ids.values(), position, response], "impressions")
    check_that(len(table) > 0, "impressions", "have at least one row", "none")
    rows = pd.DataFrame()
    distinct = {}
    for kind, name in ids.items():
        rows[kind], distinct[kind] = id_codes(table[name], f"{name} of impressions")
    rows["position"] = read_positions(table[position], position)
    rows["response"] = read_grades(table[response], response)
    if weight is not None:
        check_columns(table, [weight], "impressions")
        weights = as_finite(table[weight].to_numpy(), weight)
        check_none(weights, weights < 0, weight, "be at least 0")
        rows["weight"] = weights
    if "session" in rows:
        rows["session"] = number_groups(rows.filter(["system", "user", "session"]))
        for kind, name in {"position": position, "item": item}.items():
            repeated = np.flatnonzero(rows.filter(["session", kind]).duplicated())
            if kind in rows and len(repeated) > 0:
                got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}"
                advice = "Remove duplicate impressions, or name the session column with session="
                raise input_error(name, "not repeat within a session", got, advice)
    return rows, distinct["system"]


def check_columns(table: pd.DataFrame, labels: list[str], name: str) -> None:
    """Raise unless the table has each of the columns exactly once; ``name`` is the table's name."""
    for label in labels:
        check_once(label, table.columns.tolist(), name)


def id_codes(ids: pd.Series, name: str) -> tuple[IntArray, AnyArray]:
    """Return a code from 0 for the id in each row, and the distinct ids in ascending order."""
    read_ids(ids, name)  # raises unless each row has an id, all of one kind
    return pd.factorize(ids.to_numpy(), sort=True)


def number_groups(rows: pd.DataFrame) -> IntArray:
    """Return a code from 0 for each row: equal rows get equal codes, greater rows higher codes."""
    return rows.groupby([*rows], sort=True).ngroup().to_numpy().astype(np.int64, copy=False)


def read_positions(column: pd.Series, name: str) -> IntArray:
    """Return positions in lists as integers; raise if one is below 1."""
    numbers = as_integers(column.to_numpy(), name)
    check_none(numbers, numbers < 1, name, "be at least 1", "The first place is 1")
    return numbers


def read_grades(column: pd.Series, name: str) -> FloatArray:
    """Return responses as degrees from 0 to 1; raise for other values. Booleans become 0 and 1."""
    if column.dtype == bool:
        return column.to_numpy(np.float64)
    degrees = as_numbers(column.to_numpy(), name)
    # This is true for NaN too, because comparisons with NaN are false.
    is_outside = ~((degrees >= 0) & (degrees <= 1))
    advice = "Grades in between are allowed too: divide other numbers by their largest value"
    check_none(degrees, is_outside, name, "be boolean, or 0 and 1", advice)
    return degrees
