"""The programming task of lesson 14: the Borda count of films."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from receval.metrics import group

Ratings = Sequence[Sequence[float]]
MemberPoints = Callable[[Sequence[float]], Sequence[float]]


def _listed(values: npt.ArrayLike) -> list[float]:
    """Return numbers as a list, so that the task compares lists."""
    return [float(value) for value in np.asarray(values)]


def _total(ratings: Ratings, points_of: MemberPoints) -> list[float]:
    """Add up the points of all members; ``points_of`` returns the points of one member."""
    return _listed(np.sum([points_of(member) for member in ratings], axis=0))


def right(ratings: Ratings) -> list[float]:
    """Return the Borda count of each film; tied films share the lowest of their places."""
    return _listed(group.borda_points(ratings).sum(axis=0))


def ratings_added(ratings: Ratings) -> list[float]:
    """Make a slip: add up the ratings."""
    return _total(ratings, lambda member: member)


def counted_from_zero(ratings: Ratings) -> list[float]:
    """Make a slip: give the last film no point."""
    return [count - len(ratings) for count in right(ratings)]


def ties_by_order(ratings: Ratings) -> list[float]:
    """Make a slip: sort the films, so that ties are broken by their order."""
    return _total(
        ratings, lambda member: (np.argsort(np.argsort(member, kind="stable")) + 1).tolist()
    )


def points_by_member(ratings: Ratings) -> list[float]:
    """Make a slip: add up the points of each member."""
    return _listed(group.borda_points(ratings).sum(axis=1))


INPUTS = [
    ([[3, 9, 5], [8, 2, 4]],),
    ([[7, 7, 3, 9], [1, 4, 4, 2]],),
    ([[5, 1, 1, 3], [2, 2, 2, 6], [4, 8, 1, 4]],),
    ([[2, 6]],),
    ([[1, 4, 5, 5, 2], [3, 5, 3, 5, 3], [4, 4, 5, 5, 2]],),
    ([[8, 3, 8], [7, 7, 7], [9, 7, 7], [7, 4, 8]],),
]
"""Groups with and without films that have the same rating."""
