"""Intervals of means: Student's, and Wilson's for proportions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from receval._arrays import ROUNDING, divide_or_nan, mean
from receval._checks import FloatArray, check_number
from receval.significance.paired import UserValues, as_column, spread


@dataclass(frozen=True)
class Interval:
    """A mean with its interval.

    Attributes
    ----------
    mean, low, high : float
        The mean and both ends of the interval.
    users : int
        Number of users that the mean is taken over.
    """

    mean: float
    low: float
    high: float
    users: int


def mean_interval(values: UserValues, *, level: float = 0.95) -> Interval:
    r"""Compute the interval of the mean over users: Student's, or Wilson's for a proportion.

    .. math:: \bar x \pm t_{n-1, (1 + \text{level}) / 2} \, \frac{s}{\sqrt n}

    If each value is 0 or 1, the mean is a proportion p of n outcomes. With the quantile z of the
    normal distribution, its interval is Wilson's:

    .. math:: \frac{n p + z^2 / 2 \pm z \sqrt{n p (1 - p) + z^2 / 4}}{n + z^2}

    Parameters
    ----------
    values : Series or array_like, shape (users,)
        Value of each user. Users with NaN are left out.
    level : float, default 0.95
        Share of repetitions of the whole experiment in which the interval should contain the
        true mean.

    Returns
    -------
    Interval
        The ends are NaN if there are fewer than two users, or if all values are equal, but neither
        0 nor 1: that doesn't make the mean certain.

    Raises
    ------
    InputError
        If a value is infinite, the largest value is below 1e-120 or above 1e120 in size, or
        ``level`` lies outside (0, 1).

    Notes
    -----
    In a simulation of 10,000 samples of each kind, Student's intervals at 95 % held the true mean
    in these shares of the samples. The bootstrap (BCa) is about as good: 0.94, 0.90, 0.88 and
    0.60 with 20 values.

    =====================================  ======  ======  =======
    values                                 n = 20  n = 50  n = 500
    =====================================  ======  ======  =======
    normal                                  0.951   0.948    0.949
    skewed (exponential)                    0.914   0.932    0.950
    very skewed (lognormal, sigma 1)        0.863   0.892    0.941
    sparse (5 % differ from 0, all above)   0.582   0.807    0.940
    =====================================  ======  ======  =======

    Wilson's intervals held proportions from 0.02 to 0.95 in 0.919 to 0.974 of the samples, for the
    same n. Student's would hold a proportion of 0.05 in 0.650, 0.921 and 0.937 of them.

    An end of Student's interval can lie outside the range of a measure, if there are few users and
    nearly all of them have the lowest or the highest value.

    References
    ----------
    "Student": The probable error of a mean, Biometrika 6(1), 1908. Wilson, E. B.: Probable
    inference, the law of succession, and statistical inference, Journal of the American Statistical
    Association 22, 1927.

    Examples
    --------
    >>> interval = mean_interval([0.2, 0.5, 0.4, 0.9, 0.6, 0.4])
    >>> round(interval.low, 3), interval.mean, round(interval.high, 3)
    (0.252, 0.5, 0.748)
    >>> interval = mean_interval([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    >>> interval.low, interval.mean, round(interval.high, 3)
    (0.0, 0.0, 0.278)
    """
    check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    numbers = np.asarray(as_column(values, "values").dropna(), np.float64)
    low, high = student_ends(numbers, level)
    outcomes = numbers.round().clip(0, 1)
    if numbers.size > 1 and np.isclose(numbers, outcomes, rtol=ROUNDING, atol=0).all():
        low, high = wilson_ends(float(outcomes.mean()), numbers.size, level)
    return Interval(mean(numbers), low, high, numbers.size)


def student_ends(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the ends of Student's interval of the mean of values that are not NaN.

    The ends are NaN if all values are equal, because that doesn't make the mean certain.
    """
    from scipy.special import stdtrit

    n = max(values.size, 1)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * spread(values) / math.sqrt(n)
    return mean(values) - half, mean(values) + half


def wilson_ends(share: float, n: float, level: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval of a proportion of n outcomes."""
    from scipy.special import ndtri

    square = float(ndtri((1 + level) / 2)) ** 2
    middle = n * share + square / 2
    half = math.sqrt(square * (n * share * (1 - share) + square / 4))
    return (middle - half) / (n + square), (middle + half) / (n + square)


def ends_without_spread(share: float, n: float, level: float) -> tuple[float, float]:
    """Return the ends of the interval of a mean if all values that it is taken over are equal.

    A ``share`` of 0 or 1 is a proportion of n outcomes without a single success, or without a
    single failure. The result is its interval by Wilson. For other means, and for a single outcome,
    the ends are NaN.
    """
    if n > 1 and (abs(share) <= ROUNDING or abs(share - 1) <= ROUNDING):
        return wilson_ends(round(share), n, level)
    return math.nan, math.nan  # also if n or the share is NaN


def effective_number(weights: FloatArray) -> float:
    """Return how many outcomes with equal weights are as informative: the squared sum of the
    weights over the sum of their squares (Kish); NaN if all weights are 0.
    """
    return float(divide_or_nan(weights.sum() ** 2, (weights**2).sum()))
