"""Helpers that the figures share: style, small multiples, intervals and heatmaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, Union, cast

import numpy as np
import pandas as pd

from receval._checks import FloatArray, check_that, input_error
from receval._escape import for_legend, for_plot
from receval._types import AnyArray, Options

if TYPE_CHECKING:  # importing matplotlib takes long, so each function does it when it draws
    import numpy.typing as npt
    from matplotlib.axes import Axes

PanelAxes: TypeAlias = Union["Axes", Sequence["Axes"], AnyArray]
"""The Axes that users pass for several panels: one, a sequence, or the array of plt.subplots."""

BLUE, ORANGE = "#0173b2", "#de8f05"  # the first two of seaborn's palette "colorblind"
WIDTH = 6.5  # width of a figure in inches: 650 pixels in a notebook
SMALL = 8  # size in points of the smallest text
MAX_ANNOTATED_COLUMNS = 14  # a heatmap with more columns has no room for numbers in its cells
MAX_TEXT_LENGTH = 600  # characters of a title or a caption
MAX_TICK_LENGTH = 40  # characters of a row's name; longer ones would leave no room for the cells
LINE_LENGTH = 26  # characters after which a name continues in a second line
TICKS_BY_COLUMNS = {1: 9, 2: 6, 3: 4}  # ticks along the horizontal axis of a panel
LEGEND_OUTSIDE: Options = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
"""Keyword arguments of a legend to the right of the axes, where it hides no curve."""


# Axes and panels ----------------------------------------------------------------------------------


def new_axes(figsize: tuple[float, float], projection: str | None = None) -> Axes:
    """Return the Axes of a new figure; ``figsize`` is its width and height in inches."""
    import matplotlib.pyplot as plt

    return plt.figure(figsize=figsize, layout="constrained").add_subplot(projection=projection)


def panels(
    n_panels: int,
    row_names: Sequence[str],
    axes: PanelAxes | None = None,
    *,
    title: str = "",
    caption: str = "",
) -> list[Axes]:
    """Return one Axes per panel: those that the user passed, or those of a new figure.

    All panels have the same rows, whose names determine the height of a new figure. The title
    goes above the new figure, the caption below it.

    Raises
    ------
    InputError
        If the user passed another number of Axes.
    """
    if axes is None:
        return _new_panels(n_panels, row_names, title, caption)
    panel_axes: list[Axes] = list(np.atleast_1d(cast("npt.ArrayLike", axes)).ravel())
    rule = f"hold one Axes per panel, {n_panels}"
    check_that(len(panel_axes) == n_panels, "axes", rule, len(panel_axes))
    return panel_axes


def _new_panels(n_panels: int, row_names: Sequence[str], title: str, caption: str) -> list[Axes]:
    """Return the Axes of a new figure with at most three panels side by side."""
    import matplotlib.pyplot as plt

    n_columns = min(n_panels, 3)
    if n_panels == 4:
        n_columns = 2
    n_lines = -(-n_panels // n_columns)
    title = for_plot(title, 75, longest=MAX_TEXT_LENGTH)
    n_extra_text_lines = title.count("\n") + bool(caption)
    height = 0.4 + 0.2 * n_extra_text_lines + n_lines * (0.6 + rows_height(row_names))
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    grid = figure.subplots(n_lines, n_columns, sharey=True, squeeze=False).ravel()
    figure.suptitle(title, fontsize=11)
    figure.supxlabel(for_plot(caption, 110, longest=MAX_TEXT_LENGTH), fontsize=SMALL)
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

    Labels and titles are escaped here. Names in a legend must be escaped before
    (`legend_labels`), when they are drawn.

    Parameters
    ----------
    ax : Axes
        The Axes, with everything drawn.
    legend : dict, optional
        Keyword arguments of the legend. Default: no legend.
    hide_left, hide_bottom : bool, default False
        Whether to remove that line of the frame; top and right are removed always.
    **labels
        Arguments of ``ax.set``, such as ``title``, ``xlabel`` or ``xlim``.
    """
    import seaborn as sns

    for name, value in labels.items():
        shown = for_plot(value) if isinstance(value, str) else value
        ax.set(**{name: shown})
    ax.title.set_fontsize(10)
    ax.tick_params(labelsize=SMALL)
    if legend is not None:
        ax.legend(frameon=False, fontsize=SMALL, **legend)
    sns.despine(ax=ax, left=hide_left, bottom=hide_bottom)
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


