"""Paired tests of two systems on the same users; all of them two-sided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import FloatArray, check_choice
from receval.significance.pairs import Pairs, paired

__all__ = ["PairedTest", "paired_t", "sign_test", "wilcoxon"]

EXACT = 50  # differences up to which Wilcoxon's null distribution is counted out


@dataclass(frozen=True)
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
    from scipy import stats

    check_choice(zeros, "zeros", ("wilcox", "pratt", "zsplit"))
    pairs = paired(a, b)
    level = pairs.level if zeros != "wilcox" else pairs.level[pairs.level != 0]
    sizes = stats.rankdata(np.abs(level))
    up, down = float(sizes[level > 0].sum()), float(sizes[level < 0].sum())
    signed = sizes[level != 0]
    if signed.size <= EXACT:
        p, method = _share_as_extreme(signed, min(up, down)), "exact"
    else:
        how: Any = {"zero_method": zeros, "correction": False, "method": "approx"}
        p, method = float(stats.wilcoxon(level, **how).pvalue), "normal approximation"
    if zeros == "zsplit":
        half = float(sizes[level == 0].sum()) / 2
        up, down = up + half, down + half
    return result("Wilcoxon's signed-rank test", min(up, down), p, up - down, method, pairs)


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
    from scipy import stats

    pairs = paired(a, b)
    if pairs.spread:
        found = stats.ttest_1samp(pairs.difference, 0.0)
        t, p = found.statistic, found.pvalue
    elif pairs.outcomes["same"] == pairs.compared:
        t, p = 0.0, 1.0
    else:
        t = p = np.nan
    return result("paired t-test", t, p, pairs.mean, "t distribution", pairs)


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
    from scipy import stats

    pairs = paired(a, b)
    better = pairs.outcomes["better"]
    trials = better + pairs.outcomes["worse"]
    p = stats.binomtest(better, trials).pvalue if trials else 1.0
    return result("sign test", better, p, 2 * better - trials, "exact", pairs)


def result(
    test: str, statistic: Any, p: Any, leaning: float, method: str, pairs: Pairs
) -> PairedTest:
    """What a test found; ``leaning`` is positive where it favours the first system."""
    return PairedTest(
        test,
        float(statistic),
        float(p),
        int(np.sign(leaning)),
        method,
        **pairs.outcomes,
        compared=pairs.compared,
        left_out=pairs.left_out,
    )


def _share_as_extreme(ranks: FloatArray, smaller: float) -> float:
    """Share of all ways to sign the ranks whose smaller sum is at most the one seen."""
    doubled = np.rint(2 * ranks).astype(int)  # shared ranks are halves
    ways = np.zeros(int(doubled.sum()) + 1)  # ways to reach each sum; at most 2^50, exact
    ways[0] = 1
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: ways.size - rank]
    below = ways[: round(2 * smaller) + 1].sum()
    return float(min(1.0, 2 * below / ways.sum()))
