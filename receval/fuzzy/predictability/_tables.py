"""Checks of two tables of the same systems, and their columns as degrees of truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._arrays import as_finite, without_rounding_noise
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
from receval.metrics.ties import mean_ranks
from receval.tables.columns import check_frame
from receval.tables.indexed import index_by_id


def as_table(table: object, name: str) -> pd.DataFrame:
    """Return a table as a frame of finite numbers; raise if it is empty or a label repeats.

    ``name`` is the name of the table in error messages.
    """
    checked = check_frame(table, name)
    if checked.empty:
        raise InputError(f"{name} must have rows and columns; got shape {checked.shape}")
    check_unique(checked.index.tolist(), name, "row")
    check_unique(checked.columns.tolist(), name, "column")
    columns = [
        as_finite(values.to_numpy(), f"{name}[{label!r}]") for label, values in checked.items()
    ]
    return pd.DataFrame(np.column_stack(columns), checked.index, checked.columns)


def by_system(offline: object, online: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both tables with the systems as index, even if the user passed them in a column.

    Such a column has the name "system" or "algorithm".
    """
    labels = ["system", "algorithm"]
    offline_frame = index_by_id(check_frame(offline, "offline"), labels, "offline")
    online_frame = index_by_id(check_frame(online, "online"), labels, "online")
    return offline_frame, online_frame


def aligned(offline: pd.DataFrame, online: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """Return the values of both tables, with the systems in the order of the off-line table.

    Values of a column that differ by rounding only are equal, so that noise orders no systems.

    Raises
    ------
    InputError
        If the tables have different systems, or values that are not finite numbers.
    """
    offline = as_table(offline, "offline")
    online = as_table(online, "online")
    only_offline = offline.index.difference(online.index, sort=False).tolist()
    only_online = online.index.difference(offline.index, sort=False).tolist()
    if only_offline or only_online:
        offline_text = format_first(only_offline, to_text=shorten) or "none"
        online_text = format_first(only_online, to_text=shorten) or "none"
        got = f"{offline_text} only off-line, {online_text} only on-line"
        raise input_error("offline and online", "have the same systems as index", got)
    online = online.loc[offline.index]
    return tied_by_rounding(offline.to_numpy()), tied_by_rounding(online.to_numpy())


def as_degrees(
    offline: pd.DataFrame, online: pd.DataFrame, normalize: str | None
) -> tuple[FloatArray, FloatArray]:
    """Return both tables as degrees of truth, with the systems in the order of the off-line table.

    See `implication_matrix` for ``normalize``. Raises if a value is negative, if a column to be
    normalised is all zero, or if a value is above 1 and ``normalize`` is None.
    """
    x, y = aligned(offline, online)
    if normalize is not None:
        check_choice(normalize, "normalize", ("l2", "max"))
    # Both raise if a column cannot become degrees of truth.
    check_degrees(pd.DataFrame(x, columns=offline.columns), "offline", normalize)
    check_degrees(pd.DataFrame(y, columns=online.columns), "online", normalize)
    return normalized(x, normalize), normalized(y, normalize)


def check_degrees(table: pd.DataFrame, name: str, normalize: str | None) -> None:
    """Raise unless each column of a table can become degrees of truth.

    A column must not be negative. If ``normalize`` is None, it must not be above 1; otherwise it
    must not be all zero. ``name`` is the name of the table in error messages.
    """
    for label, values in table.items():
        column = values.to_numpy()
        where = f"{name}[{label!r}]"
        rule = "be at least 0, higher is better"
        check_none(column, column < 0, where, rule, "Turn an error into a merit, such as 1 - MAE")
        if normalize is None:
            check_none(column, column > 1, where, "be in [0, 1] when normalize is None")
        elif not column.any():
            raise InputError(f"{where} must not be all zero: it has no direction; got zeros")


def normalized(values: FloatArray, normalize: str | None) -> FloatArray:
    """Divide columns by their length ("l2") or largest value ("max"); None changes nothing.

    ``values`` has the shape (..., systems, columns). Columns of zeros remain zero.
    """
    if normalize is None:
        return values
    largest = values.max(axis=-2, keepdims=True)
    divisor = largest
    if normalize == "l2":
        # Squares of scaled values do not overflow. Sorting makes the sum independent of the order
        # of the systems.
        scaled = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
        divisor = largest * np.sqrt(np.sort(scaled**2, axis=-2).sum(axis=-2, keepdims=True))
    return np.asarray(np.divide(values, divisor, out=np.zeros_like(values), where=divisor > 0))


def tied_by_rounding(values: FloatArray, axis: int = 0) -> FloatArray:
    """Make systems equal along an axis if their values differ by rounding only.

    The largest value along the axis says how much that is, because a value near 0 can be the
    difference of larger ones.
    """
    lines = np.moveaxis(values, axis, -1)
    largest = np.nanmax(np.abs(lines), axis=-1, keepdims=True, initial=0)
    return np.moveaxis(without_rounding_noise(lines, scale=largest), -1, axis)


def descending_ranks(values: FloatArray, axis: int = 0) -> FloatArray:
    """Return ranks along an axis: 1 for the largest value, ties share the mean rank.

    Values that differ by rounding only are ties.
    """
    lines = np.moveaxis(tied_by_rounding(values, axis), axis, -1)
    return np.moveaxis(mean_ranks(-lines), -1, axis)
