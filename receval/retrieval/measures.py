"""Which metrics a retriever evaluation computes: by name, with a cut-off, or as functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from receval._checks import check_choice, check_count, refusal, shorten
from receval.measure.conventions import NotKept
from receval.measure.names import spelled
from receval.metrics.retrieval import (
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


@dataclass(frozen=True)
class Measure:
    """A metric under its name, with the reading and the cut-off that the name states."""

    name: str
    metric: Metric
    k: int | None = None
    reading: Mapping[str, str] = field(default_factory=dict)
    per_user: ClassVar[bool] = True  # each query has a value

    @property
    def higher_is_better(self) -> bool:
        metric = self.metric.func if isinstance(self.metric, partial) else self.metric
        return metric not in LOWER_IS_BETTER

    def record(self) -> dict[str, Any]:
        """What a file keeps of it: of a function of the user's own the name only."""
        metric: Any = self.metric
        reading = dict(self.reading)
        if isinstance(metric, partial) and not metric.args:
            metric, reading = metric.func, {**metric.keywords, **reading}
        known = [name for name, one in METRICS.items() if one is metric]
        return {
            "name": self.name,
            "metric": known,
            "k": self.k,
            "reading": reading if known else {},
        }

    @classmethod
    def kept(cls, name: str, metric: list[str], **told: Any) -> Measure:
        """The measure that a file tells of."""
        return cls(name, METRICS[metric[0]] if metric else NotKept(name), **told)

    def __call__(self, truth: Any, retrieved: Any, k: int | None) -> float:
        value = self.metric(truth, retrieved, k=self.k or k, **self.reading)
        try:
            return float(value)
        except (TypeError, ValueError):
            what = f"measure {self.name!r}"
            raise refusal(what, "answer a number", shorten(value)) from None


def chosen(measures: Measures) -> list[Measure]:
    """What ``measures`` asks for; all eleven metrics of document 003 where it is None."""
    given: Any = METRICS if measures is None else measures
    if isinstance(given, Mapping):
        found = [_function(metric, str(name)) for name, metric in given.items()]
    else:
        given = given if np.iterable(given) and not isinstance(given, str) else [given]
        found = [_named(one) if isinstance(one, str) else _function(one) for one in given]
    names = [one.name for one in found]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice or not found:
        got = ", ".join(twice) or "none"
        raise refusal("measures", "be at least one, each named once", got)
    return found


def _named(name: str) -> Measure:
    """The measure of a name such as "mae(pairing=case)@10"."""
    parts = spelled(name)
    if parts is None:
        rule = "be like 'hits' or 'hits@10', with parameters like 'mae(pairing=case)@10'"
        raise refusal("measures", rule, shorten(name))
    metric = METRICS[check_choice(parts.name.lower(), "measures", METRICS)]
    known = list(inspect.signature(metric).parameters)[3:]  # after the rankings and k
    if not parts.parameters.keys() <= set(known):
        has = f"{metric.__name__} has ({', '.join(known) or 'none'})"
        raise refusal("measures", f"name parameters that {has}, each once", shorten(name))
    metric({}, {}, **parts.parameters)  # a wrong value is refused before the work begins
    k = None if parts.cut is None else check_count(parts.cut, f"the cut-off of {name!r}")
    return Measure(name, metric, k, parts.parameters)


def _function(metric: Any, name: str | None = None) -> Measure:
    name = name or getattr(metric, "__name__", None)  # a partial has no name of its own
    if name is None or not callable(metric):
        rule = (
            "be metric names or functions (truth, retrieved, *, k), those without a name under one"
        )
        raise refusal("measures", f"{rule}: {{'MAE by case': …}}", shorten(metric))
    return Measure(name, metric)
