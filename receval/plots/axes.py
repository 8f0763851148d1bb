"""Helpers that the figures share: style, small multiples, intervals and heatmaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union, cast

import numpy as np
import pandas as pd

from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    Options,
    check_that,
    import_extra,
    input_error,
)
from receval._escape import for_legend, for_plot

if TYPE_CHECKING:  # importing matplotlib takes long, so each function does it when it draws
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PanelAxes: TypeAlias = Union["Axes", Sequence["Axes"], AnyArray]
"""The Axes that users pass for several panels: one, a sequence, or the array of plt.subplots."""

COLOURS = (
    "#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc",
    "#ca9161", "#fbafe4", "#949494", "#ece133", "#56b4e9",
)  # fmt: skip
"""Colours that colour-blind readers can distinguish too (seaborn's palette "colorblind")."""

BLUE, ORANGE = COLOURS[:2]
EQUAL_CONTRAST = 0.18  # luminance on which black and white text have the same contrast
WIDTH = 6.5  # width of a figure in inches: 650 pixels in a notebook
SMALL = 8  # size in points of the smallest text
MAX_ANNOTATED_COLUMNS = 14  # a heatmap with more columns has no room for numbers in its cells
MAX_COLUMNS_OF_WIDE_TABLE = 12  # a table with more columns than this, and than rows, is transposed
MAX_TEXT_LENGTH = 600  # characters of a title or a caption
MAX_TICK_LENGTH = 40  # characters of a row's name; longer ones would leave no room for the cells
TITLE_LINE_LENGTH = 75  # characters after which the title of a figure with panels is broken
CAPTION_LINE_LENGTH = 110  # the same for the caption, whose letters are smaller
LINE_LENGTH = 26  # characters after which a name continues in a second line
TICKS_BY_COLUMNS = {1: 9, 2: 6, 3: 4}  # ticks along the horizontal axis of a panel
LEGEND_OUTSIDE: Options = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
"""Keyword arguments of a legend to the right of the axes, where it hides no curve."""


# Axes and panels ----------------------------------------------------------------------------------


def new_figure(figsize: tuple[float, float]) -> Figure:
    """Return a new figure without any Axes; ``figsize`` is its width and height in inches.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    plt = import_extra("matplotlib.pyplot", "plots", "receval.plots")
    figure: Figure = plt.figure(figsize=figsize, layout="constrained")
    return figure


def new_axes(figsize: tuple[float, float], projection: str | None = None) -> Axes:
    """Return the Axes of a new figure; ``figsize`` is its width and height in inches."""
    return new_figure(figsize).add_subplot(projection=projection)


def panels(
    n_panels: int,
    row_names: Sequence[str],
    axes: PanelAxes | None = None,
    *,
    title: str = "",
    caption: str = "",
) -> list[Axes]:
    """Return one Axes per panel: the Axes that the user passed, or those of a new figure.

    All panels have the same rows, whose names determine the height of a new figure. The title
    goes above the new figure, the caption below it.

    Raises
    ------
    InputError
        If the user passed too few or too many Axes.
    """
    if axes is None:
        return _new_panels(n_panels, row_names, title, caption)
    panel_axes: list[Axes] = list(np.atleast_1d(cast("npt.ArrayLike", axes)).ravel())
    rule = f"hold one Axes per panel, {n_panels}"
    check_that(len(panel_axes) == n_panels, "axes", rule, len(panel_axes))
    return panel_axes


def _new_panels(n_panels: int, row_names: Sequence[str], title: str, caption: str) -> list[Axes]:
    """Return the Axes of a new figure with one or more panels, at most three side by side.

    ``row_names`` label the rows within a panel, so they decide how high a panel is.
    """
    n_columns = min(n_panels, 3)
    if n_panels == 4:
        n_columns = 2  # two rows of two, not a row of three and a single panel
    n_rows_of_panels = math.ceil(n_panels / n_columns)
    # Escape the title and break its lines, because these add to the height.
    title = for_plot(title, TITLE_LINE_LENGTH, longest=MAX_TEXT_LENGTH)
    n_extra_lines = title.count("\n")
    if caption:
        n_extra_lines += 1
    # Heights in inches: the title's first line, its further lines and the caption, and the panels,
    # each with a title and ticks.
    height = 0.4 + 0.2 * n_extra_lines + n_rows_of_panels * (0.6 + rows_height(row_names))
    figure = new_figure((WIDTH, height))
    figure.suptitle(title, fontsize=11)
    caption = for_plot(caption, CAPTION_LINE_LENGTH, longest=MAX_TEXT_LENGTH)
    figure.supxlabel(caption, fontsize=SMALL)
    # The grid has places for whole rows of panels; remove those that no panel needs.
    grid = figure.subplots(n_rows_of_panels, n_columns, sharey=True, squeeze=False).ravel()
    for unused_ax in grid[n_panels:]:
        unused_ax.remove()
    panel_axes: list[Axes] = list(grid[:n_panels])
    for ax in panel_axes:
        ax.locator_params(axis="x", nbins=TICKS_BY_COLUMNS[n_columns])
    return panel_axes


def finish_axes(
    ax: Axes,
    *,
    legend: Options | None = None,
    hide_left: bool = False,
    hide_bottom: bool = False,
    **labels: str | tuple[float, float],
) -> Axes:
    """Set labels and limits of an Axes, give it the style of all figures, and return it.

    Labels and titles are escaped here. Escape the names in a legend with `legend_labels` when you
    draw them.

    Parameters
    ----------
    ax : Axes
        The Axes, with everything drawn.
    legend : dict, optional
        Keyword arguments of the legend. Default: no legend.
    hide_left, hide_bottom : bool, default False
        Whether to remove that line of the frame; the top and right lines are always removed.
    **labels
        Arguments of ``ax.set``, such as ``title``, ``xlabel`` or ``xlim``.
    """
    for name, value in labels.items():
        # Limits are numbers; texts are escaped, so that "$" does not start a formula.
        shown = for_plot(value) if isinstance(value, str) else value
        ax.set(**{name: shown})
    ax.title.set_fontsize(10)
    ax.tick_params(labelsize=SMALL)
    if legend is not None:
        ax.legend(frameon=False, fontsize=SMALL, **legend)
    is_shown = {"top": False, "right": False, "left": not hide_left, "bottom": not hide_bottom}
    for side, is_side_shown in is_shown.items():
        ax.spines[side].set_visible(is_side_shown)
    return ax


# Checks -------------------------------------------------------------------------------------------


def check_columns(table: pd.DataFrame, name: str, columns: Iterable[str]) -> None:
    """Raise unless ``table`` is a frame with these columns; ``name`` is the argument's name."""
    if not isinstance(table, pd.DataFrame):
        raise input_error(name, "be a DataFrame", type(table).__name__)
    missing = [column for column in columns if column not in table]
    if missing:
        raise input_error(name, f"have the columns {', '.join(map(str, columns))}", f"no {missing}")


def check_numbers(table: pd.DataFrame, name: str, columns: Sequence[str] = ()) -> None:
    """Raise unless a frame has rows and numbers in ``columns`` (default: in all columns)."""
    check_columns(table, name, columns)
    if table.empty:
        raise input_error(name, "hold at least one value", "an empty frame")
    for column, dtype in table[list(columns or table)].dtypes.items():
        if not pd.api.types.is_numeric_dtype(dtype):
            raise input_error(f"{name}[{column!r}]", "hold numbers", f"type {dtype}")


# Names --------------------------------------------------------------------------------------------


def label_rows(
    ax: Axes, names: Iterable[object], values: Iterable[float] = (), number_format: str = ""
) -> None:
    """Draw one row per name, the first on top, with its value as text at the right end.

    Missing values are shown as a dash.
    """
    labels = [for_plot(name, LINE_LENGTH) for name in names]
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    style: Options = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": SMALL}
    for row, value in enumerate(values):
        text = format(value, number_format)
        if np.isnan(value):
            text = "–"
        ax.text(1.02, row, text, **style)
    ax.set_axisbelow(True)
    ax.grid(axis="x", alpha=0.3)


def legend_labels(names: Iterable[object]) -> list[str]:
    """Return the escaped labels of names in a legend.

    Different names never get the same label: if necessary, a number in parentheses is added.
    """
    labels: list[str] = []
    for name in names:
        first_label = for_legend(name)
        label = first_label
        number = 2
        while label in labels:
            label = f"{first_label} ({number})"
            number += 1
        labels.append(label)
    return labels


def measure_title(measure: object, lower: Sequence[str]) -> str:
    """Return the title of a measure's panel, which says if lower values are better.

    ``lower`` holds the names of the measures for which lower values are better.
    """
    title = str(measure)
    if measure in lower:
        title += " (lower is better)"
    return title


def rows_height(names: Iterable[str]) -> float:
    """Return how high rows with these names are, in inches."""
    n_line_breaks = [
        for_plot(name, LINE_LENGTH, longest=MAX_TICK_LENGTH).count("\n") for name in names
    ]
    return len(n_line_breaks) * (0.22 + 0.15 * max(n_line_breaks, default=0))


def longest_name(names: Iterable[object]) -> float:
    """Return how long the longest of these names is next to a heatmap, in inches."""
    lengths = [len(for_plot(name, longest=MAX_TICK_LENGTH)) for name in names]
    return 0.075 * max(lengths, default=0)


# Intervals ----------------------------------------------------------------------------------------


def draw_intervals(
    ax: Axes,
    table: pd.DataFrame,
    column: str,
    positions: npt.ArrayLike,
    fmt: str = "o",
    **style: object,
) -> None:
    """Draw the values of a column as points, with horizontal bars from ``low`` to ``high``.

    ``positions`` are the heights of the points, one for each row of ``table``. ``fmt`` and
    ``style`` go to ``ax.errorbar``.
    """
    options: Options = {"color": BLUE, "markersize": 5, "capsize": 2, **style}
    lengths = error_bar_lengths(table, column)
    ax.errorbar(table[column].to_numpy(), positions, xerr=lengths, fmt=fmt, **options)


def error_bar_lengths(table: pd.DataFrame, column: str) -> FloatArray:
    """Return the distances from a column's values to ``low`` and to ``high``, shape (2, rows).

    matplotlib refuses negative lengths, so an interval that leaves out its value gets 0.
    """
    values, low, high = table[[column, "low", "high"]].to_numpy(float).T
    return np.maximum([values - low, high - values], 0)


# Heatmaps -----------------------------------------------------------------------------------------


def draw_heatmap(
    ax: Axes,
    table: pd.DataFrame,
    *,
    is_bold: npt.ArrayLike = False,
    width: int | None = None,
    annot: bool = True,
    fmt: str = ".2g",
    cmap: str = "Blues",
    vmin: float | None = None,
    vmax: float | None = None,
    cbar: bool = False,
) -> None:
    """Draw a table as a heatmap with its numbers in the cells; a dash marks a missing value.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        Numbers; its index and columns name the rows and columns of the heatmap.
    is_bold : array_like of bool, default False
        Whether a cell's number is in bold: one value for all cells, or one per cell.
    width : int, optional
        Number of characters after which a row's name continues in the next line.
    annot : bool, default True
        Whether the cells show their numbers.
    fmt : str, default ".2g"
        Format of the numbers in the cells.
    cmap : str, default "Blues"
        Name of matplotlib's colour map.
    vmin, vmax : float, optional
        Numbers that get the first and the last colour. Default: the smallest and the largest
        number.
    cbar : bool, default False
        Whether to draw a colour bar to the right of the heatmap.
    """
    numbers = table.to_numpy(float, na_value=np.nan)
    has_value = ~np.isnan(numbers)
    cells = np.ma.masked_array(numbers, ~has_value)
    mesh = ax.pcolormesh(cells, cmap=cmap, vmin=vmin, vmax=vmax, linewidths=0.5, edgecolors="white")
    n_rows, n_columns = numbers.shape
    ax.set(xlim=(0, n_columns), ylim=(n_rows, 0))  # the first row is on top
    ax.spines[:].set_visible(False)
    if cbar:
        colour_bar = ax.figure.colorbar(mesh, ax=ax)
        colour_bar.outline.set_linewidth(0)
    _label_cells(ax, _tick_labels(table.index, width), _tick_labels(table.columns))

    style: Options = {"ha": "center", "va": "center", "fontsize": SMALL}
    if annot:
        mesh.update_scalarmappable()  # otherwise the cells get their colours when they are drawn
        luminances = _luminance(np.asarray(mesh.get_facecolor())).reshape(numbers.shape)
        is_bold_cell = np.broadcast_to(is_bold, numbers.shape)
        for row, column in np.argwhere(has_value):
            # Black on light cells and white on dark ones: whichever has the larger contrast.
            colour = "black" if luminances[row, column] > EQUAL_CONTRAST else "white"
            weight = "bold" if is_bold_cell[row, column] else "normal"
            text = format(numbers[row, column], fmt)
            ax.text(column + 0.5, row + 0.5, text, color=colour, fontweight=weight, **style)
    for row, column in np.argwhere(~has_value):
        ax.text(column + 0.5, row + 0.5, "–", **style)


def _label_cells(ax: Axes, row_labels: Sequence[str], column_labels: Sequence[str]) -> None:
    """Put the names of a heatmap's rows and columns at the middle of their cells.

    If there are too many, only every second name is shown, or every third, and so on. The names of
    columns turn upright if they would overlap.
    """
    ax.tick_params(length=0, labelsize=SMALL)
    extent = ax.get_window_extent()  # in pixels
    points_per_pixel = 72 / ax.figure.dpi
    # The indices of the columns and rows whose names are shown. Cell i is from i to i + 1.
    columns = _labels_with_room(len(column_labels), extent.width * points_per_pixel)
    rows = _labels_with_room(len(row_labels), extent.height * points_per_pixel)
    ax.set_xticks(columns + 0.5, [column_labels[column] for column in columns])
    ax.set_yticks(rows + 0.5, [row_labels[row] for row in rows])
    whole_figure = cast("Figure", ax.get_figure(root=True))
    whole_figure.draw_without_rendering()  # labels have a position only after this
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    # A name overlaps if its box touches that of a name to the left.
    has_overlap = any(box.count_overlaps(boxes[:i]) > 0 for i, box in enumerate(boxes))
    if has_overlap:
        ax.tick_params("x", rotation=90)


def _labels_with_room(n_labels: int, length: float) -> IntArray:
    """Return the indices of the labels to show along an axis of ``length`` points."""
    n_with_room = int(length // SMALL)
    if n_with_room == 0:
        return np.arange(0)
    return np.arange(0, n_labels, n_labels // n_with_room + 1)


def _luminance(colours: FloatArray) -> FloatArray:
    """Return the relative luminance of RGBA colours in rows, from 0 (black) to 1 (white).

    The formula comes from the Web Content Accessibility Guidelines (WCAG).
    """
    rgb = colours[:, :3]
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance: FloatArray = linear @ np.array([0.2126, 0.7152, 0.0722])
    return luminance


def titled_heatmap(
    table: pd.DataFrame,
    is_bold: pd.DataFrame,
    *,
    title: str,
    bold_note: str,
    number_format: str,
    ax: Axes | None,
) -> Axes:
    """Draw a table as the only heatmap of a figure and return its Axes.

    A wide table is transposed, so that its longer side goes down the page. ``bold_note`` says what
    bold numbers mean. It is added to the title, unless the cells are too narrow for numbers.
    """
    n_rows, n_columns = table.shape
    is_wide = n_columns > n_rows and n_columns > MAX_COLUMNS_OF_WIDE_TABLE
    if is_wide:
        table = table.T
        is_bold = is_bold.T
    if ax is None:
        ax = _new_heatmap_axes(table)
    has_numbers = table.shape[1] <= MAX_ANNOTATED_COLUMNS
    if has_numbers:
        title += bold_note
    draw_heatmap(
        ax,
        table,
        is_bold=is_bold.to_numpy(),
        width=LINE_LENGTH,
        fmt=number_format,
        annot=has_numbers,
        cbar=True,
    )
    return finish_axes(ax, hide_left=True, hide_bottom=True, xlabel="", ylabel="", title=title)


def _new_heatmap_axes(table: pd.DataFrame) -> Axes:
    """Return the Axes of a new figure that is high enough for a table's rows and names."""
    row_names = [str(name) for name in table.index]
    height = 0.7 + rows_height(row_names)  # in inches; 0.7 is for the title and one line of names
    # The names of columns turn upright if they would overlap; then they need height. Side by side,
    # with gaps between them, they need 1.4 times their length.
    column_name_length = longest_name(table.columns)
    width_of_names = 1.4 * column_name_length * table.shape[1]
    width_of_cells = WIDTH - longest_name(row_names)
    if width_of_names > width_of_cells:
        height += column_name_length
    return new_axes((WIDTH, height))


def _tick_labels(labels: pd.Index, width: int | None = None) -> list[str]:
    """Return the escaped names of a heatmap's rows or columns; several levels are joined by "-".

    A name continues in the next line after ``width`` characters.
    """
    if isinstance(labels, pd.MultiIndex):
        texts = ["-".join(map(str, key)) for key in labels]
    else:
        texts = [str(label) for label in labels]
    return [for_plot(text, width, longest=MAX_TICK_LENGTH) for text in texts]
