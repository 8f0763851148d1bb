"""Small recommenders for demonstration, of documents 000 (matchmakers), 001 and 002."""

from receval.models.factorization import Factorization, factorize
from receval.models.matchmaking import case_based, most_awarded, random_bidders
from receval.models.similarities import (
    cosine_similarities,
    doc2vec_similarities,
    item_features,
    word2vec_similarities,
)

__all__ = [
    "Factorization",
    "case_based",
    "cosine_similarities",
    "doc2vec_similarities",
    "factorize",
    "item_features",
    "most_awarded",
    "random_bidders",
    "word2vec_similarities",
]
