"""Mean implication of every on-line measure by every off-line metric, and what to make of it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray
from receval.fuzzy.implicators import goedel, product
from receval.fuzzy.implicators.degrees import Connective, answer
from receval.fuzzy.predictability._tables import as_degrees, as_table, by_system, descending_ranks
from receval.fuzzy.predictability.agreement import agreement_matrix
from receval.fuzzy.scaling import Scaling, scaled

EQUAL = 1e-12  # relative difference of two degrees that is only rounding


def implication_matrix(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    implicator: Connective,
    *,
    f: Scaling | None = None,
    g: Scaling | None = None,
    normalize: str | None = "l2",
) -> pd.DataFrame:
    r"""How far each off-line metric implies each on-line measure, on average over systems.

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
        How columns become commensurable: divided by their Euclidean length (the document), by
        their largest value, or not at all, in which case values must be in [0, 1].

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns; values in [0, 1].

    Raises
    ------
    InputError
        If the systems of the two tables differ, a system or column stands twice, a value is
        missing or negative, a column is all zero, or a condition on f or g is broken.

    Notes
    -----
    Degrees that differ by less than a relative 1e-12 count as equal. Dividing by a length
    rounds, and Gödel would make a broken claim of a difference in the last bit: a metric and
    its hundredfold imply each other wholly.

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
    judged = implicator if f is None and g is None else scaled(implicator, f=f, g=g)
    return pd.DataFrame(mean_implications(body, head, judged), offline.columns, online.columns)


def implication_ranks(matrix: pd.DataFrame) -> pd.DataFrame:
    """Rank of each off-line metric for each on-line measure: Figure 2 of the document.

    Parameters
    ----------
    matrix : DataFrame
        As `implication_matrix` answers it.

    Returns
    -------
    DataFrame
        Of the same form: 1 for the largest mean implication of a column; equal values share
        the mean of their ranks. ``.mean(axis=1)`` gives the mean rank of each metric.

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
    """Which off-line metric to select systems by, and which to exclude systems by.

    To *select*, one wants a metric that does not promise much more than users confirm: product
    and Łukasiewicz measure by how much it over-estimates. To *exclude*, one wants a metric that
    hardly ever over-estimates at all: Gödel punishes every over-estimate alike.

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
        measures for ``selection`` and for ``exclusion`` (1 is best), and beside them the mean
        Kendall correlation with the on-line measures, ``kendall``. A metric that leads a rank
        column with a ``kendall`` near 0 owes it to its spread, not to its order: a column of
        nearly equal values over-estimates little and orders nothing.

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
    columns["kendall"] = agreement_matrix(offline, online).mean(axis=1, skipna=False)
    return pd.DataFrame(columns).sort_values("selection", kind="stable")


def mean_implications(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Of each head by each body, over systems: the last axis but one of all three."""
    b, h = np.broadcast_arrays(body[..., :, np.newaxis], head[..., np.newaxis, :])
    truth = answer(implicator, np.where(np.abs(b - h) <= EQUAL * h, h, b), h, "implicator")
    # Sorted first, so that the sum does not depend on the order of the systems.
    return np.asarray(np.sort(truth, axis=-3).mean(axis=-3))
