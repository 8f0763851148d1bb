"""The programming task of lesson 1: the reciprocal rank of a list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import ranking

__all__ = ["CODE"]


def right(grades: Sequence[int], k: int) -> float:
    """Return the reciprocal rank at k."""
    return float(ranking.reciprocal_rank(grades, k=k))


def counted_from_zero(grades: Sequence[int], k: int) -> float:
    """Make a slip: return one over the index; a hit at the first index counts as 1."""
    for index, grade in enumerate(grades[:k]):
        if grade > 0:
            return 1 / max(index, 1)
    return 0.0


def counted_from_two(grades: Sequence[int], k: int) -> float:
    """Make a slip: return 1 / (rank + 1)."""
    for rank, grade in enumerate(grades[:k], start=2):
        if grade > 0:
            return 1 / rank
    return 0.0


def no_cutoff(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: return the reciprocal rank of the whole list."""
    return float(ranking.reciprocal_rank(grades))


def cutoff_one_short(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the reciprocal rank at k - 1."""
    return right(grades[: k - 1] or [0], max(k - 1, 1))


def all_hits(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the sum of 1 / rank over all hits."""
    return sum(1 / rank for rank, grade in enumerate(grades[:k], start=1) if grade > 0)


def last_hit(grades: Sequence[int], k: int) -> float:
    """Make a slip: return one over the rank of the last hit."""
    ranks = [rank for rank, grade in enumerate(grades[:k], start=1) if grade > 0]
    return 1 / ranks[-1] if ranks else 0.0


def only_grade_one(grades: Sequence[int], k: int) -> float:
    """Return one over the rank of the first grade 1, which is wrong for graded lists."""
    return right([int(grade == 1) for grade in grades], k)


def grade_over_rank(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the first grade divided by its rank."""
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            return grade / rank
    return 0.0


def stops_at_first_rank(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: return at the first rank in any case."""
    return 1.0 if grades[0] > 0 else 0.0


def nothing_without_hit(grades: Sequence[int], k: int) -> float | None:
    """Make a slip: return nothing if there is no hit."""
    return right(grades, k) or None


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists, then lists with hits at, above and below the cut-off."""
    grades = rng.integers(1, 4, size=6).tolist()
    later = int(rng.integers(3, 6))  # the rank of the first hit of a longer list
    longer = [0] * (later - 1) + [2] + rng.integers(0, 4, size=5).tolist()
    return [
        ([1, 0, 0], 3),
        ([0, 1, 0, 1], 4),
        ([0, 0, 0], 3),
        ([0, 0, 1], 3),  # at the cut-off
        ([0, 0, 0, 1], 3),  # below the cut-off
        ([0, 2, 1, 0], 4),
        ([3, 0, 1], 1),
        (longer, later),
        ([0, *grades], 5),
        ([0, 0, *grades], 2),
    ]


CODE = Program(
    right,
    inputs,
    {
        "counted_from_zero": counted_from_zero,
        "counted_from_two": counted_from_two,
        "no_cutoff": no_cutoff,
        "cutoff_one_short": cutoff_one_short,
        "all_hits": all_hits,
        "last_hit": last_hit,
        "only_grade_one": only_grade_one,
        "grade_over_rank": grade_over_rank,
        "nothing_without_hit": nothing_without_hit,
        "stops_at_first_rank": stops_at_first_rank,
    },
)
"""The task "hits.code"."""
