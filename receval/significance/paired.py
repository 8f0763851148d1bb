"""Paired tests of two systems on the same users, and corrections of their p-values.

All tests are two-sided. To add a correction, put its name into `CORRECTIONS` and its formula into
`adjust`. Add its name in words to ``receval/evaluation/words.toml``, and an oracle (an independent
computation) to ``tests/significance/test_significance.py``. A test fails as long as one of the two
is missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import ROUNDING, as_numbers, divide_or_nan, mean, without_rounding_noise
from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    Seed,
    as_generator,
    check_choice,
    check_integer,
    check_none,
    check_number,
    check_unique,
    input_error,
)
from receval.significance.intervals import UserValues, as_column, batch_sizes, spread

MAX_EXACT = 50
"""Number of differences up to which Wilcoxon's test counts all ways to sign them."""

CORRECTIONS = ("holm", "bh", "none")
"""The names of the corrections of p-values."""


@dataclass(frozen=True)
class PairedTest:
    r"""Result of a paired test.

    Attributes
    ----------
    statistic : float
        The statistic that the test defines.
    p : float
        Two-sided p-value in [0, 1]; NaN where the test is undefined.
    direction : int
        1 if the test favours the first system, -1 if it favours the second one, else 0.
    better, same, worse : int
        Numbers of users for whom the first system has a higher, an equal or a lower value.
    compared, left_out : int
        Number of users with a value on both sides, and of all other users.
    effect : float
        The effect size that fits the test; positive if the first system is better. For `wilcoxon`
        and `sign_test`, it is the matched-pairs rank-biserial correlation, and for the other tests
        Cohen's d of paired differences.

    Notes
    -----
    With the sums of ranks of `wilcoxon`, the matched-pairs rank-biserial correlation is

    .. math:: r = \frac{R^+ - R^-}{R^+ + R^-}

    It is 1 if the first system is better for every user with a difference, and NaN if no user has
    one. Cohen's d of paired differences is

    .. math:: d_z = \frac{\bar d}{s_d}, \quad s_d^2 = \frac{1}{n - 1} \sum_u (d_u - \bar d)^2

    It is NaN if all differences are equal. The paired t statistic is :math:`d_z \sqrt n`. The d of
    independent samples is another number: it divides by the standard deviation of the values, not
    of the differences.

    References
    ----------
    Kerby, D. S.: The simple difference formula, Comprehensive Psychology 3, 2014. Cohen, J.:
    Statistical power analysis for the behavioral sciences, 2nd edition, 1988, 2.3.5.

    Examples
    --------
    Ranks 2 to 5 are in favour of the first system and rank 1 is against: (14 - 1) / 15.

    >>> round(wilcoxon([0.5, 0.4, 0.9, 0.8, 0.3], [0.3, 0.5, 0.5, 0.3, 0.0]).effect, 3)
    0.867
    >>> round(paired_t([1, 2, 3, 4], [0, 1, 1, 2]).effect, 3)
    2.598
    """

    statistic: float
    p: float
    effect: float
    direction: int
    better: int
    same: int
    worse: int
    compared: int
    left_out: int


# Tests of two columns of values -------------------------------------------------------------------


def wilcoxon(a: UserValues, b: UserValues) -> PairedTest:
    r"""Run Wilcoxon's signed-rank test, which document 000 intended for its matchmakers' ranks.

    The test ranks the differences by size. Its null hypothesis is that their distribution is
    symmetric about 0. The statistic is

    .. math:: T = \min(R^+, R^-), \quad
              R^+ = \sum_{d_u > 0} \mathrm{rank} |d_u|, \quad
              R^- = \sum_{d_u < 0} \mathrm{rank} |d_u|

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        Value of each user under the two systems. Series are aligned by index, arrays by position.
        Users who lack a value on either side (NaN, or no entry) are left out and counted.

    Returns
    -------
    PairedTest
        ``statistic`` is T. Users without a difference are left out before ranking, as Wilcoxon and
        R do. If all differences are zero, T = 0 and p = 1.

    Raises
    ------
    InputError
        If fewer than two users have a value on both sides, a value is infinite, a user occurs
        twice, or a value is at least 1e120 in size.

    Notes
    -----
    Differences of equal size share the mean of their ranks. With up to 50 differences other than
    zero, the p-value is exact for these ranks: the test counts all ways to sign them. With more
    differences, it is the normal approximation, with the variance corrected for ties and without
    continuity correction. If there are ties or zeros, ``scipy.stats.wilcoxon`` itself uses
    the approximation for 14 users or more, so its p-value then differs a little. Differences that
    agree to about 1e-12 of the users' values are equal.

    References
    ----------
    Document 000, section "Evaluation protocol" (note on significance). F. Wilcoxon: Individual
    comparisons by ranking methods, Biometrics Bulletin 1(6), 1945.

    Examples
    --------
    Of five signed ranks only rank 1 is negative; 4 of the 32 ways to sign them are as extreme:

    >>> result = wilcoxon([0.5, 0.4, 0.9, 0.8, 0.3], [0.3, 0.5, 0.5, 0.3, 0.0])
    >>> result.statistic, result.p
    (1.0, 0.125)
    """
    return signed_rank_test(*paired_differences(a, b))


