"""The programming task of lesson 6: Kendall's tau-a of two lists of points."""

from __future__ import annotations

import math
from collections.abc import Sequence

from receval.metrics import retrieval


def right(first: Sequence[float], second: Sequence[float]) -> float:
    """Return tau-a."""
    return retrieval.kendall(dict(enumerate(first)), dict(enumerate(second)), variant="a")


def not_divided(first: Sequence[float], second: Sequence[float]) -> float:
    """Make a slip: return the difference of the numbers of pairs."""
    return right(first, second) * math.comb(len(first), 2)


def share_of_pairs(first: Sequence[float], second: Sequence[float]) -> float:
    """Make a slip: return the share of concordant pairs."""
    counts = retrieval.pair_counts(dict(enumerate(first)), dict(enumerate(second)))
    return counts.concordant / math.comb(len(first), 2)


def ties_discordant(first: Sequence[float], second: Sequence[float]) -> float:
    """Make a slip: count tied pairs as discordant."""
    return 2 * share_of_pairs(first, second) - 1


def counted_twice(first: Sequence[float], second: Sequence[float]) -> float:
    """Make a slip: count each pair in both directions, but divide by the number of pairs."""
    return 2 * right(first, second)


INPUTS = [
    ([3, 2, 1], [2, 3, 1]),
    ([9, 7, 6, 4], [8, 3, 9, 5]),
    ([3, 2, 1], [2, 1, 1]),
    ([5, 5, 2, 1], [9, 8, 8, 4]),
    ([4, 4, 1], [7, 7, 2]),
    ([1, 2], [8, 6]),
    ([4, 3, 2, 1, 5], [1, 2, 2, 4, 3]),
    ([6, 5, 4, 3, 2, 1], [5, 2, 1, 0, 3, 4]),
    ([7, 3, 8, 1, 5], [1, 2, 3, 3, 3]),
]
"""Short lists first; some have ties in the first list, the second, or both."""
