"""The working of a metric: its sum written out, one row per term.

A function has the name of its metric and returns a table of one list: rank, item, gain, weight,
term, running sum. The terms are those that the metric itself adds up, so the last row *is* the
metric. If the sum is divided at the end, a last column named after the metric has the value so far.
``table.attrs["value"]`` holds the value. A table is a DataFrame that shows four decimals and no row
numbers; its values are not rounded.

The arguments are those of the metric, and labels that the table shows, such as ``items`` for the
ranks. Two functions take others: `f1` takes the gains of a list and its number of relevant items,
from which precision and recall follow, and `satisfaction` also takes the ``member`` of the group.

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
from receval.working.ranking import (
    auc,
    average_popularity,
    average_precision,
    bpref,
    cumulative_gain,
    dcg,
    err,
    f1,
    hit,
    ideal_dcg,
    inverse_user_frequency,
    ndcg,
    precision,
    r_precision,
    rbo,
    rbp,
    recall,
    reciprocal_rank,
    temporal_novelty,
    user_novelty,
)

__all__ = [
    "aggregate",
    "auc",
    "average_popularity",
    "average_precision",
    "borda_count",
    "bpref",
    "catalog_coverage",
    "cumulative_gain",
    "dcg",
    "err",
    "exposure_gini",
    "f1",
    "factorization_rmse",
    "hit",
    "ideal_dcg",
    "intra_list_diversity",
    "inverse_user_frequency",
    "long_tail_percentage",
    "mae",
    "mse",
    "ndcg",
    "precision",
    "prediction_coverage",
    "r_precision",
    "rbo",
    "rbp",
    "recall",
    "reciprocal_rank",
    "retrieval",
    "rmse",
    "satisfaction",
    "temporal_novelty",
    "user_novelty",
]
