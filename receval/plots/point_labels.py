"""Labels of the points of a figure, placed so that they cover neither points nor one another."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pandas as pd

from receval._checks import BoolArray, FloatArray, IntArray
from receval._escape import for_plot
from receval.plots.axes import LINE_LENGTH, MAX_TEXT_LENGTH, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]
DISTANCES = (8, 16, 26, 38, 52, 68, 86)
OFFSETS = np.array([(dx * d, dy * d) for d in DISTANCES for dx, dy in DIRECTIONS])
"""Where the edge of a label may be, in points from its point: the nearest places first."""

POINT_RADIUS = 5  # points around the middle of a dot that no label should cover
KEY_LINE_LENGTH = 88  # characters of a line of the key below the axis
KEY_LINE_HEIGHT = 0.14  # inches
MAX_SHARED_NAMES = 4  # names in the label of points that coincide


class PlacedLabels(NamedTuple):
    """The labels of a figure's points.

    Attributes
    ----------
    labels : the texts that were drawn.
    is_crowded : whether a label covers a point or another label, or leaves the axes.
    """

    labels: list[Annotation]
    is_crowded: bool


def label_points(ax: Axes, points: pd.DataFrame, others: pd.DataFrame | None = None) -> Axes:
    """Label each point with the name of its row, and return the Axes.

    Labels are placed where they cover neither points nor other labels. Points that coincide share
    a label; if a label is far from its point, a line connects them. If there is no room for names,
    the points get numbers, and a key below the axis gives the names. The key also lists the rows
    that have no point because a value is missing.

    Parameters
    ----------
    ax : Axes
        The Axes, with the points drawn.
    points : DataFrame
        Two columns, x and y; the index holds the names.
    others : DataFrame, optional
        More points in two columns, which labels avoid if possible. Default: none.
    """
    shown = points.dropna()
    if others is None:
        avoided = shown
    else:
        avoided = others.dropna()
    if len(shown) < len(points):
        _list_missing(ax, points.index.difference(shown.index, sort=False))
    placed = _place_labels(ax, shown, avoided)
    if placed.is_crowded:
        for label in placed.labels:
            label.remove()
        _add_key(ax, shown.index)
        _place_labels(ax, shown.set_axis(range(1, len(shown) + 1)), avoided)
    return ax


def _list_missing(ax: Axes, names: pd.Index) -> None:
    """Add the names of points without a value to the label of the horizontal axis."""
    listed = ", ".join(names.astype(str))
    note = for_plot(f"(without a value: {listed})", longest=MAX_TEXT_LENGTH)
    # The label is already escaped, so don't break its words: a break within an escape would leave a
    # backslash at the end of the line.
    lines = fill(f"{ax.get_xlabel()} {note}", 80, break_long_words=False, break_on_hyphens=False)
    ax.set_xlabel(lines)


def _add_key(ax: Axes, names: pd.Index) -> None:
    """Add a key of numbered names below the horizontal axis, and make the figure higher."""
    numbered_names = [f"{number} {name}" for number, name in enumerate(names, 1)]
    key = for_plot("; ".join(numbered_names), KEY_LINE_LENGTH, longest=MAX_TEXT_LENGTH * 10)
    ax.set_xlabel(f"{ax.get_xlabel()}\n{key}", fontsize=SMALL)
    figure = cast("Figure", ax.figure)
    n_key_lines = 1 + key.count("\n")
    figure.set_figheight(figure.get_figheight() + KEY_LINE_HEIGHT * n_key_lines)


def _place_labels(ax: Axes, points: pd.DataFrame, others: pd.DataFrame) -> PlacedLabels:
    """Draw a label for each point, where it covers as few other things as possible.

    ``points`` has the columns x and y in the units of the axes, and the names in its index. Labels
    also avoid the points ``others``, which have no labels, but covering one of those does not count
    as crowded. Lengths in this function are in points (1/72 inch), like `OFFSETS` and the sizes of
    texts.
    """
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    figure = cast("Figure", ax.figure)
    figure.draw_without_rendering()  # the layout moves the points to where they will be drawn
    pixels_per_point = figure.dpi / 72
    frame = Bbox(ax.get_window_extent().get_points() / pixels_per_point)
    positions = ax.transData.transform(points.to_numpy(float)) / pixels_per_point
    other_positions = ax.transData.transform(others.to_numpy(float)) / pixels_per_point
    occupied = [_square_around(position) for position in positions]
    avoided = [_square_around(position) for position in other_positions]
    labels: list[Annotation] = []
    is_crowded = False
    # Marks that are less than about 3/72 inch apart look like one, and share a label. So group them
    # by x and y, rounded to multiples of 3.
    rounded_x, rounded_y = (positions / 3).round().T
    for (x, y), coinciding in points.groupby([rounded_x, rounded_y], sort=False):
        shares_label = (rounded_x == x) & (rounded_y == y)
        label = _draw_label(ax, coinciding)
        text_extent = Text.get_window_extent(label)  # without the line to the point
        half_size = np.array(text_extent.size) / pixels_per_point / 2
        position = ax.transData.transform(coinciding.iloc[0]) / pixels_per_point
        # Try the label at every offset. `OFFSETS` lead from the point to the nearest edge or corner
        # of the label, `offsets` to its middle.
        offsets = OFFSETS + np.sign(OFFSETS) * half_size
        boxes = [
            Bbox([position + offset - half_size, position + offset + half_size])
            for offset in offsets
        ]
        n_conflicts = _count_conflicts(boxes, occupied, frame)
        n_avoided = np.array([box.count_overlaps(avoided) for box in boxes])
        # A label without a line must not be nearer to the point of another label.
        is_misleading = _are_nearer_to_others(boxes, position, positions[~shares_label])
        is_misleading[len(DIRECTIONS) :] = False
        # The nearest of the best places.
        best = int(np.argmin(n_conflicts + n_avoided + is_misleading))
        if n_conflicts[best] > 0:
            is_crowded = True
        occupied.append(boxes[best])
        label.set_position((offsets[best][0], offsets[best][1]))
        line = cast("FancyArrowPatch", label.arrow_patch)
        line.set_visible(best >= len(DIRECTIONS))  # the nearest labels need no line
        labels.append(label)
    return PlacedLabels(labels, is_crowded)


def _square_around(position: FloatArray) -> Bbox:
    """Return the square around a point that labels should not cover."""
    from matplotlib.transforms import Bbox

    return Bbox([position - POINT_RADIUS, position + POINT_RADIUS])


def _are_nearer_to_others(
    boxes: Sequence[Bbox], position: FloatArray, others: FloatArray
) -> BoolArray:
    """Return for each box whether another point is nearer to it than its own point.

    ``position`` is the box's own point and ``others`` are the points of other labels, shape
    (points, 2), all in the units of the boxes.
    """

    def distances(box: Bbox, points: FloatArray) -> FloatArray:
        """Return the distance from the edge of the box to each point; 0 inside the box."""
        beyond = np.maximum(np.maximum(box.min - points, points - box.max), 0)
        return np.hypot(beyond[:, 0], beyond[:, 1])

    own_distances = np.array([distances(box, position[np.newaxis])[0] for box in boxes])
    other_distances = np.array([distances(box, others).min(initial=np.inf) for box in boxes])
    return np.asarray(other_distances < own_distances)


def _draw_label(ax: Axes, coinciding: pd.DataFrame) -> Annotation:
    """Draw the label of points that coincide, at the first of them."""
    x, y = coinciding.iloc[0]
    return ax.annotate(
        _join_names(coinciding.index),
        (x, y),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=SMALL,
        xytext=(0, 0),
        arrowprops={"arrowstyle": "-", "color": "0.6", "lw": 0.6, "shrinkA": 0, "shrinkB": 4},
    )


def _count_conflicts(boxes: Sequence[Bbox], occupied: Sequence[Bbox], frame: Bbox) -> IntArray:
    """Return for each box how many occupied boxes it overlaps, plus 2 if it leaves the frame."""
    n_conflicts = np.array([box.count_overlaps(occupied) for box in boxes])
    is_outside = np.array([np.any([box.min < frame.min, box.max > frame.max]) for box in boxes])
    return np.asarray(n_conflicts + 2 * is_outside)


def _join_names(names: pd.Index) -> str:
    """Return the first few names as the text of a label, and how many more there are."""
    text = ", ".join(names[:MAX_SHARED_NAMES].astype(str))
    n_more = len(names) - MAX_SHARED_NAMES
    if n_more > 0:
        text += f" and {n_more} more"
    return for_plot(text, LINE_LENGTH)
