"""From off-line to on-line: which metric, computed beforehand, implies success with users.

Tables have the systems (algorithms) as index: off-line metrics in the columns of the one,
on-line measures in the columns of the other. Everywhere higher must be better.
"""

from receval.fuzzy.predictability.agreement import agreement_matrix, kendall_matrix
from receval.fuzzy.predictability.implication import (
    implication_matrix,
    implication_ranks,
    metric_advice,
)
from receval.fuzzy.predictability.stability import rank_stability

__all__ = [
    "agreement_matrix",
    "implication_matrix",
    "implication_ranks",
    "kendall_matrix",
    "metric_advice",
    "rank_stability",
]