def paired_t(a: UserValues, b: UserValues) -> PairedTest:
    r"""Run Student's t-test for paired samples.

    The null hypothesis is that the mean difference is 0, with

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}, \quad n - 1 \text{ degrees of freedom}

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.

    Returns
    -------
    PairedTest
        ``statistic`` is t. If all differences are zero, t = 0 and p = 1. If all differences are
        equal but not zero, t and p are NaN, because there is no spread to compare the mean with.

    Raises
    ------
    InputError
        As in `wilcoxon`.

    Notes
    -----
    The test is exact for normally distributed differences. With many users it is a good
    approximation for any distribution.

    References
    ----------
    "Student": The probable error of a mean, Biometrika 6(1), 1908.

    Examples
    --------
    >>> result = paired_t([1, 2, 3, 4], [0, 1, 1, 2])
    >>> round(result.statistic, 3), round(result.p, 3)
    (5.196, 0.014)
    """
    return student_test(*paired_differences(a, b))


def resampled_t(a: UserValues, b: UserValues, *, test_to_train: float) -> PairedTest:
    r"""Run Nadeau and Bengio's corrected resampled t-test on values of folds or random splits.

    Training sets overlap, so the folds' differences :math:`d_j` are not independent, and
    Student's test rejects too often. With J folds, each tested on :math:`n_2` and trained on
    :math:`n_1` users,

    .. math:: t = \frac{\bar d}{s_d \sqrt{1/J + n_2/n_1}}, \quad J - 1 \text{ degrees of freedom}

    Parameters
    ----------
    a, b : Series or array_like, shape (folds,)
        Value of each fold under the two systems; as in `wilcoxon`, with folds in place of users.
    test_to_train : float
        The ratio :math:`n_2/n_1`: 1/9 in ten-fold cross-validation.

    Returns
    -------
    PairedTest
        ``statistic`` is t, as in `paired_t`.

    Raises
    ------
    InputError
        As in `wilcoxon`; also if the ratio is not above 0.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error, Machine Learning 52, 2003.
    https://doi.org/10.1023/A:1024068626366

    Examples
    --------
    >>> result = resampled_t([1, 2, 3, 4], [0, 1, 1, 2], test_to_train=1 / 3)
    >>> round(result.statistic, 3), round(result.p, 3)
    (3.402, 0.042)
    """
    from scipy.special import stdtr

    ratio = check_number(test_to_train, "test_to_train", "a number above 0", lambda x: x > 0)
    student = paired_t(a, b)
    t = student.statistic / math.sqrt(1 + student.compared * ratio)
    p = float(2 * stdtr(student.compared - 1, -abs(t)))
    return replace(student, statistic=t, p=p)


def sign_test(a: UserValues, b: UserValues) -> PairedTest:
    r"""Run the sign test, which asks whether more users gain than lose.

    The null hypothesis is that each user with a difference gains with probability 1/2.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.

    Returns
    -------
    PairedTest
        ``statistic`` is the number of users for whom ``a`` is better. Users without a difference do
        not count; if no user has a difference, p = 1.

    Raises
    ------
    InputError
        As in `wilcoxon`.

    Notes
    -----
    The p-value comes from the exact binomial test. The sizes of differences play no role.

    References
    ----------
    Dixon, W. J., and Mood, A. M.: The statistical sign test, JASA 41, 1946.

    Examples
    --------
    Five of six users gain, so p is twice (1 + 6) / 64:

    >>> sign_test([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1]).p
    0.21875
    """
    return count_test(*paired_differences(a, b))


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
    differences, left_out = paired_differences(a, b)
    return swap_test(differences, left_out, n_resamples, rng)


# Corrections of p-values --------------------------------------------------------------------------


