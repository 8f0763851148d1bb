"""A test of whether any off-line metric predicts on-line success better than chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    IntArray,
    as_generator,
    check_choice,
    check_count,
    check_number,
)
from receval._escape import for_html
from receval.fuzzy.permutations import (
    Z_ROUNDING,
    Families,
    Groups,
    Statistic,
    critical_value,
    implication_statistic,
    kendall_statistic,
    random_permutations,
    read_families,
    step_down_max_t,
)
from receval.fuzzy.predictability import (
    Reliability,
    as_degrees,
    kendall_of_normals,
    read_both,
    read_reliability,
)
from receval.metrics.connectives.formulas import Connective
from receval.metrics.ties import mean_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PredictabilityTest", "predictability_test"]

LEVEL = 0.05  # of the test
N_OUTCOMES = 4_000  # draws of true outcomes, from which powers are computed
MAX_QUICK_DESIGNS = 4_000  # designs times systems; with more, a display omits `detectable`
CORRELATION_STEP = 1e-3  # detectable correlations are computed to within this step
ALMOST_PERFECT = 1 - 1e-9  # the largest correlation that is tried
WANTED_POWER = 0.8  # power that counts as enough in `PredictabilityTest.detectable`


def predictability_test(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    measure: str | Connective = "kendall",
    *,
    groups: Groups = None,
    alternative: str = "greater",
    normalize: str | None = "l2",
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
    groups : Series, mapping or sequence, optional
        Family of each system, such as the branch of an algorithm. Pass a Series or mapping by
        system, or a sequence in the order of ``offline``. Systems are then permuted within
        families, and the hypothesis is "no relation within families". A family of one system
        contributes nothing to the lift.
    alternative : {"greater", "two-sided"}, default "greater"
        Whether only a positive relation counts, or a negative one too.
    normalize : {"l2", None}, default "l2"
        As in `implication_matrix`; Kendall's :math:`\tau` doesn't need it.
    n_permutations : int, default 9_999
        Number of random permutations. No p-value is below 1 / (n_permutations + 1).
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
    if normalize is not None:
        check_choice(normalize, "normalize", ("l2",))
    if isinstance(measure, str):
        name = "Kendall's tau"
        statistic = kendall_statistic(offline.to_numpy(), online.to_numpy(), families)
    else:
        name = f"mean {getattr(measure, '__name__', 'own').replace('_', ' ')} implication"
        body = as_degrees(offline, "offline", normalize)
        head = as_degrees(online, "online", normalize)
        statistic = implication_statistic(body, head, measure, families)

    # Draws of the lifts and their standard deviations, with one column per cell.
    generator = as_generator(rng, may_be_none=True)
    lifts = statistic.lifts(random_permutations(families, n_draws, generator))
    lifts = lifts.reshape(1 + n_draws, -1)
    if statistic.sd is None:
        sd = lifts.std(axis=0, ddof=1)
    else:
        sd = statistic.sd.ravel()
    sd = np.where(sd > 0, sd, np.nan)  # NaN for cells that no permutation changes
    z = lifts / sd
    sizes = z
    if alternative == "two-sided":
        sizes = np.abs(z)
    # Cells that no permutation changes are never the largest.
    p, p_family, maxima = step_down_max_t(np.where(np.isnan(z), -np.inf, sizes))
    values = statistic.values.ravel()
    by_chance = statistic.by_chance.ravel()
    columns = {
        "value": values,
        "by_chance": by_chance,
        "lift": values - by_chance,
        "z": z[0],
        "p": p,
        "p_family": p_family,
    }
    axes = [offline.columns, online.columns]
    index = pd.MultiIndex.from_product(axes, names=["metric", "measure"])
    table = pd.DataFrame(columns, index)
    table[table["value"].isna()] = np.nan
    critical_lift = critical_value(maxima, LEVEL) * sd
    return PredictabilityTest(
        table=table,
        critical_lift=pd.Series(critical_lift, index, name="critical_lift"),
        name=name,
        alternative=alternative,
        reliability=read_reliability(reliability, online.columns),
        _offline=offline,
        _online=online,
        _families=families,
        _statistic=statistic,
        _seed=int(generator.integers(2**62)),
    )


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
    _statistic: Statistic
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
        if self._has_one_family_of_tau():
            lifts = kendall_of_normals(correlations)
        else:
            cells = enumerate(correlations)
            lifts = np.array([self._drawn_lifts(cell, rho).mean() for cell, rho in cells])
        return pd.Series(lifts, self.table.index, name="ceiling")

    def matrix(self, column: str = "value") -> pd.DataFrame:
        """Return a column of ``table`` as a matrix, as `implication_matrix` returns it.

        Parameters
        ----------
        column : str, default "value"
            A column of ``table``, such as ``"by_chance"`` or ``"lift"``.

        Returns
        -------
        DataFrame
            Off-line metrics in rows, on-line measures in columns.
        """
        check_choice(column, "column", self.table.columns)
        values = self.table[column].to_numpy().reshape(self._statistic.values.shape)
        return pd.DataFrame(values, self._offline.columns, self._online.columns)

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
            name=self.name,
            two_sided=self.alternative == "two-sided",
            metric_groups=metric_groups,
            ax=ax,
        )

    def __repr__(self) -> str:
        n_significant = int((self.table["p_family"] <= LEVEL).sum())
        sentence = (
            f"{n_significant} of {len(self.table)} cells are significant at {LEVEL:g} "
            f"(smallest family-wise p = {self.global_p:.3f})."
        )
        # The power of each design takes longer with more systems, and a display must not take long.
        if len(np.unique(self._designs)) * len(self._offline) > MAX_QUICK_DESIGNS:
            return f"{sentence} See detectable for what it could have found."
        detectable = self.detectable
        sentence += (
            f" With a chance of {WANTED_POWER:.0%}, the experiment finds {_from(detectable['rho'])}"
        )
        if self.reliability is not None:
            span = f"{self.reliability.min():.2f}"
            highest = f"{self.reliability.max():.2f}"
            if highest != span:
                span += f" to {highest}"
            sentence += (
                " if success is measured perfectly. "
                f"With a reliability of {span}, it finds {_from(detectable['rho_measured'])}"
            )
        return f"{sentence}."

    def _repr_html_(self) -> str:
        strongest_first = self.table.sort_values("p_family", kind="stable")
        table = strongest_first.head(10).round(3).to_html()
        return f"<p>{for_html(repr(self))}</p>{table}"

    def _has_one_family_of_tau(self) -> bool:
        """Return whether the test is about Kendall's tau without families.

        Then tau depends on the orders and ties of both columns only.
        """
        return self.name == "Kendall's tau" and len(self._families) == 1

    @cached_property
    def _designs(self) -> IntArray:
        """Return a code for each row of ``table``; rows with equal codes have equal powers."""
        if not self._has_one_family_of_tau():
            return np.arange(len(self.table))
        pairs = product(_tie_patterns(self._offline), _tie_patterns(self._online))
        return np.unique([*pairs], axis=0, return_inverse=True)[1].ravel()

    def _for_each_design(self, compute: Callable[[int], float]) -> pd.Series:
        """Return a result for each cell, computed once for cells of the same design.

        ``compute`` takes the number of the cell's row in ``table``.
        """
        _, first_cells, designs = np.unique(self._designs, return_index=True, return_inverse=True)
        results = np.array([compute(cell) for cell in first_cells.tolist()])
        return pd.Series(results[designs], self.table.index)

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
        return self._statistic.lifts(permutations, [metric], [measure])[:, 0, 0]

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


def _tie_patterns(results: pd.DataFrame) -> IntArray:
    """Return equal codes for columns in which as many systems are tied at each place."""
    sorted_ranks = np.sort(mean_ranks(results.to_numpy().T))
    return np.unique(sorted_ranks, axis=0, return_inverse=True)[1].ravel()


def _from(correlations: pd.Series) -> str:
    """Return the smallest of several detectable correlations in words; NaN means none."""
    smallest = correlations.min()
    if math.isnan(smallest):
        return "none, however large the true correlation"
    tau = float(kendall_of_normals(np.array(smallest)))
    return f"a true correlation of {smallest:.2f} (tau {tau:.2f}) or more"


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
    ranks = mean_ranks(metric)
    # Column i has the weights that average the latent values over the places that system i shares.
    is_place = np.sort(ranks)[:, np.newaxis] == ranks
    latent = latent_in_order @ (is_place / is_place.sum(axis=0))
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
        # In each draw, the system with the lowest number gets the worst outcome, and so on.
        order = np.argsort(drawn[:, rows], axis=1)
        in_family = np.empty(order.shape, np.int64)
        np.put_along_axis(in_family, order, rows_by_outcome[np.newaxis], axis=1)
        permutations[:, rows] = in_family
    return permutations
