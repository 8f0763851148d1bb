"""The working of the retrieval metrics: one row per case, place or pair.

Every function has the name and the arguments of a metric of `receval.metrics.retrieval` and
answers a table of one query in the manner of `receval.working`: the terms are those that the
metric adds up, and where the sum is divided at the end, a last column named after the metric
says what it comes to so far. ``table.attrs["value"]`` holds the value. `silence` is the working of
what a silent answer counts in any of them.

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
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, cast

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval._table import WorkingTable
from receval.metrics import retrieval
from receval.metrics.retrieval.pairs import compared, kendall_divisor
from receval.metrics.retrieval.places import rank_deviations, ranks_of, total_weight
from receval.metrics.retrieval.ranking import (
    Case,
    Ranking,
    RankingLike,
    cut,
    places,
    shared,
    shared_similarities,
)
from receval.metrics.retrieval.silence import largest_errors, most_places
from receval.metrics.retrieval.similarities import paired

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
# The columns that lead up to the terms, the terms, and what their sum is divided by.
Parts = tuple[dict[str, Any], FloatArray, float | None]


def _of(
    metric: Callable[Arguments, float], label: str, *, from_one: bool = False
) -> Callable[[Callable[..., Parts]], Callable[Arguments, pd.DataFrame]]:
    """Let a function of two cut rankings, which answers `Parts`, answer the metric's working."""

    def with_sums(parts: Callable[..., Parts]) -> Callable[Arguments, pd.DataFrame]:
        @wraps(parts)
        def working(truth: Any, retrieved: Any, *, k: int | None = None, **reading: Any) -> Any:
            t, r = cut(truth, retrieved, k)
            value = metric(t, r, k=k, **reading)  # type: ignore[arg-type]
            columns, terms, divisor = parts(t, r, k, **reading)
            table = WorkingTable(columns | {"term": terms})
            sums = table["running sum"] = table["term"].cumsum()
            if divisor is not None:
                reached = sums / (divisor or math.nan)
                table[label] = 1 - reached if from_one else reached
            table.attrs.update(metric=label, value=value)
            return table

        signature = inspect.signature(metric).replace(return_annotation=pd.DataFrame)
        setattr(working, "__signature__", signature)  # noqa: B010
        return cast("Callable[Arguments, pd.DataFrame]", working)

    return with_sums


@_of(retrieval.hits, "hits")
def hits(t: Ranking, r: Ranking, _: int | None) -> Parts:
    """The working of `receval.metrics.retrieval.hits`: one row per retrieved case.

    Examples
    --------
    >>> hits({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})[["case", "term"]]
      case  term
    0    a   1.0
    1    c   0.0
    """
    return _found(t, r), retrieval.hits_terms(t, r), None


@_of(retrieval.hits_normalized, "hits normalized")
def hits_normalized(t: Ranking, r: Ranking, k: int | None, denominator: str = "cutoff") -> Parts:
    """The working of `receval.metrics.retrieval.hits_normalized`: that of the hits, divided.

    Examples
    --------
    >>> hits_normalized({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})["hits normalized"].tolist()
    [0.5, 0.5]
    """
    n = len(r) if k is None or denominator == "length" else k
    return _found(t, r), retrieval.hits_terms(t, r), n


@_of(retrieval.mae, "MAE")
def mae(t: Ranking, r: Ranking, _: int | None, pairing: str = "position") -> Parts:
    """The working of `receval.metrics.retrieval.mae`: one row per place, or per common case.

    Examples
    --------
    >>> mae({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")["term"].tolist()
    [0.25, 0.25]
    """
    return _errors(t, r, pairing, retrieval.mae_terms(t, r, pairing=pairing))


@_of(retrieval.mse, "MSE")
def mse(t: Ranking, r: Ranking, _: int | None, pairing: str = "position") -> Parts:
    """The working of `receval.metrics.retrieval.mse`: one row per place, or per common case.

    Examples
    --------
    >>> mse({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5})["term"].tolist()
    [0.0, 0.0]
    """
    return _errors(t, r, pairing, retrieval.mse_terms(t, r, pairing=pairing))


@_of(retrieval.quality_stromer, "Stromer")
def quality_stromer(
    t: Ranking,
    r: Ranking,
    k: int | None,
    count: str = "matches",
    cutoff: str = "capped",
) -> Parts:
    """The working of `receval.metrics.retrieval.quality_stromer`: one row per place of the truth.

    Examples
    --------
    >>> quality_stromer({"a": 0.9, "b": 0.5}, {"a": 0.9, "c": 0.5})[["weight", "err", "term"]]
       weight  err  term
    0     3.0    1   3.0
    1     2.0    0   0.0
    """
    terms = retrieval.quality_stromer_terms(t, r, k=k, count=count, cutoff=cutoff)
    k = k if cutoff == "literal" else None
    columns = {
        "true case": t.cases,
        "case": [*r.cases[: len(t)], *[None] * (len(t) - len(r))],
        "weight": retrieval.quality_stromer_weights(len(t), k=k),
        "err": (terms > 0).astype(int),
    }
    return _by_place(columns), terms, total_weight(len(t), k)


