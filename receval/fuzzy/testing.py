"""A test of whether any off-line metric predicts on-line success better than chance.

A *cell* is a pair of an off-line metric and an on-line measure. A *permutation* p of n systems
gives system i the on-line outcomes of system p[i]. The *lift* of a cell is its value minus the
value that chance gives on average. A *family* is a group of systems that swap outcomes only with
each other.

P-values come from the step-down max-T procedure of Westfall and Young (1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_finite
from receval._checks import (
    FloatArray,
    IntArray,
    as_generator,
    check_choice,
    check_count,
    check_none,
    check_number,
    check_that,
    check_unique,
)
from receval.fuzzy.predictability import (
    as_degrees,
    kendall,
    kendall_of_normals,
    mean_of_sorted,
    read_both,
    truths,
)
from receval.metrics.connectives.formulas import Connective
from receval.metrics.ties import tied_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.05  # of the test
WANTED_POWER = 0.8  # power that counts as enough in `PredictabilityTest.detectable`
N_OUTCOMES = 4_000  # draws of true outcomes, from which powers are computed
CORRELATION_STEP = 1e-3  # detectable correlations are computed to within this step
ALMOST_PERFECT = 1 - 1e-9  # the largest correlation that is tried
CENTRING_ERROR = 1e-13  # largest rounding error of truth values minus their means
MAX_SIGNS = 2**20  # signs of pairs of systems that are held in memory at a time
Z_ROUNDING = 1e-9  # studentised statistics that differ by less count as equal
ALL = slice(None)  # of the metrics

Families: TypeAlias = list[IntArray]
"""The row numbers of each family's systems."""

Groups: TypeAlias = Mapping[object, object] | pd.Series
"""The family of each system, by system."""

Reliability: TypeAlias = float | pd.Series | Mapping[Hashable, float] | None
"""Reliability of the on-line measures: one number for all, or one by measure; None if unknown."""

Metrics: TypeAlias = list[int] | slice
"""The numbers of the metrics to compute."""