def adjust(p: npt.ArrayLike, *, correction: str = "holm") -> FloatArray:
    r"""Correct p-values for the number of comparisons.

    With the m p-values in ascending order :math:`p_{(1)} \le \dots \le p_{(m)}`:

    .. math:: \text{Holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
              \text{Benjamini–Hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}

    Results above 1 become 1.

    Parameters
    ----------
    p : array_like, shape (m,)
        P-values of one family of comparisons. NaN (an undefined test) stays NaN and does not
        count in m.
    correction : {"holm", "bh", "none"}, default "holm"
        Holm bounds the probability of any false finding. Benjamini–Hochberg ("bh") bounds the
        expected share of false findings among all findings. "none" changes nothing.

    Returns
    -------
    ndarray of float, shape (m,)
        Corrected p-values, to be compared with the level alpha.

    Raises
    ------
    InputError
        If a p-value lies outside [0, 1], or the correction is unknown.

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6(2), 1979. Y. Benjamini, Y. Hochberg: Controlling the false discovery rate, JRSS B
    57(1), 1995.

    Examples
    --------
    >>> p = [0.01, 0.04, 0.03]
    >>> adjust(p).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust(p, correction="bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy import stats

    check_choice(correction, "correction", CORRECTIONS)
    values = as_numbers(p, "p").copy()
    check_none(values, (values < 0) | (values > 1), "p", "lie in [0, 1]")  # NaN is not outside
    # An undefined p-value stays NaN, and the others are corrected as if it weren't there.
    is_defined = ~np.isnan(values)
    defined = values[is_defined]
    if correction == "holm":
        # Multiply the sorted p-values by m, m - 1, …, 1. None may be below the one before it.
        order = np.argsort(defined)
        products = defined[order] * np.arange(defined.size, 0, -1)
        defined[order] = np.minimum(np.maximum.accumulate(products), 1)
    elif correction == "bh":
        defined = stats.false_discovery_control(defined)
    values[is_defined] = defined
    return values


# Tests of differences ----------------------------------------------------------------------------
#
# These functions take the differences of two systems, one for each user, without rounding noise,
# and the number of users who are left out.


def signed_rank_test(differences: FloatArray, left_out: int) -> PairedTest:
    """Run Wilcoxon's test; see `wilcoxon`."""
    from scipy.special import ndtr

    ranks = signed_ranks(differences)
    rank_sum_up = ranks[ranks > 0].sum()
    rank_sum_down = np.abs(ranks[ranks < 0]).sum()
    statistic = min(rank_sum_up, rank_sum_down)
    if ranks.size <= MAX_EXACT:
        # SciPy's exact method supports neither tied ranks nor users without difference.
        p = _share_as_extreme(np.abs(ranks), statistic)
    else:
        # Over all ways to sign the ranks, the sum of signed ranks has the mean 0 and this variance.
        variance = (ranks**2).sum()
        p = float(2 * ndtr(-abs(ranks.sum()) / math.sqrt(variance)))
    return _result(
        differences, left_out, statistic, p, rank_biserial(ranks), rank_sum_up - rank_sum_down
    )


def _share_as_extreme(ranks: FloatArray, smaller_sum: float) -> float:
    """Sign the ranks in all ways; return the share of ways as extreme as the observed signs.

    A way is that extreme if its smaller rank sum is at most ``smaller_sum``.
    """
    # The mean rank of tied sizes can end in .5; doubled, all ranks are whole numbers.
    doubled_ranks = np.rint(2 * ranks).astype(int)
    # To sign the ranks is to choose the subset that gets a positive sign. Count the subsets by
    # their sum with dynamic programming: entry s is the number of subsets of the ranks so far that
    # add up to s. The caller passes at most `MAX_EXACT` ranks, so numbers stay below 2^50, which
    # float64 holds exactly.
    n_subsets = np.zeros(int(doubled_ranks.sum()) + 1)
    n_subsets[0] = 1  # the empty subset
    for rank in doubled_ranks:
        # Adding this rank to a subset with the sum s - rank makes a subset with the sum s.
        n_subsets[rank:] = n_subsets[rank:] + n_subsets[: n_subsets.size - rank]
    n_as_small = n_subsets[: round(2 * smaller_sum) + 1].sum()
    # Twice, because either the positive or the negative ranks may have the small sum. If both sums
    # are equal, these ways count twice, so the share is cut to 1.
    return float(min(1.0, 2 * n_as_small / n_subsets.sum()))


def student_test(differences: FloatArray, left_out: int) -> PairedTest:
    """Run Student's test; see `paired_t`."""
    # SciPy's ttest_1samp warns if there is no spread.
    from scipy.special import stdtr

    n = differences.size
    effect = standardized_mean(differences)
    t = 0.0
    if differences.any():
        t = effect * math.sqrt(n)
    p = float(2 * stdtr(n - 1, -abs(t)))
    return _result(differences, left_out, t, p, effect, mean(differences))


