"""Permutations of systems: random ones, and those that follow a metric to some degree.

A permutation p gives system i the on-line outcomes of system p[i]. A *family* is a group of systems
that swap outcomes only with each other. `Families` holds the row numbers of each family's systems.
"""

from __future__ import annotations

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
from receval.metrics.ties import mean_ranks

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
        is_list = isinstance(groups, (list, tuple, np.ndarray, pd.Index))
        check_that(is_list and len(groups) == n_systems, "groups", rule, groups)
        labels = pd.Series(list(groups), systems, dtype=object)
    if labels.isna().any():
        missing = shorten(systems[labels.isna()].tolist())
        raise input_error("groups", "have a family for each system", f"none for {missing}")
    try:
        codes = pd.factorize(labels)[0]
    except TypeError:  # an unhashable label, such as a list
        got = shorten(labels.tolist())
        raise input_error("groups", "name families by numbers or texts", got) from None
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


def permutations_by_rank(drawn: FloatArray, outcomes: FloatArray, families: Families) -> IntArray:
    """Return permutations that give the best outcome to the system with the highest drawn number.

    ``drawn`` has the shape (draws, systems). ``outcomes`` has one number per system, higher is
    better. Within each family, the system with the highest drawn number gets the best outcome, the
    next one the second best, and so on. The result has the shape of ``drawn``.
    """
    permutations = np.empty(drawn.shape, np.int64)
    for rows in families:
        # Systems of the family from the worst outcome to the best.
        rows_by_outcome = rows[np.argsort(outcomes[rows], kind="stable")]
        # In each draw, the system with the lowest number gets the worst outcome, and so on.
        order = np.argsort(drawn[:, rows], axis=1)
        in_family = np.empty(order.shape, np.int64)
        np.put_along_axis(in_family, order, rows_by_outcome[np.newaxis], axis=1)
        permutations[:, rows] = in_family
    return permutations


def correlated_outcomes(
    metric: FloatArray, correlation: float, latent_in_order: FloatArray, noise: FloatArray
) -> FloatArray:
    """Return normal outcomes with a correlation to a metric whose ranks are known.

    This is a Gaussian copula: metric and outcome are bivariate normal, but only the ranks of the
    metric are known. The same random numbers serve all correlations and metrics, so that the power
    of a test is a smooth function of the correlation.

    Parameters
    ----------
    metric : array, shape (systems,)
        Values of the metric. Tied systems share the mean of their latent values.
    correlation : float
        Correlation of the latent values and the outcomes.
    latent_in_order : array, shape (draws, systems)
        Normal numbers, ascending in each row: the latent values of the metric, from its worst
        system to its best.
    noise : array, shape (draws, systems)
        Normal numbers, independent of the metric.

    Returns
    -------
    array, shape (draws, systems)
        Higher for better systems.
    """
    ranks = mean_ranks(metric)
    # Column i has the weights that average the latent values over the places that system i shares.
    is_place = np.sort(ranks)[:, np.newaxis] == ranks
    latent = latent_in_order @ (is_place / is_place.sum(axis=0))
    return np.asarray(correlation * latent + np.sqrt(1 - correlation**2) * noise)
