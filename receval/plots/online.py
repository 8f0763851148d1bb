"""A figure of on-line measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import check_that
from receval.plots.axes import (
    LEGEND_OUTSIDE,
    WIDTH,
    check_columns,
    draw_intervals,
    finish_axes,
    label_rows,
    legend_labels,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["online_intervals_map"]

# Colours of Okabe and Ito, which colour-blind readers can distinguish, each with a marker.
STYLES = [("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "D"), ("#cc79a7", "^")]


def online_intervals_map(
    intervals: pd.DataFrame, *, measures: Sequence[str] = ("IG",), ax: Axes | None = None
) -> Axes:
    """Draw on-line measures of every system as points with their confidence intervals.

    Parameters
    ----------
    intervals : DataFrame
        Result of `receval.fuzzy.online.online_intervals`.
    measures : sequence of str, default ("IG",)
        Measures to draw. If there are several, their points are one above the other in the row of
        a system.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Systems are in rows, in the order of the table; values are on the horizontal axis.

    Raises
    ------
    InputError
        If the table has another form, or lacks a measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("A", "IG")], names=["system", "measure"])
    >>> table = pd.DataFrame({"value": [0.2], "low": [0.1], "high": [0.3]}, index=index)
    >>> online_intervals_map(table).get_ylabel()
    'system'
    """
    check_columns(intervals, "intervals", ("value", "low", "high"))
    index = intervals.index
    rule = "be indexed by (system, measure)"
    check_that(index.nlevels == 2, "intervals", rule, list(index.names))
    all_measures = index.get_level_values(1).unique().tolist()
    is_valid = bool(measures) and set(measures) <= set(all_measures)
    check_that(is_valid, "measures", f"be some of {all_measures}", list(measures))
    systems = index.get_level_values(0).unique()
    n_measures = len(measures)
    if ax is None:
        row_height = 0.28 * (1 + n_measures) / 2  # in inches; more points need more height
        ax = new_axes((WIDTH, 0.8 + row_height * len(systems)))
    labels = legend_labels(measures)
    for number, (measure, label) in enumerate(zip(measures, labels, strict=True)):
        colour, marker = STYLES[number % len(STYLES)]
        table = pd.DataFrame(intervals.xs(measure, level=1)).reindex(systems)
        # The points of a system are spread over 0.6 of its row.
        shift = (number - (n_measures - 1) / 2) * 0.6 / n_measures
        heights = np.arange(len(systems)) + shift
        draw_intervals(ax, table, "value", heights, marker, color=colour, label=label)
    label_rows(ax, systems)
    title = f"{' and '.join(measures)} of each system, with intervals"
    ylabel = str(systems.name)
    if n_measures == 1:
        return finish_axes(ax, title=title, xlabel=measures[0], ylabel=ylabel)
    return finish_axes(ax, legend=LEGEND_OUTSIDE, title=title, xlabel="measure", ylabel=ylabel)
