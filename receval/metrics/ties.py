"""Runs of tied scores; all orders of the items in a run are equally likely."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from receval._arrays import find_tie_runs
from receval._checks import AnyArray, FloatArray, IntArray


def tied_ranks(values: FloatArray, *, ties: str = "mean") -> FloatArray:
    """Return ranks along the last axis, 1 for the least; equal values share a rank.

    This is the mean of the ranks that they take up, or the lowest of them if ``ties`` is "lowest".
    """
    order = np.argsort(values, axis=-1, kind="stable")
    first, last = find_tie_runs(np.take_along_axis(values, order, axis=-1))
    ranks_in_order: AnyArray = (first + last) / 2 + 1
    if ties == "lowest":
        ranks_in_order = first + 1
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, ranks_in_order, axis=-1)
    return ranks


@dataclass(frozen=True)
class Ties:
    """The runs of tied scores in some lists.

    Within a run of s items, each item is at each of the run's positions with chance 1/s, and
    different runs are independent. The methods expect lists whose runs are sorted best first.

    Attributes
    ----------
    first, last : for each position, the first and the last position of its run, counted from 0;
        shape (..., n_ranks).
    """

    first: IntArray
    last: IntArray

    @cached_property
    def size(self) -> IntArray:
        """Return, for each position, the number of items in its run."""
        return self.last - self.first + 1

    @cached_property
    def offset(self) -> IntArray:
        """Return, for each position, the number of positions above it in its run."""
        return np.arange(self.first.shape[-1]) - self.first

    def at_first(self, values: FloatArray) -> FloatArray:
        """Return, for each position, the value at the first position of its run."""
        return np.take_along_axis(values, self.first, axis=-1)

    def sums_around(self, values: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return the sum of the values above each position's run, and the sum including the run."""
        sums = np.cumsum(values, axis=-1)
        above = self.at_first(sums - values)
        through = np.take_along_axis(sums, self.last, axis=-1)
        return above, through

    def mean(self, values: FloatArray) -> FloatArray:
        """Return, for each position, the mean value of its run."""
        above, through = self.sums_around(values)
        return (through - above) / self.size

    def cases_at_cutoff(
        self, hits: FloatArray, k: int
    ) -> Iterator[tuple[FloatArray, FloatArray, Ties]]:
        """Yield the possible hits of the first k ranks, with the chance of each case.

        Only the run of tied scores around the cut-off k makes a difference: its order decides
        which of its items are among the first k. So there is a case for each number of hits,
        0, 1, …, that the run can have there. ``hits`` holds 1 for a relevant item and 0 for
        another one, with the shape (lists, n_ranks).

        A case consists of its chance in each list, which is 0 where it is impossible; of the hits
        of the first k ranks, best first within each run, with the shape (lists, k); and of the runs
        of these ranks.
        """
        # From each list, take the run at the last position above the cut-off. Count its items, its
        # hits, and its positions inside, that is, among the first k. `self.first` has the position
        # at which the run of each position begins.
        last_position = k - 1
        run_size = self.size[:, last_position]
        n_hits = np.rint(self.mean(hits)[:, last_position] * run_size).astype(np.int64)
        n_inside = k - self.first[:, last_position]
        offset = np.arange(k) - self.first[:, last_position, np.newaxis]
        is_above_run = offset < 0
        # Cut the runs at k, so that the last one ends at the last position.
        ties = Ties(self.first[:, :k], np.minimum(self.last[:, :k], last_position))
        most_hits_inside = int(np.minimum(n_hits, n_inside).max(initial=0))
        runs = np.column_stack([n_hits, run_size, n_inside]).tolist()
        for n_hits_inside in range(most_hits_inside + 1):
            chance = np.array([_chance_of_hits_inside(n_hits_inside, *run) for run in runs])
            # Leave the hits above the run as they are. In the run, put its hits first.
            case_hits = np.where(is_above_run, hits[:, :k], offset < n_hits_inside)
            yield chance, case_hits, ties


def _chance_of_hits_inside(n_hits_inside: int, n_hits: int, run_size: int, n_inside: int) -> float:
    """Return the chance that a random order puts ``n_hits_inside`` hits into the first places.

    The run of tied items has ``run_size`` items, ``n_hits`` of them are hits, and its first
    ``n_inside`` places count. The chance has the hypergeometric distribution. It is 0 if the run
    has fewer hits than that, or fewer places that count.
    """
    if n_hits_inside > n_inside:
        return 0.0
    # Python's integers are unbounded, so these numbers are exact, however large.
    ways_to_choose_others = math.comb(run_size - n_hits, n_inside - n_hits_inside)
    ways = math.comb(n_hits, n_hits_inside) * ways_to_choose_others
    return ways / math.comb(run_size, n_inside)


