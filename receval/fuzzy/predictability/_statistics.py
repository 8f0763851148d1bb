"""Statistics of a metric and a measure, and how they change if systems swap outcomes.

A *cell* is a pair of an off-line metric and an on-line measure. A *permutation* p of n systems
gives system i the on-line outcomes of system p[i]. The *lift* of a cell is its value minus the
value that chance gives on average.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.fuzzy.predictability.implication import implication_truths
from receval.metrics.connectives.degrees import Connective
from receval.metrics.ties import mean_ranks
from receval.significance.resampling import batch_sizes

CENTRING_ERROR = 1e-13  # largest rounding error of truth values minus their means


class CellStatistics(Protocol):
    """The values of all cells, by chance and under permutations of the systems' outcomes."""

    @property
    def by_chance(self) -> FloatArray:
        """Return the mean value over all permutations, shape (metrics, measures)."""
        ...

    def lifts(self, permutations: IntArray) -> FloatArray:
        """Return the value of each cell minus its value by chance, for each permutation.

        ``permutations`` has the shape (permutations, systems), the result (permutations, metrics,
        measures). NaN if the statistic is undefined.
        """
        ...

    def exact_sd(self, *, over_measures: bool) -> FloatArray | None:
        """Return the standard deviation of the lifts over all permutations, or None if unknown.

        Its shape is (metrics, measures). With ``over_measures``, the function returns the standard
        deviation of the mean lift over the measures instead, shape (metrics, 1). It is 0 if no
        permutation changes the lift.
        """
        ...

    def select(self, metric: int, measures: IntArray) -> CellStatistics:
        """Return the statistics of one metric and some measures only."""
        ...

    def design(self, metric: int, measure: int) -> Hashable:
        """Return a key; cells with equal keys have equal chances of any lift."""
        ...


@dataclass(frozen=True, eq=False)
class ImplicationStatistics:
    """The mean implication of each measure by each metric.

    Attributes
    ----------
    by_chance : mean over all permutations, shape (metrics, measures).
    centred : what the outcome of system j adds to the lift if system i gets it, times the number of
        systems; shape (systems i, systems j, metrics, measures). 0 if i and j are of different
        families, because they never swap.
    families : row numbers of the systems of each family.
    """

    by_chance: FloatArray
    centred: FloatArray
    families: list[IntArray]

    @classmethod
    def of(
        cls, body: FloatArray, head: FloatArray, implicator: Connective, families: list[IntArray]
    ) -> ImplicationStatistics:
        """Return the statistics for degrees of truth, with metrics as bodies and measures as heads.

        ``body`` has the shape (systems, metrics), and ``head`` (systems, measures). ``families``
        holds the row numbers of the systems of each family; systems swap outcomes only within their
        family.
        """
        # The truth of I(b, h) with the metric of system i and the outcome of system j.
        truth = implication_truths(
            body[:, np.newaxis, :, np.newaxis], head[np.newaxis, :, np.newaxis, :], implicator
        )
        n_systems = len(truth)
        by_chance = np.zeros(truth.shape[2:])
        centred = np.zeros(truth.shape)
        for rows in families:
            block = truth[np.ix_(rows, rows)]
            family_mean = block.mean(axis=(0, 1))
            by_chance += len(rows) / n_systems * family_mean
            # Every permutation takes each row and each column of the block once. So the means of
            # rows and columns add the same to all permutations, and can be subtracted.
            row_means = block.mean(axis=1, keepdims=True)
            column_means = block.mean(axis=0, keepdims=True)
            centred[np.ix_(rows, rows)] = block - row_means - column_means + family_mean
        # A cell that no permutation changes has rounding errors only.
        centred[:, :, np.abs(centred).max(axis=(0, 1)) < CENTRING_ERROR] = 0
        return cls(by_chance, centred, families)

    def lifts(self, permutations: IntArray) -> FloatArray:
        """Return the lifts of `CellStatistics.lifts`."""
        n_systems = len(self.centred)
        sums = np.zeros((len(permutations), *self.by_chance.shape))
        for system in range(n_systems):
            sums += self.centred[system, permutations[:, system]]
        return sums / n_systems

    def exact_sd(self, *, over_measures: bool) -> FloatArray:
        """Return standard deviations by Hoeffding's formula; see `CellStatistics.exact_sd`.

        If the rows and columns of a matrix d add up to 0, the sum of d[i, p(i)] over the systems of
        a family of m systems has the variance (sum of all d squared) / (m - 1). Families are
        independent.
        """
        centred = self.centred
        if over_measures:
            centred = centred.mean(axis=3, keepdims=True)
        variance = np.zeros(centred.shape[2:])
        for rows in self.families:
            if len(rows) > 1:  # a family of one system always gets its own outcomes
                block = centred[np.ix_(rows, rows)]
                variance += (block**2).sum(axis=(0, 1)) / (len(rows) - 1)
        return np.asarray(np.sqrt(variance) / len(centred))

    def select(self, metric: int, measures: IntArray) -> ImplicationStatistics:
        """Return the statistics of one metric and some measures only."""
        selected = self.centred[:, :, metric : metric + 1][:, :, :, measures]
        by_chance = self.by_chance[metric : metric + 1, measures]
        return ImplicationStatistics(by_chance, selected, self.families)

    def design(self, metric: int, measure: int) -> Hashable:
        """Return the cell itself: all values of both columns matter to the mean implication."""
        return metric, measure


