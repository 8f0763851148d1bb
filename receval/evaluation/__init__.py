"""Tables in, tables out: evaluating systems on one's own data."""

from receval import significance
from receval.evaluation.comparison import Comparison
from receval.evaluation.convention import Convention
from receval.evaluation.conventions import convention, conventions
from receval.evaluation.difference import explain_difference
from receval.evaluation.evaluate import evaluate
from receval.evaluation.folds import pooled
from receval.evaluation.formats import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)
from receval.evaluation.grid import Grid, read_grid
from receval.evaluation.macfac import MacFac, MacFacEvaluation, evaluate_macfac
from receval.evaluation.measure import Measure
from receval.evaluation.measures import measure, measures
from receval.evaluation.result import Evaluation
from receval.evaluation.retrievers import RetrieverEvaluation, evaluate_retrievers
from receval.evaluation.truth import ground_truth, read_ground_truth

__all__ = [
    "Comparison",
    "Convention",
    "Evaluation",
    "Grid",
    "MacFac",
    "MacFacEvaluation",
    "Measure",
    "RetrieverEvaluation",
    "convention",
    "conventions",
    "evaluate",
    "evaluate_macfac",
    "evaluate_retrievers",
    "explain_difference",
    "ground_truth",
    "measure",
    "measures",
    "pooled",
    "read_grid",
    "read_ground_truth",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "significance",
    "write_qrels",
    "write_run",
    "write_table",
]
