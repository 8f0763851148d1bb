"""The programming task of lesson 14: the Borda count of films."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from receval.learn.program import Inputs, Program
from receval.metrics import group

__all__ = ["CODE"]

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


def ties_highest(ratings: Ratings) -> list[float]:
    """Make a slip: give tied films the highest of their places."""
    return _total(
        ratings, lambda member: [sum(other <= rating for other in member) for rating in member]
    )


def ties_mean(ratings: Ratings) -> list[float]:
    """Give tied films the mean of their places, which is another rule."""
    return _listed(group.borda_points(ratings, ties="mean").sum(axis=0))


def ties_by_order(ratings: Ratings) -> list[float]:
    """Make a slip: sort the films, so that ties are broken by their order."""
    return _total(
        ratings, lambda member: (np.argsort(np.argsort(member, kind="stable")) + 1).tolist()
    )


def sorted_once(ratings: Ratings) -> list[float]:
    """Make a slip: add up the films' numbers in the order of the ratings."""
    return _total(ratings, lambda member: (np.argsort(member, kind="stable") + 1).tolist())


def distinct_ratings(ratings: Ratings) -> list[float]:
    """Make a slip: count each lower rating once, although several films may have it."""
    return _total(ratings, lambda member: [sorted(set(member)).index(r) + 1 for r in member])


def inverted(ratings: Ratings) -> list[float]:
    """Make a slip: count the films that are rated higher."""
    return right([[-rating for rating in member] for member in ratings])


def first_member(ratings: Ratings) -> list[float]:
    """Make a slip: return the points of the first member only."""
    return right(ratings[:1])


def last_member(ratings: Ratings) -> list[float]:
    """Make a slip: return the points of the last member only."""
    return right(ratings[-1:])


def mean_of_members(ratings: Ratings) -> list[float]:
    """Make a slip: return the mean points."""
    return [count / len(ratings) for count in right(ratings)]


def compared_with_all(ratings: Ratings) -> list[float]:
    """Make a slip: compare a rating with those of all members."""
    everything = [rating for member in ratings for rating in member]
    return _total(
        ratings,
        lambda member: [sum(other < rating for other in everything) + 1 for rating in member],
    )


def points_by_member(ratings: Ratings) -> list[float]:
    """Make a slip: add up the points of each member."""
    return _listed(group.borda_points(ratings).sum(axis=1))


def list_for_each_member(ratings: Ratings) -> list[list[float]]:
    """Make a slip: return the points of each member without adding them up."""
    return [_listed(points) for points in group.borda_points(ratings)]


def joined_members(ratings: Ratings) -> list[float]:
    """Make a slip: return the points of all members in one long list."""
    return [points for member in list_for_each_member(ratings) for points in member]


def inputs(rng: np.random.Generator) -> Inputs:
    """Return groups with and without films that have the same rating."""
    groups: list[list[list[int]]] = [
        [[3, 9, 5], [8, 2, 4]],
        [[7, 7, 3, 9], [1, 4, 4, 2]],
        [[5, 1, 1, 3], [2, 2, 2, 6], [4, 8, 1, 4]],
        [[2, 6]],
    ]
    groups += [rng.integers(1, 6, size=(3, 5)).tolist(), rng.integers(1, 10, size=(4, 3)).tolist()]
    return [(ratings,) for ratings in groups]


CODE = Program(
    right,
    inputs,
    {
        "ratings_added": ratings_added,
        "counted_from_zero": counted_from_zero,
        "ties_highest": ties_highest,
        "ties_mean": ties_mean,
        "ties_by_order": ties_by_order,
        "sorted_once": sorted_once,
        "distinct_ratings": distinct_ratings,
        "inverted": inverted,
        "first_member": first_member,
        "last_member": last_member,
        "mean_of_members": mean_of_members,
        "compared_with_all": compared_with_all,
        "points_by_member": points_by_member,
        "list_for_each_member": list_for_each_member,
        "joined_members": joined_members,
    },
)
"""The task "group.code"."""
