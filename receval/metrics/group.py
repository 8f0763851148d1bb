"""Recommendation to a group: one order from many members' ratings, and each member's benefit.

Ratings and Borda points have the axes (members, items); leading axes are independent groups.
NaN is a missing rating. Orders are 0-based column indices, best first, with -1 at the
ranks of items that are not listed. If two items tie, the one in the earlier column comes first,
unless you pass a ``tie_break`` to `rank_items`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    as_gains,
    as_list_codes,
    as_numbers,
    broadcast_leading_axes,
    check_cutoff,
    check_overflow,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    lists_of,
    without_rounding_noise,
)
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    Options,
    check_choice,
    check_none,
    check_number,
    check_shape,
    check_that,
)
from receval.metrics.discounts import Discount, clipped_log2
from receval.metrics.ranking import ndcg
from receval.metrics.ties import tied_ranks

__all__ = [
    "aggregate",
    "borda_count",
    "borda_points",
    "group_ranking",
    "rank_items",
    "satisfaction",
]


# Borda count and ranking --------------------------------------------------------------------------


def borda_points(ratings: npt.ArrayLike, *, ties: str = "lowest") -> FloatArray:
    r"""Each member's ratings as Borda points: 1 for the worst of n items, n for the best.

    .. math:: \mathrm{points}_u(i) = \frac{n}{m_u} \, \mathrm{place}_u(i),
              \qquad \mathrm{place}_u(i) = 1 + |\{j : r_{uj} < r_{ui}\}|

    where :math:`m_u` is the number of items that u rated. Without ties the place is 1 for the
    worst of these items and :math:`m_u` for the best.

    Parameters
    ----------
    ratings : array_like, shape (..., members, items)
        Ratings on any scale, higher is better; they are compared only within a member. NaN where a
        member did not rate.
    ties : {"lowest", "mean"}, default "lowest"
        The place of items that a member rates equally. ``"lowest"`` is the formula above: all of
        them get the lowest of the places that they take up. ``"mean"`` gives all of them the mean
        of these places.

    Returns
    -------
    ndarray of float, shape (..., members, items)
        Points of more than 0 and at most n; NaN where the member did not rate. Without ties, a
        member's best item has n points, even if she rated few items.

    Raises
    ------
    InputError
        If a rating is infinite, there are fewer than two axes, or ``ties`` is unknown.

    Notes
    -----
    With ``"lowest"`` a member with many ties gives fewer points and so has less weight: if she
    rates all n items equally, each gets 1 point. With ``"mean"`` every member who rates all items
    gives n (n + 1) / 2 points in total.

    References
    ----------
    Document 001, table of the Borda count: all five rows follow the rule ``"lowest"``.

    Examples
    --------
    >>> borda_points([[5, 3, 1], [4, 4, 2]])
    array([[3., 2., 1.],
           [2., 2., 1.]])
    >>> borda_points([[5, 3, 1], [4, 4, 2]], ties="mean")
    array([[3. , 2. , 1. ],
           [2.5, 2.5, 1. ]])
    >>> borda_points([[4, float("nan"), 2, 1]]).round(2)
    array([[4.  ,  nan, 2.67, 1.33]])
    """
    values = members_by_items(ratings, "ratings")
    check_choice(ties, "ties", ("lowest", "mean"))
    is_rated = ~np.isnan(values)
    n_rated = is_rated.sum(axis=-1, keepdims=True)
    places = tied_ranks(values, ties=ties)  # NaN sorts last, so unrated items change no other place
    # Multiply before dividing, so that the best of the rated items has exactly n points.
    points = divide_or_nan(values.shape[-1] * places, n_rated)
    return np.where(is_rated, points, np.nan)


def borda_count(points: npt.ArrayLike) -> FloatArray:
    r"""Total of each item's Borda points over the members.

    .. math:: \mathrm{total}(i) = \sum_{u} \mathrm{points}_{u}(i)

    Parameters
    ----------
    points : array_like, shape (..., members, items)
        Points that each member gives, NaN for none, as `borda_points` computes them from ratings.
        They are added as they are, without any rule for ties.

    Returns
    -------
    ndarray of float, shape (..., items)
        Totals, in points; NaN for an item that gets no points.

    Raises
    ------
    InputError
        If points are infinite, or there are fewer than two axes.

    References
    ----------
    Document 001, table of the Borda count.

    Examples
    --------
    >>> borda_count([[1, 2, 3], [1, 3, 2], [2, 3, 1]])
    array([4., 8., 6.])
    """
    values = members_by_items(points, "points")
    has_no_points = np.isnan(values).all(axis=-2)
    # Points of members who rated few items are fractions, so equal totals can differ by rounding.
    totals = without_rounding_noise(sum_over_members(values, "points"))
    return np.where(has_no_points, np.nan, totals)


def rank_items(scores: npt.ArrayLike, *, tie_break: npt.ArrayLike | None = None) -> IntArray:
    """Return the items in descending order of score, as column indices.

    Parameters
    ----------
    scores : array_like, shape (..., items)
        Scores, higher is better; NaN for an item to leave out.
    tie_break : array_like, shape (..., items), optional
        Second score that decides between equal scores, higher first. Items that still tie stay
        in column order.

    Returns
    -------
    ndarray of int, shape (..., items)
        0-based column indices, best first; -1 at empty ranks.

    Raises
    ------
    InputError
        If a score is infinite, or the shapes do not broadcast.

    Examples
    --------
    >>> rank_items([2, 9, 9, 5])
    array([1, 2, 3, 0])
    >>> rank_items([2, 9, 9, 5], tie_break=[0, 1, 2, 0])
    array([2, 1, 3, 0])
    >>> rank_items([2, float("nan"), 5])
    array([ 2,  0, -1])
    """
    check_same_labels(scores=scores, tie_break=tie_break)
    main_scores = as_numbers(scores, "scores")
    check_none(
        main_scores,
        np.isinf(main_scores),
        "scores",
        "be finite, or NaN for an item that is not listed",
    )
    if tie_break is None:
        tie_break = np.zeros_like(main_scores)
    tie_scores = as_finite(tie_break, "tie_break")
    check_pairs(main_scores, tie_scores, "scores tie_break")
    main_scores, tie_scores = np.broadcast_arrays(main_scores, tie_scores)
    # `lexsort` sorts by its last key first, in ascending order, and NaN last.
    order = np.lexsort((-tie_scores, -main_scores), axis=-1)
    is_unlisted = np.isnan(np.take_along_axis(main_scores, order, axis=-1))
    return np.where(is_unlisted, -1, order)


def group_ranking(points: npt.ArrayLike) -> IntArray:
    """Return the group's order by Borda count.

    Parameters
    ----------
    points : array_like, shape (..., members, items)
        Points that each member gives, as `borda_points` computes them from ratings.

    Returns
    -------
    ndarray of int, shape (..., items)
        0-based column indices, highest total first; equal totals in column order. Items that get no
        points are left off, which leaves -1 at the last ranks.

    Raises
    ------
    InputError
        If points are infinite, or there are fewer than two axes.

    References
    ----------
    Document 001, table of the rankings.

    Examples
    --------
    >>> group_ranking([[1, 2, 3], [1, 3, 2], [2, 3, 1]])
    array([1, 2, 0])
    """
    return rank_items(borda_count(points))


def sum_over_members(values: FloatArray, name: str) -> FloatArray:
    """Sum the values of each item over the members; NaN counts as 0.

    ``values`` has the shape (..., members, items), and the result (..., items). If a sum
    overflows, the error blames the argument ``name``.
    """
    by_item = np.moveaxis(np.where(np.isnan(values), 0, values), -2, -1)
    columns = by_item.reshape(-1, by_item.shape[-1]).tolist()
    try:
        # `fsum` rounds the exact sum once, so items with the same ratings tie, no matter which
        # member gave which rating.
        sums = [math.fsum(column) for column in columns]
    except OverflowError:
        return check_overflow(np.array([np.inf]), name)  # always raises, with the usual message
    return np.array(sums).reshape(by_item.shape[:-1])


def members_by_items(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return the values, finite or NaN, as floats of shape (..., members, items).

    Raise if there is no member or no item, or a value is infinite.
    """
    array = as_numbers(values, name)
    check_none(array, np.isinf(array), name, "be finite, or NaN where a member did not rate")
    has_both_axes = array.ndim >= 2 and 0 not in array.shape[-2:]
    check_that(has_both_axes, name, "have the axes (members, items), neither empty", array.shape)
    return array


