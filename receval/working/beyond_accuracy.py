"""The working of coverage, long tail, novelty and diversity."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_same_labels, lists_of
from receval._checks import InputError
from receval.metrics import beyond_accuracy
from receval.working._tables import Labels, as_labels, numbered, working_of_list, working_of_share

__all__ = [
    "average_popularity",
    "intra_list_diversity",
    "inverse_user_frequency",
    "long_tail_percentage",
    "prediction_coverage",
    "temporal_novelty",
    "user_novelty",
]


def user_novelty(seen: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.user_novelty`.

    Examples
    --------
    >>> user_novelty([True, False])["user novelty"].tolist()
    [0.0, 0.5]
    """
    return working_of_list(
        "user novelty",
        beyond_accuracy.user_novelty,
        beyond_accuracy.user_novelty_terms,
        items,
        seen=seen,
    )


def temporal_novelty(days: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.temporal_novelty`.

    Examples
    --------
    >>> temporal_novelty([0, 7]).round(4)["temporal novelty"].tolist()
    [0.4997, 0.7195]
    """
    return working_of_list(
        "temporal novelty",
        beyond_accuracy.temporal_novelty,
        beyond_accuracy.temporal_novelty_terms,
        items,
        days=days,
    )


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
    if terms.ndim != 2:
        raise InputError(f"similarity must be of one list (two axes); got shape {terms.shape}")
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


def average_popularity(interactions: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.beyond_accuracy.average_popularity`.

    Examples
    --------
    >>> average_popularity([4, 1])["ARP"].tolist()
    [2.0, 2.5]
    """
    return working_of_list(
        "ARP",
        beyond_accuracy.average_popularity,
        beyond_accuracy.average_popularity_terms,
        items,
        interactions=interactions,
    )


def inverse_user_frequency(
    users: npt.ArrayLike, n_users: int, *, items: Labels = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.beyond_accuracy.inverse_user_frequency`.

    Examples
    --------
    >>> inverse_user_frequency([4, 1], 8)["MIUF"].tolist()
    [0.5, 2.0]
    """
    metric, terms_of = (
        beyond_accuracy.inverse_user_frequency,
        beyond_accuracy.inverse_user_frequency_terms,
    )
    return working_of_list("MIUF", metric, terms_of, items, users=users, n_users=n_users)


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
    codes = np.asarray(items, int).ravel()
    n_lists = np.bincount(codes[codes >= 0], minlength=terms.size)
    order = np.argsort(n_lists, kind="stable")
    # The weight 2 i - n - 1 of the formula, for the places i = 1, …, n of the sorted items.
    place = np.arange(1, terms.size + 1)
    weight = 2.0 * place - terms.size - 1
    columns = {"item": order, "lists": n_lists[order], "weight": weight, "term": terms[order]}
    return working_of_share(columns, "Gini", value)


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
    n_items = np.count_nonzero(np.atleast_2d(np.asarray(items)) >= 0, axis=-1)
    columns = numbered({"items": n_items, "term": terms}, number="list")
    value = beyond_accuracy.long_tail_percentage(items, in_head)
    return working_of_share(columns, "LTP", value)
