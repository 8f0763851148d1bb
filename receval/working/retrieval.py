"""The working of the retrieval metrics: one row per case, place or pair.

Every function has the name and the arguments of a metric of `receval.metrics.retrieval`, and
returns a table of one query like those of `receval.working`: the terms are those that the metric
adds up, and if the sum is divided at the end, a last column named after the metric has the value
so far. ``table.attrs["value"]`` holds the value. `silence` shows how much a silent answer counts
in any of them.

>>> from receval.working import retrieval as working
>>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
>>> working.distance(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3}).round(2)
  case  place in truth  place  term  running sum  distance
0   G2               1      1   0.0          0.0      0.00
1   G4               3      2   1.0          1.0      0.33
2   G3               2      3   1.0          2.0      0.67
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeAlias, cast

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval._table import WorkingTable
from receval._types import AnyArray
from receval.metrics import retrieval
from receval.metrics.retrieval.pairs import count_comparisons, kendall_divisor
from receval.metrics.retrieval.places import common_ranks, rank_deviations, total_weight
from receval.metrics.retrieval.ranking import (
    Case,
    Ranking,
    RankingLike,
    common_similarities,
    cut_rankings,
    find_common_cases,
    find_places,
)
from receval.metrics.retrieval.silence import largest_errors, most_places
from receval.metrics.retrieval.similarities import pair_places

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
    "silence",
    "spearman",
]

Arguments = ParamSpec("Arguments")
Column: TypeAlias = AnyArray | pd.Series | Sequence[object]
Columns: TypeAlias = Mapping[str, Column]


class WorkingParts(NamedTuple):
    """The parts of a working.

    Attributes
    ----------
    columns : the columns that lead up to the terms, by name.
    terms : what the metric adds up.
    divisor : what the sum is divided by; None: nothing.
    """

    columns: Columns
    terms: FloatArray
    divisor: float | None


def _working_of(
    metric: Callable[Arguments, float], label: str, *, subtract_from_one: bool = False
) -> Callable[[Callable[..., WorkingParts]], Callable[Arguments, pd.DataFrame]]:
    """Decorate a function that returns the parts of a metric's working.

    The result has the arguments of the metric and returns the table. The decorated function gets
    the truth and the answer as rankings cut at k, then k and the options of the metric. A column
    named ``label`` has the metric so far: the running sum over the divisor, or 1 minus that.
    """

    def decorate(parts_of: Callable[..., WorkingParts]) -> Callable[Arguments, pd.DataFrame]:
        @wraps(parts_of)
        def working(
            truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, **options: Any
        ) -> pd.DataFrame:
            true_ranking, ranking = cut_rankings(truth, retrieved, k)
            value = metric(true_ranking, ranking, k=k, **options)  # type: ignore[arg-type]
            parts = parts_of(true_ranking, ranking, k, **options)
            table = WorkingTable({**parts.columns, "term": parts.terms})
            table["running sum"] = table["term"].cumsum()
            if parts.divisor is not None:
                share = table["running sum"] / (parts.divisor or math.nan)
                table[label] = 1 - share if subtract_from_one else share
            table.attrs.update(metric=label, value=value)
            return table

        signature = inspect.signature(metric).replace(return_annotation=pd.DataFrame)
        setattr(working, "__signature__", signature)  # noqa: B010
        return cast("Callable[Arguments, pd.DataFrame]", working)

    return decorate


@_working_of(retrieval.hits, "hits")
def hits(t: Ranking, r: Ranking, _: int | None) -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.hits`: one row per retrieved case.

    Examples
    --------
    >>> hits({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})[["case", "term"]]
      case  term
    0    a   1.0
    1    c   0.0
    """
    return WorkingParts(_places_in_truth(t, r), retrieval.hits_terms(t, r), None)


