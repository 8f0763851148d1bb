"""Reading the columns of a log: ids as codes, responses, places, weights and times."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
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
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import column, labels_of, refuse_rows
from receval.tables.formats import open_table
from receval.tables.times import as_times, sortable


def read(
    log: Any, response: str, system: str, position: str, weight: str | None, **lists: str | None
) -> tuple[pd.DataFrame, npt.NDArray[Any]]:
    """The columns that the measures need, checked, with ids as codes; and the systems by code.

    ``session``, ``user`` and ``item`` may be None: read where the log has a column of that name.
    """
    table = open_table(log, "impressions")
    values = partial(column, table, name="impressions")
    there = labels_of(table)
    lists = {kind: kind if name is None and kind in there else name for kind, name in lists.items()}
    names = {"system": system} | {kind: name for kind, name in lists.items() if name is not None}
    ids = {
        kind: shared_code_arrays({"impressions": values(name)}, name)
        for kind, name in names.items()
    }
    rows = pd.DataFrame({kind: codes["impressions"] for kind, (codes, _) in ids.items()})
    found, rows["system"] = np.unique(rows["system"], return_inverse=True)
    rows["position"] = positions(values(position), position)
    check_not_empty(rows, "impressions", "hold at least one row")
    if "session" in rows:
        rows["session"] = numbered(rows.filter(["system", "user", "session"]))
        _refuse_repeated(rows[["session", "position"]], position)
        if "item" in rows:
            _refuse_repeated(rows[["session", "item"]], names["item"])
    rows["response"] = flags(values(response), response)
    if weight is not None:
        given = rows["weight"] = as_finite(values(weight).to_numpy(), weight)
        check_none(given, given < 0, weight, "be at least 0")
    return rows, ids["system"][1].of(found)


def numbered(rows: pd.DataFrame) -> IntArray:
    """One code, from 0, for each row that occurs, in their order."""
    return rows.groupby([*rows], sort=True).ngroup().to_numpy().astype(np.int64, copy=False)


def flags(values: pd.Series, name: str) -> BoolArray:
    """A yes-or-no column."""
    if values.dtype == bool:
        return values.to_numpy()
    number = as_numbers(values.to_numpy(), name)
    check_none(number, (number != 0) & (number != 1), name, "be boolean, or 0 and 1")
    return np.asarray(number == 1)


def positions(values: pd.Series, name: str) -> IntArray:
    """1-based places."""
    place = as_integers(values.to_numpy(), name)
    check_none(place, place < 1, name, "be at least 1", "The first place is 1")
    return place


def times(logs: Mapping[str, pd.DataFrame], name: str) -> tuple[npt.NDArray[Any], int]:
    """The times of several logs, one after another, as numbers; how many of these are a second."""
    found = {}
    for log, table in logs.items():
        one = as_times(column(table, name, log), f"{name} of {log}")
        refuse_rows(one, one.isna().to_numpy(), f"{name} of {log}", "not be missing")
        found[log] = sortable(one)
    there = {log: one for log, one in found.items() if len(one)} or found
    kinds = {log: "dates" if one.dtype.kind == "M" else "numbers" for log, one in there.items()}
    if len(set(kinds.values())) > 1:
        raise input_error(
            name, f"have one type in {' and '.join(kinds)}", " and ".join(kinds.values())
        )
    when = np.concatenate([*there.values()])
    if when.dtype.kind == "M":
        return when.astype("datetime64[us]").astype(np.int64), 1_000_000
    return when.astype(np.int64 if when.dtype.kind in "iu" else np.float64), 1


def _refuse_repeated(rows: pd.DataFrame, name: str) -> None:
    if len(again := np.flatnonzero(rows.duplicated())):
        got = f"{len(again)} repetitions, in rows {format_first(again)}"
        advice = "Remove duplicate impressions, or name the column of the sessions with session="
        raise input_error(name, "not repeat within a session", got, advice)