@_of(retrieval.quality_mueller, "Müller", from_one=True)
def quality_mueller(t: Ranking, r: Ranking, _: int | None) -> Parts:
    """The working of `receval.metrics.retrieval.quality_mueller`: one row per wanted case.

    Examples
    --------
    >>> quality_mueller({"a": 0.75, "b": 0.5}, {"a": 0.9, "c": 0.5})[["missing", "Müller"]]
       missing  Müller
    0    False    1.00
    1     True    0.75
    """
    wanted = t.first(len(r))
    columns = {"true case": wanted.cases, "true similarity": wanted.similarities}
    columns["missing"] = places(wanted.cases, r) < 0
    return _by_place(columns), retrieval.quality_mueller_terms(t, r), len(r)


@_of(retrieval.distance, "distance")
def distance(t: Ranking, r: Ranking, _: int | None, ranks: str = "place") -> Parts:
    """The working of `receval.metrics.retrieval.distance`: one row per common case.

    Examples
    --------
    >>> distance({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [1.0, 1.0]
    """
    true_rank, rank = ranks_of(t, r, ranks)
    columns = {"case": _common(t, r), "place in truth": true_rank, "place": rank}
    return columns, retrieval.distance_terms(t, r, ranks=ranks), rank.size


@_of(retrieval.spearman, "Spearman")
def spearman(t: Ranking, r: Ranking, _: int | None) -> Parts:
    """The working of `receval.metrics.retrieval.spearman`: one row per common case.

    A deviation is a rank minus the mean rank, and a term the product of two. The last column
    is the running sum over the root of the product of both sums of squared deviations.

    Examples
    --------
    >>> spearman({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["Spearman"].tolist()
    [-0.5, -1.0]
    """
    x, y = rank_deviations(t, r)
    mean = (x.size + 1) / 2
    columns = {"case": _common(t, r), "rank in truth": x + mean, "rank": y + mean}
    columns |= {"true deviation": x, "deviation": y}
    return columns, retrieval.spearman_terms(t, r), math.sqrt((x * x).sum() * (y * y).sum())


@_of(retrieval.correctness, "correctness")
def correctness(t: Ranking, r: Ranking, _: int | None) -> Parts:
    """The working of `receval.metrics.retrieval.correctness`: one row per pair of common cases.

    The term is 1 for a concordant pair, -1 for a discordant one and 0 for a tied one. The
    table lists every pair, n (n - 1) / 2 of them; the metric counts them without listing.

    Examples
    --------
    >>> correctness({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})[["first", "second", "kind"]]
      first second        kind
    0     b      a  discordant
    """
    columns, sign = _pairs(t, r)
    return columns, sign, int(np.count_nonzero(sign))


@_of(retrieval.completeness, "completeness")
def completeness(t: Ranking, r: Ranking, _: int | None, pairs: str = "all") -> Parts:
    """The working of `receval.metrics.retrieval.completeness`: one row per pair; 1 if decided.

    Examples
    --------
    >>> completeness({"a": 0.9, "b": 0.5}, {"b": 0.5, "a": 0.5})["term"].tolist()
    [0.0]
    """
    columns, sign = _pairs(t, r)
    return columns, np.abs(sign), compared(retrieval.pair_counts(t, r), pairs)


@_of(retrieval.kendall, "Kendall")
def kendall(t: Ranking, r: Ranking, _: int | None, variant: str = "a") -> Parts:
    """The working of `receval.metrics.retrieval.kendall`: one row per pair, as in `correctness`.

    Examples
    --------
    >>> kendall({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [-1.0]
    """
    return *_pairs(t, r), kendall_divisor(retrieval.pair_counts(t, r), variant)


# Silence counts 0 in these, and the weight of all places where Stromer's quality counts misses.
WITHOUT_PENALTY: dict[Callable[..., float], Callable[..., pd.DataFrame]] = {
    retrieval.hits: hits,
    retrieval.hits_normalized: hits_normalized,
    retrieval.quality_stromer: quality_stromer,
    retrieval.quality_mueller: quality_mueller,
    retrieval.correctness: correctness,
    retrieval.completeness: completeness,
    retrieval.kendall: kendall,
    retrieval.spearman: spearman,
}


