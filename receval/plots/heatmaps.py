"""Heatmaps: of any table, of metrics, and of what the members of a group like and get."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from receval._arrays import ROUNDING
from receval._checks import Options, check_that, input_error, shorten
from receval._escape import for_plot
from receval.plots.axes import (
    BLUE,
    GREY,
    LINE_LENGTH,
    ORANGE,
    SMALL,
    WIDTH,
    check_columns,
    finish_axes,
    new_axes,
    new_figure,
    seaborn,
    tick_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar

EQUAL_CONTRAST = 0.18  # luminance on which black and white text have the same contrast
ROW_HEIGHT = 0.38  # height of a member, or of a metric, in inches


def heatmap(
    table: pd.DataFrame,
    *,
    label: str,
    title: str = "",
    bold: pd.DataFrame | None = None,
    fmt: str = ".2f",
    cmap: str = "Blues",
    fontsize: float = SMALL,
    ax: Axes | None = None,
    **options: object,
) -> Axes:
    """Draw a table as a heatmap with its numbers in the cells, and a colour bar.

    Parameters
    ----------
    table : DataFrame
        Numbers. A cell without a value is grey.
    label : str
        What the colours mean, such as "nDCG@10 (dark = better)".
    title : str, default ""
        Text above the heatmap.
    bold : DataFrame of bool, optional
        The cells whose numbers are bold, with the labels of ``table``. It has no effect if
        ``annot=False`` leaves the numbers out.
    fmt, cmap, fontsize
        Format of the numbers, colour map, and size of the texts in points.
    ax : Axes, optional
        Where to draw. Default: a new figure.
    **options
        Passed to ``seaborn.heatmap``.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If the table is empty, ``bold`` lacks one of its labels, or seaborn refuses an option.
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> table = pd.DataFrame({"cold": [0.1, 0.2], "heavy": [0.4, 0.3]}, index=["a", "b"])
    >>> ax = heatmap(table, label="nDCG@10 (dark = better)", bold=table == table.max())
    >>> [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]
    ['0.40', '0.20']
    """
    check_columns(table, [], "table")
    check_that(not table.empty, "table", "have at least one row and one column", table.shape)
    ax = ax or new_axes((WIDTH, 1.2 + 0.28 * len(table)))
    numbers = table.astype(float)
    labelled = numbers.set_axis(tick_labels(numbers.index))
    look = {"annot": True, "linewidths": 1, "cbar_kws": {"label": for_plot(label)}, **options}
    try:
        seaborn().heatmap(
            labelled.set_axis(tick_labels(numbers, None), axis=1),
            fmt=fmt,
            cmap=cmap,
            annot_kws={"fontsize": fontsize},
            ax=ax,
            **look,
        )
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        rule = "be what seaborn.heatmap takes"
        raise input_error("the options", rule, shorten(str(error), 200)) from error
    # seaborn writes in white on cells that are too light for it.
    cells = ax.collections[0]
    is_shown = numbers.notna().to_numpy().ravel()
    luminances = seaborn().utils.relative_luminance(np.array(cells.get_facecolor())[is_shown])
    for text, luminance in zip(ax.texts, np.atleast_1d(luminances), strict=False):
        text.set_color("white")
        if luminance > EQUAL_CONTRAST:
            text.set_color("black")
    if bold is not None and len(ax.texts) > 0:
        has_labels = numbers.index.isin(bold.index).all() and numbers.columns.isin(bold).all()
        check_that(has_labels, "bold", "have the rows and columns of table", bold.axes)
        is_bold = bold.loc[numbers.index, numbers.columns].to_numpy().ravel()[is_shown]
        for text in np.array(ax.texts)[is_bold]:
            text.set_fontweight("bold")
    ax.set_facecolor("0.85")
    finish_axes(ax, title=title)
    ax.tick_params(length=0, labelsize=fontsize)
    ax.tick_params("y", rotation=0)
    return ax


def group_map(
    points: pd.DataFrame, group_list: Sequence[Hashable], *, satisfaction: pd.Series | None = None
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
        If ``points`` lacks an item of ``group_list``, or ``satisfaction`` a member.
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> points = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]}, index=["ann", "ben"])
    >>> totals, points_heatmap = group_map(points, ["c", "a"])
    >>> [text.get_text() for text in totals.texts]
    ['3', '3', '6', '1.', '2.']
    """
    check_columns(points, group_list, "points")
    if satisfaction is not None:
        is_complete = points.index.isin(satisfaction.index).all()
        check_that(
            is_complete, "satisfaction", "have a value for each member", [*satisfaction.index]
        )
    n_members, _ = points.shape
    heights = [1.0, ROW_HEIGHT * n_members]
    layout, widths = "t;p", [1]  # totals above points
    if satisfaction is not None:
        layout, widths = "t.;ps", [4, 1]  # and satisfactions at the right
    figure = new_figure((WIDTH, sum(heights) + 1.4))
    axes = figure.subplot_mosaic(layout, height_ratios=heights, width_ratios=widths)
    bar: Options = {"label": "points (yellow = likes it more)", "location": "bottom", "aspect": 60}
    look: Options = {"cmap": "cividis", "fontsize": 10, "cbar_kws": bar}
    heatmap(points, label="", annot=points.round(1), fmt="g", ax=axes["p"], **look)
    _draw_totals(axes["t"], points, group_list)
    items: Sequence[Hashable] = points.columns.tolist()
    for item in group_list:
        _frame_column(axes["p"], items.index(item))
    if satisfaction is not None:
        _draw_satisfactions(axes["s"], satisfaction.loc[points.index])
        axes["s"].set_ylim(axes["p"].get_ylim())
    return list(axes.values())


