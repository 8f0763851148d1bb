r"""The reliability of on-line measures, and how far a perfect predictor can agree with them.

A log has a limited number of users. With other users the systems would have other values, and
another order. So even a metric that predicts the true success of each system perfectly does not
agree with the log perfectly. The *ceiling* says how far it can agree.

`online_draws` splits the users of each system into random halves, and correlates the values of the
systems in one half with those in the other. Half a log is noisier than the whole. If the errors of
the halves are independent, a correlation r of the halves means that the whole log has the
*reliability* (Spearman and Brown)

.. math:: R = \frac{2 r}{1 + r}

and a perfect predictor has the correlation :math:`\sqrt{R}` with the log. If values are normal, its
Kendall correlation is about :math:`(2/\pi) \arcsin \sqrt{R}`. The result also has Kendall's
correlation of the halves, but the formula for R applies only to Pearson's correlation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from receval._arrays import divide_or_nan, without_rounding_noise
from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    TableLike,
    as_generator,
    check_count,
    check_none,
    check_that,
    format_first,
    input_error,
)
from receval.fuzzy.online import (
    MEASURES,
    check_columns,
    divide_halves,
    number_groups,
    read_log,
    read_summable,
    terms_by_user,
)
from receval.fuzzy.predictability import kendall, kendall_of_normals
from receval.significance.intervals import resampled_sums
from receval.tables.columns import id_codes, to_pandas

TAILS = [0.025, 0.975]  # percentiles between which intervals lie
N_SPLITS_OF_RESAMPLE = 20  # random splits of each resample, whose correlations are averaged


def online_draws(
    log: TableLike,
    *,
    k: int | None = None,
    response: str = "clicked",
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    user: str = "user",
    ratios: Mapping[str, tuple[str, str]] | None = None,
    n_resamples: int = 2000,
    n_splits: int = 200,
    rng: np.random.Generator | int | None = None,
) -> OnlineDraws:
    r"""Resample the users of a log, to see how far on-line measures can be trusted.

    The function draws users of each system with replacement, each with all their impressions, and
    splits the users of each system at random into halves. The result says how much the measures and
    the order of the systems depend on the users who happened to come, and how far any off-line
    metric can agree with this log: see this module's description of the *ceiling*.

    Parameters
    ----------
    log : DataFrame
        One row per recommended item, as in `online_measures`; or, with ``ratios``, any rows.
    k, response, system, position, weight
        As in `online_measures`, so that the ceiling is about the same measures. With ``ratios``
        only ``system`` is used.
    user : str, default "user"
        Column of the users.
    ratios : mapping, optional
        Measures of your own, by name: the columns of a numerator and a denominator, such as
        ``{"CTR": ("clicks", "shown")}``. The measure of a system is the sum of the first column
        over its rows, divided by the sum of the second column. Default: the measures of
        `online_measures`.
    n_resamples : int, default 2000
        Number of draws of all users.
    n_splits : int, default 200
        Number of random splits into halves.
    rng : Generator or int, optional
        Source of randomness, or its seed.

    Returns
    -------
    OnlineDraws
        With ``values``, ``draws`` and ``ceiling``.

    Raises
    ------
    InputError
        As in `online_measures`; also if a system has fewer than two users, there are fewer than two
        systems, a numerator or denominator is not finite, a denominator is negative, or no measure
        has a value for each system.

    References
    ----------
    Document 002, section V-B. Spearman (1910) and Brown (1910), British Journal of Psychology 3.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> log = pd.DataFrame({"user": np.arange(4000), "position": 1})
    >>> log["system"] = log["user"] % 4
    >>> log["clicked"] = rng.random(4000) < 0.1 + 0.05 * log["system"]
    >>> draws = online_draws(log, k=6, n_resamples=500, rng=0)
    >>> draws.ceiling.loc["IG", ["r_halves", "reliability", "ceiling_tau"]].round(2).tolist()
    [0.96, 0.98, 0.91]
    """
    n_draws = check_count(n_resamples, "n_resamples")
    n_halves = check_count(n_splits, "n_splits")
    generator = as_generator(rng, may_be_none=True)
    if ratios is None:
        rows, systems = read_log(
            log, response, system=system, position=position, weight=weight, user=user
        )
        check_that("user" in rows, "user", "be the name of a column", user)
        terms, system_by_user = terms_by_user(rows, check_count(k, "k"))
        names = MEASURES
    else:
        terms, system_by_user, systems = _read_ratios(log, ratios, system, user)
        names = [*ratios]
    check_that(len(systems) > 1, system, "name at least two systems", f"{len(systems)} system")
    n_users = np.bincount(system_by_user)
    if n_users.min() < 2:
        got = f"fewer for {format_first(systems[n_users < 2].tolist())}"
        raise input_error(system, "have at least two users for each system", got)
    # Leave out measures without a value for some system, such as IG_nov without weights.
    sums = [terms[system_by_user == code].sum(axis=0) for code in range(len(systems))]
    values = pd.DataFrame(divide_halves(np.array(sums)), pd.Index(systems, name=system), names)
    is_defined = values.notna().all().to_numpy()
    check_that(is_defined.any(), "log", "give a value of a measure for each system", "none")
    values = values.loc[:, is_defined].rename_axis(columns="measure")
    terms = terms[:, np.tile(is_defined, 2)]

    halves, draws, half_draws = _resample(terms, system_by_user, n_halves, n_draws, generator)
    r_halves = _mean_over_splits(_pearson(*halves))
    reliability = _step_up(r_halves, 2)
    # A resample repeats users, which doubles the variance of its errors. So its halves are as noisy
    # as quarters of the log.
    drawn_reliability = _step_up(_mean_over_splits(_pearson(*half_draws)), 4)
    # pandas leaves out NaN, and doesn't warn if all are NaN.
    low, high = pd.DataFrame(drawn_reliability).quantile(TAILS).to_numpy()
    ceiling = {
        "r_halves": r_halves,
        # `kendall` compares all pairs of measures, and the diagonal has each one with itself.
        "tau_halves": _mean_over_splits(np.diagonal(kendall(*halves), axis1=-2, axis2=-1)),
        "reliability": reliability,
        "low": low,
        "high": high,
        "ceiling_r": np.sqrt(reliability),
        "ceiling_tau": kendall_of_normals(np.sqrt(reliability)),
    }
    return OnlineDraws(values, draws, pd.DataFrame(ceiling, values.columns))


@dataclass(frozen=True, eq=False)
class OnlineDraws:
    """On-line measures under resampling of the users: the result of `online_draws`.

    All intervals cover 95 % of the resamples.

    Attributes
    ----------
    values : DataFrame
        The measures with all users; systems in rows, measures in columns.
    draws : ndarray, shape (resamples, systems, measures)
        The measures of each resample of the users.
    ceiling : DataFrame
        One row per measure. ``r_halves`` and ``tau_halves`` are Pearson's and Kendall's correlation
        of two random halves of the users, the means over all splits. ``reliability`` is the
        reliability of the whole log, R = 2r / (1 + r), or 0 if r is negative; ``low`` and ``high``
        are its bootstrap interval. ``ceiling_r`` = √R and ``ceiling_tau`` = (2/π) asin √R are the
        correlations that a perfect predictor reaches, if values are normal. NaN if the systems
        don't differ in a half.
    """

    values: pd.DataFrame
    draws: FloatArray
    ceiling: pd.DataFrame


def _read_ratios(
    log: TableLike, ratios: Mapping[str, tuple[str, str]], system: str, user: str
) -> tuple[FloatArray, IntArray, AnyArray]:
    """Return numerators, then denominators by user, and the systems as `terms_by_user` does.

    Also returns the ids of the systems.
    """
    has_ratio = isinstance(ratios, Mapping) and len(ratios) > 0
    check_that(has_ratio, "ratios", "name at least one measure with its two columns", ratios)
    for name, pair in ratios.items():
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        check_that(is_pair, f"ratios[{name!r}]", "be the names of two columns", pair)
    table = to_pandas(log, "log")
    check_columns(table, [system, user], "log")
    rows = pd.DataFrame()
    rows["system"], systems = id_codes(table[system], f"{system} of log")
    rows["user"], _ = id_codes(table[user], f"{user} of log")
    user_codes = number_groups(rows)
    numerators = []
    denominators = []
    for numerator, denominator in ratios.values():
        check_columns(table, [numerator, denominator], "log")
        numerators.append(read_summable(table[numerator], numerator))
        divisors = read_summable(table[denominator], denominator)
        check_none(divisors, divisors < 0, denominator, "be at least 0, as a denominator")
        denominators.append(divisors)
    sums = [np.bincount(user_codes, column) for column in numerators + denominators]
    system_by_user = rows["system"].groupby(user_codes).first().to_numpy()
    return np.array(sums, np.float64).T, system_by_user, systems


def _resample(
    terms: FloatArray,
    system_by_user: IntArray,
    n_splits: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Split and resample the users of each system.

    Parameters
    ----------
    terms : array, shape (users, 2 * measures)
        Each user's numerators of the measures, then the denominators.
    system_by_user : array of int, shape (users,)
        Code of each user's system.

    Returns
    -------
    halves : array, shape (2, splits, systems, measures)
        The measures in the first and the second half of the users, for each split.
    draws : array, shape (resamples, systems, measures)
        The measures of each resample.
    half_draws : array, shape (2, resamples, splits, systems, measures)
        The measures in two halves of the users of each resample, for the first few splits. All
        copies of a user are in the same half.
    """
    halves = []
    draws = []
    half_draws = []
    for code in range(int(system_by_user.max()) + 1):
        terms_of_system = terms[system_by_user == code]
        n_users, n_terms = terms_of_system.shape
        # Split: a row of random ranks per split; users of the lower ranks form the first half.
        random_ranks = np.argsort(rng.random((n_splits, n_users)), axis=1)
        is_in_first = random_ranks < n_users // 2  # shape (splits, users)
        first = is_in_first @ terms_of_system
        halves.append([first, terms_of_system.sum(axis=0) - first])
        # Resample. For a few splits, the first half must use the same draw as the whole log. So one
        # array holds the terms for both: first a block with the terms of all users, then a block
        # per split, in which the users of the second half have zeros.
        terms_in_first = is_in_first[:N_SPLITS_OF_RESAMPLE, :, np.newaxis] * terms_of_system
        blocks = np.concatenate([terms_of_system, *terms_in_first], axis=1)
        drawn = resampled_sums(blocks, n_resamples, rng).reshape(n_resamples, -1, n_terms)
        draws.append(drawn[:, 0])
        half_draws.append([drawn[:, 1:], drawn[:, :1] - drawn[:, 1:]])
    # The systems were the first axis of each list; they become the last but one.
    sums = [np.moveaxis(np.array(parts), 0, -2) for parts in (halves, draws, half_draws)]
    return [_without_noise(divide_halves(part)) for part in sums]


