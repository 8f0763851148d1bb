"""Columns of values by user, intervals of their means, and the bootstrap of other statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, Union

import numpy as np
import numpy.typing as npt
import pandas as pd
from numpy.random import Generator

from receval._arrays import ROUNDING, as_numbers, divide_or_nan, mean
from receval._checks import FloatArray, check_none, check_not_empty, check_number, check_that

SMALLEST, LARGEST = 1e-120, 1e120
"""Sizes of values beyond which sums of squares can become 0 or infinite."""

UserValues: TypeAlias = Union[npt.ArrayLike, "pd.Series"]
"""One value per user, as users pass them: a Series indexed by user, or an array."""

MAX_DRAWN = 2**20
"""The most random numbers that are drawn at a time."""


# Intervals ----------------------------------------------------------------------------------------


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
        If a value is infinite or at least 1e120 in size, or
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
    """Return Kish's effective number: how many outcomes with equal weights say as much.

    It is the squared sum of the weights over the sum of their squares; NaN if all weights are 0.
    """
    return float(divide_or_nan(weights.sum() ** 2, (weights**2).sum()))


# Columns of values --------------------------------------------------------------------------------


def as_column(values: UserValues, name: str) -> pd.Series[float]:
    """Return values as a Series of floats, indexed by user or, if they are an array, by position.

    NaN stands for a user without a value. Raises an `InputError`, which calls the values ``name``,
    if they are not one finite number per user.
    """
    index = None
    if isinstance(values, pd.Series):
        index = values.index
        # Types of extensions, and objects, have missing values that aren't NaN.
        if pd.api.types.is_extension_array_dtype(values.dtype) or values.dtype == object:
            values = values.to_numpy(na_value=np.nan)
    array = as_numbers(values, name)  # refuses text and other objects
    check_that(array.ndim == 1, name, "have one value per user", array.shape)
    check_none(array, np.isinf(array), name, "be finite")
    largest = np.nanmax(np.abs(array), initial=0)
    rule = f"have values below {LARGEST:g}, which float64 can square"
    check_that(
        largest < LARGEST, name, rule, largest, "Divide all values by one large number first"
    )
    return pd.Series(array, index)


def spread(values: FloatArray) -> float:
    """Return the standard deviation of values (divided by n - 1).

    It is NaN if all are equal: that doesn't say how much other values vary.
    """
    if values.size < 2 or np.ptp(values) <= ROUNDING * np.abs(values).max():
        return math.nan
    largest = float(np.abs(values).max())
    if largest > SMALLEST:
        return float(values.std(ddof=1))
    return float((values / largest).std(ddof=1)) * largest  # the squares of the values would be 0


# Bootstrap ----------------------------------------------------------------------------------------


def batch_sizes(n: int, size: int) -> Iterator[int]:
    """Split ``n`` resamples into batches and yield the number of resamples in each.

    Each resample needs ``size`` numbers; a batch needs at most `MAX_DRAWN` numbers, unless a
    single resample needs more.
    """
    # Use at least 1 twice, so that no batch is empty and we never divide by 0.
    most_per_batch = max(1, MAX_DRAWN // max(1, size))
    for start in range(0, n, most_per_batch):
        yield min(most_per_batch, n - start)


def resampled_sums(values: FloatArray, n_resamples: int, rng: Generator) -> FloatArray:
    """Sum columns over users drawn with replacement, the same users for all columns.

    A mean is such a sum divided by the number of users, and a ratio of means is one sum divided
    by another. To bootstrap any statistic that is a function of sums, apply that function to
    these sums.

    Parameters
    ----------
    values : ndarray of float, shape (n,) or (n, columns)
        Values of each user.
    n_resamples : int
        How many times the users are resampled.
    rng : numpy.random.Generator
        Source of random numbers.

    Returns
    -------
    ndarray of float, shape (n_resamples,) or (n_resamples, columns)

    Raises
    ------
    InputError
        If there is no user.

    Notes
    -----
    The sums are matrix products of values and of counts, how often each user is drawn, for about
    10^6 counts at a time.

    Examples
    --------
    Twelve clicks on forty impressions, by user; the interval of the click-through rate:

    >>> log = np.array([[5.0, 10.0], [4.0, 10.0], [2.0, 10.0], [1.0, 10.0]])
    >>> clicks, impressions = resampled_sums(log, 2_000, np.random.default_rng(0)).T
    >>> np.quantile(clicks / impressions, [0.025, 0.975]).round(2).tolist()
    [0.15, 0.45]
    """
    check_not_empty(values, "values", "belong to at least one user")
    n_users = len(values)
    sums = []
    for n_batch in batch_sizes(n_resamples, n_users):
        drawn = rng.integers(n_users, size=(n_batch, n_users))
        # Shifting the indices of resample r by r * n_users lets one bincount count all resamples.
        drawn += np.arange(0, n_batch * n_users, n_users)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=n_batch * n_users)
        sums.append(counts.reshape(n_batch, n_users) @ values)
    return np.concatenate(sums)
