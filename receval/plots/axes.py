"""What the figures share: style, small multiples, intervals, heatmaps, names of points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import FloatArray, check_that, input_error
from receval._escape import for_legend, for_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is imported where something is drawn

BLUE, ORANGE = "#0173b2", "#de8f05"  # the first two of seaborn's palette "colorblind"
WIDTH = 6.5  # inches: 650 pixels in a notebook
SMALL = 8  # points, the smallest text
MAX_ANNOTATED_COLUMNS = 14  # columns of a heatmap with numbers in them
SENTENCE = 600  # characters of a title or a caption at most
TICK_LETTERS = 40  # of a name along a heatmap; longer ones would leave no room for its cells
BREAK = 26  # letters, after which a name goes on in a second line
BESIDE: Any = {"loc": "upper left", "bbox_to_anchor": (1, 1)}  # a legend off the curves
# Where a name may stand beside its point: around it, and ever farther off.
AROUND = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
PLACES = np.array(
    [(dx * far, dy * far) for far in (8, 16, 26, 38, 52, 68, 86) for dx, dy in AROUND]
)


def new_axes(figsize: tuple[float, float], projection: str | None = None) -> Axes:
    """The Axes of a new figure."""
    import matplotlib.pyplot as plt

    return plt.figure(figsize=figsize, layout="constrained").add_subplot(projection=projection)


def panels(
    n: int, names: Sequence[str], axes: Any = None, *, title: str = "", caption: str = ""
) -> list[Axes]:
    """One Axes for each of ``n`` small multiples with the same named rows: given or new."""
    import matplotlib.pyplot as plt

    if axes is None:
        columns = 2 if n == 4 else min(n, 3)
        lines = -(-n // columns)
        title = for_plot(title, 75, longest=SENTENCE)
        height = 0.4 + 0.2 * (title.count("\n") + bool(caption)) + lines * (0.6 + _tall(names))
        figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
        grid = figure.subplots(lines, columns, sharey=True, squeeze=False).ravel()
        figure.suptitle(title, fontsize=11)
        figure.supxlabel(for_plot(caption, 110, longest=SENTENCE), fontsize=SMALL)
        for spare in grid[n:]:
            spare.remove()
        axes = grid[:n]
        for ax in axes:
            ax.locator_params(axis="x", nbins=(9, 6, 4)[columns - 1])
    found: list[Axes] = list(np.atleast_1d(axes).ravel())
    check_that(len(found) == n, "axes", f"hold one Axes per panel, {n}", len(found))
    return found


def check_columns(table: pd.DataFrame, name: str, columns: Iterable[str]) -> None:
    """Refuse a frame without one of the columns that a figure shows."""
    if not isinstance(table, pd.DataFrame):
        raise input_error(name, "be a DataFrame", type(table).__name__)
    if missing := [column for column in columns if column not in table]:
        raise input_error(name, f"have the columns {', '.join(map(str, columns))}", f"no {missing}")


def check_numbers(table: pd.DataFrame, name: str, columns: Sequence[str] = ()) -> None:
    """Refuse a frame without values, or with others than numbers in what a figure shows."""
    check_columns(table, name, columns)
    if table.empty:
        raise input_error(name, "hold at least one value", "an empty frame")
    for column, kind in table[list(columns or table)].dtypes.items():
        if not pd.api.types.is_numeric_dtype(kind):
            raise input_error(f"{name}[{column!r}]", "hold numbers", f"type {kind}")


def finished(
    ax: Axes, *, legend: Any = None, left: bool = False, bottom: bool = False, **labels: Any
) -> Axes:
    """The style of all figures: labels, no box, and a legend without a frame if one is asked.

    Labels and titles are escaped here; names in a legend where they are drawn.
    """
    import seaborn as sns

    for what, value in labels.items():
        ax.set(**{what: for_plot(value) if isinstance(value, str) else value})
    ax.title.set_fontsize(10)
    ax.tick_params(labelsize=SMALL)
    if legend is not None:
        ax.legend(frameon=False, fontsize=SMALL, **legend)
    sns.despine(ax=ax, left=left, bottom=bottom)
    return ax


def rows(ax: Axes, names: Iterable[object], values: Iterable[float] = (), fmt: str = "") -> None:
    """A row for each name, the first on top, with its value as text at the right end."""
    labels = [for_plot(name, BREAK) for name in names]
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    beside: Any = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": SMALL}
    for place, value in enumerate(values):
        ax.text(1.02, place, "–" if np.isnan(value) else format(value, fmt), **beside)
    ax.set_axisbelow(True)
    ax.grid(axis="x", alpha=0.3)


def legend_labels(names: Iterable[object], width: int | None = None) -> list[str]:
    """What names are called in a legend; names that differ never get the same label."""
    labels: list[str] = []
    for name in names:
        label = for_legend(name, width)
        again = 2
        while label in labels:
            label = f"{for_legend(name, width)} ({again})"
            again += 1
        labels.append(label)
    return labels


def _axis(labels: pd.Index, width: int | None = None) -> pd.Index:
    """The labels of one axis of a heatmap, as seaborn shows them but escaped and without a name."""
    if pd.api.types.is_numeric_dtype(labels.dtype):
        return labels.rename(None)
    texts = [str(label) for label in labels]
    if isinstance(labels, pd.MultiIndex):
        texts = ["-".join(map(str, key)) for key in labels]
    shown = [for_plot(text, width, longest=TICK_LETTERS) for text in texts]
    return pd.Index(shown, dtype=object)


def _tall(names: Iterable[str]) -> float:
    """The height of rows with these names, in inches."""
    lines = [for_plot(name, BREAK, longest=TICK_LETTERS).count("\n") for name in names]
    return len(lines) * (0.22 + 0.15 * max(lines, default=0))


def label_room(names: Iterable[object]) -> float:
    """The length of the longest of these names along a heatmap, in inches."""
    letters = [len(for_plot(name, longest=TICK_LETTERS)) for name in names]
    return 0.075 * max(letters, default=0)


def rows_of_intervals(
    ax: Axes, table: pd.DataFrame, column: str, place: Any, fmt: str = "o", **style: Any
) -> None:
    """Values of a column as points, each in its row, with bars from ``low`` to ``high``."""
    style = {"color": BLUE, "markersize": 5, "capsize": 2, **style}
    ax.errorbar(table[column].to_numpy(), place, xerr=reach(table, column), fmt=fmt, **style)


def reach(table: pd.DataFrame, column: str) -> FloatArray:
    """How far ``low`` and ``high`` lie from a value between them; never the other way."""
    value, low, high = table[[column, "low", "high"]].to_numpy(float).T
    return np.maximum([value - low, high - value], 0)


def heatmap(
    ax: Axes, table: pd.DataFrame, bold: Any = False, width: int | None = None, **options: Any
) -> None:
    """A table with its numbers on shades, rows named from left to right; a dash where none is.

    Names of rows are broken after ``width`` letters.
    """
    import seaborn as sns

    table = table.set_axis(_axis(table.index, width)).set_axis(_axis(table.columns), axis=1)
    size = {"annot": True, "annot_kws": {"fontsize": SMALL}, "cbar": False, "linewidths": 0.5}
    ax.tick_params(labelsize=SMALL)  # before seaborn sees whether names overlap
    sns.heatmap(table, ax=ax, **{"cmap": "Blues", **size, **options})
    known = table.notna().to_numpy()
    shades = np.asarray(ax.collections[0].get_facecolor())[known.ravel()]
    marks = np.broadcast_to(bold, known.shape)[known]
    for text, shade, mark in zip(ax.texts, shades, marks, strict=False):  # perhaps no numbers
        # the larger contrast of the two
        text.set_color("black" if sns.utils.relative_luminance(shade) > 0.18 else "white")
        text.set_fontweight("bold" if mark else "normal")
    for row, column in np.argwhere(~known):
        ax.text(column + 0.5, row + 0.5, "–", ha="center", va="center", fontsize=SMALL)
    ax.tick_params(length=0, labelsize=SMALL)
    ax.tick_params("y", rotation=0)


def shaded(table: pd.DataFrame, bold: pd.DataFrame, title: str, fmt: str, ax: Axes | None) -> Axes:
    """A table as a heatmap of its own, the longer side down the page where it is long."""
    if table.shape[1] > max(12, table.shape[0]):
        table, bold = table.T, bold.T
    names = table.index.astype(str)
    if ax is None:
        # seaborn turns the names of columns upright where they would overlap.
        longest_name = label_room(table.columns)
        needs_room = 1.4 * longest_name * table.shape[1] > WIDTH - label_room(names)
        ax = new_axes((WIDTH, 0.7 + _tall(names) + (longest_name if needs_room else 0)))
    many = table.shape[1] > MAX_ANNOTATED_COLUMNS  # columns too narrow for numbers
    heatmap(ax, table, bold.to_numpy(), BREAK, fmt=fmt, annot=not many, cbar=many)
    if many:  # nothing is in bold
        title = title.rpartition(", the ")[0]
    return finished(ax, left=True, bottom=True, xlabel="", ylabel="", title=title)


def name_points(ax: Axes, table: pd.DataFrame, others: pd.DataFrame | None = None) -> Axes:
    """Name points (two columns) by their rows: where names cover neither points nor one another.

    Points that coincide share a label; one that stands off is tied to its point by a line. Where
    names leave no room they are numbers, with a key under the axis. Rows without a value have no
    point, and are said there too; points of ``others`` are kept free of names if that can be.
    """
    known = table.dropna()
    others = known if others is None else others.dropna()
    if len(known) < len(table):
        lacking = ", ".join(table.index.difference(known.index, sort=False).astype(str))
        lacking = for_plot(f"(without a value: {lacking})", longest=SENTENCE)
        # The axis' label is escaped already, and no line may end after a backslash of an escape.
        whole_words: Any = {"break_long_words": False, "break_on_hyphens": False}
        ax.set_xlabel(fill(f"{ax.get_xlabel()} {lacking}", 80, **whole_words))
    labels, crowded = _placed(ax, known, others)
    if crowded:
        for label in labels:
            label.remove()
        numbered = (f"{n} {name}" for n, name in enumerate(known.index, 1))
        key = for_plot("; ".join(numbered), 88, longest=SENTENCE * 10)
        ax.set_xlabel(f"{ax.get_xlabel()}\n{key}", fontsize=SMALL)
        figure: Any = ax.figure
        figure.set_figheight(figure.get_figheight() + 0.14 * (1 + key.count("\n")))
        _placed(ax, known.set_axis(range(1, len(known) + 1)), others)
    return ax


def _placed(ax: Axes, known: pd.DataFrame, others: pd.DataFrame) -> tuple[list[Any], bool]:
    """Labels of points, each where it covers the least, and whether one covers another or more."""
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    figure: Any = ax.figure
    figure.draw_without_rendering()  # so that the points are where they will be drawn
    unit = figure.dpi / 72
    least, most = ax.get_window_extent().get_points() / unit
    spots = [ax.transData.transform(one.to_numpy(float)) / unit for one in (known, others)]
    own, faint = ([Bbox([spot - 5, spot + 5]) for spot in some] for some in spots)
    labels, crowded = [], False
    for _, alike in known.groupby([*(spots[0] / 3).round().T], sort=False):
        label: Any = ax.annotate(
            _listed(alike.index), tuple(alike.iloc[0]), textcoords="offset points",
            ha="center", va="center", fontsize=SMALL, xytext=(0, 0),
            arrowprops={"arrowstyle": "-", "color": "0.6", "lw": 0.6, "shrinkA": 0, "shrinkB": 4},
        )  # fmt: skip
        half = Text.get_window_extent(label).size / unit / 2
        spot = ax.transData.transform(alike.iloc[0]) / unit
        moves = PLACES + np.sign(PLACES) * half  # from the point to the middle of the text
        boxes = [Bbox([spot + move - half, spot + move + half]) for move in moves]
        outside = [np.any([box.min < least, box.max > most]) for box in boxes]
        worse = np.array([box.count_overlaps(own) for box in boxes]) + 2 * np.array(outside)
        best = int(np.argmin(worse + [box.count_overlaps(faint) for box in boxes]))
        crowded |= bool(worse[best] > 0)
        own.append(boxes[best])
        label.set_position(tuple(moves[best]))
        label.arrow_patch.set_visible(best >= len(AROUND))
        labels.append(label)
    return labels, crowded


def _listed(names: pd.Index) -> str:
    """A few names, and how many more."""
    first = ", ".join(names[:4].astype(str))
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return for_plot(first + more, BREAK)
