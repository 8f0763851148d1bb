"""Choose the measures and the pairs of systems of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, TypeAlias, cast

import pandas as pd

from receval._checks import Id, input_error, select_names, shorten
from receval.definitions.definition import Measure

AnyResult: TypeAlias = Any
"""An `Evaluation`. Its module imports this one, so it can't be named here."""


def select_measures(
    evaluation: AnyResult, measures: str | Iterable[str] | None
) -> tuple[dict[str, Measure], list[str]]:
    """Return the wanted measures with values of users by name, and names of set-level measures.

    A set-level measure has no values of users, but one value for all users together. ``measures``
    has names; None means all measures of the evaluation. The result has at least one measure with
    values of users.

    Raises
    ------
    InputError
        If a measure is not in the evaluation, if ``measures`` names a set-level measure, or if all
        measures are set-level.
    """
    measure_by_name = {measure.name: measure for measure in evaluation.measures}
    names = list(measure_by_name)
    if measures is not None:
        # Users may use other spellings, such as "ndcg@10" for "nDCG@10".
        names = select_names(evaluation._measure_names(measures), measure_by_name)
    per_user: dict[str, Measure] = {}
    set_level: list[str] = []
    for name in names:
        if evaluation._has_user_values(measure_by_name[name]):
            per_user[name] = measure_by_name[name]
        else:
            set_level.append(name)
    # By default, leave out set-level measures if there are any other measures.
    if set_level and (measures is not None or not per_user):
        rule = "have a value for each user, so that systems can be compared"
        raise input_error("measures", rule, f"{set_level}, of all users together")
    return per_user, set_level


def select_pairs(systems: list[Id], baseline: object) -> tuple[list[Id], list[tuple[Id, Id]]]:
    """Return the baselines, and the pairs (baseline, system) to compare.

    ``baseline`` is the name of a system, several names, or None. If it is None, all systems are
    baselines. Each baseline is compared with every other system, but no two systems are compared
    twice. There is at least one pair.

    Raises
    ------
    InputError
        If there are fewer than two systems, or a baseline is not one of them.
    """
    if len(systems) < 2:
        advice = "Evaluate them together: evaluate({'A': …, 'B': …}, …) or system=…"
        raise input_error("compare", "be given at least two systems", "one", advice)
    baselines = systems
    if pd.api.types.is_list_like(baseline):
        baselines = list(cast("Iterable[Id]", baseline))
    elif baseline is not None:
        baselines = [baseline]
    if not baselines or not set(systems).issuperset(baselines):
        raise input_error("baseline", f"be one of {systems}", shorten(baseline))
    pairs: list[tuple[Id, Id]] = []
    for name, system in product(baselines, systems):
        is_compared = (name, system) in pairs or (system, name) in pairs
        if name != system and not is_compared:
            pairs.append((name, system))
    return list(dict.fromkeys(baselines)), pairs
