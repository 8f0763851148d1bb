"""Metrics beyond accuracy: coverage, the long tail, novelty, diversity.

There are two kinds. *Set-level* measures take the lists of all users together, as item codes of
shape (lists, rank) with -1 for an empty rank, and return one number. *Per-list* measures return
one value per list and drop the last axis, as in `receval.metrics.ranking`.
"""

from receval.metrics.beyond_accuracy.item_lists import (
    intra_list_diversity,
    intra_list_diversity_terms,
    seen_share,
    temporal_novelty,
    temporal_novelty_terms,
    user_novelty,
    user_novelty_terms,
)
from receval.metrics.beyond_accuracy.popularity import (
    average_popularity,
    average_popularity_terms,
    exposure_gini,
    exposure_gini_terms,
    inverse_user_frequency,
    inverse_user_frequency_terms,
)
from receval.metrics.beyond_accuracy.sets import (
    catalog_coverage,
    long_tail_percentage,
    long_tail_percentage_terms,
    prediction_coverage,
    prediction_coverage_terms,
    short_head,
)

__all__ = [
    "average_popularity",
    "average_popularity_terms",
    "catalog_coverage",
    "exposure_gini",
    "exposure_gini_terms",
    "intra_list_diversity",
    "intra_list_diversity_terms",
    "inverse_user_frequency",
    "inverse_user_frequency_terms",
    "long_tail_percentage",
    "long_tail_percentage_terms",
    "prediction_coverage",
    "prediction_coverage_terms",
    "seen_share",
    "short_head",
    "temporal_novelty",
    "temporal_novelty_terms",
    "user_novelty",
    "user_novelty_terms",
]
