"""The programming task of lesson 9: the mean over judged users, with and without a list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program

__all__ = ["CODE"]


def right(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:
    """Return the mean over the judged users; a user without a list counts as 0."""
    value_by_user = dict(zip(answered, values, strict=True))
    return float(np.mean([value_by_user.get(user, 0) for user in judged]))


def answered_only(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:
    """Make a slip: return the mean over judged users who have a list."""
    value_by_user = dict(zip(answered, values, strict=True))
    return float(np.mean([value_by_user[user] for user in judged if user in value_by_user]))


def unjudged_too(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:  # noqa: ARG001
    """Make a slip: return the sum over all lists, divided by the number of judged users."""
    return sum(values) / len(judged)


def all_lists(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:  # noqa: ARG001
    """Make a slip: return the mean over all lists."""
    return float(np.mean(values))


def not_divided(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:
    """Make a slip: return the sum over the judged users."""
    return right(judged, answered, values) * len(judged)


def by_place(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:  # noqa: ARG001
    """Make a slip: return a mean in which the n-th value belongs to the n-th judged user."""
    return sum(values[: len(judged)]) / len(judged)


def inputs(rng: np.random.Generator) -> Inputs:
    """Return judged users, users with lists, and values, so that each slip shows."""
    values = rng.choice(np.arange(1, 20), size=6, replace=False) / 20
    return [
        ([1, 2], [1, 2], [1.0, 0.5]),
        ([1, 2], [2], [0.5]),  # a judged user without a list
        ([1], [1, 2, 3], [0.25, 1.0, 0.5]),  # lists of users whom nobody judged
        ([4, 2, 3], [9, 3, 4, 2], [0.9, 0.3, 0.2, 0.1]),  # in another order
        ([1, 2, 3, 4], [3, 7, 8, 1], [0.5, 1.0, 0.75, 0.25]),
        ([5, 6, 7, 8], [9, 8, 1, 5, 2, 6], [float(value) for value in values]),
    ]


CODE = Program(
    right,
    inputs,
    {
        "answered_only": answered_only,
        "unjudged_too": unjudged_too,
        "all_lists": all_lists,
        "not_divided": not_divided,
        "by_place": by_place,
    },
)
"""The task "own.code"."""
