"""The programming task of lesson 11: the mean over judged users, with and without a list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def right(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:
    """Return the mean over the judged users; a user without a list counts as 0."""
    value_by_user = dict(zip(answered, values, strict=True))
    return float(np.mean([value_by_user.get(user, 0) for user in judged]))


def answered_only(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:
    """Make a slip: return the mean over judged users who have a list."""
    value_by_user = dict(zip(answered, values, strict=True))
    return float(np.mean([value_by_user[user] for user in judged if user in value_by_user]))


def all_lists(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:  # noqa: ARG001
    """Make a slip: return the mean over all lists."""
    return float(np.mean(values))


def not_divided(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:
    """Make a slip: return the sum over the judged users."""
    return right(judged, answered, values) * len(judged)


def by_place(judged: Sequence[int], answered: Sequence[int], values: Sequence[float]) -> float:  # noqa: ARG001
    """Make a slip: return a mean in which the n-th value belongs to the n-th judged user."""
    return sum(values[: len(judged)]) / len(judged)


INPUTS = [
    ([1, 2], [1, 2], [1.0, 0.5]),
    ([1, 2], [2], [0.5]),
    ([1], [1, 2, 3], [0.25, 1.0, 0.5]),
    ([4, 2, 3], [9, 3, 4, 2], [0.9, 0.3, 0.2, 0.1]),
    ([1, 2, 3, 4], [3, 7, 8, 1], [0.5, 1.0, 0.75, 0.25]),
    ([5, 6, 7, 8], [9, 8, 1, 5, 2, 6], [0.6, 0.75, 0.65, 0.5, 0.95, 0.4]),
]
"""Judged users, users with lists, and values, so that each slip shows."""
