"""Bootstrap intervals of means, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    ROUNDING,
    batches_of_equal_length,
    divide_or_nan,
    power_of_two_scale,
    run_starts,
)
from receval._checks import (
    BoolArray,
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_choice,
    check_integer,
    check_none,
    check_number,
    format_first,
    input_error,
    warn,
)
from receval._exact import mean
from receval._lists import as_numbers
from receval.significance.pairs import UserValues, as_values, format_rounded, paired
from receval.significance.resampling import batch_sizes, draw_counts, sums_of_rows

PRECISION_BITS = 40
"""Values are rounded to 2^-40 (about 1e-12) of the largest one, so that their sums are exact."""

MAX_SHARED_VALUES = 2**24
"""The most values that share the same draws of users."""

__all__ = [
    "Interval",
    "difference_interval",
    "mean_interval",
    "mean_intervals",
    "simultaneous_intervals",
]


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


class DrawOptions(TypedDict, total=False):
    """Options of `mean_intervals` that say how users are drawn."""

    n_resamples: int
    rng: Seed
    method: str


class IntervalOptions(DrawOptions, total=False):
    """Options of `mean_intervals`, which other functions pass on."""

    level: float


def mean_interval(values: UserValues, **options: Unpack[IntervalOptions]) -> Interval:
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
    **options
        The options of `mean_intervals`: ``level``, ``n_resamples``, ``rng`` and ``method``.

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
    intervals = intervals_of_means([values], **options)
    _warn_of_equal_values(intervals, stacklevel=3)
    return intervals[0]


def difference_interval(
    a: UserValues, b: UserValues, **options: Unpack[IntervalOptions]
) -> Interval:
    """Compute a paired bootstrap interval of the mean difference by drawing users, not values.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    **options
        As in `mean_interval`.

    Returns
    -------
    Interval
        Interval of the mean of ``a - b`` over the users compared. If all differences are equal,
        the ends are NaN, because the bootstrap can't say how far other users would differ.

    Warns
    -----
    EvaluationWarning
        If all differences are equal.

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon` and `mean_interval`.

    Examples
    --------
    >>> difference_interval([0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.6, 0.6])
    Interval(mean=0.175, low=0.05, high=0.341677, users=4)
    """
    # Wilson's interval is for outcomes of 0 and 1. A difference can also be negative.
    intervals = intervals_of_means([paired(a, b).difference], is_proportion=False, **options)
    _warn_of_equal_values(intervals, stacklevel=3)
    return intervals[0]


def mean_intervals(
    columns: Iterable[UserValues],
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
    method: str = "bca",
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
    method : {"bca", "percentile"}, default "bca"
        Percentiles with or without the two corrections.

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
    intervals = intervals_of_means(
        columns, level=level, n_resamples=n_resamples, rng=rng, method=method
    )
    _warn_of_equal_values(intervals, stacklevel=3)
    return intervals


def intervals_of_means(
    columns: Iterable[UserValues],
    *,
    level: float = 0.95,
    is_proportion: bool = True,
    **options: Unpack[DrawOptions],
) -> list[Interval]:
    """Do what `mean_intervals` does, without a warning.

    If ``is_proportion`` is False, columns of zeros and of ones have no interval either.
    """
    level = check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    arrays = [as_values(values, "values") for values in columns]
    (intervals,) = intervals_at([level], arrays, **options)
    for position, (array, interval) in enumerate(zip(arrays, intervals, strict=True)):
        n = interval.users
        if n > 1 and not _has_spread(array[~np.isnan(array)]):
            share = interval.mean if is_proportion else math.nan
            low, high = ends_without_spread(share, n, level)
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


def intervals_at(
    levels: Sequence[float],
    columns: Iterable[UserValues],
    *,
    n_resamples: int = 2_000,
    rng: Seed = 0,
    method: str = "bca",
) -> list[list[Interval]]:
    """Compute intervals of each column's mean at several levels, from the same draws of users.

    Returns a list per level, which has one interval per column. All arguments but ``levels``, and
    the errors, are those of `mean_intervals`. ``levels`` are numbers in (0, 1), which the caller
    has checked.
    """
    check_choice(method, "method", ("bca", "percentile"))
    draws = check_resamples(n_resamples)
    as_generator(rng)  # raises unless it is a generator or a seed
    arrays = [as_values(values, "values") for values in columns]
    # Sorted, so that the order of users changes nothing and equal values are neighbours.
    sorted_columns = [np.sort(array[~np.isnan(array)]) for array in arrays]
    means = [mean(column) for column in sorted_columns]
    n_users = [column.size for column in sorted_columns]

    # The last axis of ``ends`` is the low and the high end.
    ends = np.full((len(levels), len(sorted_columns), 2), math.nan)
    # A batch holds the positions of columns with equally many users.
    for batch in batches_of_equal_length(n_users, MAX_SHARED_VALUES):
        if n_users[batch[0]] < 2:
            continue  # there is nothing to draw from, and the ends stay NaN
        values = np.stack([sorted_columns[position] for position in batch])
        batch_means = np.array([means[position] for position in batch])
        ends[:, batch] = _bootstrap_ends(values, batch_means, levels, draws, rng, method)
    return [
        [
            _make_interval(middle, float(low), float(high), n)
            for middle, (low, high), n in zip(means, ends_of_level, n_users, strict=True)
        ]
        for ends_of_level in ends
    ]


def _bootstrap_ends(
    values: FloatArray,
    means: FloatArray,
    levels: Sequence[float],
    draws: int,
    rng: Seed,
    method: str,
) -> FloatArray:
    """Return the ends of the intervals of several columns, shape (levels, columns, 2).

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
    ends = np.empty((len(levels), n_columns, 2))
    ends[:] = means[:, None]
    for position, level in enumerate(levels):
        # The interval leaves out the same share of the drawn means on either side.
        percentiles = np.full((n_columns, 2), [(1 - level) / 2, (1 + level) / 2])
        if method == "bca":
            percentiles = bca_percentiles(multiples, sums, percentiles)
        for column in np.flatnonzero(has_spread):
            end_sums = np.quantile(sums[column], percentiles[column])
            ends[position, column] = end_sums / n_users * unit[column]
    return ends


def _make_interval(middle: float, low: float, high: float, n_users: int) -> Interval:
    """Return an interval around the mean ``middle``; the name `mean` belongs to a function.

    With fewer than two users both ends are NaN.
    """
    if n_users < 2:
        # Use the NaN object of `math`: dataclasses compare their fields like tuples, and tuples
        # treat one NaN object as equal to itself. So two intervals without ends can be equal.
        low = math.nan
        high = math.nan
    return Interval(middle, low, high, n_users)


def simultaneous_intervals(
    columns: npt.ArrayLike | pd.DataFrame,
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
) -> list[Interval]:
    r"""Compute intervals of several means that contain all true means at once.

    The bootstrap draws users with replacement; a drawn user contributes to all columns. In each
    draw, only the largest deviation over the columns counts:

    .. math:: \bar x_c \pm q_c \, s_c, \quad
              M^* = \max_c \frac{|\bar x^*_c - \bar x_c|}{s_c \sqrt{1 - 1 / n_c}}, \quad
              s_c^2 = \frac{1}{n_c (n_c - 1)} \sum_u (x_{uc} - \bar x_c)^2

    where :math:`q_c` is the ``level`` quantile of :math:`M^*`, converted from the normal
    distribution to Student's distribution with :math:`n_c - 1` degrees of freedom. The
    quantile of Student's distribution has the same probability beyond it as the normal quantile.

    Parameters
    ----------
    columns : DataFrame or array_like, shape (users, columns)
        A row per user and a column per mean; NaN where a user has no value.
    level : float, default 0.95
        Share of repetitions of the whole experiment in which all intervals together should
        contain their true means.
    n_resamples : int, default 2000
        How many times the users are resampled.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    list of Interval
        One interval per column. If all values of a column are equal, both ends are the mean and
        the column does not count in the maximum. For fewer than two users the ends are NaN.

    Raises
    ------
    InputError
        If there are not two axes, a value is infinite, ``level`` lies outside (0, 1),
        ``n_resamples`` is below 100, or ``rng`` is neither a generator nor a seed.

    Notes
    -----
    If columns rise and fall together, as differences from one baseline do, the intervals are
    narrower than with Bonferroni's correction. The intervals are symmetric. With few users or very
    skewed values they may contain all means a little less often than the level says.

    References
    ----------
    J. L. Montiel Olea, M. Plagborg-Møller: Simultaneous confidence bands: theoretical comparisons
    and suggestions for practice, working paper, 2017 (the sup-t band).

    Examples
    --------
    >>> differences = [[0.4, 0.1], [0.2, 0.3], [0.1, 0.0], [0.3, 0.4], [0.2, 0.3]]
    >>> for interval in simultaneous_intervals(differences):
    ...     print(f"{interval.mean:.2f} [{interval.low:.2f}, {interval.high:.2f}]")
    0.24 [0.07, 0.41]
    0.22 [-0.03, 0.47]
    """
    level = check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    draws = check_resamples(n_resamples)
    generator = as_generator(rng)
    values = as_numbers(columns, "columns")
    if values.ndim != 2:
        rule = "have a row for each user and a column for each mean"
        raise input_error("columns", rule, f"the shape {values.shape}")
    check_none(values, np.isinf(values), "columns", "be finite")
    has_value = ~np.isnan(values)
    n_users = np.count_nonzero(has_value, axis=0)
    # Means and standard errors are those of the users with a value.
    defined_values = [column[~np.isnan(column)] for column in values.T]
    means = [mean(column) for column in defined_values]
    errors = np.array(
        [
            _standard_error(column, middle)
            for column, middle in zip(defined_values, means, strict=True)
        ]
    )

    # Columns without spread keep a half-width of 0, or NaN with fewer than two users.
    half_widths = np.where(n_users > 1, 0.0, math.nan)
    has_spread = errors > 0
    if has_spread.any():
        # In units of the standard error, the deviations of all columns can be compared. A user
        # without a value has no deviation.
        deviations = np.where(has_value, values - means, 0.0)[:, has_spread] / errors[has_spread]
        largest = _largest_deviations(deviations, has_value[:, has_spread], draws, generator)
        normal_quantile = float(np.quantile(largest, level))
        quantiles = _to_student_quantile(normal_quantile, n_users[has_spread] - 1)
        half_widths[has_spread] = quantiles * errors[has_spread]
    return [
        _make_interval(middle, float(middle - half_width), float(middle + half_width), int(n))
        for middle, half_width, n in zip(means, half_widths, n_users, strict=True)
    ]


def _standard_error(values: FloatArray, middle: float) -> float:
    """Return the standard error of ``middle``, the mean of the values.

    It is 0 for fewer than two values, and if all values are equal except for rounding noise.
    """
    n = values.size
    if n < 2:
        return 0.0
    # Dividing by a power of two near the largest value keeps squares from overflow and underflow.
    unit = float(power_of_two_scale(np.abs(values))[0])
    # Values count as equal if they differ by at most 2^-PRECISION_BITS of the largest one. In place
    # of the largest value, use twice the unit, which is a little larger. The factor 2 is in the
    # exponent, where it cannot cause an overflow.
    rounding_noise = unit * 2.0 ** (1 - PRECISION_BITS)
    if np.ptp(values) <= rounding_noise:
        return 0.0
    sum_of_squares = float((((values - middle) / unit) ** 2).sum())
    return math.sqrt(sum_of_squares / (n * (n - 1))) * unit


def _largest_deviations(
    deviations: FloatArray, has_value: BoolArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return the largest deviation of any column's bootstrap mean, for each draw of users.

    ``deviations``, shape (users, columns), are the values minus the mean of their column, in
    units of its standard error; 0 where a user has no value. Each column has at least two values.
    The result has the shape (draws,). It holds absolute deviations, divided by their spread.
    """
    n_users, n_columns = deviations.shape
    n_with_value = np.count_nonzero(has_value, axis=0)
    # The variance of bootstrap means divides by n instead of n - 1, so their spread is too small.
    # This factor corrects it.
    shrinkage = np.sqrt(1 - 1 / n_with_value)
    is_complete = has_value.all()
    largest = []
    for n_batch in batch_sizes(draws, max(n_users, n_columns)):
        # How often each user is drawn, shape (batch, users). As floats, because NumPy multiplies
        # matrices of integers slowly.
        counts = draw_counts(rng, n_batch, np.ones(n_users, np.int64)).astype(float)
        # How many drawn users have a value in each column. If every user has a value in every
        # column, this number is the same in all draws.
        n_drawn = n_with_value if is_complete else counts @ has_value
        # If no user with a value in a column is drawn, the column's sum is 0; dividing by 1 keeps
        # it 0.
        mean_deviations = counts @ deviations / np.maximum(n_drawn, 1) / shrinkage
        largest.append(np.abs(mean_deviations).max(axis=1))
    return np.concatenate(largest)


def _to_student_quantile(normal_quantile: float, freedom: IntArray) -> FloatArray:
    """Return the quantiles of Student's t with the same tail probability as a normal quantile.

    ``freedom`` holds the degrees of freedom; the result has a quantile for each of them.
    """
    from scipy.special import ndtr, stdtrit

    tail_probability = ndtr(-normal_quantile)
    return np.asarray(-stdtrit(freedom, tail_probability))


def bca_percentiles(values: FloatArray, sums: FloatArray, percentiles: FloatArray) -> FloatArray:
    """Return the percentiles that the bias-corrected and accelerated bootstrap (BCa) uses.

    The docstring of `mean_interval` has the formulas. Percentiles are shares, from 0 to 1.

    Parameters
    ----------
    values : ndarray of float, shape (columns, users)
        Values as whole multiples of a unit. They are so large that a rounding error of 1/2 is
        noise.
    sums : ndarray of float, shape (columns, draws)
        Sums over the drawn users, in the same unit.
    percentiles : ndarray of float, shape (columns, 2)
        The plain percentiles of both ends, as the percentile bootstrap uses them.

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
    shifted_z = bias + ndtri(percentiles)
    divisor = 1 - acceleration * shifted_z
    corrected = ndtr(bias + shifted_z / divisor)
    # As the divisor falls to 0, the percentile approaches 0 or 1. At levels very close to 1 the
    # divisor can be below 0, and the formula would move the percentile back. Keep it at 0 or 1.
    return np.asarray(np.where(divisor <= 0, shifted_z > 0, corrected))


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
