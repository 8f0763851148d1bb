"""The working of the retrieval metrics: one row per case, place or pair.

Every function has the name and the arguments of a metric of `receval.metrics.retrieval` and
answers a table of one query in the manner of `receval.working`: the terms are those that the
metric adds up, and where the sum is divided at the end, a last column named after the metric
says what it comes to so far. ``table.attrs["value"]`` holds the value.

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
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval.metrics import retrieval
from receval.metrics.retrieval import RankingLike
from receval.metrics.retrieval._rankings import Ranking, cut, mean_ranks, places, shared
from receval.metrics.retrieval.places import rank_deviations

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
    """The working of `receval.metrics.retrieval.hits`: one row per retrieved case.

    Examples
    --------
    >>> hits({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})[["case", "term"]]
      case  term
    0    a   1.0
    1    c   0.0
    """
    t, r, _ = cut(truth, retrieved, k)
    columns = {"place": _ordinal(len(r)), "case": r.cases, "place in truth": _place_in(t, r)}
    terms = retrieval.hits_terms(t, r)
    return _finished(columns, terms, "hits", retrieval.hits(t, r))


def hits_normalized(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    denominator: str = "cutoff",
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.hits_normalized`: that of the hits, divided.

    Examples
    --------
    >>> hits_normalized({"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7})["hits normalized"].tolist()
    [0.5, 0.5]
    """
    table = hits(truth, retrieved, k=k)
    value = retrieval.hits_normalized(truth, retrieved, k=k, denominator=denominator)
    n = len(table) if k is None or denominator == "length" else k
    return _divided(table, "hits normalized", value, n)


