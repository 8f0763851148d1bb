"""Re-ranking a list: towards new items, and away from items that are alike."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, IntArray, check_number, check_shape
from receval._lists import as_finite, check_cutoff, check_leading, check_pairs
from receval.metrics.group import rank_items

__all__ = ["novelty_scores", "rerank_mmr", "rerank_novelty"]


def novelty_scores(
    scores: npt.ArrayLike, novelty: npt.ArrayLike, *, trade_off: float = 0.8
) -> FloatArray:
    r"""Weighted average of relevance and novelty.

    .. math:: \bar r(o) = \lambda \, r(o) + (1 - \lambda) \, n(o)

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Relevance r of each candidate.
    novelty : array_like, shape (..., candidates) or (candidates,)
        Novelty n of each candidate, in document 002
        ``temporal_weight(days, formula="novelty")``.
    trade_off : float, default 0.8
        The weight :math:`\lambda` of the relevance, in [0, 1].

    Returns
    -------
    ndarray of float, shape (..., candidates)

    Raises
    ------
    InputError
        If a number is not finite, the shapes do not go together, or ``trade_off`` lies outside
        [0, 1].

    Notes
    -----
    The average mixes two scales. The authors' program takes raw similarities; scaled ones give
    other lists.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> novelty_scores([0.9, 0.8], [0.1, 0.9]).round(2)
    array([0.74, 0.82])
    """
    r, n = as_finite(scores, "scores"), as_finite(novelty, "novelty")
    check_pairs(r, n, "scores novelty")
    share = _trade_off(trade_off)
    return share * r + (1 - share) * n


def rerank_novelty(
    scores: npt.ArrayLike, novelty: npt.ArrayLike, *, trade_off: float = 0.8
) -> IntArray:
    """The candidates in the order of their `novelty_scores`.

    Parameters
    ----------
    scores, novelty, trade_off
        As in `novelty_scores`.

    Returns
    -------
    ndarray of int, shape (..., candidates)
        0-based indices of candidates, best first; equal scores in the order of candidates.

    Raises
    ------
    InputError
        As in `novelty_scores`.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> rerank_novelty([0.9, 0.8], [0.1, 0.9])
    array([1, 0])
    """
    return rank_items(novelty_scores(scores, novelty, trade_off=trade_off))


def rerank_mmr(
    scores: npt.ArrayLike,
    similarity: npt.ArrayLike,
    *,
    trade_off: float = 0.8,
    k: int | None = None,
) -> IntArray:
    r"""Maximal marginal relevance (MMR): fill each place with what is relevant and not there yet.

    .. math:: \arg\max_{o \notin S} \;\lambda \, r(o)
              - (1 - \lambda) \max_{s \in S} \mathrm{sim}(o, s)

    where S holds the items at the places before; the first place goes to the best score.

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Relevance r of each candidate.
    similarity : array_like, shape (candidates, candidates) or (..., candidates, candidates)
        Similarity of any two candidates; one matrix for all lists, or one for each. An unknown
        pair has 0, as in the authors' program.
    trade_off : float, default 0.8
        The weight :math:`\lambda` of the relevance, in [0, 1]; 1 leaves the order of scores.
    k : int, optional
        Places filled in this way; the rest follows by score. Default: all. The authors' program
        fills 10.

    Returns
    -------
    ndarray of int, shape (..., candidates)
        0-based indices of candidates, best first; ties go to the earlier candidate.

    Raises
    ------
    InputError
        If a number is not finite, the shapes do not go together, ``trade_off`` lies outside
        [0, 1], or ``k`` is not a positive integer.

    Notes
    -----
    All lists advance together, a place at a time, and each keeps the largest similarity to what
    it has chosen: k steps over (lists, candidates), no pair is looked at twice. Relevance and
    similarity should have one scale; document 002's off-line evaluation scales the scores of
    each list to [0, 1] first, its server did not.

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
    r, s = as_finite(scores, "scores"), as_finite(similarity, "similarity")
    n = r.shape[-1]
    check_shape(s, (..., n, n), "similarity")
    lead = check_leading("scores similarity", r.shape[:-1], s.shape[:-2])
    share, places = _trade_off(trade_off), min(check_cutoff(k) or n, n)
    lists = np.broadcast_to(r, (*lead, n)).reshape(-1, n)
    own = np.broadcast_to(s, (*lead, n, n)).reshape(-1, n, n) if s.ndim > 2 else None
    line = np.arange(len(lists))
    order = np.empty(lists.shape, np.int64)
    chosen = np.zeros(lists.shape, bool)
    nearest = np.full(lists.shape, -np.inf)
    for place in range(places):
        marginal = share * lists - (1 - share) * nearest if place else lists
        best = np.where(chosen, -np.inf, marginal).argmax(axis=-1)
        order[:, place], chosen[line, best] = best, True
        np.maximum(nearest, s[best] if own is None else own[line, best], out=nearest)
    by_score = rank_items(lists)
    rest = ~np.take_along_axis(chosen, by_score, axis=-1)
    order[:, places:] = by_score[rest].reshape(len(lists), n - places)
    return order.reshape(*lead, n)


def _trade_off(value: float) -> float:
    return check_number(value, "trade_off", "a number from 0 to 1", lambda x: 0 <= x <= 1)
