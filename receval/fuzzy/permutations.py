"""Random permutations of systems, and what is significant under them.

A *cell* is a pair of an off-line metric and an on-line measure. A *permutation* p of n systems
gives system i the on-line outcomes of system p[i]. The *lift* of a cell is its value minus the
value that chance gives on average. A *family* is a group of systems that swap outcomes only with
each other. `Families` holds the row numbers of each family's systems.

P-values come from the step-down max-T procedure of Westfall and Young (1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

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
from receval.fuzzy.predictability import kendall, mean_implications, mean_of_sorted, truths
from receval.metrics.connectives.formulas import Connective

CENTRING_ERROR = 1e-13  # largest rounding error of truth values minus their means
MAX_SIGNS = 2**20  # signs of pairs of systems that are held in memory at a time
Z_ROUNDING = 1e-9  # studentised statistics that differ by less count as equal
ALL = slice(None)

Families: TypeAlias = list[IntArray]
Groups: TypeAlias = Mapping[object, object] | pd.Series | Sequence[object] | AnyArray | None
"""The family of each system: a mapping by system, or a list in the order of the off-line table."""

Columns: TypeAlias = list[int] | slice
"""Numbers of the metrics or the measures to compute."""


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


class Statistic(NamedTuple):
    """A statistic of each cell, and what permutations do to it.

    Attributes
    ----------
    values : the statistic, shape (metrics, measures).
    by_chance : its mean over all permutations.
    sd : its exact standard deviation over all permutations, or None if there is no formula.
    lifts : function of permutations, shape (permutations, systems), and optionally of the numbers
        of metrics and measures; it returns lifts of the shape (permutations, metrics, measures).
    """

    values: FloatArray
    by_chance: FloatArray
    sd: FloatArray | None
    lifts: Callable[..., FloatArray]


def implication_statistic(
    body: FloatArray, head: FloatArray, implicator: Connective, families: Families
) -> Statistic:
    """Return the mean implication of each column of ``head`` by each column of ``body``.

    Both hold degrees of truth, systems in rows. ``families`` holds the row numbers of the systems
    of each family; systems swap outcomes only within their family.
    """
    # I(b, h) with the metric of system i and the outcome of system j, shape (systems i, systems j,
    # metrics, measures).
    bodies = body[:, np.newaxis, :, np.newaxis]
    heads = head[np.newaxis, :, np.newaxis, :]
    truth = truths(bodies, heads, implicator)
    n_systems = len(truth)
    by_chance = np.zeros(truth.shape[2:])
    variance = np.zeros(truth.shape[2:])
    # What the outcome of system j adds to the lift if system i gets it, times the number of
    # systems. It is 0 if i and j are of different families, because they never swap.
    centred = np.zeros(truth.shape)
    for rows in families:
        block = truth[np.ix_(rows, rows)]
        family_mean = mean_of_sorted(block.reshape(-1, *by_chance.shape))
        by_chance += len(rows) / n_systems * family_mean
        block = _without_means(block)
        centred[np.ix_(rows, rows)] = block
        # Hoeffding: if the rows and columns of a matrix d add up to 0, the sum of d[i, p(i)] over
        # m systems has the variance (sum of all d squared) / (m - 1). Families are independent, and
        # in a family of one system, d is 0.
        variance += (block**2).sum(axis=(0, 1)) / max(len(rows) - 1, 1)
    return Statistic(
        values=mean_implications(body, head, implicator),
        by_chance=by_chance,
        sd=np.sqrt(variance) / n_systems,
        lifts=partial(_implication_lifts, centred),
    )


def _without_means(block: FloatArray) -> FloatArray:
    """Return the truth values of a family without the means of their rows and columns.

    ``block`` has the systems of the family in its first two axes. Every permutation takes each row
    and each column once, so their means add the same to all permutations. In the result, each row
    and each column adds up to 0.
    """
    row_means = block.mean(axis=1, keepdims=True)
    column_means = block.mean(axis=0, keepdims=True)
    centred: FloatArray = block - row_means - column_means + block.mean(axis=(0, 1))
    # A cell that no permutation changes has rounding errors only.
    centred[:, :, np.abs(centred).max(axis=(0, 1)) < CENTRING_ERROR] = 0
    return centred


def _implication_lifts(
    centred: FloatArray, permutations: IntArray, metrics: Columns = ALL, measures: Columns = ALL
) -> FloatArray:
    """Return the lifts of mean implications; `implication_statistic` says what ``centred`` is."""
    cells = centred[:, :, metrics][:, :, :, measures]
    sums = np.zeros((len(permutations), *cells.shape[2:]))
    for system, contributions in enumerate(cells):
        sums += contributions[permutations[:, system]]
    return sums / len(cells)


def kendall_statistic(x: FloatArray, y: FloatArray, families: Families) -> Statistic:
    """Return Kendall's tau-b of each column of ``x``, a metric, with each of ``y``, a measure.

    Both have systems in rows. ``families`` holds the row numbers of the systems of each family;
    systems swap outcomes only within their family.
    """
    a, b = _unit_signs(x), _unit_signs(y)
    # The mean sign of a pair over all permutations: 0 within a family, because both orders are
    # equally likely; between two families, the mean over all pairs of their systems.
    mean_signs = np.zeros(b.shape)
    for rows in families:
        for other_rows in families:
            if rows is not other_rows:
                block = np.ix_(rows, other_rows)
                mean_signs[block] = b[block].mean(axis=(0, 1))
    pairs = np.triu_indices(len(x), k=1)
    by_chance = a[pairs].T @ mean_signs[pairs]
    sd = None
    if len(families) == 1:
        sd = _sd_of_kendall(a, b)
    return Statistic(kendall(x, y), by_chance, sd, partial(_kendall_lifts, a, b, by_chance))


def _kendall_lifts(
    a: FloatArray,
    b: FloatArray,
    by_chance: FloatArray,
    permutations: IntArray,
    metrics: Columns = ALL,
    measures: Columns = ALL,
) -> FloatArray:
    """Return the lifts of tau, NaN if it is undefined; ``a`` and ``b`` are `_unit_signs`."""
    first, second = np.triu_indices(len(a), k=1)
    metric_signs = a[first, second][:, metrics]
    by_chance = by_chance[metrics][:, measures]
    lifts = np.empty((len(permutations), *by_chance.shape))
    n_batch = max(1, MAX_SIGNS // len(first))
    for start in range(0, len(permutations), n_batch):
        batch = permutations[start : start + n_batch]
        # The systems whose outcomes the two systems of each pair get.
        givers = batch[:, first], batch[:, second]
        for number, signs in enumerate(np.moveaxis(b[:, :, measures], -1, 0)):
            tau = signs[givers] @ metric_signs
            lifts[start : start + n_batch, :, number] = tau - by_chance[:, number]
    return lifts


def _sd_of_kendall(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the standard deviation of tau over all permutations, by Daniels' formula.

    ``a`` and ``b`` are `_unit_signs` of metric and measure, and tau is half of the sum of
    a[i, j] b[i, j] over all i and j.
    """
    n = len(a)
    a_squares = (a**2).sum(axis=(0, 1))
    b_squares = (b**2).sum(axis=(0, 1))
    # Sums of a[i, j] a[i, k] over all i, j and k with j not equal to k; 0 for two systems.
    a_products = (a.sum(axis=1) ** 2).sum(axis=0) - a_squares
    b_products = (b.sum(axis=1) ** 2).sum(axis=0) - b_squares
    variance = 2 * np.outer(a_squares, b_squares) / (n * (n - 1))
    variance += 4 * np.outer(a_products, b_products) / (n * (n - 1) * max(n - 2, 1))
    return np.asarray(np.sqrt(variance) / 2)


def _unit_signs(values: FloatArray) -> FloatArray:
    """Return the sign of each difference of two systems, of unit length for each column.

    ``values`` has systems in rows; the result has the shape (systems, systems, columns). A column
    has the length 1 over all unordered pairs, and is NaN if all its systems are tied.
    """
    signs = np.sign(values[:, np.newaxis] - values[np.newaxis])
    # Every unordered pair is in the matrix twice.
    lengths = np.sqrt((signs**2).sum(axis=(0, 1)) / 2)
    return np.asarray(signs / np.where(lengths > 0, lengths, np.nan))


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
