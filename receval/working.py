"""The working of a metric: its sum written out, one row per term.

Every function here has the name and the arguments of a metric and answers a table of one
list: rank, item, gain, weight, term, running sum. The terms are those that the metric itself
adds up, so the last row *is* the metric; where the sum is divided at the end, a last column
named after the metric says what it comes to so far. ``table.attrs["value"]`` holds the value.

>>> from receval import working
>>> from receval.metrics import clipped_log2
>>> working.dcg([9, 9, 6, 4], items=["M8", "M4", "M10", "M2"], discount=clipped_log2).round(2)
   rank item  gain  weight  term  running sum
0     1   M8   9.0    1.00  9.00         9.00
1     2   M4   9.0    1.00  9.00        18.00
2     3  M10   6.0    0.63  3.79        21.79
3     4   M2   4.0    0.50  2.00        23.79
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray, InputError, as_array, as_gains, as_grades, check_cutoff
from receval.metrics import beyond_accuracy, group, prediction, ranking
from receval.metrics.discounts import (
    Discount,
    Gain,
    clipped_log2,
    linear_gain,
    reciprocal,
    shifted_log2,
)
from receval.metrics.ranking._parts import gain_of, ranks, weights

__all__ = [
    "auc",
    "average_precision",
    "borda_count",
    "cumulative_gain",
    "dcg",
    "ideal_dcg",
    "intra_list_diversity",
    "long_tail_percentage",
    "mae",
    "mse",
    "ndcg",
    "precision",
    "prediction_coverage",
    "r_precision",
    "recall",
    "reciprocal_rank",
    "rmse",
    "satisfaction",
    "temporal_novelty",
    "user_novelty",
]

Labels = Sequence[Any] | npt.NDArray[Any] | None


def reciprocal_rank(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.reciprocal_rank`: only the first hit earns its weight.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 1])["term"].tolist()
    [0.0, 0.5, 0.0]
    """
    grades = _one_list(gains, k)
    terms = ranking.reciprocal_rank_terms(grades)
    return _table(grades, terms, items, "reciprocal rank", weight=reciprocal(ranks(grades)))


