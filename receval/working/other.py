"""The workings of metrics that have no formula by rank.

They are the Borda count, strategies and a member's satisfaction; coverage, long tail, diversity
and exposure; and the errors of ratings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_same_labels, lists_of
from receval._checks import AnyArray, FloatArray, check_that, is_integer
from receval._table import WorkingTable
from receval.metrics import beyond_accuracy, group, prediction
from receval.metrics.discounts import Discount, clipped_log2
from receval.working.ranking import ndcg
from receval.working.tables import (
    Column,
    Labels,
    as_labels,
    check_one_list,
    numbered,
    working_of_share,
)

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
    member. ``"copeland"`` has a row for each item that the others are compared against,
    ``"plurality"`` a row for each round, and ``"fairness"`` a row for each turn. ``members`` and
    ``items`` are labels, by default the numbers from 1. ``options`` are the options of the
    strategy, such as ``ties="mean"`` for ``"borda"``; an option that the strategy does not use is
    an error.

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
    terms, scores = group.terms_and_scores(ratings, strategy=strategy, **options)
    _check_one_group(scores, "ratings")
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

    The other rows are the ``points`` of the members, of shape (members, items).
    `receval.metrics.borda_points` computes such points from ratings. ``members`` and ``items`` are
    labels, by default the numbers from 1.

    Examples
    --------
    >>> borda_count([[1, 2], [2, 1]], members=["U1", "U2"], items=["a", "b"])
             a    b
    U1     1.0  2.0
    U2     2.0  1.0
    Total  3.0  3.0
    """
    totals = _check_one_group(group.borda_count(points), "points")
    rows = np.asarray(points)
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
    return ndcg(member_ratings[order], member_ratings, k=k, discount=discount, items=items)


def _check_one_group(values: FloatArray, name: str) -> FloatArray:
    """Return one value per member or item; raise `InputError` if there are several groups."""
    check_that(values.ndim == 1, name, "be of one group (two axes: members, items)", values.shape)
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


