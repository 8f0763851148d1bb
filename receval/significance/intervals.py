"""Bootstrap intervals of means, in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import batches_of_equal_length, power_of_two_scale, ratio
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
    input_error,
)
from receval._exact import mean
from receval._lists import as_numbers
from receval.significance.pairs import BITS, as_values, paired, rounded
from receval.significance.resampling import batch_sizes, draw_counts, sums_of_rows

TOGETHER = 2**24  # numbers that share one drawing of users

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
    users : int
        Users it is taken over.
    """

    mean: float
    low: float
    high: float
    users: int

    __repr__ = rounded


def mean_interval(values: Any, **options: Any) -> Interval:
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
    **options
        The options of `mean_intervals`: ``level``, ``n_resamples``, ``rng`` and ``method``.

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
    It needs memory for a block of some 10^6 draws, never for users times resamples. Where few
    values repeat often, how often each is drawn is itself drawn (a multinomial number), which is
    the same experiment done faster. Values are drawn as they are to some 10 digits of the largest,
    so that sums are exact: the order of users changes nothing.

    References
    ----------
    B. Efron, R. J. Tibshirani: An introduction to the bootstrap, 1993, section 14.3.

    Examples
    --------
    >>> mean_interval([0, 0, 1, 1, 1, 0, 1, 1, 0, 1])
    Interval(mean=0.6, low=0.3, high=0.9, users=10)
    """
    return mean_intervals([values], **options)[0]


def difference_interval(a: Any, b: Any, **options: Any) -> Interval:
    """Paired bootstrap interval of the mean difference: users are drawn, not values.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    **options
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
    >>> difference_interval([0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.6, 0.6])
    Interval(mean=0.175, low=0.05, high=0.341677, users=4)
    """
    return mean_interval(paired(a, b).difference, **options)


def mean_intervals(
    columns: Iterable[Any],
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
    method: str = "bca",
) -> list[Interval]:
    """Bootstrap intervals of the means of several columns, from one drawing of users.

    Parameters
    ----------
    columns : iterable of Series or array_like, shape (users,)
        The values of each column; they may be of different numbers of users.
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
    list of Interval
        With a seed each is what `mean_interval` finds, to the bit, whatever the others are.

    Raises
    ------
    InputError
        As `mean_interval`.

    Examples
    --------
    >>> [round(found.low, 2) for found in mean_intervals([[0, 0, 1, 1], [0, 1, 2, 4]])]
    [0.0, 0.5]
    """
    level = check_number(level, "level", "a number in (0, 1)", lambda x: 0 < x < 1)
    (found,) = intervals_at([level], columns, n_resamples=n_resamples, rng=rng, method=method)
    return found


def intervals_at(
    levels: Sequence[float],
    columns: Iterable[Any],
    *,
    n_resamples: int = 2_000,
    rng: Seed = 0,
    method: str = "bca",
) -> list[list[Interval]]:
    """Intervals of each level, all from one drawing of users; see `mean_intervals`."""
    check_choice(method, "method", ("bca", "percentile"))
    draws = check_resamples(n_resamples)
    as_generator(rng)  # refuses what is no seed
    arrays = [as_values(values, "values") for values in columns]
    there = [np.sort(array[~np.isnan(array)]) for array in arrays]
    means, sizes = [mean(array) for array in there], [array.size for array in there]
    ends = np.full((len(levels), len(there), 2), math.nan)
    for place, size in enumerate(sizes):
        if size > 1:
            ends[:, place] = means[place]  # stays so where all values are equal
    for places in batches_of_equal_length(sizes, TOGETHER):
        values = np.stack([there[place] for place in places])
        n = values.shape[1]
        if n < 2:
            continue
        # In whole numbers of such units all sums are exact, whatever else is in the product.
        unit = power_of_two_scale(np.abs(values), min(BITS, 53 - n.bit_length()))
        values = np.rint(values / unit)
        sums = sums_of_rows(values, draws, rng)
        for at, level in enumerate(levels):
            shares = np.full((len(places), 2), [(1 - level) / 2, (1 + level) / 2])
            if method == "bca":
                shares = bca_percentiles(values, sums, shares)
            for row, place in enumerate(places):
                if values[row, 0] < values[row, -1]:
                    ends[at, place] = np.quantile(sums[row], shares[row]) / n * unit[row]
    return [
        [
            _interval(middle, float(low), float(high), size)
            for middle, (low, high), size in zip(means, of_level, sizes, strict=True)
        ]
        for of_level in ends
    ]


def _interval(middle: float, low: float, high: float, users: int) -> Interval:
    """An interval; of fewer than two users the ends are the one NaN, so that equal is equal."""
    if users < 2:
        low = high = math.nan
    return Interval(middle, low, high, users)


def simultaneous_intervals(
    columns: npt.ArrayLike | pd.DataFrame,
    *,
    level: float = 0.95,
    n_resamples: int = 2_000,
    rng: Seed = 0,
) -> list[Interval]:
    r"""Intervals of the means of several columns that all hold at once, at the level together.

    Users are drawn with replacement, a user with all of their values; of each drawing only the
    largest deviation counts:

    .. math:: \bar x_c \pm q_c \, s_c, \quad
              M^* = \max_c \frac{|\bar x^*_c - \bar x_c|}{s_c \sqrt{1 - 1 / n_c}}, \quad
              s_c^2 = \frac{1}{n_c (n_c - 1)} \sum_u (x_{uc} - \bar x_c)^2

    where :math:`q_c` is the ``level`` quantile of :math:`M^*`, carried from the normal
    distribution to Student's with :math:`n_c - 1` degrees of freedom: both have as much beyond it.

    Parameters
    ----------
    columns : DataFrame or array_like, shape (users, columns)
        The values of each user in a row; NaN where a user has none.
    level : float, default 0.95
        Share of repetitions of the whole experiment in which all intervals together should hold
        their true means.
    n_resamples : int, default 2000
        How often users are drawn.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed.

    Returns
    -------
    list of Interval
        One for each column. Where all values are equal, both ends are the mean, and the column
        does not count in the maximum. For fewer than two users the ends are NaN.

    Raises
    ------
    InputError
        If there are not two axes, a value is infinite, ``level`` lies outside (0, 1),
        ``n_resamples`` is below 100, or ``rng`` is neither a generator nor a seed.

    Notes
    -----
    Columns that rise and fall together, as differences from one baseline do, cost less width than
    Bonferroni's correction would. The intervals are symmetric; with few users or very skewed
    values they may hold all means a little less often than the level says.

    References
    ----------
    J. L. Montiel Olea, M. Plagborg-Møller: Simultaneous confidence bands: theoretical comparisons
    and suggestions for practice, working paper, 2017 (the sup-t band).

    Examples
    --------
    >>> differences = [[0.4, 0.1], [0.2, 0.3], [0.1, 0.0], [0.3, 0.4], [0.2, 0.3]]
    >>> for found in simultaneous_intervals(differences):
    ...     print(f"{found.mean:.2f} [{found.low:.2f}, {found.high:.2f}]")
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
    n = np.count_nonzero(has_value, axis=0)
    means = [mean(column[has]) for column, has in zip(values.T, has_value.T, strict=True)]
    errors = np.array(
        [
            _standard_error(column[has], middle)
            for column, has, middle in zip(values.T, has_value.T, means, strict=True)
        ]
    )
    widths = np.where(n > 1, 0.0, math.nan)
    varies = errors > 0
    if varies.any():
        apart = np.where(has_value, values - means, 0.0)[:, varies] / errors[varies]
        largest = _largest_deviations(apart, has_value[:, varies], draws, generator)
        quantile = float(np.quantile(largest, level))
        widths[varies] = _as_students(quantile, n[varies] - 1) * errors[varies]
    return [
        _interval(middle, float(middle - width), float(middle + width), int(size))
        for middle, width, size in zip(means, widths, n, strict=True)
    ]


