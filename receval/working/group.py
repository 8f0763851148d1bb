"""The working of the Borda count, of strategies, and of a member's satisfaction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray, InputError, check_that, is_integer
from receval._table import WorkingTable
from receval.metrics import group
from receval.metrics.discounts import Discount, clipped_log2
from receval.working._tables import Labels, as_labels
from receval.working.ranking import ndcg

__all__ = ["aggregate", "borda_count", "satisfaction"]

ROWS = {"copeland": "against", "plurality": "round", "fairness": "turn"}


def aggregate(
    ratings: npt.ArrayLike,
    *,
    strategy: str = "average",
    members: Labels = None,
    items: Labels = None,
    **options: Any,
) -> pd.DataFrame:
    """The working of `receval.metrics.aggregate`: what counts, and in the last row the scores.

    Rows are those of `receval.metrics.group.aggregate_terms`: members, the items that an item
    is compared with, rounds or turns. ``options`` are those of the strategy, such as
    ``ties="mean"`` of ``"borda"``; an option that the strategy does not use is refused.

    Examples
    --------
    >>> ratings = [[5, 3, 1], [1, 3, 4]]
    >>> aggregate(ratings, strategy="plurality", items=["a", "b", "c"])
               a    b    c
    round 1  1.0  0.0  1.0
    round 2  NaN  1.0  1.0
    round 3  NaN  NaN  2.0
    score    3.0  2.0  1.0
    """
    terms = group.aggregate_terms(ratings, strategy=strategy, **options)
    scores = _one_group(group.aggregate(ratings, strategy=strategy, **options), "ratings")
    if strategy in ("plurality", "fairness"):
        terms = terms[~np.isnan(terms).all(axis=-1)]
    if strategy in ROWS:
        names = as_labels(items if strategy == "copeland" else None, len(terms)).tolist()
        members = [f"{ROWS[strategy]} {name}" for name in names]
    return _by_row(terms, members, scores, "score", items, strategy)


def borda_count(
    points: npt.ArrayLike, *, members: Labels = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.borda_count`: the members' points and, last, the totals.

    ``points`` are added as they are. `receval.metrics.borda_points` makes them of ratings, with
    the rule for items that a member rates alike.

    Examples
    --------
    >>> borda_count([[1, 2], [2, 1]], members=["U1", "U2"], items=["a", "b"])
           a  b
    U1     1  2
    U2     2  1
    Total  3  3
    """
    totals, given = _one_group(group.borda_count(points), "points"), np.asarray(points)
    if given.dtype.kind in "biu":
        # Totals of small integer types would wrap around, and those of bool would be or-ed.
        given, totals = given.astype(np.int64), totals.astype(np.int64)
    return _by_row(given, members, totals, "Total", items, "Borda count")


def satisfaction(
    group_order: npt.ArrayLike,
    ratings: npt.ArrayLike,
    *,
    k: int | None,
    member: int,
    discount: Discount = clipped_log2,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of one member's `receval.metrics.satisfaction`; ``member`` is their row.

    Examples
    --------
    >>> table = satisfaction([0, 1, 2], [[5, 3, 1], [1, 3, 4]], k=2, member=1)
    >>> table["term"].tolist(), table["ideal term"].tolist()
    ([1.0, 3.0], [4.0, 3.0])
    """
    everyone = group.satisfaction(group_order, ratings, k=k, discount=discount)
    last = _one_group(everyone, "ratings").size - 1
    row = is_integer(member) and member <= last
    check_that(row, "member", f"be a row of ratings (0 to {last})", member)
    own, order = np.asarray(ratings, dtype=float)[member], np.asarray(group_order)
    labels = None if items is None else as_labels(items, own.size)[order]
    return ndcg(own[order], own, k=k, discount=discount, items=labels)


def _one_group(values: FloatArray, name: str) -> FloatArray:
    if values.ndim != 1:
        raise InputError(f"{name} must be of one group (two axes: members, items)")
    return values


def _by_row(
    rows: FloatArray, names: Labels, last: FloatArray, called: str, items: Labels, metric: str
) -> pd.DataFrame:
    """The rows of a table and, last, what they come to."""
    index = [*as_labels(names, len(rows)).tolist(), called]
    table = WorkingTable(np.vstack([rows, last]), index, as_labels(items, last.size))
    table.attrs.update(metric=metric, value=last.tolist())
    return table
