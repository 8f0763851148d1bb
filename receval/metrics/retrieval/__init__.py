"""Retrieval metrics: they compare one ranking of cases with the ground-truth ranking.

Questions
---------
`hits`, `hits_normalized`, `quality_mueller`
    Which of the best cases were retrieved?
`quality_stromer`, `distance`, `spearman`
    At which places are they?
`correctness`, `completeness`, `kendall`
    How many pairs are in the right order?
`mae`, `mse`
    How far off are the similarities themselves?

You call every metric as ``metric(truth, retrieved, *, k=None)``, and it returns one float. A
ranking is anything with ``.items()`` (a dict, a Series) or pairs of case and similarity. receval
sorts it by descending similarity; equal similarities keep their order. ``k`` cuts both rankings. If
document 003's text, formula and example disagree, a named argument selects which of them applies;
the defaults reproduce the document's table. A value that cannot be computed is NaN, as "-" in the
document.

To compute many metrics of the same rankings, convert them once with `as_ranking`.
"""

from receval.metrics.retrieval.cases import (
    hits,
    hits_normalized,
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
)
from receval.metrics.retrieval.ranking import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.similarities import mae, mae_terms, mse, mse_terms

__all__ = [
    "PairCounts",
    "Ranking",
    "RankingLike",
    "as_ranking",
    "completeness",
    "correctness",
    "distance",
    "distance_terms",
    "hits",
    "hits_normalized",
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
    "spearman",
]
