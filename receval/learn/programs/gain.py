"""The programming task of lesson 7: the discounted cumulative gain of a list at a cut-off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from receval.metrics import dcg

Discount = Callable[[int], float]


def right(grades: Sequence[int], k: int) -> float:
    """Return the DCG at k."""
    return float(dcg(grades, k=k))


def _with_weight(grades: Sequence[int], k: int, weight: Discount) -> float:
    """Return the sum of the first k grades, each multiplied by ``weight(rank)``."""
    return sum(grade * weight(rank) for rank, grade in enumerate(grades[:k], start=1))


def ranks_from_zero(grades: Sequence[int], k: int) -> float:
    """Divide by log2(1 + index), which fails at the first rank, where the index is 0."""
    return _with_weight(grades, k, lambda rank: 1 / math.log2(rank))


def natural_logarithm(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by the natural logarithm."""
    return _with_weight(grades, k, lambda rank: 1 / math.log(1 + rank))


def clipped(grades: Sequence[int], k: int) -> float:
    """Leave rank 2 without discount, as the paper of 2002 does."""
    return _with_weight(grades, k, lambda rank: 1 / max(1.0, math.log2(rank)))


def no_cutoff(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: return the DCG of the whole list."""
    return float(dcg(grades))


INPUTS = [
    ([0, 3, 1], 3),
    ([1, 0, 2, 3], 2),
    ([2, 3, 0, 2], 4),
    ([2, 1], 5),
    ([0, 0, 0], 3),
    ([2, 2, 1, 3, 0, 3], 5),
    ([0, 3, 2, 1, 3], 4),
]
"""Short lists first; some are longer than the cut-off, and one is shorter."""
