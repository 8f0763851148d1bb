"""receval: evaluation in which every number shows its definition, working and source.

The library
-----------
`receval.evaluation`
    `evaluate` your own tables under a named convention, compare systems, explain a number.
`receval.metrics`
    Metrics on arrays, one definition each; implicators and scalings.
`receval.definitions`
    The meaning of a name such as "nDCG@10": measures and conventions.
`receval.working`
    The term-by-term table behind a number.
`receval.significance`
    Tests, effect sizes and intervals: is a difference more than chance, and how large is it?
`receval.splitting`
    Folds and hold-outs as index arrays, and a report of what a split leaks.
`receval.tables`
    Reading and writing tables.
`receval.plots`
    Figures (needs ``receval[plots]``).
`receval.Ledger`, `receval.published`
    Compare your values with the figures that papers print, such as those of the five documents.
`receval.datasets`
    The documents' examples and other data to try things on.

The systems of the five documents
---------------------------------
`receval.matchmaking`
    Document 000: matchmakers for public contracts.
`receval.groups`
    Document 001: group recommenders, and the satisfaction of members.
`receval.fuzzy`, `receval.recommend`
    Document 002: challenge and response, on-line measures, predictability; lists from histories.
`receval.retrieval`
    Document 003: retrievers against a ground truth, MAC/FAC.
`receval.people`, `receval.grid`
    Document 004: grids of people recommenders, their parameters and measures in YAML.

The metrics of the walks are also available directly, such as `receval.ndcg`; all others are in
`receval.metrics`. Several families have their own precision, recall, f1, mae and mse, so these
names need their module, for example ``receval.metrics.ranking.precision``.

receval imports a module when you use one of its names for the first time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from receval._checks import EvaluationWarning, InputError
from receval._version import __version__

if TYPE_CHECKING:
    from receval import (
        datasets,
        definitions,
        evaluation,
        fuzzy,
        groups,
        matchmaking,
        metrics,
        people,
        plots,
        retrieval,
        significance,
        splitting,
        tables,
        working,
    )
    from receval import ledger as published
    from receval.evaluation import explain_difference, load, pooled
    from receval.evaluation.evaluate import evaluate
    from receval.evaluation.which import which
    from receval.fuzzy import recommend
    from receval.groups import evaluate_groups
    from receval.ledger import Ledger
    from receval.definitions import Measure, Terms, convention, conventions, measures
    from receval.metrics import (
        auc,
        average_precision,
        borda_points,
        completeness,
        confusion_matrix,
        correctness,
        dcg,
        hit,
        ideal_dcg,
        kendall,
        ndcg,
        quality_mueller,
        quality_stromer,
        reciprocal_rank,
        rmse,
        satisfaction,
    )
    from receval.people import grid
    from receval.retrieval import (
        evaluate_macfac,
        evaluate_retrievers,
        ground_truth,
    )
    from receval.tables import (
        lists_from_items,
        lists_from_scores,
        read_qrels,
        read_ratings,
        read_run,
        read_table,
        write_qrels,
        write_run,
        write_table,
    )

_MODULES = {
    "datasets": "receval.datasets",
    "definitions": "receval.definitions",
    "evaluation": "receval.evaluation",
    "fuzzy": "receval.fuzzy",
    "grid": "receval.people.grid",
    "groups": "receval.groups",
    "matchmaking": "receval.matchmaking",
    "metrics": "receval.metrics",
    "people": "receval.people",
    "plots": "receval.plots",
    "published": "receval.ledger",
    "recommend": "receval.fuzzy.recommend",
    "retrieval": "receval.retrieval",
    "significance": "receval.significance",
    "splitting": "receval.splitting",
    "tables": "receval.tables",
    "working": "receval.working",
}
"""Modules by their name in this package."""

_NAMES = {
    "receval.evaluation": "explain_difference load pooled",
    "receval.evaluation.evaluate": "evaluate",
    "receval.evaluation.which": "which",
    "receval.groups": """
        evaluate_groups
    """,
    "receval.ledger": "Ledger",
    "receval.definitions": """
        Measure Terms convention conventions measures
    """,
    "receval.metrics": """
        auc average_precision borda_points completeness confusion_matrix correctness dcg hit
        ideal_dcg kendall ndcg quality_mueller quality_stromer reciprocal_rank rmse satisfaction
    """,
    "receval.retrieval": """
        evaluate_macfac evaluate_retrievers ground_truth
    """,
    "receval.tables": """
        lists_from_items lists_from_scores read_qrels read_ratings read_run read_table write_qrels
        write_run write_table
    """,
}
"""Functions and classes that this package offers directly, by the module that defines them."""

_MODULE_BY_NAME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "EvaluationWarning",
    "InputError",
    "Ledger",
    "Measure",
    "Terms",
    "__version__",
    "auc",
    "average_precision",
    "borda_points",
    "completeness",
    "confusion_matrix",
    "convention",
    "conventions",
    "correctness",
    "datasets",
    "dcg",
    "definitions",
    "evaluate",
    "evaluate_groups",
    "evaluate_macfac",
    "evaluate_retrievers",
    "evaluation",
    "explain_difference",
    "fuzzy",
    "grid",
    "ground_truth",
    "groups",
    "hit",
    "ideal_dcg",
    "kendall",
    "lists_from_items",
    "lists_from_scores",
    "load",
    "matchmaking",
    "measures",
    "metrics",
    "ndcg",
    "people",
    "plots",
    "pooled",
    "published",
    "quality_mueller",
    "quality_stromer",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "reciprocal_rank",
    "recommend",
    "retrieval",
    "rmse",
    "satisfaction",
    "significance",
    "splitting",
    "tables",
    "which",
    "working",
    "write_qrels",
    "write_run",
    "write_table",
]


def __getattr__(name: str) -> object:
    """Import the module behind a name when the name is used for the first time."""
    if name in _MODULES:
        value: object = import_module(_MODULES[name])
    elif name in _MODULE_BY_NAME:
        value = getattr(import_module(_MODULE_BY_NAME[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # next time, Python finds the name without calling this function
    return value


def __dir__() -> list[str]:
    """List all names, including public ones that have not been imported yet."""
    return sorted({*globals(), *__all__})
