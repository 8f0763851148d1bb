"""Figures of a group: what its members think of the items, and what they get."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import IntArray, Options, check_that, import_extra
from receval._escape import for_plot
from receval.plots.axes import MAX_TICK_LENGTH, WIDTH, check_numbers, longest_name, new_figure
from receval.plots.theme import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["group_map"]

ROW_HEIGHT = 0.38  # height of a member's row in inches


def group_map(
    points: pd.DataFrame,
    group_list: Sequence[Hashable],
    *,
    satisfaction: pd.Series | None = None,
) -> list[Axes]:
    """Draw what each member thinks of each item, and which items the group gets.

    A heatmap shows the points. Bars above it show the total of each item. The items of the group's
    list are orange, with their ranks. Bars at the right show the satisfaction of each member, and
    that of the worst-off member is orange.

    Parameters
    ----------
    points : DataFrame
        Members in rows, items in columns; higher is better.
    group_list : sequence of labels
        The columns that the group gets, best first.
    satisfaction : Series, optional
        A value in [0, 1] for each member. Default: there are no bars at the right.

    Returns
    -------
    list of matplotlib.axes.Axes
        The Axes of the totals, of the heatmap and, if they are drawn, of the satisfactions.

    Raises
    ------
    InputError
        If ``points`` does not hold numbers, ``group_list`` is empty or names no column of
        ``points``, or ``satisfaction`` has other members than ``points``.
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> points = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]}, index=["ann", "ben"])
    >>> totals, heatmap = group_map(points, ["c", "a"])
    >>> [text.get_text() for text in totals.texts]
    ['3', '3', '6', '1.', '2.']
    """
    seaborn = import_extra("seaborn", "plots", "receval.plots")
    check_numbers(points, "points")
    unknown = [item for item in group_list if item not in points]
    is_list_of_columns = len(group_list) > 0 and not unknown
    check_that(is_list_of_columns, "group_list", "name columns of points", unknown or group_list)
    if satisfaction is not None:
        has_same_members = isinstance(satisfaction, pd.Series) and satisfaction.index.equals(
            points.index
        )
        rule = "be a Series with the index of points"
        check_that(has_same_members, "satisfaction", rule, satisfaction)

    # Each panel's height in inches: totals, heatmap and colour bar.
    heights = [1.0, ROW_HEIGHT * len(points), 0.12]
    height_of_names = 0.2
    has_long_names = longest_name(points.columns) > 0.5 * WIDTH / len(points.columns)
    if has_long_names:
        height_of_names = 1.4 * longest_name(points.columns)  # they are upright
    widths = [4, 1]
    if satisfaction is None:
        widths = [1]
    figure = new_figure((WIDTH, sum(heights) + height_of_names + 0.9))
    grid = figure.add_gridspec(3, len(widths), height_ratios=heights, width_ratios=widths)
    totals_ax, points_ax, colours_ax = (figure.add_subplot(grid[row, 0]) for row in range(3))

    seaborn.heatmap(
        points,
        annot=points.round(1),
        fmt="g",
        cmap="cividis",
        linewidths=2,
        xticklabels=[for_plot(item, longest=MAX_TICK_LENGTH) for item in points.columns],
        yticklabels=[for_plot(member, longest=MAX_TICK_LENGTH) for member in points.index],
        ax=points_ax,
        cbar_ax=colours_ax,
        cbar_kws={"orientation": "horizontal", "label": "points (yellow = likes it more)"},
    )
    # seaborn writes in white on cells that are too light for it. At the middle of cividis, black
    # and white have about the same contrast.
    middle = np.nanmean([np.nanmin(points), np.nanmax(points)])
    for text in points_ax.texts:
        text.set_color("black" if float(text.get_text()) > middle else "white")
    points_ax.set(xlabel="", ylabel="")
    points_ax.tick_params(length=0, rotation=0)
    if has_long_names:
        points_ax.tick_params("x", rotation=90)

    chosen = points.columns.get_indexer(pd.Index(group_list))
    frame: Options = {"fill": False, "edgecolor": ORANGE, "linewidth": 3, "clip_on": False}
    points_ax.bar(chosen + 0.5, len(points), 1, **frame)
    _draw_totals(totals_ax, points.sum().round(1), chosen)
    axes = [totals_ax, points_ax]
    if satisfaction is not None:
        axes.append(figure.add_subplot(grid[1, 1]))
        _draw_satisfaction(axes[-1], satisfaction)
    return axes


def _draw_totals(ax: Axes, totals: pd.Series, chosen: IntArray) -> None:
    """Draw a bar for each item, in orange and with its rank if the group gets it.

    ``chosen`` are the positions of the items that the group gets, best first.
    """
    middles = np.arange(len(totals)) + 0.5
    bars = ax.bar(middles, totals, 0.8, color=GREY)
    ax.bar_label(bars, fmt="{:g}", padding=1)
    for rank, position in enumerate(chosen, start=1):
        bars[position].set_color(ORANGE)
        half = totals.iloc[position] / 2
        ax.text(middles[position], half, f"{rank}.", ha="center", va="center", weight="bold")
    ax.margins(y=0.2)
    ax.set(xlim=(0, len(totals)), xticks=[], yticks=[], ylabel="total")
    ax.spines[["left", "top", "right"]].set_visible(False)


def _draw_satisfaction(ax: Axes, satisfaction: pd.Series) -> None:
    """Draw a bar for each member, the first on top, and that of the worst-off member in orange."""
    values = satisfaction.to_numpy()
    colours = np.where(values == satisfaction.min(), ORANGE, BLUE)
    bars = ax.barh(np.arange(len(values)) + 0.5, values, 0.7, color=colours)
    ax.bar_label(bars, fmt="{:.2f}", padding=2)
    ax.set(xlim=(0, 1.3), ylim=(len(values), 0), xticks=[], yticks=[])
    ax.set_title("satisfaction", weight="normal")
    ax.spines[["bottom", "top", "right"]].set_visible(False)
