r"""Expected values over all orders of equal scores, each order as likely as any other.

Every function takes a block whose lists stand best first within each run of equal scores. A run
of s items with m relevant ones that starts behind rank f is, at each of its ranks, relevant with
probability m/s, and at two of its ranks together with m(m − 1)/(s(s − 1)); different runs are
independent, and what stands before a run is known. From this follow, exactly:

- sums over ranks (hits, gains, discounted gains), by putting at each rank the mean of its run;
- whether, and where, the first relevant item comes, by the chance that the next item of a run is
  relevant when none before it was;
- AP, by the chance of two relevant ranks together. AP by hits found divides by a number that is
  random itself, and is averaged over that number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from receval._checks import BoolArray, FloatArray, IntArray
from receval.measure.block import Block
from receval.metrics.ranking import average_precision_terms
from receval.metrics.ranking._parts import ratio, summed, tie_runs


def share(block: Block, worth: FloatArray, weight: FloatArray) -> FloatArray:
    """Expected sum of worth times weight, over that of the block's own order.

    A measure that is such a sum over something fixed has as expected value its value times this.
    """
    first, last = _runs(block)
    worth = np.nan_to_num(worth, nan=0.0)
    expected = summed(_run_sum(worth, first, last) / (last - first + 1) * weight)
    return np.nan_to_num(ratio(expected, summed(worth * weight)), nan=0.0)


def share_of_hits(block: Block, k: int | IntArray | None) -> FloatArray:
    """Expected number of relevant items among the first k, over that of the block's own order."""
    return share(block, np.asarray(block.gains > 0, np.float64), _until(block, k))


def share_of_gain(
    block: Block, k: int | None, worth: FloatArray, weight: FloatArray | float = 1.0
) -> FloatArray:
    """Expected sum of the first k gains, over that of the block's own order."""
    return share(block, worth, weight * _until(block, k))


def hit(block: Block, k: int | None) -> FloatArray:
    """Chance of a relevant item among the first k."""
    return np.asarray(1 - np.prod(1 - _next_is_relevant(block)[:, :k], axis=-1))


def reciprocal_rank(block: Block, k: int | None) -> FloatArray:
    """Sum over ranks of the chance that the first relevant item stands there, over the rank."""
    chance = _next_is_relevant(block)[:, :k]
    none_before = np.cumprod(1 - chance, axis=-1)
    none_before = np.hstack([np.ones((len(chance), 1)), none_before[:, :-1]])[:, : chance.shape[1]]
    terms = none_before * chance / np.arange(1, chance.shape[1] + 1)
    return np.asarray(summed(terms))


def average_precision(block: Block, k: int | None, value: FloatArray) -> FloatArray:
    """AP from its ``value`` in the block's own order; the denominator does not change."""
    first, last = _runs(block)
    own = summed(average_precision_terms(block.gains, k=k))
    return value * np.nan_to_num(ratio(_precisions(block.gains, first, last, k), own), nan=0.0)


def average_precision_by_found(
    block: Block, k: int | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """AP by hits found: lowest, expected and highest value over all orders."""
    n = len(block.gains)
    low, mean, high = np.full(n, np.inf), np.zeros(n), np.zeros(n)
    for chance, relevant, first, last in _by_hits(block, k):
        found = np.maximum(relevant.sum(axis=-1), 1)
        flipped = np.take_along_axis(relevant, first + last - np.arange(relevant.shape[1]), axis=-1)
        best = summed(average_precision_terms(relevant)) / found
        worst = summed(average_precision_terms(flipped)) / found
        mean += chance * _precisions(relevant, first, last, None) / found
        high = np.where(chance > 0, np.maximum(high, best), high)
        low = np.where(chance > 0, np.minimum(low, worst), low)
    return low, mean, high


def _precisions(gains: FloatArray, first: IntArray, last: IntArray, k: int | None) -> FloatArray:
    """Expected sum over the first k ranks of the precision at relevant ones."""
    relevant = np.asarray(gains > 0, np.float64)
    m, s = _run_sum(relevant, first, last), last - first + 1
    place = np.arange(gains.shape[1])
    before = np.take_along_axis(np.cumsum(relevant, axis=-1) - relevant, first, axis=-1)
    both = m * (m - 1) / (s * np.maximum(s - 1, 1))
    terms = (m / s * (1 + before) + both * (place - first)) / (place + 1)
    return np.asarray(summed(terms[:, :k]))


def _by_hits(
    block: Block, k: int | None
) -> Iterator[tuple[FloatArray, FloatArray, IntArray, IntArray]]:
    """The lists cut at k, with each number of hits that a run across k can leave above it.

    Answers the chance of that number, whether each rank is relevant (best first), and the runs.
    """
    first, last = _runs(block)
    relevant = np.asarray(block.gains > 0, np.float64)
    width = relevant.shape[1] if k is None else min(k, relevant.shape[1])
    edge = width - 1
    run_first, run_last = first[:, edge], last[:, edge]
    crosses = run_last > edge
    size = np.where(crosses, run_last - run_first + 1, 0)
    inside = np.where(crosses, edge - run_first + 1, 0)
    hits = np.where(crosses, _run_sum(relevant, first, last)[:, edge], 0).astype(np.int64)
    offset = np.arange(width) - run_first[:, np.newaxis]
    in_run: BoolArray = (offset >= 0) & crosses[:, np.newaxis]
    first, last = first[:, :width], np.minimum(last[:, :width], edge)
    for found in range(int(np.minimum(hits, inside).max(initial=0)) + 1):
        chance = np.array(
            [
                math.comb(m, found) * math.comb(s - m, j - found) / math.comb(s, j)
                if found <= j
                else 0.0
                for m, s, j in zip(hits.tolist(), size.tolist(), inside.tolist(), strict=True)
            ]
        )
        yield chance, np.where(in_run, offset < found, relevant[:, :width]), first, last


def _next_is_relevant(block: Block) -> FloatArray:
    """Chance that a rank is relevant when no rank before it is."""
    first, last = _runs(block)
    m = _run_sum(np.asarray(block.gains > 0, np.float64), first, last)
    left = last - np.arange(block.gains.shape[1]) + 1
    return np.minimum(m / left, 1.0)


def _runs(block: Block) -> tuple[IntArray, IntArray]:
    """First and last place of the run of equal scores that each place is in."""
    assert block.scores is not None
    return tie_runs(block.scores)


def _run_sum(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Sum over the run that each place is in."""
    total = np.cumsum(values, axis=-1)
    start = np.take_along_axis(total - values, first, axis=-1)
    return np.asarray(np.take_along_axis(total, last, axis=-1) - start)


def _until(block: Block, k: int | IntArray | None) -> FloatArray:
    """1 at the ranks up to k, 0 behind."""
    width = block.gains.shape[1]
    limit = np.asarray(width if k is None else k)[..., np.newaxis]
    return np.asarray(np.arange(1, width + 1) <= limit, np.float64)
