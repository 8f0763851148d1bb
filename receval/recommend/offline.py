"""The off-line metrics of document 002, one row per user."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray, IntArray, check_none, check_shape, input_error
from receval._lists import as_array, as_finite, as_flags, as_integers
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
from receval.recommend.history import temporal_weight

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
    """Document 002's off-line metrics of many users' lists over common candidates.

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
        Score of every candidate. 1-MAE, R2 and AUC read scores, and so does not change with
        re-ranking.
    relevant : array_like of bool, shape (users, candidates)
        Whether the user chose the candidate.
    order : array_like of int, shape (users, candidates), optional
        The list as it is shown, as indices of candidates. Default: by descending score, equal
        scores in the order of candidates.
    days : array_like, shape (candidates,), optional
        Age of each candidate in days; without it there is no nov_t.
    seen : array_like of bool, shape (users, candidates), optional
        Whether the user saw the candidate before; without it there is no nov_u.
    similarity : array_like, shape (candidates, candidates), optional
        Similarity of candidates; without it there is no ild.
    discount : callable, default `shifted_log2`
        Of nDCG; document 002's program takes `clipped_log2`.

    Returns
    -------
    DataFrame
        One row per user; NaN where a metric is undefined, such as AUC without a relevant
        candidate. Averages are the caller's.

    Raises
    ------
    InputError
        If shapes do not go together, a score is not finite, or a row of ``order`` is no
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
    s, flag = as_finite(scores, "scores"), as_flags(relevant, "relevant")
    if s.ndim != 2 or flag.shape != s.shape:
        rule, got = "both have the shape (users, candidates)", f"{s.shape} and {flag.shape}"
        raise input_error("scores and relevant", rule, got)
    given = {"days": days, "seen": seen, "similarity": similarity}
    known = {name: as_array(one, name) for name, one in given.items() if one is not None}
    shapes = {"days": s.shape[1:], "seen": s.shape, "similarity": s.shape[1:] * 2}
    for name, array in known.items():
        check_shape(array, shapes[name], name)
    shown = _permutations(order, s)
    gains = np.take_along_axis(flag, shown, axis=1)
    n_relevant = flag.sum(axis=1).astype(np.int64)
    columns = {
        "1-MAE": one_minus_mae(s, flag),
        "R2": r_squared(min_max_scaled(s), flag),
        "AUC": auc(flag, scores=s),
        "MAP": average_precision(gains, n_relevant),
        "MRR": reciprocal_rank(gains),
        **{f"p{k}": precision(gains, k=k) for k in (5, 10)},
        **{f"r{k}": recall(gains, n_relevant, k=k) for k in (5, 10)},
        **{f"nDCG{k or ''}": ndcg(gains, flag, k=k, discount=discount) for k in (10, 100, None)},
    }
    beyond = [_beyond_accuracy(known, shown[:, :k], k) for k in (5, 10)]
    return pd.DataFrame({**columns, **beyond[0], **beyond[1]})


def _beyond_accuracy(
    known: dict[str, npt.NDArray[Any]], top: IntArray, k: int
) -> dict[str, FloatArray]:
    """Novelty and diversity of the first k, as far as what they need is known."""
    found: dict[str, FloatArray] = {}
    if "days" in known:
        novelty = temporal_weight(known["days"], formula="novelty")
        found[f"nov{k}_t"] = novelty[top].mean(axis=1)
    if "seen" in known:
        found[f"nov{k}_u"] = user_novelty(np.take_along_axis(known["seen"], top, axis=1))
    if "similarity" in known:
        found[f"ild{k}"] = intra_list_diversity(known["similarity"][top[:, :, None], top[:, None]])
    return found


def _permutations(order: npt.ArrayLike | None, scores: FloatArray) -> IntArray:
    shown = rank_items(scores) if order is None else as_integers(order, "order")
    check_shape(shown, scores.shape, "order")
    rows = np.sort(shown, axis=1)
    check_none(
        rows, rows != np.arange(rows.shape[1]), "order", "hold each candidate once in every row"
    )
    return shown
