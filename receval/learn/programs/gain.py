"""The programming task of lesson 7: the discounted cumulative gain of a list at a cut-off."""

from __future__ import annotations

import math
from collections.abc import Sequence

from receval.metrics import clipped_log2, dcg


def right(grades: Sequence[int], k: int) -> float:
    """Return the DCG at k."""
    return float(dcg(grades, k=k))


def natural_logarithm(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by the natural logarithm."""
    return sum(grade / math.log(1 + rank) for rank, grade in enumerate(grades[:k], start=1))


def clipped(grades: Sequence[int], k: int) -> float:
    """Leave rank 2 without discount, as the paper of 2002 does."""
    return float(dcg(grades, k=k, discount=clipped_log2))


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
