"""Which metrics a retriever evaluation computes: by name, with a cut-off, or as functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from receval._checks import (
    check_choice,
    check_count,
    check_text,
    check_that,
    check_unique,
    input_error,
    shorten,
)
from receval.measure.names import UnloadableFunction, parse_name
from receval.metrics.retrieval import (
    Ranking,
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

Metric = Callable[..., float]
Measures = str | Metric | Iterable[str | Metric] | Mapping[str, Metric] | None

METRICS: dict[str, Metric] = {
    metric.__name__: metric
    for metric in (
        *(hits, hits_normalized, mae, mse, quality_stromer, quality_mueller),
        *(correctness, completeness, distance, kendall, spearman),
    )
}
LOWER_IS_BETTER: set[Metric] = {mae, mse, distance}
SOURCES: dict[Metric, str] = {
    **dict.fromkeys((mae, mse, correctness, completeness), "@hoffmann2020; "),
    **{quality_stromer: "@bergmann2013; ", kendall: "@kendall1938; ", spearman: "@spearman1904; "},
}
"""What document 003 refers to, or the field does; the other metrics are known from it alone."""
BY_CASE: set[Metric] = {hits, hits_normalized, quality_stromer, quality_mueller}


@dataclass(frozen=True)
class RetrieverMetric:
    """A metric under its name, with the reading and the cut-off that the name states."""

    name: str
    metric: Metric
    k: int | None = None
    reading: Mapping[str, str] = field(default_factory=dict)
    per_user: ClassVar[bool] = True  # each query has a value

    @property
    def higher_is_better(self) -> bool:
        return self.metric not in LOWER_IS_BETTER and self.reading.get("count") != "misses"

    @property
    def is_documented(self) -> bool:
        """Whether it is one of document 003's metrics, and no function of the user's own."""
        return self.metric in METRICS.values()

    def filled(self, truth: Ranking, answer: Ranking) -> Ranking:
        """The answer and, below it, the cases that it lacks: with similarity 0 and without a hit.

        They come in reverse, for no order was answered. A function of the user's own is given
        the answer as it is.
        """
        lacking = [case for case in reversed(truth.cases) if case not in answer.place]
        if not lacking or not self.is_documented:
            return answer
        below: Any = [] if self.metric in (mae, mse) else answer.similarities[-1:] - 1
        if self.metric in BY_CASE:  # cases by other names are no hits, but have their places
            lacking = [("lacking", case) for case in lacking]
        similarities = np.append(answer.similarities, np.full(len(lacking), min([0.0, *below])))
        return Ranking((*answer.cases, *lacking), similarities, answer.kinds | truth.kinds)

    def with_zeros(self, truth: Ranking, answer: Ranking, k: int | None) -> float:
        """The value where what an answer lacks counts as similarity 0; NaN of a silent answer."""
        if self.is_documented and not len(answer):
            return math.nan
        return self(truth, self.filled(truth, answer), k)

    def silence(self, truth: Ranking, k: int | None, places: int) -> float:
        """What a silent answer counts; NaN of a function of the user's own, which has no rule."""
        if not self.is_documented:
            return math.nan
        return silence(self.metric, truth, k=self.k or k, places=places, **self.reading)

    def tells_nothing(self, k: int | None, places: int) -> bool:
        """Whether it is a distance between places of which there is only one."""
        return self.metric is distance and (self.k or k or places) == 1

    def record(self) -> dict[str, Any]:
        """What a file keeps of it: of a function of the user's own the name only."""
        known = [name for name, one in METRICS.items() if one is self.metric]
        return {"name": self.name, "metric": known, "k": self.k, "reading": dict(self.reading)}

    @classmethod
    def kept(cls, name: str, metric: list[str], **told: Any) -> RetrieverMetric:
        """The measure that a file tells of."""
        return cls(name, METRICS[metric[0]] if metric else UnloadableFunction(name), **told)

    def __call__(self, truth: Any, retrieved: Any, k: int | None) -> float:
        value = self.metric(truth, retrieved, k=self.k or k, **self.reading)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise input_error(f"measure {self.name!r}", "answer a number", shorten(value)) from None


def chosen(measures: Measures) -> list[RetrieverMetric]:
    """What ``measures`` asks for; all eleven metrics of document 003 where it is None."""
    given: Any = METRICS if measures is None else measures
    if isinstance(given, Mapping):
        found = [_function(metric, str(name)) for name, metric in given.items()]
    else:
        given = given if np.iterable(given) and not isinstance(given, str) else [given]
        found = [_named(one) if isinstance(one, str) else _function(one) for one in given]
    check_that(bool(found), "measures", "be at least one", measures)
    check_text([one.name for one in found], "measures")
    check_unique([one.name for one in found], "measures", "measure")
    return found


def _named(name: str) -> RetrieverMetric:
    """The measure of a name such as "mae(pairing=case)@10"."""
    parts = parse_name(name)
    if parts is None:
        rule = "be like 'hits' or 'hits@10', with parameters like 'mae(pairing=case)@10'"
        raise input_error("measures", rule, shorten(name))
    metric = METRICS[check_choice(parts.name.lower(), "measures", METRICS)]
    known = list(inspect.signature(metric).parameters)[3:]  # after the rankings and k
    rule = f"name parameters that {metric.__name__} has ({', '.join(known) or 'none'}), each once"
    check_that(parts.parameters.keys() <= set(known), "measures", rule, name)
    metric({}, {}, **parts.parameters)  # a wrong value is refused before the work begins
    k = None if parts.cut is None else check_count(parts.cut, f"the cut-off of {name!r}")
    return RetrieverMetric(name, metric, k, parts.parameters)


def _function(metric: Any, name: str | None = None) -> RetrieverMetric:
    name = name or getattr(metric, "__name__", None)  # a partial has no name of its own
    if name is None or not callable(metric):
        rule = "be metric names or functions (truth, retrieved, *, k), those without a name under "
        raise input_error("measures", f"{rule}one: {{'MAE by case': …}}", shorten(metric))
    if isinstance(metric, partial) and metric.func in METRICS.values():
        reading = {option: value for option, value in metric.keywords.items() if option != "k"}
        return RetrieverMetric(name, metric.func, None, reading)
    return RetrieverMetric(name, metric)
