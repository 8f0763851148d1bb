"""The programming task of lesson 9: the nDCG of a list at a cut-off."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import dcg, ideal_dcg, ndcg


def right(grades: Sequence[int], k: int) -> float:
    """Return the nDCG at k of a list that holds all relevant pages, or 0 if there are none."""
    if not any(grades):
        return 0.0
    return float(ndcg(grades, grades, k=k))


def not_divided(grades: Sequence[int], k: int) -> float:
    """Make a slip: return the DCG."""
    return float(dcg(grades, k=k))


def ideal_of_first_k(grades: Sequence[int], k: int) -> float:
    """Make a slip: compare with the best order of the first k pages."""
    return right(grades[:k], k)


def ideal_not_cut(grades: Sequence[int], k: int) -> float:
    """Make a slip: cut the list but not the best order."""
    return float(dcg(grades, k=k)) / float(ideal_dcg(grades)) if any(grades) else 0.0


INPUTS = [
    ([0, 3, 1], 3),
    ([1, 0, 2, 3], 2),
    ([1, 3, 0, 2], 4),
    ([2, 1], 5),
    ([0, 0, 0], 3),
    ([3, 2, 2, 3, 0, 1], 5),
    ([3, 2, 0, 1, 3], 4),
]
"""Short lists first, some with the best page below the cut-off, and one without any."""
