"""The paired permutation test."""

from __future__ import annotations

import math

import numpy as np

from receval._checks import FloatArray, Seed, as_generator
from receval.significance.intervals import check_resamples
from receval.significance.paired import PairedTest, result_of_test
from receval.significance.pairs import Pairs, UserValues, paired
from receval.significance.resampling import MIN_REPEATS, batch_sizes

__all__ = ["permutation"]

MOST_WAYS = 2**20
"""The largest number of ways to sign the differences that is enumerated."""


def permutation(
    a: UserValues, b: UserValues, *, n_resamples: int = 9_999, rng: Seed = 0
) -> PairedTest:
    r"""Run the paired permutation (randomisation) test of the mean difference.

    If the systems were exchangeable, each user's two values could be swapped. The test
    looks at all ways to swap them. The p-value is the share of these ways in which the mean
    difference is at least as far from 0 as the observed one.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.
    n_resamples : int, default 9999
        Number of random ways to swap. With d users who have a difference, there are 2^d ways. If
        this number is at most ``n_resamples`` and at most 2^20, the test enumerates all ways.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    PairedTest
        ``statistic`` is the mean difference. If all differences are zero, p = 1.

    Raises
    ------
    InputError
        As in `wilcoxon`; also if ``n_resamples`` is below 100, or ``rng`` is neither a generator
        nor a seed.

    Notes
    -----
    If the ways are drawn at random, p = (1 + the number of draws that are at least as extreme) / (1
    + n_resamples). It is never 0, and the test keeps its level. With d users who have a difference,
    p is at least :math:`2^{1-d}`, because the observed sum and its mirror image are always as
    extreme. If only a few sizes of differences occur, and each occurs often, receval doesn't
    draw a sign for each user. It draws from a binomial distribution how many differences of each
    size get a positive sign, which is the same experiment. Otherwise, matrix
    products handle about 10^6 signs at a time.

    References
    ----------
    R. A. Fisher: The design of experiments, 1935, section 21. B. Phipson, G. K. Smyth:
    Permutation p-values should never be zero, SAGMB 9(1), 2010.

    Examples
    --------
    Of the 16 ways, only the two that give all users the same sign are as extreme:

    >>> permutation([1, 2, 3, 4], [0, 0, 0, 0]).p
    0.125
    """
    draws = check_resamples(n_resamples)
    as_generator(rng)  # raises unless it is a generator or a seed
    return permute(paired(a, b), draws, rng)


def permute(pairs: Pairs, draws: int, rng: Seed) -> PairedTest:
    """Run the permutation test on a pair of columns; see `permutation`.

    Swapping a user's two values changes the sign of the difference. SciPy's `permutation_test`
    also swaps the values of users who don't differ.
    """
    # ``level`` holds the differences. Those of 0 need no sign.
    differences = pairs.level[pairs.level != 0]
    # Go through all ways to sign the differences if there are few, else draw some.
    if 2**differences.size <= min(draws, MOST_WAYS):
        p = _exact_p(differences)
        method = "all permutations"
    else:
        p = _random_p(pairs.level, draws, as_generator(rng))
        method = f"{draws} random permutations"
    return result_of_test(
        "paired permutation test",
        pairs,
        statistic=pairs.mean,
        p=p,
        advantage=pairs.mean,
        method=method,
    )


def _exact_p(differences: FloatArray) -> float:
    """Return the p-value of a few differences: the share of extreme ways to sign them.

    A way is extreme if its absolute sum is at least as large as that of the differences.
    """
    # After each difference, these are the sums of all ways to sign the differences so far.
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    is_extreme = np.abs(sums) >= _least_extreme_sum(differences)
    return float(is_extreme.mean())


