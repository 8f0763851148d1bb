"""The paired permutation test."""

from __future__ import annotations

import numpy as np

from receval._checks import BoolArray, FloatArray, IntArray, Seed, as_generator
from receval.significance.intervals import check_resamples
from receval.significance.paired import PairedTest, TestResult, run_test, smallest_sign_p
from receval.significance.pairs import Pairs, UserValues
from receval.significance.resampling import MIN_REPEATS, batch_sizes

__all__ = ["permutation"]

MOST_WAYS = 2**20
"""Ways to sign the differences that are enumerated, at most."""


def permutation(
    a: UserValues, b: UserValues, *, n_resamples: int = 9_999, rng: Seed = 0
) -> PairedTest:
    r"""Run the paired permutation (randomisation) test of the mean difference.

    If the systems were exchangeable, each user's two values could be swapped. The p-value is the
    share of all ways to swap them whose mean difference is at least as far from 0 as the observed
    one.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.
    n_resamples : int, default 9999
        Number of random ways to swap. If all ways are no more than that (there are 2 to the
        number of users with a difference) and at most 2^20, the test enumerates all of them.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    PairedTest
        ``statistic`` is the mean difference. If all differences are zero, p = 1.

    Raises
    ------
    InputError
        As `wilcoxon`; also if ``n_resamples`` is below 100, or ``rng`` is neither a generator nor
        a seed.

    Notes
    -----
    With random ways, p = (1 + number as extreme) / (1 + n_resamples), which is never 0 and never
    too small. With d users who differ, p is at least :math:`2^{1-d}`, because the observed sum and
    its mirror image are always as extreme. If few sizes of differences repeat often, one binomial
    number signs all users of a size together, which is the same experiment. Otherwise one drawing
    of signs serves all pairs, by matrix products for some 10^6 signs at a time.

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
    """Return where so few users differ that all ways to sign them are enumerated."""
    n_ways = np.exp2(np.minimum(n_differing, 64))
    return np.asarray(n_ways <= min(draws, MOST_WAYS))


def smallest_permutation_p(n_differing: IntArray, draws: int) -> FloatArray:
    """Return the smallest p-value of the permutation test, for each number of users who differ."""
    smallest_random_p = 1 / (draws + 1)
    bound_of_draws = np.where(can_enumerate(n_differing, draws), 0.0, smallest_random_p)
    return np.asarray(np.maximum(smallest_sign_p(n_differing), bound_of_draws))


def permute_pairs(pairs: Pairs, draws: int, rng: Seed) -> TestResult:
    """Run the permutation test on each pair of columns, from one drawing of signs.

    SciPy's `permutation_test` cannot share the signs among many pairs, and it swaps every value.
    """
    rows = pairs.level.reshape(-1, pairs.compared)
    is_exact = can_enumerate(np.count_nonzero(rows, axis=-1), draws)
    p = np.empty(len(rows))
    for row in np.flatnonzero(is_exact):
        differences = rows[row]
        p[row] = _exact_p(differences[differences != 0])
    if not is_exact.all():
        p[~is_exact] = _random_p(rows[~is_exact], draws, rng)
    method = "all permutations" if is_exact.all() else f"{draws} random permutations"
    return TestResult(pairs.mean, p.reshape(pairs.mean.shape), pairs.mean, method)


def _exact_p(differences: FloatArray) -> float:
    """Return the share of all ways to sign a few differences that are as extreme as theirs."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return float((np.abs(sums) >= _least_extreme_sum(differences)).mean())


def _random_p(rows: FloatArray, draws: int, rng: Seed) -> FloatArray:
    """Return the p-value of each row of differences from random ways to sign it.

    The observed way counts as one of them, so no p-value is 0.
    """
    least_extreme = _least_extreme_sum(rows)
    # In descending order the differences of 0, which need no sign, come last.
    sizes = -np.sort(-np.abs(rows), axis=-1)
    n_distinct = 1 + np.count_nonzero(np.diff(sizes), axis=-1)
    has_repeats = n_distinct * MIN_REPEATS <= rows.shape[-1]

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
    """Count the random ways to sign one row that are extreme, if few sizes repeat often.

    One binomial number signs all users of a size together.
    """
    values, n_users = np.unique(sizes[sizes > 0], return_counts=True)
    generator = as_generator(rng)
    n_extreme = 0
    for n_batch in batch_sizes(draws, n_users.size):
        n_positive = generator.binomial(n_users, 0.5, (n_batch, n_users.size))
        n_positive_minus_negative = 2 * n_positive - n_users
        sums = n_positive_minus_negative @ values
        n_extreme += int(np.count_nonzero(np.abs(sums) >= least_extreme))
    return n_extreme


def _count_extreme_by_user(
    sizes: FloatArray, least_extreme: FloatArray, draws: int, rng: Seed
) -> IntArray:
    """Count for each row the random ways to sign it that are extreme; rows share the signs.

    The sizes in a row must be in descending order.
    """
    totals = sizes.sum(axis=-1)
    n_users = sizes.shape[-1]
    n_differing = int(np.count_nonzero(sizes, axis=-1).max())
    differing_sizes = sizes[:, :n_differing].T
    generator = as_generator(rng)
    n_extreme = np.zeros(len(sizes), np.int64)
    for n_batch in batch_sizes(draws, max(sizes.shape)):
        is_positive = _draw_coins(generator, n_batch, n_users, n_differing)
        # The positive sizes minus the negative ones: the latter are the total minus the former.
        sums = 2 * (is_positive @ differing_sizes) - totals
        n_extreme += np.count_nonzero(np.abs(sums) >= least_extreme, axis=0)
    return n_extreme


def _draw_coins(rng: np.random.Generator, draws: int, n_users: int, n_returned: int) -> FloatArray:
    """Draw a coin, 0.0 or 1.0, for each draw and user; return those of the first users.

    The shape is (draws, n_returned). Each draw takes as many bits from the generator as
    ``n_users`` need, whatever ``n_returned`` is and however the draws are split into batches.
    """
    n_words = -(-n_users // 64)
    n_bytes = -(-n_returned // 8)
    words = rng.integers(2**64, size=(draws, n_words), dtype=np.uint64)
    octets = words.astype("<u8").view(np.uint8)[:, :n_bytes]
    return np.unpackbits(octets, axis=1, count=n_returned, bitorder="little").astype(float)


def _least_extreme_sum(rows: FloatArray) -> FloatArray:
    """Return the smallest absolute sum that counts as extreme as that of each row.

    It is a little below the observed sum, because another order of summing rounds differently.
    """
    tolerance = 1e-9 * np.abs(rows).sum(axis=-1)
    return np.asarray(np.abs(rows.sum(axis=-1)) - tolerance)
