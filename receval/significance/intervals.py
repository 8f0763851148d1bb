"""Bootstrap intervals of means, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from receval._arrays import (
    ROUNDING,
    batches_of_equal_length,
    divide_or_nan,
    mean,
    power_of_two_scale,
    run_starts,
)
from receval._checks import (
    BoolArray,
    FloatArray,
    Seed,
    as_generator,
    check_integer,
    check_number,
    format_first,
    warn,
)
from receval.significance.pairs import UserValues, as_values, format_rounded
from receval.significance.resampling import sums_of_rows

PRECISION_BITS = 40
"""Values are rounded to 2^-40 (about 1e-12) of the largest one, so that their sums are exact."""

MAX_SHARED_VALUES = 2**24
"""The most values that share the same draws of users."""

__all__ = ["Interval", "mean_interval", "mean_intervals"]


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        return format_rounded(self)


def mean_interval(
    values: UserValues, *, level: float = 0.95, n_resamples: int = 2_000, rng: Seed = 0
) -> Interval:
    r"""Compute a bootstrap interval of the mean over users.

    The bootstrap repeatedly draws as many users as there are, with replacement. The interval lies
    between two percentiles of the means of these draws. BCa corrects the percentiles for bias
    (:math:`z_0`) and for a spread that changes with the mean (:math:`a`):

    .. math:: \alpha_{1,2} = \Phi\left(z_0 + \frac{z_0 \pm z}{1 - a (z_0 \pm z)}\right), \quad
              a = \frac{\sum_u (x_u - \bar x)^3}{6 \left(\sum_u (x_u - \bar x)^2\right)^{3/2}}

    Parameters
    ----------
    values : Series or array_like, shape (users,)
        Value of each user. Users with NaN are left out.
    level, n_resamples, rng
        As in `mean_intervals`.

    Returns
    -------
    Interval
        If all values are 0, or all are 1, the ends are those of Wilson's interval of a proportion.
        If all are another number, or there are fewer than two users, the ends are NaN.

    Warns
    -----
    EvaluationWarning
        If all values are equal, but neither 0 nor 1.

    Raises
    ------
    InputError
        If a value is infinite, ``level`` lies outside (0, 1), ``n_resamples`` is below 100, or
        ``rng`` is neither a generator nor a seed.

    Notes
    -----
    The function needs memory for a block of about 10^6 draws, never for all users times all
    resamples. If there are only a few distinct values, and each occurs often, the function draws
    how many times each value occurs (multinomial numbers). This is the same experiment, but faster.
    Values are rounded to about 10 digits of the largest one, so that sums are exact and the order
    of users changes nothing.

    If all values are equal, every draw has the same mean, and the bootstrap would claim certainty.
    For n values of 0, Wilson's interval reaches from 0 to :math:`z^2 / (n + z^2)`; that of n values
    of 1 begins at :math:`n / (n + z^2)`. It takes the values as outcomes that are 0 or 1.

    References
    ----------
    Efron, B., and Tibshirani, R. J.: An introduction to the bootstrap, 1993, section 14.3. Wilson,
    E. B.: Probable inference, the law of succession, and statistical inference, Journal of the
    American Statistical Association 22, 1927.

    Examples
    --------
    >>> mean_interval([0, 0, 1, 1, 1, 0, 1, 1, 0, 1])
    Interval(mean=0.6, low=0.3, high=0.9, users=10)
    >>> mean_interval([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    Interval(mean=0, low=0, high=0.277533, users=10)
    """
    intervals = intervals_of_means([values], level=level, n_resamples=n_resamples, rng=rng)
    _warn_of_equal_values(intervals, stacklevel=3)
    return intervals[0]


def mean_intervals(
    columns: Iterable[UserValues],
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
) -> list[Interval]:
    """Compute bootstrap intervals of the means of several columns, from the same draws of users.

    Parameters
    ----------
    columns : iterable of Series or array_like, shape (users,)
        The values of each column. Columns may have different numbers of users.
    level : float, default 0.95
        Share of repetitions of the whole experiment in which the interval should contain the
        true mean.
    n_resamples : int, default 2000
        How many times the users are resampled.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    list of Interval
        With a seed, each interval is exactly the one that `mean_interval` returns, whatever the
        other columns are.

    Warns
    -----
    EvaluationWarning
        As in `mean_interval`.

    Raises
    ------
    InputError
        As in `mean_interval`.

    Examples
    --------
    >>> [round(interval.low, 2) for interval in mean_intervals([[0, 0, 1, 1], [0, 1, 2, 4]])]
    [0.0, 0.5]
    """
    intervals = intervals_of_means(columns, level=level, n_resamples=n_resamples, rng=rng)
    _warn_of_equal_values(intervals, stacklevel=3)
    return intervals


def intervals_of_means(
    columns: Iterable[UserValues],
    *,
    level: float,
    n_resamples: int,
    rng: Seed,
) -> list[Interval]:
    """Do what `mean_intervals` does, without a warning."""
    level = check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    arrays = [as_values(values, "values") for values in columns]
    intervals = bootstrap(arrays, level=level, n_resamples=n_resamples, rng=rng)
    for position, (array, interval) in enumerate(zip(arrays, intervals, strict=True)):
        n = interval.users
        if n > 1 and not _has_spread(array[~np.isnan(array)]):
            low, high = ends_without_spread(interval.mean, n, level)
            intervals[position] = Interval(interval.mean, low, high, n)
    return intervals


def effective_number(weights: FloatArray) -> float:
    """Return how many outcomes with equal weights are as informative: the squared sum of the
    weights over the sum of their squares (Kish); NaN if all weights are 0.
    """
    return float(divide_or_nan(weights.sum() ** 2, (weights**2).sum()))


def _has_spread(values: FloatArray) -> BoolArray:
    """Return whether values along the last axis differ by more than rounding."""
    return np.asarray(np.ptp(values, axis=-1) > ROUNDING * np.abs(values).max(axis=-1))


def ends_without_spread(share: float, n: float, level: float) -> tuple[float, float]:
    """Return the ends of the interval of a mean if all values that it is taken over are equal.

    A ``share`` of 0 or 1 is a proportion of n outcomes without a single success, or without a
    single failure. The result is its interval by Wilson. For other means, and for a single outcome,
    the ends are NaN.
    """
    from scipy.special import ndtri

    if not n > 1:  # also if n is NaN
        return math.nan, math.nan
    square = float(ndtri((1 + level) / 2)) ** 2
    if abs(share) <= ROUNDING:
        return 0.0, square / (n + square)
    if abs(share - 1) <= ROUNDING:
        return n / (n + square), 1.0
    return math.nan, math.nan


def _warn_of_equal_values(intervals: Sequence[Interval], *, stacklevel: int) -> None:
    """Warn if intervals have no ends because all values are equal."""
    means = [each.mean for each in intervals if each.users > 1 and math.isnan(each.low)]
    if means:
        warn(
            f"{len(means)} of {len(intervals)} means have no interval: all values are equal "
            f"({format_first(means, to_text='{:g}'.format)}), which doesn't make the mean certain",
            stacklevel=stacklevel,
        )


def bootstrap(
    columns: Iterable[UserValues], *, level: float, n_resamples: int, rng: Seed
) -> list[Interval]:
    """Compute the bootstrap interval of each column's mean, from the same draws of users.

    The arguments and the errors are those of `mean_intervals`, but the caller has checked
    ``level``. If all values of a column are equal, both ends are its mean.
    """
    draws = check_resamples(n_resamples)
    as_generator(rng)  # raises unless it is a generator or a seed
    arrays = [as_values(values, "values") for values in columns]
    # Sorted, so that the order of users changes nothing and equal values are neighbours.
    sorted_columns = [np.sort(array[~np.isnan(array)]) for array in arrays]
    means = [mean(column) for column in sorted_columns]
    n_users = [column.size for column in sorted_columns]

    # The last axis of ``ends`` is the low and the high end.
    ends = np.full((len(sorted_columns), 2), math.nan)
    # A batch holds the positions of columns with equally many users.
    for batch in batches_of_equal_length(n_users, MAX_SHARED_VALUES):
        if n_users[batch[0]] < 2:
            continue  # there is nothing to draw from, and the ends stay NaN
        values = np.stack([sorted_columns[position] for position in batch])
        batch_means = np.array([means[position] for position in batch])
        ends[batch] = _bootstrap_ends(values, batch_means, level, draws, rng)
    intervals = []
    for middle, ends_of_column, n in zip(means, ends.tolist(), n_users, strict=True):
        # Use the NaN object of `math`: dataclasses compare their fields like tuples, and tuples
        # treat one NaN object as equal to itself. So two intervals without ends can be equal.
        low, high = ends_of_column if n > 1 else (math.nan, math.nan)
        intervals.append(Interval(middle, low, high, n))
    return intervals


def _bootstrap_ends(
    values: FloatArray, means: FloatArray, level: float, draws: int, rng: Seed
) -> FloatArray:
    """Return the ends of the intervals of several columns, shape (columns, 2).

    Each row of ``values`` holds the values of one column in ascending order, and ``means`` holds
    the mean of each row. If all values of a column are equal, both ends are its mean. ``draws`` is
    the number of resamples; the other arguments are as in `mean_intervals`.
    """
    n_columns, n_users = values.shape
    # Replace the values by whole multiples of a unit. The sum of n of them stays below 2^53, so
    # float64 adds them exactly and the order of the additions in a matrix product changes nothing.
    bits_per_value = min(PRECISION_BITS, 53 - n_users.bit_length())
    # The values are in ascending order, so the largest size is that of the first or the last one.
    sizes = np.abs(values[:, [0, -1]])
    unit = power_of_two_scale(sizes, bits_per_value)  # of each column, shape (columns, 1)
    multiples = values / unit
    np.rint(multiples, out=multiples)
    sums = sums_of_rows(multiples, draws, rng)  # shape (columns, draws)
    has_spread = _has_spread(values) & (multiples[:, 0] < multiples[:, -1])

    # Columns without spread keep their mean as both ends.
    ends = np.empty((n_columns, 2))
    ends[:] = means[:, None]
    percentiles = bca_percentiles(multiples, sums, level)
    for column in np.flatnonzero(has_spread):
        end_sums = np.quantile(sums[column], percentiles[column])
        ends[column] = end_sums / n_users * unit[column]
    return ends


def bca_percentiles(values: FloatArray, sums: FloatArray, level: float) -> FloatArray:
    """Return the percentiles that the bias-corrected and accelerated bootstrap (BCa) uses.

    The docstring of `mean_interval` has the formulas. Percentiles are shares, from 0 to 1.

    Parameters
    ----------
    values : ndarray of float, shape (columns, users)
        Values as whole multiples of a unit. They are so large that a rounding error of 1/2 is
        noise.
    sums : ndarray of float, shape (columns, draws)
        Sums over the drawn users, in the same unit.
    level : float
        The level of the interval, which leaves out the same share of the drawn means on either
        side.

    Returns
    -------
    ndarray of float, shape (columns, 2)
        NaN if all values of a column are equal.
    """
    from scipy.special import ndtr, ndtri

    n = values.shape[-1]
    total = values.sum(axis=-1, keepdims=True)
    # Rounding to whole numbers moves a drawn sum by up to n / 2, and the total as well. If the
    # two differ by no more than these errors together, the difference counts as 0.
    differences = sums - total
    differences = np.where(np.abs(differences) <= n, 0, differences)
    # The bias z_0 is the normal quantile of the share of sums below the total; a sum that equals
    # the total counts half. The mean of the signs is the share above minus the share below.
    share_below = (1 - np.sign(differences).mean(axis=-1, keepdims=True)) / 2
    bias = ndtri(share_below)
    # The acceleration a of a mean has a closed form; no jackknife is needed.
    sums_of_powers = [_sums_of_centred_powers(column) for column in values]
    squares, cubes = np.array(sums_of_powers).T[:, :, None]  # of shape (columns, 1) each
    acceleration = divide_or_nan(cubes, 6 * squares**1.5)
    # Shift and stretch the plain percentiles on the scale of normal quantiles, then go back.
    shifted_z = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    return np.asarray(ndtr(bias + shifted_z / (1 - acceleration * shifted_z)))


def _sums_of_centred_powers(values: FloatArray) -> tuple[float, float]:
    """Return the sums of the squares and of the cubes of the values minus their mean.

    The values are in ascending order.
    """
    centred = values - values.sum() / values.size
    # Cubes are slow. Equal values are neighbours, so compute the cube of each distinct value once.
    starts = run_starts(values)
    cubes = np.repeat(centred[starts] ** 3, np.diff(starts, append=values.size))
    return float((centred**2).sum()), float(cubes.sum())


def check_resamples(value: object) -> int:
    """Return a number of resamples; raise unless it is a whole number from 100 to 10^9."""
    return check_integer(value, "n_resamples", 100, 10**9)
