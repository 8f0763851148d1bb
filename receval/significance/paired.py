"""Paired tests of two systems on the same users; all of them two-sided."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import FloatArray, check_choice, check_number
from receval.significance.effects import standardized
from receval.significance.pairs import Pairs, paired, rounded

__all__ = ["PairedTest", "paired_t", "resampled_t", "sign_test", "wilcoxon"]

EXACT = 50  # differences up to which Wilcoxon's null distribution is counted out
ZEROS = ("wilcox", "pratt", "zsplit")


@dataclass(frozen=True, repr=False)
class PairedTest:
    """What a paired test found.

    Attributes
    ----------
    test : str
        Which test.
    statistic : float
        Its statistic; see the test.
    p : float
        Two-sided p-value in [0, 1]; NaN where the test is undefined.
    direction : int
        1 if the first system is the better one in the test's terms, -1 if the second is, or 0.
    method : str
        How the p-value was computed.
    better, same, worse : int
        Users for whom the first system has the higher, the same, the lower value.
    compared, left_out : int
        Users with a value on both sides, and the others.
    """

    test: str
    statistic: float
    p: float
    direction: int
    method: str
    better: int
    same: int
    worse: int
    compared: int
    left_out: int

    __repr__ = rounded


def wilcoxon(a: Any, b: Any, *, zeros: str = "wilcox") -> PairedTest:
    r"""Wilcoxon's signed-rank test, as document 000 intended for the ranks of its matchmakers.

    The differences are ranked by size; the null hypothesis is that their distribution is
    symmetric about 0. The statistic is

    .. math:: T = \min(R^+, R^-), \quad
              R^+ = \sum_{d_u > 0} \mathrm{rank} |d_u|, \quad
              R^- = \sum_{d_u < 0} \mathrm{rank} |d_u|

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        Value of each user under the two systems. Series are aligned by index, arrays by position.
        Users with NaN on a side, or on one side only, are left out and counted.
    zeros : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        What becomes of users without difference, in SciPy's words: left out before ranking
        (Wilcoxon's own way, also R's), ranked but not summed (Pratt's), or ranked and given
        half to either side.

    Returns
    -------
    PairedTest
        ``statistic`` is T. All differences zero: T = 0 and p = 1.

    Raises
    ------
    InputError
        If fewer than two users have a value on both sides, a value is infinite, a user stands
        twice, or ``zeros`` is none of the three.

    Notes
    -----
    Equal sizes share the mean of their ranks. Up to 50 differences other than zero the p-value
    is exact, given those ranks (all ways to sign them are counted); beyond that it is SciPy's
    normal approximation, with the variance corrected for ties and without continuity correction.
    ``scipy.stats.wilcoxon`` itself turns to the approximation from 14 users on where there are
    ties or zeros, and then differs a little.
    Differences that agree to about 1e-12 of the largest value are equal.

    References
    ----------
    Document 000, section "Evaluation protocol" (note on significance). F. Wilcoxon: Individual
    comparisons by ranking methods, Biometrics Bulletin 1(6), 1945. J. W. Pratt: Remarks on zeros
    and ties in the Wilcoxon signed rank procedures, JASA 54, 1959.

    Examples
    --------
    Of five signed ranks only the 1 is negative; 4 of the 32 ways to sign them are as extreme:

    >>> found = wilcoxon([0.5, 0.4, 0.9, 0.8, 0.3], [0.3, 0.5, 0.5, 0.3, 0.0])
    >>> found.statistic, found.p
    (1.0, 0.125)
    """
    check_choice(zeros, "zeros", ZEROS)
    return result(
        "Wilcoxon's signed-rank test", lambda pairs: _wilcoxon_columns(pairs, zeros), a, b
    )


def paired_t(a: Any, b: Any) -> PairedTest:
    r"""Student's t-test for paired samples.

    The null hypothesis is that the mean difference is 0, with

    .. math:: t = \frac{\bar d}{s_d / \sqrt n}, \quad n - 1 \text{ degrees of freedom}

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.

    Returns
    -------
    PairedTest
        ``statistic`` is t. All differences zero: t = 0 and p = 1. All differences equal but not
        zero: NaN, for there is no spread to measure the mean against.

    Raises
    ------
    InputError
        As `wilcoxon`.

    Notes
    -----
    Exact for normally distributed differences, and good for many users whatever they are like.

    References
    ----------
    "Student": The probable error of a mean, Biometrika 6(1), 1908.

    Examples
    --------
    >>> found = paired_t([1, 2, 3, 4], [0, 1, 1, 2])
    >>> round(found.statistic, 3), round(found.p, 3)
    (5.196, 0.014)
    """
    return result("paired t-test", _t_columns, a, b)


def resampled_t(a: Any, b: Any, *, test_to_train: float) -> PairedTest:
    r"""Nadeau and Bengio's corrected resampled t-test, of the values of folds or random splits.

    Training sets overlap, so that the folds' differences :math:`d_j` are not independent, and
    Student's test finds too much. With J folds, tested on :math:`n_2` and trained on :math:`n_1`
    each,

    .. math:: t = \frac{\bar d}{s_d \sqrt{1/J + n_2/n_1}}, \quad J - 1 \text{ degrees of freedom}

    Parameters
    ----------
    a, b : Series or array_like, shape (folds,)
        Value of each fold under the two systems; as in `wilcoxon`, of folds in place of users.
    test_to_train : float
        The ratio :math:`n_2/n_1`: 1/9 in ten-fold cross-validation.

    Returns
    -------
    PairedTest
        ``statistic`` is t, as in `paired_t`.

    Raises
    ------
    InputError
        As `wilcoxon`; or if the ratio is not above 0.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the generalization error, Machine Learning 52, 2003.
    https://doi.org/10.1023/A:1024068626366

    Examples
    --------
    >>> found = resampled_t([1, 2, 3, 4], [0, 1, 1, 2], test_to_train=1 / 3)
    >>> round(found.statistic, 3), round(found.p, 3)
    (3.402, 0.042)
    """
    ratio = check_number(test_to_train, "test_to_train", "a number above 0", lambda x: x > 0)
    return result("corrected resampled t-test", lambda pairs: _t_columns(pairs, ratio), a, b)


def sign_test(a: Any, b: Any) -> PairedTest:
    r"""The sign test: are there more users who gain than users who lose?

    The null hypothesis is that, of the users with a difference, each gains with probability 1/2.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `wilcoxon`.

    Returns
    -------
    PairedTest
        ``statistic`` is the number of users for whom ``a`` is better. Users without difference
        do not count; where all are such, p = 1.

    Raises
    ------
    InputError
        As `wilcoxon`.

    Notes
    -----
    The p-value is that of the exact binomial test. Sizes of differences play no role.

    References
    ----------
    W. J. Dixon, A. M. Mood: The statistical sign test, JASA 41, 1946.

    Examples
    --------
    Five of six gain: twice (1 + 6) / 64.

    >>> sign_test([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1]).p
    0.21875
    """
    return result("sign test", _sign_columns, a, b)


TestResult = tuple[FloatArray, FloatArray, FloatArray, str]
"""What a test found of one or of each of several pairs of columns: its statistic, p, a number that
is positive where it favours the first system, and the method."""


def result(test: str, testing: Callable[[Pairs], TestResult], a: Any, b: Any) -> PairedTest:
    """What a test finds of one pair of columns."""
    pairs = paired(a, b)
    statistic, p, leaning, method = testing(pairs)
    users = {name: int(number) for name, number in pairs.users.items()}
    return PairedTest(test, float(statistic), float(p), int(np.sign(leaning)), method, **users)


def _wilcoxon_columns(pairs: Pairs, zeros: str) -> TestResult:
    """Wilcoxon's test of each pair."""
    from scipy import stats

    same = pairs.users["same"]
    first = 0 if zeros == "wilcox" else same[..., None]  # the first ranks go to the zeros
    ranks = pairs.ranks + first * np.sign(pairs.ranks)
    up, down = ((side * ranks).clip(min=0).sum(axis=-1) for side in (1, -1))
    smaller = np.minimum(up, down)
    few = np.asarray(pairs.compared - same <= EXACT)
    p = np.empty(few.shape)
    if not few.all():
        how: Any = {"zero_method": zeros, "correction": False, "method": "approx", "axis": -1}
        p[~few] = stats.wilcoxon(pairs.level[~few], **how).pvalue
    # SciPy counts out no ranks that are shared, nor zeros.
    p[few] = list(map(_share_as_extreme, np.abs(ranks[few]), smaller[few]))
    if zeros == "zsplit":
        smaller = smaller + same * (same + 1) / 4
    return smaller, p, up - down, "exact" if few.all() else "normal approximation"


def _t_columns(pairs: Pairs, ratio: float = 0.0) -> TestResult:
    """The t-test of each pair, corrected by a ratio; SciPy's warns where there is no spread."""
    from scipy.special import stdtr

    t = standardized(pairs) * math.sqrt(pairs.compared / (1 + pairs.compared * ratio))
    t = np.where(pairs.users["same"] == pairs.compared, 0.0, t)
    return t, 2 * stdtr(pairs.compared - 1, -np.abs(t)), pairs.mean, "t distribution"


def _sign_columns(pairs: Pairs) -> TestResult:
    """The sign test of each pair."""
    from scipy.stats import binom

    better, worse = pairs.users["better"], pairs.users["worse"]
    p = 2 * binom.cdf(np.minimum(better, worse), better + worse, 0.5)
    return better, np.minimum(p, 1.0), better - worse, "exact"


def _share_as_extreme(ranks: FloatArray, smaller: float) -> float:
    """Share of all ways to sign the ranks whose smaller sum is at most the one seen."""
    doubled = np.rint(2 * ranks[ranks > 0]).astype(int)  # shared ranks are halves
    ways = np.zeros(int(doubled.sum()) + 1)  # ways to reach each sum; at most 2^50, exact
    ways[0] = 1
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: ways.size - rank]
    below = ways[: round(2 * smaller) + 1].sum()
    return float(min(1.0, 2 * below / ways.sum()))
