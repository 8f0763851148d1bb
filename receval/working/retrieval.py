"""The working of the retrieval metrics: one row per case, place or pair.

Every function has the name and the arguments of a metric of `receval.metrics.retrieval`, and
returns a table of one query like those of `receval.working`: the terms are those that the metric
adds up, and if the sum is divided at the end, a last column named after the metric has the value
so far. ``table.attrs["value"]`` holds the value.

>>> from receval.working import retrieval as working
>>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
>>> working.distance(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}).round(2)
  case  place in truth  place  term  running sum  distance
0   G2               1      1   0.0          0.0      0.00
1   G4               3      2   1.0          1.0      0.33
2   G3               2      3   1.0          2.0      0.67
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from receval._arrays import divide_or_nan
from receval._checks import AnyArray, FloatArray, Id
from receval.metrics import retrieval
from receval.metrics.case_ranking import (
    Ranking,
    RankingLike,
    common_similarities,
    cut_rankings,
    find_common_cases,
    find_places,
)
from receval.metrics.retrieval import (
    kendall_divisor,
    pair_places,
    rank_deviations,
    similarity_errors,
)
from receval.working.tables import Column, Columns, numbered, working_of_share, working_of_sum

__all__ = [
    "completeness",
    "correctness",
    "distance",
    "hits",
    "hits_normalized",
    "kendall",
    "mae",
    "mse",
    "quality_mueller",
    "quality_stromer",
    "spearman",
]


def hits(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.hits`: one row per retrieved case.

    Examples
    --------
    >>> hits({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})[["case", "term"]]
      case  term
    0    a   1.0
    1    c   0.0
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = retrieval.hits(truth, retrieved)
    return working_of_sum(_retrieved_cases(truth, retrieved), "hits", value)


def hits_normalized(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    denominator: str = "cutoff",
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.hits_normalized`: the divided hits.

    There is one row per retrieved case. The divisor is the cut-off or, without one or with
    ``denominator="length"``, the number of retrieved cases.

    Examples
    --------
    >>> hits_normalized({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})["hits normalized"].tolist()
    [0.5, 0.5]
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = retrieval.hits_normalized(truth, retrieved, k=k, denominator=denominator)
    return working_of_share(_retrieved_cases(truth, retrieved), "hits normalized", value)


def _retrieved_cases(truth: Ranking, retrieved: Ranking) -> Columns:
    """Return the retrieved cases with their places in the truth from 1, NA for cases not in it."""
    places = find_places(retrieved.cases, truth) + 1
    columns: dict[str, Column] = {
        "case": retrieved.cases,
        "place in truth": pd.Series(places, dtype="Int64").replace(0, pd.NA),
        "term": (places > 0).astype(np.float64),
    }
    return numbered(columns, number="place")


def mae(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.mae`: one row per place, or per common case.

    Examples
    --------
    >>> mae({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")["term"].tolist()
    [0.25, 0.25]
    """
    return _working_of_errors(
        "MAE", retrieval.mae, retrieval.mae_terms, truth, retrieved, k, pairing
    )


