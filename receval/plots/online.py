"""Figures of on-line measures, and of how well off-line metrics predict them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import Options
from receval._escape import for_legend
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    ORANGE,
    WIDTH,
    draw_intervals,
    finish_axes,
    groups_in_order,
    label_rows,
    new_axes,
    seaborn,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["lift_map", "online_intervals_map", "rank_intervals"]

MARKERS = "osD^vP*X<>"  # of measures, and of groups of metrics


def online_intervals_map(
    intervals: pd.DataFrame, *, measures: Sequence[str] = ("IG",), ax: Axes | None = None
) -> Axes:
    """Draw on-line measures of every system as points with their confidence intervals.

    Parameters
    ----------
    intervals : DataFrame
        Result of `receval.fuzzy.online.online_intervals`: indexed by (system, measure), with the
        columns ``value``, ``low`` and ``high``.
    measures : sequence of str, default ("IG",)
        Measures to draw. If there are several, their points are one above the other in the row of
        a system.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Systems are in rows, in the order of the table; values are on the horizontal axis.

    Raises
    ------
    KeyError
        If the table lacks a column or a measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("A", "IG")], names=["system", "measure"])
    >>> table = pd.DataFrame({"value": [0.2], "low": [0.1], "high": [0.3]}, index=index)
    >>> online_intervals_map(table).get_ylabel()
    'system'
    """
    systems = intervals.index.unique(0)
    n_measures = len(measures)
    ax = ax or new_axes((WIDTH, 0.8 + 0.14 * (1 + n_measures) * len(systems)))
    # The points of a system are spread over 0.6 of its row.
    shifts = 0.6 * ((np.arange(n_measures) + 0.5) / n_measures - 0.5)
    for measure, shift, colour, marker in zip(measures, shifts, cycle(COLOURS), cycle(MARKERS)):
        table = pd.DataFrame(intervals.xs(measure, level=1)).reindex(systems)
        rows = np.arange(len(systems)) + shift
        label = for_legend(measure)
        draw_intervals(ax, table, "value", rows, color=colour, fmt=marker, label=label)
    label_rows(ax, systems)
    names = " and ".join(measures)
    return finish_axes(
        ax,
        title=f"{names} of each system, with intervals",
        xlabel=names,
        ylabel=str(systems.name),
        legend=LEGEND_OUTSIDE if n_measures > 1 else None,
    )


def rank_intervals(stability: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks of off-line metrics with their bootstrap intervals.

    Parameters
    ----------
    stability : DataFrame
        A row for each metric, with its mean ``rank`` and the ends ``low`` and ``high`` of the
        interval.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        One row per metric, the best on top.

    Raises
    ------
    KeyError
        If a column is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"rank": [1.5], "low": [1.0], "high": [2.0]}, index=["AUC"])
    >>> rank_intervals(table).get_xlabel()
    'mean rank (1 is best)'
    """
    table = stability.sort_values("rank", kind="stable")
    ax = ax or new_axes((WIDTH, 1 + 0.25 * len(table)))
    draw_intervals(ax, table, "rank", np.arange(len(table)))
    label_rows(ax, table.index)
    return finish_axes(
        ax,
        title="Mean rank of each metric, with its interval",
        xlabel="mean rank (1 is best)",
        xlim=(0.5, len(table) + 0.5),
    )


def lift_map(
    table: pd.DataFrame,
    *,
    name: str = "statistic",
    two_sided: bool = False,
    metric_groups: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show how far each off-line metric is above chance, and how far it must be to be significant.

    Parameters
    ----------
    table : DataFrame
        Indexed by ``metric`` and ``measure``, or by ``metric``. ``lift`` is the value minus the
        value expected by chance, ``critical`` is the smallest significant lift, and ``ceiling``
        (optional) is the lift of a perfect predictor. `receval.fuzzy.PredictabilityTest.plot` makes
        such a table.
    name : str, default "statistic"
        Name of the statistic, for the horizontal axis.
    two_sided : bool, default False
        Whether a lift below ``-critical`` is significant too.
    metric_groups : mapping, optional
        Group of each metric. Metrics of one group are drawn together.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        One row per metric, a dot per measure. The line at 0 is chance; dots in the shaded area are
        significant. A short vertical line shows the ceiling of each cell. If cells need different
        lifts to be significant, each lift is divided by the lift that its cell needs, so that lifts
        of at least 1 are significant.

    Raises
    ------
    KeyError
        If a column is missing, or a metric has no group.

    Examples
    --------
    >>> cells = pd.MultiIndex.from_product([["AUC", "MAP"], ["CTR"]], names=["metric", "measure"])
    >>> table = pd.DataFrame({"lift": [0.1, -0.2], "critical": 0.6}, index=cells)
    >>> lift_map(table, name="Kendall's tau").get_xlabel()
    "Kendall's tau minus chance"
    """
    metrics = groups_in_order(table.index.unique(0), metric_groups).index
    ax = ax or new_axes((WIDTH, 1.3 + 0.24 * len(metrics)))
    lifts = table.filter(["lift", "ceiling"])
    threshold = table["critical"].max()
    xlabel = f"{name} minus chance"
    if threshold > 1.1 * table["critical"].min():
        # The cells need different lifts to be significant, so no common line could mark these.
        lifts = lifts.div(table["critical"], axis="index")
        threshold = 1.0
        xlabel += ", divided by the lift that is significant"
    rows = lifts.reset_index()
    if "measure" not in rows:
        rows["measure"] = name
    rows["measure"] = rows["measure"].map(for_legend)
    # Dots of one metric lie a little above one another, so that none hides another.
    look: Options = {
        "y": "metric",
        "hue": "measure",
        "order": list(metrics),
        "orient": "y",
        "dodge": True,
        "jitter": False,
        "palette": "colorblind",
        "ax": ax,
    }
    seaborn().stripplot(rows, x="lift", size=5, **look)
    title = "Between chance (line) and significance (shaded)"
    if "ceiling" in rows:
        line: Options = {"marker": "|", "size": 7, "linewidth": 1, "legend": False}
        seaborn().stripplot(rows, x="ceiling", **line, **look)
        title += "; |: a perfect predictor"
    label_rows(ax, metrics)
    ax.axvline(0, color="0.4", linewidth=1)
    left, right = ax.get_xlim()
    right = max(right, 1.15 * threshold)  # so that the shade is visible
    shade: Options = {"color": ORANGE, "alpha": 0.15, "linewidth": 0}
    ax.axvspan(threshold, right, **shade)
    if two_sided:
        left = min(left, -1.15 * threshold)
        ax.axvspan(left, -threshold, **shade)
    return finish_axes(ax, title=title, xlabel=xlabel, legend=LEGEND_OUTSIDE, xlim=(left, right))
