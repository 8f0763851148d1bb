"""The working of a metric: its sum written out, one row per term.

Every function here has the name and the arguments of a metric, and returns a table of one
list: rank, item, gain, weight, term, running sum. The terms are those that the metric itself
adds up, so the last row *is* the metric. If the sum is divided at the end, a last column
named after the metric has the value so far. ``table.attrs["value"]`` holds the value.
A table is a DataFrame that shows four decimals and no row numbers; its values are not rounded.

The working of every metric of one list, such as ``dcg``, ``ndcg``, ``average_precision``, ``auc``
or ``user_novelty``, follows from the spec of the metric: `receval.working.ranking.working_by_name`
builds it. These functions take the arguments of the metric and ``items``, a label for each rank.
The functions that are listed below are for other metrics, or have terms of their own.

The workings of the retrieval metrics are in `receval.working.retrieval`; they take two rankings.
Some of these metrics have the same name as a metric of another family.

>>> from receval import working
>>> from receval.metrics import clipped_log2
>>> working.dcg([9, 9, 6, 4], items=["M8", "M4", "M10", "M2"], discount=clipped_log2)
  rank item  gain  weight    term  running sum
     1   M8   9.0  1.0000  9.0000       9.0000
     2   M4   9.0  1.0000  9.0000      18.0000
     3  M10   6.0  0.6309  3.7856      21.7856
     4   M2   4.0  0.5000  2.0000      23.7856
"""

from receval.working import retrieval
from receval.working.other import (
    aggregate,
    borda_count,
    catalog_coverage,
    exposure_gini,
    factorization_rmse,
    intra_list_diversity,
    long_tail_percentage,
    mae,
    mse,
    prediction_coverage,
    rmse,
    satisfaction,
)
from receval.working.ranking import f1, ideal_dcg, rbo
from receval.working.ranking import working_by_name as __getattr__  # noqa: F401  (other metrics)

__all__ = [
    "aggregate",
    "borda_count",
    "catalog_coverage",
    "exposure_gini",
    "f1",
    "factorization_rmse",
    "ideal_dcg",
    "intra_list_diversity",
    "long_tail_percentage",
    "mae",
    "mse",
    "prediction_coverage",
    "rbo",
    "retrieval",
    "rmse",
    "satisfaction",
]
