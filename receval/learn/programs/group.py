"""The programming task of lesson 14: the Borda count of films."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.metrics import group


def right(ratings: Sequence[Sequence[float]]) -> list[float]:
    """Return the Borda count of each film; tied films share the lowest of their places."""
    return [float(count) for count in group.borda_points(ratings).sum(axis=0)]


def ratings_added(ratings: Sequence[Sequence[float]]) -> list[float]:
    """Make a slip: add up the ratings."""
    return [float(total) for total in np.sum(ratings, axis=0)]


def counted_from_zero(ratings: Sequence[Sequence[float]]) -> list[float]:
    """Make a slip: give the last film no point."""
    return [count - len(ratings) for count in right(ratings)]


def ties_by_order(ratings: Sequence[Sequence[float]]) -> list[float]:
    """Make a slip: sort the films, so that ties are broken by their order."""
    places = np.argsort(np.argsort(ratings, kind="stable"))
    return [float(total) for total in (places + 1).sum(axis=0)]


def points_by_member(ratings: Sequence[Sequence[float]]) -> list[float]:
    """Make a slip: add up the points of each member."""
    return [float(total) for total in group.borda_points(ratings).sum(axis=1)]


INPUTS = [
    ([[3, 9, 5], [8, 2, 4]],),
    ([[7, 7, 3, 9], [1, 4, 4, 2]],),
    ([[5, 1, 1, 3], [2, 2, 2, 6], [4, 8, 1, 4]],),
    ([[2, 6]],),
    ([[1, 4, 5, 5, 2], [3, 5, 3, 5, 3], [4, 4, 5, 5, 2]],),
    ([[8, 3, 8], [7, 7, 7], [9, 7, 7], [7, 4, 8]],),
]
"""Groups with and without films that have the same rating."""