def precision(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "cutoff",
    n_relevant: int | None = None,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.precision`.

    Examples
    --------
    >>> precision([1, 0, 1], k=3)["running sum"].tolist()
    [1.0, 1.0, 2.0]
    """
    grades = _one_list(gains, None)
    value = ranking.precision(grades, k=k, denominator=denominator, n_relevant=n_relevant)
    terms = ranking.precision_terms(grades, k=k)
    return _table(grades, terms, items, "precision", value=value)


def recall(
    gains: npt.ArrayLike,
    n_relevant: int,
    *,
    k: int | None = None,
    denominator: str = "relevant",
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.recall`.

    Examples
    --------
    >>> recall([1, 0, 1], 4)["recall"].tolist()
    [0.25, 0.25, 0.5]
    """
    grades = _one_list(gains, None)
    value = ranking.recall(grades, n_relevant, k=k, denominator=denominator)
    return _table(grades, ranking.recall_terms(grades, k=k), items, "recall", value=value)


def r_precision(gains: npt.ArrayLike, n_relevant: int, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.r_precision`.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)["term"].tolist()
    [1.0, 0.0, 0.0]
    """
    grades = _one_list(gains, None)
    terms = ranking.r_precision_terms(grades, n_relevant)
    value = ranking.r_precision(grades, n_relevant)
    return _table(grades, terms, items, "R-precision", value=value)


def average_precision(
    gains: npt.ArrayLike,
    n_relevant: int,
    *,
    k: int | None = None,
    denominator: str = "relevant",
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.average_precision`; the weight is the precision so far.

    Examples
    --------
    >>> average_precision([1, 0, 1], 2).round(4)[["weight", "term", "AP"]]
       weight    term      AP
    0  1.0000  1.0000  0.5000
    1  0.5000  0.0000  0.5000
    2  0.6667  0.6667  0.8333
    """
    grades = _one_list(gains, None)
    value = ranking.average_precision(grades, n_relevant, k=k, denominator=denominator)
    terms = ranking.average_precision_terms(grades, k=k)
    so_far = np.cumsum(ranking.precision_terms(grades, k=k)) / ranks(terms)
    return _table(grades, terms, items, "AP", weight=so_far, value=value)


def cumulative_gain(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.cumulative_gain`.

    Examples
    --------
    >>> cumulative_gain([9, 9, 6, 4])["running sum"].tolist()
    [9.0, 18.0, 24.0, 28.0]
    """
    grades = _one_list(gains, k)
    return _table(grades, ranking.cumulative_gain_terms(grades), items, "CG")


def dcg(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.dcg`.

    Examples
    --------
    >>> dcg([3, 2, 0]).round(4)["term"].tolist()
    [3.0, 1.2619, 0.0]
    """
    grades = _one_list(gains, k)
    terms = ranking.dcg_terms(grades, discount=discount, gain=gain)
    weight = weights(terms.size, discount)
    return _table(grades, terms, items, "DCG", weight=weight, gain=gain)


def ideal_dcg(
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.ideal_dcg`: the items sorted best first.

    ``items`` are the labels of ``relevance`` as given; they are sorted along.

    Examples
    --------
    >>> ideal_dcg([0, 2, 3], k=2, items=["a", "b", "c"])["item"].tolist()
    ['c', 'b']
    """
    grades = _vector(as_grades(relevance), "relevance")
    filled = np.nan_to_num(grades, nan=0.0)
    best_first = np.argsort(-filled, kind="stable")[: check_cutoff(k)]
    labels = None if items is None else _labels(items, grades.size)[best_first]
    table = dcg(filled[best_first], discount=discount, gain=gain, items=labels)
    table.attrs["metric"] = "IDCG"
    return table


def ndcg(
    gains: npt.ArrayLike,
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    discount: Discount = shifted_log2,
    gain: Gain = linear_gain,
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.ndcg`: the list and its ideal list, side by side.

    The columns ``ideal term`` and ``ideal sum`` belong to the best list possible; ``nDCG`` is
    the ratio of the two sums so far, which at the last rank is the metric.

    Examples
    --------
    >>> ndcg([0, 3], [3, 1]).round(4)[["running sum", "ideal sum", "nDCG"]]
       running sum  ideal sum    nDCG
    0       0.0000     3.0000  0.0000
    1       1.8928     3.6309  0.5213
    """
    how: dict[str, Any] = {"discount": discount, "gain": gain}
    own = dcg(gains, k=k, items=items, **how)
    best = ideal_dcg(relevance, k=k, **how)
    table = own.merge(
        best[["rank", "term", "running sum"]].rename(
            columns={"term": "ideal term", "running sum": "ideal sum"}
        ),
        on="rank",
        how="outer",
    )
    # The shorter list of the two earns nothing further, and keeps its sum.
    table[["term", "ideal term"]] = table[["term", "ideal term"]].fillna(0.0)
    table[["running sum", "ideal sum"]] = table[["running sum", "ideal sum"]].ffill().fillna(0.0)
    table["nDCG"] = table["running sum"] / table["ideal sum"].where(table["ideal sum"] > 0)
    value = ranking.ndcg(_one_list(gains, None), relevance, k=k, **how)
    table.attrs.update(metric="nDCG", value=float(value))
    return table


def auc(
    gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.auc`: irrelevant items that each relevant one beats.

    Examples
    --------
    >>> auc([1, 0, 1, 0])["term"].tolist()
    [2.0, 0.0, 1.0, 0.0]
    """
    grades = _one_list(gains, None)
    terms = ranking.auc_terms(grades, scores=scores)
    return _table(grades, terms, items, "AUC", value=ranking.auc(grades, scores=scores))


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.prediction.mae`.

    Examples
    --------
    >>> mae([3, 5], [4, 3])["MAE"].tolist()
    [0.5, 1.5]
    """
    terms = prediction.mae_terms(predicted, actual)
    return _pairs(predicted, actual, terms, items, "MAE", prediction.mae(predicted, actual))


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.prediction.mse`.

    Examples
    --------
    >>> mse([3, 5], [4, 3])["term"].tolist()
    [1.0, 4.0]
    """
    terms = prediction.mse_terms(predicted, actual)
    return _pairs(predicted, actual, terms, items, "MSE", prediction.mse(predicted, actual))


def rmse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.rmse`: that of the MSE, and its root.

    Examples
    --------
    >>> rmse([3, 5], [4, 3]).round(4)["RMSE"].tolist()
    [0.7071, 1.5811]
    """
    table = mse(predicted, actual, items=items)
    table["RMSE"] = np.sqrt(table["MSE"])
    table.attrs.update(metric="RMSE", value=float(prediction.rmse(predicted, actual)))
    return table


def user_novelty(seen: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.user_novelty`.

    Examples
    --------
    >>> user_novelty([True, False])["user novelty"].tolist()
    [0.0, 0.5]
    """
    terms = _vector(beyond_accuracy.user_novelty_terms(seen), "seen")
    value = beyond_accuracy.user_novelty(seen)
    return _table(np.asarray(seen), terms, items, "user novelty", value=value, given_as="seen")


def temporal_novelty(days: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.temporal_novelty`.

    Examples
    --------
    >>> temporal_novelty([0, 7]).round(4)["temporal novelty"].tolist()
    [0.4997, 0.7195]
    """
    terms = _vector(beyond_accuracy.temporal_novelty_terms(days), "days")
    value = beyond_accuracy.temporal_novelty(days)
    return _table(np.asarray(days), terms, items, "temporal novelty", value=value, given_as="days")


def intra_list_diversity(similarity: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.intra_list_diversity`: one row per ordered pair.

    Examples
    --------
    >>> intra_list_diversity([[1, 0.25], [0.25, 1]])[["first", "second", "term"]]
       first  second  term
    0      1       2  0.75
    1      2       1  0.75
    """
    terms = beyond_accuracy.intra_list_diversity_terms(similarity)
    if terms.ndim != 2:
        raise InputError(f"similarity must be of one list (two axes); got shape {terms.shape}")
    given = np.asarray(similarity, dtype=float)
    first, second = np.nonzero(~np.eye(len(terms), dtype=bool) & ~np.isnan(given))
    labels = np.arange(1, len(terms) + 1) if items is None else _labels(items, len(terms))
    table = pd.DataFrame(
        {
            "first": labels[first],
            "second": labels[second],
            "similarity": given[first, second],
            "term": terms[first, second],
        }
    )
    return _finished(table, "diversity", beyond_accuracy.intra_list_diversity(similarity))


def prediction_coverage(items: npt.ArrayLike) -> pd.DataFrame:
    """The working of `receval.metrics.prediction_coverage`: one row per list.

    Examples
    --------
    >>> prediction_coverage([[4, 2], [-1, -1]])["term"].tolist()
    [1.0, 0.0]
    """
    terms = beyond_accuracy.prediction_coverage_terms(items)
    table = pd.DataFrame({"list": np.arange(1, terms.size + 1), "term": terms})
    return _finished(table, "PC", beyond_accuracy.prediction_coverage(items))


def long_tail_percentage(items: npt.ArrayLike, in_head: npt.ArrayLike) -> pd.DataFrame:
    """The working of `receval.metrics.long_tail_percentage`: one row per list.

    Examples
    --------
    >>> long_tail_percentage([[0, 2], [3, -1]], [True, False, False, False])[["items", "term"]]
       items  term
    0      2   1.0
    1      1   1.0
    """
    terms = beyond_accuracy.long_tail_percentage_terms(items, in_head)
    shown = np.count_nonzero(np.atleast_2d(np.asarray(items)) >= 0, axis=-1)
    table = pd.DataFrame({"list": np.arange(1, terms.size + 1), "items": shown, "term": terms})
    return _finished(table, "LTP", beyond_accuracy.long_tail_percentage(items, in_head))


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
    rows = np.arange(1, len(given) + 1) if members is None else _labels(members, len(given))
    columns = np.arange(1, totals.size + 1) if items is None else _labels(items, totals.size)
    table = pd.DataFrame(given, index=rows, columns=columns)
    table.loc["Total"] = totals.astype(given.dtype)
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
    if not (isinstance(member, (int, np.integer)) and 0 <= member < everyone.size):
        raise InputError(
            f"member must be a row of ratings (0 to {everyone.size - 1}); got {member}"
        )
    own = np.asarray(ratings, dtype=float)[member]
    order = np.asarray(group_order)
    labels = None if items is None else _labels(items, own.size)[order]
    return ndcg(own[order], own, k=k, discount=discount, items=labels)


# Parts ----------------------------------------------------------------------------------------


def _vector(array: FloatArray, name: str) -> FloatArray:
    if array.ndim != 1:
        raise InputError(f"{name} must be one list (one axis); got shape {array.shape}")
    return array


def _one_list(gains: npt.ArrayLike, k: int | None) -> FloatArray:
    """The first k grades of one list, without its empty ranks."""
    grades = _vector(as_gains(gains), "gains")[: check_cutoff(k)]
    return grades[~np.isnan(grades)]


def _labels(labels: Labels, n: int) -> npt.NDArray[Any]:
    array = as_array(labels, "items")
    if array.ndim != 1 or array.size < n:
        raise InputError(f"items must name {n} items; got {array.size}")
    return array


def _table(
    given: npt.NDArray[Any],
    terms: FloatArray,
    items: Labels,
    metric: str,
    *,
    weight: FloatArray | None = None,
    gain: Gain = linear_gain,
    value: npt.ArrayLike | None = None,
    given_as: str = "gain",
) -> pd.DataFrame:
    n = terms.size
    columns: dict[str, Any] = {"rank": np.arange(1, n + 1)}
    if items is not None:
        columns["item"] = _labels(items, n)[:n]
    if gain is not linear_gain:
        columns["grade"] = given[:n]
        columns["gain"] = gain_of(given[:n], gain)
    else:
        columns[given_as] = given[:n]
    if weight is not None:
        columns["weight"] = weight[:n]
    columns["term"] = terms
    return _finished(pd.DataFrame(columns), metric, value)


def _pairs(
    predicted: npt.ArrayLike,
    actual: npt.ArrayLike,
    terms: FloatArray,
    items: Labels,
    metric: str,
    value: npt.ArrayLike,
) -> pd.DataFrame:
    p, r = (np.asarray(_vector(np.asarray(x, float), "ratings")) for x in (predicted, actual))
    columns: dict[str, Any] = {} if items is None else {"item": _labels(items, p.size)}
    columns |= {"predicted": p, "actual": r, "error": p - r, "term": terms}
    return _finished(pd.DataFrame(columns), metric, value)


def _finished(table: pd.DataFrame, metric: str, value: npt.ArrayLike | None) -> pd.DataFrame:
    """Running sum, and where the metric divides its sum, what it comes to so far."""
    table["running sum"] = table["term"].cumsum()
    total = float(table["term"].sum())
    if value is None:
        value = total
    else:
        # The divisor is the one that the metric used: running sum / (total / value).
        reached = float(np.asarray(value))
        share = table["running sum"] / total if total else table["running sum"]
        table[metric] = share * reached
    table.attrs.update(metric=metric, value=float(np.asarray(value)))
    return table
