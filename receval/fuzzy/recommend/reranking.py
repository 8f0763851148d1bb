"""Re-ranking of a list: towards new items, and away from similar items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    check_cutoff,
    check_pairs,
    check_same_labels,
    columns_of,
    lists_of,
)
from receval._checks import FloatArray, IntArray, check_number, check_shape
from receval.metrics.group import rank_items

__all__ = ["novelty_scores", "rerank_mmr"]


def novelty_scores(
    scores: npt.ArrayLike, novelty: npt.ArrayLike, *, trade_off: float = 0.8
) -> FloatArray:
    r"""Return the weighted average of relevance and novelty.

    .. math:: \bar r(o) = \lambda \, r(o) + (1 - \lambda) \, n(o)

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Relevance r of each candidate.
    novelty : array_like, shape (..., candidates) or (candidates,)
        Novelty n of each candidate; document 002 uses ``temporal_weight(days, formula="novelty")``.
    trade_off : float, default 0.8
        The weight :math:`\lambda` of the relevance, in [0, 1].

    Returns
    -------
    ndarray of float, shape (..., candidates)

    Raises
    ------
    InputError
        If a number is not finite, the shapes do not fit together, or ``trade_off`` lies outside
        [0, 1].

    Notes
    -----
    The average mixes two scales. The authors' program takes raw similarities as scores; scaled
    scores give other lists.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> novelty_scores([0.9, 0.8], [0.1, 0.9]).round(2)
    array([0.74, 0.82])
    """
    check_same_labels(scores=scores, novelty=novelty)
    scores = as_finite(scores, "scores")
    novelty = as_finite(novelty, "novelty")
    check_pairs(scores, novelty, "scores novelty")
    trade_off = _check_trade_off(trade_off)
    return trade_off * scores + (1 - trade_off) * novelty


def rerank_mmr(
    scores: npt.ArrayLike,
    similarity: npt.ArrayLike,
    *,
    trade_off: float = 0.8,
    k: int | None = None,
) -> IntArray:
    r"""Re-rank by maximal marginal relevance (MMR): prefer items unlike those already chosen.

    .. math:: \arg\max_{o \notin S} \;\lambda \, r(o)
              - (1 - \lambda) \max_{s \in S} \mathrm{sim}(o, s)

    where S holds the items at earlier places; the item with the best score gets the first place.

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Relevance r of each candidate.
    similarity : array_like, shape (candidates, candidates)
        Similarity of any two candidates. Use 0 for an unknown pair, as the authors' program does.
    trade_off : float, default 0.8
        The weight :math:`\lambda` of the relevance, in [0, 1]; 1 keeps the order by score.
    k : int, optional
        Number of places to fill in this way; the other items follow by score. Default: all. The
        authors' program fills 10.

    Returns
    -------
    ndarray of int, shape (..., candidates)
        0-based indices of candidates, best first; ties go to the earlier candidate. Lists without
        candidates stay empty.

    Raises
    ------
    InputError
        If a number is not finite, the shapes do not fit together, ``trade_off`` lies outside
        [0, 1], or ``k`` is not a positive integer.

    Notes
    -----
    All lists are filled together, one place at a time. For each candidate, the function keeps the
    largest similarity to the chosen items, so it needs k steps over arrays of shape (lists,
    candidates). Relevance and similarity should have the same scale: document 002's off-line
    evaluation first scales the scores of each list to [0, 1]; its server did not.

    References
    ----------
    Document 002, section III-B; Carbonell and Goldstein (1998), SIGIR.

    Examples
    --------
    Two beach holidays and a hike:

    >>> alike = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> rerank_mmr([1.0, 0.9, 0.8], alike)
    array([0, 2, 1])
    """
    check_same_labels(scores=columns_of(scores), similarity=columns_of(similarity))
    check_same_labels(scores=columns_of(scores), similarity=lists_of(similarity))
    scores = as_finite(scores, "scores")
    n = scores.shape[-1]
    similarity = as_finite(similarity, "similarity")
    check_shape(similarity, (n, n), "similarity")
    trade_off = _check_trade_off(trade_off)
    n_places = min(check_cutoff(k) or n, n)
    if scores.size == 0:  # there is nothing to order
        return np.empty(scores.shape, np.int64)
    # From here on, arrays have the shape (lists, candidates); at the end, the lists get their
    # leading axes back.
    relevance = scores.reshape(-1, n)
    list_index = np.arange(len(relevance))
    order = np.empty(relevance.shape, np.int64)
    is_chosen = np.zeros(relevance.shape, bool)
    largest_similarity = np.full(relevance.shape, -np.inf)  # of each candidate to a chosen item
    for place in range(n_places):
        value = relevance
        if place > 0:  # at the first place there is no chosen item yet
            value = trade_off * relevance - (1 - trade_off) * largest_similarity
        # Choose the candidate with the largest value in each list; a tie goes to the earlier one.
        best = np.where(is_chosen, -np.inf, value).argmax(axis=-1)
        order[:, place] = best
        is_chosen[list_index, best] = True
        largest_similarity = np.maximum(largest_similarity, similarity[best])

    # The items that were not chosen follow by score. NaN puts the chosen items last.
    order[:, n_places:] = rank_items(np.where(is_chosen, np.nan, relevance))[:, : n - n_places]
    return order.reshape(scores.shape)


def _check_trade_off(value: float) -> float:
    """Return the weight of the relevance as a number, after checking that it is in [0, 1]."""
    return check_number(value, "trade_off", "a number from 0 to 1", lambda x: 0 <= x <= 1)
