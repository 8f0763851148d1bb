"""Pictures of how systems compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval.plots.axes import (
    BLUE,
    WIDTH,
    Axes,
    check_numbers,
    finished,
    name_points,
    new_axes,
    panels,
    rows,
    rows_of_intervals,
    shaded,
)

__all__ = ["group_heatmap", "system_means", "trade_off"]


def system_means(
    summary: pd.DataFrame,
    intervals: pd.DataFrame | None = None,
    *,
    lower: Sequence[str] = (),
    title: str = "Mean of each system",
    caption: str = "",
    axes: Any = None,
) -> list[Axes]:
    """Mean of each system, a panel per measure: a row with its value per system.

    Parameters
    ----------
    summary : DataFrame
        Systems in rows, measures in columns, as ``Evaluation.summary``.
    intervals : DataFrame, optional
        As ``Evaluation.interval`` answers it: by (measure, system), with the columns ``low`` and
        ``high``. Measures that are not there have none.
    lower : sequence of str, optional
        Measures whose lower values are the better ones.
    title, caption : str
        Over and under the new figure.
    axes : sequence of Axes, optional
        Where to draw, one per measure. Default: a new figure.

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
    names = [str(name) for name in summary.index]
    found = panels(summary.shape[1], names, axes, title=title, caption=caption)
    for ax, (measure, values) in zip(found, summary.items(), strict=True):
        table = values.to_frame("mean").assign(low=np.nan, high=np.nan)
        if intervals is not None and measure in intervals.index:
            table.update(intervals.xs(measure)[["low", "high"]])
        rows_of_intervals(ax, table, "mean", np.arange(len(table)))
        rows(ax, names, table["mean"], ".3f")
        ax.margins(x=0.1)
        finished(ax, left=True, title=f"{measure}{' (lower is better)' * (measure in lower)}")
    return found


def trade_off(summary: pd.DataFrame, x: str, y: str, *, ax: Axes | None = None) -> Axes:
    """Two measures against each other, a labelled point per system.

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
    ax = ax or new_axes((WIDTH, 4))
    ax.scatter(summary[x], summary[y], s=36, color=BLUE)
    ax.margins(0.15)
    finished(ax, xlabel=x, ylabel=y, title=f"{y} against {x}")
    return name_points(ax, summary[[x, y]])


def group_heatmap(
    values: pd.DataFrame, *, measure: str = "mean", lower: bool = False, ax: Axes | None = None
) -> Axes:
    """Values of systems in groups of users as a heatmap, the best of each group in bold.

    Parameters
    ----------
    values : DataFrame
        Systems in rows, groups in columns.
    measure : str, default "mean"
        What the values are, for the title.
    lower : bool, default False
        Whether lower values are the better ones.
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
    best = (values == (values.min() if lower else values.max())) & (len(values) > 1)
    title = f"{measure} by group of users" + ", the best of each in bold" * (len(values) > 1)
    return shaded(values, best, title, ".3f", ax)
