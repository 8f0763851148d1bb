"""The metrics of a retriever evaluation, which users name or pass as functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, TypeAlias, cast

import numpy as np

from receval._checks import (
    Record,
    check_choice,
    check_count,
    check_that,
    check_unique,
    input_error,
    shorten,
)
from receval.definitions.names import UnloadableFunction, parse_name
from receval.metrics.retrieval import (
    Ranking,
    RankingLike,
    completeness,
    correctness,
    distance,
    hits,
    hits_normalized,
    kendall,
    mae,
    mse,
    quality_mueller,
    quality_stromer,
    silence,
    spearman,
)

Metric: TypeAlias = Callable[..., float]
"""A function ``(truth, retrieved, *, k)`` of two rankings and a cut-off."""

Measures: TypeAlias = str | Metric | Iterable[str | Metric] | Mapping[str, Metric] | None
"""Metrics as users choose them."""

METRICS: dict[str, Metric] = {
    "hits": hits,
    "hits_normalized": hits_normalized,
    "mae": mae,
    "mse": mse,
    "quality_stromer": quality_stromer,
    "quality_mueller": quality_mueller,
    "correctness": correctness,
    "completeness": completeness,
    "distance": distance,
    "kendall": kendall,
    "spearman": spearman,
}
LOWER_IS_BETTER: set[Metric] = {mae, mse, distance}
SOURCES: dict[Metric, str] = {
    mae: "@hoffmann2020; ",
    mse: "@hoffmann2020; ",
    correctness: "@hoffmann2020; ",
    completeness: "@hoffmann2020; ",
    quality_stromer: "@bergmann2013; ",
    kendall: "@kendall1938; ",
    spearman: "@spearman1904; ",
}
"""Further sources of metrics. All other metrics have document 003 as their only source."""

BY_CASE: set[Metric] = {hits, hits_normalized, quality_stromer, quality_mueller}
"""Metrics that compare the cases at each place."""


@dataclass(frozen=True)
class RetrieverMetric:
    """A metric with the name, the parameters and the cut-off that the user chose.

    Attributes
    ----------
    name : str
        Column of the metric in results.
    metric : callable
        The function ``(truth, retrieved, *, k)``.
    k : int or None
        The metric's own cut-off, which takes precedence over the evaluation's cut-off.
    parameters : mapping
        Parameters of the function, such as ``{"pairing": "case"}``.
    """

    name: str
    metric: Metric
    k: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    per_user: ClassVar[bool] = True  # each query has a value

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher value is better."""
        counts_misses = self.parameters.get("count") == "misses"
        return self.metric not in LOWER_IS_BETTER and not counts_misses

    @property
    def is_documented(self) -> bool:
        """Whether this is one of document 003's metrics and not a user-defined function."""
        return self.metric in METRICS.values()

    def append_missing_cases(self, truth: Ranking, answer: Ranking) -> Ranking:
        """Return the answer with its missing cases appended at the end.

        Missing cases are those of the truth that the answer lacks. They are not hits. They come in
        the reverse of their true order, which is the worst order, so that an answer gains nothing
        by leaving cases out. Their similarity is 0, or less if only the order counts. For a
        user-defined function, the answer is returned unchanged.
        """
        missing_cases = [case for case in reversed(truth.cases) if case not in answer.place]
        if not missing_cases or not self.is_documented:
            return answer
        similarity = 0.0
        if self.metric not in (mae, mse) and len(answer) > 0:
            # Metrics other than MAE and MSE use only the order. The missing cases must come last,
            # so their similarity is below that of the last case of the answer.
            similarity = min(similarity, float(answer.similarities[-1]) - 1)
        labels: list[object] = list(missing_cases)
        if self.metric in BY_CASE:
            # A case with a label that the truth doesn't have takes up a place but isn't a hit.
            labels = [("lacking", case) for case in missing_cases]
        return Ranking(
            cases=(*answer.cases, *labels),
            similarities=np.append(answer.similarities, np.full(len(labels), similarity)),
            kinds=answer.kinds | truth.kinds,  # kinds of ids: texts, whole numbers
        )

    def value_with_zeros(self, truth: Ranking, answer: Ranking, k: int | None) -> float:
        """Return the value of an answer; cases that it lacks have similarity 0.

        It is NaN for an empty answer, which gets the `value_of_silence` later, unless the metric
        is a user-defined function. ``k`` is the cut-off if the metric has none of its own.
        """
        if self.is_documented and len(answer) == 0:
            return math.nan
        return self(truth, self.append_missing_cases(truth, answer), k)

    def value_of_silence(self, truth: Ranking, k: int | None, places: int) -> float:
        """Return the value of a silent answer, which ranks no case; see `silence`.

        It is NaN for a user-defined function. ``places`` is the largest number of places in the
        truth or in any answer to the query. ``k`` is the cut-off if the metric has none of its own.
        """
        if not self.is_documented:
            return math.nan
        return silence(self.metric, truth, k=self.k or k, places=places, **self.parameters)

    def has_only_one_place(self, k: int | None, places: int) -> bool:
        """Return whether this metric is a distance between places, but there is only one place.

        The number of places is the first of these that isn't None: the metric's own cut-off, ``k``,
        ``places``.
        """
        return self.metric is distance and (self.k or k or places) == 1

    def to_record(self) -> Record:
        """Return the entries that a file stores. They are the arguments of `from_record`.

        ``metric`` is a list with the name of the metric, empty for a user-defined function.
        ``reading`` holds the parameters, which have this name in files.
        """
        metric_names = [name for name, metric in METRICS.items() if metric is self.metric]
        return {
            "name": self.name,
            "metric": metric_names,
            "k": self.k,
            "reading": dict(self.parameters),
        }

    @classmethod
    def from_record(
        cls, name: str, metric: list[str], k: int | None, reading: Mapping[str, str]
    ) -> RetrieverMetric:
        """Return the metric that a file stores; the arguments are the entries of its record.

        A file does not hold user-defined functions, so these can no longer be called.
        """
        function: Metric = METRICS[metric[0]] if metric else UnloadableFunction(name)
        return cls(name, function, k, reading)

    def __call__(self, truth: RankingLike, retrieved: RankingLike, k: int | None) -> float:
        """Compute the value; ``k`` is the cut-off if the metric has none of its own."""
        value = self.metric(truth, retrieved, k=self.k or k, **self.parameters)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise input_error(f"measure {self.name!r}", "return a number", shorten(value)) from None