def mae(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    pairing: str = "position",
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.mae`: one row per place, or per common case.

    Examples
    --------
    >>> mae({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")["term"].tolist()
    [0.25, 0.25]
    """
    return _errors(truth, retrieved, k, pairing, retrieval.mae_terms, retrieval.mae, "MAE")


def mse(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    pairing: str = "position",
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.mse`: one row per place, or per common case.

    Examples
    --------
    >>> mse({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5})["term"].tolist()
    [0.0, 0.0]
    """
    return _errors(truth, retrieved, k, pairing, retrieval.mse_terms, retrieval.mse, "MSE")


def quality_stromer(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    count: str = "matches",
    cutoff: str = "capped",
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.quality_stromer`: one row per place of the truth.

    Examples
    --------
    >>> quality_stromer({"a": 0.9, "b": 0.5}, {"a": 0.9, "c": 0.5})[["weight", "err", "term"]]
       weight  err  term
    0     3.0    1   3.0
    1     2.0    0   0.0
    """
    t, r, k = cut(truth, retrieved, k)
    how: dict[str, Any] = {"k": k, "count": count, "cutoff": cutoff}
    terms = retrieval.quality_stromer_terms(t, r, **how)
    literal = k if cutoff == "literal" else None
    columns = {
        "place": _ordinal(len(t)),
        "true case": t.cases,
        "case": [*r.cases[: len(t)], *[None] * (len(t) - len(r))],
        "weight": retrieval.quality_stromer_weights(len(t), k=literal),
        "err": (terms > 0).astype(int),
    }
    last = literal or len(t)
    value = retrieval.quality_stromer(t, r, **how)
    return _finished(columns, terms, "Stromer", value, last * (last + 3) / 2)


def quality_mueller(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.quality_mueller`: one row per wanted case.

    Examples
    --------
    >>> quality_mueller({"a": 0.75, "b": 0.5}, {"a": 0.9, "c": 0.5})[["missing", "Müller"]]
       missing  Müller
    0    False    1.00
    1     True    0.75
    """
    t, r, _ = cut(truth, retrieved, k)
    wanted = t.first(len(r))
    columns = {
        "place": _ordinal(len(wanted)),
        "true case": wanted.cases,
        "true similarity": wanted.similarities,
        "missing": places(wanted.cases, r) < 0,
    }
    terms = retrieval.quality_mueller_terms(t, r)
    table = _finished(columns, terms, "Müller", retrieval.quality_mueller(t, r))
    table["Müller"] = 1 - table["running sum"] / max(len(r), 1)
    return table


def distance(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    ranks: str = "place",
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.distance`: one row per common case.

    Examples
    --------
    >>> distance({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [1.0, 1.0]
    """
    t, r, _ = cut(truth, retrieved, k)
    in_truth, in_retrieved = shared(t, r)
    terms = retrieval.distance_terms(t, r, ranks=ranks)
    tied = ranks == "tied"
    columns = {
        "case": [r.cases[place] for place in in_retrieved],
        "place in truth": (mean_ranks(t.similarities) if tied else _ordinal(len(t)))[in_truth],
        "place": (mean_ranks(r.similarities) if tied else _ordinal(len(r)))[in_retrieved],
    }
    value = retrieval.distance(t, r, ranks=ranks)
    return _finished(columns, terms, "distance", value, terms.size)


def spearman(truth: RankingLike, retrieved: RankingLike, *, k: int | None = None) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.spearman`: one row per common case.

    A deviation is a rank minus the mean rank, and a term the product of two. The last column
    is the running sum over the root of the product of both sums of squared deviations.

    Examples
    --------
    >>> spearman({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["Spearman"].tolist()
    [-0.5, -1.0]
    """
    t, r, _ = cut(truth, retrieved, k)
    x, y = rank_deviations(t, r)
    _, in_retrieved = shared(t, r)
    mean = (x.size + 1) / 2
    columns = {
        "case": [r.cases[place] for place in in_retrieved],
        "rank in truth": x + mean,
        "rank": y + mean,
        "true deviation": x,
        "deviation": y,
    }
    divisor = math.sqrt((x * x).sum() * (y * y).sum())
    value = retrieval.spearman(t, r)
    return _finished(columns, retrieval.spearman_terms(t, r), "Spearman", value, divisor)


def correctness(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.correctness`: one row per pair of common cases.

    The term is 1 for a concordant pair, -1 for a discordant one and 0 for a tied one. The
    table lists every pair, n (n - 1) / 2 of them; the metric counts them without listing.

    Examples
    --------
    >>> correctness({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})[["first", "second", "kind"]]
      first second        kind
    0     b      a  discordant
    """
    columns, balance = _pairs(truth, retrieved, k)
    value = retrieval.correctness(truth, retrieved, k=k)
    return _finished(columns, balance, "correctness", value, int(np.count_nonzero(balance)))


def completeness(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairs: str = "all"
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.completeness`: one row per pair; 1 if decided.

    Examples
    --------
    >>> completeness({"a": 0.9, "b": 0.5}, {"b": 0.5, "a": 0.5})["term"].tolist()
    [0.0]
    """
    columns, balance = _pairs(truth, retrieved, k)
    value = retrieval.completeness(truth, retrieved, k=k, pairs=pairs)
    compared = balance.size
    if pairs == "untied_truth":
        compared -= retrieval.pair_counts(truth, retrieved, k=k).tied_truth
    return _finished(columns, np.abs(balance), "completeness", value, compared)


def kendall(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, variant: str = "a"
) -> pd.DataFrame:
    """The working of `receval.metrics.retrieval.kendall`: one row per pair, as in `correctness`.

    Examples
    --------
    >>> kendall({"a": 0.9, "b": 0.5}, {"b": 0.9, "a": 0.5})["term"].tolist()
    [-1.0]
    """
    columns, balance = _pairs(truth, retrieved, k)
    n = retrieval.pair_counts(truth, retrieved, k=k)
    divisor = float(n.pairs)
    if variant == "b":
        divisor = math.sqrt((n.pairs - n.tied_truth) * (n.pairs - n.tied_retrieved))
    value = retrieval.kendall(truth, retrieved, k=k, variant=variant)
    return _finished(columns, balance, "Kendall", value, divisor)


# Parts ----------------------------------------------------------------------------------------


def _ordinal(n: int) -> np.typing.NDArray[np.int64]:
    return np.arange(1, n + 1)


def _place_in(truth: Ranking, retrieved: Ranking) -> pd.Series[Any]:
    """Place from 1 in the truth, missing where the case is not there."""
    place = pd.Series(places(retrieved.cases, truth) + 1, dtype="Int64")
    return place.mask(place == 0)


def _errors(
    truth: RankingLike,
    retrieved: RankingLike,
    k: int | None,
    pairing: str,
    terms_of: Callable[..., FloatArray],
    metric: Callable[..., float],
    name: str,
) -> pd.DataFrame:
    t, r, _ = cut(truth, retrieved, k)
    terms = terms_of(t, r, pairing=pairing)
    columns: dict[str, Any]
    if pairing == "case":
        in_truth, in_retrieved = shared(t, r)
        columns = {"case": [r.cases[place] for place in in_retrieved]}
    else:
        in_truth = in_retrieved = np.arange(terms.size)
        columns = {
            "place": _ordinal(terms.size),
            "true case": t.cases[: terms.size],
            "case": r.cases[: terms.size],
        }
    columns["true similarity"] = t.similarities[in_truth]
    columns["similarity"] = r.similarities[in_retrieved]
    columns["error"] = retrieval.errors(t, r, pairing=pairing)
    return _finished(columns, terms, name, metric(t, r, pairing=pairing), terms.size)


def _pairs(
    truth: RankingLike, retrieved: RankingLike, k: int | None
) -> tuple[dict[str, Any], FloatArray]:
    """Every pair of common cases in the order retrieved, with its kind and its sign."""
    t, r, _ = cut(truth, retrieved, k)
    in_truth, in_retrieved = shared(t, r)
    x, y = t.similarities[in_truth], r.similarities[in_retrieved]
    cases = [r.cases[place] for place in in_retrieved]
    pairs = np.array(list(combinations(range(len(cases)), 2)), dtype=int).reshape(-1, 2)
    first, second = pairs[:, 0], pairs[:, 1]
    in_true_order, in_order = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
    sign = in_true_order * in_order
    columns = {
        "first": [cases[place] for place in first],
        "second": [cases[place] for place in second],
        "truth": _relations(in_true_order),
        "retrieved": _relations(in_order),
        "kind": np.array(["tied", "concordant", "discordant"])[sign.astype(int)],
    }
    return columns, sign


def _relations(signs: FloatArray) -> np.typing.NDArray[np.str_]:
    relations: np.typing.NDArray[np.str_] = np.array(["=", ">", "<"])[signs.astype(int)]
    return relations


def _finished(
    columns: dict[str, Any],
    terms: FloatArray,
    metric: str,
    value: float,
    divisor: float | None = None,
) -> pd.DataFrame:
    table = pd.DataFrame(columns).assign(term=terms)
    table["running sum"] = table["term"].cumsum()
    if divisor is not None:
        return _divided(table, metric, value, divisor)
    table.attrs.update(metric=metric, value=value)
    return table


def _divided(table: pd.DataFrame, metric: str, value: float, divisor: float) -> pd.DataFrame:
    """The table with what the running sum comes to when divided."""
    table[metric] = table["running sum"] / divisor if divisor else math.nan
    table.attrs.update(metric=metric, value=value)
    return table
