"""Which metrics a retriever evaluation computes: by name, with a cut-off, or as functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from receval._checks import InputError, check_choice, shorten
from receval.measure.spelling import spelled
from receval.metrics import retrieval

Metric = Callable[..., float]
Measures = str | Metric | Iterable[str | Metric] | Mapping[str, Metric] | None

GIVEN = ("truth", "retrieved", "k")  # what the running gives a metric
METRICS: dict[str, Metric] = {
    metric.__name__: metric
    for metric in (
        retrieval.hits,
        retrieval.hits_normalized,
        retrieval.mae,
        retrieval.mse,
        retrieval.quality_stromer,
        retrieval.quality_mueller,
        retrieval.correctness,
        retrieval.completeness,
        retrieval.distance,
        retrieval.kendall,
        retrieval.spearman,
    )
}


@dataclass(frozen=True)
class Chosen:
    """A metric under its label, with the cut-off and the parameters that the label names."""

    label: str
    metric: Metric
    k: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, truth: Any, retrieved: Any, k: int | None) -> float:
        k = k if self.k is None else self.k
        value = self.metric(truth, retrieved, k=k, **self.parameters)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InputError(
                f"measure {self.label!r} must answer a number; got {shorten(value)}"
            ) from None


def chosen(measures: Measures) -> list[Chosen]:
    """What ``measures`` asks for; all eleven metrics of document 003 where it is None."""
    if measures is None:
        measures = METRICS
    if isinstance(measures, Mapping):
        found = [_named_function(label, metric) for label, metric in measures.items()]
    else:
        listed = [measures] if isinstance(measures, str) or callable(measures) else measures
        try:
            several = list(listed)
        except TypeError:  # a number, an array without axes
            got = shorten(measures)
            raise InputError(f"measures must be a name or several; got {got}") from None
        found = [_named(one) if isinstance(one, str) else _function(one) for one in several]
    labels = [one.label for one in found]
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice or not found:
        raise InputError(
            f"measures must be at least one, each named once; got {', '.join(twice) or 'none'}"
        )
    return found


def _named(label: str) -> Chosen:
    parts = spelled(label)
    if parts is None:
        raise InputError(
            f"measures must be like 'hits@10' or 'mae(pairing=case)'; got {shorten(label)}"
        )
    metric = METRICS[check_choice(parts.name.lower(), "measures", METRICS)]
    takes = [option for option in inspect.signature(metric).parameters if option not in GIVEN]
    for option in parts.parameters:
        check_choice(option, f"a parameter of {label!r}", takes)
    return Chosen(label, metric, parts.k, parts.parameters)


def _function(metric: object) -> Chosen:
    name = getattr(metric, "__name__", None)
    if name is None:  # such as a partial, which has no name of its own
        raise InputError(
            "measures must be named where functions have no name: {'MAE by case': …}; "
            f"got {shorten(metric)}"
        )
    return _named_function(name, metric)


def _named_function(label: str, metric: Any) -> Chosen:
    if not callable(metric):
        raise InputError(
            f"measures must be metric names or functions (truth, retrieved, *, k); "
            f"got {shorten(metric)}"
        )
    return Chosen(str(label), metric)
