"""The programming task of lesson 0: the cumulative gain of the first ranks."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import cumulative_gain


def right(points: Sequence[int], k: int) -> float:
    """Return the cumulative gain of the first k ranks; a shorter list counts in full."""
    return float(cumulative_gain(points[:k]))


def no_cutoff(points: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: add up the whole list."""
    return sum(points)


def cutoff_one_short(points: Sequence[int], k: int) -> float:
    """Make a slip: stop one rank before the cut-off."""
    return sum(points[: k - 1])


def mean(points: Sequence[int], k: int) -> float:
    """Make a slip: return the mean of the first k ranks."""
    return right(points, k) / len(points[:k])


def returns_in_loop(points: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Return after the first rank, because the return is inside the loop."""
    return points[0]


INPUTS = [
    ([9, 9, 6, 4], 2),
    ([2, 7, 1, 8], 3),
    ([5, 3], 4),
    ([4], 1),
    ([10, 3, 1, 3, 6, 9], 5),
    ([10, 10, 3, 7, 2], 3),
]
"""Short lists, one of them shorter than the cut-off, and random ones."""
