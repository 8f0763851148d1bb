"""Recommendation by similar items, as in document 002: from a history to a list.

An item-to-item recommender is a table of similarities between items. The steps from there to a
list are the same for all of them:

1. `aggregate_history`: how similar is each candidate to the items of a user's history?
2. `novelty_scores`: prefer new items.
3. `rerank_mmr`: avoid lists of similar items.

`cosine_similarities`, `word2vec_similarities` and `doc2vec_similarities` are the document's
three branches; `offline_measures` computes its off-line metrics, and `run_variants` a whole grid
of variants.
"""

from receval.fuzzy.recommend.offline import Experiment, offline_measures, run_variants
from receval.fuzzy.recommend.steps import (
    aggregate_history,
    cosine_similarities,
    doc2vec_similarities,
    item_features,
    novelty_scores,
    rerank_mmr,
    temporal_weight,
    word2vec_similarities,
)

__all__ = [
    "Experiment",
    "aggregate_history",
    "cosine_similarities",
    "doc2vec_similarities",
    "item_features",
    "novelty_scores",
    "offline_measures",
    "rerank_mmr",
    "run_variants",
    "temporal_weight",
    "word2vec_similarities",
]
