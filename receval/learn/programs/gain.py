"""The programming task of lesson 7: the discounted cumulative gain of a list at a cut-off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import cumulative_gain, dcg, ideal_dcg

__all__ = ["CODE"]

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


def one_rank_late(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by log2(2 + rank)."""
    return _with_weight(grades, k, lambda rank: 1 / math.log2(2 + rank))


def natural_logarithm(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by the natural logarithm."""
    return _with_weight(grades, k, lambda rank: 1 / math.log(1 + rank))


def base_ten(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by the logarithm to base 10."""
    return _with_weight(grades, k, lambda rank: 1 / math.log10(1 + rank))


def clipped(grades: Sequence[int], k: int) -> float:
    """Leave rank 2 without discount, as the paper of 2002 does."""
    return _with_weight(grades, k, lambda rank: 1 / max(1.0, math.log2(rank)))


def reciprocal(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by the rank itself."""
    return _with_weight(grades, k, lambda rank: 1 / rank)


def one_plus_log(grades: Sequence[int], k: int) -> float:
    """Divide by 1 + log2(rank), which is another discount."""
    return _with_weight(grades, k, lambda rank: 1 / (1 + math.log2(rank)))


def multiplied(grades: Sequence[int], k: int) -> float:
    """Make a slip: multiply by the logarithm."""
    return _with_weight(grades, k, lambda rank: math.log2(1 + rank))


def no_discount(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the CG."""
    return float(cumulative_gain(grades, k=k))


def no_cutoff(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: return the DCG of the whole list."""
    return float(dcg(grades))


def cutoff_one_short(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the DCG at k - 1."""
    return _with_weight(grades, k - 1, lambda rank: 1 / math.log2(1 + rank))


def only_first(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: return after the first rank."""
    return float(grades[0])


def only_last(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the last term instead of the sum."""
    first_k = grades[:k]
    return first_k[-1] / math.log2(1 + len(first_k))


def divided(grades: Sequence[int], k: int) -> float:
    """Divide by the DCG of the best order, which gives the nDCG."""
    return right(grades, k) / float(ideal_dcg(grades, k=k)) if any(grades) else 0.0


def mean(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the mean of the terms."""
    return right(grades, k) / len(grades[:k])


def binary(grades: Sequence[int], k: int) -> float:
    """Count each grade above 0 as 1, which is another gain."""
    return right([int(grade > 0) for grade in grades], k)


def exponential(grades: Sequence[int], k: int) -> float:
    """Use the gain 2 ** grade - 1, which is another gain."""
    return right([2**grade - 1 for grade in grades], k)


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists first; some are longer than the cut-off, and one is shorter."""
    first = rng.permutation([3, 2, 1, 0, 2, 3]).tolist()
    second = rng.permutation([2, 0, 3, 1]).tolist()
    return [
        ([0, 3, 1], 3),
        ([1, 0, 2, 3], 2),
        ([2, 3, 0, 2], 4),
        ([2, 1], 5),
        ([0, 0, 0], 3),
        (first, 5),
        ([*second, 3], 4),
    ]


CODE = Program(
    right,
    inputs,
    {
        "ranks_from_zero": ranks_from_zero,
        "one_rank_late": one_rank_late,
        "natural_logarithm": natural_logarithm,
        "base_ten": base_ten,
        "clipped": clipped,
        "reciprocal": reciprocal,
        "one_plus_log": one_plus_log,
        "multiplied": multiplied,
        "no_discount": no_discount,
        "no_cutoff": no_cutoff,
        "cutoff_one_short": cutoff_one_short,
        "only_first": only_first,
        "only_last": only_last,
        "divided": divided,
        "mean": mean,
        "binary": binary,
        "exponential": exponential,
    },
)
"""The task "gain.code"."""
