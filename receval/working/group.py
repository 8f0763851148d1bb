"""The working of the Borda count, of strategies, and of a member's satisfaction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_same_labels, lists_of
from receval._checks import AnyArray, FloatArray, InputError, check_that, is_integer
from receval._table import WorkingTable
from receval.metrics import group
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.ranking.graded import NDCG
from receval.working._tables import Labels, as_labels
from receval.working.ranking import working_from_spec

__all__ = ["aggregate", "borda_count", "satisfaction"]

ROW_NAMES = {"plurality": "round", "fairness": "turn"}
"""What a row of the terms is, for the strategies that take the items one after the other."""


def aggregate(
    ratings: npt.ArrayLike,
    *,
    strategy: str = "average",
    members: Labels = None,
    items: Labels = None,
    **options: Any,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.aggregate`, with the scores in the last row.

    The other rows hold the ratings, points or votes that count. Most strategies have a row for each
    member. ``"copeland"`` has a row for each item that the others
    are compared against, ``"plurality"`` a row for each round, and ``"fairness"`` a row for each
    turn. ``members`` and ``items`` are labels, by default the numbers from 1. ``options`` are the
    options of the strategy, such as ``ties="mean"`` for ``"borda"``; an option that the strategy
    does not use is an error.

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
    check_same_labels(ratings=ratings, items=items)
    check_same_labels(ratings=lists_of(ratings), members=members)
    terms = group.aggregate_terms(ratings, strategy=strategy, **options)
    scores = _check_one_group(group.aggregate(ratings, strategy=strategy, **options), "ratings")
    if strategy == "copeland":
        members = [f"against {item}" for item in as_labels(items, len(terms)).tolist()]
    elif strategy in ROW_NAMES:
        # The terms have a row for each item. If nobody rated some of the items, the last rounds or
        # turns do not take place, and their rows are NaN.
        terms = terms[~np.isnan(terms).all(axis=-1)]
        members = [f"{ROW_NAMES[strategy]} {number + 1}" for number in range(len(terms))]
    return _table_with_last_row(terms, members, ("score", scores), items, strategy)


def borda_count(
    points: npt.ArrayLike, *, members: Labels = None, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.borda_count`, with the totals in the last row.

    The other rows are the ``points`` of the members, unchanged, of shape (members, items).
    `receval.metrics.borda_points` computes such points from ratings. ``members`` and ``items`` are
    labels, by default the numbers from 1.

    Examples
    --------
    >>> borda_count([[1, 2], [2, 1]], members=["U1", "U2"], items=["a", "b"])
           a  b
    U1     1  2
    U2     2  1
    Total  3  3
    """
    totals = _check_one_group(group.borda_count(points), "points")
    rows = np.asarray(points)
    if rows.dtype.kind in "biu":
        # Show integers without a decimal point. The totals are floats so far. int64 can hold them,
        # but a smaller type might not.
        rows = rows.astype(np.int64)
        totals = totals.astype(np.int64)
    return _table_with_last_row(rows, members, ("Total", totals), items, "Borda count")


def satisfaction(
    group_order: npt.ArrayLike,
    ratings: npt.ArrayLike,
    *,
    k: int | None,
    member: int,
    discount: Discount = clipped_log2,
    items: Labels = None,
) -> pd.DataFrame:
    """Return the working of one member's `receval.metrics.satisfaction`.

    A member's satisfaction is the nDCG of the group's list, with this member's ratings as grades.
    ``member`` is the member's row in ``ratings``, counted from 0. ``items`` are labels of the
    columns of ``ratings``; the other arguments are those of the metric.

    Examples
    --------
    >>> table = satisfaction([0, 1, 2], [[5, 3, 1], [1, 3, 4]], k=2, member=1)
    >>> table["term"].tolist(), table["ideal term"].tolist()
    ([1.0, 3.0], [4.0, 3.0])
    """
    check_same_labels(ratings=ratings, items=items)
    # Call the metric to check the arguments. It returns one value per member, and we need only the
    # number of these values.
    satisfactions = group.satisfaction(group_order, ratings, k=k, discount=discount)
    last_row = _check_one_group(satisfactions, "ratings").size - 1
    is_row = is_integer(member) and member <= last_row
    check_that(is_row, "member", f"be a row of ratings (0 to {last_row})", member)
    member_ratings = np.asarray(ratings, dtype=float)[member]
    order = np.asarray(group_order)
    if items is not None:
        items = as_labels(items, member_ratings.size)[order]
    ndcg = working_from_spec(NDCG)
    return ndcg(member_ratings[order], member_ratings, k=k, discount=discount, items=items)


def _check_one_group(values: FloatArray, name: str) -> FloatArray:
    """Return one value per member or item; raise `InputError` if there are several groups."""
    if values.ndim != 1:
        raise InputError(f"{name} must be of one group (two axes: members, items)")
    return values


def _table_with_last_row(
    rows: AnyArray, names: Labels, last: tuple[str, FloatArray], items: Labels, metric: str
) -> pd.DataFrame:
    """Build a table of rows with their names, and a ``last`` row that has the metric's values."""
    last_name, values = last
    index = [*as_labels(names, len(rows)).tolist(), last_name]
    table = WorkingTable(np.vstack([rows, values]), index, as_labels(items, values.size))
    table.attrs.update(metric=metric, value=values.tolist())
    return table
