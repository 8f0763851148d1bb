"""The working of the measures of novelty and diversity: one row per rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray, InputError, check_text
from receval._lists import check_cutoff
from receval.metrics import ranking
from receval.metrics.discounts import reciprocal, shifted_log2
from receval.metrics.ranking.subtopics import (
    as_subtopic_gains,
    err_ia_scale,
    greedy_ideal,
    novelty_gains,
)
from receval.working._tables import Labels, as_labels, read_count, running_sum, table_by_rank

__all__ = ["alpha_ndcg", "err_ia"]


def alpha_ndcg(
    gains: npt.ArrayLike,
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    items: Labels = None,
    subtopics: Sequence[object] | None = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.alpha_ndcg` and of the ideal list.

    A gain is the sum of (1 - alpha)^c over the subtopics that an item covers, where c items above
    have covered the subtopic. The last column has the metric so far. ``items`` label the ranks, and
    ``subtopics`` label the rows of ``gains``.

    Examples
    --------
    >>> table = alpha_ndcg([[1, 1], [0, 1]], [[1, 1], [0, 1]], subtopics=["a", "b"])
    >>> table[["rank", "subtopics", "gain", "ideal gain", "alpha-nDCG"]].round(4)
       rank subtopics  gain  ideal gain  alpha-nDCG
    0     1         a   1.0         2.0      0.5000
    1     2      a, b   1.5         0.5      0.8406
    """
    k = check_cutoff(k)
    grades = _read_one_list(gains, "gains")[:, :k]
    covers = _read_one_list(relevance, "relevance", by_rank=False) > 0
    value = float(ranking.alpha_ndcg(grades, covers, k=k, alpha=alpha))
    gain = novelty_gains(grades, alpha)
    ideal_gain = greedy_ideal(covers, alpha, k).gains
    # The table is as long as the longer list. After its end, the shorter list has the gain 0.
    n_ranks = max(gain.size, int(np.count_nonzero(ideal_gain)))
    gain = _resize(gain, n_ranks)
    ideal_gain = _resize(ideal_gain, n_ranks)
    weight = shifted_log2(np.arange(1.0, n_ranks + 1))
    labels = None
    if items is not None:
        labels = np.full(n_ranks, "", dtype=object)  # "" for the ranks of the ideal list alone
        n_items = grades.shape[1]
        labels[:n_items] = as_labels(items, n_items)[:n_items]
    sums = running_sum(gain * weight, "alpha-nDCG")
    ideal_sums = np.cumsum(ideal_gain * weight)
    values_so_far = np.full(n_ranks, np.nan)
    np.divide(sums, ideal_sums, out=values_so_far, where=ideal_sums > 0)
    table = table_by_rank(
        {
            "subtopics": _covered_subtopics(grades, subtopics, n_ranks),
            "gain": gain,
            "weight": weight,
            "term": gain * weight,
            "running sum": sums,
            "ideal gain": ideal_gain,
            "ideal term": ideal_gain * weight,
            "ideal sum": ideal_sums,
            "alpha-nDCG": values_so_far,
        },
        labels,
    )
    table.attrs.update(metric="alpha-nDCG", value=value)
    return table


def err_ia(
    gains: npt.ArrayLike,
    n_subtopics: int,
    *,
    max_grade: float,
    k: int | None = None,
    normalization: str = "none",
    items: Labels = None,
    subtopics: Sequence[object] | None = None,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.ranking.err_ia`.

    A gain is the sum over the subtopics of the share of users who stop at an item. The last column
    has the metric so far. ``items`` label the ranks, and ``subtopics`` label the rows of ``gains``.

    Examples
    --------
    >>> err_ia([[1, 1], [0, 1]], 2, max_grade=1).round(4)[["gain", "term", "ERR-IA"]]
       gain   term  ERR-IA
    0  0.50  0.500  0.2500
    1  0.75  0.375  0.4375
    """
    k = check_cutoff(k)
    total = read_count(n_subtopics, "n_subtopics")
    grades = _read_one_list(gains, "gains")[:, :k]
    value = float(
        ranking.err_ia(grades, total, max_grade=max_grade, k=k, normalization=normalization)
    )
    terms = ranking.err_ia_terms(grades, max_grade=max_grade)
    weight = reciprocal(np.arange(1.0, terms.size + 1))
    sums = running_sum(terms, "ERR-IA")
    divisor = total * err_ia_scale(max_grade, k, normalization)
    if divisor == 0:
        divisor = np.nan
    table = table_by_rank(
        {
            "subtopics": _covered_subtopics(grades, subtopics, terms.size),
            "gain": terms / weight,
            "weight": weight,
            "term": terms,
            "running sum": sums,
            "ERR-IA": sums / divisor,
        },
        items,
    )
    table.attrs.update(metric="ERR-IA", value=value)
    return table


def _read_one_list(values: npt.ArrayLike, name: str, *, by_rank: bool = True) -> FloatArray:
    """Return the grades of one list by subtopic, without empty ranks."""
    array = as_subtopic_gains(values, name, by_rank=by_rank)
    if array.ndim != 2:
        raise InputError(f"{name} must be one list (two axes); got shape {array.shape}")
    if not by_rank:
        return array
    return array[:, ~np.isnan(array).any(axis=0)]


def _resize(values: FloatArray, size: int) -> FloatArray:
    """Cut an array to a size, or fill it up with zeros."""
    result = np.zeros(size)
    n_kept = min(size, values.size)
    result[:n_kept] = values[:n_kept]
    return result


def _covered_subtopics(
    grades: FloatArray, labels: Sequence[object] | None, n_ranks: int
) -> npt.NDArray[np.object_]:
    """Return the subtopics that the item at each rank covers, such as "a, b".

    Without labels they are numbered from 1 on.
    """
    if labels is None:
        labels = range(1, len(grades) + 1)
    if len(labels) < len(grades):
        raise InputError(f"subtopics must name {len(grades)} rows; got {len(labels)}")
    names = [str(label) for label in labels]
    check_text(names, "subtopics")
    covered = np.full(n_ranks, "", dtype=object)
    for rank in range(grades.shape[1]):
        numbers = np.flatnonzero(grades[:, rank] > 0)
        covered[rank] = ", ".join(names[number] for number in numbers)
    return covered
