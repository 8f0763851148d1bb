"""Tables in, tables out: evaluating systems on one's own data."""

from receval.evaluation.conventions import Convention, convention, conventions
from receval.evaluation.evaluate import evaluate
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
from receval.evaluation.measure import Measure
from receval.evaluation.measures import measure, measures
from receval.evaluation.result import Evaluation, pooled

__all__ = [
    "Convention",
    "Evaluation",
    "Grid",
    "Measure",
    "convention",
    "conventions",
    "evaluate",
    "measure",
    "measures",
    "pooled",
    "read_grid",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "write_qrels",
    "write_run",
    "write_table",
]
