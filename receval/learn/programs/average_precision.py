"""The programming task of lesson 3: the average precision of a list at a cut-off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import ranking

__all__ = ["CODE"]


def right(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Return AP at k, divided by the number of all relevant items."""
    return float(ranking.average_precision(grades, n_relevant, k=k))


def _sum_of_stops(grades: Sequence[int]) -> float:
    """Add up the precisions at the relevant ranks."""
    return float(ranking.average_precision_terms(grades).sum())


def _n_found(grades: Sequence[int]) -> int:
    """Count the relevant items of a list."""
    return sum(grade > 0 for grade in grades)


def divided_by_found(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: divide by the number of items found."""
    return _sum_of_stops(grades[:k]) / max(_n_found(grades[:k]), 1)


def mean_of_stops(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Divide by the number of items found, which is wrong and fails if there are none."""
    return _sum_of_stops(grades[:k]) / _n_found(grades[:k])


def divided_by_reachable(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Divide by at most k, which is another convention."""
    return _sum_of_stops(grades[:k]) / min(k, n_relevant)


def divided_by_cutoff(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: divide by k."""
    return _sum_of_stops(grades[:k]) / k


def divided_by_shown(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: divide by the number of items shown down to rank k."""
    return _sum_of_stops(grades[:k]) / len(grades[:k])


def not_divided(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: return the sum of the stops."""
    return _sum_of_stops(grades[:k])


def every_rank(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: add up the precisions at all ranks."""
    total = 0.0
    for rank in range(1, len(grades[:k]) + 1):
        total += _n_found(grades[:rank]) / rank
    return total / n_relevant


def reciprocal_ranks(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: add up 1 / rank over the relevant ranks."""
    total = sum(1 / rank for rank, grade in enumerate(grades[:k], start=1) if grade > 0)
    return total / n_relevant


def counted_before_hit(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: leave out the item at the stop itself."""
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            total += _n_found(grades[: rank - 1]) / rank
    return total / n_relevant


def ranks_from_two(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: divide by the rank plus one."""
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            total += _n_found(grades[:rank]) / (rank + 1)
    return total / n_relevant


def no_cutoff(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: look at the whole list."""
    return _sum_of_stops(grades) / n_relevant


def cutoff_one_short(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: stop one rank before the cut-off."""
    if k == 1:
        return 0.0
    return right(grades, n_relevant, k - 1)


def sum_of_grades(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Make a slip: add up grades in place of counting relevant items."""
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            total += sum(grades[:rank]) / rank
    return total / n_relevant


def only_grade_one(grades: Sequence[int], n_relevant: int, k: int) -> float:
    """Stop at the grade 1 only, which is wrong for graded lists."""
    return right([int(grade == 1) for grade in grades], n_relevant, k)


def precision_at_cutoff(grades: Sequence[int], n_relevant: int, k: int) -> float:  # noqa: ARG001
    """Make a slip: return the precision at k."""
    return float(ranking.precision(grades, k=k))


def returns_in_loop(grades: Sequence[int], n_relevant: int, k: int) -> float | None:
    """Return at the first stop, because the return is inside the loop."""
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0:
            return 1 / rank / n_relevant
    return None


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists, some with relevant items below the cut-off or not shown."""
    first = rng.integers(0, 4, size=6).tolist()
    second = rng.integers(0, 2, size=6).tolist()
    return [
        ([0, 1, 1], 4, 3),
        ([1, 0, 1], 2, 2),  # a relevant item below the cut-off
        ([0, 0, 2], 1, 2),  # nothing among the first k
        ([1, 1, 0, 1], 5, 6),  # a list that is shorter than the cut-off
        ([2, 0, 3, 1, 0], 7, 4),
        ([1], 3, 1),
        ([3, *first], 9, 5),
        ([0, 1, *second], 8, 4),
    ]


CODE = Program(
    right,
    inputs,
    {
        "divided_by_found": divided_by_found,
        "mean_of_stops": mean_of_stops,
        "divided_by_reachable": divided_by_reachable,
        "divided_by_cutoff": divided_by_cutoff,
        "divided_by_shown": divided_by_shown,
        "not_divided": not_divided,
        "every_rank": every_rank,
        "reciprocal_ranks": reciprocal_ranks,
        "counted_before_hit": counted_before_hit,
        "ranks_from_two": ranks_from_two,
        "no_cutoff": no_cutoff,
        "cutoff_one_short": cutoff_one_short,
        "sum_of_grades": sum_of_grades,
        "only_grade_one": only_grade_one,
        "precision_at_cutoff": precision_at_cutoff,
        "returns_in_loop": returns_in_loop,
    },
)
"""The task "average_precision.code"."""