# Satisfaction -------------------------------------------------------------------------------------


def satisfaction(
    group_order: npt.ArrayLike,
    ratings: npt.ArrayLike,
    *,
    k: int | None,
    discount: Discount = clipped_log2,
) -> FloatArray:
    r"""Satisfaction of each member with the group's list: its nDCG under the member's ratings.

    .. math:: \mathrm{sat}(u) =
              \frac{\mathrm{DCG@}k \text{ of the group's list by } u\text{'s ratings}}
              {\mathrm{DCG@}k \text{ of } u\text{'s own best list}}

    Parameters
    ----------
    group_order : array_like of int, shape (..., n)
        The list for the group: 0-based column indices, best first, each at most once; -1 for
        empty ranks at its end, as in `rank_items`.
    ratings : array_like, shape (..., members, items)
        Ratings (or Borda points) of the members, at least 0; NaN where a member did not rate.
    k : int or None
        Cut-off rank; None takes the whole list.
    discount : callable, default `clipped_log2`
        A function that maps ranks to weights; the default is the discount of the document.

    Returns
    -------
    ndarray of float, shape (..., members)
        Values in [0, 1]. NaN for a member who rates everything 0, and for a member who did not
        rate all items among the first k of the list. A member's own best list consists of the
        items that she rated.

    Raises
    ------
    InputError
        If an index is not a column of ``ratings`` or occurs twice in a list, a list has an empty
        rank before its end, a rating is negative or infinite, or ``k`` is not a positive integer.

    References
    ----------
    Document 001, section on nDCG: the satisfaction of a user in a group.

    Examples
    --------
    >>> ratings = [[5, 3, 1], [1, 3, 4]]
    >>> satisfaction([0, 1, 2], ratings, k=2).round(4)
    array([1.    , 0.5714])
    >>> satisfaction([0, 1, 2], [[5, 3, 1], [1, float("nan"), 4]], k=2)
    array([ 1., nan])
    """
    ratings = as_gains(members_by_items(ratings, "ratings"), "ratings", by_rank=False)
    n_items = ratings.shape[-1]
    order = as_list_codes(group_order, "group_order")
    check_none(
        order,
        order >= n_items,
        "group_order",
        f"hold column indices of ratings (0 to {n_items - 1})",
    )
    leading = broadcast_leading_axes("group_order ratings", order.shape[:-1], ratings.shape[:-2])
    ratings = np.broadcast_to(ratings, (*leading, *ratings.shape[-2:]))
    # Every member of a group gets the same list, so its axis of members has the length 1.
    order = np.broadcast_to(order, (*leading, order.shape[-1]))[..., np.newaxis, :]
    # Read each member's rating of the item at each rank. The -1 of an empty rank isn't an index,
    # so read column 0 there; its rating is overwritten below.
    ratings_by_rank = np.take_along_axis(ratings, np.maximum(order, 0), axis=-1)
    is_empty_rank = order < 0
    is_unrated = np.isnan(ratings_by_rank) & ~is_empty_rank
    has_unrated = is_unrated[..., : check_cutoff(k)].any(axis=-1)
    # nDCG takes NaN at empty ranks only, so unrated items get 0. They either rank after the cut-off
    # or make the value NaN anyway.
    gains = np.where(is_empty_rank, np.nan, np.nan_to_num(ratings_by_rank))
    return np.where(has_unrated, np.nan, ndcg(gains, ratings, k=k, discount=discount))