@dataclass(frozen=True, eq=False)
class KendallStatistics:
    """Kendall's tau-b of each metric with each measure.

    Attributes
    ----------
    by_chance : mean over all permutations, shape (metrics, measures); 0 without families.
    first, second : row numbers of the two systems of each pair, shape (pairs,).
    metric_signs : for every two systems and each metric +1 if the first system is better, -1 if it
        is worse, 0 if they are tied. Each metric's signs are divided by their Euclidean length over
        all pairs, and are NaN if all systems are tied. Shape (systems, systems, metrics).
    measure_signs : the same for the measures.
    has_families : whether systems swap outcomes only within families.
    designs : key of each cell, rows for metrics.
    """

    by_chance: FloatArray
    first: IntArray
    second: IntArray
    metric_signs: FloatArray
    measure_signs: FloatArray
    has_families: bool
    designs: list[list[Hashable]]

    @classmethod
    def of(
        cls, metrics: FloatArray, measures: FloatArray, families: list[IntArray]
    ) -> KendallStatistics:
        """Return the statistics of values with systems in rows.

        ``families`` holds the row numbers of the systems of each family; systems swap outcomes only
        within their family.
        """
        first, second = np.triu_indices(len(metrics), k=1)
        metric_signs = _unit_signs(metrics)
        measure_signs = _unit_signs(measures)
        # The mean sign of a pair over all permutations: 0 within a family, because both orders are
        # equally likely; between two families, the mean over all pairs of their systems.
        mean_signs = np.zeros(measure_signs.shape)
        for rows in families:
            for other_rows in families:
                if rows is not other_rows:
                    block = np.ix_(rows, other_rows)
                    mean_signs[block] = measure_signs[block].mean(axis=(0, 1))
        by_chance = metric_signs[first, second].T @ mean_signs[first, second]
        has_families = len(families) > 1
        designs: list[list[Hashable]] = []
        for metric, column in enumerate(metrics.T):
            row: list[Hashable] = []
            for measure, outcomes in enumerate(measures.T):
                if has_families:
                    row.append((metric, measure))
                else:
                    # Without families tau depends on the orders and ties of both columns only.
                    row.append((_tie_pattern(column), _tie_pattern(outcomes)))
            designs.append(row)
        return cls(
            by_chance=by_chance,
            first=first,
            second=second,
            metric_signs=metric_signs,
            measure_signs=measure_signs,
            has_families=has_families,
            designs=designs,
        )

    def lifts(self, permutations: IntArray) -> FloatArray:
        """Return the lifts of `CellStatistics.lifts`."""
        lifts = np.empty((len(permutations), *self.by_chance.shape))
        start = 0
        for n_batch in batch_sizes(len(permutations), len(self.first)):
            batch = permutations[start : start + n_batch]
            # The systems whose outcomes the two systems of each pair get.
            givers = batch[:, self.first], batch[:, self.second]
            for measure in range(self.measure_signs.shape[2]):
                signs = self.measure_signs[:, :, measure][givers]
                tau = signs @ self.metric_signs[self.first, self.second]
                lifts[start : start + n_batch, :, measure] = tau - self.by_chance[:, measure]
            start += n_batch
        return lifts

    def exact_sd(self, *, over_measures: bool) -> FloatArray | None:
        """Return standard deviations, or None with families; see `CellStatistics.exact_sd`.

        The formula is Daniels'. Here a and b are the signs of metric and measure, and tau is half
        of the sum of a[i, j] b[i, j] over all i and j.
        """
        if self.has_families:
            return None
        a = self.metric_signs
        b = self.measure_signs
        if over_measures:
            b = b.mean(axis=2, keepdims=True)  # tau is linear in b, so a mean of tau is one of b
        n = len(a)
        a_squares = (a**2).sum(axis=(0, 1))
        b_squares = (b**2).sum(axis=(0, 1))
        # Sums of a[i, j] a[i, k] over all i, j and k with j not equal to k.
        a_products = (a.sum(axis=1) ** 2).sum(axis=0) - a_squares
        b_products = (b.sum(axis=1) ** 2).sum(axis=0) - b_squares
        variance = 2 * np.outer(a_squares, b_squares) / (n * (n - 1))
        if n > 2:
            variance += 4 * np.outer(a_products, b_products) / (n * (n - 1) * (n - 2))
        return np.asarray(np.sqrt(variance) / 2)

    def select(self, metric: int, measures: IntArray) -> KendallStatistics:
        """Return the statistics of one metric and some measures only."""
        return KendallStatistics(
            by_chance=self.by_chance[metric : metric + 1, measures],
            first=self.first,
            second=self.second,
            metric_signs=self.metric_signs[:, :, metric : metric + 1],
            measure_signs=self.measure_signs[:, :, measures],
            has_families=self.has_families,
            designs=[[self.designs[metric][measure] for measure in measures]],
        )

    def design(self, metric: int, measure: int) -> Hashable:
        """Return the key of a cell; cells with equal keys have equal chances of any tau."""
        return self.designs[metric][measure]


def _unit_signs(values: FloatArray) -> FloatArray:
    """Return the sign of each difference of two systems, of unit length for each column.

    ``values`` has systems in rows; the result has the shape (systems, systems, columns). A column
    has the length 1 over all unordered pairs, and is NaN if all its systems are tied.
    """
    signs = np.sign(values[:, np.newaxis] - values[np.newaxis])
    # Every unordered pair is in the matrix twice.
    lengths = np.sqrt((signs**2).sum(axis=(0, 1)) / 2)
    return np.asarray(signs / np.where(lengths > 0, lengths, np.nan))


def _tie_pattern(values: FloatArray) -> tuple[float, ...]:
    """Return the sorted ranks of values, which say how many systems are tied at each place."""
    ranks: list[float] = np.sort(mean_ranks(values)).tolist()
    return tuple(ranks)
