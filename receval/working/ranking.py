"""The working of the ranking metrics: one row per rank, from the form that each metric states."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import as_array, as_gains, check_cutoff, check_same_length
from receval.metrics import ranking
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2
from receval.metrics.form import Form, Lists, Terms
from receval.metrics.ranking import binary, cascade, graded, rank_biased
from receval.working._tables import Labels, as_labels, by_rank, one_count, one_list, vector
from receval.working.by_form import by_form

__all__ = [
    "auc",
    "average_precision",
    "cumulative_gain",
    "dcg",
    "err",
    "f1",
    "hit",
    "ideal_dcg",
    "ndcg",
    "precision",
    "r_precision",
    "rbp",
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
    return by_form(binary.HIT, Lists(one_list(gains)), check_cutoff(k), items, "hit")


def reciprocal_rank(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.reciprocal_rank`: only the first hit earns its weight.

    Examples
    --------
    >>> reciprocal_rank([0, 1, 1]).iloc[1:, 2:].round(4)
       gain  weight  not stopped above  term  running sum
    1   1.0  0.5000                1.0   0.5          0.5
    2   1.0  0.3333                0.0   0.0          0.5
    """
    one = Lists(one_list(gains))
    return by_form(binary.FIRST_HIT, one, check_cutoff(k), items, "reciprocal rank")


def rbp(
    gains: npt.ArrayLike, *, k: int | None = None, p: float = 0.8, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.rbp`.

    Examples
    --------
    >>> rbp([1, 0, 1], p=0.5)["term"].tolist()
    [0.5, 0.0, 0.125]
    """
    return by_form(rank_biased.form(p), Lists(one_list(gains)), check_cutoff(k), items, "RBP")


def err(
    gains: npt.ArrayLike, *, max_grade: float, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.ranking.err`: the gain is the share of users who stop.

    Examples
    --------
    >>> err([1, 2], max_grade=2)[["gain", "weight", "not stopped above", "term"]]
       gain  weight  not stopped above     term
    0  0.25     1.0               1.00  0.25000
    1  0.75     0.5               0.75  0.28125
    """
    grades, k = one_list(gains), check_cutoff(k)
    value = ranking.err(grades, max_grade=max_grade, k=k)
    return by_form(cascade.form(max_grade), Lists(grades), k, items, "ERR", value)


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
    grades = one_list(gains)
    total = None if n_relevant is None else one_count(n_relevant)
    value = ranking.precision(grades, k=k, denominator=denominator, n_relevant=total)
    form = binary.precision_form(denominator)
    return by_form(form, Lists(grades, total), k, items, "precision", value)


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
    grades, total = one_list(gains), one_count(n_relevant)
    value = ranking.recall(grades, total, k=k, denominator=denominator)
    form = binary.recall_form(denominator)
    return by_form(form, Lists(grades, total), k, items, "recall", value)


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
    grades, total = one_list(gains), one_count(n_relevant)
    both = ranking.precision(grades, k=k), ranking.recall(grades, total, k=k)
    table = pd.DataFrame(
        {
            "measure": ["precision", "recall"],
            "hits": float(np.count_nonzero(grades[:k] > 0)),
            "denominator": np.array([grades.size if k is None else k, total]),
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
    grades, total = one_list(gains), one_count(n_relevant)
    value = ranking.r_precision(grades, total)
    one = Lists(grades, np.asarray(total))
    return by_form(binary.AT_R, one, None, items, "R-precision", value)


def average_precision(
    gains: npt.ArrayLike,
    n_relevant: int,
    *,
    k: int | None = None,
    denominator: str = "relevant",
    items: Labels = None,
) -> pd.DataFrame:
    """The working of `receval.metrics.average_precision`.

    Examples
    --------
    >>> average_precision([1, 0, 1], 2).round(4)[["precision so far", "term", "AP"]]
       precision so far    term      AP
    0            1.0000  1.0000  0.5000
    1            0.5000  0.0000  0.5000
    2            0.6667  0.6667  0.8333
    """
    grades, total = one_list(gains), one_count(n_relevant)
    value = ranking.average_precision(grades, total, k=k, denominator=denominator)
    form = binary.average_precision_form(denominator)
    return by_form(form, Lists(grades, np.asarray(total)), k, items, "AP", value)


def cumulative_gain(
    gains: npt.ArrayLike, *, k: int | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.cumulative_gain`.

    Examples
    --------
    >>> cumulative_gain([9, 9, 6, 4])["running sum"].tolist()
    [9.0, 18.0, 24.0, 28.0]
    """
    return by_form(graded.SUM, Lists(one_list(gains)), check_cutoff(k), items, "CG")


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
    form = Form(Terms(gain, discount))
    return by_form(form, Lists(one_list(gains)), check_cutoff(k), items, "DCG")


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
    grades = vector(as_gains(relevance, "relevance", by_rank=False), "relevance")
    filled = np.nan_to_num(grades, nan=0.0)
    best_first = np.argsort(-filled, kind="stable")[: check_cutoff(k)]
    labels = None if items is None else as_labels(items, grades.size)[best_first]
    one = Lists(filled[best_first], called="relevance")
    return by_form(Form(Terms(gain, discount)), one, None, labels, "IDCG")


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
    known = vector(as_gains(relevance, "relevance", by_rank=False), "relevance")
    one, form = Lists(one_list(gains), relevance=known), graded.ndcg_form(gain, discount)
    return by_form(form, one, check_cutoff(k), items, "nDCG")


def auc(
    gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.auc`: irrelevant items that each relevant one beats.

    Examples
    --------
    >>> auc([1, 0, 1, 0])["term"].tolist()
    [2.0, 0.0, 1.0, 0.0]
    """
    grades = one_list(gains)
    if scores is not None:
        check_same_length(np.atleast_1d(gains), as_array(scores, "scores"), "gains scores")
        scores = np.asarray(scores)[: grades.size]  # empty ranks have no score
    terms = ranking.auc_terms(grades, scores=scores)
    value = ranking.auc(grades, scores=scores)
    return by_rank(grades, terms, items, "AUC", value, given_as="gain")
