"""Mean implication of every on-line measure by every off-line metric, and advice from it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval.fuzzy.predictability._tables import as_degrees, as_table, by_system, descending_ranks
from receval.fuzzy.predictability.agreement import agreement_matrix
from receval.metrics.connectives import goedel, product
from receval.metrics.connectives.degrees import Connective, answer
from receval.metrics.connectives.scaling import Scaling, scaled

ROUNDING = 1e-12  # largest relative difference of degrees that count as equal


def implication_matrix(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    implicator: Connective,
    *,
    f: Scaling | None = None,
    g: Scaling | None = None,
    normalize: str | None = "l2",
) -> pd.DataFrame:
    r"""Compute how far each off-line metric implies each on-line measure, averaged over systems.

    .. math:: c_p^q = \frac{1}{n} \sum_{i=1}^{n} I\left(f(b_i^p),\, g(h_i^q)\right), \qquad
              b^p = \frac{x^p}{\lVert x^p \rVert_2}, \quad h^q = \frac{y^q}{\lVert y^q \rVert_2}

    Parameters
    ----------
    offline, online : DataFrame
        Results :math:`x_i^p` and :math:`y_i^q`: the same systems as index, in any order; one
        column per metric or measure; at least 0, higher is better.
    implicator : callable
        I(b, h), such as `goedel`.
    f, g : callable, optional
        Scalings of the off-line and of the on-line side; see `scaled`.
    normalize : {"l2", "max", None}, default "l2"
        How to make columns comparable: divide them by their Euclidean length (the document) or
        by their largest value. With None values must be in [0, 1].

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns; values in [0, 1].

    Raises
    ------
    InputError
        If the systems of the two tables differ, a system or column is there twice, a value is
        missing or negative, a column to be normalised is all zero, a value is above 1 and
        ``normalize`` is None, or a condition on f or g is broken.

    Notes
    -----
    Degrees that differ by less than a relative 1e-12 count as equal. Dividing by a length
    rounds, and the Gödel implicator would react to a difference in the last bit. So a metric and
    its hundredfold imply each other fully.

    References
    ----------
    Document 002, eq. 13 and 14.

    Examples
    --------
    >>> from receval.fuzzy import lukasiewicz
    >>> offline = pd.DataFrame({"AUC": [3.0, 4.0], "ILD": [4.0, 3.0]}, index=["a", "b"])
    >>> online = pd.DataFrame({"CTR": [0.03, 0.04]}, index=["a", "b"])
    >>> implication_matrix(offline, online, lukasiewicz).round(3)
         CTR
    AUC  1.0
    ILD  0.9
    """
    offline, online = by_system(offline, online)
    body, head = as_degrees(offline, online, normalize)
    values = mean_implications(body, head, scale_sides(implicator, f, g))
    return pd.DataFrame(values, offline.columns, online.columns)


def implication_ranks(matrix: pd.DataFrame) -> pd.DataFrame:
    """Rank the off-line metrics for each on-line measure: Figure 2 of the document.

    Parameters
    ----------
    matrix : DataFrame
        Result of `implication_matrix`.

    Returns
    -------
    DataFrame
        Ranks in the same rows and columns: 1 for the largest mean implication of a column;
        equal values share the mean of their ranks. ``.mean(axis=1)`` gives the mean rank of
        each metric.

    Raises
    ------
    InputError
        If a value is missing or infinite.

    References
    ----------
    Document 002, figure 2.

    Examples
    --------
    >>> matrix = pd.DataFrame({"CTR": [0.5, 0.9, 0.5]}, index=["MAP", "AUC", "ILD"])
    >>> implication_ranks(matrix)["CTR"].tolist()
    [2.5, 1.0, 2.5]
    """
    values = as_table(matrix, "matrix").to_numpy()
    return pd.DataFrame(descending_ranks(values), matrix.index, matrix.columns)


def metric_advice(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    *,
    selection: Connective = product,
    exclusion: Connective = goedel,
    normalize: str | None = "l2",
) -> pd.DataFrame:
    """Rank off-line metrics by their use for selecting and for excluding systems.

    To *select* systems you need a metric that doesn't promise much more than users confirm.
    Product and Łukasiewicz measure by how much it over-estimates. To *exclude* systems you need a
    metric that hardly ever over-estimates. Gödel counts every over-estimate the same.

    Parameters
    ----------
    offline, online : DataFrame
        As in `implication_matrix`.
    selection, exclusion : callable, default `product` and `goedel`
        The implicator for each task.
    normalize : {"l2", "max", None}, default "l2"
        As in `implication_matrix`.

    Returns
    -------
    DataFrame
        One row per off-line metric, ordered by the first column: mean rank over the on-line
        measures for ``selection`` and for ``exclusion`` (1 is best), and the mean Kendall
        correlation with the on-line measures, ``kendall``. If a metric has a good rank but a
        ``kendall`` near 0, its values are nearly equal: they over-estimate little, but they
        don't order the systems.

    Raises
    ------
    InputError
        As `implication_matrix`.

    References
    ----------
    Document 002, section V-C, its last paragraphs.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [3.0, 4.0], "ILD": [4.0, 3.0]}, index=["a", "b"])
    >>> online = pd.DataFrame({"CTR": [0.03, 0.04]}, index=["a", "b"])
    >>> metric_advice(offline, online)
         selection  exclusion  kendall
    AUC        1.0        1.0      1.0
    ILD        2.0        2.0     -1.0
    """
    columns = {}
    for task, implicator in (("selection", selection), ("exclusion", exclusion)):
        matrix = implication_matrix(offline, online, implicator, normalize=normalize)
        columns[task] = implication_ranks(matrix).mean(axis=1)
    # A metric or measure without two different values has no correlation: the mean is NaN too.
    columns["kendall"] = agreement_matrix(offline, online).mean(axis=1, skipna=False)
    return pd.DataFrame(columns).sort_values("selection", kind="stable")


def scale_sides(implicator: Connective, f: Scaling | None, g: Scaling | None) -> Connective:
    """Return I(f(b), g(h)), or the implicator as it is if there is no scaling."""
    if f is None and g is None:
        return implicator
    return scaled(implicator, f=f, g=g)


def mean_implications(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Return the mean implication of each column of ``head`` by each column of ``body``.

    Both have the shape (..., systems, columns); the result has (..., body columns, head columns).
    """
    # All pairs of columns: shape (..., systems, body columns, head columns).
    truth = implication_truths(body[..., :, np.newaxis], head[..., np.newaxis, :], implicator)
    # Sorting makes the sum independent of the order of the systems.
    return np.asarray(np.sort(truth, axis=-3).mean(axis=-3))


def implication_truths(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Return I(b, h) for arrays of degrees b and h that broadcast to one shape."""
    b, h = np.broadcast_arrays(body, head)
    # Degrees that differ only by rounding become equal: an implicator may jump at b = h.
    differs_by_rounding = np.abs(b - h) <= ROUNDING * h
    b = np.where(differs_by_rounding, h, b)
    return answer(implicator, b, h, "implicator")
