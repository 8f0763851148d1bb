"""Figures that compare systems, and metrics: means, differences, intervals, trade-offs, lifts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import Options, check_that
from receval._escape import for_legend, for_plot
from receval.plots.axes import (
    BLUE,
    COLOURS,
    LEGEND_OUTSIDE,
    ORANGE,
    SMALL,
    WIDTH,
    check_columns,
    check_labels,
    draw_intervals,
    finish_axes,
    label_points,
    label_rows,
    new_axes,
    new_figure,
    seaborn,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE_LINE_LENGTH = 75  # characters of a line above the panels
MARKERS = "osD^vP*X<>"  # of measures


def system_means(
    summary: pd.DataFrame,
    intervals: pd.DataFrame | None = None,
    *,
    lower: Sequence[str] = (),
    caption: str = "",
) -> list[Axes]:
    """Draw the mean of each system, with a panel per measure and a row per system.

    Parameters
    ----------
    summary : DataFrame
        Systems in rows, measures in columns, as ``Evaluation.summary``.
    intervals : DataFrame, optional
        Result of ``Evaluation.interval``: indexed by (measure, system), with the columns ``low``
        and ``high``. Measures that it lacks are drawn without intervals.
    lower : sequence of str, optional
        Measures for which lower values are better.
    caption : str
        Text below the figure.

    Returns
    -------
    list of matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"HR@10": [0.2, 0.3]}, index=["a", "b"])
    >>> [panel.get_title() for panel in system_means(table)]
    ['HR@10']
    """
    check_columns(summary, [], "summary")
    if intervals is not None:
        check_columns(intervals, ["low", "high"], "intervals", "the result of interval()")
    check_that(not summary.empty, "summary", "have at least one row and one column", summary.shape)
    panels = _measure_panels(summary.columns, len(summary), lower, "Mean of each system", caption)
    for ax, (measure, means) in zip(panels, summary.items(), strict=True):
        table = means.to_frame("mean").assign(low=np.nan, high=np.nan)
        if intervals is not None and measure in intervals.index:
            table.update(intervals.xs(measure)[["low", "high"]])
        draw_intervals(ax, table, "mean", np.arange(len(table)))
        label_rows(ax, table.index, table["mean"], ".3f")
        ax.margins(x=0.1)
    return panels


def difference_intervals(
    results: pd.DataFrame, *, alpha: float = 0.05, lower: Sequence[str] = (), caption: str = ""
) -> list[Axes]:
    """Draw mean differences with their intervals, one panel per measure.

    A point is filled if its difference is decided, and empty if it is not.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``difference``, ``low``, ``high`` and ``verdict``. The points with the verdict "better" or
        "worse" are filled.
    alpha : float, default 0.05
        The level of the comparison, for the caption.
    lower : sequence of str, optional
        Measures for which lower values are better.
    caption : str, default ""
        A sentence under the figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        A line per pair of systems, with its difference at the right end.

    Raises
    ------
    InputError
        If ``results`` lacks a column.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("MRR", "new", "old")])
    >>> columns = ["difference", "low", "high", "verdict"]
    >>> results = pd.DataFrame([[0.1, 0.05, 0.15, "better"]], index=index, columns=columns)
    >>> (panel,) = difference_intervals(results)
    >>> panel.get_title(), panel.get_yticklabels()[0].get_text()
    ('MRR', 'new')
    """
    columns = ["difference", "low", "high", "verdict"]
    check_columns(results, columns, "results", "the results of compare()")
    measures = results.index.unique(0)
    pairs = results.droplevel(0).index.unique()
    names = [f"{system} - {baseline}" for system, baseline in pairs]
    title = "Mean difference of the first system from the second"
    if len(pairs.unique(1)) == 1:
        names = pairs.get_level_values(0).tolist()
        title = f"Mean difference of each from {pairs[0][1]}"
    caption = f"filled: better or worse at {alpha:g}\n{caption}"
    panels = _measure_panels(measures, len(pairs), lower, title, caption)
    for ax, measure in zip(panels, measures, strict=True):
        rows = results.loc[measure].reindex(pairs).assign(row=range(len(pairs)))
        is_decided = rows["verdict"].str.startswith(("better", "worse"), na=False)
        decided, undecided = rows[is_decided], rows[~is_decided]
        draw_intervals(ax, decided, "difference", decided["row"], color=BLUE)
        draw_intervals(ax, undecided, "difference", undecided["row"], color=ORANGE, mfc="white")
        ax.axvline(0, color="0.5", linewidth=1)
        label_rows(ax, names, rows["difference"], "+.3f")
    return panels


def _measure_panels(
    measures: pd.Index, n_rows: int, lower: Sequence[str], title: str, caption: str
) -> list[Axes]:
    """Return the Axes of a new figure with a titled panel for each measure.

    Each panel has ``n_rows`` rows. ``lower`` names the measures for which lower values are better.
    The title goes above the figure, the caption below it.
    """
    n_columns = min(len(measures), 2)
    n_panel_rows = math.ceil(len(measures) / n_columns)
    figure = new_figure((WIDTH, 0.9 + n_panel_rows * (0.6 + 0.25 * n_rows)))
    figure.suptitle(for_plot(title, TITLE_LINE_LENGTH), fontsize=11)
    figure.supxlabel("\n".join(map(for_plot, caption.split("\n"))), fontsize=SMALL)
    axes = figure.subplots(n_panel_rows, n_columns, squeeze=False, sharey=True).ravel()
    panels: list[Axes] = axes[: len(measures)].tolist()
    for ax in axes[len(measures) :]:
        ax.remove()
    for ax, measure in zip(panels, measures, strict=True):
        title_of_panel = str(measure)
        if measure in lower:
            title_of_panel += " (lower is better)"
        finish_axes(ax, title=title_of_panel)
        ax.locator_params(axis="x", nbins=6)
    return panels


def trade_off(
    summary: pd.DataFrame, x: str, y: str, *, ax: Axes | None = None, **options: object
) -> Axes:
    """Draw two measures against each other, with a labelled point per system.

    Parameters
    ----------
    summary : DataFrame
        Systems in rows, measures in columns, as ``Evaluation.summary``. A system without one of
        the two values has no point.
    x, y : str
        Names of two columns, for example accuracy and diversity.
    ax : Axes, optional
        Where to draw. Default: a new figure.
    **options
        Passed to ``seaborn.scatterplot``, such as a column for ``hue`` or for ``style``.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"HR@10": [0.2, 0.3], "CC@10": [0.9, 0.1]}, index=["a", "b"])
    >>> trade_off(table, "HR@10", "CC@10").get_ylabel()
    'CC@10'
    """
    check_columns(summary, [x, y], "summary")
    ax = ax or new_axes((WIDTH, 4))
    seaborn().scatterplot(summary, x=x, y=y, ax=ax, **{"color": BLUE, "s": 45, **options})
    ax.margins(0.15)
    if ax.get_legend() is not None:
        seaborn().move_legend(ax, frameon=False, **LEGEND_OUTSIDE)
    finish_axes(ax, title=f"{y} against {x}", xlabel=x, ylabel=y)
    return label_points(ax, summary[[x, y]])


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
    InputError
        If the table lacks a column or a measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("A", "IG")], names=["system", "measure"])
    >>> table = pd.DataFrame({"value": [0.2], "low": [0.1], "high": [0.3]}, index=index)
    >>> online_intervals_map(table).get_ylabel()
    'system'
    """
    source = "the result of online_intervals"
    check_columns(intervals, ["value", "low", "high"], "intervals", source)
    check_labels(measures, intervals.index.unique(1), "measures")
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
        legend=LEGEND_OUTSIDE,
    )


def lift_map(
    table: pd.DataFrame,
    *,
    name: str = "statistic",
    two_sided: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Show how far each off-line metric is above chance, and how far it must be to be significant.

    Parameters
    ----------
    table : DataFrame
        Indexed by ``metric`` and ``measure``. ``lift`` is the value minus the value expected by
        chance, ``critical`` is the smallest significant lift, and ``ceiling`` (optional) is the
        lift of a perfect predictor. `receval.fuzzy.PredictabilityTest.plot` makes such a table.
    name : str, default "statistic"
        Name of the statistic, for the horizontal axis.
    two_sided : bool, default False
        Whether a lift below ``-critical`` is significant too.
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
    InputError
        If a column is missing.

    Examples
    --------
    >>> cells = pd.MultiIndex.from_product([["AUC", "MAP"], ["CTR"]], names=["metric", "measure"])
    >>> table = pd.DataFrame({"lift": [0.1, -0.2], "critical": 0.6}, index=cells)
    >>> lift_map(table, name="Kendall's tau").get_xlabel()
    "Kendall's tau minus chance"
    """
    check_columns(table, ["lift", "critical"], "table", "a DataFrame with metric and measure")
    metrics = table.index.unique(0)
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