# Strategies ---------------------------------------------------------------------------------------


TermsAndScores: TypeAlias = tuple[FloatArray, FloatArray]
"""The result of a strategy: the contributions to the scores, of shape (..., rows, items), which
`terms_and_scores` describes, and one score per item, of shape (..., items)."""


def aggregate(
    ratings: npt.ArrayLike,
    *,
    strategy: str = "average",
    threshold: float | None = None,
    trust: npt.ArrayLike | None = None,
    ties: str | None = None,
) -> FloatArray:
    r"""Return one score per item for the whole group.

    ========================== ==========================================================
    strategy                   score of item i, from its ratings r
    ========================== ==========================================================
    ``average``                mean: :math:`\frac{1}{n_i} \sum_u r_{ui}`
    ``additive``               sum (the order of the average if no rating is missing)
    ``multiplicative``         product, of ratings of at least 0: :math:`\prod_u r_{ui}`
    ``least_misery``           lowest rating: nobody is very unhappy
    ``most_pleasure``          highest rating: somebody is very happy
    ``average_without_misery`` mean; NaN if a rating is below ``threshold``
    ``approval``               number of members whose rating is at least ``threshold``
    ``borda``                  sum of the members' `borda_points`
    ``copeland``               number of items that it beats minus the number that beat it. Of
                               two items, the one that more members rate higher wins; only
                               pairs that more than half of the members rated are compared
    ``plurality``              rounds: each member shares one vote among her best items that
                               are left; the item with the most votes is taken
    ``fairness``               turns in the order of members: each takes her best item that
                               is left. Of equally good items she takes the one preferred by
                               the member whose ratings of the items taken so far have the
                               lowest sum, then by the member with the next lowest sum
    ``most_respected``         rating of the member whom the others in the group trust most;
                               the first such member if several tie
    ========================== ==========================================================

    Parameters
    ----------
    ratings : array_like, shape (..., members, items)
        Ratings, higher is better; NaN where a member did not rate the item.
    strategy : str, default "average"
        One of the above. Document 001 says "chosen by average" and shows a Borda count.
    threshold : float, optional
        Needed for ``"approval"`` and ``"average_without_misery"`` only.
    trust : array_like, shape (..., members, members), optional
        Trust of the row's member in the column's member, at least 0; the diagonal does not count.
        Needed for ``"most_respected"`` only.
    ties : {"lowest", "mean"}, optional
        The places of items that a member rates equally, as in `borda_points`. Only ``"borda"``
        uses it, with the default ``"lowest"``: a member with many ties then gives fewer points.

    Returns
    -------
    ndarray of float, shape (..., items)
        Scores, higher is better for the group. Under ``"plurality"`` and ``"fairness"``, which take
        one item after the other, the score is the number of items minus the number taken before.
        Equal scores are a tie, which `rank_items` breaks. NaN for an item that nobody rated, that
        the threshold excludes, or that the most respected member did not rate: `rank_items` leaves
        it off the list.

    Raises
    ------
    InputError
        If a rating is infinite, or negative with ``"multiplicative"``; if there is no member; if
        the strategy is unknown; if a sum or product overflows; or if ``ties`` is unknown,
        ``threshold`` or ``trust`` is needed and missing, or you pass one of these three arguments
        to a strategy that does not use it.

    Notes
    -----
    A missing rating is not a vote and does not enter the average. Sums, products and counts then
    favour items that many members rated (products if ratings are above 1).

    References
    ----------
    Document 001; Masthoff (2011), Group Recommender Systems, in Recommender Systems Handbook,
    which breaks ties in a turn of ``fairness`` by "the others' opinions".

    Examples
    --------
    >>> ratings = [[5, 3, 1], [1, 3, 4]]
    >>> aggregate(ratings, strategy="least_misery")
    array([1., 3., 1.])
    >>> aggregate(ratings, strategy="approval", threshold=3)
    array([1., 2., 1.])
    >>> aggregate(ratings, strategy="fairness")
    array([3., 1., 2.])
    """
    _, scores = terms_and_scores(
        ratings, strategy=strategy, threshold=threshold, trust=trust, ties=ties
    )
    return scores


