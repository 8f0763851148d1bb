"""What the figures share: style, intervals, heatmaps, names of points, a check of their frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE = "#0173b2", "#de8f05"  # the first two of seaborn's palette "colorblind"
# Where a name may stand beside its point, in typographic points, the best place first.
BESIDE = [(7, -3, "left"), (-7, -3, "right"), (7, 8, "left"), (7, -14, "left"),
          (-7, 8, "right"), (-7, -14, "right")]  # fmt: skip


def new_axes(figsize: tuple[float, float], projection: str | None = None) -> Axes:
    """The Axes of a new figure."""
    import matplotlib.pyplot as plt

    kind = {"projection": projection}
    axes: Axes = plt.subplots(figsize=figsize, layout="constrained", subplot_kw=kind)[1]
    return axes


def check_columns(table: pd.DataFrame, name: str, columns: Iterable[str]) -> None:
    """Refuse a frame without one of the columns that a figure shows."""
    missing = [column for column in columns if column not in table]
    if missing:
        raise InputError(f"{name} must have the columns {', '.join(columns)}; got no {missing}")


def finished(ax: Axes, *, legend: Any = None, left: bool = False, **labels: object) -> Axes:
    """The style of all figures: labels, no box, and a legend without a frame if one is asked."""
    import seaborn as sns

    ax.set(**labels)
    if legend is not None:
        ax.legend(frameon=False, **legend)
    sns.despine(ax=ax, left=left)
    return ax


def rows_of_intervals(
    ax: Axes, table: pd.DataFrame, column: str, place: Any, fmt: str = "o", **style: Any
) -> None:
    """Values of a column as points, each in its row, with bars from ``low`` to ``high``."""
    value = table[column].to_numpy()
    reach = np.abs(table[["low", "high"]].to_numpy().T - value)
    ax.errorbar(value, place, xerr=reach, fmt=fmt, capsize=3, **{"color": BLUE, **style})


def heatmap(ax: Axes, table: pd.DataFrame, **options: Any) -> None:
    """A table with its numbers, rows named from left to right."""
    import seaborn as sns

    sns.heatmap(table, annot=True, ax=ax, **{"cmap": "cividis"} | options)
    ax.tick_params(axis="y", rotation=0)


def name_points(ax: Axes, table: pd.DataFrame) -> None:
    """Name points (two columns) by their rows, each where it covers no other name and no point."""
    from matplotlib.transforms import Bbox

    ax.autoscale_view()  # so that the points are where they will be drawn
    spots = ax.transData.transform(table.to_numpy()) * 72 / ax.figure.dpi
    taken = [Bbox.from_bounds(x - 5, y - 5, 10, 10) for x, y in spots]
    for name, point, (x, y) in zip(table.index.astype(str), table.to_numpy(), spots, strict=True):
        width = 4.6 * len(name)
        boxes = [
            Bbox.from_bounds(x + dx - (width if side == "right" else 0), y + dy, width, 8)
            for dx, dy, side in BESIDE
        ]
        best = int(np.argmin([box.count_overlaps(taken) for box in boxes]))
        taken.append(boxes[best])
        dx, dy, side = BESIDE[best]
        ax.annotate(name, tuple(point), (dx, dy), textcoords="offset points", ha=side, fontsize=8)
