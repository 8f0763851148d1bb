"""How the terms of a metric become a labelled table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    FloatArray,
    InputError,
    check_text,
    check_that,
    is_scalar,
    no_huge_numbers,
)
from receval._lists import as_array, as_counts, as_gains, in_range
from receval._table import WorkingTable

Labels = Sequence[Any] | npt.NDArray[Any] | None


def vector(array: FloatArray, name: str) -> FloatArray:
    if array.ndim != 1:
        raise InputError(f"{name} must be one list (one axis); got shape {array.shape}")
    return array


def one_list(gains: npt.ArrayLike) -> FloatArray:
    """The grades of one list, without its empty ranks."""
    grades = vector(as_gains(gains), "gains")
    return grades[~np.isnan(grades)]


def as_labels(labels: Labels, n: int) -> npt.NDArray[Any]:
    """The names of n items; their numbers from 1 where none are given."""
    if labels is None:
        return np.arange(1, n + 1)
    array = as_array(labels, "items")
    if array.ndim != 1 or array.size < n:
        raise InputError(f"items must name {n} items; got {array.size}")
    check_text(array.tolist(), "items")
    return array


def one_count(n_relevant: object, name: str = "n_relevant") -> int:
    """The number of items of the one list that are relevant, or whatever is counted."""
    check_that(is_scalar(n_relevant), name, "be one number", n_relevant)
    return int(as_counts(n_relevant, name))


def terms_and_value(family: Any, metric: str, *given: Any, **options: Any) -> tuple[Any, Any]:
    """What a metric of a family adds up, and what it comes to."""
    names = f"{metric}_terms", metric
    terms, value = (getattr(family, name)(*given, **options) for name in names)
    return terms, value


def ranked(columns: dict[str, Any], items: Labels = None, rank: str = "rank") -> WorkingTable:
    """Ranks, items where they are named, and the columns that there are."""
    n = columns["term"].size
    names = None if items is None else as_labels(items, n)[:n]
    every = {rank: np.arange(1, n + 1), "item": names, **columns}
    with no_huge_numbers("items"):
        return WorkingTable({name: one for name, one in every.items() if one is not None})


def finished(table: pd.DataFrame, metric: str, value: npt.ArrayLike) -> pd.DataFrame:
    """Running sum, and what the metric comes to so far."""
    with_running_sum(table, metric)
    # The divisor is the one that the metric used: running sum / (total / value).
    total, reached = float(table["term"].sum()), float(np.asarray(value))
    share = table["running sum"] / total if total else table["running sum"]
    table[metric] = share * reached
    table.attrs.update(metric=metric, value=reached)
    return table


def with_running_sum(table: pd.DataFrame, metric: str) -> None:
    """Put the running sum of the terms beside them."""
    with np.errstate(over="ignore"):
        running = np.cumsum(table["term"].to_numpy())
    table["running sum"] = in_range(running, f"the terms of {metric}")