def unstopped(gains: FloatArray, ties: Ties) -> FloatArray:
    """Return the mean share of all users who stop at each rank, over all orders of tied scores.

    A gain is the share of users who stop at an item, among those who reach it. So the share of all
    users who stop at a rank is the gain times the share of users who have not stopped at a rank
    above. ``ties`` has the runs of tied scores in the lists. Both arrays have the shape (...,
    n_ranks), and the result too.
    """
    # With gains of 0 and 1 there is a shorter way.
    if ((gains == 0) | (gains == 1)).all():
        return _unstopped_by_hits(gains, ties)
    # Of the users who come to a run, find the share that stops at each of its places. Treat all
    # runs of one size together: `positions` has a row for each run, with the positions of its items
    # in the flattened array.
    share_going_on = (1 - gains).ravel()
    stopping_in_run = np.empty(gains.size)
    starts = np.flatnonzero(ties.offset.ravel() == 0)
    sizes = ties.size.ravel()[starts]
    for size in np.unique(sizes):
        positions = starts[sizes == size, np.newaxis] + np.arange(size)
        # The mean share of users left after 0, 1, …, all items of the run, over all orders.
        left_in_run = _mean_products(share_going_on[positions])
        stopping_in_run[positions] = left_in_run[:, :-1] - left_in_run[:, 1:]
    # The share of users who come to the run: those left after the rank above it.
    left_above_run = ties.at_first(exclusive(np.cumprod(1 - gains, axis=-1)))
    return left_above_run * stopping_in_run.reshape(gains.shape)


def _mean_products(factors: FloatArray) -> FloatArray:
    """Return the mean product of k of n factors, over all sets of k of them, for k = 0, 1, …, n.

    ``factors`` has the shape (rows, n), and the result has the shape (rows, n + 1).
    """
    zeros = np.zeros((len(factors), 1))
    means = np.ones((len(factors), 1))  # the product of no factors
    # Add one factor after the other. A set of k of the first n factors includes the newest one with
    # chance k / n. Every step is a weighted mean, so no digits are lost by cancellation.
    for n, newest in enumerate(factors.T, start=1):
        k = np.arange(n + 1)
        without_newest = (n - k) * np.hstack([means, zeros])
        with_newest = k * newest[:, np.newaxis] * np.hstack([zeros, means])
        means = (without_newest + with_newest) / n
    return means


def _unstopped_by_hits(hits: FloatArray, ties: Ties) -> FloatArray:
    """Do what `unstopped` does, for gains of 0 and 1: return the chance of the first hit."""
    n_hits = np.rint(ties.mean(hits) * ties.size)
    n_items_left = ties.size - ties.offset
    chance = np.minimum(n_hits / n_items_left, 1)  # of a hit here if there was none above
    return np.asarray(chance * exclusive(np.cumprod(1 - chance, axis=-1)))


def exclusive(products: AnyArray) -> AnyArray:
    """Shift cumulative products down one rank: rank i gets the product of ranks 1 to i - 1."""
    return np.concatenate([np.ones_like(products[..., :1]), products[..., :-1]], axis=-1)


def precision_so_far(gains: FloatArray, ties: Ties) -> FloatArray:
    """Return, for each rank, its gain times the mean gain up to it, averaged over ties.

    The average is over all orders of tied scores. ``ties`` knows the run of tied scores around each
    rank. Its ``mean`` averages over the run, ``size`` is the number of items in the run, ``offset``
    the number of those above the rank, and ``at_first`` reads a value at the run's first rank.
    """
    mean = ties.mean(gains)
    mean_square = ties.mean(gains**2)
    # The mean product of the gains of two different items of a run. It follows from the mean over
    # all pairs of items, which include the pairs of an item with itself. A run of one item has no
    # such pair, but then its `offset` below is 0; the maximum only avoids a division by 0.
    n_other_items = np.maximum(ties.size - 1, 1)
    mean_pair = (ties.size * mean**2 - mean_square) / n_other_items
    gain_above_run = ties.at_first(np.cumsum(gains, axis=-1) - gains)
    rank = np.arange(1.0, gains.shape[-1] + 1)
    # The gain at a rank is multiplied by itself, by the gains above its run, and by the gains of
    # the run that are above it, whose number is `offset`.
    return (mean_square + mean * gain_above_run + mean_pair * ties.offset) / rank
