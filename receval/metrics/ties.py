"""Runs of equal scores, whose orders are all as likely."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from receval._arrays import tie_runs
from receval._checks import FloatArray, IntArray

__all__ = ["Ties"]


@dataclass(frozen=True)
class Ties:
    """For each place of some lists, where the run of equal scores that it is in begins and ends.

    Expected values are taken of lists that stand best first within each run. A run of s items is,
    at each of its places, any of them with chance 1/s; different runs are independent.
    """

    first: IntArray
    last: IntArray

    @classmethod
    def of(cls, scores: FloatArray) -> Ties:
        return cls(*tie_runs(scores))

    @cached_property
    def size(self) -> IntArray:
        return self.last - self.first + 1

    @cached_property
    def offset(self) -> IntArray:
        """How many places of the run are above."""
        return np.arange(self.first.shape[-1]) - self.first

    def at_first(self, values: FloatArray) -> FloatArray:
        """What stands at the first place of the run."""
        return np.take_along_axis(values, self.first, axis=-1)

    def mean(self, values: FloatArray) -> FloatArray:
        """The mean over the run."""
        sums = np.cumsum(values, axis=-1)
        inside = np.take_along_axis(sums, self.last, axis=-1) - self.at_first(sums - values)
        return np.asarray(inside / self.size)

    def by_size(self) -> Iterator[IntArray]:
        """The places of the runs in the flattened array, one line a run, for each size of run."""
        starts = np.flatnonzero(self.offset.ravel() == 0)
        sizes = self.size.ravel()[starts]
        for size in np.unique(sizes):
            yield starts[sizes == size, np.newaxis] + np.arange(size)

    def by_hits(self, hits: FloatArray, k: int) -> Iterator[tuple[FloatArray, FloatArray, Ties]]:
        """Lists of two axes cut at k, with each number of hits that a run across k leaves above it.

        Answers the chance of that number, the hits of each list best first, and its runs.
        """
        edge = k - 1
        start, crosses = self.first[:, edge], self.last[:, edge] > edge
        size = np.where(crosses, self.size[:, edge], 0)
        inside = np.where(crosses, k - start, 0)
        of_run = np.rint(self.mean(hits)[:, edge] * size).astype(np.int64)
        offset = np.arange(k) - start[:, np.newaxis]
        in_run = (offset >= 0) & crosses[:, np.newaxis]
        runs = Ties(self.first[:, :k], np.minimum(self.last[:, :k], edge))
        for above in range(int(np.minimum(of_run, inside).max(initial=0)) + 1):
            ways = zip(of_run.tolist(), size.tolist(), inside.tolist(), strict=True)
            chance = np.array([_chance(above, *one) for one in ways])
            yield chance, np.where(in_run, offset < above, hits[:, :k]), runs


def _chance(above: int, hits: int, size: int, inside: int) -> float:
    """That so many of a run's hits are among its first ``inside`` places."""
    if above > inside:
        return 0.0
    return math.comb(hits, above) * math.comb(size - hits, inside - above) / math.comb(size, inside)
