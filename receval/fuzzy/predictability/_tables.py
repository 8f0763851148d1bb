"""Two tables of the same systems, checked, and their columns as degrees of truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    InputError,
    check_choice,
    check_none,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._lists import as_finite
from receval.metrics.ties import mean_ranks
from receval.tables.columns import frame
from receval.tables.indexed import indexed_by_id


def as_table(table: object, name: str) -> pd.DataFrame:
    """A table with rows and columns, each there once, of finite numbers."""
    found = frame(table, name)
    if found.empty:
        raise InputError(f"{name} must have rows and columns; got shape {found.shape}")
    check_unique(found.index.tolist(), name, "row")
    check_unique(found.columns.tolist(), name, "column")
    parts = [as_finite(part.to_numpy(), f"{name}[{label!r}]") for label, part in found.items()]
    return pd.DataFrame(np.column_stack(parts), found.index, found.columns)


def by_system(offline: object, online: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables indexed by system, wherever these stand."""
    first, second = (
        indexed_by_id(frame(table, name), ["system", "algorithm"], name)
        for table, name in ((offline, "offline"), (online, "online"))
    )
    return first, second


def aligned(offline: pd.DataFrame, online: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """Values of both tables, systems in the order of the off-line one."""
    offline, online = as_table(offline, "offline"), as_table(online, "online")
    there, here = online.index, offline.index
    only = {"off-line": here.difference(there, False), "on-line": there.difference(here, False)}
    if any(map(len, only.values())):
        told = {at: format_first(ids.tolist(), told=shorten) or "none" for at, ids in only.items()}
        got = ", ".join(f"only {at} {ids}" for at, ids in told.items())
        raise input_error("offline and online", "have the same systems as index", got)
    return offline.to_numpy(), online.loc[offline.index].to_numpy()


def as_degrees(
    offline: pd.DataFrame, online: pd.DataFrame, normalize: str | None
) -> tuple[FloatArray, FloatArray]:
    """Both tables as degrees of truth."""
    x, y = aligned(offline, online)
    if normalize is not None:
        check_choice(normalize, "normalize", ("l2", "max"))
    for name, values, table in (("offline", x, offline), ("online", y, online)):
        for column, label in zip(values.T, table.columns, strict=True):
            where = f"{name}[{label!r}]"
            merit = "be at least 0, higher is better"
            check_none(column, column < 0, where, merit, "Turn an error into a merit, as 1 - MAE")
            if normalize is None:
                check_none(column, column > 1, where, "be in [0, 1] when normalize is None")
            elif not column.any():
                raise InputError(f"{where} must not be all zero: it has no direction; got zeros")
    return normalized(x, normalize), normalized(y, normalize)


def normalized(values: FloatArray, normalize: str | None) -> FloatArray:
    """Columns divided by their length or largest value; systems are the last axis but one."""
    if normalize is None:
        return values
    size = largest = values.max(axis=-2, keepdims=True)
    if normalize == "l2":
        # Scaled first, so that no square overflows; sorted, so that no order of systems shows.
        scaled = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
        size = largest * np.sqrt(np.sort(scaled**2, axis=-2).sum(axis=-2, keepdims=True))
    return np.asarray(np.divide(values, size, out=np.zeros_like(values), where=size > 0))


def descending_ranks(values: FloatArray, axis: int = 0) -> FloatArray:
    """1 = largest, ties share the mean rank."""
    return np.moveaxis(mean_ranks(-np.moveaxis(values, axis, -1)), -1, axis)
