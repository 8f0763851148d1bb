"""receval: evaluation in which every number shows its definition, its working and its source.

Modules
-------
`receval.evaluation`
    Start here: `evaluate` your own tables under a named convention, compare, explain.
`receval.tables`
    Reading and writing tables.
`receval.measure`
    Measures and conventions: the meaning of a name such as "nDCG@10".
`receval.retrieval`
    Document 003: evaluating retrievers against a ground truth, MAC/FAC.
`receval.grid`
    Document 004: grids of algorithms and measures in YAML.
`receval.metrics`
    Metrics on arrays, with one definition each.
`receval.recommend`
    Item-to-item recommending: histories, novelty and diversity re-ranking, grids of variants.
`receval.significance`
    Tests, effect sizes and intervals of differences.
`receval.splitting`
    Folds and hold-outs as index arrays, and the leakage of a split.
`receval.working`
    Tables of the terms behind a number.
`receval.fuzzy`
    Document 002: fuzzy implicators, challenge and response, on-line measures, and the
    prediction of on-line success by off-line metrics.
`receval.published`
    Printed figures of the source documents, and the ledger that compares them with computed ones.
`receval.datasets`
    The examples of the documents, and other data to experiment with.
`receval.plots`
    Figures.

You can also import the metrics from `receval` directly; below they are grouped by what they
measure. Several families have a metric called precision, recall, f1, mae or mse. These are called
through their module, for example ``receval.metrics.ranking.precision``.
"""

from receval import (
    datasets,
    evaluation,
    fuzzy,
    grid,
    measure,
    metrics,
    plots,
    published,
    recommend,
    retrieval,
    significance,
    splitting,
    tables,
    working,
)
from receval._checks import EvaluationWarning, InputError
from receval._version import __version__

# Tables in, tables out
from receval.evaluation import (
    evaluate,
    evaluate_groups,
    explain_difference,
    load,
    pooled,
    scorer,
    which,
)
from receval.grid import read_grid
from receval.measure import Measure, Terms, conventions, measures
from receval.retrieval import (
    evaluate_macfac,
    evaluate_retrievers,
    ground_truth,
    read_ground_truth,
)
from receval.tables import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)

# Whether relevant items are retrieved, and how early
from receval.metrics import (
    auc,
    average_precision,
    hit,
    r_precision,
    reciprocal_rank,
)

# How much graded relevance the top of the list gathers
from receval.metrics import (
    binary_gain,
    clipped_log2,
    cumulative_gain,
    dcg,
    exponential_gain,
    ideal_dcg,
    linear_gain,
    ndcg,
    reciprocal,
    relison_gain,
    shifted_log2,
    undiscounted,
)

# How close a retrieved ranking comes to the true one
from receval.metrics import (
    completeness,
    correctness,
    distance,
    hits,
    hits_normalized,
    kendall,
    quality_mueller,
    quality_stromer,
    spearman,
)

# How far predicted ratings and decisions are off
from receval.metrics import confusion_matrix, factorization_rmse, rmse

# What accuracy does not see: coverage, the long tail, novelty, diversity
from receval.metrics import (
    catalog_coverage,
    intra_list_diversity,
    long_tail_percentage,
    prediction_coverage,
    seen_share,
    short_head,
    temporal_novelty,
    user_novelty,
)

# How a group decides, and how its members fare
from receval.metrics import (
    aggregate,
    borda_count,
    borda_points,
    group_ranking,
    rank_items,
    satisfaction,
    spread,
)

__all__ = [
    "EvaluationWarning",
    "InputError",
    "Measure",
    "Terms",
    "__version__",
    "aggregate",
    "auc",
    "average_precision",
    "binary_gain",
    "borda_count",
    "borda_points",
    "catalog_coverage",
    "clipped_log2",
    "completeness",
    "confusion_matrix",
    "conventions",
    "correctness",
    "cumulative_gain",
    "datasets",
    "dcg",
    "distance",
    "evaluate",
    "evaluate_groups",
    "evaluate_macfac",
    "evaluate_retrievers",
    "evaluation",
    "explain_difference",
    "exponential_gain",
    "factorization_rmse",
    "fuzzy",
    "grid",
    "ground_truth",
    "group_ranking",
    "hit",
    "hits",
    "hits_normalized",
    "ideal_dcg",
    "intra_list_diversity",
    "kendall",
    "linear_gain",
    "load",
    "long_tail_percentage",
    "measure",
    "measures",
    "metrics",
    "ndcg",
    "plots",
    "pooled",
    "prediction_coverage",
    "published",
    "quality_mueller",
    "quality_stromer",
    "r_precision",
    "rank_items",
    "read_grid",
    "read_ground_truth",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "reciprocal",
    "reciprocal_rank",
    "recommend",
    "relison_gain",
    "retrieval",
    "rmse",
    "satisfaction",
    "scorer",
    "seen_share",
    "shifted_log2",
    "short_head",
    "significance",
    "spearman",
    "splitting",
    "spread",
    "tables",
    "temporal_novelty",
    "undiscounted",
    "user_novelty",
    "which",
    "working",
    "write_qrels",
    "write_run",
    "write_table",
]
