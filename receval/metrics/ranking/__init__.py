"""One ranked list against its relevant items.

``gains[..., i]`` is the grade of the item at rank i + 1: 0 is not relevant, above 0 is
relevant. The last axis is rank, leading axes are independent lists, and a NaN tail marks a
list that is shorter than the axis. Nothing here averages over lists.

Two rules hold for every metric:

- Without ``k`` a list is its own cut-off: padding a list with NaN never changes a value.
- A list without any relevant item has no recall, AP or nDCG: the value is NaN.
"""

from receval.metrics.ranking.binary import (
    average_precision,
    average_precision_terms,
    f1,
    hit,
    precision,
    precision_terms,
    r_precision,
    r_precision_terms,
    recall,
    recall_terms,
    reciprocal_rank,
    reciprocal_rank_terms,
)
from receval.metrics.ranking.graded import (
    cumulative_gain,
    cumulative_gain_terms,
    dcg,
    dcg_terms,
    ideal_dcg,
    ideal_dcg_terms,
    ndcg,
)
from receval.metrics.ranking.pairwise import auc, auc_terms

__all__ = [
    "auc",
    "auc_terms",
    "average_precision",
    "average_precision_terms",
    "cumulative_gain",
    "cumulative_gain_terms",
    "dcg",
    "dcg_terms",
    "f1",
    "hit",
    "ideal_dcg",
    "ideal_dcg_terms",
    "ndcg",
    "precision",
    "precision_terms",
    "r_precision",
    "r_precision_terms",
    "recall",
    "recall_terms",
    "reciprocal_rank",
    "reciprocal_rank_terms",
]
