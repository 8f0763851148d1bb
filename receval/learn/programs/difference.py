"""The programming task of lesson 10: the p-value of a permutation test that tries all signs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from receval._checks import FloatArray
from receval.significance import permutation


def right(differences: Sequence[int]) -> float:
    """Return the p-value of the permutation test."""
    return permutation(differences, [0] * len(differences)).p


def _sums(differences: Sequence[int]) -> FloatArray:
    """Return the sum for each way to set the signs of the differences."""
    signs = np.array(list(product([1.0, -1.0], repeat=len(differences))))
    return signs @ differences


def one_direction(differences: Sequence[int]) -> float:
    """Make a slip: count only sums in the direction of the observed one."""
    return float(np.mean(_sums(differences) >= abs(sum(differences))))


def strictly_larger(differences: Sequence[int]) -> float:
    """Make a slip: leave out the sums that are as far from zero as the observed one."""
    return float(np.mean(np.abs(_sums(differences)) > abs(sum(differences))))


def not_divided(differences: Sequence[int]) -> float:
    """Make a slip: return the number of ways."""
    return right(differences) * 2.0 ** len(differences)


def only_signs(differences: Sequence[int]) -> float:
    """Count signs and ignore the sizes, as the sign test does."""
    return right(np.sign(differences).tolist())


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
