"""Predictability: which off-line metric implies success with users.

Two tables have the systems (algorithms) as index. One has off-line metrics in its columns, the
other on-line measures. Higher must be better in all columns.
"""

from receval.fuzzy.predictability.agreement import agreement_matrix, kendall_matrix
from receval.fuzzy.predictability.implication import (
    degrees_of_truth,
    implication_matrix,
    implication_ranks,
    metric_advice,
)
from receval.fuzzy.predictability.selection import selection_regret
from receval.fuzzy.predictability.testing import PredictabilityTest, predictability_test

__all__ = [
    "PredictabilityTest",
    "agreement_matrix",
    "degrees_of_truth",
    "implication_matrix",
    "implication_ranks",
    "kendall_matrix",
    "metric_advice",
    "predictability_test",
    "selection_regret",
]
