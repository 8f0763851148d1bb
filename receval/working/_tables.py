"""Steps that all workings share: read one list, label its terms, and add the sums so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    as_array,
    as_gains,
    as_tailed,
    check_overflow,
    check_same_labels,
    divide_or_nan,
)
from receval._checks import AnyArray, FloatArray, InputError, check_text
from receval._table import WorkingTable

Labels: TypeAlias = Sequence[object] | AnyArray | None
"""Names of the items, members or rows that a table shows; None: there are no names."""

Column: TypeAlias = Sequence[object] | AnyArray | pd.Series
Columns: TypeAlias = Mapping[str, Column]
"""The columns of a table by name. In a working, "term" is what each row adds to the sum."""


def check_one_list(array: AnyArray, name: str) -> AnyArray:
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


def numbered(columns: Columns, items: Labels = None, number: str = "rank") -> dict[str, Column]:
    """Put a column ``number`` before the columns, which counts the rows from 1.

    If ``items`` are given, they label the rows in a second column "item". There may be more of them
    than rows.
    """
    n_rows = len(columns["term"])
    first: dict[str, Column] = {number: np.arange(1, n_rows + 1)}
    if items is not None:
        first["item"] = as_labels(items, n_rows)[:n_rows]
    return {**first, **columns}


def working_of_sum(columns: Columns, metric: str, value: npt.ArrayLike) -> WorkingTable:
    """Build the working of a metric that is the sum of its terms: add the running sum.

    ``metric`` is the name of the metric, and ``value`` its value.
    """
    table = WorkingTable({**columns, "running sum": running_sum(columns["term"], metric)})
    table.attrs.update(metric=metric, value=float(np.asarray(value)))
    return table


def working_of_share(
    columns: Columns, metric: str, value: npt.ArrayLike, divisor: float | None = None
) -> WorkingTable:
    """Build the working of a metric that divides the sum of its terms by a constant.

    The last column, named after the metric, is the running sum divided by the same constant. So its
    last row is the value. The constant follows from the sum and the value. Pass it as ``divisor``
    if the sum can be 0 although some terms aren't.
    """
    table = working_of_sum(columns, metric, value)
    sums = table["running sum"].to_numpy()
    if divisor is None:
        # If the running sum is 60 % of the total, the metric so far is 60 % of the value. If the
        # total is 0, all shares are 0.
        share = np.zeros(sums.size)
        np.divide(sums, sums[-1:], out=share, where=sums[-1:] != 0)
        table[metric] = share * table.attrs["value"]
    else:
        table[metric] = divide_or_nan(sums, divisor)
    return table


def working_of_list(
    label: str,
    metric: Callable[..., FloatArray],
    terms_of: Callable[..., FloatArray],
    items: Labels,
    **arguments: npt.ArrayLike,
) -> WorkingTable:
    """Return the working of a metric of one list, whose terms an array function returns.

    ``arguments`` are those of the metric and of ``terms_of``. The first one has a value for each
    rank and becomes a column, without the empty ranks. ``items`` label the ranks.
    """
    name, values = next(iter(arguments.items()))
    check_same_labels(**{name: values, "items": items})
    is_empty = np.isnan(check_one_list(as_tailed(values, name), name))
    values = np.asarray(values)[~is_empty]  # with the dtype that they came in
    arguments[name] = values
    columns = numbered({name: values, "term": terms_of(**arguments)}, items)
    return working_of_share(columns, label, metric(**arguments))


def running_sum(terms: Column, metric: str) -> FloatArray:
    """Return the running sum of the terms of a metric; raise `InputError` if it is too large."""
    with np.errstate(over="ignore"):
        sums = np.cumsum(np.asarray(terms, np.float64))
    return check_overflow(sums, f"the terms of {metric}")
