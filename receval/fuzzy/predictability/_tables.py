"""Two tables of the same systems, checked, and their columns as degrees of truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    InputError,
    as_finite,
    check_choice,
    refuse,
    shorten,
    some,
)


def as_table(table: object, name: str) -> pd.DataFrame:
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"{name} must be a DataFrame; got {type(table).__name__}")
    if table.empty:
        raise InputError(f"{name} must have rows and columns; got shape {table.shape}")
    for axis, labels in (("rows", table.index), ("columns", table.columns)):
        if not labels.is_unique:
            again = labels[labels.duplicated()].unique().tolist()
            raise InputError(
                f"{name} must have distinct {axis}; got {some(map(shorten, again))} twice"
            )
    return table


def aligned(offline: pd.DataFrame, online: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
    """Values of both tables, systems in the order of the off-line one."""
    offline, online = as_table(offline, "offline"), as_table(online, "online")
    missing = offline.index.difference(online.index, sort=False).tolist()
    extra = online.index.difference(offline.index, sort=False).tolist()
    if missing or extra:
        raise InputError(
            "offline and online must have the same systems as index; "
            f"got only off-line {_told(missing)}, only on-line {_told(extra)}"
        )
    values = []
    for name, table in (("offline", offline), ("online", online.loc[offline.index])):
        columns = [as_finite(table[c].to_numpy(), f"{name}[{c!r}]") for c in table.columns]
        values.append(np.column_stack(columns))
    return values[0], values[1]


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
            refuse(column, column < 0, where, merit, "Turn an error into a merit, as 1 - MAE")
            if normalize is None:
                refuse(column, column > 1, where, "be in [0, 1] when normalize is None")
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
    result: FloatArray = np.divide(values, size, out=np.zeros_like(values), where=size > 0)
    return result


def descending_ranks(values: FloatArray, axis: int = 0) -> FloatArray:
    """1 = largest, ties share the mean rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(-values, axis=axis), np.float64)


def _told(values: list[object]) -> str:
    return some(map(shorten, values)) or "none"
