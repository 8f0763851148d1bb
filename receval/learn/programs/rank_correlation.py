"""The programming task of lesson 6: Kendall's tau-a of two lists of points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from receval.metrics import retrieval

Points = Sequence[float]


def right(first: Points, second: Points) -> float:
    """Return tau-a."""
    return retrieval.kendall(dict(enumerate(first)), dict(enumerate(second)), variant="a")


def _signs(first: Points, second: Points) -> list[int]:
    """Return 1 for each concordant pair, -1 for each discordant one, and 0 for each tied one."""
    pairs = combinations(range(len(first)), 2)
    return [int(np.sign((first[i] - first[j]) * (second[i] - second[j]))) for i, j in pairs]


def not_divided(first: Points, second: Points) -> float:
    """Make a slip: return the difference of the numbers of pairs."""
    return sum(_signs(first, second))


def share_of_pairs(first: Points, second: Points) -> float:
    """Make a slip: return the share of concordant pairs."""
    signs = _signs(first, second)
    return signs.count(1) / len(signs)


def ties_discordant(first: Points, second: Points) -> float:
    """Make a slip: count tied pairs as discordant."""
    signs = _signs(first, second)
    return (2 * signs.count(1) - len(signs)) / len(signs)


def counted_twice(first: Points, second: Points) -> float:
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