def select_metrics(measures: Measures) -> list[RetrieverMetric]:
    """Return the metrics that a user chose; None chooses all eleven of document 003.

    Raises an `InputError` if no metric is chosen, one is unknown or a name occurs twice.
    """
    if measures is None:
        measures = METRICS
    if isinstance(measures, Mapping):
        metrics = [_metric_of_function(function, str(name)) for name, function in measures.items()]
    else:
        # A single name or function is treated as a list with one entry.
        is_single = isinstance(measures, str) or not np.iterable(measures)
        entries = [measures] if is_single else cast("Iterable[object]", measures)
        metrics = []
        for entry in entries:
            if isinstance(entry, str):
                metrics.append(_metric_of_name(entry))
            else:
                metrics.append(_metric_of_function(entry))
    check_that(bool(metrics), "measures", "be at least one", measures)
    names = [metric.name for metric in metrics]
    check_unique(names, "measures", "measure")
    return metrics


def _metric_of_name(text: str) -> RetrieverMetric:
    """Return the metric of a name such as "mae(pairing=case)@10".

    Raises an `InputError` if the name has another form, or the metric, a parameter, its value or
    the cut-off does not exist.
    """
    parts = parse_name(text)
    if parts is None:
        rule = "be like 'hits' or 'hits@10', with parameters like 'mae(pairing=case)@10'"
        raise input_error("measures", rule, shorten(text))
    function = METRICS[check_choice(parts.name.lower(), "measures", METRICS)]
    # All metrics begin with the parameters truth, retrieved and k. A name may set the others.
    _truth, _retrieved, _k, *parameters = inspect.signature(function).parameters
    listed = ", ".join(parameters) or "none"
    rule = f"name parameters that {function.__name__} has ({listed}), each once"
    check_that(parts.parameters.keys() <= set(parameters), "measures", rule, text)
    # Call the metric on empty rankings, so that a wrong parameter value raises before the work
    # begins.
    function({}, {}, **parts.parameters)
    k = None
    if parts.cut is not None:  # the number after "@"
        k = check_count(parts.cut, f"the cut-off of {text!r}")
    return RetrieverMetric(text, function, k, parts.parameters)


def _metric_of_function(function: object, name: str | None = None) -> RetrieverMetric:
    """Return the metric of a function, named ``name`` or, if that is None, by its ``__name__``.

    A partial of one of document 003's metrics becomes that metric with parameters. The ``k`` of any
    partial becomes the cut-off of its metric. Raises an `InputError` if there is no name (a partial
    has no ``__name__``), if ``function`` is not callable, or if the cut-off is not a positive
    integer.
    """
    name = name or getattr(function, "__name__", None)
    if name is None or not callable(function):
        rule = (
            "be metric names or functions (truth, retrieved, *, k), those without a name under "
            "one: {'MAE by case': …}"
        )
        raise input_error("measures", rule, shorten(function))
    if not isinstance(function, partial):
        return RetrieverMetric(name, function)
    parameters = dict(function.keywords)
    # receval calls metrics with a k, which would override that of the partial.
    k = parameters.pop("k", None)
    if k is not None:
        k = check_count(k, f"the cut-off of {name!r}")
    if function.func in METRICS.values() and not function.args:
        return RetrieverMetric(name, function.func, k, parameters)
    return RetrieverMetric(name, function, k)
