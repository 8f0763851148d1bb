"""The power of the predictability test if a metric predicts on-line success to some degree."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray
from receval.fuzzy.predictability._max_t import ROUNDING, studentise
from receval.fuzzy.predictability._permutations import (
    CorrelatedNormals,
    Families,
    permutations_by_rank,
)
from receval.fuzzy.predictability._statistics import CellStatistics

CORRELATION_STEP = 1e-3  # correlations are computed to within this step
ALMOST_PERFECT = 1 - 1e-9  # the largest correlation that is tried


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One hypothesis of the test: a metric with one on-line measure, or with the mean over several.

    Attributes
    ----------
    statistics : statistics of this metric and these measures only.
    metric : values of the metric by system.
    outcomes : on-line success by system, higher is better; only their order matters.
    families : row numbers of the systems of each family.
    sd : standard deviation of the lift over permutations; NaN if the lift cannot vary.
    critical : smallest z that makes the hypothesis significant among all hypotheses.
    is_two_sided : whether a negative z counts too.
    design : a key; hypotheses with equal keys have equal powers.
    """

    statistics: CellStatistics
    metric: FloatArray
    outcomes: FloatArray
    families: Families
    sd: float
    critical: float
    is_two_sided: bool
    design: Hashable

    def lifts(self, normals: CorrelatedNormals, correlation: float) -> FloatArray:
        """Draw true outcomes with this correlation to the metric, and return the lift of each draw.

        The systems get the on-line values of the table in the order of the drawn outcomes, so each
        column keeps its values. With several measures, the result is the mean over them.
        """
        drawn = normals.draw(self.metric, correlation)
        permutations = permutations_by_rank(drawn, self.outcomes, self.families)
        return np.asarray(self.statistics.lifts(permutations).mean(axis=(1, 2)))

    def power(self, normals: CorrelatedNormals, correlation: float) -> float:
        """Return the share of draws with a significant result, or NaN if ``sd`` is NaN."""
        if math.isnan(self.sd):
            return math.nan
        lifts = self.lifts(normals, correlation)[:, np.newaxis]
        z = studentise(lifts, np.array([self.sd]), is_two_sided=self.is_two_sided)
        return float((z >= self.critical - ROUNDING).mean())

    def smallest_correlation(self, normals: CorrelatedNormals, wanted_power: float) -> float:
        """Return the smallest correlation with the wanted power, found by bisection, or NaN."""
        if not self.power(normals, ALMOST_PERFECT) >= wanted_power:
            return math.nan
        too_small = 0.0
        enough = ALMOST_PERFECT
        while enough - too_small > CORRELATION_STEP:
            middle = (too_small + enough) / 2
            if self.power(normals, middle) >= wanted_power:
                enough = middle
            else:
                too_small = middle
        return enough