def _draw_totals(ax: Axes, points: pd.DataFrame, group_list: Sequence[Hashable]) -> None:
    """Draw a bar for the total of each item: orange, with its rank, if the group gets the item."""
    items: Sequence[Hashable] = points.columns.tolist()
    totals = points.sum().round(1)
    colours = np.where(points.columns.isin(list(group_list)), ORANGE, GREY)
    bars = ax.bar(np.arange(totals.size) + 0.5, totals, 0.8, color=colours)
    ax.bar_label(bars, fmt="{:g}", padding=1)
    for rank, item in enumerate(group_list, start=1):
        column = items.index(item)
        text: Options = {"ha": "center", "va": "center", "weight": "bold"}
        ax.text(column + 0.5, totals.iloc[column] / 2, f"{rank}.", **text)
    ax.margins(y=0.2)
    ax.set(xlim=(0, totals.size), xticks=[], yticks=[], ylabel="total")
    ax.spines[["left", "top", "right"]].set_visible(False)


def _draw_satisfactions(ax: Axes, satisfaction: pd.Series) -> None:
    """Draw a bar for the satisfaction of each member; that of the worst-off member is orange."""
    colours = np.where(satisfaction == satisfaction.min(), ORANGE, BLUE)
    bars = ax.barh(np.arange(satisfaction.size) + 0.5, satisfaction, 0.7, color=colours)
    ax.bar_label(bars, fmt="{:.2f}", padding=2)
    ax.set(xlim=(0, 1.3), xticks=[], yticks=[])
    ax.set_title("satisfaction", weight="normal")
    ax.spines[["bottom", "top", "right"]].set_visible(False)


def metric_heatmap(
    values: pd.DataFrame,
    reference: Hashable,
    *,
    framed: Sequence[Hashable] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw what each metric says of each answer, next to an answer that is as good as possible.

    Metrics have different ranges, and some are better if they are lower. So the colours compare
    the values of a row: yellow is the value of the reference, and dark blue the value that is
    farthest from it. A row without any difference is yellow. The cells show the values themselves.

    Parameters
    ----------
    values : DataFrame
        Metrics in rows, answers in columns. A cell without a value stays empty.
    reference : label
        The column of the best possible answer.
    framed : sequence of labels, optional
        Columns that get an orange frame.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The first row is on top.

    Raises
    ------
    InputError
        If ``values`` lacks the column ``reference`` or a column of ``framed``.
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> values = pd.DataFrame({"right": [3, 1], "reversed": [3, -1]}, ["hits", "Kendall"])
    >>> ax = metric_heatmap(values, "right", framed=["reversed"])
    >>> [text.get_text() for text in ax.texts]
    ['3', '3', '1', '-1']
    """
    check_columns(values, [reference, *framed], "values")
    best = values[reference].to_numpy(float)[:, np.newaxis]
    distances = (values - best).abs()
    # Values that differ only by rounding are equal.
    distances = distances.mask(np.isclose(values, best, rtol=ROUNDING, atol=ROUNDING), 0)
    farthest = distances.max(axis=1)
    closeness = 1 - distances.div(farthest.where(farthest > 0, 1), axis=0)

    ax = ax or new_axes((WIDTH, ROW_HEIGHT * len(values) + 1.2))
    texts = (values.round(2) + 0.0).map("{:g}".format)  # adding 0 turns -0 into 0
    look: Options = {"cmap": "cividis", "vmin": 0, "vmax": 1, "cbar_kws": {"shrink": 0.8}}
    heatmap(closeness, label="", annot=texts, fmt="", fontsize=10, ax=ax, **look)
    best_name = for_plot(reference, LINE_LENGTH // 2, longest=LINE_LENGTH)
    bar = cast("Colorbar", ax.collections[0].colorbar)
    bar.set_ticks([0, 1], labels=["worst of\nits row", f"as good as\n{best_name}"])
    answers: Sequence[Hashable] = values.columns.tolist()
    for column in framed:
        _frame_column(ax, answers.index(column))
    # A name can be an order of cases, so its words are below one another.
    names = ["\n".join(tick_labels(str(name).split())) for name in answers]
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=0)
    ax.xaxis.tick_top()
    return ax


def _frame_column(ax: Axes, column: int) -> None:
    """Draw an orange frame around a column of a heatmap."""
    frame: Options = {"fill": False, "edgecolor": ORANGE, "linewidth": 3, "clip_on": False}
    ax.bar(column + 0.5, ax.get_ylim()[0], 1, zorder=5, **frame)  # above lines that users draw
