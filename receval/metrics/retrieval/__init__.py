"""Retrieval: one ranking of cases against the ground-truth ranking.

What they ask
-------------
`hits`, `hits_normalized`, `quality_mueller`
    Which of the best cases were retrieved?
`quality_stromer`, `distance`, `spearman`
    Where do they stand?
`correctness`, `completeness`, `kendall`
    How many pairs are in the right order?
`mae`, `mse`
    How far off are the similarities themselves?

Every metric is called as ``metric(truth, retrieved, *, k=None)`` and answers one float. A
ranking is anything with ``.items()`` (a dict, a Series) or pairs of case and similarity. It is
ordered by falling similarity; equal similarities keep the given order. ``k`` cuts both rankings.
Where document 003's text, formula and example disagree, a named argument chooses the reading;
the defaults are what reproduces the document's table. What cannot be computed is NaN;
`silence` says what an answer counts that leaves a metric without a value.

To put many metrics on the same rankings, make them a `Ranking` once with `as_ranking`.
"""

from receval.metrics.retrieval.cases import (
    hits,
    hits_normalized,
    hits_terms,
    quality_mueller,
    quality_mueller_terms,
)
from receval.metrics.retrieval.pairs import (
    PairCounts,
    completeness,
    correctness,
    kendall,
    pair_counts,
)
from receval.metrics.retrieval.places import (
    distance,
    distance_terms,
    quality_stromer,
    quality_stromer_terms,
    quality_stromer_weights,
    spearman,
    spearman_terms,
)
from receval.metrics.retrieval.ranking import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.silence import silence
from receval.metrics.retrieval.similarities import errors, mae, mae_terms, mse, mse_terms

__all__ = [
    "PairCounts",
    "Ranking",
    "RankingLike",
    "as_ranking",
    "completeness",
    "correctness",
    "distance",
    "distance_terms",
    "errors",
    "hits",
    "hits_normalized",
    "hits_terms",
    "kendall",
    "mae",
    "mae_terms",
    "mse",
    "mse_terms",
    "pair_counts",
    "quality_mueller",
    "quality_mueller_terms",
    "quality_stromer",
    "quality_stromer_terms",
    "quality_stromer_weights",
    "silence",
    "spearman",
    "spearman_terms",
]