def _standard_error(values: FloatArray, middle: float) -> float:
    """Standard error of a mean; 0 where all values are equal but for rounding."""
    if values.size < 2:
        return 0.0
    unit = power_of_two_scale(np.abs(values))  # no square overflows or vanishes
    if np.ptp(values) <= unit[0] * 2.0 ** (1 - BITS):
        return 0.0
    squares = float((((values - middle) / unit) ** 2).sum())
    return math.sqrt(squares / (values.size * (values.size - 1))) * float(unit[0])


def _largest_deviations(
    apart: FloatArray, has_value: BoolArray, draws: int, rng: np.random.Generator
) -> FloatArray:
    """The largest deviation of each drawing, of values as standard errors from their means."""
    users, columns = apart.shape
    n = np.count_nonzero(has_value, axis=0)
    scale = np.sqrt(1 - 1 / n)  # the bootstrap's own spread is less by this factor
    complete = has_value.all()
    found = []
    for some in batch_sizes(draws, max(users, columns)):
        times = draw_counts(rng, some, np.ones(users, np.int64)).astype(float)
        counts = n if complete else times @ has_value
        # A column none of whose users is drawn deviates by nothing.
        deviations = times @ apart / np.maximum(counts, 1) / scale
        found.append(np.abs(deviations).max(axis=1))
    return np.concatenate(found)


def _as_students(quantile: float, freedom: IntArray) -> FloatArray:
    """The point with as much of Student's t beyond it as the normal has beyond the quantile."""
    from scipy.special import ndtr, stdtrit

    return np.asarray(-stdtrit(freedom, ndtr(-quantile)))


def bca_percentiles(values: FloatArray, sums: FloatArray, ends: FloatArray) -> FloatArray:
    """The percentiles, as shares, that BCa puts in the place of ``ends``, of whole numbers."""
    from scipy.special import ndtr, ndtri

    n, total = values.shape[-1], values.sum(axis=-1, keepdims=True)
    away = np.where(np.abs(sums - total) <= n, 0, sums - total)  # by rounding to units at most
    bias = ndtri((1 - np.sign(away).mean(axis=-1, keepdims=True)) / 2)
    apart = values - total / n
    cubes, squares = ((apart**power).sum(axis=-1, keepdims=True) for power in (3, 2))
    # The closed form of the jackknife of a mean.
    skew = ratio(cubes, 6 * squares**1.5)
    z = bias + ndtri(ends)
    return np.asarray(ndtr(bias + z / (1 - skew * z)))


def check_resamples(value: object) -> int:
    """A number of resamples that percentiles can be taken of."""
    return check_integer(value, "n_resamples", 100, 10**9)
