"""The programming task of lesson 8: the rank-biased precision of a list."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics.ranking import rbp


def right(hits: Sequence[int], p: float) -> float:
    """Return RBP."""
    return float(rbp(hits, p=p))


def not_normalised(hits: Sequence[int], p: float) -> float:
    """Make a slip: leave out the factor 1 - p."""
    return right(hits, p) / (1 - p)


def other_way_round(hits: Sequence[int], p: float) -> float:
    """Make a slip: swap p and 1 - p."""
    return right(hits, 1 - p)


def ranks_from_one(hits: Sequence[int], p: float) -> float:
    """Make a slip: count the ranks from 1 in the exponent."""
    return p * right(hits, p)


INPUTS = [
    ([1, 0], 0.8),
    ([0, 1, 1], 0.6),
    ([0, 0, 0], 0.5),
    ([1, 1, 0, 1], 0.9),
    ([0, 1, 0, 0, 1, 1], 0.75),
    ([1], 0.3),
]
"""Short lists first; one has no good item."""
