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

from receval._arrays import as_finite, divide_or_nan
from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    TableLike,
    as_generator,
    check_count,
    check_none,
    check_number,
    check_that,
    format_first,
    input_error,
)
from receval.fuzzy._log import check_columns, id_codes, number_groups, read_log
from receval.fuzzy.online import MEASURES, divide_halves, terms_by_user
from receval.fuzzy.predictability._tables import (
    descending_ranks,
    read_results,
    tied_by_rounding,
)
from receval.fuzzy.predictability.agreement import agreement_matrix
from receval.significance import resampled_sums
from receval.tables.columns import to_pandas

__all__ = ["OnlineDraws", "online_draws"]

N_SPLITS_OF_RESAMPLE = 20  # random splits of each resample, whose correlations are averaged


def online_draws(
    log: TableLike,
    *,
    k: int | None = None,
    response: str = "clicked",
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    user: str | None = "user",
    ratios: Mapping[str, tuple[str, str]] | None = None,
    n_resamples: int = 2000,
    n_splits: int = 200,
    confidence: float = 0.95,
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
    user : str or None, default "user"
        Column of the users. With ``ratios`` and None, each row is a user.
    ratios : mapping, optional
        Measures of your own, by name: the columns of a numerator and a denominator, such as
        ``{"CTR": ("clicks", "shown")}``. The measure of a system is the sum of the first column
        over its rows, divided by the sum of the second column. Default: the measures of
        `online_measures`.
    n_resamples : int, default 2000
        Number of draws of all users.
    n_splits : int, default 200
        Number of random splits into halves.
    confidence : float, default 0.95
        Share of the resamples that intervals cover.
    rng : Generator or int, optional
        Source of randomness, or its seed.

    Returns
    -------
    OnlineDraws
        With ``values``, ``draws``, ``ceiling``, ``reliability``, ``ranks`` and ``agreement``.

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
    level = check_number(confidence, "confidence", "between 0 and 1", lambda c: 0 < c < 1)
    generator = as_generator(rng, may_be_none=True)
    if ratios is None:
        if user is None:
            raise input_error("user", "be the name of a column", user)
        rows, systems = read_log(
            log, response, system=system, position=position, weight=weight, user=user
        )
        check_that("user" in rows, "user", "be the name of a column", user)
        terms, system_by_user = terms_by_user(rows, check_count(k, "k"))
        names = MEASURES
    else:
        terms, system_by_user, systems = _read_ratios(log, ratios, system, user)
        names = list(ratios)
    check_that(len(systems) > 1, system, "name at least two systems", f"{len(systems)} system")
    n_users = np.bincount(system_by_user)
    if n_users.min() < 2:
        got = f"fewer for {format_first(systems[n_users < 2].tolist())}"
        raise input_error(system, "have at least two users for each system", got)
    # Leave out measures without a value for some system, such as IG_nov without weights.
    sums = [terms[system_by_user == code].sum(axis=0) for code in range(len(systems))]
    values = divide_halves(np.array(sums))
    is_defined = ~np.isnan(values).any(axis=0)
    check_that(is_defined.any(), "log", "give a value of a measure for each system", "none")
    terms = terms[:, np.tile(is_defined, 2)]

    halves, draws, half_draws = _resample(terms, system_by_user, n_halves, n_draws, generator)
    index = pd.Index(systems, name=system)
    measures = pd.Index(names, name="measure")[np.flatnonzero(is_defined)]
    return OnlineDraws(
        values=pd.DataFrame(values[:, is_defined], index, measures),
        draws=draws,
        ceiling=_ceilings(halves, half_draws, measures, level),
        confidence=level,
    )


@dataclass(frozen=True, eq=False)
class OnlineDraws:
    """On-line measures under resampling of the users: the result of `online_draws`.

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
    confidence : float
        Share of the resamples that intervals cover.
    """

    values: pd.DataFrame
    draws: FloatArray
    ceiling: pd.DataFrame
    confidence: float

    @property
    def reliability(self) -> pd.Series:
        """Return the reliability of each measure, as `predictability_test` takes it."""
        return self.ceiling["reliability"]

    def ranks(self) -> pd.DataFrame:
        """Compute the rank of each system by each measure, with an interval.

        Returns
        -------
        DataFrame
            Indexed by (system, measure). ``rank`` is 1 for the largest value, and ties share their
            mean rank; ``low`` and ``high`` are percentiles over the resamples; ``first`` is the
            share of resamples in which the system is best (ties share).
        """
        ranks = descending_ranks(self.values.to_numpy())
        drawn_ranks = descending_ranks(self.draws, axis=1)
        low, high = np.quantile(drawn_ranks, self._tails(), axis=0)
        is_first = drawn_ranks == drawn_ranks.min(axis=1, keepdims=True)
        first = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
        columns = {
            "rank": ranks.ravel(),
            "low": low.ravel(),
            "high": high.ravel(),
            "first": first.ravel(),
        }
        axes = [self.values.index, self.values.columns]
        return pd.DataFrame(columns, pd.MultiIndex.from_product(axes))

    def agreement(self, offline: pd.DataFrame) -> pd.DataFrame:
        """Compute Kendall's correlation of off-line metrics with the measures, with an interval.

        Parameters
        ----------
        offline : DataFrame
            The systems of the log as index, one column per metric; higher is better.

        Returns
        -------
        DataFrame
            Indexed by (metric, measure): ``value``, and ``low`` and ``high``, the percentiles over
            the resamples of the users. Resamples with an undefined correlation are left out.

        Raises
        ------
        InputError
            If the systems differ, or a value is missing or infinite.
        """
        matrix = agreement_matrix(offline, self.values)
        metrics = read_results(offline, "offline")
        # The systems of the draws in the order of the off-line table.
        draws = self.draws[:, self.values.index.get_indexer(metrics.index)]
        metric_signs = _pair_signs(metrics.to_numpy())  # shape (pairs, metrics)
        measure_signs = _pair_signs(draws)  # shape (draws, pairs, measures)
        products = metric_signs.T @ measure_signs
        metric_squares = (metric_signs**2).sum(axis=0)[:, np.newaxis]
        measure_squares = (measure_signs**2).sum(axis=1)[:, np.newaxis]
        drawn = divide_or_nan(products, np.sqrt(metric_squares * measure_squares))
        # pandas leaves out NaN, and doesn't warn if all are NaN.
        low, high = pd.DataFrame(drawn.reshape(len(drawn), -1)).quantile(self._tails()).to_numpy()
        columns = {"value": matrix.to_numpy().ravel(), "low": low, "high": high}
        index = pd.MultiIndex.from_product(
            [matrix.index, matrix.columns], names=["metric", "measure"]
        )
        return pd.DataFrame(columns, index)

    def _tails(self) -> list[float]:
        """Return the two percentiles between which intervals lie, as shares."""
        return [(1 - self.confidence) / 2, (1 + self.confidence) / 2]


def _read_ratios(
    log: TableLike, ratios: Mapping[str, tuple[str, str]], system: str, user: str | None
) -> tuple[FloatArray, IntArray, AnyArray]:
    """Return numerators, then denominators by user, and the systems as `terms_by_user` does.

    If ``user`` is None, each row of the log is a user. Also returns the ids of the systems.
    """
    has_ratio = isinstance(ratios, Mapping) and len(ratios) > 0
    check_that(has_ratio, "ratios", "name at least one measure with its two columns", ratios)
    table = to_pandas(log, "log")
    check_columns(table, [system], "log")
    rows = pd.DataFrame()
    rows["system"], systems = id_codes(table[system], f"{system} of log")
    if user is None:
        rows["user"] = np.arange(len(rows))
    else:
        check_columns(table, [user], "log")
        rows["user"], _ = id_codes(table[user], f"{user} of log")
    user_codes = number_groups(rows)
    numerators, denominators = [], []
    for name, pair in ratios.items():
        is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
        check_that(is_pair, f"ratios[{name!r}]", "be the names of two columns", pair)
        check_columns(table, [*pair], "log")
        values, divisors = (as_finite(table[column].to_numpy(), column) for column in pair)
        check_none(divisors, divisors < 0, pair[1], "be at least 0, as a denominator")
        numerators.append(np.bincount(user_codes, values))
        denominators.append(np.bincount(user_codes, divisors))
    system_by_user = rows["system"].groupby(user_codes).first().to_numpy()
    return np.array([*numerators, *denominators]).T, system_by_user, systems


def _resample(
    terms: FloatArray,
    system_by_user: IntArray,
    n_splits: int,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray, FloatArray]:
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
    n_systems = int(system_by_user.max()) + 1
    n_few = min(n_splits, N_SPLITS_OF_RESAMPLE)
    halves: list[list[FloatArray]] = []
    draws: list[FloatArray] = []
    half_draws: list[list[FloatArray]] = []
    for code in range(n_systems):
        terms_of_system = terms[system_by_user == code]
        n_users, n_terms = terms_of_system.shape
        # Split: a row of random ranks per split; users of the lower ranks form the first half.
        random_ranks = np.argsort(rng.random((n_splits, n_users)), axis=1)
        is_in_first = random_ranks < n_users // 2  # shape (splits, users)
        first_sums = is_in_first @ terms_of_system
        second_sums = terms_of_system.sum(axis=0) - first_sums
        halves.append([divide_halves(first_sums), divide_halves(second_sums)])
        # Resample. For a few splits, the first half must use the same draw as the whole log. So one
        # array holds the terms for both: first a block with the terms of all users, then a block
        # per split, in which the users of the second half have zeros.
        terms_in_first = is_in_first[:n_few, :, np.newaxis] * terms_of_system
        blocks = np.concatenate([terms_of_system, *terms_in_first], axis=1)
        drawn_sums = resampled_sums(blocks, n_resamples, rng)
        drawn_sums = drawn_sums.reshape(n_resamples, 1 + n_few, n_terms)
        drawn_all, drawn_first = drawn_sums[:, :1], drawn_sums[:, 1:]
        draws.append(divide_halves(drawn_all[:, 0]))
        half_draws.append([divide_halves(drawn_first), divide_halves(drawn_all - drawn_first)])
    # The systems were the first axis of each list; they become the last but one.
    split, drawn, split_draws = (
        tied_by_rounding(np.moveaxis(np.array(values), 0, -2), axis=-2)
        for values in (halves, draws, half_draws)
    )
    return split, drawn, split_draws


def _ceilings(
    halves: FloatArray, half_draws: FloatArray, measures: pd.Index, confidence: float
) -> pd.DataFrame:
    """Return the table `OnlineDraws.ceiling` from the arrays that `_resample` returns."""
    r_halves = _mean_correlation(_deviations(halves))
    reliability = _step_up(r_halves, 2)
    # A resample repeats users, which doubles the variance of its errors. So its halves are as noisy
    # as quarters of the log.
    drawn_reliability = _step_up(_mean_correlation(_deviations(half_draws)), 4)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    # pandas leaves out NaN, and doesn't warn if all are NaN.
    low, high = pd.DataFrame(drawn_reliability).quantile(tails).to_numpy()
    columns = {
        "r_halves": r_halves,
        "tau_halves": _mean_correlation(_pair_signs(halves)),
        "reliability": reliability,
        "low": low,
        "high": high,
        "ceiling_r": np.sqrt(reliability),
        "ceiling_tau": 2 / np.pi * np.arcsin(np.sqrt(reliability)),
    }
    return pd.DataFrame(columns, measures)


def _deviations(values: FloatArray) -> FloatArray:
    """Return deviations from the mean over the systems; their cosine is Pearson's correlation.

    ``values`` has the shape (..., systems, measures).
    """
    return np.asarray(values - values.mean(axis=-2, keepdims=True))


def _pair_signs(values: FloatArray) -> FloatArray:
    """Return signs of the differences of two systems; their cosine is Kendall's tau-b.

    ``values`` has the shape (..., systems, columns), the result (..., pairs, columns).
    """
    first, second = np.triu_indices(values.shape[-2], k=1)
    return np.sign(values[..., first, :] - values[..., second, :])


def _mean_correlation(halves: FloatArray) -> FloatArray:
    """Return the mean over splits of the correlation of two halves.

    ``halves`` holds `_deviations` or `_pair_signs`, shape (2, ..., splits, systems or pairs,
    measures); the result has the shape (..., measures). A split has no correlation if the systems
    of a half don't differ, or if one has no value. Such splits are left out. The result is NaN if
    all are.
    """
    first, second = halves
    products = (first * second).sum(axis=-2)
    squares = (first**2).sum(axis=-2) * (second**2).sum(axis=-2)
    correlations = divide_or_nan(products, np.sqrt(squares))
    is_defined = ~np.isnan(correlations)
    sums = np.where(is_defined, correlations, 0).sum(axis=-2)
    return divide_or_nan(sums, is_defined.sum(axis=-2))


def _step_up(r: FloatArray, times: int) -> FloatArray:
    """Return the reliability of a log that is ``times`` as long, by Spearman and Brown's formula.

    ``r`` is the correlation of two logs of length 1; a negative one counts as 0.
    """
    positive = np.where(r < 0, 0, r)  # keeps NaN
    return np.asarray(times * positive / (1 + (times - 1) * positive))
