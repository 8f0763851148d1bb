"""The paired permutation test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from receval._checks import BoolArray, FloatArray, IntArray, Seed, as_generator
from receval.significance.intervals import check_resamples
from receval.significance.paired import Found, PairedTest, result
from receval.significance.pairs import Pairs
from receval.significance.resampling import sums_of_rows

__all__ = ["permutation"]


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
        difference), all are gone through.
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
    Where few sizes of differences repeat often, the users of one size are signed together by one
    binomial number, which is the same experiment and needs no table of users by resamples.

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


def permuted(pairs: Pairs, draws: int, rng: Seed) -> Found:
    """The test of each pair, from one drawing of signs.

    SciPy's `permutation_test` draws no signs for many pairs at once, and swaps every value.
    """
    rows = pairs.level.reshape(-1, pairs.compared)
    few = np.count_nonzero(rows, axis=-1) <= math.log2(draws)
    p = np.empty(len(rows))
    p[few] = [_of_all(row[row != 0]) for row in rows[few]]
    if not few.all():
        sizes = np.sort(np.abs(rows[~few]))
        sums = sums_of_rows(sizes, draws, rng, signed)
        p[~few] = (1 + _as_extreme(sums, rows[~few]).sum(axis=-1)) / (1 + draws)
    method = "all permutations" if few.all() else f"{draws} random permutations"
    return pairs.mean, p.reshape(pairs.mean.shape), pairs.mean, method


def signed(rng: np.random.Generator, resamples: int, count: IntArray) -> IntArray:
    """How many more of the ``count[i]`` users in row i keep their sign than change it."""
    if count.max() == 1:
        return 2 * rng.integers(2, size=(resamples, count.size)) - 1
    return 2 * rng.binomial(count, 0.5, (resamples, count.size)) - count


def _of_all(row: FloatArray) -> float:
    """Share of all ways to sign a few differences that are as extreme as the one seen."""
    sums = np.zeros(1)
    for size in row:
        sums = np.concatenate([sums + size, sums - size])
    return float(_as_extreme(sums, row).mean())


def _as_extreme(sums: FloatArray, rows: FloatArray) -> BoolArray:
    seen = np.abs(rows.sum(axis=-1, keepdims=True))
    close = 1e-9 * np.abs(rows).sum(axis=-1, keepdims=True)  # the same sum in another order
    return np.asarray(np.abs(sums) >= seen - close)
