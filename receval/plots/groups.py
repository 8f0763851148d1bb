"""Figures of groups: values in groups of users, and what the members of a group like and get."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import Options, check_that
from receval.plots.axes import (
    BLUE,
    GREY,
    ORANGE,
    WIDTH,
    check_numbers,
    draw_heatmap,
    finish_axes,
    new_axes,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["group_heatmap", "group_map", "satisfaction_map"]


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
    title = f"{measure} by group of users, the best of each in bold"
    note = "dark = worse" if lower else "dark = better"
    return _draw_with_bold(values, values == best_of_group, title, ".3f", f"{measure} ({note})", ax)


def satisfaction_map(satisfaction: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the satisfaction of each member under each strategy as a heatmap.

    Parameters
    ----------
    satisfaction : DataFrame
        Strategies in rows, members in columns, values in [0, 1].
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"U1": [0.9], "U2": [0.7]}, index=["average"])
    >>> [text.get_text() for text in satisfaction_map(table).texts]
    ['0.90', '0.70']
    """
    check_numbers(satisfaction, "satisfaction")
    is_least = satisfaction.eq(satisfaction.min(axis=1), axis=0)
    title = "Satisfaction of each member, the least under each strategy in bold"
    return _draw_with_bold(satisfaction, is_least, title, ".2f", "satisfaction (dark = more)", ax)


def _draw_with_bold(
    table: pd.DataFrame,
    is_bold: pd.DataFrame,
    title: str,
    fmt: str,
    cbar_label: str,
    ax: Axes | None,
) -> Axes:
    """Draw a heatmap with a title, and write the numbers of some cells in bold."""
    ax = ax or new_axes((WIDTH, 1.2 + 0.28 * len(table)))
    draw_heatmap(ax, table, fmt=fmt, cbar_label=cbar_label)
    is_bold_text = is_bold.to_numpy()[table.notna().to_numpy()]
    for text in np.array(ax.texts)[is_bold_text]:
        text.set_fontweight("bold")
    return finish_axes(ax, title=title)


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
    check_numbers(points, "points")
    unknown = [item for item in group_list if item not in points]
    is_list_of_columns = len(group_list) > 0 and not unknown
    check_that(is_list_of_columns, "group_list", "name columns of points", unknown or group_list)
    layout, widths = "t;p", [1]
    if satisfaction is not None:
        is_of_members = isinstance(satisfaction, pd.Series)
        is_of_members = is_of_members and satisfaction.index.equals(points.index)
        rule = "be a Series with the index of points"
        check_that(is_of_members, "satisfaction", rule, satisfaction)
        layout, widths = "t.;ps", [4, 1]
    n_members, n_items = points.shape
    heights = [1.0, 0.38 * n_members]  # in inches
    figure = new_figure((WIDTH, sum(heights) + 1.4))
    axes = figure.subplot_mosaic(layout, height_ratios=heights, width_ratios=widths)
    totals_ax, points_ax = axes["t"], axes["p"]

    draw_heatmap(points_ax, points, annot=points.round(1), fmt="g", cmap="cividis", fontsize=10)
    bar = figure.colorbar(points_ax.collections[0], ax=points_ax, location="bottom", aspect=60)
    bar.set_label("points (yellow = likes it more)")
    bar.outline.set_visible(False)

    totals = points.sum().round(1)
    middles = np.arange(n_items) + 0.5
    is_chosen = points.columns.isin(list(group_list))
    bars = totals_ax.bar(middles, totals, 0.8, color=np.where(is_chosen, ORANGE, GREY))
    totals_ax.bar_label(bars, fmt="{:g}", padding=1)
    columns = points.columns.get_indexer(pd.Index(group_list)).tolist()
    for rank, column in enumerate(columns, start=1):
        half = totals.iloc[column] / 2
        totals_ax.text(middles[column], half, f"{rank}.", ha="center", va="center", weight="bold")
        frame_column(points_ax, column)
    totals_ax.margins(y=0.2)
    totals_ax.set(xlim=(0, n_items), xticks=[], yticks=[], ylabel="total")
    totals_ax.spines[["left", "top", "right"]].set_visible(False)

    if satisfaction is not None:
        ax = axes["s"]
        colours = np.where(satisfaction == satisfaction.min(), ORANGE, BLUE)
        bars = ax.barh(np.arange(n_members) + 0.5, satisfaction, 0.7, color=colours)
        ax.bar_label(bars, fmt="{:.2f}", padding=2)
        ax.set(xlim=(0, 1.3), ylim=points_ax.get_ylim(), xticks=[], yticks=[])
        ax.set_title("satisfaction", weight="normal")
        ax.spines[["bottom", "top", "right"]].set_visible(False)
    return list(axes.values())


def frame_column(ax: Axes, column: int) -> None:
    """Draw an orange frame around a column of a heatmap."""
    frame: Options = {"fill": False, "edgecolor": ORANGE, "linewidth": 3, "clip_on": False}
    height = ax.get_ylim()[0]
    ax.bar(column + 0.5, height, 1, zorder=5, **frame)  # above lines that users draw
