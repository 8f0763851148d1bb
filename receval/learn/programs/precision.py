"""The programming task of lesson 2: F1 of a list at a cut-off."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import ranking

__all__ = ["CODE"]


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


def cutoff_one_short(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: stop one rank before the cut-off."""
    n_found = _n_found(grades[: k - 1])
    return _f1(n_found / k, n_found / n_wanted)


def recall_of_list(grades: Sequence[int], n_wanted: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: divide recall by the wanted items of the list."""
    n_found = _n_found(grades[:k])
    return _f1(n_found / k, n_found / max(_n_found(grades), 1))


def sum_of_grades(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: add up the grades in place of counting them."""
    total = sum(grades[:k])
    return _f1(total / k, total / n_wanted)


def only_grade_one(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Count the grade 1 only, which is wrong for graded lists."""
    return right([int(grade == 1) for grade in grades], n_wanted, k)


def arithmetic_mean(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: return half of the sum of precision and recall."""
    return sum(_both(grades, n_wanted, k)) / 2


def not_doubled(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: forget the factor of two."""
    return right(grades, n_wanted, k) / 2


def geometric_mean(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: return the root of the product."""
    precision, recall = _both(grades, n_wanted, k)
    return math.sqrt(precision * recall)


def precision_alone(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: return the precision."""
    return _both(grades, n_wanted, k)[0]


def recall_alone(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Make a slip: return the recall."""
    return _both(grades, n_wanted, k)[1]


def fails_without_found(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Divide by zero if none of the first k items is wanted."""
    precision, recall = _both(grades, n_wanted, k)
    return 2 * precision * recall / (precision + recall)


def nothing_without_found(grades: Sequence[int], n_wanted: int, k: int) -> float | None:
    """Make a slip: return nothing if none of the first k items is wanted."""
    return right(grades, n_wanted, k) or None


def nan_without_found(grades: Sequence[int], n_wanted: int, k: int) -> float:
    """Return NaN if none of the first k items is wanted, which is wrong here."""
    return right(grades, n_wanted, k) or float("nan")


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists, one shorter than its cut-off and one without wanted items."""
    first = rng.integers(0, 4, size=6).tolist()
    second = rng.integers(0, 2, size=5).tolist()
    return [
        ([1, 0, 1], 4, 2),
        ([1, 0, 1, 1], 4, 5),  # shorter than the cut-off
        ([0, 0, 1], 2, 2),  # nothing among the first k
        ([3, 0, 1, 0, 2, 1], 5, 5),
        ([0, 1, 1], 3, 3),
        ([2, *first], 8, 4),
        ([1, *second], 6, 3),
    ]


CODE = Program(
    right,
    inputs,
    {
        "divided_by_shown": divided_by_shown,
        "no_cutoff": no_cutoff,
        "cutoff_one_short": cutoff_one_short,
        "recall_of_list": recall_of_list,
        "sum_of_grades": sum_of_grades,
        "only_grade_one": only_grade_one,
        "arithmetic_mean": arithmetic_mean,
        "not_doubled": not_doubled,
        "geometric_mean": geometric_mean,
        "precision_alone": precision_alone,
        "recall_alone": recall_alone,
        "fails_without_found": fails_without_found,
        "nothing_without_found": nothing_without_found,
        "nan_without_found": nan_without_found,
    },
)
"""The task "precision.code"."""