def intra_list_diversity(similarity: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.intra_list_diversity`: one row per ordered pair.

    The columns ``first`` and ``second`` have the labels of the two different items, or their ranks
    if there are no ``items``. A term is 1 minus the similarity of the pair. The last column,
    ``diversity``, is the mean of the terms so far over all pairs, so that the last row has the
    value. ``similarity`` is a square matrix with NaN at empty ranks.

    Examples
    --------
    >>> intra_list_diversity([[1, 0.25], [0.25, 1]])[["first", "second", "term"]]
       first  second  term
    0      1       2  0.75
    1      2       1  0.75
    """
    check_same_labels(similarity=similarity, items=items)
    check_same_labels(similarity=lists_of(similarity), items=items)
    terms = beyond_accuracy.intra_list_diversity_terms(similarity)
    value = beyond_accuracy.intra_list_diversity(similarity)
    check_that(terms.ndim == 2, "similarity", "be of one list (two axes)", terms.shape)
    similarities = np.array(similarity, dtype=float)
    np.fill_diagonal(similarities, np.nan)  # leave out pairs of an item and itself
    first, second = np.nonzero(~np.isnan(similarities))
    labels = as_labels(items, len(terms))
    columns = {
        "first": labels[first],
        "second": labels[second],
        "similarity": similarities[first, second],
        "term": terms[first, second],
    }
    return working_of_share(columns, "diversity", value)


def exposure_gini(items: npt.ArrayLike, n_items: int) -> pd.DataFrame:
    """Return the working of `receval.metrics.beyond_accuracy.exposure_gini`: one row per item.

    ``items`` are the codes of the recommended items of all lists, -1 at an empty rank, and
    ``n_items`` is the size of the catalogue. The rows are sorted by the number of lists that hold
    the item, fewest first. A term is this number times the weight.

    Examples
    --------
    >>> exposure_gini([[0, 1], [0, 2]], 4)
      item  lists  weight  term  running sum    Gini
         3      0    -3.0   0.0          0.0  0.0000
         1      1    -1.0  -1.0         -1.0 -0.0625
         2      1     1.0   1.0          0.0  0.0000
         0      2     3.0   6.0          6.0  0.3750
    """
    terms = beyond_accuracy.exposure_gini_terms(items, n_items)
    value = beyond_accuracy.exposure_gini(items, n_items)
    n_lists = _count_lists(items, terms.size)
    order = np.argsort(n_lists, kind="stable")
    # The weight 2 i - n - 1 of the formula, for the places i = 1, …, n of the sorted items.
    place = np.arange(1, terms.size + 1)
    weight = 2.0 * place - terms.size - 1
    columns = {"item": order, "lists": n_lists[order], "weight": weight, "term": terms[order]}
    return working_of_share(columns, "Gini", value, divisor=terms.size * n_lists.sum())


def catalog_coverage(items: npt.ArrayLike, n_items: int) -> pd.DataFrame:
    """Return the working of `receval.metrics.catalog_coverage`: one row per item of the catalogue.

    ``items`` are the codes of the recommended items of all lists, -1 at an empty rank, and
    ``n_items`` is the size of the catalogue. A term is 1 if the item is in any list.

    Examples
    --------
    >>> catalog_coverage([[2, 0], [2, -1]], 4)
      item  lists  term  running sum    CC
         0      1   1.0          1.0  0.25
         1      0   0.0          1.0  0.25
         2      2   1.0          2.0  0.50
         3      0   0.0          2.0  0.50
    """
    value = beyond_accuracy.catalog_coverage(items, n_items)
    n_lists = _count_lists(items, n_items)
    columns = {"item": np.arange(n_items), "lists": n_lists, "term": (n_lists > 0).astype(float)}
    return working_of_share(columns, "CC", value, divisor=n_items)


def _count_lists(items: npt.ArrayLike, n_items: int) -> npt.NDArray[np.int64]:
    """Return the number of lists that hold each item of a catalogue."""
    codes = np.asarray(items, int).ravel()
    return np.bincount(codes[codes >= 0], minlength=n_items)


def prediction_coverage(items: npt.ArrayLike) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction_coverage`: one row per list.

    Examples
    --------
    >>> prediction_coverage([[4, 2], [-1, -1]])["term"].tolist()
    [1.0, 0.0]
    """
    columns = numbered({"term": beyond_accuracy.prediction_coverage_terms(items)}, number="list")
    return working_of_share(columns, "PC", beyond_accuracy.prediction_coverage(items))


def long_tail_percentage(items: npt.ArrayLike, in_head: npt.ArrayLike) -> pd.DataFrame:
    """Return the working of `receval.metrics.long_tail_percentage`: one row per list.

    Examples
    --------
    >>> long_tail_percentage([[0, 2], [3, -1]], [True, False, False, False])[["items", "term"]]
       items  term
    0      2   1.0
    1      1   1.0
    """
    terms = beyond_accuracy.long_tail_percentage_terms(items, in_head)
    # NumPy takes an empty list of lists for one empty list, so cut the counts.
    n_items = np.count_nonzero(np.atleast_2d(np.asarray(items)) >= 0, axis=-1)[: terms.size]
    columns = numbered({"items": n_items, "term": terms}, number="list")
    value = beyond_accuracy.long_tail_percentage(items, in_head)
    return working_of_share(columns, "LTP", value)


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction.mae`.

    Examples
    --------
    >>> mae([3, 5], [4, 3])["MAE"].tolist()
    [0.5, 1.5]
    """
    return _working_of_errors("MAE", prediction.mae, prediction.mae_terms, predicted, actual, items)


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction.mse`.

    Examples
    --------
    >>> mse([3, 5], [4, 3])["term"].tolist()
    [1.0, 4.0]
    """
    return _working_of_errors("MSE", prediction.mse, prediction.mse_terms, predicted, actual, items)


def rmse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.rmse`: the working of the MSE, and its square root.

    Examples
    --------
    >>> rmse([3, 5], [4, 3]).round(4)["RMSE"].tolist()
    [0.7071, 1.5811]
    """
    return _add_root(mse(predicted, actual, items=items), prediction.rmse(predicted, actual))


def factorization_rmse(
    a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike, *, divide_by_factors: bool = True
) -> pd.DataFrame:
    """Return the working of `receval.metrics.factorization_rmse`: one row per cell of ``m``.

    A cell is a pair of user and item, numbered from 1. The term is its squared error. The column
    ``RMSE`` is the metric so far, and ``MSE`` is its square.

    Examples
    --------
    >>> a, b = [[1, 0], [0, 1]], [[1, 2], [3, 4]]
    >>> factorization_rmse(a, b, [[1, 2], [3, 2]]).round(4)[["user", "item", "term", "RMSE"]]
       user  item  term    RMSE
    0     1     1   0.0  0.0000
    1     1     2   0.0  0.0000
    2     2     1   0.0  0.0000
    3     2     2   4.0  0.7071
    """
    value = prediction.factorization_rmse(a, b, m, divide_by_factors=divide_by_factors)
    terms = prediction.factorization_rmse_terms(a, b, m)
    check_that(terms.ndim == 2, "m", "be of one factorization (two axes)", terms.shape)
    user, item = np.indices(terms.shape) + 1
    predicted = np.asarray(a, float) @ np.asarray(b, float)
    columns: dict[str, Column] = {"user": user.ravel(), "item": item.ravel()}
    columns |= _error_columns(predicted.ravel(), np.asarray(m, float).ravel(), terms.ravel())
    return _add_root(working_of_share(columns, "MSE", value**2), value)


def _working_of_errors(
    label: str,
    metric: Callable[..., FloatArray],
    terms_of: Callable[..., FloatArray],
    predicted: npt.ArrayLike,
    actual: npt.ArrayLike,
    items: Labels,
) -> pd.DataFrame:
    """Return the working of one list: both ratings, their differences, and the terms.

    ``items`` label the rows in a column "item", which is left out if they are None.
    """
    value = metric(predicted, actual)
    terms = check_one_list(terms_of(predicted, actual), "ratings")
    check_same_labels(predicted=predicted, actual=actual, items=items)
    columns: dict[str, Column] = {}
    if items is not None:
        columns["item"] = as_labels(items, terms.size)
    columns |= _error_columns(np.asarray(predicted, float), np.asarray(actual, float), terms)
    return working_of_share(columns, label, value)


def _error_columns(
    predicted: FloatArray, actual: FloatArray, terms: FloatArray
) -> dict[str, Column]:
    """Return the columns of predicted and actual ratings, their differences and the terms."""
    return {"predicted": predicted, "actual": actual, "error": predicted - actual, "term": terms}


def _add_root(table: pd.DataFrame, value: npt.ArrayLike) -> pd.DataFrame:
    """Add the root of the mean of squares, which is the metric; return the table."""
    table["RMSE"] = np.sqrt(table["MSE"])
    table.attrs.update(metric="RMSE", value=float(np.asarray(value)))
    return table
