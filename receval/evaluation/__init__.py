"""Evaluate systems on your own tables, compare them, and explain a number.

You can also import the names that you need from `receval.definitions` and `receval.tables` here.
"""

from receval import significance
from receval.definitions import (
    Convention,
    Measure,
    Terms,
    convention,
    conventions,
    measure,
    measures,
)
from receval.evaluation.comparing import Comparison
from receval.evaluation.evaluate import evaluate
from receval.evaluation.folds import load, pooled
from receval.evaluation.result import Evaluation
from receval.evaluation.which import explain_difference, which
from receval.tables import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)

__all__ = [
    "Comparison",
    "Convention",
    "Evaluation",
    "Measure",
    "Terms",
    "convention",
    "conventions",
    "evaluate",
    "explain_difference",
    "load",
    "measure",
    "measures",
    "pooled",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "significance",
    "which",
    "write_qrels",
    "write_run",
    "write_table",
]
