"""Runs of equal scores, whose orders are all as likely."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import tie_runs
from receval._checks import FloatArray, IntArray

__all__ = ["Ties"]


def mean_ranks(values: FloatArray) -> FloatArray:
    """Ranks along the last axis, from 1 for the least; equal values share the mean of theirs."""
    order = np.argsort(values, axis=-1, kind="stable")
    first, last = tie_runs(np.take_along_axis(values, order, axis=-1))
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def lowest_ranks(values: FloatArray) -> FloatArray:
    """Ranks along the last axis: 1 plus the number of values that are strictly lower."""
    order = np.argsort(values, axis=-1, kind="stable")
    first, _ = tie_runs(np.take_along_axis(values, order, axis=-1))
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, first + 1, axis=-1)
    return ranks


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

    def sums_around(self, values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The sum of what stands above the run, and of that with the run."""
        sums = np.cumsum(values, axis=-1)
        return self.at_first(sums - values), np.take_along_axis(sums, self.last, axis=-1)

    def mean(self, values: FloatArray) -> FloatArray:
        """The mean over the run."""
        above, through = self.sums_around(values)
        return np.asarray((through - above) / self.size)

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
        size, inside = self.size[:, edge], k - self.first[:, edge]
        of_run = np.rint(self.mean(hits)[:, edge] * size).astype(np.int64)
        offset = np.arange(k) - self.first[:, edge, np.newaxis]
        runs = Ties(self.first[:, :k], np.minimum(self.last[:, :k], edge))
        for above in range(int(np.minimum(of_run, inside).max(initial=0)) + 1):
            ways = zip(of_run.tolist(), size.tolist(), inside.tolist(), strict=True)
            chance = np.array([_chance(above, *one) for one in ways])
            yield chance, np.where(offset < 0, hits[:, :k], offset < above), runs


def _chance(above: int, hits: int, size: int, inside: int) -> float:
    """That so many of a run's hits are among its first ``inside`` places."""
    if above > inside:
        return 0.0
    return math.comb(hits, above) * math.comb(size - hits, inside - above) / math.comb(size, inside)


def unstopped(gains: FloatArray, ties: Ties) -> FloatArray:
    """The mean over orders of gain times the share of users who have not stopped above."""
    if ((gains == 0) | (gains == 1)).all():  # the chance that the next of a run is its first
        waiting = ties.size - ties.offset
        chance = np.minimum(np.rint(ties.mean(gains) * ties.size) / waiting, 1)
        return np.asarray(chance * exclusive(np.cumprod(1 - chance, axis=-1)))
    # After t of a run's s items the mean share left is the mean product of t of their shares.
    # One item added at a time, every step is a weighted mean: nothing cancels.
    stay, stops = (1 - gains).ravel(), np.empty(gains.size)
    for places in ties.by_size():
        left = np.zeros((len(places), places.shape[1] + 1))
        left[:, 0] = 1
        for m, share in enumerate(stay[places].T[..., np.newaxis], start=1):
            t = np.arange(1, m + 1)
            left[:, 1 : m + 1] = ((m - t) * left[:, 1 : m + 1] + t * share * left[:, :m]) / m
        stops[places] = left[:, :-1] - left[:, 1:]
    return ties.at_first(exclusive(np.cumprod(1 - gains, axis=-1))) * stops.reshape(gains.shape)


def exclusive(left: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What is left after each rank, at the rank below; all of it at the first."""
    above = np.ones_like(left)
    above[..., 1:] = left[..., :-1]
    return above


def precision_so_far(gains: FloatArray, ties: Ties) -> FloatArray:
    """The mean over orders of gain times the mean gain of the ranks up to it."""
    own, size = ties.mean(gains), ties.size
    square = ties.mean(gains**2)
    pair = (size * own**2 - square) / np.maximum(size - 1, 1)  # mean product of two of a run
    before = ties.at_first(np.cumsum(gains, axis=-1) - gains)
    rank = np.arange(1.0, gains.shape[-1] + 1)
    return np.asarray((square + own * before + pair * ties.offset) / rank)
