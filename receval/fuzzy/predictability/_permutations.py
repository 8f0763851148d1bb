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
    format_first,
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
        family_by_system = pd.Series(groups)
        missing = systems[~systems.isin(family_by_system.index)].tolist()
        if missing:
            got = f"none for {format_first(missing)}"
            raise input_error("groups", "have a family for each system", got)
        check_that(family_by_system.index.is_unique, "groups", "have each system once", groups)
        labels = family_by_system.loc[systems].to_numpy()
    else:
        try:
            listed = [*groups]
        except TypeError:  # a number, for example
            rule = "list the family of each system"
            raise input_error("groups", rule, shorten(groups)) from None
        # Make an array of objects; otherwise NumPy turns a NaN among texts into a text.
        labels = pd.Series(listed, dtype=object).to_numpy()
        rule = f"have one family for each of the {n_systems} systems"
        check_that(labels.shape == (n_systems,), "groups", rule, labels.shape)
    if pd.isna(labels).any():
        missing = systems[pd.isna(labels)].tolist()
        raise input_error("groups", "have a family for each system", f"NaN for {missing}")
    try:
        codes = pd.factorize(labels)[0]
    except TypeError:  # an unhashable label, such as a list
        got = format_first(labels.tolist())
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


class CorrelatedNormals:
    """Draws of normal outcomes with any correlation to a metric whose ranks are known.

    This is a Gaussian copula: metric and outcome are bivariate normal, but only the ranks of the
    metric are known. The same random numbers serve all correlations and metrics, so that the power
    of a test is a smooth function of the correlation.
    """

    def __init__(self, n_systems: int, n_draws: int, rng: np.random.Generator) -> None:
        # Normal numbers in ascending order: the latent values of the metric, from its worst system
        # to its best.
        self._in_order = np.sort(rng.standard_normal((n_draws, n_systems)), axis=1)
        self._noise = rng.standard_normal((n_draws, n_systems))

    def draw(self, metric: FloatArray, correlation: float) -> FloatArray:
        """Return outcomes of each system, shape (draws, systems), higher for better systems.

        ``metric`` has one value per system. Tied systems share the mean of their latent values.
        """
        ranks = mean_ranks(metric)
        # Column i has the weights that average the latent values over the places that system i
        # shares.
        shares = np.zeros((len(metric), len(metric)))
        places_by_rank = np.sort(ranks)
        for system, rank in enumerate(ranks):
            is_place = places_by_rank == rank
            shares[is_place, system] = 1 / is_place.sum()
        latent = self._in_order @ shares
        # The noise does not depend on the metric, so its rows are not permuted.
        return np.asarray(correlation * latent + np.sqrt(1 - correlation**2) * self._noise)
