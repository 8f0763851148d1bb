"""From the similarities of single visited items to one score per candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import batches_of_equal_length, ratio
from receval._checks import (
    FloatArray,
    InputError,
    check_choice,
    check_none,
    check_number,
    check_shape,
    check_that,
    is_scalar,
)
from receval._lists import as_array, as_finite, as_integers, as_numbers, check_cutoff
from receval.metrics.beyond_accuracy.item_lists import temporal_novelty_terms

__all__ = ["aggregate_history", "score_histories", "temporal_weight"]

WAYS = ("mean", "max", "positional", "temporal")
CELLS = 1 << 22  # similarities held at once


def temporal_weight(
    days: npt.ArrayLike, *, formula: str = "history", epsilon: float | None = None
) -> FloatArray:
    r"""What a visit, or an item, is worth by its age.

    .. math:: w_t = \frac{1}{\ln(\max(t, 1)) + \varepsilon}
              \qquad\text{or}\qquad w_t = \frac{1}{\ln(t + 2.72)}

    Parameters
    ----------
    days : array_like
        Ages in whole or broken days, at least 0.
    formula : {"history", "novelty"}, default "history"
        ``"history"``, the first one, weighs the visits of a history; ``"novelty"``, the second,
        is the novelty of an item by its date. Both stand in the authors' program; the text
        prints only :math:`1/(\log(t) + \varepsilon)` for both, without base and epsilon, and
        without a value at zero days.
    epsilon : float, default 0.1
        Only for ``"history"``: keeps a visit of one day from having infinite weight; positive.

    Returns
    -------
    ndarray of float
        Weights, of the shape of ``days``: at most 1/epsilon, or at most 1/ln 2.72 = 0.99937.

    Raises
    ------
    InputError
        If an age is negative or not finite, or ``epsilon`` is not positive.

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
    scalar = is_scalar(days)
    age = as_finite([days] if scalar else days, "days")
    check_none(age, age < 0, "days", "be at least 0", "A date lies in the future")
    used = epsilon is None or formula == "history"
    epsilon = _positive_epsilon(epsilon)
    check_that(used, "epsilon", f"be left out when formula is {formula!r}", epsilon)
    if formula == "novelty":
        weight = temporal_novelty_terms(age)
    else:
        weight = 1 / (np.log(np.maximum(age, 1)) + epsilon)
    return weight[0] if scalar else weight


def _positive_epsilon(epsilon: float | None) -> float:
    default = 0.1 if epsilon is None else epsilon
    return check_number(default, "epsilon", "a positive number", lambda e: e > 0)