def terms_and_scores(
    ratings: npt.ArrayLike,
    *,
    strategy: str = "average",
    threshold: float | None = None,
    trust: npt.ArrayLike | None = None,
    ties: str | None = None,
) -> TermsAndScores:
    """Return the scores of `aggregate`, after the terms from which they are computed.

    Each row of the terms is a member and holds the ratings, points or votes that count. With
    ``"copeland"``, each row is an opponent: 1 if the column's item beats the row's item, -1 if it
    loses, 0 for a draw, and NaN if the two are not compared. With ``"plurality"`` rows are rounds
    and hold the votes. With ``"fairness"`` rows are turns and hold the ratings of the member whose
    turn it is. See `aggregate` for parameters and errors.

    Examples
    --------
    >>> terms, scores = terms_and_scores([[5, 3, 1], [1, 3, 4]], strategy="borda")
    >>> terms
    array([[3., 2., 1.],
           [1., 2., 3.]])
    >>> scores
    array([4., 4., 4.])
    """
    values = members_by_items(ratings, "ratings")
    check_choice(strategy, "strategy", STRATEGIES)
    used_option = OPTION_BY_STRATEGY.get(strategy)
    condition = f"when strategy is {strategy!r}"
    options: Options = {"threshold": threshold, "trust": trust, "ties": ties}
    options = {name: value for name, value in options.items() if value is not None}
    for name in options:
        if name != used_option:
            raise InputError(f"{name} must be left out {condition}")
    if used_option == "threshold":
        check_number(threshold, used_option, f"a number {condition}")
    elif used_option == "trust":
        check_that(trust is not None, used_option, f"be given {condition}", trust)
        members = lists_of(ratings)  # their labels
        check_same_labels(ratings=members, trust=trust)
        check_same_labels(ratings=members, trust=lists_of(trust))
    # `STRATEGIES` maps the names of strategies to functions.
    terms, scores = STRATEGIES[strategy](values, **options)
    is_rated_by_nobody = np.isnan(values).all(axis=-2)
    # Means and products of different ratings can be the same number, apart from rounding.
    scores = without_rounding_noise(scores)
    return terms, np.where(is_rated_by_nobody, np.nan, scores)


