"""The plan of on-line measures: which to compute from a log, and at how many places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import pandas as pd

from receval._checks import (
    AnyArray,
    check_callable,
    check_count,
    check_that,
    format_first,
    shorten,
    warn,
)
from receval.fuzzy import _log
from receval.fuzzy._variants import DOCUMENT_MEASURES, OnlineMeasure
from receval.metrics.connectives import goedel, lukasiewicz
from receval.metrics.connectives.degrees import Connective
from receval.metrics.discounts import Discount, shifted_log2

Implicators: TypeAlias = Connective | Mapping[str, Connective]
"""An implicator, or several by the names of their measures."""


class MeasurePlan(NamedTuple):
    """The measures to compute from a log.

    Attributes
    ----------
    measures : the measures, in the order of the columns.
    f : function from places to degrees of truth.
    weight_columns : columns of the log that hold further weights, besides the column ``weight``.
    """

    measures: tuple[OnlineMeasure, ...]
    f: Discount
    weight_columns: list[str]


def plan_measures(
    implicator: Implicators | None,
    f: Discount | None,
    weight: str | None,
    weights: Mapping[str, str | Discount] | None,
    variant: str,
) -> MeasurePlan:
    """Return the measures that the arguments of `online_measures` ask for.

    Raises if they contradict each other, or are of the wrong kind.
    """
    if implicator is None and f is None and weights is None:
        return MeasurePlan(DOCUMENT_MEASURES, shifted_log2, [])
    rule = "be 'equations' with an implicator, f or weights of your own"
    check_that(variant == "equations", "variant", rule, variant)
    if f is None:
        f = shifted_log2
    check_callable(f, "f", "shifted_log2")

    if weights is None and weight is not None:
        weights = {"nov": weight}
    elif weights is None:
        weights = {}
    else:
        advice = "weights={'nov': ...} takes the place of weight="
        check_that(weight is None, "weight", "be None if weights are passed", weight, advice)
    implicator_by_name = _name_implicators(implicator)
    weight_by_suffix, weight_columns = _name_weights(weights)
    measures = []
    for name, connective in implicator_by_name.items():
        measures.append(OnlineMeasure(name, connective))
        for suffix, place_weight in weight_by_suffix.items():
            measures.append(OnlineMeasure(f"{name}_{suffix}", connective, place_weight))
    return MeasurePlan(tuple(measures), f, weight_columns)


def _name_implicators(implicator: Implicators | None) -> Mapping[str, Connective]:
    """Return the implicators by the name of their measure; raise if one is not a function.

    None stands for the two implicators of the document. A single function is returned under its own
    name.
    """
    if implicator is None:
        return {"IL": lukasiewicz, "IG": goedel}
    if not isinstance(implicator, Mapping):
        check_callable(implicator, "implicator", "lukasiewicz")
        return {getattr(implicator, "__name__", "I"): implicator}
    check_that(len(implicator) > 0, "implicator", "be a function or name at least one", {})
    for connective in implicator.values():
        check_callable(connective, "implicator", "lukasiewicz")
    return implicator


def _name_weights(
    weights: Mapping[str, str | Discount],
) -> tuple[dict[str, str | Discount], list[str]]:
    """Return the weights by suffix, as `OnlineMeasure` needs them, and the columns to read.

    Raises if a weight is neither the name of a column nor a function of places.
    """
    check_that(isinstance(weights, Mapping), "weights", "be a mapping of names", weights)
    weight_by_suffix: dict[str, str | Discount] = {}
    columns = []
    for suffix, place_weight in weights.items():
        if isinstance(place_weight, str):
            columns.append(place_weight)
            weight_by_suffix[suffix] = _log.weight_column(place_weight)
        else:
            check_callable(place_weight, f"weights[{suffix!r}]", "shifted_log2")
            weight_by_suffix[suffix] = place_weight
    return weight_by_suffix, list(dict.fromkeys(columns))


def list_lengths(log: pd.DataFrame, systems: AnyArray) -> dict[object, int]:
    """Return the last place of the longest list of each system, by the system's id.

    ``log`` and ``systems`` are the frame and the ids that `receval.fuzzy._log.read` returns.
    """
    labels: list[object] = systems.tolist()
    last_places: list[int] = log["position"].groupby(log["system"]).max().tolist()
    return dict(zip(labels, last_places, strict=True))


def common_cutoff(k: int | None, length_by_system: Mapping[object, int]) -> tuple[int, list[str]]:
    """Return the number of places that count, and notes on systems whose lists are shorter.

    ``length_by_system`` holds the last place of each system's lists. If ``k`` is None, the smallest
    of these counts, and the function warns if they differ.
    """
    shortest = min(length_by_system.values())
    if k is None:
        if max(length_by_system.values()) > shortest:
            warn(
                f"the lists end at different places ({_format_lengths(length_by_system)}); the "
                f"first {shortest} places count, which all systems fill",
                stacklevel=3,
            )
        return shortest, []
    k = check_count(k, "k")
    counted_lengths = {system: min(k, length) for system, length in length_by_system.items()}
    if len(set(counted_lengths.values())) == 1:
        return k, []
    note = (
        f"the lists end at different places ({_format_lengths(counted_lengths)}), and longer lists "
        f"get more responses: compare the systems at k={shortest}"
    )
    return k, [note]


def _format_lengths(length_by_system: Mapping[object, int]) -> str:
    """Return text such as "10 for 'A', 20 for 'B'"; at most five systems are named."""
    return format_first(
        length_by_system.items(), to_text=lambda entry: f"{entry[1]} for {shorten(entry[0])}"
    )
