"""The programming task of lesson 8: the nDCG of a list at a cut-off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import dcg, ideal_dcg, ndcg

__all__ = ["CODE"]

Discount = Callable[[int], float]


def right(grades: Sequence[int], k: int) -> float:
    """Return the nDCG at k of a list that holds all relevant pages, or 0 if there are none."""
    if not any(grades):
        return 0.0
    return float(ndcg(grades, grades, k=k))


def _ndcg(grades: Sequence[int], best: Sequence[int], weight: Discount) -> float:
    """Return an nDCG whose rank weights are ``weight(rank)``; ``best`` is the ideal list."""
    gain = sum(grade * weight(rank) for rank, grade in enumerate(grades, start=1))
    best_gain = sum(grade * weight(rank) for rank, grade in enumerate(best, start=1))
    return gain / best_gain if best_gain else 0.0


def _with_weight(grades: Sequence[int], k: int, weight: Discount) -> float:
    """Return the nDCG at k with another discount."""
    return _ndcg(grades[:k], sorted(grades, reverse=True)[:k], weight)


def ranks_from_zero(grades: Sequence[int], k: int) -> float:
    """Divide by log2(1 + index), which fails at the first rank, where the index is 0."""
    return _with_weight(grades, k, lambda rank: 1 / math.log2(rank))


def one_rank_late(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by log2(2 + rank)."""
    return _with_weight(grades, k, lambda rank: 1 / math.log2(2 + rank))


def clipped(grades: Sequence[int], k: int) -> float:
    """Leave rank 2 without discount, as the paper of 2002 does."""
    return _with_weight(grades, k, lambda rank: 1 / max(1.0, math.log2(rank)))


def reciprocal(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide by the rank itself."""
    return _with_weight(grades, k, lambda rank: 1 / rank)


def one_plus_log(grades: Sequence[int], k: int) -> float:
    """Divide by 1 + log2(rank), which is another discount."""
    return _with_weight(grades, k, lambda rank: 1 / (1 + math.log2(rank)))


def log_twice(grades: Sequence[int], k: int) -> float:
    """Divide by log2(1 + log2(1 + rank)), which applies the logarithm twice."""
    return _with_weight(grades, k, lambda rank: 1 / math.log2(1 + math.log2(1 + rank)))


def no_discount(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide plain sums of grades."""
    return _with_weight(grades, k, lambda rank: 1.0)  # noqa: ARG005


def not_divided(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the DCG."""
    return float(dcg(grades, k=k))


def divided_by_sum(grades: Sequence[int], k: int) -> float:
    """Make a slip: divide the DCG by the plain sum of the grades."""
    return float(dcg(grades, k=k)) / sum(grades) if any(grades) else 0.0


def ideal_of_first_k(grades: Sequence[int], k: int) -> float:
    """Make a slip: compare with the best order of the first k pages."""
    return right(grades[:k], k)


def ideal_sorted_upwards(grades: Sequence[int], k: int) -> float:
    """Compare with the worst order, because ``sorted`` sorts upwards."""
    worst = float(dcg(sorted(grades), k=k))
    return float(dcg(grades, k=k)) / worst if worst else 0.0


def ideal_not_cut(grades: Sequence[int], k: int) -> float:
    """Make a slip: cut the list but not the best order."""
    return float(dcg(grades, k=k)) / float(ideal_dcg(grades)) if any(grades) else 0.0


def no_cutoff(grades: Sequence[int], k: int) -> float:  # noqa: ARG001
    """Make a slip: leave out the cut-off."""
    return right(grades, len(grades))


def exponential(grades: Sequence[int], k: int) -> float:
    """Use the gain 2 ** grade - 1, which is another variant."""
    return right([2**grade - 1 for grade in grades], k)


def nan_without_relevant(grades: Sequence[int], k: int) -> float:
    """Return NaN if no page is relevant."""
    return right(grades, k) if any(grades) else float("nan")


def fails_without_relevant(grades: Sequence[int], k: int) -> float:
    """Divide by zero if no page is relevant."""
    return float(dcg(grades, k=k)) / float(ideal_dcg(grades, k=k) if any(grades) else 0)


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists first, some with the best page below the cut-off, and one without any."""
    first = rng.permutation([3, 2, 1, 0, 2, 3]).tolist()
    second = rng.permutation([2, 0, 3, 1]).tolist()
    return [
        ([0, 3, 1], 3),
        ([1, 0, 2, 3], 2),  # a cut-off within the list, above the best page
        ([1, 3, 0, 2], 4),
        ([2, 1], 5),  # a list that is shorter than the cut-off
        ([0, 0, 0], 3),  # nothing is relevant
        (first, 5),
        ([*second, 3], 4),
    ]


CODE = Program(
    right,
    inputs,
    {
        "ranks_from_zero": ranks_from_zero,
        "one_rank_late": one_rank_late,
        "clipped": clipped,
        "reciprocal": reciprocal,
        "one_plus_log": one_plus_log,
        "log_twice": log_twice,
        "no_discount": no_discount,
        "not_divided": not_divided,
        "divided_by_sum": divided_by_sum,
        "ideal_of_first_k": ideal_of_first_k,
        "ideal_sorted_upwards": ideal_sorted_upwards,
        "ideal_not_cut": ideal_not_cut,
        "no_cutoff": no_cutoff,
        "exponential": exponential,
        "nan_without_relevant": nan_without_relevant,
        "fails_without_relevant": fails_without_relevant,
    },
)
"""The task "nDCG.code"."""
