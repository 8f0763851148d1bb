"""What the hits of a list are divided by, by the names that `denominator` has for them.

Each takes lists and a cut-off; where it is 0 the value is undefined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import FloatArray
from receval.metrics.form import Divisor, Ranked, Terms, is_relevant, running

__all__ = ["AveragedOver", "Found", "MeanOf"]


HITS = Terms(is_relevant)
PRECISIONS = Terms(is_relevant, above="precision")


def cutoff(lists: Ranked, k: int | None) -> Any:
    return lists.length if k is None else k


def retrieved(lists: Ranked, k: int | None) -> Any:
    return lists.length if k is None else np.minimum(lists.length, k)


def relevant(lists: Ranked, _: int | None) -> Any:
    return lists.n_relevant


def reachable(lists: Ranked, k: int | None) -> Any:
    return np.minimum(cutoff(lists, k), lists.n_relevant)


def listed(lists: Ranked, k: int | None) -> Any:
    return np.minimum(retrieved(lists, k), lists.n_relevant)


def found(lists: Ranked, k: int | None) -> Any:
    return lists.sum(HITS, k)


OF_PRECISION = {one.__name__: one for one in (cutoff, retrieved, reachable)}
OF_RECALL = {one.__name__: one for one in (relevant, reachable)}


@dataclass(frozen=True)
class MeanOf:
    """The mean of several: H / mean(A, B) is the harmonic mean of H / A and H / B."""

    parts: dict[str, Divisor]

    def __call__(self, lists: Ranked, k: int | None) -> Any:
        each = np.broadcast_arrays(*(divisor(lists, k) for divisor in self.parts.values()))
        return np.where(np.all(each, axis=0), np.mean(each, axis=0), 0)


@dataclass(frozen=True)
class AveragedOver:
    """Divisor of AP, undefined only where nothing is relevant: a sum of nothing is 0."""

    divisor: Divisor

    def __call__(self, lists: Ranked, k: int | None) -> Any:
        return np.where(lists.n_relevant > 0, np.maximum(self.divisor(lists, k), 1), 0)


class Found(AveragedOver):
    """The same by the hits found, which the order of equal scores decides."""

    def bounds(self, lists: Ranked, k: int | None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Lowest, mean and highest value over all orders; one more hit can lower it.

        Given how many hits of the run across k stand above it, the divisor is known.
        """
        n = lists.grades.shape[-1]
        cut = min(k or n, n)
        hits = np.asarray(is_relevant(lists.grades), np.float64)
        low, mean, high = np.full(len(hits), np.inf), np.zeros(len(hits)), np.zeros(len(hits))
        for chance, best, ties in lists.ties.by_hits(hits, cut):
            worst = np.take_along_axis(best, ties.first + ties.last - np.arange(cut), axis=-1)
            ends = (PRECISIONS.columns(one).terms for one in (worst, best))
            terms = *ends, PRECISIONS.rule.over_ties(best, ties)
            divisor = np.maximum(best.sum(axis=-1), 1)
            lowest, highest, middle = (running(one)[:, -1] / divisor for one in terms)
            low = np.where(chance > 0, np.minimum(low, lowest), low)
            mean += chance * middle
            high = np.where(chance > 0, np.maximum(high, highest), high)
        return low, mean, high


OF_AVERAGE = {
    one.__name__: (Found if one is found else AveragedOver)(one)
    for one in (relevant, reachable, listed, cutoff, found)
}
