"""Choose the measures, the pairs of systems and the seed of a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import (
    Id,
    InputError,
    Seed,
    as_generator,
    input_error,
    select_names,
    shorten,
)
from receval.evaluation.protocols import ComparableResult, SystemPair


class SelectedMeasures(NamedTuple):
    """Names of measures that tests by user can compare, and of set-level measures."""

    per_user: list[str]
    set_level: list[str]


def select_measures(
    evaluation: ComparableResult, measures: str | Iterable[str] | None
) -> SelectedMeasures:
    """Return the names of the wanted measures: those with values of users, and set-level ones.

    A set-level measure has no values of users, but one value for all users together. ``measures``
    has names; None means all measures of the evaluation. The result names at least one measure
    with values of users.

    Raises
    ------
    InputError
        If a measure is not in the evaluation, if ``measures`` names a set-level measure, or if all
        measures are set-level.
    """
    measure_by_name = {measure.name: measure for measure in evaluation.measures}
    # Users may use other spellings, such as "ndcg@10" for "nDCG@10".
    names = None if measures is None else evaluation._measure_names(measures)
    per_user: list[str] = []
    set_level: list[str] = []
    for name in select_names(names, measure_by_name):
        if evaluation._has_user_values(measure_by_name[name]):
            per_user.append(name)
        else:
            set_level.append(name)
    # By default, leave out set-level measures if there are any other measures.
    if set_level and (measures is not None or not per_user):
        rule = "have a value for each user, so that users can be resampled or compared"
        raise input_error("measures", rule, f"{set_level}, of all users together")
    return SelectedMeasures(per_user, set_level)


def select_pairs(systems: list[Id], baseline: object) -> tuple[list[Id], list[SystemPair]]:
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
    baselines = systems if baseline is None else _as_names(baseline, systems)
    baselines = list(dict.fromkeys(baselines))  # without duplicates
    unknown = [name for name in baselines if name not in systems]
    if unknown or not baselines:
        raise InputError(f"baseline must be one of {systems}; got {shorten(unknown or baseline)}")
    pairs = []
    for position, name in enumerate(baselines):
        # Earlier baselines were already compared with this one.
        earlier_or_same = baselines[: position + 1]
        pairs += [(name, system) for system in systems if system not in earlier_or_same]
    return baselines, pairs


def _as_names(baseline: object, systems: list[Id]) -> list[Id]:
    """Return the names in the argument ``baseline``: one name, or an iterable of names.

    ``systems`` are the names of all systems. If ``baseline`` has no names, the list is empty. The
    caller refuses an empty list and unknown names.
    """
    try:
        # A tuple can be the name of a system, or hold several names.
        is_system = pd.api.types.is_hashable(baseline) and baseline in systems
        if isinstance(baseline, str) or is_system:
            return [baseline]
        if not isinstance(baseline, Iterable):
            return []
        return list(dict.fromkeys(baseline))
    except TypeError:  # `baseline` has lists, which can't be names
        return []


def as_seed(rng: Seed) -> int:
    """Return a seed from which every comparison starts; if ``rng`` is a generator, it draws one.

    Raises an `InputError` if ``rng`` is neither a generator nor a seed.
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    as_generator(rng)  # raises an error for anything but a seed
    return int(rng or 0)
