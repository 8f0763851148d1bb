"""Novelty and diversity: lists judged by the subtopics that their items cover.

A user may want several things at once, the *subtopics*, and an item can be relevant for some of
them. The gains of such a list have one row for each subtopic. An item that covers a subtopic
again adds less than the first one, so these measures favour lists that cover many subtopics early.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from receval._arrays import divide_or_nan
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_none,
    check_number,
    input_error,
)
from receval._lists import (
    as_counts,
    as_gains,
    broadcast_leading_axes,
    check_cutoff,
    check_same_labels,
    lists_of,
)
from receval._types import AnyArray, Options
from receval.metrics import ties
from receval.metrics.discounts import reciprocal, shifted_log2
from receval.metrics.formula import (
    ArrayLists,
    RankFormula,
    Terms,
    cumulative,
    is_relevant,
    sum_over_ranks,
)
from receval.metrics.ranking.cascade import err_formula
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction
from receval.metrics.ties import Ties

__all__ = [
    "alpha_ndcg",
    "alpha_ndcg_terms",
    "err_ia",
    "err_ia_terms",
    "ideal_alpha_dcg_terms",
]

NORMALIZATIONS = ("none", "perfect")

NEGLIGIBLE = 2.0**-64
"""If a smaller share of users goes on, the ranks behind change no bit of a value."""

MAX_RANKS = 10**6
"""The largest number of ranks of a perfect list that are added up."""

DECIMALS = 9
"""Gains that are equal up to here are equal: the rest are rounding errors of powers of alpha."""


# alpha-nDCG ---------------------------------------------------------------------------------------


class InterestLeft:
    """The prefix factor (1 - alpha)^c of a subtopic that c items above a rank have covered."""

    name = "interest left"

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def factor(self, gains: AnyArray) -> FloatArray:
        """Return the factor at each rank; ``gains`` is 1 for items that cover the subtopic."""
        n_above = cumulative(gains) - gains.astype(np.int64)
        return np.asarray((1 - self.alpha) ** n_above)

    def over_ties(self, gains: FloatArray, tie_runs: Ties) -> FloatArray:
        """Return the mean of gain times factor at each rank, over all orders of tied scores."""
        if self.alpha == 0:  # the interest stays, so the order does not matter
            return tie_runs.mean(gains)
        # Imagine users who stop with chance alpha at each item that covers this subtopic. The mean
        # is the share of these users who stop at the rank, divided by alpha.
        return ties.unstopped(self.alpha * gains, tie_runs) / self.alpha


@cache
def _gain_terms(alpha: float, *, is_discounted: bool) -> Terms:
    """Return the terms of one subtopic, with or without the discount of the ranks."""
    weight = shifted_log2 if is_discounted else None
    return Terms(gain=is_relevant, weight=weight, above=InterestLeft(alpha))


def _sum_over_subtopics(values: FloatArray) -> FloatArray:
    """Sum over the axis of subtopics (the last but one), one subtopic after the other.

    The way `numpy.sum` groups terms depends on how many there are. So a subtopic without any value
    could change the last bit of the sum.
    """
    total = np.zeros((*values.shape[:-2], values.shape[-1]))
    for subtopic in range(values.shape[-2]):
        total += values[..., subtopic, :]
    return total


def alpha_ndcg_terms(
    gains: npt.ArrayLike, *, k: int | None = None, alpha: float = 0.5
) -> FloatArray:
    """Return the discounted gain at each rank; the sum is the alpha-DCG.

    Parameters and errors are those of `alpha_ndcg`.

    Examples
    --------
    The second item covers the first subtopic again, which adds 0.5 / log2(3):

    >>> alpha_ndcg_terms([[1, 1, 0], [1, 0, 0]]).round(4)
    array([2.    , 0.3155, 0.    ])
    """
    gains = as_subtopic_gains(gains, "gains")[..., : check_cutoff(k)]
    gain = novelty_gains(gains, alpha)
    return np.asarray(gain * shifted_log2(np.arange(1.0, gain.shape[-1] + 1)))


def novelty_gains(gains: FloatArray, alpha: float) -> FloatArray:
    """Return the gain of each rank: the interest left in the subtopics that its item covers."""
    terms = _gain_terms(_check_alpha(alpha), is_discounted=False)
    return _sum_over_subtopics(terms.columns(gains).terms)


def ideal_alpha_dcg_terms(
    relevance: npt.ArrayLike, *, k: int | None = None, alpha: float = 0.5
) -> FloatArray:
    """Return the discounted gains of the greedy ideal list; the sum is the ideal alpha-DCG.

    Each rank gets the item that has the largest gain, given the items above it. If several items
    have this gain, the rank gets the first of them in ``relevance``. There is one term for each
    item of ``relevance``, but at most ``k``. Parameters and errors are those of `alpha_ndcg`.

    Examples
    --------
    Three items, of which the last covers both subtopics:

    >>> ideal_alpha_dcg_terms([[1, 0, 1], [0, 1, 1]]).round(4)
    array([2.    , 0.3155, 0.25  ])
    """
    relevance = as_subtopic_gains(relevance, "relevance", by_rank=False)
    ideal = greedy_ideal(relevance > 0, _check_alpha(alpha), check_cutoff(k))
    return np.asarray(ideal.gains * shifted_log2(np.arange(1.0, ideal.gains.shape[-1] + 1)))


class GreedyIdeal(NamedTuple):
    """The ideal lists that a greedy choice makes.

    Attributes
    ----------
    gains : gain at each rank, without discount; shape (..., n_ranks).
    items : position of the chosen item among the given ones, of the same shape.
    """

    gains: FloatArray
    items: IntArray


def greedy_ideal(covers: BoolArray, alpha: float, k: int | None) -> GreedyIdeal:
    """Choose the item with the largest gain, rank by rank.

    ``covers`` says which subtopics the items cover, with the shape (..., n_subtopics, n_items). Of
    items with equal gains the first one is chosen. There are ``k`` ranks, or fewer if there are
    fewer items. Finding the best order of all is NP-hard; this greedy order is the usual
    replacement.
    """
    *leading, n_subtopics, n_items = covers.shape
    n_lists = math.prod(leading)
    covers = covers.reshape(n_lists, n_subtopics, n_items)
    n_ranks = n_items if k is None else min(k, n_items)
    lists = np.arange(n_lists)
    interest = np.ones((n_lists, n_subtopics))
    is_chosen = np.zeros((n_lists, n_items), bool)
    gains = np.zeros((n_lists, n_ranks))
    items = np.zeros((n_lists, n_ranks), np.int64)
    for rank in range(n_ranks):
        # The gain that each item would have at this rank.
        gain = np.zeros((n_lists, n_items))
        for subtopic in range(n_subtopics):
            gain += covers[:, subtopic] * interest[:, subtopic, np.newaxis]
        gain[is_chosen] = -1.0  # below all others
        # `argmax` takes the first of several maxima.
        best = np.argmax(gain.round(DECIMALS), axis=1)
        gains[:, rank] = gain[lists, best]
        items[:, rank] = best
        is_chosen[lists, best] = True
        interest[covers[lists, :, best]] *= 1 - alpha
    shape = (*leading, n_ranks)
    return GreedyIdeal(gains.reshape(shape), items.reshape(shape))


def alpha_ndcg(
    gains: npt.ArrayLike,
    relevance: npt.ArrayLike,
    *,
    k: int | None = None,
    alpha: float = 0.5,
) -> FloatArray:
    r"""Alpha-nDCG: an nDCG that rewards lists for covering many subtopics early.

    An item earns 1 for each subtopic that it is the first to cover. It earns less for a subtopic
    that c items above it have covered already. The sum is divided by that of a greedy ideal list:

    .. math:: \alpha\text{-DCG@}k = \sum_{i=1}^{\min(k, n)} \frac{1}{\log_2(1 + i)}
              \sum_t [g_{ti} > 0] \, (1 - \alpha)^{c_{ti}}, \qquad
              c_{ti} = \sum_{j < i} [g_{tj} > 0]

    .. math:: \alpha\text{-nDCG@}k = \frac{\alpha\text{-DCG@}k}{\text{ideal } \alpha\text{-DCG@}k}

    Parameters
    ----------
    gains : array_like, shape (..., n_subtopics, n)
        Grades by rank, a row for each subtopic. An item with a grade above 0 covers the subtopic.
        NaN marks an empty rank at the tail, in all rows.
    relevance : array_like, shape (..., n_subtopics, m)
        Grades of all relevant items, retrieved or not, with the same rows.
    k : int, optional
        Cut-off rank of both lists.
    alpha : float, default 0.5
        In [0, 1]: the interest that a subtopic loses with each item that covers it. With 0 it
        loses none, and with 1 only the first item counts.

    Returns
    -------
    ndarray of float, shape (...)
        Values of at least 0; NaN if nothing is relevant. The ideal list is built greedily and is
        not always the best one, so a value can be slightly above 1.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN comes before a grade, the two arrays differ in
        their leading axes or their number of subtopics, ``alpha`` lies outside [0, 1], or ``k`` is
        not a positive integer.

    Notes
    -----
    At each rank, the ideal list has the item with the largest gain. If several items have it, their
    order can change the value. Here the first one in ``relevance`` is chosen. `evaluate` chooses
    the one whose id comes last as a byte string. So does ndeval, the program of the TREC Web track.

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), SIGIR,
    doi:10.1145/1390334.1390446; ndeval 4.5, computeDCG and idealResult.

    Examples
    --------
    Two subtopics. The list repeats the first one, although one of the items covers both:

    >>> gains = [[1, 1, 0], [0, 0, 1]]
    >>> relevance = [[1, 1, 0, 1], [0, 0, 1, 1]]
    >>> alpha_ndcg(gains, relevance, k=3).round(4)
    np.float64(0.7077)
    """
    check_same_labels(gains=lists_of(gains), relevance=lists_of(relevance))
    gains = as_subtopic_gains(gains, "gains")
    relevance = as_subtopic_gains(relevance, "relevance", by_rank=False)
    broadcast_leading_axes("gains relevance", gains.shape[:-1], relevance.shape[:-1])
    alpha_dcg = sum_over_ranks(alpha_ndcg_terms(gains, k=k, alpha=alpha))
    ideal = sum_over_ranks(ideal_alpha_dcg_terms(relevance, k=k, alpha=alpha))
    return divide_or_nan(alpha_dcg, ideal)


def as_subtopic_gains(values: npt.ArrayLike, name: str, *, by_rank: bool = True) -> FloatArray:
    """Return grades by subtopic and rank; raise unless there is an axis of subtopics.

    If ``by_rank`` is False, the last axis is for items in any order, and NaN may be anywhere.
    """
    array = as_gains(values, name, by_rank=by_rank)
    if array.ndim < 2:
        rule = "have a row for each subtopic (two axes)"
        raise InputError(f"{name} must {rule}; got shape {array.shape}")
    if by_rank and array.shape[-2]:
        is_empty = np.isnan(array)
        differs = is_empty != is_empty[..., :1, :]
        check_none(array, differs, name, "have the same empty ranks for each subtopic")
    return array


def _check_alpha(alpha: float) -> float:
    """Return alpha; raise unless it lies in [0, 1]."""
    return check_number(alpha, "alpha", "a number from 0 to 1", lambda alpha: 0 <= alpha <= 1)


def _alpha_ndcg_arguments(lists: ListsWithFacts, k: int | None, alpha: float = 0.5) -> Options:
    """Return the keyword arguments of `alpha_ndcg` for some lists."""
    return {
        "gains": lists.gains_by_subtopic(k),
        "relevance": lists.relevance_by_subtopic,
        "k": k,
        "alpha": alpha,
    }


def _mean_alpha_ndcg(lists: ListsWithFacts, k: int | None, alpha: float = 0.5) -> FloatArray:
    """Return the mean alpha-nDCG of each list over all orders of tied scores."""
    mean_dcg = _mean_over_ties(RankFormula(_gain_terms(alpha, is_discounted=True)), lists, k)
    ideal = ideal_alpha_dcg_terms(lists.relevance_by_subtopic, k=k, alpha=alpha)
    return divide_or_nan(mean_dcg, sum_over_ranks(ideal))


def _mean_over_ties(formula: RankFormula, lists: ListsWithFacts, k: int | None) -> FloatArray:
    """Average a formula over all orders of tied scores, and sum the means of the subtopics.

    The mean of a sum is the sum of the means, so each subtopic can be averaged by itself.
    """
    gains = lists.gains_by_subtopic(None)
    scores = np.broadcast_to(np.asarray(lists.scores)[:, np.newaxis], gains.shape)
    means = formula.over_ties(ArrayLists(gains, scores=scores), k)
    return _sum_over_subtopics(means[..., np.newaxis])[..., 0]


ALPHA_NDCG = MeasureSpec(
    name="alpha-nDCG",
    function=alpha_ndcg,
    title="novelty-aware normalised discounted cumulative gain",
    aliases=("alpha_nDCG",),
    formula=r"\frac{1}{\text{ideal}} \sum_{i \le k} \frac{1}{\log_2(1 + i)} \sum_t "
    r"[g_{uti} > 0]\, (1 - \alpha)^{\sum_{j < i} [g_{utj} > 0]}",
    source="@clarke2008",
    computation=PerListFunction(
        alpha_ndcg,
        _alpha_ndcg_arguments,
        check_options=_check_alpha,
        mean_over_ties=_mean_alpha_ndcg,
    ),
    options=("alpha",),
    depends_on=("relevant", "ties", "missing", "no relevant item"),
    needs=("subtopics",),
    methods_note="alpha-nDCG discounts rank i by 1 / log2(1 + i), its ideal list is the greedy "
    "one, and alpha is 0.5 unless the name of the measure says otherwise",
)


# ERR-IA -------------------------------------------------------------------------------------------


def err_ia_terms(gains: npt.ArrayLike, *, max_grade: float, k: int | None = None) -> FloatArray:
    """Return the terms of the ERR at each rank, summed over the subtopics.

    Parameters and errors are those of `err_ia`, which divides the sum of the terms by the number of
    subtopics.

    Examples
    --------
    >>> err_ia_terms([[1, 1, 0], [1, 0, 0]], max_grade=1)
    array([1.   , 0.125, 0.   ])
    """
    gains = as_subtopic_gains(gains, "gains")[..., : check_cutoff(k)]
    formula = err_formula(max_grade)
    rule = f"be at most max_grade, {float(max_grade):g}"
    check_none(gains, gains > max_grade, "gains", rule)
    return _sum_over_subtopics(formula.terms.columns(gains).terms)


def err_ia(
    gains: npt.ArrayLike,
    n_subtopics: npt.ArrayLike,
    *,
    max_grade: float,
    k: int | None = None,
    normalization: str = "none",
) -> FloatArray:
    r"""Intent-aware expected reciprocal rank (ERR-IA): the mean ERR over the subtopics.

    .. math:: \mathrm{ERR\text{-}IA@}k = \frac{1}{T} \sum_t \mathrm{ERR}_t\mathrm{@}k, \qquad
              \mathrm{ERR}_t\mathrm{@}k = \sum_{i=1}^{\min(k, n)} \frac{R_{ti}}{i}
              \prod_{j < i} (1 - R_{tj}), \qquad R_{ti} = \frac{2^{g_{ti}} - 1}{2^{g_{\max}}}

    Parameters
    ----------
    gains : array_like, shape (..., n_subtopics, n)
        Grades by rank, a row for each subtopic. NaN marks an empty rank at the tail, in all rows.
    n_subtopics : array_like of int, shape (...)
        The number T of subtopics for which any item is relevant, retrieved or not. All of them
        count the same.
    max_grade : float
        The highest grade of the scale, from 0 to 1000; no grade may lie above it. With 1, half of
        the users stop at a relevant item.
    k : int, optional
        Cut-off rank.
    normalization : {"none", "perfect"}, default "none"
        With "perfect", the value is divided by that of a perfect list: k items (without ``k``,
        infinitely many) that all have the highest grade for every subtopic. With grades of 0 and 1
        this is the ERR-IA of ndeval, the program of the TREC Web track.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; NaN if nothing is relevant.

    Raises
    ------
    InputError
        If a grade is negative, infinite or above ``max_grade``, NaN comes before a grade, a list
        covers more subtopics than ``n_subtopics``, or an option is unknown or out of range.

    Notes
    -----
    The paper weights a subtopic by the chance that the user means it. As in the TREC Web track,
    every subtopic is equally likely here. ndeval does not divide the value at cut-off 1, which is
    a mistake of that program; receval does.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan (2009), CIKM, doi:10.1145/1645953.1646033; Chapelle, Ji,
    Liao, Velipasaoglu, Lai and Wu (2011), Information Retrieval 14(6),
    doi:10.1007/s10791-011-9167-7; ndeval 4.5, computeERR.

    Examples
    --------
    Half of the users stop at each relevant item. The first subtopic has an ERR of 1/2 + 1/8, the
    second one of 1/2:

    >>> gains = [[1, 1, 0], [1, 0, 0]]
    >>> err_ia(gains, 2, max_grade=1)
    np.float64(0.5625)
    >>> err_ia(gains, 2, max_grade=1, k=3, normalization="perfect").round(4)
    np.float64(0.8438)
    """
    check_choice(normalization, "normalization", NORMALIZATIONS)
    gains = as_subtopic_gains(gains, "gains")
    totals = as_counts(n_subtopics, "n_subtopics")
    broadcast_leading_axes("gains n_subtopics", gains.shape[:-2], np.shape(totals))
    n_covered = np.count_nonzero((gains > 0).any(axis=-1), axis=-1)
    is_too_small = np.asarray(totals) < n_covered
    rule = "be at least the number of subtopics that the list covers"
    check_none(np.broadcast_to(totals, is_too_small.shape), is_too_small, "n_subtopics", rule)
    sums = sum_over_ranks(err_ia_terms(gains, max_grade=max_grade, k=k))
    return divide_or_nan(sums, totals * err_ia_scale(max_grade, k, normalization))


def err_ia_scale(max_grade: float, k: int | None, normalization: str) -> float:
    """Return the number that divides the mean ERR: the ERR of a perfect list, or 1."""
    if normalization == "none":
        return 1.0
    going_on = 2.0 ** -float(max_grade)  # the share of users who go on after the best item
    stopping = 1 - going_on
    if stopping == 0:
        return 0.0
    if k is None or going_on**k < NEGLIGIBLE:
        # The sum over all ranks i of going_on ** (i - 1) / i.
        return float(-np.log1p(-going_on) / going_on * stopping)
    if k > MAX_RANKS:
        rule = f"be at most {MAX_RANKS} with normalization='perfect' and such a small max_grade"
        raise input_error("k", rule, k)
    ranks = np.arange(1.0, k + 1)
    return float(sum_over_ranks(reciprocal(ranks) * stopping * going_on ** (ranks - 1)))


def _check_err_ia_options(max_grade: float = 0, normalization: str = "none") -> None:
    """Raise if an option of ERR-IA is unknown or out of range."""
    err_formula(max_grade)
    check_choice(normalization, "normalization", NORMALIZATIONS)


def _err_ia_arguments(
    lists: ListsWithFacts, k: int | None, max_grade: float, normalization: str = "none"
) -> Options:
    """Return the keyword arguments of `err_ia` for some lists."""
    return {
        "gains": lists.gains_by_subtopic(k),
        "n_subtopics": lists.n_subtopics,
        "max_grade": max_grade,
        "k": k,
        "normalization": normalization,
    }


def _mean_err_ia(
    lists: ListsWithFacts, k: int | None, max_grade: float, normalization: str = "none"
) -> FloatArray:
    """Return the mean ERR-IA of each list over all orders of tied scores."""
    mean_sum = _mean_over_ties(err_formula(max_grade), lists, k)
    return divide_or_nan(mean_sum, lists.n_subtopics * err_ia_scale(max_grade, k, normalization))


ERR_IA = MeasureSpec(
    name="ERR-IA",
    function=err_ia,
    title="intent-aware expected reciprocal rank",
    aliases=("ERR_IA",),
    formula=r"\frac{1}{T_u} \sum_t \sum_{i \le k} \frac{R_{uti}}{i} \prod_{j < i} (1 - R_{utj}),"
    r"\quad R_{uti} = \frac{2^{g_{uti}} - 1}{2^{g_{\max}}}",
    source="@chapelle2011",
    computation=PerListFunction(
        err_ia,
        _err_ia_arguments,
        check_options=_check_err_ia_options,
        mean_over_ties=_mean_err_ia,
    ),
    options=("max_grade", "normalization"),
    truth_options=("max_grade",),
    depends_on=("ties", "missing", "no relevant item"),
    needs=("subtopics",),
    methods_note="ERR-IA gives every subtopic of a user the same weight",
)
