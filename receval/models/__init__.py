"""Small recommenders for demonstration: document 001's factorization, document 002's branches."""

from receval.models.factorization import Factorization, factorize
from receval.models.similarities import (
    cosine_similarities,
    doc2vec_similarities,
    item_features,
    word2vec_similarities,
)

__all__ = [
    "Factorization",
    "cosine_similarities",
    "doc2vec_similarities",
    "factorize",
    "item_features",
    "word2vec_similarities",
]
