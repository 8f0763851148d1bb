"""The working of the ranking metrics: one row per rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import as_array, as_grades, check_cutoff, check_same_length
from receval.metrics import ranking
from receval.metrics.discounts import Discount, Gain, linear_gain, reciprocal, shifted_log2
from receval.metrics.ranking._parts import ranks, weights
from receval.working._tables import Labels, as_labels, by_rank, one_count, one_list, vector

__all__ = [
    "auc",
    "average_precision",
    "cumulative_gain",
    "dcg",
    "f1",
    "hit",
    "ideal_dcg",
    "ndcg",
    "precision",
    "r_precision",
    "recall",
    "reciprocal_rank",
]


def hit(gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.hit`: only the first hit counts.

    Examples
    --------
    >>> hit([0, 1, 1])["term"].tolist()
    [0.0, 1.0, 0.0]
    """
    grades = one_list(gains, k)
    first = np.asarray(ranking.reciprocal_rank_terms(grades) > 0, np.float64)
    return by_rank(grades, first, items, "hit")


def reciprocal_rank(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.reciprocal_rank`: only the first hit earns its weight.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 1])["term"].tolist()
    [0.0, 0.5, 0.0]
    """
    grades = one_list(gains, k)
    terms = ranking.reciprocal_rank_terms(grades)
    return by_rank(grades, terms, items, "reciprocal rank", weight=reciprocal(ranks(grades)))


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
    grades = one_list(gains, None)
    if n_relevant is not None:
        n_relevant = one_count(n_relevant)
    value = ranking.precision(grades, k=k, denominator=denominator, n_relevant=n_relevant)
    terms = ranking.precision_terms(grades, k=k)
    return by_rank(grades, terms, items, "precision", value=value)


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
    grades = one_list(gains, None)
    n_relevant = one_count(n_relevant)
    value = ranking.recall(grades, n_relevant, k=k, denominator=denominator)
    return by_rank(grades, ranking.recall_terms(grades, k=k), items, "recall", value=value)


def f1(gains: npt.ArrayLike, n_relevant: int, *, k: int | None = None) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.f1` of one list: its precision and its recall.

    Both divide the same hits, precision by the cut-off (without ``k`` by the length of the
    list) and recall by ``n_relevant``. Their harmonic mean is the hits of both rows over the
    denominators of both rows, so the column ``F1`` comes to it in the last row.

    Examples
    --------
    >>> f1([1, 0, 1, 0], 2).round(4)
         measure  hits  denominator  value      F1
    0  precision   2.0            4    0.5  0.5000
    1     recall   2.0            2    1.0  0.6667
    """
    grades = one_list(gains, None)
    n_relevant = one_count(n_relevant)
    both = ranking.precision(grades, k=k), ranking.recall(grades, n_relevant, k=k)
    hits = ranking.precision_terms(grades, k=k).sum()
    divisors = np.array([grades.size if k is None else k, n_relevant])
    table = pd.DataFrame(
        {
            "measure": ["precision", "recall"],
            "hits": hits,
            "denominator": divisors,
            "value": np.array(both),
        }
    )
    so_far = table["hits"].cumsum() / table["denominator"].cumsum()
    # Undefined from the first share on that is.
    table["F1"] = so_far.where(table["value"].notna().cummin())
    table.attrs.update(metric="F1", value=float(ranking.f1(*both)))
    return table


def r_precision(gains: npt.ArrayLike, n_relevant: int, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.r_precision`.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)["term"].tolist()
    [1.0, 0.0, 0.0]
    """
    grades = one_list(gains, None)
    n_relevant = one_count(n_relevant)
    terms = ranking.r_precision_terms(grades, n_relevant)
    value = ranking.r_precision(grades, n_relevant)
    return by_rank(grades, terms, items, "R-precision", value=value)


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
    grades = one_list(gains, None)
    n_relevant = one_count(n_relevant)
    value = ranking.average_precision(grades, n_relevant, k=k, denominator=denominator)
    terms = ranking.average_precision_terms(grades, k=k)
    so_far = np.cumsum(ranking.precision_terms(grades, k=k)) / ranks(terms)
    return by_rank(grades, terms, items, "AP", weight=so_far, value=value)


def cumulative_gain(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.cumulative_gain`.

    Examples
    --------
    >>> cumulative_gain([9, 9, 6, 4])["running sum"].tolist()
    [9.0, 18.0, 24.0, 28.0]
    """
    grades = one_list(gains, k)
    return by_rank(grades, ranking.cumulative_gain_terms(grades), items, "CG")


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
    grades = one_list(gains, k)
    terms = ranking.dcg_terms(grades, discount=discount, gain=gain)
    weight = weights(terms.size, discount)
    return by_rank(grades, terms, items, "DCG", weight=weight, gain=gain)


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
    grades = vector(as_grades(relevance), "relevance")
    filled = np.nan_to_num(grades, nan=0.0)
    best_first = np.argsort(-filled, kind="stable")[: check_cutoff(k)]
    labels = None if items is None else as_labels(items, grades.size)[best_first]
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
    share = table["running sum"] / table["ideal sum"].where(table["ideal sum"] > 0)
    table["nDCG"] = share.clip(upper=1)  # a sum in another order may be a last bit above the ideal
    value = ranking.ndcg(one_list(gains, None), relevance, k=k, **how)
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
    grades = one_list(gains, None)
    if scores is not None:
        check_same_length(np.atleast_1d(gains), as_array(scores, "scores"), "gains scores")
        scores = np.asarray(scores)[: grades.size]  # empty ranks have no score
    terms = ranking.auc_terms(grades, scores=scores)
    return by_rank(grades, terms, items, "AUC", value=ranking.auc(grades, scores=scores))
