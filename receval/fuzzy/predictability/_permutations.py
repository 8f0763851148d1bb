"""Random permutations of systems, and what is significant under them.

A permutation p gives system i the on-line outcomes of system p[i]. A *family* is a group of systems
that swap outcomes only with each other. `Families` holds the row numbers of each family's systems.

P-values come from the step-down max-T procedure of Westfall and Young (1993).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    check_that,
    check_unique,
    input_error,
    shorten,
)

Z_ROUNDING = 1e-9  # studentised statistics that differ by less count as equal

Families: TypeAlias = list[IntArray]
Groups: TypeAlias = Mapping[object, object] | pd.Series | Sequence[object] | AnyArray | None
"""The family of each system: a mapping by system, or a list in the order of the off-line table."""


def read_families(groups: Groups, systems: pd.Index) -> Families:
    """Return the row numbers of each family's systems; without groups, there is a single family.

    Raises
    ------
    InputError
        If a system has no family, if the number of groups differs from that of systems, or if no
        family has two systems.
    """
    n_systems = len(systems)
    rule = "have at least two systems, in one family"
    check_that(n_systems > 1, "offline", rule, f"{n_systems} system")
    if groups is None:
        return [np.arange(n_systems)]
    if isinstance(groups, (pd.Series, Mapping)):
        family_by_system = pd.Series(groups, dtype=object)
        check_unique(family_by_system.index.tolist(), "groups", "system")
        labels = family_by_system.reindex(systems)
    else:
        rule = f"list the family of each of the {n_systems} systems"
        is_list = isinstance(groups, (list, tuple)) or getattr(groups, "ndim", 0) == 1
        check_that(is_list and len(groups) == n_systems, "groups", rule, groups)
        labels = pd.Series(list(groups), systems, dtype=object)
    missing = systems[labels.isna()].tolist()
    check_that(not missing, "groups", "have a family for each system", missing)
    try:
        codes = pd.factorize(labels)[0]
    except TypeError:  # an unhashable label, such as a list
        rule = "name families by numbers or texts"
        raise input_error("groups", rule, shorten(labels.tolist())) from None
    families = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    largest = max(len(rows) for rows in families)
    advice = "Systems are permuted within families, and families of one system cannot be"
    check_that(largest > 1, "groups", "have a family of two systems or more", largest, advice)
    return families


def random_permutations(
    families: Families, n_permutations: int, rng: np.random.Generator
) -> IntArray:
    """Return permutations within families, the identity first, then ``n_permutations`` random ones.

    The result has the shape (1 + n_permutations, systems).
    """
    n_systems = sum(len(rows) for rows in families)
    permutations = np.tile(np.arange(n_systems), (1 + n_permutations, 1))
    for rows in families:
        keys = rng.random((n_permutations, len(rows)))
        # The order of random keys is a random order of the family's systems.
        permutations[1:, rows] = rows[np.argsort(keys, axis=1)]
    return permutations


def step_down_max_t(statistics: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p-values, adjusted p-values, and the largest statistic of each draw.

    Parameters
    ----------
    statistics : array, shape (draws, hypotheses)
        Large values speak against a hypothesis. The first draw is the observed one.

    Notes
    -----
    The hypothesis with the largest observed statistic is compared with the maximum over all
    hypotheses; the next one with the maximum over the remaining ones, and so on. A hypothesis never
    gets a smaller adjusted p-value than one with a larger statistic.
    """
    observed = statistics[0]
    p = (statistics >= observed - Z_ROUNDING).mean(axis=0)
    order = np.argsort(-observed, kind="stable")  # the strongest hypothesis first
    # In each draw, the maximum over a hypothesis and all weaker ones.
    from_weakest = np.maximum.accumulate(statistics[:, order[::-1]], axis=1)
    remaining_maxima = from_weakest[:, ::-1]
    steps = (remaining_maxima >= observed[order] - Z_ROUNDING).mean(axis=0)
    p_family = np.empty(len(observed))
    p_family[order] = np.maximum.accumulate(steps)
    return p, p_family, remaining_maxima[:, 0]


def critical_value(maxima: FloatArray, alpha: float) -> float:
    """Return the smallest statistic whose family-wise p-value is at most ``alpha``.

    ``maxima`` holds the largest statistic of each draw. The result is infinite if there are too few
    draws for a p-value that small.
    """
    in_order = np.sort(maxima)
    # How many draws reach each value. Values that differ only by rounding count as equal.
    first_reached = np.searchsorted(in_order, in_order - Z_ROUNDING)
    shares = (len(in_order) - first_reached) / len(in_order)
    is_critical = shares <= alpha
    return float(in_order[is_critical].min(initial=math.inf))