def count_test(differences: FloatArray, left_out: int) -> PairedTest:
    """Run the sign test; see `sign_test`."""
    from scipy.stats import binom

    n_better = int(np.count_nonzero(differences > 0))
    n_worse = int(np.count_nonzero(differences < 0))
    # The two tails overlap if as many users are better as worse, so p is cut to 1.
    p = min(1.0, 2 * binom.cdf(min(n_better, n_worse), n_better + n_worse, 0.5))
    effect = rank_biserial(signed_ranks(differences))
    return _result(differences, left_out, n_better, p, effect, n_better - n_worse)


def swap_test(
    differences: FloatArray, left_out: int, n_resamples: int, rng: Seed = 0
) -> PairedTest:
    """Run the permutation test; see `permutation`."""
    generator = as_generator(rng)
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
    return _result(differences, left_out, difference, p, standardized_mean(differences), difference)


def _result(
    differences: FloatArray,
    left_out: int,
    statistic: float,
    p: float,
    effect: float,
    advantage: float,
) -> PairedTest:
    """Return the result of a test, with the counts of users.

    ``advantage`` is positive if the test favours the first system, and negative if it favours the
    second one.
    """
    return PairedTest(
        statistic=float(statistic),
        p=float(p),
        effect=effect,
        direction=int(np.sign(advantage)),
        better=int(np.count_nonzero(differences > 0)),
        same=int(np.count_nonzero(differences == 0)),
        worse=int(np.count_nonzero(differences < 0)),
        compared=differences.size,
        left_out=left_out,
    )


def standardized_mean(differences: FloatArray) -> float:
    """Return the mean over the standard deviation: Cohen's d of paired differences."""
    return mean(differences) / spread(differences)


def rank_biserial(ranks: FloatArray) -> float:
    """Return the sum of signed ranks over the sum of ranks: the rank-biserial correlation."""
    return float(divide_or_nan(ranks.sum(), np.abs(ranks).sum()))


def signed_ranks(differences: FloatArray) -> FloatArray:
    """Return the ranks of the sizes of differences other than 0, with the signs of the differences.

    Ranks start at 1 for the smallest size, and equal sizes share the mean of their ranks.
    """
    from scipy import stats

    differing = differences[differences != 0]
    return np.asarray(np.sign(differing) * stats.rankdata(np.abs(differing)))


# Differences of two columns of values -------------------------------------------------------------


def paired_differences(
    a: UserValues, b: UserValues, *, each: str = "users"
) -> tuple[FloatArray, int]:
    """Return a - b of the users who have both values, and the number of all other users.

    0.3 - 0.1 and 0.2 - 0.0 differ in floating point, but must get the same rank. So differences
    have no rounding noise: a difference is 0 if it is at most 2^-40 of the user's larger value, or
    of the median of these larger values. Sizes are equal if they differ by no more than that.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        Series are aligned by their index, arrays by position.
    each : str, default "users"
        The name of the users in error messages.

    Raises
    ------
    InputError
        If fewer than two users have a value on both sides, a value is infinite, or a user
        occurs twice in a Series.
    """
    are_series = isinstance(a, pd.Series)
    if are_series != isinstance(b, pd.Series):
        rule = "both be Series (aligned by user) or both be arrays (aligned by position)"
        raise input_error("a and b", rule, f"{type(a).__name__} and {type(b).__name__}")
    first, second = as_column(a, "a"), as_column(b, "b")
    if not are_series and first.size != second.size:
        advice = "Pass Series indexed by user to align them"
        got = f"{first.size} and {second.size}"
        raise input_error("a and b", "have the same length", got, advice)
    for name, users in (("a", first.index), ("b", second.index)):
        if users.has_duplicates:
            check_unique(users.tolist(), name, "user")  # raises
    # A user who is in one column only gets NaN in the other.
    both = np.array(first.align(second))  # two rows, a column for each user
    is_complete = ~np.isnan(both).any(axis=0)
    a_values, b_values = both[:, is_complete]
    n_left_out = int(np.count_nonzero(~is_complete))
    if a_values.size < 2:
        # If no ids match, a few ids of each side show the reason.
        examples = (
            f"{first.index[:MAX_EXAMPLES].tolist()} and {second.index[:MAX_EXAMPLES].tolist()}"
        )
        got = f"{a_values.size} ({n_left_out} left out), of {each} {examples}"
        raise input_error("a and b", f"have values of at least 2 {each} in common", got)
    differences = a_values - b_values
    larger_values = np.abs(both[:, is_complete]).max(axis=0)
    # A huge value of one user must not hide the differences of the others.
    scale = larger_values
    if larger_values.any():
        scale = np.maximum(larger_values, np.median(larger_values[larger_values > 0]))
    differences[np.abs(differences) <= ROUNDING * scale] = 0
    sizes = without_rounding_noise(np.abs(differences), scale=scale)
    return np.sign(differences) * sizes, n_left_out
