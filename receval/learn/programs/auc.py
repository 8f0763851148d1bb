"""The programming task of lesson 4: the AUC of two lists of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.metrics import ranking


def right(wanted_scores: Sequence[float], other_scores: Sequence[float]) -> float:
    """Return the AUC; a tie counts as one half."""
    gains = [1] * len(wanted_scores) + [0] * len(other_scores)
    return float(ranking.auc(gains, scores=[*wanted_scores, *other_scores]))


def tie_is_wrong(wanted_scores: Sequence[float], other_scores: Sequence[float]) -> float:
    """Make a slip: count a tie as 0."""
    return float(np.greater.outer(wanted_scores, other_scores).mean())


def tie_is_right(wanted_scores: Sequence[float], other_scores: Sequence[float]) -> float:
    """Make a slip: count a tie as 1."""
    return float(np.greater_equal.outer(wanted_scores, other_scores).mean())


def lower_is_better(wanted_scores: Sequence[float], other_scores: Sequence[float]) -> float:
    """Count the pairs in the wrong order."""
    return right(other_scores, wanted_scores)


def returns_in_loop(wanted_scores: Sequence[float], other_scores: Sequence[float]) -> float:
    """Return after the first pair, because the return is inside the loop."""
    return right(wanted_scores[:1], other_scores[:1])


INPUTS = [
    ([0.9, 0.6], [0.8, 0.4, 0.1]),
    ([0.7], [0.7, 0.2]),
    ([0.3, 0.8], [0.5]),
    ([0.5, 0.5], [0.5]),
    ([0.2, 0.4, 0.9], [0.4, 0.3, 0.6, 0.1]),
    ([0.5, 0.3, 0.7, 0.3], [0.1, 0.4, 0.6, 0.7, 0.3]),
    ([0.5, 0.3], [0.5, 0.1, 0.4]),
]
"""Short lists of scores, some with ties, and random ones with few different scores."""
