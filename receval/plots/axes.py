"""Helpers that the figures share: colours, new figures, checks, rows, labels and heatmaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pandas as pd

from receval._checks import Options, import_extra, input_error
from receval._escape import for_plot

if TYPE_CHECKING:  # importing matplotlib takes long, so each function does it when it draws
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.ma import MaskedArray

COLOURS = (
    "#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc",
    "#ca9161", "#fbafe4", "#949494", "#ece133", "#56b4e9",
)  # fmt: skip
"""Colours that colour-blind readers can distinguish too (seaborn's palette "colorblind")."""

BLUE, ORANGE, GREEN = COLOURS[:3]
"""Blue compares, orange says "look here", and green marks what is right."""

GREY = COLOURS[7]
"""Grey is for everything else in the picture."""

WIDTH = 6.5  # width of a figure in inches: 650 pixels in a notebook
SMALL = 8  # size in points of the smallest text
LINE_LENGTH = 26  # characters after which a name continues in a second line
MAX_TICK_LENGTH = 40  # characters of a row's name; longer ones would leave no room for the cells
EQUAL_CONTRAST = 0.18  # luminance on which black and white text have the same contrast
LEGEND_OUTSIDE: Options = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
"""Keyword arguments of a legend to the right of the axes, where it hides no curve."""

LABEL_PLACES = ((8, 0), (-8, 0), (8, 11), (-8, 11), (8, -11), (-8, -11), (0, 13), (0, -13))
"""Where the label of a point may be, in points to the right of it and above it: the best first."""

ALIGNMENTS: dict[int, Literal["left", "center", "right"]] = {-1: "right", 0: "center", 1: "left"}
"""How a text at the left, in the middle or at the right of a point is aligned."""


# Axes ---------------------------------------------------------------------------------------------


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


def seaborn() -> ModuleType:
    """Import seaborn; the error says how to install it."""
    return import_extra("seaborn", "plots", "receval.plots")


def finish_axes(
    ax: Axes,
    *,
    title: str,
    xlabel: str = "",
    ylabel: str = "",
    legend: Options | None = None,
    **limits: tuple[float, float],
) -> Axes:
    """Give an Axes its escaped title and labels and the style of all figures, and return it.

    ``legend`` holds keyword arguments of the legend; default: no legend. ``limits`` are ``xlim``
    and ``ylim``.
    """
    ax.set(xlabel=for_plot(xlabel), ylabel=for_plot(ylabel), **limits)
    ax.set_title(for_plot(title), fontsize=10)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)
    if legend is not None:
        ax.legend(frameon=False, fontsize=SMALL, **legend)
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


# Rows and points ----------------------------------------------------------------------------------


def tick_labels(names: Iterable[object], width: int | None = LINE_LENGTH) -> list[str]:
    """Return the escaped names of rows or columns, broken into lines of ``width`` characters."""
    return [for_plot(name, width, longest=MAX_TICK_LENGTH) for name in names]


def label_rows(
    ax: Axes, names: Iterable[object], values: Iterable[float] = (), number_format: str = ""
) -> None:
    """Name the rows, the first on top, with their values as text at the right end."""
    labels = tick_labels(names)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.set_axisbelow(True)
    ax.grid(axis="x", alpha=0.3)
    place = ax.get_yaxis_transform()
    for row, value in enumerate(values):
        text = "–" if np.isnan(value) else format(value, number_format)
        ax.text(1.02, row, text, transform=place, va="center", fontsize=SMALL)


def draw_intervals(
    ax: Axes, table: pd.DataFrame, column: str, rows: npt.ArrayLike, **style: object
) -> None:
    """Draw the values of a column as points, with horizontal bars from ``low`` to ``high``.

    ``rows`` are the heights of the points, one for each row of ``table``. ``style`` goes to
    ``ax.errorbar``.
    """
    values, low, high = table[[column, "low", "high"]].to_numpy(float).T
    # matplotlib refuses negative lengths, so an interval that leaves out its value gets 0.
    lengths = np.maximum([values - low, high - values], 0)
    options: Options = {"fmt": "o", "color": BLUE, "markersize": 5, "capsize": 2, **style}
    ax.errorbar(values, rows, xerr=lengths, **options)


def label_points(
    ax: Axes,
    points: pd.DataFrame,
    others: pd.DataFrame | None = None,
    *,
    first_place: tuple[float, float] = (8, 0),
) -> Axes:
    """Write the name of each row next to its point, and return the Axes.

    A label is at the first place where it covers no point and no other label; if there is none, it
    is at the last place. ``points`` has two columns, x and y. Labels avoid the points ``others``
    too. ``first_place`` is the first place to try, as in `LABEL_PLACES`.
    """
    from matplotlib.transforms import Bbox

    # The layout moves the points to where they will be drawn.
    cast("Figure", ax.figure).draw_without_rendering()
    shown = points.dropna()
    avoided = pd.concat([shown, others]).dropna().to_numpy(float)
    occupied = [Bbox([place - 4, place + 4]) for place in ax.transData.transform(avoided)]
    for name, x, y in shown.itertuples():
        label = ax.annotate(
            for_plot(name, LINE_LENGTH),
            (x, y),
            (0, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.7, "linewidth": 0},
        )
        for offset in (first_place, *LABEL_PLACES):
            label.set_position(offset)
            label.set_horizontalalignment(ALIGNMENTS[int(np.sign(offset[0]))])
            box = label.get_window_extent()
            is_inside = ax.bbox.count_contains(box.corners()) == 4
            if is_inside and not box.count_overlaps(occupied):
                break
        occupied.append(box)
    return ax


# Heatmaps -----------------------------------------------------------------------------------------


def draw_heatmap(
    ax: Axes,
    table: pd.DataFrame,
    *,
    fmt: str = ".2g",
    cmap: str = "Blues",
    cbar_label: str = "",
    fontsize: float = SMALL,
    **options: object,
) -> Axes:
    """Draw a table as a heatmap with its numbers in the cells, and return the Axes.

    A cell without a value is grey. If there is a ``cbar_label``, it says what the colours of the
    bar mean. ``options`` go to ``seaborn.heatmap``.
    """
    named = table.astype(float).set_axis(tick_labels(table.index))
    seaborn().heatmap(
        named.set_axis(tick_labels(table.columns, None), axis=1),
        fmt=fmt,
        cmap=cmap,
        annot_kws={"fontsize": fontsize},
        cbar_kws={"label": for_plot(cbar_label)},
        ax=ax,
        **{"annot": True, "linewidths": 1, "cbar": bool(cbar_label), **options},
    )
    # seaborn writes in white on cells that are too light for it.
    cells = ax.collections[0]
    is_shown = ~np.ma.getmaskarray(cast("MaskedArray", cells.get_array())).ravel()
    luminances = seaborn().utils.relative_luminance(np.array(cells.get_facecolor())[is_shown])
    for text, luminance in zip(ax.texts, np.atleast_1d(luminances), strict=False):
        text.set_color("black" if luminance > EQUAL_CONTRAST else "white")
    ax.set_facecolor("0.85")
    ax.tick_params(length=0, labelsize=fontsize)
    ax.tick_params("y", rotation=0)
    return ax
