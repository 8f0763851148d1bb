"""A test of whether any off-line metric predicts on-line success better than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    as_generator,
    check_choice,
    check_count,
    check_number,
)
from receval._escape import for_html
from receval.fuzzy.predictability._normal_model import (
    Reliability,
    correlated_outcomes,
    kendall_of_normals,
    permutations_by_rank,
    read_reliability,
)
from receval.fuzzy.predictability._permutations import (
    ROUNDING,
    Families,
    Groups,
    critical_value,
    random_permutations,
    read_families,
    step_down_max_t,
    studentise,
)
from receval.fuzzy.predictability._statistics import ImplicationStatistics, KendallStatistics
from receval.fuzzy.predictability._tables import as_degrees, descending_ranks, read_both
from receval.fuzzy.predictability.agreement import agreement_matrix
from receval.fuzzy.predictability.implication import mean_implications, pair_truths
from receval.metrics.connectives.degrees import Connective
from receval.metrics.ties import mean_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PredictabilityTest", "predictability_test"]

N_OUTCOMES = 4_000  # draws of true outcomes, from which powers are computed
MAX_QUICK_DESIGNS = 4_000  # designs times systems; with more, a display omits `detectable`
CORRELATION_STEP = 1e-3  # detectable correlations are computed to within this step
ALMOST_PERFECT = 1 - 1e-9  # the largest correlation that is tried


def predictability_test(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    measure: str | Connective = "kendall",
    *,
    over: str = "cells",
    groups: Groups = None,
    alternative: str = "greater",
    normalize: str | None = "l2",
    n_permutations: int = 9_999,
    alpha: float = 0.05,
    power: float = 0.8,
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
    over : {"cells", "metrics"}, default "cells"
        What is tested: each cell, or each metric with its mean over the on-line measures.
    groups : Series, mapping or sequence, optional
        Family of each system, such as the branch of an algorithm. Pass a Series or mapping by
        system, or a sequence in the order of ``offline``. Systems are then permuted within
        families, and the hypothesis is "no relation within families". A family of one system
        contributes nothing to the lift.
    alternative : {"greater", "two-sided"}, default "greater"
        Whether only a positive relation counts, or a negative one too.
    normalize : {"l2", "max", None}, default "l2"
        As in `implication_matrix`; Kendall's :math:`\tau` doesn't need it.
    n_permutations : int, default 9_999
        Number of random permutations. No p-value is below 1 / (n_permutations + 1).
    alpha : float, default 0.05
        Level of the test.
    power : float, default 0.8
        Power that counts as enough in ``detectable``.
    reliability : float, Series or mapping, optional
        Reliability R of the on-line measures in [0, 1]: one number for all, or one for each
        measure; `OnlineDraws.reliability` estimates it from the log.
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
    systems is equally likely, it rejects in at most a share ``alpha`` of experiments. The max-T
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
    check_choice(over, "over", ("cells", "metrics"))
    check_choice(alternative, "alternative", ("greater", "two-sided"))
    n_draws = check_count(n_permutations, "n_permutations")
    level = check_number(alpha, "alpha", "a number between 0 and 1", lambda x: 0 < x < 1)
    wanted_power = check_number(power, "power", "a number between 0 and 1", lambda x: 0 < x < 1)
    offline, online = read_both(offline, online)
    families = read_families(groups, offline.index)
    statistics: ImplicationStatistics | KendallStatistics
    if isinstance(measure, str):
        values = agreement_matrix(offline, online).to_numpy()
        statistics = KendallStatistics.of(offline.to_numpy(), online.to_numpy(), families)
    else:
        body = as_degrees(offline, "offline", normalize)
        head = as_degrees(online, "online", normalize)
        values = mean_implications(body, head, measure)
        statistics = ImplicationStatistics.of(pair_truths(body, head, measure), families)
    generator = as_generator(rng, may_be_none=True)
    lifts = statistics.lifts(random_permutations(families, n_draws, generator))
    by_chance = statistics.by_chance
    if over == "metrics":
        lifts = lifts.mean(axis=2, keepdims=True)
        by_chance = by_chance.mean(axis=1, keepdims=True)
        values = values.mean(axis=1, keepdims=True)
        index = pd.Index(offline.columns, name="metric")
    else:
        columns = [offline.columns, online.columns]
        index = pd.MultiIndex.from_product(columns, names=["metric", "measure"])

    # One column per hypothesis, a cell or a metric.
    lifts = lifts.reshape(len(lifts), -1)
    exact_sd = statistics.exact_sd(over_measures=over == "metrics")
    if exact_sd is None:
        sd = lifts.std(axis=0, ddof=1)
    else:
        sd = exact_sd.ravel()
    is_two_sided = alternative == "two-sided"
    p, p_family, maxima = step_down_max_t(studentise(lifts, sd, is_two_sided=is_two_sided))
    sd_or_nan = np.where(sd > 0, sd, np.nan)
    is_defined = ~np.isnan(values.ravel())
    table = {
        "value": values.ravel(),
        "by_chance": by_chance.ravel(),
        "lift": values.ravel() - by_chance.ravel(),
        "z": lifts[0] / sd_or_nan,
        "p": np.where(is_defined, p, np.nan),
        "p_family": np.where(is_defined, p_family, np.nan),
    }
    return PredictabilityTest(
        table=pd.DataFrame(table, index),
        alpha=level,
        critical=critical_value(maxima, level),
        measure=measure,
        over=over,
        alternative=alternative,
        n_permutations=n_draws,
        wanted_power=wanted_power,
        families=families,
        offline=offline,
        online=online,
        reliability=read_reliability(reliability, online.columns),
        _sd=pd.Series(sd_or_nan, index),
        _statistics=statistics,
        _seed=int(generator.integers(2**62)),
    )


@dataclass(frozen=True, eq=False, repr=False)
class PredictabilityTest:
    """The result of `predictability_test`.

    Attributes
    ----------
    table : DataFrame
        One row per cell, or per metric if ``over="metrics"``. ``value`` is the statistic,
        ``by_chance`` its mean over all permutations, ``lift`` their difference, ``z`` the lift
        divided by its standard deviation over permutations, ``p`` the p-value of the cell alone,
        and ``p_family`` the p-value adjusted for all cells. A cell that no permutation changes has
        a p-value of 1 and no z (NaN). If Kendall's correlation is undefined, because a column has
        no two different values, the whole row is NaN.
    alpha : float
        Level of the test.
    critical : float
        The z that a cell has to reach to be significant at ``alpha`` among all cells.
    measure, over, alternative, n_permutations, wanted_power, families, offline, online, reliability
        The arguments of `predictability_test`, where ``wanted_power`` is its ``power``, and
        ``families`` holds the row numbers of the systems of each of the ``groups``.
    """

    table: pd.DataFrame
    alpha: float
    critical: float
    measure: str | Connective
    over: str
    alternative: str
    n_permutations: int
    wanted_power: float
    families: Families
    offline: pd.DataFrame
    online: pd.DataFrame
    reliability: pd.Series | None
    _sd: pd.Series
    _statistics: ImplicationStatistics | KendallStatistics
    _seed: int

    @property
    def global_p(self) -> float:
        """Return the p-value of "no metric predicts any measure": the smallest family-wise p-value.

        NaN if no cell has a value.
        """
        return float(self.table["p_family"].min())

    @property
    def critical_lift(self) -> pd.Series:
        """Return the smallest lift at which each cell is significant, adjusted for all cells."""
        return (self.critical * self._sd).rename("critical_lift")

    @cached_property
    def detectable(self) -> pd.DataFrame:
        r"""Return the smallest true correlations that this experiment would find.

        This is a property of the design: the number of systems, of metrics and measures, their
        ties, the families, and for implicators the values of the columns. It doesn't depend on the
        observed lifts, so it answers "could this experiment have found anything?".

        The true outcome and the metric are bivariate normal with correlation :math:`\rho`, and only
        the ranks of the metric are known (a Gaussian copula). The on-line values are then given to
        the systems in the order of the outcomes. ``rho`` is the smallest :math:`\rho` at which the
        test finds the cell significant among all cells, with the wanted power, if the outcomes are
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
        table = pd.DataFrame({"rho": rho}, self._sd.index)
        table["tau"] = kendall_of_normals(table["rho"])
        if self.reliability is not None:
            reliability = self._reliability_by_row()
            # If the reliability is 0, no correlation is large enough.
            measured = table["rho"] / np.sqrt(reliability.where(reliability > 0))
            table["reliability"] = reliability
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
            cells at ``alpha``. NaN for cells that no permutation changes.
        """
        true_correlation = check_number(rho, "rho", "in [0, 1]", lambda x: 0 <= x <= 1)
        share = check_number(reliability, "reliability", "in [0, 1]", lambda x: 0 <= x <= 1)
        correlation = true_correlation * math.sqrt(share)
        powers = self._for_each_design(lambda row: self._power_of(row, correlation))
        return pd.Series(powers, self._sd.index, name="power")

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
        reliability = self._reliability_by_row().to_numpy()
        if isinstance(self.measure, str) and len(self.families) == 1:
            lifts = kendall_of_normals(np.sqrt(reliability))
        else:
            lifts = np.empty(len(reliability))
            for row, share in enumerate(reliability):
                lifts[row] = self._drawn_lifts(row, math.sqrt(share)).mean()
        return pd.Series(lifts, self._sd.index, name="ceiling")

    def matrix(self, column: str = "value") -> pd.DataFrame:
        """Return a column of ``table`` as a matrix, as `implication_matrix` returns it.

        Parameters
        ----------
        column : str, default "value"
            A column of ``table``, such as ``"by_chance"`` or ``"lift"``.

        Returns
        -------
        DataFrame
            Off-line metrics in rows, on-line measures in columns; one column, ``"mean"``, if the
            test is over metrics.
        """
        check_choice(column, "column", self.table.columns)
        columns: pd.Index = self.online.columns
        if self.over == "metrics":
            columns = pd.Index(["mean"])
        values = self.table[column].to_numpy().reshape(-1, len(columns))
        return pd.DataFrame(values, self.offline.columns, columns)

    def plot(
        self,
        *,
        metric_groups: Mapping[Hashable, str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the lift of each cell next to chance, the level of significance, and the ceiling.

        The figure comes from `receval.plots.lift_map`.

        Parameters
        ----------
        metric_groups : mapping, optional
            Group of each metric, such as "novelty"; metrics of a group are drawn together.
        ax : Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
        """
        from receval.plots import lift_map  # needs matplotlib

        table = self.table.copy()
        table["critical"] = self.critical_lift
        if self.ceiling is not None:
            table["ceiling"] = self.ceiling
        return lift_map(
            table,
            name=self._statistic_name(),
            two_sided=self.alternative == "two-sided",
            metric_groups=metric_groups,
            ax=ax,
        )

    def __repr__(self) -> str:
        # The power of each design takes longer with more systems, and a display must not take long.
        if len(set(self._designs)) * len(self.offline) > MAX_QUICK_DESIGNS:
            return f"{self._result_sentence()} See detectable for what it could have found."
        return f"{self._result_sentence()} {self._design_sentence()}"

    def _repr_html_(self) -> str:
        strongest_first = self.table.sort_values("p_family", kind="stable")
        table = strongest_first.head(10).round(3).to_html()
        return f"<p>{for_html(repr(self))}</p>{table}"

    def _statistic_name(self) -> str:
        """Return the name of the statistic in sentences and figures."""
        if isinstance(self.measure, str):
            return "Kendall's tau"
        name = getattr(self.measure, "__name__", "own").replace("_", " ")
        return f"mean {name} implication"

    def _result_sentence(self) -> str:
        """Return how many hypotheses are significant, with the smallest family-wise p-value."""
        n_significant = int((self.table["p_family"] <= self.alpha).sum())
        return (
            f"{n_significant} of {len(self.table)} {self.over} are significant at {self.alpha:g} "
            f"(smallest family-wise p = {self.global_p:.3f})."
        )

    def _design_sentence(self) -> str:
        """Return a sentence that gives the smallest true correlation that the experiment finds."""
        detectable = self.detectable
        chance = f"With a chance of {self.wanted_power:.0%}"
        sentence = f"{chance}, the experiment finds {_from(detectable['rho'])}"
        if self.reliability is not None:
            low = f"{self.reliability.min():.2f}"
            high = f"{self.reliability.max():.2f}"
            span = low
            if high != low:
                span = f"{low} to {high}"
            measured = _from(detectable["rho_measured"])
            sentence += (
                " if success is measured perfectly. "
                f"With a reliability of {span}, it finds {measured}"
            )
        return f"{sentence}."

    @cached_property
    def _columns(self) -> list[tuple[int, list[int]]]:
        """Return the numbers of the metric and the measures of each row of ``table``.

        With ``over="cells"`` a row is about a metric and one on-line measure, otherwise about a
        metric and its mean over all measures.
        """
        measures = [*range(self.online.shape[1])]
        columns = []
        for metric in range(self.offline.shape[1]):
            if self.over == "metrics":
                columns.append((metric, measures))
            else:
                columns += [(metric, [measure]) for measure in measures]
        return columns

    @cached_property
    def _designs(self) -> list[Hashable]:
        """Return a key for each row of ``table``; rows with equal keys have equal powers."""
        if not isinstance(self.measure, str) or len(self.families) > 1:
            return [(metric, *measures) for metric, measures in self._columns]
        # Without families, tau depends on the orders and ties of both columns only.
        metric_ties = _tie_patterns(self.offline)
        measure_ties = _tie_patterns(self.online)
        return [
            (metric_ties[metric], *(measure_ties[measure] for measure in measures))
            for metric, measures in self._columns
        ]

    def _for_each_design(self, compute: Callable[[int], float]) -> list[float]:
        """Return a result for each row of ``table``, computed once for rows of the same design."""
        result_by_design: dict[Hashable, float] = {}
        for row, design in enumerate(self._designs):
            if design not in result_by_design:
                result_by_design[design] = compute(row)
        return [result_by_design[design] for design in self._designs]

    @cached_property
    def _normals(self) -> tuple[FloatArray, FloatArray]:
        """Return the random numbers of all power computations, as `correlated_outcomes` does."""
        rng = np.random.default_rng(self._seed)
        shape = (N_OUTCOMES, len(self.offline))
        latent_in_order = np.sort(rng.standard_normal(shape), axis=1)
        return latent_in_order, rng.standard_normal(shape)

    def _drawn_lifts(self, row: int, correlation: float) -> FloatArray:
        """Draw true outcomes with this correlation to the metric, and return the lift of each draw.

        The systems get the on-line values of the table in the order of the drawn outcomes, so each
        column keeps its values. With several measures, the result is the mean over them.
        """
        metric, measures = self._columns[row]
        values = self.offline.to_numpy()[:, metric]
        drawn = correlated_outcomes(values, min(correlation, ALMOST_PERFECT), *self._normals)
        # One measure orders the systems itself; several order them by their mean rank.
        ranks = descending_ranks(self.online.to_numpy()[:, measures])
        permutations = permutations_by_rank(drawn, -ranks.mean(axis=1), self.families)
        lifts = self._statistics.lifts(permutations, [metric], measures)
        return np.asarray(lifts.mean(axis=(1, 2)))

    def _power_of(self, row: int, correlation: float) -> float:
        """Return the share of draws with a significant result; NaN if no permutation has any."""
        sd = self._sd.iloc[row]
        if math.isnan(sd):
            return math.nan
        z = self._drawn_lifts(row, correlation) / sd
        if self.alternative == "two-sided":
            z = np.abs(z)
        return float((z >= self.critical - ROUNDING).mean())

    def _smallest_correlation(self, row: int) -> float:
        """Return the smallest correlation with the wanted power, found by bisection, or NaN."""
        if not self._power_of(row, ALMOST_PERFECT) >= self.wanted_power:
            return math.nan
        too_small = 0.0
        enough = ALMOST_PERFECT
        while enough - too_small > CORRELATION_STEP:
            middle = (too_small + enough) / 2
            if self._power_of(row, middle) >= self.wanted_power:
                enough = middle
            else:
                too_small = middle
        return enough

    def _reliability_by_row(self) -> pd.Series:
        """Return the reliability for each row of ``table``; only if a reliability was passed."""
        reliability = self.reliability
        assert reliability is not None
        if self.over == "metrics":
            return pd.Series(reliability.mean(), self._sd.index)
        measures = self._sd.index.get_level_values("measure")
        return pd.Series(reliability.loc[measures].to_numpy(), self._sd.index)


def _tie_patterns(results: pd.DataFrame) -> list[tuple[float, ...]]:
    """Return the sorted ranks of each column, which say how many systems are tied at each place."""
    sorted_ranks = np.sort(mean_ranks(results.to_numpy().T))
    return [tuple(ranks) for ranks in sorted_ranks.tolist()]


def _from(correlations: pd.Series) -> str:
    """Return the smallest of several detectable correlations in words; NaN means none."""
    smallest = correlations.min()
    if math.isnan(smallest):
        return "none, however large the true correlation"
    tau = float(kendall_of_normals(np.array(smallest)))
    return f"a true correlation of {smallest:.2f} (tau {tau:.2f}) or more"