# Strategies that score each item independently: ratings have the shape (..., members, items). -----


def _total(points: FloatArray) -> TermsAndScores:
    """Score items by the sum of their points over the rows; NaN counts as 0."""
    return points, sum_over_members(points, "ratings")


def _average(ratings: FloatArray, threshold: float = -np.inf) -> TermsAndScores:
    """Score items by the mean of their ratings, or by NaN if a rating is below the threshold."""
    has_misery = (ratings < threshold).any(axis=-2, keepdims=True)
    terms = np.where(has_misery, np.nan, ratings)
    n_ratings = np.count_nonzero(~np.isnan(terms), axis=-2)
    return terms, divide_or_nan(sum_over_members(terms, "ratings"), n_ratings)


def _product(ratings: FloatArray) -> TermsAndScores:
    """Score items by the product of their ratings; missing ratings count as 1.

    Raise if a rating is negative, or if a product is too large or too small for float64. The
    terms are the ratings.
    """
    check_none(ratings, ratings < 0, "ratings", "be at least 0 when strategy is 'multiplicative'")
    # Multiply in ascending order, so that items with the same ratings tie.
    with np.errstate(over="ignore"):
        ascending = np.sort(np.where(np.isnan(ratings), 1, ratings), axis=-2)
        products_so_far = check_overflow(ascending.cumprod(axis=-2), "ratings")
    # A product may be 0 because a rating is 0, but not because it is too small for float64. The
    # same holds for the intermediate products, because they would lose digits.
    has_no_zero = ascending.min(axis=-2, keepdims=True) > 0
    has_vanished = (products_so_far < np.finfo(float).tiny) & has_no_zero
    check_none(
        products_so_far,
        has_vanished,
        "products of ratings",
        "be large enough to be multiplied in float64 (above about 1e-308)",
        "Multiply all of them by one number first",
    )
    return ratings, products_so_far[..., -1, :]


