"""The programming task of lesson 0: the cumulative gain of the first ranks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import cumulative_gain

__all__ = ["CODE"]


def right(points: Sequence[int], k: int) -> float:
    """Return the cumulative gain of the first k ranks; a shorter list counts in full."""
    return float(cumulative_gain(points[:k]))


def no_cutoff(points: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: add up the whole list."""
    return sum(points)


def cutoff_one_short(points: Sequence[int], k: int) -> float:
    """Make a slip: stop one rank before the cut-off."""
    return sum(points[: k - 1])


def cutoff_one_late(points: Sequence[int], k: int) -> float:
    """Make a slip: stop one rank after the cut-off."""
    return sum(points[: k + 1])


def first_item_left_out(points: Sequence[int], k: int) -> float:
    """Make a slip: add up the points from the second rank to rank k."""
    return sum(points[1:k])


def last_items(points: Sequence[int], k: int) -> float:
    """Make a slip: add up the last k ranks."""
    return sum(points[-k:])


def largest_points(points: Sequence[int], k: int) -> float:
    """Make a slip: add up the k largest points."""
    return sum(sorted(points, reverse=True)[:k])


def item_at_rank_k(points: Sequence[int], k: int) -> float:
    """Make a slip: return the points of a single rank."""
    return points[min(k, len(points)) - 1]


def mean(points: Sequence[int], k: int) -> float:
    """Make a slip: return the mean of the first k ranks."""
    return right(points, k) / len(points[:k])


def sum_of_ranks(points: Sequence[int], k: int) -> float:
    """Make a slip: add up the ranks in place of the points."""
    return sum(rank for rank, _ in enumerate(points[:k], start=1))


def running_sums(points: Sequence[int], k: int) -> list[int]:
    """Return the sum after each rank, not only the last one."""
    return list(accumulate(points[:k]))


def returns_in_loop(points: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Return after the first rank, because the return is inside the loop."""
    return points[0]


def fails_on_short_lists(points: Sequence[int], k: int) -> float:
    """Look up k items, which fails if the list is shorter."""
    return sum(points[index] for index in range(k))


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists, one of them shorter than the cut-off, and random ones."""
    first = rng.integers(1, 11, size=6).tolist()
    second = rng.integers(1, 11, size=5).tolist()
    return [
        ([9, 9, 6, 4], 2),
        ([2, 7, 1, 8], 3),
        ([5, 3], 4),  # shorter than the cut-off
        ([4], 1),
        (first, int(rng.integers(2, 6))),
        (second, 3),
    ]


CODE = Program(
    right,
    inputs,
    {
        "no_cutoff": no_cutoff,
        "cutoff_one_short": cutoff_one_short,
        "cutoff_one_late": cutoff_one_late,
        "first_item_left_out": first_item_left_out,
        "last_items": last_items,
        "largest_points": largest_points,
        "item_at_rank_k": item_at_rank_k,
        "mean": mean,
        "sum_of_ranks": sum_of_ranks,
        "running_sums": running_sums,
        "returns_in_loop": returns_in_loop,
        "fails_on_short_lists": fails_on_short_lists,
    },
)
"""The task "start.code"."""
