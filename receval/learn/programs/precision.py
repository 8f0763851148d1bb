"""The programming task of lesson 2: F1 of a list at a cut-off."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import ranking


def right(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Return F1 at k, or 0 if none of the first k items is wanted."""
    precision = ranking.precision(grades, k=k)
    recall = ranking.recall(grades, n_wanted, k=k)
    return float(ranking.f1(precision, recall))


def divided_by_shown(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Divide precision by the number of items shown, which is wrong for short lists."""
    return right(grades, n_wanted, min(k, len(grades)))


def no_cutoff(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: count the wanted items of the whole list."""
    return 2 * sum(grade > 0 for grade in grades) / (k + n_wanted)


def arithmetic_mean(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: return half of the sum of precision and recall."""
    n_found = sum(grade > 0 for grade in grades[:k])
    return (n_found / k + n_found / n_wanted) / 2


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
