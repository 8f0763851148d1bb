"""The programming task of lesson 4: the AUC of two lists of scores."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics import ranking

Scores = Sequence[float]


def right(wanted_scores: Scores, other_scores: Scores) -> float:
    """Return the AUC; a tie counts as one half."""
    gains = [1] * len(wanted_scores) + [0] * len(other_scores)
    return float(ranking.auc(gains, scores=[*wanted_scores, *other_scores]))


def _count_pairs(wanted_scores: Scores, other_scores: Scores) -> tuple[int, int]:
    """Count the pairs that are in order, and the tied ones."""
    n_in_order = n_tied = 0
    for wanted in wanted_scores:
        for other in other_scores:
            n_in_order += wanted > other
            n_tied += wanted == other
    return n_in_order, n_tied


def _n_pairs(wanted_scores: Scores, other_scores: Scores) -> int:
    """Return the number of pairs of a wanted and another item."""
    return len(wanted_scores) * len(other_scores)


def tie_is_wrong(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: count a tie as 0."""
    n_in_order, _ = _count_pairs(wanted_scores, other_scores)
    return n_in_order / _n_pairs(wanted_scores, other_scores)


def tie_is_right(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: count a tie as 1."""
    n_in_order, n_tied = _count_pairs(wanted_scores, other_scores)
    return (n_in_order + n_tied) / _n_pairs(wanted_scores, other_scores)


def lower_is_better(wanted_scores: Scores, other_scores: Scores) -> float:
    """Count the pairs in the wrong order."""
    return right(other_scores, wanted_scores)


def returns_in_loop(wanted_scores: Scores, other_scores: Scores) -> float:
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
