"""The formulas, on grades that were checked: what the public functions and `evaluate` compute.

``gains`` are grades by rank with a NaN tail, ``k`` is a cut-off or None, ``total`` the number of
relevant items of each list; ``hits``, ``precisions``, ``value`` and ``ideal`` are sums of terms
over the first k ranks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from receval._checks import FloatArray, InputError, IntArray, offenders
from receval.metrics.discounts import Discount, Gain, reciprocal
from receval.metrics.ranking._parts import (
    best_first,
    cutoff_of,
    filled,
    gain_of,
    in_range,
    ranks,
    ratio,
    relevant_among,
    retrieved,
    running,
    summed,
    weights,
)


def hit(hits: FloatArray) -> FloatArray:
    return np.minimum(hits, 1.0)[()]


def reciprocal_rank_terms(gains: FloatArray, k: int | None) -> FloatArray:
    relevant = relevant_among(gains, k)
    first = relevant & (running(relevant) == 1)
    return np.where(first, reciprocal(ranks(relevant)), 0.0)


def hit_terms(gains: FloatArray, k: int | None) -> FloatArray:
    return relevant_among(gains, k).astype(np.float64)


def precision(
    hits: FloatArray, gains: FloatArray, total: IntArray | None, k: int | None, how: str
) -> FloatArray:
    if how == "cutoff":
        return ratio(hits, cutoff_of(gains, k))
    if how == "retrieved":
        return ratio(hits, retrieved(gains, k))
    assert total is not None
    return ratio(hits, np.minimum(cutoff_of(gains, k), total))


def recall(
    hits: FloatArray, gains: FloatArray, total: IntArray, k: int | None, how: str
) -> FloatArray:
    if how == "reachable":
        total = np.minimum(cutoff_of(gains, k), total)
    return ratio(hits, total)


def f1(precision: FloatArray, recall: FloatArray) -> FloatArray:
    both_zero = (precision == 0) & (recall == 0)
    return 2 * precision * recall / np.where(both_zero, 1.0, precision + recall)


def r_precision_terms(gains: FloatArray, total: IntArray) -> FloatArray:
    return ((gains > 0) & (ranks(gains) <= total[..., np.newaxis])).astype(np.float64)


def r_precision(gains: FloatArray, total: IntArray) -> FloatArray:
    return ratio(summed(r_precision_terms(gains, total)), total)


def average_precision_terms(gains: FloatArray, k: int | None) -> FloatArray:
    relevant = relevant_among(gains, k)
    return relevant * running(relevant) / ranks(relevant)


def average_precision(
    precisions: FloatArray, gains: FloatArray, total: IntArray, k: int | None, how: str
) -> FloatArray:
    divisors: dict[str, Callable[[], IntArray]] = {
        "relevant": lambda: total,
        "reachable": lambda: np.minimum(cutoff_of(gains, k), total),
        "listed": lambda: np.minimum(retrieved(gains, k), total),
        "cutoff": lambda: cutoff_of(gains, k),
        "found": lambda: relevant_among(gains, k).sum(axis=-1),
    }
    # Something is relevant but D is 0 (an empty list, or nothing found): the value is 0.
    value = precisions / np.maximum(divisors[how](), 1)
    return np.where(total > 0, value, np.nan)[()]


def cumulative_gain_terms(gains: FloatArray, k: int | None) -> FloatArray:
    return filled(gains[..., :k])


def dcg_terms(gains: FloatArray, k: int | None, discount: Discount, gain: Gain) -> FloatArray:
    head = gains[..., :k]
    worth, weight = gain_of(head, gain), weights(head.shape[-1], discount)
    with np.errstate(over="ignore"):
        terms = filled(worth) * weight
    # Only a weight above 1 makes finite gains overflow.
    return in_range(terms, "discount") if (weight > 1).any() else terms


def ideal_dcg_terms(
    grades: FloatArray, k: int | None, discount: Discount, gain: Gain
) -> FloatArray:
    return dcg_terms(best_first(filled(grades)), k, discount, gain)


def ndcg(value: FloatArray, ideal: FloatArray) -> FloatArray:
    too_good = np.atleast_1d(value * (1 - 1e-9) > ideal)
    if too_good.any():
        raise InputError(
            "relevance must hold every grade that is in gains; "
            f"got lists with a DCG above their ideal DCG: {offenders(too_good, too_good)}"
        )
    # The same terms in another order may add up to a last bit more.
    return ratio(np.minimum(value, ideal), ideal)
