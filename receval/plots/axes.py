"""Helpers that the figures share: colours, the theme, new figures, rows and labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pandas as pd

from receval._checks import Options, check_that, import_extra, input_error, shorten
from receval._escape import for_plot

if TYPE_CHECKING:  # importing matplotlib takes long, so each function does it when it draws
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
LEGEND_OUTSIDE: Options = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
"""Keyword arguments of a legend to the right of the axes, where it hides no curve."""

LABEL_PLACES = ((8, 0), (-8, 0), (8, 11), (-8, 11), (8, -11), (-8, -11), (0, 13), (0, -13))
"""Where the label of a point may be, in points to the right of it and above it: the best first."""

ALIGNMENTS: dict[int, Literal["left", "center", "right"]] = {-1: "right", 0: "center", 1: "left"}
"""How a text at the left, in the middle or at the right of a point is aligned."""


def seaborn() -> ModuleType:
    """Import seaborn; the error says how to install it."""
    return import_extra("seaborn", "plots", "receval.plots")


def set_theme() -> None:
    """Give the pictures of a notebook the look of the walks.

    The function calls ``seaborn.set_theme`` with a white background, titles at the left, and no
    frame at the top and at the right. Pictures that come afterwards have this look.

    Raises
    ------
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> from receval import plots
    >>> plots.set_theme()
    """
    seaborn().set_theme(
        style="white",
        palette="colorblind",
        rc={
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "figure.constrained_layout.use": True,
            "figure.figsize": (6.5, 3.5),
            "font.size": 10,
        },
    )


def check_columns(
    table: object, columns: Iterable[Hashable], argument: str, source: str = "a DataFrame"
) -> None:
    """Raise an `InputError` unless an argument is a frame that has these columns.

    ``source`` says what returns such a frame, as advice.
    """
    if not isinstance(table, pd.DataFrame):
        raise input_error(argument, "be a DataFrame", type(table).__name__, f"Pass {source}")
    missing = [column for column in columns if column not in table]
    rule = f"have the columns {', '.join(map(repr, columns))}"
    check_that(not missing, argument, rule, table.columns.tolist(), f"Pass {source}")


def check_labels(labels: Iterable[Hashable], allowed: pd.Index, argument: str) -> None:
    """Raise an `InputError` unless all labels of an argument are among the allowed ones."""
    unknown = [label for label in labels if label not in allowed]
    check_that(not unknown, argument, f"be among {shorten(allowed.tolist())}", unknown)


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


def new_axes(figsize: tuple[float, float]) -> Axes:
    """Return the Axes of a new figure; ``figsize`` is its width and height in inches."""
    return new_figure(figsize).add_subplot()


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
        text = format(value, number_format)
        if np.isnan(value):
            text = "–"
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
    look: Options = {"fmt": "o", "color": BLUE, "markersize": 5, "capsize": 2}
    ax.errorbar(values, rows, xerr=lengths, **look | style)


def label_points(
    ax: Axes,
    points: pd.DataFrame,
    *,
    first_place: tuple[float, float] = (8, 0),
) -> Axes:
    """Write the name of each row next to its point, and return the Axes.

    A label is at the first place where it covers no point and no other label; if there is none, it
    is at the last place. ``points`` has two columns, x and y. ``first_place`` is the first place to
    try, as in `LABEL_PLACES`.
    """
    from matplotlib.transforms import Bbox

    # The layout moves the points to where they will be drawn.
    cast("Figure", ax.figure).draw_without_rendering()
    shown = points.dropna()
    places = ax.transData.transform(shown.to_numpy(float))
    occupied = [Bbox([place - 4, place + 4]) for place in places]
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
