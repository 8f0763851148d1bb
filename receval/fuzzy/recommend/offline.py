"""The off-line metrics of document 002, one row per user."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    as_array,
    as_finite,
    as_flags,
    as_integers,
    check_same_labels,
    columns_of,
    lists_of,
)
from receval._checks import check_none, check_shape, check_that
from receval.fuzzy.recommend.history import temporal_weight
from receval.metrics import (
    auc,
    average_precision,
    intra_list_diversity,
    ndcg,
    reciprocal_rank,
    shifted_log2,
    user_novelty,
)
from receval.metrics.discounts import Discount
from receval.metrics.group import rank_items
from receval.metrics.prediction import min_max_scaled, one_minus_mae, r_squared
from receval.metrics.ranking import precision, recall

__all__ = ["offline_measures"]


def offline_measures(
    scores: npt.ArrayLike,
    relevant: npt.ArrayLike,
    *,
    order: npt.ArrayLike | None = None,
    days: npt.ArrayLike | None = None,
    seen: npt.ArrayLike | None = None,
    similarity: npt.ArrayLike | None = None,
    discount: Discount = shifted_log2,
) -> pd.DataFrame:
    """Compute document 002's off-line metrics of many users' lists over common candidates.

    ================================ ====================================================
    column                           metric
    ================================ ====================================================
    1-MAE, R2                        `one_minus_mae` and `r_squared` of scaled scores
    AUC                              `auc` of the scores, ties one half
    MAP, MRR                         `average_precision`, `reciprocal_rank`, whole list
    p5, p10, r5, r10                 `precision` and `recall`
    nDCG10, nDCG100, nDCG            `ndcg` at 10, at 100 and of the whole list
    nov5_t, nov10_t                  mean `temporal_weight` by the formula "novelty"
    nov5_u, nov10_u                  `user_novelty`: the share *not* seen before
    ild5, ild10                      `intra_list_diversity`
    ================================ ====================================================

    Parameters
    ----------
    scores : array_like, shape (users, candidates)
        Score of every candidate. 1-MAE, R2 and AUC read scores, so they don't change with
        re-ranking.
    relevant : array_like of bool, shape (users, candidates)
        Whether the user chose the candidate.
    order : array_like of int, shape (users, candidates), optional
        The list as it is shown, as indices of candidates. Default: by descending score, equal
        scores in the order of candidates.
    days : array_like, shape (candidates,), optional
        Age of each candidate in days. Without it there are no columns nov5_t and nov10_t.
    seen : array_like of bool, shape (users, candidates), optional
        Whether the user saw the candidate before. Without it there are no columns nov5_u and
        nov10_u.
    similarity : array_like, shape (candidates, candidates), optional
        Similarity of candidates. Without it there are no columns ild5 and ild10.
    discount : callable, default `shifted_log2`
        Discount of nDCG; document 002's program uses `clipped_log2`.

    Returns
    -------
    DataFrame
        One row per user; NaN where a metric is undefined, such as AUC without a relevant
        candidate. Averaging over users is left to you.

    Raises
    ------
    InputError
        If shapes do not fit together, a score is not finite, or a row of ``order`` is not a
        permutation of the candidates.

    References
    ----------
    Document 002, section IV-A.

    Examples
    --------
    >>> offline_measures([[0.9, 0.5, 0.1]], [[False, True, False]])[["AUC", "MRR", "p5"]]
       AUC  MRR   p5
    0  0.5  0.5  0.2
    """
    values = {"scores": scores, "relevant": relevant, "days": days, "seen": seen}
    check_same_labels(**values, similarity=lists_of(similarity))
    check_same_labels(**values, similarity=columns_of(similarity))
    users = {name: lists_of(value) for name, value in values.items()}
    check_same_labels(**users, order=lists_of(order))
    scores = as_finite(scores, "scores")
    is_relevant = as_flags(relevant, "relevant")
    rule = "both have the shape (users, candidates)"
    shapes = [scores.shape, is_relevant.shape]
    fits = scores.ndim == 2 and shapes[0] == shapes[1]
    check_that(fits, "scores and relevant", rule, shapes)
    n_users, n_candidates = scores.shape
    arrays = {}  # the optional arrays that the user passed
    for name, value, shape in (
        ("days", days, (n_candidates,)),
        ("seen", seen, (n_users, n_candidates)),
        ("similarity", similarity, (n_candidates, n_candidates)),
    ):
        if value is not None:
            arrays[name] = as_array(value, name)
            check_shape(arrays[name], shape, name)
    if order is None:
        lists = rank_items(scores)
    else:
        lists = as_integers(order, "order")
        check_shape(lists, scores.shape, "order")
        # Sorted, a permutation of n candidates is 0, 1, ..., n - 1.
        sorted_lists = np.sort(lists, axis=1)
        is_wrong = sorted_lists != np.arange(n_candidates)
        check_none(sorted_lists, is_wrong, "order", "hold each candidate once in every row")

    gains = np.take_along_axis(is_relevant, lists, axis=1)  # by rank
    n_relevant = is_relevant.sum(axis=1).astype(np.int64)
    columns = {
        "1-MAE": one_minus_mae(scores, is_relevant),
        "R2": r_squared(min_max_scaled(scores), is_relevant),
        "AUC": auc(is_relevant, scores=scores),
        "MAP": average_precision(gains, n_relevant),
        "MRR": reciprocal_rank(gains),
        "p5": precision(gains, k=5),
        "p10": precision(gains, k=10),
        "r5": recall(gains, n_relevant, k=5),
        "r10": recall(gains, n_relevant, k=10),
        "nDCG10": ndcg(gains, is_relevant, k=10, discount=discount),
        "nDCG100": ndcg(gains, is_relevant, k=100, discount=discount),
        "nDCG": ndcg(gains, is_relevant, discount=discount),
    }
    # Novelty and diversity of the first k candidates of each list.
    for k in (5, 10):
        top = lists[:, :k]
        if "days" in arrays:
            novelty = temporal_weight(arrays["days"], formula="novelty")
            columns[f"nov{k}_t"] = novelty[top].mean(axis=1)
        if "seen" in arrays:
            columns[f"nov{k}_u"] = user_novelty(np.take_along_axis(arrays["seen"], top, axis=1))
        if "similarity" in arrays:
            # Similarities of any two of the first k candidates, shape (users, k, k).
            pairs = arrays["similarity"][top[:, :, np.newaxis], top[:, np.newaxis]]
            columns[f"ild{k}"] = intra_list_diversity(pairs)
    return pd.DataFrame(columns)
