"""The paired permutation test."""

from __future__ import annotations

import math

import numpy as np

from receval._checks import BoolArray, FloatArray, IntArray, Seed, as_generator
from receval.significance.intervals import check_resamples
from receval.significance.paired import PairedTest, TestResult, run_test, smallest_sign_p
from receval.significance.pairs import Pairs, UserValues
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
    size get a positive sign, which is the same experiment. Otherwise all pairs share the same
    random signs, and matrix products handle about 10^6 signs at a time.

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

    def compute(pairs: Pairs) -> TestResult:
        return permute_pairs(pairs, draws, rng)

    return run_test("paired permutation test", compute, a, b)


def can_enumerate(n_differing: IntArray, draws: int) -> BoolArray:
    """Return whether all ways to sign the differences are enumerated, for each comparison.

    With d users who differ there are 2^d ways, which must be at most ``draws`` and `MOST_WAYS`.
    """
    n_ways = np.exp2(np.minimum(n_differing, 64))  # 2^64 is too many already; 2^1024 overflows
    return np.asarray(n_ways <= min(draws, MOST_WAYS))


def smallest_permutation_p(n_differing: IntArray, draws: int) -> FloatArray:
    """Return the smallest p-value of the permutation test, for each number of users who differ.

    If the ways to sign the differences are drawn, the p-value is at least 1 / (draws + 1), because
    the observed way counts as one of them.
    """
    smallest_random_p = 1 / (draws + 1)
    bound_of_draws = np.where(can_enumerate(n_differing, draws), 0.0, smallest_random_p)
    return np.asarray(np.maximum(smallest_sign_p(n_differing), bound_of_draws))


def permute_pairs(pairs: Pairs, draws: int, rng: Seed) -> TestResult:
    """Run the permutation test on each pair of columns, with the same random signs for all.

    Swapping a user's two values changes the sign of the difference. SciPy's `permutation_test`
    cannot share the signs among many pairs, and it also swaps the values of users who don't differ.
    """
    # ``level`` holds the differences. If there is only one pair of columns, it has no axis for
    # pairs, so reshape it to one row per pair.
    rows = pairs.level.reshape(-1, pairs.compared)
    n_differing = np.count_nonzero(rows, axis=-1)
    is_exact = can_enumerate(n_differing, draws)
    # Go through all ways to sign the differences of a row if there are few, else draw some.
    p = np.empty(len(rows))
    for row in np.flatnonzero(is_exact):
        differences = rows[row]
        p[row] = _exact_p(differences[differences != 0])
    if not is_exact.all():
        p[~is_exact] = _random_p(rows[~is_exact], draws, rng)
    method = "all permutations" if is_exact.all() else f"{draws} random permutations"
    return TestResult(
        statistic=pairs.mean,
        p=p.reshape(pairs.mean.shape),
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


def _random_p(rows: FloatArray, draws: int, rng: Seed) -> FloatArray:
    """Return the p-value of each row of differences, from ``draws`` random ways to sign it.

    It is the share of ways that are as extreme as the observed one, which counts as one of them; so
    no p-value is 0. Each row has the differences of all users of a comparison.
    """
    least_extreme = _least_extreme_sum(rows)
    # Sizes are absolute differences. In descending order, sizes of 0 come last; they need no sign.
    sizes = -np.sort(-np.abs(rows), axis=-1)
    # In sorted order, every change from one size to the next begins a distinct size.
    n_distinct = 1 + np.count_nonzero(np.diff(sizes), axis=-1)
    # If a row has few distinct sizes, draw the signs for all values of one size at once, which is
    # faster.
    n_users = rows.shape[-1]
    has_repeats = n_distinct * MIN_REPEATS <= n_users

    n_extreme = np.zeros(len(rows), np.int64)
    for row in np.flatnonzero(has_repeats):
        n_extreme[row] = _count_extreme_by_size(sizes[row], least_extreme[row], draws, rng)
    if not has_repeats.all():
        is_distinct = ~has_repeats
        n_extreme[is_distinct] = _count_extreme_by_user(
            sizes[is_distinct], least_extreme[is_distinct], draws, rng
        )
    return np.asarray((1 + n_extreme) / (1 + draws))


def _count_extreme_by_size(sizes: FloatArray, least_extreme: float, draws: int, rng: Seed) -> int:
    """Sign one row of differences in random ways; count the ways that are extreme.

    ``sizes`` are the absolute differences; there are few distinct sizes, and each repeats often. A
    binomial number says how many of the users with the same size get a positive sign. A way is
    extreme if its absolute sum is at least ``least_extreme``.
    """
    distinct_sizes, n_users = np.unique(sizes[sizes > 0], return_counts=True)  # users of each size
    generator = as_generator(rng)
    n_extreme = 0
    for n_batch in batch_sizes(draws, n_users.size):
        # The array has a row for each way in this batch and a column for each size.
        n_positive = generator.binomial(n_users, 0.5, (n_batch, n_users.size))
        n_negative = n_users - n_positive
        sums = (n_positive - n_negative) @ distinct_sizes
        n_extreme += int(np.count_nonzero(np.abs(sums) >= least_extreme))
    return n_extreme


def _count_extreme_by_user(
    sizes: FloatArray, least_extreme: FloatArray, draws: int, rng: Seed
) -> IntArray:
    """Sign each row of differences in random ways; count the ways that are extreme.

    The rows share the signs. ``sizes``, shape (rows, users), are the absolute differences, which
    must be in descending order in each row. A way is extreme if its absolute sum is at least the
    row's entry in ``least_extreme``. The result has an entry per row.
    """
    totals = sizes.sum(axis=-1)
    n_users = sizes.shape[-1]
    # Sizes of 0 are last and need no sign. Rows share the signs, so draw as many as are needed by
    # the row with the most sizes above 0.
    n_differing = int(np.count_nonzero(sizes, axis=-1).max())
    differing_sizes = sizes[:, :n_differing].T
    generator = as_generator(rng)
    n_extreme = np.zeros(len(sizes), np.int64)
    # A draw needs a coin for each user and a sum for each row; the larger number limits a batch.
    for n_batch in batch_sizes(draws, max(sizes.shape)):
        is_positive = _draw_coins(generator, n_batch, n_users, n_differing)  # 1.0 or 0.0
        # A sum is P - N, the sizes with a positive sign minus the others, which add up to
        # N = total - P.
        sums = 2 * (is_positive @ differing_sizes) - totals
        n_extreme += np.count_nonzero(np.abs(sums) >= least_extreme, axis=0)
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


def _least_extreme_sum(rows: FloatArray) -> FloatArray:
    """Return for each row the smallest absolute sum that is as extreme as the observed one.

    It is a little below the absolute sum of the row, because the same numbers added in another
    order may give a slightly smaller sum.
    """
    tolerance = 1e-9 * np.abs(rows).sum(axis=-1)
    return np.asarray(np.abs(rows.sum(axis=-1)) - tolerance)
