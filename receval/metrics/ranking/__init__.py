"""Metrics that compare one ranked list with its relevant items.

The last axis is rank, leading axes are independent lists, and no function averages over lists.

- ``gains[..., i]`` is the grade of the item at rank i + 1, best first: 0 is not relevant, above 0
  is relevant, and a NaN tail marks a list that is shorter than the axis.
- ``k`` cuts the lists. Without ``k`` a function reads the whole list: padding a list with NaN
  never changes a value.
- ``n_relevant``, of shape (...), is the number of relevant items of each list, retrieved or not;
  ``relevance`` holds their grades, in any order, padded with 0 or NaN.
- A list without any relevant item has no recall, AP or nDCG: the value is NaN.
- Functions raise `InputError` if a grade is negative or infinite, NaN comes before a grade, ``k``
  is not a positive integer, an option is unknown, ``n_relevant`` is smaller than the number of
  relevant items in the list, or leading axes do not broadcast.

Each module states its measures (`receval.metrics.spec.MeasureSpec`) below the array functions.
`rank_biased` is the example to copy; `receval.metrics.formula` explains the formula that they
share.
"""

from receval.metrics.ranking.binary import (
    average_precision,
    f1,
    hit,
    precision,
    r_precision,
    recall,
    reciprocal_rank,
)
from receval.metrics.ranking.graded import (
    cumulative_gain,
    dcg,
    dcg_terms,
    err,
    ideal_dcg,
    ideal_dcg_terms,
    ndcg,
)
from receval.metrics.ranking.overlap import rbo
from receval.metrics.ranking.pairwise import auc, bpref
from receval.metrics.ranking.rank_biased import rbp

__all__ = [
    "auc",
    "average_precision",
    "bpref",
    "cumulative_gain",
    "dcg",
    "dcg_terms",
    "err",
    "f1",
    "hit",
    "ideal_dcg",
    "ideal_dcg_terms",
    "ndcg",
    "precision",
    "r_precision",
    "rbo",
    "rbp",
    "recall",
    "reciprocal_rank",
]
