"""Metrics: functions that take arrays and return arrays.

Families
--------
`ranking`
    One ranked list against its relevant items: hit rate, reciprocal rank, precision, recall,
    F1, R-precision, average precision, the cumulative-gain family, AUC, bpref, RBP, ERR, RBO.
`prediction`
    Predicted against actual ratings: MAE, MSE, RMSE.
`classification`
    The decision to recommend an item, against its relevance: confusion matrix, precision, recall,
    F1.
`beyond_accuracy`
    Coverage, the long tail, novelty, diversity, popularity.
`retrieval`
    One ranking of cases against the ground-truth ranking: hits, errors, quality, order.
`group`
    A group's list from its members' ratings, and each member's satisfaction.
`discounts`
    The weight of a rank, and the value of a grade.

The last axis is rank (or pair), leading axes are independent, and no per-list metric averages
over lists. Call ``precision``, ``recall``, ``f1``, ``mae`` and ``mse`` through their module,
because several families have a metric of that name. You can import most other metrics from here,
and all from their modules.

To add a measure of a ranked list, read `receval.metrics.formula`.
"""

from receval.metrics import (
    beyond_accuracy,
    classification,
    discounts,
    group,
    prediction,
    ranking,
    retrieval,
)
from receval.metrics.beyond_accuracy import (
    catalog_coverage,
    intra_list_diversity,
    long_tail_percentage,
    prediction_coverage,
    seen_share,
    short_head,
    temporal_novelty,
    user_novelty,
)
from receval.metrics.classification import confusion_matrix
from receval.metrics.discounts import (
    binary_gain,
    clipped_log2,
    exponential_gain,
    linear_gain,
    reciprocal,
    relison_gain,
    shifted_log2,
)
from receval.metrics.group import (
    aggregate,
    borda_count,
    borda_points,
    group_ranking,
    rank_items,
    satisfaction,
)
from receval.metrics.prediction import factorization_rmse, rmse
from receval.metrics.ranking import (
    auc,
    average_precision,
    cumulative_gain,
    dcg,
    hit,
    ideal_dcg,
    ndcg,
    r_precision,
    reciprocal_rank,
)
from receval.metrics.retrieval import (
    completeness,
    correctness,
    distance,
    hits,
    hits_normalized,
    kendall,
    quality_mueller,
    quality_stromer,
    spearman,
)

__all__ = [
    "aggregate",
    "auc",
    "average_precision",
    "beyond_accuracy",
    "binary_gain",
    "borda_count",
    "borda_points",
    "catalog_coverage",
    "classification",
    "clipped_log2",
    "completeness",
    "confusion_matrix",
    "correctness",
    "cumulative_gain",
    "dcg",
    "discounts",
    "distance",
    "exponential_gain",
    "factorization_rmse",
    "group",
    "group_ranking",
    "hit",
    "hits",
    "hits_normalized",
    "ideal_dcg",
    "intra_list_diversity",
    "kendall",
    "linear_gain",
    "long_tail_percentage",
    "ndcg",
    "prediction",
    "prediction_coverage",
    "quality_mueller",
    "quality_stromer",
    "r_precision",
    "rank_items",
    "ranking",
    "reciprocal",
    "reciprocal_rank",
    "relison_gain",
    "retrieval",
    "rmse",
    "satisfaction",
    "seen_share",
    "shifted_log2",
    "short_head",
    "spearman",
    "temporal_novelty",
    "user_novelty",
]
