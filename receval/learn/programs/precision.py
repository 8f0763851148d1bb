"""The programming task of lesson 2: F1 of a list at a cut-off."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import ranking


def right(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Return F1 at k, or 0 if none of the first k items is wanted."""
    precision, recall = _both(grades, n_wanted, k)
    return _f1(precision, recall)


def _both(grades: Sequence[int], n_wanted: int, k: int) -> tuple[float, float]:
    """Return precision and recall at k."""
    precision = float(ranking.precision(grades, k=k))
    return precision, float(ranking.recall(grades, n_wanted, k=k))


def _f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall, or 0 if both are 0."""
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def _n_found(grades: Sequence[int]) -> int:
    """Count the wanted items of a list."""
    return sum(grade > 0 for grade in grades)


def divided_by_shown(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Divide precision by the number of items shown, which is wrong for short lists."""
    first = grades[:k]
    return _f1(_n_found(first) / len(first), _n_found(first) / n_wanted)


def no_cutoff(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: count the wanted items of the whole list."""
    return _f1(_n_found(grades) / k, _n_found(grades) / n_wanted)


def arithmetic_mean(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: return half of the sum of precision and recall."""
    return sum(_both(grades, n_wanted, k)) / 2


def fails_without_found(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Divide by zero if none of the first k items is wanted."""
    precision, recall = _both(grades, n_wanted, k)
    return 2 * precision * recall / (precision + recall)


INPUTS = [
    ([1, 0, 1], 4, 2),
    ([1, 0, 1, 1], 4, 5),
    ([0, 0, 1], 2, 2),
    ([3, 0, 1, 0, 2, 1], 5, 5),
    ([0, 1, 1], 3, 3),
    ([2, 0, 0, 2, 3, 1, 1], 8, 4),
    ([1, 0, 0, 0, 0, 0], 6, 3),
]
"""Short lists, one shorter than its cut-off and one without wanted items."""
