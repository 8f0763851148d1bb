"""Evaluate retrievers and MAC/FAC: quality against a ground truth, and time, per query."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import check_cutoff
from receval._checks import (
    Id,
    as_ids,
    check_callable,
    check_choice,
    check_count,
    check_not_empty,
    check_that,
    check_unique,
    input_error,
    shorten,
    warn,
)
from receval._files import write_atomically
from receval.metrics import retrieval
from receval.metrics.case_ranking import Ranking
from receval.retrieval.retrievers import (
    CaseCollection,
    Retriever,
    Truth,
    run,
    true_rankings,
)
from receval.tables.writing import write_as

Metric: TypeAlias = Callable[..., float]
"""A function ``(truth, retrieved, *, k)`` of two rankings and a cut-off."""

Measures: TypeAlias = str | Iterable[str] | Mapping[str, Metric] | None
"""Metrics as users choose them."""

METRICS: dict[str, Metric] = {
    "hits": retrieval.hits,
    "hits_normalized": retrieval.hits_normalized,
    "mae": retrieval.mae,
    "mse": retrieval.mse,
    "quality_stromer": retrieval.quality_stromer,
    "quality_mueller": retrieval.quality_mueller,
    "correctness": retrieval.correctness,
    "completeness": retrieval.completeness,
    "distance": retrieval.distance,
    "kendall": retrieval.kendall,
    "spearman": retrieval.spearman,
}
"""The metrics of document 003."""

COLUMNS_OF_TIMES = frozenset(["seconds", "median seconds", "mean seconds", "speed-up"])
"""Columns that stand beside the metrics in the tables of a result."""


@dataclass(frozen=True, repr=False, eq=False)
class RetrieverEvaluation:
    """Values and times of every retriever on every query.

    Attributes
    ----------
    per_query : DataFrame
        Index (retriever, query), for MAC/FAC (retriever, filter_size, k, query); a column per
        measure. NaN where a measure has no value; document 003 prints "-" there.
    seconds : Series
        The time of each retrieval, with the same index.
    """

    _per_query: pd.DataFrame
    _seconds: pd.Series[float]
    _full_seconds: pd.Series[float] | None = None

    @property
    def per_query(self) -> pd.DataFrame:
        """Return a copy of the values of each query."""
        return self._per_query.copy()

    @property
    def seconds(self) -> pd.Series[float]:
        """Return a copy of the times of each query."""
        return self._seconds.copy()

    @property
    def _keys(self) -> list[Id]:
        """Return the levels of the index that name a retriever, which are all but the query."""
        return list(self._per_query.index.names[:-1])

    @property
    def summary(self) -> pd.DataFrame:
        """Return the mean of each measure over the queries for which it has a value; see `n`."""
        return self._per_query.groupby(level=self._keys, sort=False).mean()

    @property
    def n(self) -> pd.DataFrame:
        """Return the number of queries behind each mean of `summary`."""
        return self._per_query.groupby(level=self._keys, sort=False).count()

    @property
    def times(self) -> pd.DataFrame:
        """Return the median and the mean of the retrieval times, in seconds.

        If `evaluate_macfac` ran the FAC retriever on the whole case base, the column ``speed-up``
        is the median time of this divided by that of MAC/FAC. If it is above 1, MAC/FAC is faster.
        """
        by_retriever = self._seconds.groupby(level=self._keys, sort=False)
        times = by_retriever.agg(["median", "mean"]).add_suffix(" seconds")
        if self._full_seconds is not None:
            times["speed-up"] = self._full_seconds.median() / times["median seconds"]
        return times

    def __repr__(self) -> str:
        return repr(self.summary.join(self.times))

    def to_csv(self, path: str | Path | TextIO | None = None) -> str | None:
        """Write the means as CSV: one row for each key and metric, as in document 003.

        Parameters
        ----------
        path : path or text stream, optional
            File to write, or an object with a method ``write``, such as `io.StringIO`. A file is
            never left half-written. If None, the function returns the text.

        Returns
        -------
        str or None
            The columns are the key (``retriever``, for MAC/FAC also ``filter_size`` and ``k``),
            ``metric``, ``value``, and ``queries``, the number of queries behind the mean. The
            last metric of each key is the mean time, in ``seconds``. An undefined mean is an empty
            cell.
        """
        values = pd.concat([self._per_query, self._seconds], axis=1).rename_axis(columns="metric")
        by_retriever = values.groupby(level=self._keys, sort=False)
        # A row per key and metric. All metrics of a key follow one another; melt() would put all
        # keys of a metric together.
        rows = by_retriever.agg(["mean", "count"]).stack("metric", future_stack=True)  # noqa: PD013
        file = io.StringIO()
        write_as(rows.set_axis(["value", "queries"], axis=1).reset_index(), ".csv", file)
        text = file.getvalue()
        if path is None:
            return text
        if isinstance(path, (str, Path)):
            write_atomically(path, lambda file: file.write(text))
        else:
            path.write(text)
        return None


def evaluate_retrievers(
    retrievers: Mapping[str, Retriever],
    queries: CaseCollection,
    case_base: CaseCollection,
    *,
    truth: Truth,
    measures: Measures = None,
    k: int | None = None,
) -> RetrieverEvaluation:
    """Run every retriever on every query and measure quality and time.

    Parameters
    ----------
    retrievers : mapping of names to callables
        ``retriever(query, case_base)`` returns a ranking of all cases: anything with ``.items()``,
        or pairs of case id and similarity. receval sorts it by descending similarity.
    queries : mapping, DataFrame, Series or list of ids
        The test case base. The ids are the keys of a mapping, or the index labels of a frame or
        Series. A row of a frame is a query. In a list, the queries are ids themselves.
    case_base : mapping, DataFrame, Series or list of ids
        The train case base, passed to the retrievers unchanged. It may be the same as ``queries``.
    truth : DataFrame or mapping
        The ground truth: a table with the columns ``query``, ``case`` and ``similarity``, as
        `ground_truth` and `read_ground_truth` return it; or a mapping of queries to rankings.
    measures : str, iterable of str or mapping, optional
        Names of `receval.metrics.retrieval`, optionally with a cut-off, as in "hits@10"; or a
        mapping of labels to functions ``(truth, retrieved, *, k)``, such as
        ``{"MAE by case": partial(mae, pairing="case")}``. Default: all eleven metrics.
    k : int, optional
        Cut-off of all measures that have no cut-off of their own. Default: the whole rankings.

    Returns
    -------
    RetrieverEvaluation
        ``per_query``, ``seconds``, ``summary``, ``n``, ``times``, ``to_csv``.

    Raises
    ------
    InputError
        If an argument breaks its rule, the ground truth lacks cases or a query or is unsorted, or a
        retriever returns no ranking, an unknown case, a case twice, a similarity that is not
        finite, or not all cases. The message then names the retriever, the query and the case. An
        exception of a retriever passes through, with a note that names both.

    Warns
    -----
    EvaluationWarning
        If a measure has no value for some queries. The means leave them out.

    References
    ----------
    Document 003, sections "Usage" and "Retriever Evaluation".

    Examples
    --------
    >>> sizes = {"a": 4, "b": 7, "c": 5}
    >>> def exact(query, case_base):
    ...     return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}
    >>> def coarse(query, case_base):
    ...     return {case: float(size // 3 == query // 3) for case, size in case_base.items()}
    >>> from receval import ground_truth
    >>> queries = {"q1": 8, "q2": 3}
    >>> truth = ground_truth(exact, queries, sizes)
    >>> result = evaluate_retrievers(
    ...     {"exact": exact, "coarse": coarse}, queries, sizes,
    ...     truth=truth, measures=["hits@1", "kendall", "completeness"])
    >>> result.summary.round(2)
               hits@1  kendall  completeness
    retriever
    exact         1.0     1.00          1.00
    coarse        1.0     0.67          0.67
    """
    check_retrievers(retrievers, "retrievers")
    metrics = select_metrics(measures)
    check_cutoff(k)
    if k is not None and all(has_cutoff(metric) for metric in metrics.values()):
        raise input_error("k", "be left out where every measure has its own cut-off", k)
    rankings = true_rankings(truth, queries, case_base)
    values, seconds = {}, {}
    for name, retriever in retrievers.items():
        answers, seconds[name] = run(retriever, name, queries, case_base)
        values[name] = measure(rankings, answers, metrics, k)
    return combine(values, seconds, ["retriever"])


def evaluate_macfac(
    mac: Retriever | Mapping[str, Retriever],
    fac: Retriever,
    queries: CaseCollection,
    case_base: CaseCollection,
    *,
    filter_sizes: Iterable[int],
    ks: Iterable[int],
    measures: Measures = None,
    truth: Truth | None = None,
) -> RetrieverEvaluation:
    """Evaluate how quality and time of MAC/FAC retrieval change with the filter size.

    In the MAC phase ("many are called"), a cheap retriever ranks the whole case base. In the FAC
    phase ("few are chosen"), the expensive retriever gets only the best cases, in the form and
    order of the case base. The ``k`` best cases of its ranking are the answer. The time is that of
    both phases.

    Parameters
    ----------
    mac : callable, or mapping of names to callables
        The cheap retriever, or several of them. A single one gets the name ``"MAC/FAC"``.
    fac : callable
        The expensive retriever. Its rankings of the whole case base are the ground truth.
    queries, case_base : mapping, DataFrame, Series or list of ids
        As in `evaluate_retrievers`.
    filter_sizes, ks : iterable of int
        How many cases the MAC phase lets through, and how many the answer holds; the two lists are
        taken in pairs. No filter size may be below its k.
    measures
        As in `evaluate_retrievers`; each is cut at the pair's k, unless it has its own cut-off.
    truth : DataFrame or mapping, optional
        Rankings that the FAC retriever gave before (`ground_truth`). The FAC retriever then doesn't
        run on the whole case base, and there is no speed-up.

    Returns
    -------
    RetrieverEvaluation
        Its keys are (retriever, filter size, k), and its ``times`` have the speed-up.

    Raises
    ------
    InputError
        If ``filter_sizes`` and ``ks`` differ in length, are empty or hold a pair twice, a filter
        size is below its k, the MAC phase returns fewer than k cases, or the FAC phase doesn't rank
        the cases that it gets; also as in `evaluate_retrievers`.

    Warns
    -----
    EvaluationWarning
        As in `evaluate_retrievers`.

    References
    ----------
    Document 003, section "MAC/FAC Retriever Evaluation".

    Examples
    --------
    >>> words = {1: "graph", 2: "grape", 3: "path", 4: "photograph"}
    >>> def by_length(query, cases):
    ...     return {case: -abs(len(word) - len(query)) for case, word in cases.items()}
    >>> def by_letters(query, cases):
    ...     return {case: len(set(word) & set(query)) for case, word in cases.items()}
    >>> result = evaluate_macfac(
    ...     by_length, by_letters, ["graph", "path"], words,
    ...     filter_sizes=[1, 4], ks=[1, 1], measures="hits")
    >>> result.summary
                              hits
    retriever filter_size k
    MAC/FAC   1           1   1.0
              4           1   1.0
    """
    macs = mac if isinstance(mac, Mapping) else {"MAC/FAC": mac}
    check_retrievers(macs, "mac")
    metrics = select_metrics(measures)
    try:
        pairs = list(zip(filter_sizes, ks, strict=True))
    except (TypeError, ValueError):
        rule = "be lists of the same length, because they are taken in pairs"
        got = f"{shorten(filter_sizes)} and {shorten(ks)}"
        raise input_error("filter_sizes and ks", rule, got) from None
    check_not_empty(pairs, "filter_sizes and ks", "have at least one pair")
    check_unique(pairs, "filter_sizes and ks", "pair")
    for size, k in pairs:
        check_count(k, "ks")
        check_count(size, "filter_sizes")
        check_that(size >= k, "filter_sizes", f"be at least their k, which is {k}", size)
    check_callable(fac, "fac", "retriever(query, case_base)")
    full_seconds = None
    if truth is None:
        rankings, full_seconds = run(fac, "FAC", queries, case_base)
    else:
        rankings = true_rankings(truth, queries, case_base)
    values, seconds = {}, {}
    for name, retriever in macs.items():
        # MAC phase: "many are called". It doesn't depend on the filter size.
        called, mac_seconds = run(retriever, name, queries, case_base, may_lack=True)
        n_called = min(len(ranking) for ranking in called.values())
        for size, k in pairs:
            check_that(
                k <= n_called, f"answers of {name!r}", f"hold at least k = {k} cases", n_called
            )
            # FAC phase: "few are chosen".
            key = (name, size, k)
            kept = {query: set(ranking.first(size).cases) for query, ranking in called.items()}
            ranked, fac_seconds = run(fac, key, queries, case_base, kept=kept)
            chosen = {query: ranking.first(k) for query, ranking in ranked.items()}
            seconds[key] = mac_seconds + fac_seconds
            values[key] = measure(rankings, chosen, metrics, k)
    return combine(values, seconds, ["retriever", "filter_size", "k"], full_seconds)


def check_retrievers(retrievers: Any, name: str) -> None:
    """Raise unless these are functions by their names; the error calls them ``name``."""
    has_names = isinstance(retrievers, Mapping) and len(retrievers) > 0
    check_that(has_names, name, "be a mapping of names to functions", retrievers)
    for label, retriever in retrievers.items():
        is_valid = isinstance(label, str) and callable(retriever)
        check_that(is_valid, name, "be texts and functions (query, case_base)", {label: retriever})


def select_metrics(measures: Measures) -> Mapping[str, Metric]:
    """Return the metrics that a user chose, by their labels; None chooses all eleven."""
    if measures is None:
        return METRICS
    if isinstance(measures, Mapping):
        metrics = dict(measures)
    else:
        if isinstance(measures, str):
            measures = [measures]
        names = as_ids(measures, "measures", "be names, or a dict of labels and functions")
        metrics = {name: metric_of_name(name) for name in names}
    check_not_empty(metrics, "measures", "be at least one")
    for label, metric in metrics.items():
        check_callable(metric, f"measure {label!r}", "metric(truth, retrieved, *, k)")
        check_that(
            label not in COLUMNS_OF_TIMES,
            "measures",
            "not have the name of a column that shows times",
            label,
        )
    return metrics


def metric_of_name(name: str) -> Metric:
    """Return the metric of a name such as "hits" or "hits@10"."""
    stem, sign, cutoff = str(name).partition("@")
    metric = METRICS[check_choice(stem.lower(), "measures", METRICS)]
    if not sign:
        return metric
    rule = "have a positive integer as its cut-off"
    check_that(cutoff.isdecimal() and int(cutoff) > 0, f"measure {name!r}", rule, cutoff)
    return partial(metric, k=int(cutoff))


def has_cutoff(metric: Metric) -> bool:
    """Return whether a metric has its own cut-off, as ``partial(hits, k=10)`` has."""
    return getattr(metric, "keywords", {}).get("k") is not None


def measure(
    truth: Mapping[Id, Ranking],
    answers: Mapping[Id, Ranking],
    metrics: Mapping[str, Metric],
    k: int | None,
) -> pd.DataFrame:
    """Return the value of each metric for each answer: queries in rows, metrics in columns.

    ``truth`` and ``answers`` have a ranking for each query. ``k`` is the cut-off of metrics without
    their own. Raises an `InputError` if a metric returns anything but a number.
    """
    table = pd.DataFrame(index=list(answers), columns=list(metrics), dtype=float)
    for label, metric in metrics.items():
        options = {} if has_cutoff(metric) else {"k": k}
        values = []
        for query, answer in answers.items():
            value = metric(truth[query], answer, **options)
            is_number = isinstance(value, (Real, np.bool_))
            check_that(is_number, f"measure {label!r}", "return a number", value)
            values.append(float(value))
        table[label] = values
    return table


def combine(
    values: dict[Any, pd.DataFrame],
    seconds: dict[Any, pd.Series[float]],
    keys: Iterable[str],
    full_seconds: pd.Series[float] | None = None,
) -> RetrieverEvaluation:
    """Return the result of all retrievers; ``keys`` are the parts of their names.

    Warns if the means leave out values that are not defined.
    """
    names = [*keys, "query"]
    per_query = pd.concat(values, names=names)
    n_undefined = per_query.isna().sum()
    if n_undefined.any():
        counts = [f"{name} {n} of {len(per_query)}" for name, n in n_undefined.items() if n > 0]
        message = f"means leave out undefined values: {', '.join(counts)}; n counts the others"
        warn(message, stacklevel=3)
    return RetrieverEvaluation(per_query, pd.concat(seconds, names=names), full_seconds)
