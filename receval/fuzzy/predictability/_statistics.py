"""Statistics of a metric and a measure, and how they change if systems swap outcomes.

A *cell* is a pair of an off-line metric and an on-line measure. A *permutation* p of n systems
gives system i the on-line outcomes of system p[i]. The *lift* of a cell is its value minus the
value that chance gives on average.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from receval._arrays import ROUNDING
from receval._checks import FloatArray, IntArray
from receval.fuzzy.predictability.agreement import kendall
from receval.metrics.connectives.formulas import Connective, answer

CENTRING_ERROR = 1e-13  # largest rounding error of truth values minus their means
MAX_SIGNS = 2**20  # signs of pairs of systems that are held in memory at a time
ALL = slice(None)

Columns: TypeAlias = list[int] | slice
"""Numbers of the metrics or the measures to compute."""


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
    body: FloatArray, head: FloatArray, implicator: Connective, families: list[IntArray]
) -> Statistic:
    """Return the mean implication of each column of ``head`` by each column of ``body``.

    Both hold degrees of truth, systems in rows. ``families`` holds the row numbers of the systems
    of each family; systems swap outcomes only within their family.
    """
    # I(b, h) with the metric of system i and the outcome of system j, shape (systems i, systems j,
    # metrics, measures).
    bodies = body[:, np.newaxis, :, np.newaxis]
    heads = head[np.newaxis, :, np.newaxis, :]
    truth = _truths(bodies, heads, implicator)
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
        # Every permutation takes each row and each column of the block once. So the means of
        # rows and columns add the same to all permutations, and can be subtracted.
        row_means = block.mean(axis=1, keepdims=True)
        column_means = block.mean(axis=0, keepdims=True)
        block = block - row_means - column_means + block.mean(axis=(0, 1))
        # A cell that no permutation changes has rounding errors only.
        block[:, :, np.abs(block).max(axis=(0, 1)) < CENTRING_ERROR] = 0
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


def _implication_lifts(
    centred: FloatArray, permutations: IntArray, metrics: Columns = ALL, measures: Columns = ALL
) -> FloatArray:
    """Return the lifts of mean implications; `implication_statistic` says what ``centred`` is."""
    cells = centred[:, :, metrics][:, :, :, measures]
    sums = np.zeros((len(permutations), *cells.shape[2:]))
    for system, contributions in enumerate(cells):
        sums += contributions[permutations[:, system]]
    return sums / len(cells)


def mean_implications(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Return the mean implication of each column of ``head`` by each column of ``body``.

    Both have systems in rows; the result has the shape (body columns, head columns).
    """
    return mean_of_sorted(_truths(body[:, :, np.newaxis], head[:, np.newaxis, :], implicator))


def mean_of_sorted(truths: FloatArray) -> FloatArray:
    """Return the mean along the first axis; the order along it changes no bit of the result."""
    return np.asarray(np.sort(truths, axis=0).mean(axis=0))


def _truths(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Return I(b, h) for arrays of degrees b and h that broadcast to one shape."""
    b, h = np.broadcast_arrays(body, head)
    # Degrees that differ only by rounding become equal: an implicator may jump at b = h.
    differs_by_rounding = np.abs(b - h) <= ROUNDING * h
    return answer(implicator, np.where(differs_by_rounding, h, b), h, "implicator")


def kendall_statistic(x: FloatArray, y: FloatArray, families: list[IntArray]) -> Statistic:
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
