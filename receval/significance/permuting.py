"""The paired permutation test."""

from __future__ import annotations

from typing import Any

import numpy as np

from receval._checks import BoolArray, FloatArray, IntArray, Seed, as_generator
from receval.significance.intervals import check_resamples
from receval.significance.paired import PairedTest, TestResult, result
from receval.significance.pairs import Pairs
from receval.significance.resampling import REPEATED, batch_sizes

__all__ = ["permutation"]

MOST_WAYS = 2**20  # ways to sign the differences that are all gone through, at most


def permutation(a: Any, b: Any, *, n_resamples: int = 9_999, rng: Seed = 0) -> PairedTest:
    r"""The paired permutation (randomisation) test of the mean difference.

    If the systems were exchangeable, each user's two values could be swapped; the p-value is the
    share of all ways to swap them whose mean difference is at least as far from 0 as the one
    seen.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.
    n_resamples : int, default 9999
        Random swaps. If there are no more ways than that (2 to the number of users with a
        difference, and at most 2^20), all are gone through.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    PairedTest
        ``statistic`` is the mean difference. All differences zero: p = 1.

    Raises
    ------
    InputError
        As `wilcoxon`; or if ``n_resamples`` is below 100, or ``rng`` is neither a generator nor
        a seed.

    Notes
    -----
    At random, p = (1 + number as extreme) / (1 + n_resamples): never 0, and never too small.
    With d users who differ, p is at least :math:`2^{1-d}`: the sums as seen and its mirror image
    are always as extreme. Where few sizes of differences repeat often, the users of one size are
    signed together by one binomial number, which is the same experiment. Otherwise one drawing
    of signs serves all pairs, by matrix products for some 10^6 signs at a time.

    References
    ----------
    R. A. Fisher: The design of experiments, 1935, section 21. B. Phipson, G. K. Smyth:
    Permutation p-values should never be zero, SAGMB 9(1), 2010.

    Examples
    --------
    Only signing all four alike is as extreme: 2 of 16 ways.

    >>> permutation([1, 2, 3, 4], [0, 0, 0, 0]).p
    0.125
    """
    draws = check_resamples(n_resamples)
    as_generator(rng)  # refuses what is no seed
    return result("paired permutation test", lambda pairs: permuted(pairs, draws, rng), a, b)


def all_ways(differing: IntArray, draws: int) -> BoolArray:
    """Whether so few users differ that every way to sign their differences is gone through."""
    return np.asarray(np.exp2(np.minimum(differing, 64)) <= min(draws, MOST_WAYS))


def permuted(pairs: Pairs, draws: int, rng: Seed) -> TestResult:
    """The test of each pair, from one drawing of signs.

    SciPy's `permutation_test` draws no signs for many pairs at once, and swaps every value.
    """
    rows = pairs.level.reshape(-1, pairs.compared)
    exact = all_ways(np.count_nonzero(rows, axis=-1), draws)
    p = np.empty(len(rows))
    for row in np.flatnonzero(exact):
        p[row] = _share_of_all_ways(rows[row][rows[row] != 0])
    if not exact.all():
        p[~exact] = _share_of_drawn_ways(rows[~exact], draws, rng)
    method = "all permutations" if exact.all() else f"{draws} random permutations"
    return pairs.mean, p.reshape(pairs.mean.shape), pairs.mean, method


def _share_of_all_ways(differences: FloatArray) -> float:
    """Share of all ways to sign a few differences that are as extreme as the one seen."""
    sums = np.zeros(1)
    for size in differences:
        sums = np.concatenate([sums + size, sums - size])
    return float((np.abs(sums) >= _least_extreme(differences)).mean())


def _share_of_drawn_ways(rows: FloatArray, draws: int, rng: Seed) -> FloatArray:
    """Share of drawn ways to sign each row that are as extreme as the row, itself included."""
    least = _least_extreme(rows)
    sizes = -np.sort(-np.abs(rows), axis=-1)  # the largest first: those of 0 need no sign
    distinct = 1 + np.count_nonzero(np.diff(sizes), axis=-1)
    repeated = distinct * REPEATED <= rows.shape[-1]
    extreme = np.zeros(len(rows), np.int64)

    for row in np.flatnonzero(repeated):
        values, count = np.unique(sizes[row][sizes[row] > 0], return_counts=True)
        generator = as_generator(rng)
        for some in batch_sizes(draws, count.size):
            # How many more of the users of each size keep their sign than change it.
            net = 2 * generator.binomial(count, 0.5, (some, count.size)) - count
            extreme[row] += np.count_nonzero(np.abs(net @ values) >= least[row])

    if not repeated.all():
        sizes, least = sizes[~repeated], least[~repeated]
        total = sizes.sum(axis=-1)
        differing = int(np.count_nonzero(sizes, axis=-1).max())
        generator = as_generator(rng)
        found = np.zeros(len(sizes), np.int64)
        for some in batch_sizes(draws, max(sizes.shape)):
            kept = _coins(generator, some, sizes.shape[-1], differing) @ sizes[:, :differing].T
            found += np.count_nonzero(np.abs(2 * kept - total) >= least, axis=0)
        extreme[~repeated] = found
    return np.asarray((1 + extreme) / (1 + draws))


def _coins(rng: np.random.Generator, draws: int, users: int, shown: int) -> FloatArray:
    """Coins of 0 or 1, a row for each draw and a column for each user, of the first ``shown``.

    A row takes the same bits of the generator whatever is shown, and so does a draw in any block.
    """
    words = rng.integers(2**64, size=(draws, -(-users // 64)), dtype=np.uint64)
    octets = words.astype("<u8").view(np.uint8)[:, : -(-shown // 8)]
    return np.unpackbits(octets, axis=1, count=shown, bitorder="little").astype(float)


def _least_extreme(rows: FloatArray) -> FloatArray:
    """The smallest size of a sum that is as extreme as the one seen, but for rounding."""
    close = 1e-9 * np.abs(rows).sum(axis=-1)  # the same sum in another order
    return np.asarray(np.abs(rows.sum(axis=-1)) - close)