def predictability_test(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    measure: str | Connective = "kendall",
    *,
    groups: Groups | None = None,
    alternative: str = "greater",
    n_permutations: int = 9_999,
    reliability: Reliability = None,
    rng: np.random.Generator | int | None = None,
) -> PredictabilityTest:
    r"""Test whether off-line metrics predict on-line success better than chance.

    A *cell* is a pair of an off-line metric and an on-line measure. The test permutes the systems
    of the on-line table. This keeps the values of each column, but breaks every relation between
    the two tables. A cell's *lift* is its value minus the mean value over all permutations. For a
    mean implication, it is

    .. math:: \text{lift} = \frac1n \sum_i I(b_i, h_i) - \frac{1}{n^2} \sum_{i, j} I(b_i, h_j),
              \qquad z = \frac{\text{lift}}{\text{sd of the value over permutations}}

    The mean of Kendall's :math:`\tau` over all permutations is 0. With many cells, some have a
    large z by chance. So the family-wise p-value compares z with the *largest* z of all cells in
    each permutation (step-down max-T). The cells depend on each other, and permutations of whole
    rows keep that dependence.

    Parameters
    ----------
    offline, online : DataFrame
        The same systems as index, in any order; one column per metric or measure; higher is better.
    measure : "kendall" or callable, default "kendall"
        Kendall's :math:`\tau_b`, or an implicator I(b, h) such as `goedel` or a `scaled` one, whose
        mean over the systems is tested.
    groups : Series or mapping, optional
        Family of each system, such as the branch of an algorithm, with the systems as index or
        keys. Systems are then permuted within families, and the hypothesis is "no relation within
        families". A family of one system contributes nothing to the lift.
    alternative : {"greater", "two-sided"}, default "greater"
        Whether only a positive relation counts, or a negative one too.
    n_permutations : int, default 9_999
        Number of random permutations. No p-value is below 1 / (n_permutations + 1).
    reliability : float, Series or mapping, optional
        Reliability R of the on-line measures in [0, 1]: one number for all, or one for each
        measure; the column of this name in `OnlineDraws.ceiling` estimates it from the log.
    rng : Generator or int, optional
        Source of randomness, or its seed.

    Returns
    -------
    PredictabilityTest
        With ``table``, ``global_p``, ``detectable``, ``power`` and ``plot``.

    Raises
    ------
    InputError
        If the tables have different systems or fewer than two, a value is missing, infinite or (for
        implicators) negative, no family has two systems, or an option is unknown.

    Notes
    -----
    The permutation test is exact: under the null hypothesis, which says that every order of the
    systems is equally likely, it rejects in at most 5 % of experiments. The max-T
    p-values of single cells assume that this null hypothesis holds for all cells together.

    The standard deviation in z is exact (Hoeffding 1951; Daniels 1944); for Kendall's correlation
    within families, it is estimated from the random permutations.

    Time and memory grow with the number of cells times the number of permutations; with an
    implicator, also with the number of cells times the squared number of systems.

    References
    ----------
    Document 002, section V-C. Westfall and Young (1993), Resampling-Based Multiple Testing, ch. 2.

    Examples
    --------
    >>> systems = [*"abcdefgh"]
    >>> offline = pd.DataFrame({"AUC": range(8), "ILD": [3, 1, 4, 1, 5, 9, 2, 6]}, index=systems)
    >>> online = pd.DataFrame({"CTR": [1, 2, 3, 5, 4, 6, 8, 7]}, index=systems)
    >>> test = predictability_test(offline, online, rng=0)
    >>> test.table[["value", "by_chance", "p_family"]].round(3)
                    value  by_chance  p_family
    metric measure
    AUC    CTR      0.857        0.0     0.001
    ILD    CTR      0.255        0.0     0.234
    """
    if isinstance(measure, str):
        check_choice(measure, "measure", ("kendall",))
    check_choice(alternative, "alternative", ("greater", "two-sided"))
    n_draws = check_count(n_permutations, "n_permutations")
    offline, online = read_both(offline, online)
    families = read_families(groups, offline.index)
    statistics = _statistics(offline, online, measure, families)
    name = "Kendall's tau"
    if not isinstance(measure, str):
        name = f"mean {getattr(measure, '__name__', 'own').replace('_', ' ')} implication"

    # The lifts get one column per cell, in the order of the table: a metric with each measure.
    generator = as_generator(rng, may_be_none=True)
    permutations = random_permutations(families, n_draws, generator)
    lifts = np.stack([statistic.lifts(permutations) for statistic in statistics], axis=-1)
    lifts = lifts.reshape(len(permutations), -1)
    values = np.column_stack([statistic.values for statistic in statistics]).ravel()
    by_chance = np.column_stack([statistic.by_chance for statistic in statistics]).ravel()
    sd = np.column_stack([statistic.sd for statistic in statistics]).ravel()
    if isinstance(measure, str) and len(families) > 1:
        sd = lifts.std(axis=0, ddof=1)  # there is no formula for several families
    sd = np.where(sd > 0, sd, np.nan)  # NaN for cells that no permutation changes
    z = lifts / sd
    sizes = z
    if alternative == "two-sided":
        sizes = np.abs(z)
    # Cells that no permutation changes are never the largest.
    p, p_family, maxima = step_down_max_t(np.where(np.isnan(z), -np.inf, sizes))
    axes = [offline.columns, online.columns]
    index = pd.MultiIndex.from_product(axes, names=["metric", "measure"])
    table = pd.DataFrame({"value": values, "by_chance": by_chance}, index)
    table["lift"] = values - by_chance
    table["z"] = z[0]
    table["p"] = p
    table["p_family"] = p_family
    table[table["value"].isna()] = np.nan
    critical_lift = critical_value(maxima, LEVEL) * sd
    return PredictabilityTest(
        table=table,
        critical_lift=pd.Series(critical_lift, index, name="critical_lift"),
        name=name,
        alternative=alternative,
        reliability=_read_reliability(reliability, online.columns),
        _offline=offline,
        _online=online,
        _families=families,
        _statistics=statistics,
        _seed=int(generator.integers(2**62)),
    )


