"""The programming task of lesson 10: the p-value of a permutation test that tries all signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from receval.significance import permutation

Differences = Sequence[int]


def right(differences: Differences) -> float:
    """Return the p-value of the permutation test."""
    return permutation(differences, [0] * len(differences)).p


def _sums(differences: Differences) -> list[int]:
    """Return the sum for each way to set the signs of the differences."""
    ways = product([1, -1], repeat=len(differences))
    return [sum(sign * x for sign, x in zip(signs, differences, strict=True)) for signs in ways]


def _n_ways(differences: Differences) -> int:
    """Return the number of ways to set the signs."""
    return len(_sums(differences))


def _share(differences: Differences, counts: Callable[[int, int], bool]) -> float:
    """Return the share of the ways for which ``counts(sum, observed sum)`` is true."""
    sums = _sums(differences)
    return sum(counts(total, sum(differences)) for total in sums) / len(sums)


def one_direction(differences: Differences) -> float:
    """Make a slip: count only sums in the direction of the observed one."""
    direction = 1 if sum(differences) >= 0 else -1
    return _share(differences, lambda total, observed: direction * total >= abs(observed))


def strictly_larger(differences: Differences) -> float:
    """Make a slip: leave out the sums that are as far from zero as the observed one."""
    return _share(differences, lambda total, observed: abs(total) > abs(observed))


def not_divided(differences: Differences) -> float:
    """Make a slip: return the number of ways."""
    return right(differences) * _n_ways(differences)


def only_signs(differences: Differences) -> float:
    """Count signs and ignore the sizes, as the sign test does."""
    return right([int(np.sign(x)) for x in differences])


INPUTS = [
    ([8, 2],),
    ([3, -1, 5],),
    ([-6, 2, -3],),
    ([4, 0, 1],),
    ([8, -2, 12, 4, 11],),
    ([5, 5, -5, 5],),
    ([9, -1, -2, -3],),
    ([-11, 1, 2, 7, 4],),
    ([11, -1, -2, -7, -4, 3],),
]
"""Short lists first; some have a negative sum, a difference of 0, or equal sizes."""
