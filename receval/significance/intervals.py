"""Bootstrap intervals of means, in bounded memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import FloatArray, Seed, as_generator, check_choice, check_number
from receval._exact import mean
from receval.significance.pairs import as_values, paired, snap
from receval.significance.permuting import CELLS, check_resamples

__all__ = ["Interval", "difference_interval", "mean_interval"]

REPEATED = 16  # users per distinct value from which drawing counts beats drawing users


@dataclass(frozen=True)
class Interval:
    """A mean with its interval.

    Attributes
    ----------
    mean, low, high : float
    users : int
        Users it is taken over.
    """

    mean: float
    low: float
    high: float
    users: int


def mean_interval(
    values: Any,
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
    method: str = "bca",
) -> Interval:
    r"""Bootstrap interval of the mean over users.

    Users are drawn with replacement, as many as there are, again and again; the interval lies
    between two percentiles of the means so found. BCa corrects the percentiles for bias
    (:math:`z_0`) and for a spread that changes with the mean (:math:`a`):

    .. math:: \alpha_{1,2} = \Phi\left(z_0 + \frac{z_0 \pm z}{1 - a (z_0 \pm z)}\right), \quad
              a = \frac{\sum_u (x_u - \bar x)^3}{6 \left(\sum_u (x_u - \bar x)^2\right)^{3/2}}

    Parameters
    ----------
    values : Series or array_like, shape (users,)
        Value of each user. Users with NaN are left out.
    level : float, default 0.95
        Share of repetitions of the whole experiment in which the interval should hold the true
        mean.
    n_resamples : int, default 2000
        How often users are drawn.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.
    method : {"bca", "percentile"}, default "bca"
        Percentiles with or without the two corrections.

    Returns
    -------
    Interval
        Where all values are equal, both ends are the mean. For fewer than two users they are
        NaN.

    Raises
    ------
    InputError
        If a value is infinite, ``level`` lies outside (0, 1), ``n_resamples`` is below 100, or
        ``rng`` is neither a generator nor a seed.

    Notes
    -----
    It needs memory for a block of some 10^6 draws, never for users times resamples. Where values
    repeat, how often each is drawn is itself drawn (a multinomial number), which is the same
    experiment done faster. The order of users changes nothing.

    References
    ----------
    B. Efron, R. J. Tibshirani: An introduction to the bootstrap, 1993, section 14.3.

    Examples
    --------
    >>> found = mean_interval([0, 0, 1, 1, 1, 0, 1, 1, 0, 1])
    >>> found.mean, round(found.low, 1), round(found.high, 1)
    (0.6, 0.3, 0.9)
    """
    check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    check_choice(method, "method", ("bca", "percentile"))
    draws, generator = check_resamples(n_resamples), as_generator(rng)
    array = as_values(values, "values")
    there = np.sort(array[~np.isnan(array)])
    middle, n = mean(there), there.size
    if n < 2:
        return Interval(middle, math.nan, math.nan, n)
    largest = float(np.abs(there).max())
    if np.ptp(snap(there, largest)) == 0:
        return Interval(middle, middle, middle, n)
    means = resampled_means(there, draws, generator)
    if method == "bca":
        ends = bca_percentiles(there, means, level)
    else:
        ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(means, ends)
    return Interval(middle, float(low), float(high), n)


def difference_interval(
    a: Any,
    b: Any,
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
    method: str = "bca",
) -> Interval:
    """Paired bootstrap interval of the mean difference: users are drawn, not values.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    level, n_resamples, rng, method
        As in `mean_interval`.

    Returns
    -------
    Interval
        Of the mean of ``a - b`` over the users compared.

    Raises
    ------
    InputError
        As `receval.significance.wilcoxon` and `mean_interval`.

    Examples
    --------
    >>> found = difference_interval([0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.6, 0.6])
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3), found.users
    (0.175, 0.05, 0.342, 4)
    """
    difference = paired(a, b).difference
    return mean_interval(difference, level=level, n_resamples=n_resamples, rng=rng, method=method)


def resampled_means(values: FloatArray, draws: int, generator: np.random.Generator) -> FloatArray:
    """Means of samples with replacement of the ascending values, as large as the whole."""
    n, means = values.size, np.empty(draws)
    distinct, count = np.unique(values, return_counts=True)
    few = distinct.size * REPEATED <= n
    rows = max(1, CELLS // (distinct.size if few else n))
    for start in range(0, draws, rows):
        some = slice(start, min(start + rows, draws))
        size = some.stop - start
        if few:
            total = generator.multinomial(n, count / n, size) @ distinct
        else:
            total = np.zeros(size)
            for low in range(0, n, CELLS):
                drawn = generator.integers(n, size=(size, min(CELLS, n - low)))
                total += values[drawn].sum(axis=1)
        means[some] = total / n
    return means


def bca_percentiles(values: FloatArray, means: FloatArray, level: float) -> FloatArray:
    """The two percentiles, as shares, between which the BCa interval lies."""
    from scipy.special import ndtr, ndtri

    largest = float(np.abs(values).max())
    middle = mean(values)
    place = snap(means - middle, largest)
    below = (np.count_nonzero(place < 0) + np.count_nonzero(place <= 0)) / (2 * means.size)
    bias = ndtri(below)
    apart = values - middle
    skew = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    shares: FloatArray = ndtr(bias + z / (1 - skew * z))
    return shares
