"""Steps that all workings share: read one list, label its terms, and add the sums so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import as_array, as_counts, as_gains, check_overflow
from receval._checks import (
    AnyArray,
    FloatArray,
    InputError,
    check_text,
    check_that,
    is_scalar,
)
from receval._table import WorkingTable

Labels: TypeAlias = Sequence[object] | AnyArray | None
"""Names of the items, members or rows that a table shows; None: there are no names."""


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
    """Return the labels as an array, or the numbers from 1 to n if they are None.

    Raises `InputError` unless they are a list or array of at least n labels. There may be more,
    because a list can be cut after the first n items; the result has them all.
    """
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
    """Build a table with a row for each rank, and a column for each array in ``columns``.

    A term is what a rank adds to the value of the metric. ``columns`` must have "term", whose
    length is the number of rows; columns that are None are left out. The first column has the
    numbers from 1 and the name ``rank``. If ``items`` are given, they label the rows in a column
    "item"; there may be more of them than rows.
    """
    terms = columns["term"]
    assert terms is not None
    n_rows = terms.size
    shown: dict[str, AnyArray] = {rank: np.arange(1, n_rows + 1)}
    if items is not None:
        shown["item"] = as_labels(items, n_rows)[:n_rows]
    for name, column in columns.items():
        if column is not None:
            shown[name] = column
    return WorkingTable(shown)


def add_metric_so_far(table: pd.DataFrame, metric: str, value: npt.ArrayLike) -> pd.DataFrame:
    """Add a column with the running sum of the terms and one with the metric so far.

    The metric so far is the running sum, divided as the metric divides the whole sum. The table is
    changed and returned. ``metric`` is the name of the metric and of its column, and ``value`` the
    value of the metric, which the last row reaches.
    """
    # Read the terms once: pandas finds a column slowly after another one was added.
    terms = table["term"]
    sums = running_sum(terms.to_numpy(), metric)
    total = float(terms.sum())
    final_value = float(np.asarray(value))
    # The value is the total divided by a constant. So if the running sum is 60 % of the total, the
    # metric so far is 60 % of the value.
    share_so_far = sums
    if total != 0:  # otherwise all shares are 0, as the running sums are
        share_so_far = sums / total
    table["running sum"] = sums
    table[metric] = share_so_far * final_value
    table.attrs.update(metric=metric, value=final_value)
    return table


def running_sum(terms: AnyArray, metric: str) -> AnyArray:
    """Return the running sum of the terms of a metric; raise `InputError` if it is too large."""
    with np.errstate(over="ignore"):
        sums = np.cumsum(terms)
    return check_overflow(sums, f"the terms of {metric}")
