"""Steps that all workings share: read one list, label its terms, and add the sums so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import (
    FloatArray,
    InputError,
    check_text,
    check_that,
    is_scalar,
    refuse_huge_numbers,
)
from receval._lists import as_array, as_counts, as_gains, check_overflow
from receval._table import WorkingTable
from receval._types import AnyArray

Labels: TypeAlias = Sequence[object] | AnyArray | None
"""Names of the items, members or rows that a table shows; None: none are given."""


def check_one_list(array: FloatArray, name: str) -> FloatArray:
    """Return the array; raise `InputError` unless it has one axis."""
    if array.ndim != 1:
        raise InputError(f"{name} must be one list (one axis); got shape {array.shape}")
    return array


def read_gains(gains: npt.ArrayLike) -> FloatArray:
    """Return the grades of one list without its empty ranks."""
    grades = check_one_list(as_gains(gains), "gains")
    return grades[~np.isnan(grades)]


def read_relevance(relevance: npt.ArrayLike) -> FloatArray:
    """Return the grades of all relevant items of one list, in any order."""
    return check_one_list(as_gains(relevance, "relevance", by_rank=False), "relevance")


def read_count(count: object, name: str = "n_relevant") -> int:
    """Return a number of items, such as the relevant ones; raise `InputError` for an array."""
    check_that(is_scalar(count), name, "be one number", count)
    return int(as_counts(count, name))


def as_labels(labels: Labels, n: int) -> AnyArray:
    """Return the names of at least n items; the numbers from 1 to n if there are none."""
    if labels is None:
        return np.arange(1, n + 1)
    array = as_array(labels, "items")
    if array.ndim != 1 or array.size < n:
        raise InputError(f"items must name {n} items; got {array.size}")
    check_text(array.tolist(), "items")
    return array


def table_by_rank(
    columns: Mapping[str, AnyArray | None], items: Labels = None, rank: str = "rank"
) -> WorkingTable:
    """Build a table of ranks, labels if there are any, and the columns that are not None.

    ``columns`` must have "term", and ``rank`` is the name of the column with the numbers from 1.
    """
    terms = columns["term"]
    assert terms is not None
    n = terms.size
    shown: dict[str, AnyArray] = {rank: np.arange(1, n + 1)}
    if items is not None:
        shown["item"] = as_labels(items, n)[:n]
    for name, column in columns.items():
        if column is not None:
            shown[name] = column
    with refuse_huge_numbers("items"):
        return WorkingTable(shown)


def add_metric_so_far(table: pd.DataFrame, metric: str, value: npt.ArrayLike) -> pd.DataFrame:
    """Add the running sum of the terms, and a column with the metric so far; return the table.

    ``value`` is that of the metric, which the last row reaches.
    """
    add_running_sum(table, metric)
    total = float(table["term"].sum())
    final = float(np.asarray(value))
    # The divisor of the metric is total / value, so its value so far is running sum / divisor.
    share = table["running sum"]
    if total:
        share = share / total
    table[metric] = share * final
    table.attrs.update(metric=metric, value=final)
    return table


def add_running_sum(table: pd.DataFrame, metric: str) -> None:
    """Add a column with the running sum of the terms."""
    with np.errstate(over="ignore"):
        sums = np.cumsum(table["term"].to_numpy())
    table["running sum"] = check_overflow(sums, f"the terms of {metric}")
