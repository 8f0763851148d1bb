"""Document 003: evaluate the quality and speed of retrievers and MAC/FAC against a ground truth."""

from receval.retrieval.evaluation import (
    RetrieverEvaluation,
    evaluate_macfac,
    evaluate_retrievers,
)
from receval.retrieval.retrievers import ground_truth, read_ground_truth

__all__ = [
    "RetrieverEvaluation",
    "evaluate_macfac",
    "evaluate_retrievers",
    "ground_truth",
    "read_ground_truth",
]