def aggregate_history(
    scores: npt.ArrayLike,
    how: str = "mean",
    last: int | None = None,
    *,
    days: npt.ArrayLike | None = None,
    divide_by: str | None = None,
    epsilon: float | None = None,
) -> FloatArray:
    r"""One score per candidate from its similarity to each item of a history.

    .. math:: \mathrm{score}(o) = \frac{\sum_{j} w_j \, \mathrm{sim}(j, o)}{\sum_{j} w_j}

    ============== =================================================================
    how            weight of the j-th item kept
    ============== =================================================================
    ``mean``       1
    ``max``        none: the largest similarity
    ``positional`` 1 - rank/n, rank 0 for the newest of the n items kept
    ``temporal``   `temporal_weight` of the days since the visit
    ============== =================================================================

    Parameters
    ----------
    scores : array_like, shape (..., history, candidates)
        Similarity of each candidate to each visited item, oldest visit first. A row of NaN is
        an empty place, wherever it stands.
    how : {"mean", "max", "positional", "temporal"}, default "mean"
        As above.
    last : int, optional
        Keep only so many newest items; with 1 all ways agree. Default: the whole history.
    days : array_like, shape (..., history), optional
        Days since each visit; needed, and used, by ``"temporal"`` only. Ignored at an empty
        place.
    divide_by : {"weights", "count"}, default "weights"
        The text's weighted average divides by the sum of the weights, the authors' program by
        the number of items kept. Within one list that changes no order; together with novelty,
        which has a scale of its own, it does. ``"max"`` divides by nothing, and refuses it.
    epsilon : float, default 0.1
        As in `temporal_weight`, for ``"temporal"`` only.

    Returns
    -------
    ndarray of float, shape (..., candidates)
        NaN for an empty history.

    Raises
    ------
    InputError
        If there are fewer than two axes, a similarity is infinite or missing in a row that
        has others, ``how`` is unknown, ``last`` is not a positive integer, or ``days`` is
        missing, negative or of another shape, or ``days``, ``divide_by`` or ``epsilon`` is given
        for a way that does not use it.

    Notes
    -----
    Document 002 prints the positional weight as :math:`1 - rank/k_p`. With ranks from 1 the
    oldest item would weigh nothing, and a history of one item too; its program counts from 0.

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
    check_choice(how, "how", WAYS)
    if divide_by is not None:
        check_choice(divide_by, "divide_by", ("weights", "count"))
        check_that(how != "max", "divide_by", f"be left out when how is {how!r}", divide_by)
    rule = f"be left out when how is {how!r}"
    if epsilon is not None:
        epsilon = _positive_epsilon(epsilon)
        check_that(how == "temporal", "epsilon", rule, epsilon)
    s = as_numbers(scores, "scores")
    if s.ndim < 2:
        raise InputError(f"scores must have the axes (history, candidates); got shape {s.shape}")
    check_none(s, np.isinf(s), "scores", "be finite")
    missing = np.isnan(s)
    empty = np.asarray(missing.all(axis=-1))
    broken = missing & ~empty[..., np.newaxis]
    check_none(s, broken, "scores", "be numbers throughout a row, or NaN throughout")
    if (days is not None) != (how == "temporal"):
        need = "be given" if how == "temporal" else "be left out"
        raise InputError(f"days must {need} when how is {how!r}; got {type(days).__name__}")

    # 0 for the newest, counted over the places that are filled.
    rank = np.cumsum(~empty[..., ::-1], axis=-1)[..., ::-1] - 1
    kept = ~empty & (rank < (check_cutoff(last, "last") or s.shape[-2]))
    n = kept.sum(axis=-1, keepdims=True)
    if how == "max":
        largest = np.where(kept[..., np.newaxis], s, -np.inf).max(axis=-2, initial=-np.inf)
        return np.where(n > 0, largest, np.nan)
    weight: npt.ArrayLike = 1.0
    if how == "positional":
        weight = 1 - rank / np.maximum(n, 1)
    elif how == "temporal":
        age = as_numbers(days, "days")
        check_shape(age, empty.shape, "days")
        weight = temporal_weight(np.where(empty, 0.0, age), epsilon=epsilon)
    weight = np.where(kept, weight, 0.0)
    total = np.matmul(weight[..., np.newaxis, :], np.where(missing, 0.0, s))[..., 0, :]
    return ratio(total, n if divide_by == "count" else weight.sum(axis=-1, keepdims=True))


def score_histories(
    similarity: npt.ArrayLike,
    histories: Sequence[npt.ArrayLike],
    how: str = "mean",
    last: int | None = None,
    *,
    days: Sequence[npt.ArrayLike] | None = None,
    divide_by: str | None = None,
    epsilon: float | None = None,
) -> FloatArray:
    """Scores of all candidates for many users: `aggregate_history` over one similarity matrix.

    Parameters
    ----------
    similarity : array_like, shape (items, candidates)
        Similarity of each candidate to each item.
    histories : sequence of array_like of int
        For each user the rows of ``similarity`` that were visited, oldest first.
    how, last, divide_by, epsilon
        As in `aggregate_history`.
    days : sequence of array_like, optional
        For each user the days since each visit; for ``"temporal"`` only.

    Returns
    -------
    ndarray of float, shape (users, candidates)
        NaN for a user without history.

    Raises
    ------
    InputError
        If a history names a row that is not there, or as in `aggregate_history`.

    Examples
    --------
    >>> similarity = [[1.0, 0.2], [0.2, 1.0], [0.5, 0.5]]
    >>> score_histories(similarity, [[0], [0, 1], []])
    array([[1. , 0.2],
           [0.6, 0.6],
           [nan, nan]])
    """
    matrix = as_finite(similarity, "similarity")
    if matrix.ndim != 2:
        raise InputError(f"similarity must be a matrix (two axes); got shape {matrix.shape}")
    n, columns = matrix.shape
    rows = [as_integers(as_array(history, "histories"), "histories") for history in histories]
    for row in rows:
        check_none(
            row, (row < 0) | (row >= n), "histories", f"hold rows of similarity (0 to {n - 1})"
        )
    ages = None if days is None else [as_finite(age, "days") for age in days]
    if ages is not None and [len(age) for age in ages] != [len(row) for row in rows]:
        raise InputError("days must hold one number per visit of histories; got other lengths")
    answer = np.empty((len(rows), columns))
    options: dict[str, Any] = {"divide_by": divide_by, "epsilon": epsilon}
    # Users with histories of one length make a block without padding.
    for users in batches_of_equal_length([len(row) for row in rows], CELLS // max(columns, 1)):
        visited = matrix[np.stack([rows[user] for user in users])]
        at = None if ages is None else np.stack([ages[user] for user in users])
        answer[users] = aggregate_history(visited, how, last, days=at, **options)
    return answer
