"""From similarities to a list: scores of a history, and re-ranking by novelty and diversity."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    check_any_shape,
    check_cutoff,
    check_pairs,
    check_same_labels,
    columns_of,
    divide_or_nan,
    lists_of,
)
from receval._checks import (
    FloatArray,
    IntArray,
    check_choice,
    check_none,
    check_number,
    check_shape,
    check_that,
)
from receval.metrics.group import rank_items

__all__ = ["aggregate_history", "novelty_scores", "rerank_mmr", "temporal_weight"]

AGGREGATIONS = ("mean", "max", "positional", "temporal")
EPSILON = 0.1  # keeps the weight of a visit on the last day finite
NOVELTY_SHIFT = 2.72  # about e, so that an item of today has a novelty of about 1


def temporal_weight(days: npt.ArrayLike, *, formula: str = "history") -> FloatArray:
    r"""Weight visits, or items, by their age.

    .. math:: w_t = \frac{1}{\ln(\max(t, 1)) + 0.1}
              \qquad\text{or}\qquad w_t = \frac{1}{\ln(t + 2.72)}

    Parameters
    ----------
    days : array_like
        Ages in days, at least 0; fractions are allowed.
    formula : {"history", "novelty"}, default "history"
        ``"history"``, the first formula, weights the visits of a history. ``"novelty"``, the
        second, is the novelty of an item by its date. Both are in the authors' program. The text
        prints :math:`1/(\log(t) + \varepsilon)` for both, without base and epsilon, and without
        a value at zero days.

    Returns
    -------
    ndarray of float
        Weights, of the shape of ``days``: at most 10 for ``"history"``, and at most 1/ln
        2.72 = 0.99937 for ``"novelty"``.

    Raises
    ------
    InputError
        If an age is negative or not finite.

    References
    ----------
    Document 002, eq. 4.

    Examples
    --------
    >>> temporal_weight([0, 1, 2, 30]).round(2)
    array([10.  , 10.  ,  1.26,  0.29])
    >>> temporal_weight([0, 1, 2, 30], formula="novelty").round(2)
    array([1.  , 0.76, 0.64, 0.29])
    """
    check_choice(formula, "formula", ("history", "novelty"))
    age = check_any_shape(days, "days", as_finite)
    check_none(age, age < 0, "days", "be at least 0", "A date lies in the future")
    if formula == "novelty":
        return np.asarray(1 / np.log(age + NOVELTY_SHIFT))[()]
    return np.asarray(1 / (np.log(np.maximum(age, 1)) + EPSILON))[()]


def aggregate_history(
    scores: npt.ArrayLike,
    how: str = "mean",
    last: int | None = None,
    *,
    days: npt.ArrayLike | None = None,
    divide_by: str | None = None,
) -> FloatArray:
    r"""Aggregate the similarities of each candidate to the items of a history into one score.

    .. math:: \mathrm{score}(o) = \frac{\sum_{j} w_j \, \mathrm{sim}(j, o)}{\sum_{j} w_j}

    ============== =================================================================
    how            weight of the j-th item that is kept
    ============== =================================================================
    ``mean``       1
    ``max``        none: the largest similarity
    ``positional`` 1 - rank/n, rank 0 for the newest of the n items kept
    ``temporal``   `temporal_weight` of the days since the visit
    ============== =================================================================

    Parameters
    ----------
    scores : array_like, shape (..., history, candidates)
        Similarity of each candidate to each visited item, oldest visit first.
    how : {"mean", "max", "positional", "temporal"}, default "mean"
        The weights, as above.
    last : int, optional
        Number of newest items to keep; with 1, the weights make no difference. Default: the whole
        history.
    days : array_like, shape (..., history), optional
        Days since each visit; required for ``"temporal"``, refused otherwise.
    divide_by : {"weights", "count"}, default "weights"
        The text's weighted average divides by the sum of the weights, the authors' program by the
        number of items that are kept. By itself, the choice doesn't change the order of a list. It
        does if novelty is added to the scores, because novelty has another scale. ``"max"`` doesn't
        divide, so it refuses this option.

    Returns
    -------
    ndarray of float, shape (..., candidates)
        NaN for an empty history.

    Raises
    ------
    InputError
        If there are fewer than two axes, a similarity is not finite, ``how`` is unknown, ``last``
        is not a positive integer, or ``days`` is missing, negative or of another shape; also if
        ``days`` or ``divide_by`` is passed although ``how`` doesn't use it.

    Notes
    -----
    Document 002 prints the positional weight as :math:`1 - rank/k_p`. If ranks began at 1, the
    oldest item would have weight 0, and so would a history of one item. The authors' program counts
    ranks from 0.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> similarity = [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
    >>> aggregate_history(similarity, "mean"), aggregate_history(similarity, "max")
    (array([0.5, 0.5]), array([1., 1.]))
    >>> aggregate_history(similarity, "positional", last=2).round(4)
    array([0.8333, 0.1667])
    """
    check_choice(how, "how", AGGREGATIONS)
    if divide_by is not None:
        check_choice(divide_by, "divide_by", ("weights", "count"))
        check_that(how != "max", "divide_by", f"be left out when how is {how!r}", divide_by)
    check_same_labels(scores=lists_of(scores), days=days)
    similarity = as_finite(scores, "scores")
    rule = "have the axes (history, candidates)"
    check_that(similarity.ndim >= 2, "scores", rule, similarity.shape)
    rule = "be given if how is 'temporal', and only then"
    check_that((days is not None) == (how == "temporal"), "days", rule, days)
    shape_of_visits = similarity.shape[:-1]
    n_newest = check_cutoff(last, "last")
    if n_newest is not None:
        similarity = similarity[..., -n_newest:, :]
    *lead, n_kept, n_candidates = similarity.shape
    if n_kept == 0:  # an empty history says nothing about any candidate
        return np.full((*lead, n_candidates), np.nan)
    if how == "max":
        return np.asarray(similarity.max(axis=-2))

    weight = np.ones(n_kept)
    if how == "positional":
        rank = np.arange(n_kept)[::-1]  # 0 for the newest visit
        weight = 1 - rank / n_kept
    elif how == "temporal":
        age = as_finite(days, "days")
        check_shape(age, shape_of_visits, "days")
        weight = temporal_weight(age)[..., -n_kept:]
    # The sum over the history for each candidate, shape (..., candidates).
    weighted_sum = np.matmul(weight[..., np.newaxis, :], similarity)[..., 0, :]
    if divide_by == "count":
        return np.asarray(weighted_sum / n_kept)
    return divide_or_nan(weighted_sum, weight.sum(axis=-1, keepdims=True))


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