def _statistics(
    offline: pd.DataFrame, online: pd.DataFrame, measure: str | Connective, families: Families
) -> Sequence[Statistic]:
    """Return the statistic of each on-line measure with each off-line metric."""
    if isinstance(measure, str):  # "kendall"
        x = offline.to_numpy()
        return [KendallCorrelation(x, y, families) for y in online.to_numpy().T]
    body = as_degrees(offline, "offline")
    heads = as_degrees(online, "online").T
    return [MeanImplication(body, head, measure, families) for head in heads]


@dataclass(frozen=True, eq=False, repr=False)
class PredictabilityTest:
    """The result of `predictability_test`.

    Attributes
    ----------
    table : DataFrame
        One row per cell. ``value`` is the statistic, ``by_chance`` its mean over all permutations,
        ``lift`` their difference, ``z`` the lift divided by its standard deviation over
        permutations, ``p`` the p-value of the cell alone, and ``p_family`` the p-value adjusted for
        all cells. A cell that no permutation changes has a p-value of 1 and no z (NaN). If
        Kendall's correlation is undefined, because a column has no two different values, the whole
        row is NaN.
    critical_lift : Series
        The smallest lift at which each cell is significant at 5 %, adjusted for all cells;
        infinite if there are too few permutations, and NaN for cells that no permutation changes.
    name : str
        Name of the statistic.
    alternative : str
        Whether a negative relation counts too.
    reliability : Series or None
        Reliability of each on-line measure.
    """

    table: pd.DataFrame
    critical_lift: pd.Series
    name: str
    alternative: str
    reliability: pd.Series | None
    _offline: pd.DataFrame
    _online: pd.DataFrame
    _families: Families
    _statistics: Sequence[Statistic]
    _seed: int

    @property
    def global_p(self) -> float:
        """Return the p-value of "no metric predicts any measure": the smallest family-wise p-value.

        NaN if no cell has a value.
        """
        return float(self.table["p_family"].min())

    @cached_property
    def detectable(self) -> pd.DataFrame:
        r"""Return the smallest true correlations that this experiment would find.

        This is a property of the design: the number of systems, of metrics and measures, their
        ties, the families, and for implicators the values of the columns. It doesn't depend on the
        observed lifts, so it answers "could this experiment have found anything?".

        The true outcome and the metric are bivariate normal with correlation :math:`\rho`, and only
        the ranks of the metric are known (a Gaussian copula). The on-line values are then given to
        the systems in the order of the outcomes. ``rho`` is the smallest :math:`\rho` at which the
        test finds the cell significant among all cells with a power of 0.8, if the outcomes are
        measured perfectly. If the measure has the reliability R, its correlation with the metric is
        only :math:`\rho \sqrt{R}`, so ``rho_measured`` = ``rho`` / :math:`\sqrt{R}`. The first
        access computes the table; for an implicator with a hundred systems, it takes some seconds.

        Returns
        -------
        DataFrame
            Indexed like ``table``, with the columns ``rho`` and ``tau`` = (2/π) asin ρ. If a
            reliability is known, the columns ``reliability``, ``rho_measured`` and ``tau_measured``
            follow. NaN means that no correlation is large enough, not even a perfect one.
        """
        rho = self._for_each_design(self._smallest_correlation)
        table = pd.DataFrame({"rho": rho, "tau": kendall_of_normals(rho)})
        if self.reliability is not None:
            table["reliability"] = np.tile(self.reliability, self._offline.shape[1])
            # If the reliability is 0, this is infinite: no correlation is large enough.
            measured = table["rho"] / np.sqrt(table["reliability"])
            table["rho_measured"] = measured.where(measured < 1)
            table["tau_measured"] = kendall_of_normals(table["rho_measured"])
        return table

    def power(self, rho: float, reliability: float = 1.0) -> pd.Series:
        r"""Compute the power of each cell if its true correlation is ``rho``.

        Parameters
        ----------
        rho : float
            True correlation of metric and outcome, in [0, 1].
        reliability : float, default 1.0
            Reliability R of the on-line measure. Its correlation with the metric is :math:`\rho
            \sqrt{R}`.

        Returns
        -------
        Series
            In [0, 1], indexed like ``table``: the chance that the cell is significant among all
            cells at 5 %. NaN for cells that no permutation changes.
        """
        true_correlation = check_number(rho, "rho", "in [0, 1]", lambda x: 0 <= x <= 1)
        share = check_number(reliability, "reliability", "in [0, 1]", lambda x: 0 <= x <= 1)
        correlation = true_correlation * math.sqrt(share)
        powers = self._for_each_design(lambda cell: self._power_of(cell, correlation))
        return powers.rename("power")

    @cached_property
    def ceiling(self) -> pd.Series | None:
        r"""Return the mean lift that a perfect predictor would have in a log of this reliability.

        A metric that predicts the true success perfectly has the correlation :math:`\sqrt{R}` with
        a measure of reliability R. For Kendall's correlation without families this is (2/π) asin
        √R.

        Returns
        -------
        Series or None
            Indexed like ``table``; None if no reliability was passed.
        """
        if self.reliability is None:
            return None
        correlations = np.sqrt(np.tile(self.reliability, self._offline.shape[1]))
        if self._is_tau_of_one_family:
            lifts = kendall_of_normals(correlations)
        else:
            cells = enumerate(correlations)
            lifts = np.array([self._drawn_lifts(cell, rho).mean() for cell, rho in cells])
        return pd.Series(lifts, self.table.index, name="ceiling")

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the lift of each cell next to chance, the level of significance, and the ceiling.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
            One row per metric, a dot per measure. The line at 0 is chance; dots in the shaded area
            are significant. A short vertical line shows the ceiling of each cell. If cells need
            different lifts to be significant, each lift is divided by the lift that its cell needs.
        """
        from receval.plots.systems import lift_map  # needs matplotlib

        table = self.table.copy()
        table["critical"] = self.critical_lift
        if self.ceiling is not None:
            table["ceiling"] = self.ceiling
        return lift_map(
            table,
            name=self.name,
            two_sided=self.alternative == "two-sided",
            ax=ax,
        )

    def __repr__(self) -> str:
        n_significant = int((self.table["p_family"] <= LEVEL).sum())
        return (
            f"{n_significant} of {len(self.table)} cells are significant at {LEVEL:g} (smallest "
            f"family-wise p = {self.global_p:.3f}). Its table detectable says which correlations "
            "it could have found."
        )

    @cached_property
    def _designs(self) -> list[Hashable]:
        """Return the design of each row of ``table``; rows of equal designs have equal powers.

        Without families, the power of Kendall's tau depends only on how many systems are tied at
        each place, in both columns. Otherwise, each row is a design of its own.
        """
        if not self._is_tau_of_one_family:
            return [*range(len(self.table))]
        # In ascending order, the ranks of a column show its ties, but not which system is where.
        ties_by_metric = [tuple(np.sort(tied_ranks(x))) for x in self._offline.to_numpy().T]
        ties_by_measure = [tuple(np.sort(tied_ranks(y))) for y in self._online.to_numpy().T]
        return [(ties, other) for ties in ties_by_metric for other in ties_by_measure]

    @property
    def _is_tau_of_one_family(self) -> bool:
        """Return whether the test is about Kendall's tau without families."""
        is_tau = isinstance(self._statistics[0], KendallCorrelation)
        return is_tau and len(self._families) == 1

    def _for_each_design(self, compute: Callable[[int], float]) -> pd.Series:
        """Return a result for each cell, computed once for cells of the same design.

        ``compute`` takes the number of the cell's row in ``table``.
        """
        result_by_design: dict[Hashable, float] = {}
        for cell, design in enumerate(self._designs):
            if design not in result_by_design:
                result_by_design[design] = compute(cell)
        results = [result_by_design[design] for design in self._designs]
        return pd.Series(results, self.table.index)

    @cached_property
    def _normals(self) -> tuple[FloatArray, FloatArray]:
        """Return the random numbers of all power computations, as `correlated_outcomes` does."""
        rng = np.random.default_rng(self._seed)
        shape = (N_OUTCOMES, len(self._offline))
        latent_in_order = np.sort(rng.standard_normal(shape), axis=1)
        return latent_in_order, rng.standard_normal(shape)

    def _drawn_lifts(self, cell: int, correlation: float) -> FloatArray:
        """Draw true outcomes with this correlation to the metric, and return the lift of each draw.

        The systems get the on-line values of the table in the order of the drawn outcomes, so each
        column keeps its values.
        """
        metric, measure = divmod(cell, self._online.shape[1])
        values = self._offline.to_numpy()[:, metric]
        drawn = correlated_outcomes(values, min(correlation, ALMOST_PERFECT), *self._normals)
        outcomes = self._online.to_numpy()[:, measure]
        permutations = permutations_by_rank(drawn, outcomes, self._families)
        return self._statistics[measure].lifts(permutations, [metric])[:, 0]

    def _power_of(self, cell: int, correlation: float) -> float:
        """Return the share of draws with a significant result; NaN if no permutation has any."""
        critical = self.critical_lift.iloc[cell]
        if math.isnan(critical):
            return math.nan
        lifts = self._drawn_lifts(cell, correlation)
        if self.alternative == "two-sided":
            lifts = np.abs(lifts)
        return float((lifts >= critical * (1 - Z_ROUNDING)).mean())

    def _smallest_correlation(self, cell: int) -> float:
        """Return the smallest correlation with a power of 0.8, found by bisection, or NaN."""
        if not self._power_of(cell, ALMOST_PERFECT) >= WANTED_POWER:
            return math.nan
        too_small = 0.0
        enough = ALMOST_PERFECT
        while enough - too_small > CORRELATION_STEP:
            middle = (too_small + enough) / 2
            if self._power_of(cell, middle) >= WANTED_POWER:
                enough = middle
            else:
                too_small = middle
        return enough


