"""Power: how small a difference a comparison of a given number of users can find."""

from __future__ import annotations

import math

import numpy as np

from receval._checks import check_number
from receval.significance.pairs import UserValues, paired_differences, spread

__all__ = ["minimum_detectable_difference"]


def minimum_detectable_difference(
    a: UserValues, b: UserValues, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    r"""Compute the smallest true mean difference that a paired t-test would likely find.

    This is the :math:`\delta` at which the two-sided test at level ``alpha`` rejects with
    probability ``power``, for n users whose differences have the observed standard deviation
    :math:`s_d`:

    .. math:: \Pr\left(|t_{n-1}(\sqrt n \, \delta / s_d)| > t_{n-1, 1-\alpha/2}\right)
              = \text{power}

    where :math:`t_\nu(\lambda)` is the noncentral t distribution.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    alpha : float, default 0.05
        Level of the test. With Bonferroni's correction of m comparisons, pass alpha / m.
    power : float, default 0.8
        Desired probability of finding the difference; above ``alpha``.

    Returns
    -------
    float
        The difference in the unit of the values; NaN if all differences are equal.

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon`; also if ``alpha`` lies outside (0, 1) or
        ``power`` outside (alpha, 1).

    Notes
    -----
    Use this function before an experiment, with the spread of an earlier one, or to judge a
    difference that was not significant: a true difference below this size had little chance of
    being found. The result says nothing about the observed difference.

    References
    ----------
    J. Cohen: Statistical power analysis for the behavioral sciences, 2nd edition, 1988, chapter
    2.

    Examples
    --------
    >>> a, b = [0.2, 0.5, 0.4, 0.9, 0.6, 0.3], [0.1, 0.5, 0.2, 0.6, 0.7, 0.3]
    >>> round(minimum_detectable_difference(a, b), 3)
    0.211
    """
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    alpha = check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    power = check_number(power, "power", f"a number in ({alpha:g}, 1)", lambda x: alpha < x < 1)
    differences, _ = paired_differences(a, b)
    n = differences.size
    critical_t = float(t.isf(alpha / 2, n - 1))

    def missing_power(noncentrality: float) -> float:
        """Return how much power a difference of ``noncentrality`` standard errors lacks.

        It falls with the difference, and is 0 at the detectable difference.
        """
        # With this difference, t has a noncentral t distribution. The test rejects in both tails.
        upper_tail = nct.sf(critical_t, n - 1, noncentrality)
        # SciPy returns NaN in place of a lower tail that is almost 0.
        lower_tail = np.nan_to_num(nct.cdf(-critical_t, n - 1, noncentrality))
        return power - float(upper_tail + lower_tail)

    # The root lies between 0, which lacks power, and a difference that we double until it has
    # enough.
    upper = 1.0
    while missing_power(upper) > 0:
        upper *= 2
    noncentrality = float(brentq(missing_power, 0.0, upper))
    return noncentrality * spread(differences) / math.sqrt(n)