def _lowest(ratings: FloatArray) -> TermsAndScores:
    """Score items by their lowest rating."""
    return ratings, np.where(np.isnan(ratings), np.inf, ratings).min(axis=-2)


def _highest(ratings: FloatArray) -> TermsAndScores:
    """Score items by their highest rating."""
    return ratings, np.where(np.isnan(ratings), -np.inf, ratings).max(axis=-2)


def _approval(ratings: FloatArray, threshold: float) -> TermsAndScores:
    """Score items by the number of ratings of at least the threshold."""
    return _total(np.where(np.isnan(ratings), np.nan, ratings >= threshold))


def _borda(ratings: FloatArray, ties: str = "lowest") -> TermsAndScores:
    """Score items by the sum of their Borda points."""
    return _total(borda_points(ratings, ties=ties))


def _copeland(ratings: FloatArray) -> TermsAndScores:
    """Score items by the number of other items that they beat, minus the number that beat them.

    Of two items, the one that more members rate higher wins. The terms have a row for each
    opponent: 1 if the column's item beats the row's item, -1 if it loses and 0 for a draw, or NaN
    if at most half of the members rated both.
    """
    n_members, n_items = ratings.shape[-2:]
    shape_of_pairs = (*ratings.shape[:-2], n_items, n_items)
    # Members who prefer the column's item, minus members who prefer the row's item.
    majority = np.zeros(shape_of_pairs)
    n_comparing = np.zeros(shape_of_pairs)
    for member_ratings in np.moveaxis(ratings, -2, 0):
        # The sign of the difference is NaN if the member did not rate both.
        preference = np.sign(member_ratings[..., np.newaxis, :] - member_ratings[..., np.newaxis])
        n_comparing += ~np.isnan(preference)
        majority += np.nan_to_num(preference)
    is_compared = 2 * n_comparing > n_members
    # The scores are the sums over opponents.
    return _total(np.where(is_compared, np.sign(majority), np.nan))


def _most_respected(ratings: FloatArray, trust: object) -> TermsAndScores:
    """Score items by the rating of the member whom the others trust most.

    If several members tie, this is the first of them. ``trust`` has the shape (..., members,
    members): the trust of the row's member in the column's member. Raise if the shapes do not fit,
    or if a value of ``trust`` is negative.
    """
    n_members = ratings.shape[-2]
    trust_values = as_gains(trust, "trust", by_rank=False)
    check_shape(trust_values, (..., n_members, n_members), "trust")
    broadcast_leading_axes("trust ratings", trust_values.shape[:-2], ratings.shape[:-2])
    # Leave out the diagonal, the trust of members in themselves.
    trust_received = sum_over_members(np.where(np.eye(n_members), 0, trust_values), "trust")
    most_respected = trust_received.argmax(axis=-1)[..., np.newaxis, np.newaxis]
    is_most_respected = most_respected == np.arange(n_members)[:, np.newaxis]
    return _average(np.where(is_most_respected, ratings, np.nan))


# Strategies that take one item after the other ----------------------------------------------------