def correlated_outcomes(
    metric: FloatArray, correlation: float, latent_in_order: FloatArray, noise: FloatArray
) -> FloatArray:
    """Return normal outcomes with a correlation to a metric whose ranks are known.

    This is a Gaussian copula: metric and outcome are bivariate normal, but only the ranks of the
    metric are known. The same random numbers serve all correlations and metrics, so that the power
    of a test is a smooth function of the correlation.

    Parameters
    ----------
    metric : array, shape (systems,)
        Values of the metric. Tied systems share the mean of their latent values.
    correlation : float
        Correlation of the latent values and the outcomes.
    latent_in_order : array, shape (draws, systems)
        Normal numbers, ascending in each row: the latent values of the metric, from its worst
        system to its best.
    noise : array, shape (draws, systems)
        Normal numbers, independent of the metric.

    Returns
    -------
    array, shape (draws, systems)
        Higher for better systems.
    """
    ranks = tied_ranks(metric)
    ranks_in_order = np.sort(ranks)
    latent = np.empty(noise.shape)
    for system, rank in enumerate(ranks):
        is_its_place = ranks_in_order == rank  # several places if the system is tied
        latent[:, system] = latent_in_order[:, is_its_place].mean(axis=1)
    return np.asarray(correlation * latent + np.sqrt(1 - correlation**2) * noise)


