"""One order from many members' ratings: Borda points, Borda count and ranking."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_finite,
    as_numbers,
    check_overflow,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    without_rounding_noise,
)
from receval._checks import FloatArray, IntArray, check_choice, check_none, check_that
from receval.metrics.ties import lowest_ranks, mean_ranks

TIED_PLACES = {"lowest": lowest_ranks, "mean": mean_ranks}
"""Rules for the places of items that a member rates equally, by name."""


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
    check_choice(ties, "ties", TIED_PLACES)
    is_rated = ~np.isnan(values)
    n_rated = is_rated.sum(axis=-1, keepdims=True)
    places = TIED_PLACES[ties](values)  # NaN sorts last, so unrated items change no other place
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


def group_ranking(points: npt.ArrayLike, *, tie_break: npt.ArrayLike | None = None) -> IntArray:
    """Return the group's order by Borda count.

    Parameters
    ----------
    points : array_like, shape (..., members, items)
        Points that each member gives, as `borda_points` computes them from ratings.
    tie_break : array_like, shape (..., items), optional
        As in `rank_items`.

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
    check_same_labels(points=points, tie_break=tie_break)
    return rank_items(borda_count(points), tie_break=tie_break)


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
