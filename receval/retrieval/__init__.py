"""Document 003: evaluate the quality and speed of retrievers and MAC/FAC against a ground truth."""

from receval.retrieval.macfac import MacFac
from receval.retrieval.retrievers import RetrieverEvaluation, evaluate_retrievers
from receval.retrieval.similarities import linear_retriever
from receval.retrieval.sweeps import MacFacEvaluation, evaluate_macfac
from receval.retrieval.truth import ground_truth, read_ground_truth

__all__ = [
    "MacFac",
    "MacFacEvaluation",
    "RetrieverEvaluation",
    "evaluate_macfac",
    "evaluate_retrievers",
    "ground_truth",
    "linear_retriever",
    "read_ground_truth",
]
