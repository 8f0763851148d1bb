"""What a comparison of so many users could have found."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from receval._checks import check_number
from receval.significance.pairs import paired

__all__ = ["minimum_detectable_difference"]


def minimum_detectable_difference(
    a: Any, b: Any, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    r"""The smallest true mean difference that a paired t-test on these users would likely find.

    The :math:`\delta` at which the two-sided test at level ``alpha`` rejects with probability
    ``power``, for n users whose differences have the standard deviation :math:`s_d` seen here:

    .. math:: \Pr\left(|t_{n-1}(\sqrt n \, \delta / s_d)| > t_{n-1, 1-\alpha/2}\right)
              = \text{power}

    with :math:`t_\nu(\lambda)` the noncentral t distribution.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    alpha : float, default 0.05
        Level of the test. Of m comparisons with Bonferroni's correction each is at alpha / m.
    power : float, default 0.8
        Wanted probability of finding the difference; above ``alpha``.

    Returns
    -------
    float
        In the unit of the values. 0 where all differences are equal.

    Raises
    ------
    InputError
        As `receval.significance.wilcoxon`; or if ``alpha`` lies outside (0, 1) or
        ``power`` outside (alpha, 1).

    Notes
    -----
    Ask it before the experiment, with the spread of an earlier one, or beside a difference that
    was not significant: one below this size had little chance to be. It says nothing about the
    difference that was seen.

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
    alpha = check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    power = check_number(power, "power", f"a number in ({alpha:g}, 1)", lambda x: alpha < x < 1)
    pairs = paired(a, b)
    return _detectable(pairs.compared, alpha, power) * float(pairs.spread)


@lru_cache(maxsize=64)
def _detectable(n: int, alpha: float, power: float) -> float:
    """The smallest difference, in standard deviations, that so many users likely show."""
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    critical = float(t.isf(alpha / 2, n - 1))

    def lacking(effect: float) -> float:
        away = effect * math.sqrt(n)
        wrong_way = np.nan_to_num(nct.cdf(-critical, n - 1, away))  # SciPy's NaN is a vanishing one
        return power - float(nct.sf(critical, n - 1, away) + wrong_way)

    enough = 1 / math.sqrt(n)
    while lacking(enough) > 0:
        enough *= 2
    return float(brentq(lacking, 0.0, enough))
