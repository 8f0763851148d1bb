"""The working of the Borda count, of strategies, and of a member's satisfaction."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, is_whole, refusal
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
    threshold: float | None = None,
    trust: npt.ArrayLike | None = None,
    members: Labels = None,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.aggregate`: what counts, and in the last row the scores.

    Rows are those of `receval.metrics.group.aggregate_terms`: members, the items that an item
    is compared with, rounds or turns.

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
    terms, scores = (
        function(ratings, strategy=strategy, threshold=threshold, trust=trust)
        for function in (group.aggregate_terms, group.aggregate)
    )
    if scores.ndim != 1:
        raise InputError("ratings must be of one group (two axes: members, items)")
    n = scores.size
    columns = np.arange(1, n + 1) if items is None else as_labels(items, n)
    if strategy in ("plurality", "fairness"):
        terms = terms[~np.isnan(terms).all(axis=-1)]
    names = columns if strategy == "copeland" else np.arange(1, len(terms) + 1)
    if strategy in ROWS:
        names = np.array([f"{ROWS[strategy]} {name}" for name in names.tolist()])
    elif members is not None:
        names = as_labels(members, len(terms))
    table = pd.DataFrame(np.vstack([terms, scores]), [*names.tolist(), "score"], columns)
    table.attrs.update(metric=strategy, value=scores.tolist())
    return table


def borda_count(
    points: npt.ArrayLike, *, members: Labels = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.borda_count`: the members' points and, last, the totals.

    Examples
    --------
    >>> borda_count([[1, 2], [2, 1]], members=["U1", "U2"], items=["a", "b"])
           a  b
    U1     1  2
    U2     2  1
    Total  3  3
    """
    totals = group.borda_count(points)
    if totals.ndim != 1:
        raise InputError("points must be of one group (two axes: members, items)")
    given = np.asarray(points)
    if given.dtype.kind in "biu":
        # Totals of small integer types would wrap around, and those of bool would be or-ed.
        given, totals = given.astype(np.int64), totals.astype(np.int64)
    rows, columns = (
        np.arange(1, n + 1) if labels is None else as_labels(labels, n)
        for labels, n in zip((members, items), given.shape, strict=True)
    )
    table = pd.DataFrame(np.vstack([given, totals]), [*rows.tolist(), "Total"], columns)
    table.attrs.update(metric="Borda count", value=totals.tolist())
    return table


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
    if everyone.ndim != 1:
        raise InputError("ratings must be of one group (two axes: members, items)")
    if not (is_whole(member) and member < everyone.size):
        rule = f"be a row of ratings (0 to {everyone.size - 1})"
        raise refusal("member", rule, member)
    own, order = np.asarray(ratings, dtype=float)[member], np.asarray(group_order)
    labels = None if items is None else as_labels(items, own.size)[order]
    return ndcg(own[order], own, k=k, discount=discount, items=labels)
