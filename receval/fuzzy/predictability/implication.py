"""The mean implication between every off-line metric and on-line measure, and advice on metrics."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import check_choice
from receval.fuzzy.predictability._normal_model import kendall_of_normals, read_reliability
from receval.fuzzy.predictability._statistics import implication_statistic, mean_implications
from receval.fuzzy.predictability._tables import (
    as_degrees,
    descending_ranks,
    read_both,
    read_results,
)
from receval.fuzzy.predictability.agreement import agreement_matrix
from receval.metrics.connectives import goedel, product
from receval.metrics.connectives.formulas import Connective


def degrees_of_truth(table: pd.DataFrame, *, normalize: str = "l2") -> pd.DataFrame:
    r"""Turn a table of results into degrees of truth, as `implication_matrix` does.

    .. math:: b_i^p = x_i^p / \lVert x^p \rVert_2

    Parameters
    ----------
    table : DataFrame
        Systems in rows, metrics or measures in columns; at least 0, higher is better.
    normalize : {"l2", "max"}, default "l2"
        Divide columns by their Euclidean length (the document), or by their largest value.

    Returns
    -------
    DataFrame
        The same rows and columns, values in [0, 1].

    Raises
    ------
    InputError
        If a row or column occurs twice, a value is missing, infinite or negative, or a column is
        all zero.

    References
    ----------
    Document 002, section V-C.

    Examples
    --------
    >>> degrees_of_truth(pd.DataFrame({"AUC": [3.0, 4.0]}))["AUC"].tolist()
    [0.6, 0.8]
    """
    check_choice(normalize, "normalize", ("l2", "max"))
    checked = read_results(table, "table")
    degrees = as_degrees(checked, "table", normalize)
    return pd.DataFrame(degrees, checked.index, checked.columns)


def implication_matrix(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    implicator: Connective,
    *,
    normalize: str | None = "l2",
) -> pd.DataFrame:
    r"""Compute how far each off-line metric implies each on-line measure, averaged over systems.

    .. math:: c_p^q = \frac{1}{n} \sum_{i=1}^{n} I\left(b_i^p,\, h_i^q\right), \qquad
              b^p = \frac{x^p}{\lVert x^p \rVert_2}, \quad h^q = \frac{y^q}{\lVert y^q \rVert_2}

    Parameters
    ----------
    offline, online : DataFrame
        Results :math:`x_i^p` and :math:`y_i^q`: the same systems as index, in any order; one
        column per metric or measure; at least 0, higher is better.
    implicator : callable
        I(b, h), such as `goedel`, or a `scaled` one.
    normalize : {"l2", "max", None}, default "l2"
        How to make columns comparable: divide them by their Euclidean length (the document) or by
        their largest value. If None, values must be in [0, 1].

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns; values in [0, 1].

    Raises
    ------
    InputError
        If the systems of the two tables differ, a system or column occurs twice, a value is missing
        or negative, a column to be normalised is all zero, or a value is above 1 and ``normalize``
        is None.

    Notes
    -----
    Degrees that differ by less than a relative 1e-12 count as equal. Without this tolerance, the
    Gödel implicator would react to rounding errors. With it, a metric and the same metric times 100
    imply each other fully.

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
    offline, online = read_both(offline, online)
    body = as_degrees(offline, "offline", normalize)
    head = as_degrees(online, "online", normalize)
    values = mean_implications(body, head, implicator)
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
    checked = read_results(matrix, "matrix")
    return pd.DataFrame(descending_ranks(checked.to_numpy()), checked.index, checked.columns)


def metric_advice(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    *,
    reliability: float | pd.Series | None = None,
) -> pd.DataFrame:
    r"""Rank off-line metrics by how useful they are for selecting and for excluding systems.

    To *select* systems you need a metric that doesn't promise much more than users confirm. The
    product and Łukasiewicz implicators measure by how much a metric over-estimates. To *exclude*
    systems you need a metric that hardly ever over-estimates. The Gödel implicator gives small and
    large over-estimates the same weight.

    A good rank proves nothing by itself. A metric whose values are nearly equal over-estimates
    little, even if it says nothing about the systems. So each rank comes with the *lift*: the mean
    implication minus its expected value if the systems swap their outcomes at random. Only the lift
    says whether the metric distinguishes good systems from bad ones; `predictability_test` says
    whether the lift is more than chance.

    Parameters
    ----------
    offline, online : DataFrame
        As in `implication_matrix`.
    reliability : float or Series, optional
        Reliability of the on-line measures, such as `OnlineDraws.reliability`; adds the column
        ``ceiling``.

    Returns
    -------
    DataFrame
        One row per off-line metric, ordered by the first column. ``selection`` and ``exclusion``
        are mean ranks over the on-line measures (1 is best). ``selection_by_chance`` and
        ``exclusion_by_chance`` are the mean implications by chance, and ``selection_lift`` and
        ``exclusion_lift`` are the observed mean implications minus those by chance. ``kendall`` is
        the mean Kendall correlation with the on-line measures, which is 0 by chance. ``ceiling`` is
        the mean Kendall correlation that a perfect metric reaches with on-line measures of this
        reliability, :math:`(2/\pi) \arcsin \sqrt{R}`.

    Raises
    ------
    InputError
        As in `implication_matrix`; also if a reliability is missing or outside [0, 1].

    References
    ----------
    Document 002, section V-C, its last paragraphs.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [3.0, 4.0], "ILD": [4.0, 3.0]}, index=["a", "b"])
    >>> online = pd.DataFrame({"CTR": [0.03, 0.04]}, index=["a", "b"])
    >>> metric_advice(offline, online)[["selection", "exclusion", "kendall"]]
         selection  exclusion  kendall
    AUC        1.0        1.0      1.0
    ILD        2.0        2.0     -1.0
    """
    offline, online = read_both(offline, online)
    body = as_degrees(offline, "offline", "l2")
    head = as_degrees(online, "online", "l2")
    all_systems = [np.arange(len(body))]
    columns = {}
    lifts = {}
    for task, implicator in (("selection", product), ("exclusion", goedel)):
        statistic = implication_statistic(body, head, implicator, all_systems)
        columns[task] = descending_ranks(statistic.values).mean(axis=1)
        lifts[f"{task}_by_chance"] = statistic.by_chance.mean(axis=1)
        lifts[f"{task}_lift"] = (statistic.values - statistic.by_chance).mean(axis=1)
    # A metric or measure without two different values has no correlation: the mean is NaN too.
    kendall = agreement_matrix(offline, online).mean(axis=1, skipna=False)
    advice = pd.DataFrame({**columns, "kendall": kendall, **lifts}, offline.columns)
    by_measure = read_reliability(reliability, online.columns)
    if by_measure is not None:
        advice["ceiling"] = kendall_of_normals(np.sqrt(by_measure)).mean()
    return advice.sort_values("selection", kind="stable")
