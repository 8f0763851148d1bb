"""Statistics of a metric and a measure, and how they change if systems swap outcomes.

A *cell* is a pair of an off-line metric and an on-line measure. A *permutation* p of n systems
gives system i the on-line outcomes of system p[i]. The *lift* of a cell is its value minus the
value that chance gives on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from receval._checks import FloatArray, IntArray

CENTRING_ERROR = 1e-13  # largest rounding error of truth values minus their means
MAX_SIGNS = 2**20  # signs of pairs of systems that are held in memory at a time
ALL = slice(None)

Columns: TypeAlias = list[int] | slice
"""Numbers of the metrics or the measures to compute."""


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
    def of(cls, truth: FloatArray, families: list[IntArray]) -> ImplicationStatistics:
        """Return the statistics for implications of pairs of systems.

        ``truth`` has the shape of ``centred``: I(b, h) with the metric of system i and the outcome
        of system j. ``families`` holds the row numbers of the systems of each family; systems swap
        outcomes only within their family.
        """
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

    def lifts(
        self, permutations: IntArray, metrics: Columns = ALL, measures: Columns = ALL
    ) -> FloatArray:
        """Return the lifts of cells, shape (permutations, metrics, measures).

        ``permutations`` has the shape (permutations, systems).
        """
        centred = self.centred[:, :, metrics][:, :, :, measures]
        sums = np.zeros((len(permutations), *centred.shape[2:]))
        for system, contributions in enumerate(centred):
            sums += contributions[permutations[:, system]]
        return sums / len(centred)

    def exact_sd(self, *, over_measures: bool) -> FloatArray:
        """Return standard deviations of the lifts over all permutations, by Hoeffding's formula.

        The shape is (metrics, measures). With ``over_measures``, this is about the mean lift over
        the measures, shape (metrics, 1). It is 0 if no permutation changes the lift.

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


@dataclass(frozen=True, eq=False)
class KendallStatistics:
    """Kendall's tau-b of each metric with each measure.

    Attributes
    ----------
    by_chance : mean over all permutations, shape (metrics, measures); 0 without families.
    metric_signs : for every two systems and each metric +1 if the first system is better, -1 if it
        is worse, 0 if they are tied. Each metric's signs are divided by their Euclidean length over
        all pairs, and are NaN if all systems are tied. Shape (systems, systems, metrics).
    measure_signs : the same for the measures.
    has_families : whether systems swap outcomes only within families.
    """

    by_chance: FloatArray
    metric_signs: FloatArray
    measure_signs: FloatArray
    has_families: bool

    @classmethod
    def of(
        cls, metrics: FloatArray, measures: FloatArray, families: list[IntArray]
    ) -> KendallStatistics:
        """Return the statistics of values with systems in rows.

        ``families`` holds the row numbers of the systems of each family; systems swap outcomes only
        within their family.
        """
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
        pairs = np.triu_indices(len(metrics), k=1)
        return cls(
            by_chance=metric_signs[pairs].T @ mean_signs[pairs],
            metric_signs=metric_signs,
            measure_signs=measure_signs,
            has_families=len(families) > 1,
        )

    def lifts(
        self, permutations: IntArray, metrics: Columns = ALL, measures: Columns = ALL
    ) -> FloatArray:
        """Return the lifts of cells, shape (permutations, metrics, measures).

        ``permutations`` has the shape (permutations, systems). NaN if tau is undefined.
        """
        first, second = np.triu_indices(len(self.metric_signs), k=1)
        metric_signs = self.metric_signs[first, second][:, metrics]
        by_chance = self.by_chance[metrics][:, measures]
        lifts = np.empty((len(permutations), *by_chance.shape))
        n_batch = max(1, MAX_SIGNS // len(first))
        for start in range(0, len(permutations), n_batch):
            batch = permutations[start : start + n_batch]
            # The systems whose outcomes the two systems of each pair get.
            givers = batch[:, first], batch[:, second]
            measure_signs = np.moveaxis(self.measure_signs[:, :, measures], -1, 0)
            for number, signs in enumerate(measure_signs):
                tau = signs[givers] @ metric_signs
                lifts[start : start + n_batch, :, number] = tau - by_chance[:, number]
        return lifts

    def exact_sd(self, *, over_measures: bool) -> FloatArray | None:
        """Return standard deviations of the lifts over all permutations; None with families.

        The shape is (metrics, measures). With ``over_measures``, this is about the mean lift over
        the measures, shape (metrics, 1).

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


def _unit_signs(values: FloatArray) -> FloatArray:
    """Return the sign of each difference of two systems, of unit length for each column.

    ``values`` has systems in rows; the result has the shape (systems, systems, columns). A column
    has the length 1 over all unordered pairs, and is NaN if all its systems are tied.
    """
    signs = np.sign(values[:, np.newaxis] - values[np.newaxis])
    # Every unordered pair is in the matrix twice.
    lengths = np.sqrt((signs**2).sum(axis=(0, 1)) / 2)
    return np.asarray(signs / np.where(lengths > 0, lengths, np.nan))