def permutations_by_rank(drawn: FloatArray, outcomes: FloatArray, families: Families) -> IntArray:
    """Return permutations that give the best outcome to the system with the highest drawn number.

    ``drawn`` has the shape (draws, systems). ``outcomes`` has one number per system, higher is
    better. Within each family, the system with the highest drawn number gets the best outcome, the
    next one the second best, and so on. The result has the shape of ``drawn``.
    """
    permutations = np.empty(drawn.shape, np.int64)
    for rows in families:
        # Systems of the family from the worst outcome to the best.
        rows_by_outcome = rows[np.argsort(outcomes[rows], kind="stable")]
        # In each draw, 0 for the system with the lowest number, which gets the worst outcome.
        places = np.argsort(np.argsort(drawn[:, rows], axis=1), axis=1)
        permutations[:, rows] = rows_by_outcome[places]
    return permutations


def read_families(groups: Groups | None, systems: pd.Index) -> Families:
    """Return the row numbers of each family's systems; without groups, there is a single family.

    Raises
    ------
    InputError
        If groups are neither a Series nor a mapping, if a system has no family, or if no family has
        two systems.
    """
    n_systems = len(systems)
    rule = "have at least two systems, in one family"
    check_that(n_systems > 1, "offline", rule, f"{n_systems} system")
    if groups is None:
        return [np.arange(n_systems)]
    check_that(
        isinstance(groups, (pd.Series, Mapping)),
        "groups",
        "be a Series or mapping that has the family of each system",
        groups,
        "Turn a list in the order of the off-line table into pd.Series(groups, offline.index)",
    )
    family_by_system = pd.Series(groups, dtype=object)
    check_unique(family_by_system.index.tolist(), "groups", "system")
    labels = family_by_system.reindex(systems)
    missing = systems[labels.isna()].tolist()
    check_that(not missing, "groups", "have a family for each system", missing)
    codes = pd.factorize(labels)[0]
    families = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    largest = max(len(rows) for rows in families)
    advice = "Systems are permuted within families, and families of one system cannot be"
    check_that(largest > 1, "groups", "have a family of two systems or more", largest, advice)
    return families