@_working_of(retrieval.hits_normalized, "hits normalized")
def hits_normalized(
    t: Ranking, r: Ranking, k: int | None, denominator: str = "cutoff"
) -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.hits_normalized`: the hits, divided.

    Examples
    --------
    >>> hits_normalized({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})["hits normalized"].tolist()
    [0.5, 0.5]
    """
    divisor = k
    if k is None or denominator == "length":
        divisor = len(r)
    return WorkingParts(_places_in_truth(t, r), retrieval.hits_terms(t, r), divisor)


@_working_of(retrieval.mae, "MAE")
def mae(t: Ranking, r: Ranking, _: int | None, pairing: str = "position") -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.mae`: one row per place, or per common case.

    Examples
    --------
    >>> mae({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")["term"].tolist()
    [0.25, 0.25]
    """
    return _error_parts(t, r, pairing, retrieval.mae_terms(t, r, pairing=pairing))


@_working_of(retrieval.mse, "MSE")
def mse(t: Ranking, r: Ranking, _: int | None, pairing: str = "position") -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.mse`: one row per place, or per common case.

    Examples
    --------
    >>> mse({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5})["term"].tolist()
    [0.0, 0.0]
    """
    return _error_parts(t, r, pairing, retrieval.mse_terms(t, r, pairing=pairing))


@_working_of(retrieval.quality_stromer, "Stromer")
def quality_stromer(
    t: Ranking,
    r: Ranking,
    k: int | None,
    count: str = "matches",
    cutoff: str = "capped",
) -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.quality_stromer`: one row per place.

    Examples
    --------
    >>> quality_stromer({"a": 0.9, "b": 0.5}, {"a": 0.9, "c": 0.5})[["weight", "err", "term"]]
       weight  err  term
    0     3.0    1   3.0
    1     2.0    0   0.0
    """
    terms = retrieval.quality_stromer_terms(t, r, k=k, count=count, cutoff=cutoff)
    weighted_places = k if cutoff == "literal" else None
    n_missing = len(t) - len(r)
    columns: Columns = {
        "true case": t.cases,
        "case": [*r.cases[: len(t)], *[None] * n_missing],
        "weight": retrieval.quality_stromer_weights(len(t), k=weighted_places),
        "err": (terms > 0).astype(int),
    }
    divisor = total_weight(len(t), weighted_places)
    return WorkingParts(_with_places(columns), terms, divisor)


@_working_of(retrieval.quality_mueller, "Müller", subtract_from_one=True)
def quality_mueller(t: Ranking, r: Ranking, _: int | None) -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.quality_mueller`: one row per wanted case.

    Examples
    --------
    >>> quality_mueller({"a": 0.75, "b": 0.5}, {"a": 0.9, "c": 0.5})[["missing", "Müller"]]
       missing  Müller
    0    False    1.00
    1     True    0.75
    """
    wanted = t.first(len(r))
    columns: Columns = {
        "true case": wanted.cases,
        "true similarity": wanted.similarities,
        "missing": find_places(wanted.cases, r) < 0,
    }
    return WorkingParts(_with_places(columns), retrieval.quality_mueller_terms(t, r), len(r))


@_working_of(retrieval.distance, "distance")
def distance(t: Ranking, r: Ranking, _: int | None, ranks: str = "place") -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.distance`: one row per common case.

    Examples
    --------
    >>> distance({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [1.0, 1.0]
    """
    true_rank, rank = common_ranks(t, r, ranks)
    columns: Columns = {"case": _common_cases(t, r), "place in truth": true_rank, "place": rank}
    return WorkingParts(columns, retrieval.distance_terms(t, r, ranks=ranks), rank.size)


@_working_of(retrieval.spearman, "Spearman")
def spearman(t: Ranking, r: Ranking, _: int | None) -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.spearman`: one row per common case.

    A deviation is a rank minus the mean rank, and a term the product of two. The last column
    is the running sum over the root of the product of both sums of squared deviations.

    Examples
    --------
    >>> spearman({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["Spearman"].tolist()
    [-0.5, -1.0]
    """
    true_deviation, deviation = rank_deviations(t, r)
    mean_rank = (deviation.size + 1) / 2
    columns: Columns = {
        "case": _common_cases(t, r),
        "rank in truth": true_deviation + mean_rank,
        "rank": deviation + mean_rank,
        "true deviation": true_deviation,
        "deviation": deviation,
    }
    true_squares = (true_deviation * true_deviation).sum()
    squares = (deviation * deviation).sum()
    return WorkingParts(columns, retrieval.spearman_terms(t, r), math.sqrt(true_squares * squares))


@_working_of(retrieval.correctness, "correctness")
def correctness(t: Ranking, r: Ranking, _: int | None) -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.correctness`: one row per pair.

    The term is 1 for a concordant pair of common cases, -1 for a discordant one and 0 for a tied
    one. The table lists every pair, n (n - 1) / 2 of them; the metric counts them without listing.

    Examples
    --------
    >>> correctness({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})[["first", "second", "kind"]]
      first second        kind
    0     b      a  discordant
    """
    columns, sign = _pairs(t, r)
    return WorkingParts(columns, sign, int(np.count_nonzero(sign)))


@_working_of(retrieval.completeness, "completeness")
def completeness(t: Ranking, r: Ranking, _: int | None, pairs: str = "all") -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.completeness`: one row per pair.

    The term is 1 if the answer decides the pair.

    Examples
    --------
    >>> completeness({"a": 0.9, "b": 0.5}, {"b": 0.5, "a": 0.5})["term"].tolist()
    [0.0]
    """
    columns, sign = _pairs(t, r)
    n_compared = count_comparisons(retrieval.pair_counts(t, r), pairs)
    return WorkingParts(columns, np.abs(sign), n_compared)


@_working_of(retrieval.kendall, "Kendall")
def kendall(t: Ranking, r: Ranking, _: int | None, variant: str = "a") -> WorkingParts:
    """Return the working of `receval.metrics.retrieval.kendall`: one row per pair.

    The terms are those of `correctness`.

    Examples
    --------
    >>> kendall({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [-1.0]
    """
    columns, sign = _pairs(t, r)
    return WorkingParts(columns, sign, kendall_divisor(retrieval.pair_counts(t, r), variant))


WORKING_OF: dict[Callable[..., float], Callable[..., pd.DataFrame]] = {
    retrieval.hits: hits,
    retrieval.hits_normalized: hits_normalized,
    retrieval.quality_stromer: quality_stromer,
    retrieval.quality_mueller: quality_mueller,
    retrieval.correctness: correctness,
    retrieval.completeness: completeness,
    retrieval.kendall: kendall,
    retrieval.spearman: spearman,
}
"""Metrics in which silence has no penalty of its own, with their workings.

It counts 0, or the weight of all places if Stromer's quality counts misses.
"""


def silence(
    metric: Callable[..., float],
    truth: RankingLike,
    retrieved: RankingLike = (),
    *,
    k: int | None = None,
    places: int | None = None,
    **reading: Any,
) -> pd.DataFrame:
    """Return the working of `receval.metrics.retrieval.silence`, which values a silent answer.

    MAE and MSE have a row per place of the truth with the largest error that it allows, or only
    the largest of all (``pairing="case"`` with a cut-off); the distance has one row. All other
    metrics have the rows of their own working, in which every term is 0.
    ``table.attrs["value"]`` holds the value, and ``table.attrs["rule"]`` explains it in words.

    Parameters
    ----------
    metric, truth, k, places, **reading
        As in `receval.metrics.retrieval.silence`.
    retrieved : mapping, Series, or (case, similarity) pairs, optional
        The answer that leaves the metric without a value. Default: an empty one.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        As in `receval.metrics.retrieval.silence`.

    Examples
    --------
    >>> table = silence(retrieval.mae, {"a": 0.75, "b": 0.5})
    >>> table[["true case", "largest error", "MAE"]]
      true case  largest error    MAE
    0         a           0.75  0.375
    1         b           0.50  0.625
    >>> table.attrs["value"], table.attrs["rule"]
    (0.625, 'counts the mean of max(t, 1 - t) over the true similarities t')
    """
    value = retrieval.silence(metric, truth, k=k, places=places, **reading)
    ranking = retrieval.as_ranking(truth, "truth")
    if metric is retrieval.distance:
        table, rule = _silent_distance(ranking, k, places)
    elif metric in (retrieval.mae, retrieval.mse):
        table, rule = _silent_errors(metric, ranking, k, places, **reading)
    else:
        table = WORKING_OF[metric](ranking, retrieved, k=k, **reading)
        rule = f"counts {value:g}"
    if math.isnan(metric(ranking, ranking, k=k, **reading)):
        rule = "counts nothing, because the truth compared with itself has no value"
    elif math.isnan(value):
        rule = "counts nothing, because every distance is 0 where k is 1"
    table.attrs.update(value=value, rule=rule)
    return table


def _silent_distance(truth: Ranking, k: int | None, places: int | None) -> tuple[pd.DataFrame, str]:
    """Return the table of the largest distance, with the rule in words."""
    last_place = k or most_places(truth, places)
    largest = [last_place - 1.0]
    table = WorkingTable(
        {"k": [last_place], "term": largest, "running sum": largest, "distance": largest}
    )
    table.attrs["metric"] = "distance"
    return table, f"counts k - 1, with k = {last_place}"


def _silent_errors(
    metric: Callable[..., float],
    truth: Ranking,
    k: int | None,
    places: int | None,
    pairing: str = "position",
) -> tuple[pd.DataFrame, str]:
    """Return the table of the largest errors that each place allows, with the rule in words."""
    if metric is retrieval.mse:
        label, largest_error = "MSE", "max(t, 1 - t)²"
    else:
        label, largest_error = "MAE", "max(t, 1 - t)"
    terms = largest_errors(metric, truth, k=k, places=places, pairing=pairing)
    compared_truth = truth.first(k)
    errors = np.maximum(compared_truth.similarities, 1 - compared_truth.similarities)
    shown = slice(None)
    rule = f"counts the mean of {largest_error} over the true similarities t"
    only_largest_counts = terms.size < errors.size
    if only_largest_counts:
        largest = int(errors.argmax())
        shown = slice(largest, largest + 1)
        rule = f"counts the largest {largest_error}, for any case may be the only one compared"
    columns = _with_places(
        {
            "true case": compared_truth.cases,
            "true similarity": compared_truth.similarities,
            "largest error": errors,
        }
    )
    table = WorkingTable(
        {**{name: column[shown] for name, column in columns.items()}, "term": terms}
    )
    table["running sum"] = table["term"].cumsum()
    table[label] = table["running sum"] / terms.size
    table.attrs["metric"] = label
    return table, rule


def _with_places(columns: Columns) -> Columns:
    """Return the columns behind one with the places, from 1."""
    n_places = len(next(iter(columns.values())))
    return {"place": np.arange(1, n_places + 1), **columns}


def _places_in_truth(t: Ranking, r: Ranking) -> Columns:
    """Return the retrieved cases with their places in the truth; missing for those not in it."""
    place = pd.Series(find_places(r.cases, t) + 1, dtype="Int64")
    return _with_places({"case": r.cases, "place in truth": place.mask(place == 0)})


def _common_cases(t: Ranking, r: Ranking) -> list[Case]:
    """Return the cases in both rankings, in the order retrieved."""
    _, retrieved_places = find_common_cases(t, r)
    return [r.cases[place] for place in retrieved_places]


def _error_parts(t: Ranking, r: Ranking, pairing: str, terms: FloatArray) -> WorkingParts:
    """Return the parts of MAE and MSE: pairs of similarities, by position or by case."""
    in_truth, in_retrieved = pair_places(t, r, pairing)
    columns: dict[str, Column] = {}
    if pairing == "position":
        columns["true case"] = t.cases[: terms.size]
    columns["case"] = [r.cases[place] for place in in_retrieved]
    true_similarity = t.similarities[in_truth]
    similarity = r.similarities[in_retrieved]
    columns["true similarity"] = true_similarity
    columns["similarity"] = similarity
    columns["error"] = true_similarity - similarity
    if pairing == "position":
        return WorkingParts(_with_places(columns), terms, terms.size)
    return WorkingParts(columns, terms, terms.size)


def _pairs(t: Ranking, r: Ranking) -> tuple[Columns, FloatArray]:
    """Return every pair of common cases, in the order retrieved, and its sign.

    The sign is 1 for a concordant pair, -1 for a discordant one, and 0 if either ranking ties.
    """
    cases = _common_cases(t, r)
    true_similarity, similarity = common_similarities(t, r)
    first, second = np.triu_indices(len(cases), 1)
    true_order = np.sign(true_similarity[first] - true_similarity[second])
    order = np.sign(similarity[first] - similarity[second])
    sign = true_order * order + 0.0  # adding 0 turns -0.0 into 0.0
    # Indexed by -1, 0 and 1: the last element belongs to -1.
    relations = np.array(["=", ">", "<"])
    kinds = np.array(["tied", "concordant", "discordant"])
    columns: Columns = {
        "first": [cases[position] for position in first],
        "second": [cases[position] for position in second],
        "truth": relations[true_order.astype(int)],
        "retrieved": relations[order.astype(int)],
        "kind": kinds[sign.astype(int)],
    }
    return columns, sign
