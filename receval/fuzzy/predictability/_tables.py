"""Tables of the same systems with off-line and on-line results, checked, and degrees of truth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._arrays import as_finite, without_rounding_noise
from receval._checks import (
    FloatArray,
    InputError,
    check_choice,
    check_none,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval.metrics.ties import mean_ranks
from receval.tables.columns import check_frame, index_by_id


def read_results(table: object, name: str) -> pd.DataFrame:
    """Return a table of results as finite numbers, with the systems as index.

    A column "system" or "algorithm" becomes the index. Values of a column that differ by rounding
    only become equal, so that noise orders no systems. Raises if the table is empty or a label
    repeats; ``name`` is its name in error messages.
    """
    checked = index_by_id(check_frame(table, name), ["system", "algorithm"], name)
    check_that(not checked.empty, name, "have rows and columns", checked.shape)
    check_unique(checked.index.tolist(), name, "row")
    check_unique(checked.columns.tolist(), name, "column")
    columns = [
        as_finite(values.to_numpy(), f"{name}[{label!r}]") for label, values in checked.items()
    ]
    values = tied_by_rounding(np.column_stack(columns))
    return pd.DataFrame(values, checked.index, checked.columns)


def read_both(offline: object, online: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both tables as `read_results` does, with the systems in the order of the first.

    Raises if the tables have different systems.
    """
    offline = read_results(offline, "offline")
    online = read_results(online, "online")
    only_offline = offline.index.difference(online.index, sort=False).tolist()
    only_online = online.index.difference(offline.index, sort=False).tolist()
    if only_offline or only_online:
        offline_text = format_first(only_offline, to_text=shorten) or "none"
        online_text = format_first(only_online, to_text=shorten) or "none"
        got = f"{offline_text} only off-line, {online_text} only on-line"
        raise input_error("offline and online", "have the same systems as index", got)
    return offline, online.loc[offline.index]


def as_degrees(table: pd.DataFrame, name: str, normalize: str | None) -> FloatArray:
    """Return the values of a table of `read_results` as degrees of truth.

    ``normalize`` says by what columns are divided: their Euclidean length ("l2"), their largest
    value ("max"), or nothing (None).

    Raises
    ------
    InputError
        If a value is negative, a column to be normalised is all zero, or a value is above 1 and
        ``normalize`` is None; ``name`` is the name of the table in messages.
    """
    if normalize is not None:
        check_choice(normalize, "normalize", ("l2", "max"))
    for label, column in table.items():
        values = column.to_numpy()
        where = f"{name}[{label!r}]"
        rule = "be at least 0, higher is better"
        check_none(values, values < 0, where, rule, "Turn an error into a merit, such as 1 - MAE")
        if normalize is None:
            check_none(values, values > 1, where, "be in [0, 1] when normalize is None")
        elif not values.any():
            raise InputError(f"{where} must not be all zero: it has no direction; got zeros")
    degrees: FloatArray = table.to_numpy()
    if normalize is None:
        return degrees
    divisor = degrees.max(axis=0)
    if normalize == "l2":
        # Squares of scaled values do not overflow. Sorting makes the sum independent of the order
        # of the systems.
        scaled_squares = np.sort((degrees / divisor) ** 2, axis=0)
        divisor = divisor * np.sqrt(scaled_squares.sum(axis=0))
    return np.asarray(degrees / divisor)


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