def _read_reliability(reliability: Reliability, measures: pd.Index) -> pd.Series | None:
    """Return the reliability of each on-line measure, or None if ``reliability`` is None.

    Raises `InputError` if a measure has no reliability, or if one is outside [0, 1].
    """
    if reliability is None:
        return None
    if isinstance(reliability, (pd.Series, Mapping)):
        by_measure = pd.Series(reliability)
        check_unique(by_measure.index.tolist(), "reliability", "measure")
        values = as_finite(by_measure.reindex(measures).to_numpy(), "reliability")
    else:
        values = np.full(len(measures), check_number(reliability, "reliability", "in [0, 1]"))
    check_none(values, (values < 0) | (values > 1), "reliability", "be in [0, 1]")
    return pd.Series(values, measures)


def random_permutations(
    families: Families, n_permutations: int, rng: np.random.Generator
) -> IntArray:
    """Return permutations within families, the identity first, then ``n_permutations`` random ones.

    The result has the shape (1 + n_permutations, systems).
    """
    n_systems = sum(len(rows) for rows in families)
    permutations = np.tile(np.arange(n_systems), (1 + n_permutations, 1))
    for rows in families:
        keys = rng.random((n_permutations, len(rows)))
        # The order of random keys is a random order of the family's systems.
        permutations[1:, rows] = rows[np.argsort(keys, axis=1)]
    return permutations


