"""Figures that compare systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.plots.axes import (
    BLUE,
    WIDTH,
    PanelAxes,
    check_numbers,
    draw_intervals,
    finish_axes,
    label_rows,
    measure_title,
    new_axes,
    panels,
    titled_heatmap,
)
from receval.plots.point_labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["group_heatmap", "system_means", "trade_off"]


def system_means(
    summary: pd.DataFrame,
    intervals: pd.DataFrame | None = None,
    *,
    lower: Sequence[str] = (),
    title: str = "Mean of each system",
    caption: str = "",
    axes: PanelAxes | None = None,
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
    title, caption : str
        Texts above and below the new figure.
    axes : sequence of Axes, optional
        The Axes to draw on, one per measure. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is not one Axes per measure.

    Examples
    --------
    >>> table = pd.DataFrame({"HR@10": [0.2, 0.3]}, index=["a", "b"])
    >>> [panel.get_title() for panel in system_means(table)]
    ['HR@10']
    """
    check_numbers(summary, "summary")
    systems = [str(system) for system in summary.index]
    panel_axes = panels(summary.shape[1], systems, axes, title=title, caption=caption)
    for ax, (measure, means) in zip(panel_axes, summary.items(), strict=True):
        table = means.to_frame("mean").assign(low=np.nan, high=np.nan)
        if intervals is not None and measure in intervals.index:
            table.update(intervals.xs(measure)[["low", "high"]])
        draw_intervals(ax, table, "mean", np.arange(len(table)))
        label_rows(ax, systems, table["mean"], ".3f")
        ax.margins(x=0.1)
        finish_axes(ax, hide_left=True, title=measure_title(measure, lower))
    return panel_axes


def trade_off(summary: pd.DataFrame, x: str, y: str, *, ax: Axes | None = None) -> Axes:
    """Draw two measures against each other, with a labelled point per system.

    Parameters
    ----------
    summary : DataFrame
        Systems in rows, measures in columns, as ``Evaluation.summary``.
    x, y : str
        Names of two columns, for example accuracy and diversity.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"HR@10": [0.2, 0.3], "CC@10": [0.9, 0.1]}, index=["a", "b"])
    >>> trade_off(table, "HR@10", "CC@10").get_ylabel()
    'CC@10'
    """
    check_numbers(summary, "summary", [x, y])
    if ax is None:
        ax = new_axes((WIDTH, 4))
    ax.scatter(summary[x], summary[y], s=36, color=BLUE)
    ax.margins(0.15)
    finish_axes(ax, xlabel=x, ylabel=y, title=f"{y} against {x}")
    return label_points(ax, summary[[x, y]])


def group_heatmap(
    values: pd.DataFrame, *, measure: str = "mean", lower: bool = False, ax: Axes | None = None
) -> Axes:
    """Draw values of systems in groups of users as a heatmap, with the best of each group in bold.

    Parameters
    ----------
    values : DataFrame
        Systems in rows, groups in columns.
    measure : str, default "mean"
        Name of the values, for the title.
    lower : bool, default False
        Whether lower values are better.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"cold": [0.1, 0.2], "heavy": [0.4, 0.3]}, index=["a", "b"])
    >>> group_heatmap(table, measure="nDCG@10").get_title()
    'nDCG@10 by group of users, the best of each in bold'
    """
    check_numbers(values, "values")
    best_of_group = values.min() if lower else values.max()
    has_several_systems = len(values) > 1
    is_best = (values == best_of_group) & has_several_systems
    bold_note = ""
    if has_several_systems:
        bold_note = ", the best of each in bold"
    return titled_heatmap(
        values,
        is_best,
        title=f"{measure} by group of users",
        bold_note=bold_note,
        number_format=".3f",
        ax=ax,
    )
