"""One order from many members' ratings: Borda points, strategies of aggregation, ranking."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._arrays import tie_runs
from receval._checks import (
    FloatArray,
    InputError,
    IntArray,
    as_finite,
    check_choice,
    check_leading,
    check_number,
    check_same_length,
    in_range,
    refusal,
    refuse,
)


def borda_points(ratings: npt.ArrayLike) -> FloatArray:
    """Each member's ratings as Borda points: 1 for the worst item, n for the best.

    Parameters
    ----------
    ratings : array_like, shape (..., members, items)
        Ratings on any scale, higher is better; compared within a member only.

    Returns
    -------
    ndarray of float, shape (..., members, items)
        Points from 1 to n; items that a member rates alike share the mean of their places.

    Raises
    ------
    InputError
        If a rating is missing or infinite, or there are fewer than two axes.

    References
    ----------
    Document 001, table of the Borda count.

    Examples
    --------
    >>> borda_points([[5, 3, 1], [4, 4, 2]])
    array([[3. , 2. , 1. ],
           [2.5, 2.5, 1. ]])
    """
    r = members_by_items(ratings, "ratings")
    worst_first = np.argsort(r, axis=-1)
    first, last = tie_runs(np.take_along_axis(r, worst_first, axis=-1))
    points = np.empty_like(r)
    np.put_along_axis(points, worst_first, (first + last) / 2 + 1, axis=-1)
    return points


def borda_count(points: npt.ArrayLike) -> FloatArray:
    r"""Total of each item's Borda points over the members.

    .. math:: \mathrm{total}(i) = \sum_{u} \mathrm{points}_{u}(i)

    Parameters
    ----------
    points : array_like, shape (..., members, items)
        Points that each member gives. A member of n items should give 1 to n once each;
        document 001's own table does not, so this is not enforced (see `borda_points`).

    Returns
    -------
    ndarray of float, shape (..., items)
        Totals, in points.

    Raises
    ------
    InputError
        If points are missing or infinite, or there are fewer than two axes.

    References
    ----------
    Document 001, table of the Borda count.

    Examples
    --------
    >>> borda_count([[1, 2, 3], [1, 3, 2], [2, 3, 1]])
    array([4., 8., 6.])
    """
    return _totals(members_by_items(points, "points"), "points")


def aggregate(
    ratings: npt.ArrayLike, *, strategy: str = "average", threshold: float | None = None
) -> FloatArray:
    r"""One score per item for the whole group.

    ================== ==================================================================
    strategy           score of item i
    ================== ==================================================================
    ``average``        mean of the members' ratings
    ``additive``       their sum (same order as the average)
    ``multiplicative`` their product; ratings must be at least 0
    ``least_misery``   the lowest rating: nobody is very unhappy
    ``most_pleasure``  the highest rating: somebody is very happy
    ``approval``       number of members whose rating is at least ``threshold``
    ``borda``          sum of the members' `borda_points`
    ================== ==================================================================

    Parameters
    ----------
    ratings : array_like, shape (..., members, items)
        Ratings, higher is better.
    strategy : str, default "average"
        One of the above. Document 001 says "chosen by average" and shows a Borda count.
    threshold : float, optional
        Lowest rating that approves; needed, and used, by ``"approval"`` only.

    Returns
    -------
    ndarray of float, shape (..., items)
        Scores, higher is better for the group. Equal scores are a tie, which `rank_items`
        breaks.

    Raises
    ------
    InputError
        If a rating is missing or infinite, there is no member, the strategy is unknown, a
        rating is negative under ``"multiplicative"``, a sum or product overflows, or
        ``threshold`` is missing under ``"approval"``.

    References
    ----------
    Document 001; Masthoff (2011), Group Recommender Systems, in Recommender Systems Handbook.

    Examples
    --------
    >>> ratings = [[5, 3, 1], [1, 3, 4]]
    >>> aggregate(ratings, strategy="least_misery")
    array([1., 3., 1.])
    >>> aggregate(ratings, strategy="approval", threshold=3)
    array([1., 2., 1.])
    """
    r = members_by_items(ratings, "ratings")
    check_choice(strategy, "strategy", [*STRATEGIES, "approval"])
    if strategy == "approval":
        least = check_number(threshold, "threshold", "a number when strategy is 'approval'")
        return np.asarray(np.count_nonzero(r >= least, axis=-2), np.float64)
    if threshold is not None:
        raise InputError(f"threshold must be left out when strategy is {strategy!r}")
    return STRATEGIES[strategy](r)


def rank_items(scores: npt.ArrayLike, *, tie_break: npt.ArrayLike | None = None) -> IntArray:
    """Items in descending order of score, as column indices.

    Parameters
    ----------
    scores : array_like, shape (..., items)
        Scores, higher is better.
    tie_break : array_like, shape (..., items), optional
        Second score that decides between equal ones, higher first. What it leaves tied, or
        everything tied without it, stays in column order.

    Returns
    -------
    ndarray of int, shape (..., items)
        0-based column indices, best first.

    Raises
    ------
    InputError
        If a score is NaN or infinite, or the shapes do not go together.

    Examples
    --------
    >>> rank_items([2, 9, 9, 5])
    array([1, 2, 3, 0])
    >>> rank_items([2, 9, 9, 5], tie_break=[0, 1, 2, 0])
    array([2, 1, 3, 0])
    """
    first = as_finite(scores, "scores")
    if tie_break is None:
        return np.argsort(-first, axis=-1, kind="stable")
    second = as_finite(tie_break, "tie_break")
    check_same_length(first, second, "scores tie_break")
    shape = check_leading("scores tie_break", first.shape, second.shape)
    first, second = np.broadcast_to(first, shape), np.broadcast_to(second, shape)
    return np.lexsort((-second, -first), axis=-1)


def group_ranking(points: npt.ArrayLike, *, tie_break: npt.ArrayLike | None = None) -> IntArray:
    """The group's order by Borda count.

    Parameters
    ----------
    points : array_like, shape (..., members, items)
        Points that each member gives.
    tie_break : array_like, shape (..., items), optional
        As in `rank_items`.

    Returns
    -------
    ndarray of int, shape (..., items)
        0-based column indices, highest total first; equal totals in column order.

    Raises
    ------
    InputError
        If points are missing or infinite, or there are fewer than two axes.

    References
    ----------
    Document 001, table of the rankings.

    Examples
    --------
    >>> group_ranking([[1, 2, 3], [1, 3, 2], [2, 3, 1]])
    array([1, 2, 0])
    """
    return rank_items(borda_count(points), tie_break=tie_break)


def _totals(values: FloatArray, name: str) -> FloatArray:
    """Sums over the members, rounded once: items with the same ratings tie in whatever order."""
    by_item = np.moveaxis(values, -2, -1)
    columns = by_item.reshape(-1, by_item.shape[-1]).tolist()
    try:
        return np.array([math.fsum(column) for column in columns]).reshape(by_item.shape[:-1])
    except OverflowError:
        return in_range(np.array([np.inf]), name)


def _products(ratings: FloatArray) -> FloatArray:
    """Products over the members, in ascending order so that the same ratings tie."""
    refuse(ratings, ratings < 0, "ratings", "be at least 0 when strategy is 'multiplicative'")
    with np.errstate(over="ignore"):
        return in_range(np.sort(ratings, axis=-2).prod(axis=-2), "ratings")


def members_by_items(values: npt.ArrayLike, name: str) -> FloatArray:
    """Finite ``values`` with at least one member and one item."""
    array = as_finite(values, name)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise refusal(name, "have the axes (members, items), neither empty", f"shape {array.shape}")
    return array


STRATEGIES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "average": lambda r: _totals(r, "ratings") / r.shape[-2],
    "additive": lambda r: _totals(r, "ratings"),
    "multiplicative": _products,
    "least_misery": lambda r: r.min(axis=-2),
    "most_pleasure": lambda r: r.max(axis=-2),
    "borda": lambda r: borda_count(borda_points(r)),
}