def _random_p(differences: FloatArray, draws: int, rng: np.random.Generator) -> float:
    """Return the p-value from ``draws`` random ways to sign the differences of all users.

    It is the share of ways that are as extreme as the observed one, which counts as one of them; so
    no p-value is 0.
    """
    least_extreme = _least_extreme_sum(differences)
    # Sizes are absolute differences. In descending order, sizes of 0 come last; they need no sign.
    sizes = -np.sort(-np.abs(differences))
    # If there are few distinct sizes, draw the signs for all values of one size at once, which is
    # faster.
    if np.unique(sizes).size * MIN_REPEATS <= sizes.size:
        n_extreme = _count_extreme_by_size(sizes, least_extreme, draws, rng)
    else:
        n_extreme = _count_extreme_by_user(sizes, least_extreme, draws, rng)
    return (1 + n_extreme) / (1 + draws)


def _count_extreme_by_size(
    sizes: FloatArray, least_extreme: float, draws: int, rng: np.random.Generator
) -> int:
    """Sign the differences in random ways; count the ways that are extreme.

    ``sizes`` are the absolute differences; there are few distinct sizes, and each repeats often. A
    binomial number says how many of the users with the same size get a positive sign. A way is
    extreme if its absolute sum is at least ``least_extreme``.
    """
    distinct_sizes, n_users = np.unique(sizes[sizes > 0], return_counts=True)  # users of each size
    n_extreme = 0
    for n_batch in batch_sizes(draws, n_users.size):
        # The array has a row for each way in this batch and a column for each size.
        n_positive = rng.binomial(n_users, 0.5, (n_batch, n_users.size))
        n_negative = n_users - n_positive
        sums = (n_positive - n_negative) @ distinct_sizes
        n_extreme += int(np.count_nonzero(np.abs(sums) >= least_extreme))
    return n_extreme


def _count_extreme_by_user(
    sizes: FloatArray, least_extreme: float, draws: int, rng: np.random.Generator
) -> int:
    """Sign the differences in random ways; count the ways that are extreme.

    ``sizes``, shape (users,), are the absolute differences in descending order. A way is extreme if
    its absolute sum is at least ``least_extreme``.
    """
    total = sizes.sum()
    n_users = sizes.size
    # Sizes of 0 are last and need no sign.
    differing_sizes = sizes[sizes > 0]
    n_extreme = 0
    for n_batch in batch_sizes(draws, n_users):
        is_positive = _draw_coins(rng, n_batch, n_users, differing_sizes.size)  # 1.0 or 0.0
        # A sum is P - N, the sizes with a positive sign minus the others, which add up to
        # N = total - P.
        sums = 2 * (is_positive @ differing_sizes) - total
        n_extreme += int(np.count_nonzero(np.abs(sums) >= least_extreme))
    return n_extreme


def _draw_coins(rng: np.random.Generator, draws: int, n_users: int, n_returned: int) -> FloatArray:
    """Toss a coin, 0.0 or 1.0, for each draw and user; return the coins of the first users.

    The shape is (draws, n_returned). The coins of a user depend neither on ``n_returned`` nor on
    how the draws are split into batches, because each draw takes bits for all ``n_users``.
    """
    n_words = math.ceil(n_users / 64)
    n_bytes = math.ceil(n_returned / 8)
    # Each random word of 64 bits holds the coins of 64 users, the first in the lowest bit.
    words = rng.integers(2**64, size=(draws, n_words), dtype=np.uint64)
    # "<u8" puts the lowest byte of a word first on every machine, so that the first bytes of a draw
    # hold the coins of the first users.
    octets = words.astype("<u8").view(np.uint8)[:, :n_bytes]
    coins = np.unpackbits(octets, axis=1, count=n_returned, bitorder="little")
    return coins.astype(float)  # matrix products of floats are fast


def _least_extreme_sum(differences: FloatArray) -> float:
    """Return the smallest absolute sum that is as extreme as the observed one.

    It is a little below the absolute sum of the differences, because the same numbers added in
    another order may give a slightly smaller sum.
    """
    tolerance = 1e-9 * np.abs(differences).sum()
    return float(np.abs(differences.sum()) - tolerance)