class MeanImplication:
    """The mean implication of an on-line measure by each off-line metric, under permutations.

    Parameters
    ----------
    body : array, shape (systems, metrics)
        Degrees of truth of the metrics.
    head : array, shape (systems,)
        Degrees of truth of the measure.
    implicator : callable
    families : list of arrays

    Attributes
    ----------
    values, by_chance, sd : arrays, shape (metrics,)
        The mean implication, and its exact mean and standard deviation over all permutations.
    """

    def __init__(
        self, body: FloatArray, head: FloatArray, implicator: Connective, families: Families
    ) -> None:
        # The implication if system i had the outcome of system j, shape (systems i, systems j,
        # metrics).
        truth = truths(body[:, np.newaxis, :], head[np.newaxis, :, np.newaxis], implicator)
        n_systems, n_metrics = body.shape
        self.values = mean_of_sorted(truth[range(n_systems), range(n_systems)])
        self.by_chance = np.zeros(n_metrics)
        variance = np.zeros(n_metrics)
        # What the outcome of system j adds to the lift if system i gets it, times the number of
        # systems. It is 0 if i and j are of different families, because they never swap.
        self._centred = np.zeros(truth.shape)
        for rows in families:
            in_family = np.ix_(rows, rows)
            family_mean = mean_of_sorted(truth[in_family].reshape(-1, n_metrics))
            self.by_chance += len(rows) / n_systems * family_mean
            centred = _without_means(truth[in_family])
            self._centred[in_family] = centred
            # Hoeffding: if the rows and columns of a matrix d add up to 0, the sum of d[i, p(i)]
            # over m systems has the variance (sum of all d squared) / (m - 1). Families are
            # independent, and in a family of one system, d is 0.
            variance += (centred**2).sum(axis=(0, 1)) / max(len(rows) - 1, 1)
        self.sd = np.sqrt(variance) / n_systems

    def lifts(self, permutations: IntArray, metrics: Metrics = ALL) -> FloatArray:
        """Return the lift of each metric under each permutation: shape (permutations, metrics).

        ``permutations`` has the shape (permutations, systems). ``metrics`` holds the numbers of the
        metrics to compute.
        """
        contributions = self._centred[:, :, metrics]
        sums = np.zeros((len(permutations), contributions.shape[2]))
        for system, of_system in enumerate(contributions):
            sums += of_system[permutations[:, system]]
        return sums / len(contributions)


def _without_means(block: FloatArray) -> FloatArray:
    """Return the truth values of a family without the means of their rows and columns.

    ``block`` has the systems of the family in its first two axes. Every permutation takes each row
    and each column once, so their means add the same to all permutations. In the result, each row
    and each column adds up to 0.
    """
    row_means = block.mean(axis=1, keepdims=True)
    column_means = block.mean(axis=0, keepdims=True)
    centred: FloatArray = block - row_means - column_means + block.mean(axis=(0, 1))
    # A cell that no permutation changes has rounding errors only.
    centred[:, :, np.abs(centred).max(axis=(0, 1)) < CENTRING_ERROR] = 0
    return centred


class KendallCorrelation:
    """Kendall's tau-b of an on-line measure with each off-line metric, under permutations.

    Parameters
    ----------
    x : array, shape (systems, metrics)
        Values of the metrics.
    y : array, shape (systems,)
        Values of the measure.
    families : list of arrays

    Attributes
    ----------
    values, by_chance, sd : arrays, shape (metrics,)
        Tau, its exact mean over all permutations and, if there is one family, its exact standard
        deviation.
    """

    def __init__(self, x: FloatArray, y: FloatArray, families: Families) -> None:
        column = y[:, np.newaxis]
        self.values = kendall(x, column)[:, 0]
        a = _unit_signs(x)
        b = _unit_signs(column)[:, :, 0]
        self.sd = _sd_of_kendall(a, b)
        # The mean sign of a pair over all permutations: 0 within a family, because both orders are
        # equally likely; between two families, the mean over all pairs of their systems.
        mean_signs = np.zeros(b.shape)
        for rows in families:
            for other_rows in families:
                if rows is not other_rows:
                    block = np.ix_(rows, other_rows)
                    mean_signs[block] = b[block].mean()
        # Every pair of systems once, as two arrays with the first and the second system.
        self._pairs = np.triu_indices(len(x), k=1)
        self._metric_signs = a[self._pairs]
        self._measure_signs = b
        self.by_chance = mean_signs[self._pairs] @ self._metric_signs

    def lifts(self, permutations: IntArray, metrics: Metrics = ALL) -> FloatArray:
        """Return the lift of each metric as `MeanImplication.lifts` does; NaN if undefined."""
        first, second = self._pairs
        # All signs at once could need too much memory.
        n_batches = math.ceil(len(permutations) * len(first) / MAX_SIGNS)
        taus = []
        for batch in np.array_split(permutations, n_batches):
            # The systems whose outcomes the two systems of each pair get.
            givers = batch[:, first], batch[:, second]
            taus.append(self._measure_signs[givers] @ self._metric_signs[:, metrics])
        return np.concatenate(taus) - self.by_chance[metrics]


