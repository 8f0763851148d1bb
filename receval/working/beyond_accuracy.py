"""The working of coverage, long tail, novelty and diversity."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, as_tailed
from receval.metrics import beyond_accuracy
from receval.working._tables import Labels, as_labels, by_rank, finished, vector

__all__ = [
    "intra_list_diversity",
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
    return _novelty("user", seen, "seen", items)


def temporal_novelty(days: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.temporal_novelty`.

    Examples
    --------
    >>> temporal_novelty([0, 7]).round(4)["temporal novelty"].tolist()
    [0.4997, 0.7195]
    """
    return _novelty("temporal", days, "days", items)


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
    labels = np.arange(1, len(terms) + 1) if items is None else as_labels(items, len(terms))
    table = pd.DataFrame(
        {
            "first": labels[first],
            "second": labels[second],
            "similarity": given[first, second],
            "term": terms[first, second],
        }
    )
    return finished(table, "diversity", beyond_accuracy.intra_list_diversity(similarity))


def prediction_coverage(items: npt.ArrayLike) -> pd.DataFrame:
    """The working of `receval.metrics.prediction_coverage`: one row per list.

    Examples
    --------
    >>> prediction_coverage([[4, 2], [-1, -1]])["term"].tolist()
    [1.0, 0.0]
    """
    terms = beyond_accuracy.prediction_coverage_terms(items)
    table = pd.DataFrame({"list": np.arange(1, terms.size + 1), "term": terms})
    return finished(table, "PC", beyond_accuracy.prediction_coverage(items))


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
    return finished(table, "LTP", beyond_accuracy.long_tail_percentage(items, in_head))


def _novelty(which: str, values: npt.ArrayLike, name: str, items: Labels) -> pd.DataFrame:
    """The terms of the novelty metric of this name, without the empty ranks at the end."""
    given = np.asarray(values)[~np.isnan(vector(as_tailed(values, name), name))]
    terms = getattr(beyond_accuracy, f"{which}_novelty_terms")(given)
    value = getattr(beyond_accuracy, f"{which}_novelty")(given)
    return by_rank({name: given, "term": terms}, items, f"{which} novelty", value)
