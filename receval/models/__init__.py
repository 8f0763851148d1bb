"""Small recommenders for demonstration: the three branches of document 002, by similar items."""

from receval.models.similarities import (
    cosine_similarities,
    doc2vec_similarities,
    item_features,
    word2vec_similarities,
)

__all__ = ["cosine_similarities", "doc2vec_similarities", "item_features", "word2vec_similarities"]
