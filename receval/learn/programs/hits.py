"""The programming task of lesson 1: the reciprocal rank of a list."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import ranking


def right(grades: Sequence[int], k: int) -> float:
    """Return the reciprocal rank at k."""
    return float(ranking.reciprocal_rank(grades, k=k))


def counted_from_zero(grades: Sequence[int], k: int) -> float:
    """Make a slip: return one over the index; a hit at the first index counts as 1."""
    for index, grade in enumerate(grades[:k]):
        if grade > 0:
            return 1 / max(index, 1)
    return 0.0


def no_cutoff(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: return the reciprocal rank of the whole list."""
    return float(ranking.reciprocal_rank(grades))


def all_hits(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the sum of 1 / rank over all hits."""
    return sum(1 / rank for rank, grade in enumerate(grades[:k], start=1) if grade > 0)


def nothing_without_hit(grades: Sequence[int], k: int) -> float | None:
    """Make a slip: return nothing if there is no hit."""
    return right(grades, k) or None


INPUTS = [
    ([1, 0, 0], 3),
    ([0, 1, 0, 1], 4),
    ([0, 0, 0], 3),
    ([0, 0, 1], 3),
    ([0, 0, 0, 1], 3),
    ([0, 2, 1, 0], 4),
    ([3, 0, 1], 1),
    ([0, 0, 0, 2, 3, 3, 0, 3, 3], 4),
    ([0, 2, 3, 1, 2, 2, 3], 5),
    ([0, 0, 2, 3, 1, 2, 2, 3], 2),
]
"""Short lists, then lists with hits at, above and below the cut-off."""