Statistic: TypeAlias = MeanImplication | KendallCorrelation
"""The statistic of an on-line measure with each off-line metric."""


def _sd_of_kendall(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the standard deviation of tau over all permutations, by Daniels' formula.

    ``a`` has `_unit_signs` of metrics and ``b`` those of a measure, and tau is half of the sum of
    a[i, j] b[i, j] over all systems i and j.
    """
    n = len(a)
    a_squares = (a**2).sum(axis=(0, 1))
    b_squares = (b**2).sum()
    # Sums of a[i, j] a[i, k] over all i, j and k with j not equal to k; 0 for two systems.
    a_products = (a.sum(axis=1) ** 2).sum(axis=0) - a_squares
    b_products = (b.sum(axis=1) ** 2).sum() - b_squares
    variance = 2 * a_squares * b_squares / (n * (n - 1))
    variance += 4 * a_products * b_products / (n * (n - 1) * max(n - 2, 1))
    return np.asarray(np.sqrt(variance) / 2)


def _unit_signs(values: FloatArray) -> FloatArray:
    """Return the sign of each difference of two systems, of unit length for each column.

    ``values`` has systems in rows; the result has the shape (systems, systems, columns). A column
    has the length 1 over all unordered pairs, and is NaN if all its systems are tied.
    """
    signs = np.sign(values[:, np.newaxis] - values[np.newaxis])
    # Every unordered pair is in the matrix twice.
    lengths = np.sqrt((signs**2).sum(axis=(0, 1)) / 2)
    return np.asarray(signs / np.where(lengths > 0, lengths, np.nan))


def step_down_max_t(statistics: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p-values, adjusted p-values, and the largest statistic of each draw.

    Parameters
    ----------
    statistics : array, shape (draws, hypotheses)
        Large values speak against a hypothesis. The first draw is the observed one.

    Notes
    -----
    The hypothesis with the largest observed statistic is compared with the maximum over all
    hypotheses; the next one with the maximum over the remaining ones, and so on. A hypothesis never
    gets a smaller adjusted p-value than one with a larger statistic.
    """
    observed = statistics[0]
    p = (statistics >= observed - Z_ROUNDING).mean(axis=0)
    strongest_first = np.argsort(-observed, kind="stable")
    p_family = np.empty(len(observed))
    # In each draw, the maximum over a hypothesis and all weaker ones.
    maxima = np.full(len(statistics), -np.inf)
    for hypothesis in strongest_first[::-1]:
        maxima = np.maximum(maxima, statistics[:, hypothesis])
        p_family[hypothesis] = (maxima >= observed[hypothesis] - Z_ROUNDING).mean()
    p_family[strongest_first] = np.maximum.accumulate(p_family[strongest_first])
    return p, p_family, maxima


def critical_value(maxima: FloatArray, alpha: float) -> float:
    """Return the smallest statistic whose family-wise p-value is at most ``alpha``.

    ``maxima`` holds the largest statistic of each draw. The result is infinite if there are too few
    draws for a p-value that small.
    """
    in_order = np.sort(maxima)
    # How many draws reach each value. Values that differ only by rounding count as equal.
    first_reached = np.searchsorted(in_order, in_order - Z_ROUNDING)
    shares = (len(in_order) - first_reached) / len(in_order)
    is_critical = shares <= alpha
    return float(in_order[is_critical].min(initial=math.inf))