def legend_labels(names: Iterable[object], width: int | None = None) -> list[str]:
    """Return the escaped labels of names in a legend, in lines of ``width`` characters.

    Names that differ never get the same label: a number in parentheses is added.
    """
    labels: list[str] = []
    for name in names:
        first_label = for_legend(name, width)
        label = first_label
        number = 2
        while label in labels:
            label = f"{first_label} ({number})"
            number += 1
        labels.append(label)
    return labels


def measure_title(measure: object, lower: Sequence[str]) -> str:
    """Return the title of a measure's panel, which says if lower values are better.

    ``lower`` holds the names of the measures for which they are.
    """
    title = str(measure)
    if measure in lower:
        title += " (lower is better)"
    return title


def rows_height(names: Iterable[str]) -> float:
    """Return the height in inches of rows with these names."""
    n_line_breaks = [
        for_plot(name, LINE_LENGTH, longest=MAX_TICK_LENGTH).count("\n") for name in names
    ]
    return len(n_line_breaks) * (0.22 + 0.15 * max(n_line_breaks, default=0))


def longest_name(names: Iterable[object]) -> float:
    """Return the length in inches of the longest of these names along a heatmap."""
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
    **options: object,
) -> None:
    """Draw a table as a heatmap with its numbers in the cells; a dash marks a missing value.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame
        Numbers; its index and columns name the rows and columns of the heatmap.
    is_bold : array_like of bool, default False
        Whether a cell's number is in bold: one for all cells, or one per cell.
    width : int, optional
        Number of characters after which a row's name continues in the next line.
    **options
        Arguments of ``seaborn.heatmap``.
    """
    import seaborn as sns

    table = table.set_axis(_tick_labels(table.index, width))
    table = table.set_axis(_tick_labels(table.columns), axis=1)
    style: Options = {"annot": True, "annot_kws": {"fontsize": SMALL}, "cbar": False}
    style |= {"cmap": "Blues", "linewidths": 0.5, **options}
    ax.tick_params(labelsize=SMALL)  # seaborn needs the size to see whether names overlap
    sns.heatmap(table, ax=ax, **style)
    has_value = table.notna().to_numpy()
    colours = np.asarray(ax.collections[0].get_facecolor())[has_value.ravel()]
    font_weights = np.where(is_bold, "bold", "normal")
    font_weights = np.broadcast_to(font_weights, has_value.shape)[has_value]
    # There are no texts if the caller passed annot=False.
    for text, colour, font_weight in zip(ax.texts, colours, font_weights, strict=False):
        # Black on light cells and white on dark ones: whichever has the larger contrast.
        is_light = sns.utils.relative_luminance(colour) > 0.18
        text.set_color("black" if is_light else "white")
        text.set_fontweight(str(font_weight))
    for row, column in np.argwhere(~has_value):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center", fontsize=SMALL)
    ax.tick_params(length=0, labelsize=SMALL)
    ax.tick_params("y", rotation=0)


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

    The longer side of a wide table goes down the page. ``bold_note`` tells what bold numbers
    mean. It is added to the title, unless the cells are too narrow for numbers.
    """
    is_wide = table.shape[1] > max(12, table.shape[0])
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
        cbar=not has_numbers,  # without numbers only the colour bar tells the values
    )
    return finish_axes(ax, hide_left=True, hide_bottom=True, xlabel="", ylabel="", title=title)


def _new_heatmap_axes(table: pd.DataFrame) -> Axes:
    """Return the Axes of a new figure that is high enough for a table's rows and names."""
    row_names = table.index.astype(str)
    height = 0.7 + rows_height(row_names)
    # seaborn turns the names of columns upright if they would overlap; then they need height.
    column_name_length = longest_name(table.columns)
    if 1.4 * column_name_length * table.shape[1] > WIDTH - longest_name(row_names):
        height += column_name_length
    return new_axes((WIDTH, height))


def _tick_labels(labels: pd.Index, width: int | None = None) -> pd.Index:
    """Return one axis of a heatmap with its labels escaped, and without the axis' name.

    Numbers remain as they are. The keys of several levels are joined as seaborn joins them.
    """
    if pd.api.types.is_numeric_dtype(labels.dtype):
        return labels.rename(None)
    if isinstance(labels, pd.MultiIndex):
        texts = ["-".join(map(str, key)) for key in labels]
    else:
        texts = [str(label) for label in labels]
    shown = [for_plot(text, width, longest=MAX_TICK_LENGTH) for text in texts]
    return pd.Index(shown, dtype=object)