def _without_noise(values: FloatArray) -> FloatArray:
    """Make systems equal if their values differ by the rounding errors of sums only.

    The systems are in the last axis but one, and the largest value of any system says how large
    these errors are: a value near 0 can be the difference of larger sums.
    """
    by_measure = np.swapaxes(values, -2, -1)
    largest = np.nanmax(np.abs(by_measure), axis=-1, keepdims=True, initial=0)
    return np.swapaxes(without_rounding_noise(by_measure, scale=largest), -2, -1)


def _pearson(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return Pearson's correlation of the first and the second half for each measure.

    The arrays have the shape (..., systems, measures), and the result (..., measures). It is NaN if
    a system has no value in a half, or if the systems of a half don't differ.
    """
    x, y = _deviations(first), _deviations(second)
    squares = (x**2).sum(axis=-2) * (y**2).sum(axis=-2)
    return divide_or_nan((x * y).sum(axis=-2), np.sqrt(squares))


def _deviations(values: FloatArray) -> FloatArray:
    """Return how far each system is from the mean of all; the systems are in the last axis but one.

    If all systems are equal, the deviations are 0, although their mean may be rounded.
    """
    is_equal = np.ptp(values, axis=-2, keepdims=True) == 0
    return np.where(is_equal, 0, values - values.mean(axis=-2, keepdims=True))


def _mean_over_splits(correlations: FloatArray) -> FloatArray:
    """Return the mean correlation of each measure over the splits that have one, or NaN.

    ``correlations`` has the shape (..., splits, measures).
    """
    is_defined = ~np.isnan(correlations)
    sums = np.where(is_defined, correlations, 0).sum(axis=-2)
    return divide_or_nan(sums, is_defined.sum(axis=-2))


def _step_up(r: FloatArray, times: int) -> FloatArray:
    """Return the reliability of a log that is ``times`` as long, by Spearman and Brown's formula.

    ``r`` is the correlation of two logs of length 1; a negative one counts as 0.
    """
    positive = np.where(r < 0, 0, r)  # keeps NaN
    return np.asarray(times * positive / (1 + (times - 1) * positive))