def silence(
    metric: Callable[..., float],
    truth: RankingLike,
    retrieved: RankingLike = (),
    *,
    k: int | None = None,
    places: int | None = None,
    **reading: Any,
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.silence`: what a silent answer counts, and why.

    MAE and MSE have a row per place of the truth with the largest error that it allows, or only
    the largest of all (``pairing="case"`` with a cut-off); the distance has one row. In all other
    metrics the rows are those of the metric's own working, which come to nothing.
    ``table.attrs["value"]`` holds the value and ``table.attrs["rule"]`` says the rule in words.

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
    table: pd.DataFrame
    if metric is retrieval.distance:
        last_place = k or most_places(ranking, places)
        moved = [last_place - 1.0]
        table = WorkingTable(
            {"k": [last_place], "term": moved, "running sum": moved, "distance": moved}
        )
        table.attrs["metric"] = "distance"
        rule = f"counts k - 1, with k = {last_place}"
    elif metric in (retrieval.mae, retrieval.mse):
        table, rule = _silent_errors(metric, ranking, k, places, **reading)
    else:
        table = WITHOUT_PENALTY[metric](ranking, retrieved, k=k, **reading)
        rule = f"counts {value:g}"
    if math.isnan(metric(ranking, ranking, k=k, **reading)):
        rule = "counts nothing, because the truth compared with itself has no value"
    elif math.isnan(value):
        rule = "counts nothing, because every distance is 0 where k is 1"
    table.attrs.update(value=value, rule=rule)
    return table


def _silent_errors(
    metric: Callable[..., float],
    truth: Ranking,
    k: int | None,
    places: int | None,
    pairing: str = "position",
) -> tuple[pd.DataFrame, str]:
    """The places of the truth with the largest errors that they allow, and the rule in words."""
    terms = largest_errors(metric, truth, k=k, places=places, pairing=pairing)
    compared, power = truth.first(k), "²" if metric is retrieval.mse else ""
    errors = np.maximum(compared.similarities, 1 - compared.similarities)
    columns = _by_place(
        {
            "true case": compared.cases,
            "true similarity": compared.similarities,
            "largest error": errors,
        }
    )
    rule = f"counts the mean of max(t, 1 - t){power} over the true similarities t"
    if terms.size < errors.size:  # only the largest counts
        largest = int(errors.argmax())
        columns = {name: column[largest : largest + 1] for name, column in columns.items()}
        rule = f"counts the largest max(t, 1 - t){power}, for any case may be the only one compared"
    table = WorkingTable(columns | {"term": terms})
    table["running sum"] = table["term"].cumsum()
    label = "MSE" if metric is retrieval.mse else "MAE"
    table[label] = table["running sum"] / terms.size
    table.attrs["metric"] = label
    return table, rule


def _by_place(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns after that of the places, from 1."""
    return {"place": np.arange(1, len(next(iter(columns.values()))) + 1), **columns}


def _found(t: Ranking, r: Ranking) -> dict[str, Any]:
    place = pd.Series(places(r.cases, t) + 1, dtype="Int64")
    return _by_place({"case": r.cases, "place in truth": place.mask(place == 0)})


def _common(t: Ranking, r: Ranking) -> list[Case]:
    """The cases that both hold, in the order retrieved."""
    return [r.cases[place] for place in shared(t, r)[1]]


def _errors(t: Ranking, r: Ranking, pairing: str, terms: FloatArray) -> Parts:
    in_truth, in_retrieved = paired(t, r, pairing)
    columns: dict[str, Any] = {"case": [r.cases[place] for place in in_retrieved]}
    if pairing == "position":
        columns = _by_place({"true case": t.cases[: terms.size], **columns})
    columns["true similarity"] = t.similarities[in_truth]
    columns["similarity"] = r.similarities[in_retrieved]
    columns["error"] = columns["true similarity"] - columns["similarity"]
    return columns, terms, terms.size


def _pairs(t: Ranking, r: Ranking) -> tuple[dict[str, Any], FloatArray]:
    """Every pair of common cases in the order retrieved, with its kind and its sign."""
    cases, (x, y) = _common(t, r), shared_similarities(t, r)
    first, second = np.triu_indices(len(cases), 1)
    in_true_order, in_order = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
    sign = in_true_order * in_order + 0.0  # a tie counts 0, and not -0.0
    relations, kinds = np.array(["=", ">", "<"]), np.array(["tied", "concordant", "discordant"])
    columns = {
        "first": [cases[i] for i in first],
        "second": [cases[i] for i in second],
        "truth": relations[in_true_order.astype(int)],
        "retrieved": relations[in_order.astype(int)],
        "kind": kinds[sign.astype(int)],
    }
    return columns, sign
