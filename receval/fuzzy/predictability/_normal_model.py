"""The reliability of measures, and outcomes that follow a metric to some degree."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_finite
from receval._checks import FloatArray, IntArray, check_none, check_number, check_unique
from receval.metrics.ties import mean_ranks

Reliability: TypeAlias = float | pd.Series | Mapping[Hashable, float] | None
"""Reliability of the on-line measures: one number for all, or one by measure; None if unknown."""


def kendall_of_normals(correlation: FloatArray | pd.Series) -> FloatArray:
    r"""Return Kendall's tau of a bivariate normal distribution: :math:`(2/\pi) \arcsin \rho`."""
    return np.asarray(2 / np.pi * np.arcsin(correlation))


def read_reliability(reliability: Reliability, measures: pd.Index) -> pd.Series | None:
    """Return the reliability of each on-line measure, or None if ``reliability`` is None.

    Raises `InputError` if a measure has no reliability, or if one is outside [0, 1].
    """
    if reliability is None:
        return None
    if isinstance(reliability, (pd.Series, Mapping)):
        by_measure = pd.Series(reliability)
        check_unique(by_measure.index.tolist(), "reliability", "measure")
        values = as_finite(by_measure.reindex(measures).to_numpy(), "reliability")
    else:
        values = np.full(len(measures), check_number(reliability, "reliability", "in [0, 1]"))
    check_none(values, (values < 0) | (values > 1), "reliability", "be in [0, 1]")
    return pd.Series(values, measures)


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


def permutations_by_rank(
    drawn: FloatArray, outcomes: FloatArray, families: list[IntArray]
) -> IntArray:
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
