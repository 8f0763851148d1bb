"""The programming task of lesson 3: the average precision of a list at a cut-off."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import ranking


def right(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Return AP at k, divided by the number of all relevant items."""
    return float(ranking.average_precision(grades, n_relevant, k=k))


def divided_by_found(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: divide by the number of items found."""
    n_found = sum(grade > 0 for grade in grades[:k])
    return not_divided(grades, n_relevant, k) / max(n_found, 1)


def not_divided(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: return the sum of the stops."""
    return right(grades, n_relevant, k) * n_relevant


def every_rank(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: add up the precisions at all ranks."""
    precisions = [ranking.precision(grades, k=rank) for rank in range(1, len(grades[:k]) + 1)]
    return float(sum(precisions) / n_relevant)


def no_cutoff(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: look at the whole list."""
    return right(grades, n_relevant, len(grades))


INPUTS = [
    ([0, 1, 1], 4, 3),
    ([1, 0, 1], 2, 2),
    ([0, 0, 2], 1, 2),
    ([1, 1, 0, 1], 5, 6),
    ([2, 0, 3, 1, 0], 7, 4),
    ([1], 3, 1),
    ([3, 3, 3, 1, 3, 1, 3], 9, 5),
    ([0, 1, 1, 0, 0, 0, 1, 0], 8, 4),
]
"""Short lists, some with relevant items below the cut-off or not shown."""
