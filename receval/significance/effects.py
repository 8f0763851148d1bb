"""Effect sizes: how large a difference is, in units that do not depend on the number of users."""

from __future__ import annotations

import numpy as np

from receval._arrays import divide_or_nan, mean
from receval._checks import FloatArray
from receval.significance.pairs import UserValues, paired_differences, spread

__all__ = ["cohens_d", "rank_biserial"]


def rank_biserial(a: UserValues, b: UserValues) -> float:
    r"""Compute the matched-pairs rank-biserial correlation, the effect size of `wilcoxon`.

    .. math:: r = \frac{R^+ - R^-}{R^+ + R^-}

    with the sums of ranks of `wilcoxon`.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.

    Returns
    -------
    float
        In [-1, 1]; 1 if ``a`` is better for every user with a difference, NaN if no user has one.
        Users without a difference are left out before ranking.

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon`.

    References
    ----------
    Kerby, D. S.: The simple difference formula, Comprehensive Psychology 3, 2014.

    Examples
    --------
    Ranks 2 to 5 are in favour of ``a`` and rank 1 is against: (14 - 1) / 15.

    >>> round(rank_biserial([0.5, 0.4, 0.9, 0.8, 0.3], [0.3, 0.5, 0.5, 0.3, 0.0]), 3)
    0.867
    """
    differences, _ = paired_differences(a, b)
    ranks = signed_ranks(differences)
    return float(divide_or_nan(ranks.sum(), np.abs(ranks).sum()))


def cohens_d(a: UserValues, b: UserValues) -> float:
    r"""Compute Cohen's d of paired differences (d_z): mean over standard deviation.

    .. math:: d_z = \frac{\bar d}{s_d}, \quad s_d^2 = \frac{1}{n - 1} \sum_u (d_u - \bar d)^2

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.

    Returns
    -------
    float
        Positive if ``a`` is better on average, NaN if all differences are equal.

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon`.

    Notes
    -----
    The paired t statistic is :math:`d_z \sqrt n`. The d of independent samples is another number:
    it divides by the standard deviation of the values, not of the differences.

    References
    ----------
    Cohen, J.: Statistical power analysis for the behavioral sciences, 2nd edition, 1988, 2.3.5.

    Examples
    --------
    >>> round(cohens_d([1, 2, 3, 4], [0, 1, 1, 2]), 3)
    2.598
    """
    differences, _ = paired_differences(a, b)
    return mean(differences) / spread(differences)


def signed_ranks(differences: FloatArray) -> FloatArray:
    """Return the ranks of the sizes of differences other than 0, with the signs of the differences.

    Ranks start at 1 for the smallest size, and equal sizes share the mean of their ranks.
    """
    from scipy import stats

    differing = differences[differences != 0]
    return np.asarray(np.sign(differing) * stats.rankdata(np.abs(differing)))
