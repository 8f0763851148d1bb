"""The programming task of lesson 10: the p-value of a permutation test that tries all signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from receval.learn.program import Inputs, Program
from receval.significance import permutation

__all__ = ["CODE"]

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


def only_upwards(differences: Differences) -> float:
    """Make a slip: count only sums that are at least the observed one."""
    return _share(differences, lambda total, observed: total >= observed)


def strictly_larger(differences: Differences) -> float:
    """Make a slip: leave out the sums that are as far from zero as the observed one."""
    return _share(differences, lambda total, observed: abs(total) > abs(observed))


def observed_with_sign(differences: Differences) -> float:
    """Compare with the observed sum and its sign, so that a negative one gives 1."""
    return _share(differences, lambda total, observed: abs(total) >= observed)


def not_divided(differences: Differences) -> float:
    """Make a slip: return the number of ways."""
    return right(differences) * _n_ways(differences)


def divided_by_people(differences: Differences) -> float:
    """Make a slip: divide the number of ways by the number of people."""
    return not_divided(differences) / len(differences)


def without_observed(differences: Differences) -> float:
    """Make a slip: leave out the observed way."""
    return (not_divided(differences) - 1) / (_n_ways(differences) - 1)


def one_added(differences: Differences) -> float:
    """Add one to numerator and denominator, as for randomly drawn signs."""
    return (not_divided(differences) + 1) / (_n_ways(differences) + 1)


def inverted(differences: Differences) -> float:
    """Make a slip: return the share of the ways with a smaller sum."""
    return 1 - right(differences)


def left_out(differences: Differences) -> float:
    """Make a slip: leave differences out instead of changing their sign."""
    ways = list(product([1, 0], repeat=len(differences)))
    sums = [sum(sign * x for sign, x in zip(signs, differences, strict=True)) for signs in ways]
    return sum(abs(total) >= abs(sum(differences)) for total in sums) / len(ways)


def only_signs(differences: Differences) -> float:
    """Count signs and ignore the sizes, as the sign test does."""
    return right([int(np.sign(x)) for x in differences])


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists first; some have a negative sum, a difference of 0, or equal sizes."""
    sizes = rng.permutation([1, 2, 4, 7, 11])
    signs = rng.permutation([1, 1, 1, 1, -1])
    return [
        ([8, 2],),
        ([3, -1, 5],),
        ([-6, 2, -3],),
        ([4, 0, 1],),
        ([8, -2, 12, 4, 11],),
        ([5, 5, -5, 5],),
        ([9, -1, -2, -3],),
        ((sizes * signs).tolist(),),
        ([*(-sizes * signs).tolist(), 3],),
    ]


CODE = Program(
    right,
    inputs,
    {
        "one_direction": one_direction,
        "only_upwards": only_upwards,
        "strictly_larger": strictly_larger,
        "observed_with_sign": observed_with_sign,
        "not_divided": not_divided,
        "divided_by_people": divided_by_people,
        "without_observed": without_observed,
        "one_added": one_added,
        "inverted": inverted,
        "left_out": left_out,
        "only_signs": only_signs,
    },
)
"""The task "difference.code"."""
