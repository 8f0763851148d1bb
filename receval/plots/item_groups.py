"""A figure of groups of items: how much more each is shown than its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    check_numbers,
    draw_intervals,
    finish_axes,
    label_rows,
    legend_labels,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["exposure_disparity"]

TITLES = {"vs_relevance": "against relevance", "vs_catalogue": "against the catalogue"}


def exposure_disparity(table: pd.DataFrame, *, axes: list[Axes] | None = None) -> list[Axes]:
    """Draw the exposure disparity of each group of items, with intervals.

    Parameters
    ----------
    table : DataFrame
        The table of `Evaluation.by_items`: indexed by group, or by (system, group).
    axes : list of Axes, optional
        The two Axes to draw on. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        A panel against the share of relevance and one against the share of the catalogue, with a
        row for each group and a colour for each system. At 1, the group's share of the exposure
        equals that share.

    Raises
    ------
    InputError
        If the frame lacks one of the columns.

    Examples
    --------
    >>> columns = ["vs_relevance", "vs_catalogue"]
    >>> names = [name + end for name in columns for end in ("", "_low", "_high")]
    >>> table = pd.DataFrame([[1.0, 0.9, 1.1, 2.0, 1.8, 2.2]], index=["rock"], columns=names)
    >>> [axes.get_title() for axes in exposure_disparity(table)]
    ['against relevance', 'against the catalogue']
    """
    columns = [f"{name}{end}" for name in TITLES for end in ("", "_low", "_high")]
    check_numbers(table, "table", columns)
    by_system = {"": table}
    if table.index.nlevels > 1:
        systems = table.index.unique(0)
        by_system = {system: table.loc[system] for system in systems}
    names = list(dict.fromkeys(name for part in by_system.values() for name in part.index))
    row_names = [str(name) for name in names]
    title = "Exposure of a group, divided by its share"
    panel_axes = panels(len(TITLES), row_names, axes, title=title)
    labels = legend_labels(by_system)
    for ax, (column, panel_title) in zip(panel_axes, TITLES.items(), strict=True):
        for position, (label, part) in enumerate(zip(labels, by_system.values(), strict=True)):
            # Shift the systems of a row up or down a bit, so that they do not overlap.
            shift = 0.5 * ((position + 0.5) / len(by_system) - 0.5)
            shown = part.rename(columns={f"{column}_low": "low", f"{column}_high": "high"})
            rows = np.arange(len(names)) + shift
            colour = COLOURS[position % len(COLOURS)]
            draw_intervals(ax, shown.reindex(names), column, rows, color=colour, label=label)
        ax.axvline(1, color="0.6", linewidth=1, zorder=0)
        label_rows(ax, row_names)
        finish_axes(ax, title=panel_title, xlabel="ratio of shares")
    if len(by_system) > 1:
        finish_axes(panel_axes[-1], legend=LEGEND_OUTSIDE, title=TITLES["vs_catalogue"])
    return panel_axes