def mse(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.mse`: one row per place, or per common case.

    Examples
    --------
    >>> mse({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5})["term"].tolist()
    [0.0, 0.0]
    """
    return _working_of_errors(
        "MSE", retrieval.mse, retrieval.mse_terms, truth, retrieved, k, pairing
    )


def _working_of_errors(
    label: str,
    metric: Callable[..., float],
    terms_of: Callable[..., FloatArray],
    truth: RankingLike,
    retrieved: RankingLike,
    k: int | None,
    pairing: str,
) -> pd.DataFrame:
    """Return the working of MAE or MSE, in which a row compares a true with a retrieved similarity.

    If ``pairing`` is "position", the row compares the similarities at the same place. They may
    belong to different cases, so the row has both cases and the place. If ``pairing`` is "case",
    the row compares the two similarities of the same case.
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = metric(truth, retrieved, k=k, pairing=pairing)
    # The places, from 0, of the similarities that are compared.
    in_truth, in_retrieved = pair_places(truth, retrieved, pairing)
    columns: dict[str, Column] = {
        "case": [retrieved.cases[place] for place in in_retrieved],
        "true similarity": truth.similarities[in_truth],
        "similarity": retrieved.similarities[in_retrieved],
        "error": similarity_errors(truth, retrieved, None, pairing),
        "term": terms_of(truth, retrieved, k=k, pairing=pairing),
    }
    if pairing == "position":
        true_cases = [truth.cases[place] for place in in_truth]
        columns = numbered({"true case": true_cases, **columns}, number="place")
    return working_of_share(columns, label, value)


def quality_stromer(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    count: str = "matches",
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.quality_stromer`: one row per place.

    The places are those of the truth. The column ``err`` is 1 if the place counts: if both rankings
    have the same case there or, with ``count="misses"``, if they do not. The term is its weight.

    Examples
    --------
    >>> quality_stromer({"a": 0.9, "b": 0.5}, {"a": 0.9, "c": 0.5})[["weight", "err", "term"]]
       weight  err  term
    0     3.0    1   3.0
    1     2.0    0   0.0
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = retrieval.quality_stromer(truth, retrieved, count=count)
    terms = retrieval.quality_stromer_terms(truth, retrieved, count=count)
    columns: dict[str, Column] = {
        "true case": truth.cases,
        # Cut the answer at the last place of the truth, or fill it up with missing cases.
        "case": [*retrieved.cases, *[None] * len(truth)][: len(truth)],
        "weight": retrieval.quality_stromer_weights(len(truth)),
        "err": (terms > 0).astype(int),
        "term": terms,
    }
    return working_of_share(numbered(columns, number="place"), "Stromer", value)


def quality_mueller(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.quality_mueller`: one row per wanted case.

    If n cases are retrieved, the wanted ones are the first n of the truth. The term is the true
    similarity of a wanted case that is missing, and 0 otherwise. The last column is 1 minus the
    running sum over n.

    Examples
    --------
    >>> quality_mueller({"a": 0.75, "b": 0.5}, {"a": 0.9, "c": 0.5})[["missing", "Müller"]]
       missing  Müller
    0    False    1.00
    1     True    0.75
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = retrieval.quality_mueller(truth, retrieved, k=k)
    wanted = truth.first(len(retrieved))
    columns: dict[str, Column] = {
        "true case": wanted.cases,
        "true similarity": wanted.similarities,
        "missing": find_places(wanted.cases, retrieved) < 0,
        "term": retrieval.quality_mueller_terms(truth, retrieved),
    }
    table = working_of_sum(numbered(columns, number="place"), "Müller", value)
    table["Müller"] = 1 - divide_or_nan(table["running sum"], len(retrieved))
    return table


def distance(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.distance`: one row per common case.

    A term is the difference of the two places of a case. The last column is the running sum over
    the number of common cases.

    Examples
    --------
    >>> distance({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [1.0, 1.0]
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    in_truth, in_retrieved = find_common_cases(truth, retrieved)
    columns: dict[str, Column] = {
        "case": _common_cases(truth, retrieved),
        "place in truth": in_truth + 1,
        "place": in_retrieved + 1,
        "term": retrieval.distance_terms(truth, retrieved),
    }
    return working_of_share(columns, "distance", retrieval.distance(truth, retrieved))


def spearman(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.spearman`: one row per common case.

    A deviation is a rank minus the mean rank, and a term is the product of the two deviations of a
    case. The last column is the running sum divided by a constant. This is the square root of a
    product: the sum of the squared deviations in one ranking times that in the other.

    Examples
    --------
    >>> spearman({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["Spearman"].tolist()
    [-0.5, -1.0]
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    true_deviation, deviation = rank_deviations(truth, retrieved)
    mean_rank = (deviation.size + 1) / 2
    columns: dict[str, Column] = {
        "case": _common_cases(truth, retrieved),
        "rank in truth": true_deviation + mean_rank,
        "rank": deviation + mean_rank,
        "true deviation": true_deviation,
        "deviation": deviation,
        "term": true_deviation * deviation,
    }
    divisor = math.sqrt((true_deviation**2).sum() * (deviation**2).sum())
    return working_of_share(columns, "Spearman", retrieval.spearman(truth, retrieved), divisor)


def correctness(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.correctness`: one row per pair.

    The term is 1 for a concordant pair of common cases, -1 for a discordant one and 0 for a tied
    one. The table lists every pair, n (n - 1) / 2 of them. The metric only counts them.

    Examples
    --------
    >>> correctness({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})[["first", "second", "kind"]]
      first second        kind
    0     b      a  discordant
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    columns = _pairs(truth, retrieved)
    value = retrieval.correctness(truth, retrieved)
    n_ordered = int(np.count_nonzero(columns["term"]))
    return working_of_share(columns, "correctness", value, n_ordered)


def completeness(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairs: str = "all"
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.completeness`: one row per pair.

    The term is 1 if both rankings order the pair, and 0 if it is tied in either of them.

    Examples
    --------
    >>> completeness({"a": 0.9, "b": 0.5}, {"b": 0.5, "a": 0.5})["term"].tolist()
    [0.0]
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = retrieval.completeness(truth, retrieved, k=k, pairs=pairs)
    columns = _pairs(truth, retrieved)
    columns["term"] = np.abs(columns["term"])
    return working_of_share(columns, "completeness", value)


def kendall(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, variant: str = "a"
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.kendall`: one row per pair.

    The terms are those of `correctness`.

    Examples
    --------
    >>> kendall({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [-1.0]
    """
    truth, retrieved = cut_rankings(truth, retrieved, k)
    value = retrieval.kendall(truth, retrieved, k=k, variant=variant)
    divisor = kendall_divisor(retrieval.pair_counts(truth, retrieved), variant)
    return working_of_share(_pairs(truth, retrieved), "Kendall", value, divisor)


def _pairs(truth: Ranking, retrieved: Ranking) -> dict[str, AnyArray]:
    """Return every pair of common cases, and as its term whether both rankings order it alike.

    The term is 1 if both rankings order the pair in the same way (it is concordant), -1 if they
    order it in opposite ways (discordant), and 0 if it is tied in either ranking. The cases are in
    the order of ``retrieved``.
    """
    # A Series keeps ids that are tuples, which an array would split.
    cases = pd.Series(_common_cases(truth, retrieved), dtype=object).to_numpy()
    true_similarity, similarity = common_similarities(truth, retrieved)
    first, second = np.triu_indices(len(cases), 1)  # the positions of each pair, once
    true_order = np.sign(true_similarity[first] - true_similarity[second])
    order = np.sign(similarity[first] - similarity[second])
    sign = true_order * order + 0.0  # adding 0 turns -0.0 into 0.0
    relations = {1.0: ">", 0.0: "=", -1.0: "<"}
    kinds = {1.0: "concordant", 0.0: "tied", -1.0: "discordant"}
    return {
        "first": cases[first],
        "second": cases[second],
        "truth": pd.Series(true_order).map(relations).to_numpy(),
        "retrieved": pd.Series(order).map(relations).to_numpy(),
        "kind": pd.Series(sign).map(kinds).to_numpy(),
        "term": sign,
    }


def _common_cases(truth: Ranking, retrieved: Ranking) -> list[Id]:
    """Return the cases that are in both rankings, in retrieved order."""
    return [case for case in retrieved.cases if case in truth.place]
