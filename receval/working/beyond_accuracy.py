"""The working of coverage, long tail, novelty and diversity."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError
from receval._lists import as_tailed
from receval._table import WorkingTable
from receval.metrics import beyond_accuracy
from receval.working._tables import (
    Labels,
    as_labels,
    finished,
    ranked,
    terms_and_value,
    vector,
)

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
    """The working of `receval.metrics.user_novelty`.

    Examples
    --------
    >>> user_novelty([True, False])["user novelty"].tolist()
    [0.0, 0.5]
    """
    return _by_rank("user_novelty", "user novelty", items, seen=seen)


def temporal_novelty(days: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.temporal_novelty`.

    Examples
    --------
    >>> temporal_novelty([0, 7]).round(4)["temporal novelty"].tolist()
    [0.4997, 0.7195]
    """
    return _by_rank("temporal_novelty", "temporal novelty", items, days=days)


def intra_list_diversity(similarity: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.intra_list_diversity`: one row per ordered pair.

    Examples
    --------
    >>> intra_list_diversity([[1, 0.25], [0.25, 1]])[["first", "second", "term"]]
       first  second  term
    0      1       2  0.75
    1      2       1  0.75
    """
    terms, value = terms_and_value(beyond_accuracy, "intra_list_diversity", similarity)
    if terms.ndim != 2:
        raise InputError(f"similarity must be of one list (two axes); got shape {terms.shape}")
    given = np.asarray(similarity, dtype=float)
    first, second = np.nonzero(~np.eye(len(terms), dtype=bool) & ~np.isnan(given))
    labels = as_labels(items, len(terms))
    pairs = {"first": labels[first], "second": labels[second]}
    columns = pairs | {"similarity": given[first, second], "term": terms[first, second]}
    return finished(WorkingTable(columns), "diversity", value)


def average_popularity(interactions: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.beyond_accuracy.average_popularity`.

    Examples
    --------
    >>> average_popularity([4, 1])["ARP"].tolist()
    [2.0, 2.5]
    """
    return _by_rank("average_popularity", "ARP", items, interactions=interactions)


def inverse_user_frequency(
    users: npt.ArrayLike, n_users: int, *, items: Labels = None
) -> pd.DataFrame:
    """The working of `receval.metrics.beyond_accuracy.inverse_user_frequency`.

    Examples
    --------
    >>> inverse_user_frequency([4, 1], 8)["MIUF"].tolist()
    [0.5, 2.0]
    """
    return _by_rank("inverse_user_frequency", "MIUF", items, n_users, users=users)


def exposure_gini(items: npt.ArrayLike, n_items: int) -> pd.DataFrame:
    """The working of `receval.metrics.beyond_accuracy.exposure_gini`: a row per item, least first.

    Examples
    --------
    >>> exposure_gini([[0, 1], [0, 2]], 4)
       item  lists  weight  term  running sum    Gini
    0     3      0    -3.0   0.0          0.0  0.0000
    1     1      1    -1.0  -1.0         -1.0 -0.0625
    2     2      1     1.0   1.0          0.0  0.0000
    3     0      2     3.0   6.0          6.0  0.3750
    """
    terms, value = terms_and_value(beyond_accuracy, "exposure_gini", items, n_items)
    codes = np.asarray(items, int).ravel()
    shown = np.bincount(codes[codes >= 0], minlength=terms.size)
    order = np.argsort(shown, kind="stable")
    weight = 2.0 * np.arange(terms.size) + 1 - terms.size
    columns = {"item": order, "lists": shown[order], "weight": weight, "term": terms[order]}
    return finished(pd.DataFrame(columns), "Gini", value)


def prediction_coverage(items: npt.ArrayLike) -> pd.DataFrame:
    """The working of `receval.metrics.prediction_coverage`: one row per list.

    Examples
    --------
    >>> prediction_coverage([[4, 2], [-1, -1]])["term"].tolist()
    [1.0, 0.0]
    """
    terms, value = terms_and_value(beyond_accuracy, "prediction_coverage", items)
    return finished(ranked({"term": terms}, rank="list"), "PC", value)


def long_tail_percentage(items: npt.ArrayLike, in_head: npt.ArrayLike) -> pd.DataFrame:
    """The working of `receval.metrics.long_tail_percentage`: one row per list.

    Examples
    --------
    >>> long_tail_percentage([[0, 2], [3, -1]], [True, False, False, False])[["items", "term"]]
       items  term
    0      2   1.0
    1      1   1.0
    """
    terms, value = terms_and_value(beyond_accuracy, "long_tail_percentage", items, in_head)
    shown = np.count_nonzero(np.atleast_2d(np.asarray(items)) >= 0, axis=-1)
    return finished(ranked({"items": shown, "term": terms}, rank="list"), "LTP", value)


def _by_rank(
    metric: str, label: str, items: Labels, *more: Any, **values: npt.ArrayLike
) -> pd.DataFrame:
    """The terms of a metric of one list of values, without the empty ranks at the end."""
    ((name, column),) = values.items()
    given = np.asarray(column)[~np.isnan(vector(as_tailed(column, name), name))]
    terms, value = terms_and_value(beyond_accuracy, metric, given, *more)
    return finished(ranked({name: given, "term": terms}, items), label, value)
