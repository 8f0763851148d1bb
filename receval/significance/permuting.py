"""The paired permutation test."""

from __future__ import annotations

import math

import numpy as np

from receval._arrays import mean
from receval._checks import Seed, as_generator, check_integer
from receval.significance.paired import PairedTest, result_of_test
from receval.significance.pairs import UserValues, paired_differences
from receval.significance.resampling import batch_sizes

__all__ = ["permutation"]


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
        this number is at most ``n_resamples``, the test enumerates all ways.
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
    extreme. Matrix products handle about 10^6 signs at a time.

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
    check_integer(n_resamples, "n_resamples", 100, 10**7)
    generator = as_generator(rng)
    differences, left_out = paired_differences(a, b)
    # Swapping a user's two values changes the sign of the difference. SciPy's `permutation_test`
    # also swaps the values of users who don't differ, and holds a table of users by resamples.
    # In order of size, neither the order of the users nor that of the systems changes the result.
    sizes = np.sort(np.abs(differences[differences != 0]))
    total = sizes.sum()
    # The same numbers added in another order may give a slightly smaller sum.
    least_extreme = abs(math.fsum(differences)) - 1e-9 * total
    # Go through all ways to sign the differences if there are few, else draw some.
    if 2**sizes.size <= n_resamples:
        # After each size, these are the sums of all ways to sign the sizes so far.
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate([sums + size, sums - size])
        p = (np.abs(sums) >= least_extreme).mean()
    else:
        n_extreme = 1  # the observed way counts as one of them, so no p-value is 0
        for n_batch in batch_sizes(n_resamples, sizes.size):
            is_positive = generator.random((n_batch, sizes.size)) < 0.5
            # The sizes with a positive sign minus the others, which add up to total - positive.
            sums = 2 * (is_positive @ sizes) - total
            n_extreme += int(np.count_nonzero(np.abs(sums) >= least_extreme))
        p = n_extreme / (1 + n_resamples)
    difference = mean(differences)
    return result_of_test(differences, left_out, difference, p, difference)
