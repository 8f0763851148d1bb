"""The programming task of lesson 4: the AUC of two lists of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import ranking

__all__ = ["CODE"]

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


def tie_left_out(wanted_scores: Scores, other_scores: Scores) -> float:
    """Leave tied pairs out of the divisor, which is wrong and fails if all pairs are tied."""
    n_in_order, n_tied = _count_pairs(wanted_scores, other_scores)
    return n_in_order / (_n_pairs(wanted_scores, other_scores) - n_tied)


def lower_is_better(wanted_scores: Scores, other_scores: Scores) -> float:
    """Count the pairs in the wrong order."""
    return right(other_scores, wanted_scores)


def not_divided(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: return the number of pairs in order."""
    n_in_order, n_tied = _count_pairs(wanted_scores, other_scores)
    return n_in_order + n_tied / 2


def all_pairs(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: divide by the number of pairs of any two items."""
    n_items = len(wanted_scores) + len(other_scores)
    return not_divided(wanted_scores, other_scores) / (n_items * (n_items - 1) / 2)


def divided_by_items(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: divide by the number of items."""
    n_items = len(wanted_scores) + len(other_scores)
    return not_divided(wanted_scores, other_scores) / n_items


def divided_by_wanted(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: divide by the number of wanted items."""
    return not_divided(wanted_scores, other_scores) / len(wanted_scores)


def in_order_minus_reversed(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: subtract the pairs in the wrong order."""
    return 2 * right(wanted_scores, other_scores) - 1


def first_with_first(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: compare items at the same place of both lists."""
    total = 0.0
    for wanted, other in zip(wanted_scores, other_scores, strict=False):
        total += (wanted > other) + (wanted == other) / 2
    return total / min(len(wanted_scores), len(other_scores))


def best_wanted_only(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: compare only the best wanted item."""
    return right([max(wanted_scores)], other_scores)


def differences(wanted_scores: Scores, other_scores: Scores) -> float:
    """Make a slip: add up differences of scores."""
    total = 0.0
    for wanted in wanted_scores:
        for other in other_scores:
            total += wanted - other
    return total / _n_pairs(wanted_scores, other_scores)


def returns_in_loop(wanted_scores: Scores, other_scores: Scores) -> float:
    """Return after the first pair, because the return is inside the loop."""
    return right(wanted_scores[:1], other_scores[:1])


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short lists of scores, some with ties, and random ones with few different scores."""
    wanted = (rng.integers(1, 10, size=4) / 10).tolist()
    others = (rng.integers(1, 10, size=5) / 10).tolist()
    return [
        ([0.9, 0.6], [0.8, 0.4, 0.1]),
        ([0.7], [0.7, 0.2]),
        ([0.3, 0.8], [0.5]),
        ([0.5, 0.5], [0.5]),  # nothing but ties
        ([0.2, 0.4, 0.9], [0.4, 0.3, 0.6, 0.1]),
        (wanted, others),
        (wanted[:2], [*wanted[:1], *others[:2]]),
    ]


CODE = Program(
    right,
    inputs,
    {
        "tie_is_wrong": tie_is_wrong,
        "tie_is_right": tie_is_right,
        "tie_left_out": tie_left_out,
        "lower_is_better": lower_is_better,
        "not_divided": not_divided,
        "all_pairs": all_pairs,
        "divided_by_items": divided_by_items,
        "divided_by_wanted": divided_by_wanted,
        "in_order_minus_reversed": in_order_minus_reversed,
        "first_with_first": first_with_first,
        "best_wanted_only": best_wanted_only,
        "differences": differences,
        "returns_in_loop": returns_in_loop,
    },
)
"""The task "auc.code"."""