def _each_group(
    score_group: Callable[[FloatArray], TermsAndScores], ratings: FloatArray
) -> TermsAndScores:
    """Return the terms and scores of a strategy that scores one group at a time.

    ``ratings`` has the shape (..., members, items), and ``score_group`` takes those of one group.
    With n items, it gives the item that is taken first the score n, the next one n - 1, and an item
    that nobody rated NaN. Its terms have a row for each turn, with NaN for items that aren't left,
    and rows of NaN after the last turn.
    """
    *leading, _, n_items = ratings.shape
    terms = np.empty((*leading, n_items, n_items))
    scores = np.empty((*leading, n_items))
    for group in np.ndindex(*leading):  # the place of a group on the leading axes
        terms[group], scores[group] = score_group(ratings[group])
    return terms, scores


def _plurality(ratings: FloatArray) -> TermsAndScores:
    """Score a group's items by rounds: each member shares one vote among her best items left.

    The item with most votes is taken, the first of them if several tie.
    """
    n_items = ratings.shape[1]
    terms = np.full((n_items, n_items), np.nan)
    scores = np.full(n_items, np.nan)
    left = np.where(np.isnan(ratings), -np.inf, ratings)  # -inf: not rated, or taken
    for n_taken in range(n_items):
        is_left = left > -np.inf
        if not is_left.any():
            break
        is_best = is_left & (left == left.max(axis=1, keepdims=True))
        n_best = is_best.sum(axis=1, keepdims=True)
        shared_votes = is_best / np.maximum(n_best, 1)  # 0 / 1 for a member with no item left
        votes = sum_over_members(shared_votes, "ratings")
        # A taken item has no votes, and some item left has. Shares of a vote differ by rounding.
        item = without_rounding_noise(votes).argmax()
        terms[n_taken] = np.where(is_left.any(axis=0), votes, np.nan)
        scores[item] = n_items - n_taken
        left[:, item] = -np.inf
    return terms, scores


def _fairness(ratings: FloatArray) -> TermsAndScores:
    """Score a group's items by turns: the members, in their order, take their best item left.

    A member who has rated nothing that is left has no turn.
    """
    n_members, n_items = ratings.shape
    terms = np.full((n_items, n_items), np.nan)
    scores = np.full(n_items, np.nan)
    left = np.where(np.isnan(ratings), -np.inf, ratings)  # -inf: not rated, or taken
    taken_sums = np.zeros(n_members)  # the sum of each member's ratings of the taken items
    member = 0
    for n_taken in range(n_items):
        has_item_left: BoolArray = np.any(left > -np.inf, axis=1)
        if not has_item_left.any():
            break
        while not has_item_left[member]:
            member = (member + 1) % n_members
        ratings_of_member = left[member]
        is_best = ratings_of_member == ratings_of_member.max()
        # Of several best items, keep those that the neediest member rates highest; that is the
        # member whose ratings of the taken items have the lowest sum. Then ask the next neediest.
        for neediest in np.argsort(taken_sums, kind="stable"):
            ratings_of_best = np.where(is_best, left[neediest], -np.inf)
            is_best &= ratings_of_best == ratings_of_best.max()
        item = is_best.argmax()  # the first of those that are still equal
        terms[n_taken] = np.where(ratings_of_member > -np.inf, ratings_of_member, np.nan)
        scores[item] = n_items - n_taken
        taken_sums += np.nan_to_num(ratings[:, item])
        left[:, item] = -np.inf
        member = (member + 1) % n_members
    return terms, scores


STRATEGIES: dict[str, Callable[..., TermsAndScores]] = {
    "average": _average,
    "additive": _total,
    "multiplicative": _product,
    "least_misery": _lowest,
    "most_pleasure": _highest,
    "average_without_misery": _average,
    "approval": _approval,
    "borda": _borda,
    "copeland": _copeland,
    "plurality": partial(_each_group, _plurality),
    "fairness": partial(_each_group, _fairness),
    "most_respected": _most_respected,
}
OPTION_BY_STRATEGY = {
    "approval": "threshold",
    "average_without_misery": "threshold",
    "most_respected": "trust",
    "borda": "ties",
}
"""The option that a strategy uses; `aggregate` refuses every other option."""
