"""Scores of candidates from their similarities to the items of a history."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    check_any_shape,
    check_cutoff,
    check_same_labels,
    divide_or_nan,
    lists_of,
)
from receval._checks import (
    FloatArray,
    check_choice,
    check_none,
    check_shape,
    check_that,
)

__all__ = ["aggregate_history", "temporal_weight"]

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
