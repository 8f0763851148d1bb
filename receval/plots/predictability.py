"""Figures of predictability: off-line metrics ranked, with intervals, and by their use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import check_that
from receval.fuzzy.predictability import implication_ranks
from receval.plots.axes import (
    WIDTH,
    Axes,
    check_columns,
    finished,
    heatmap,
    label_room,
    name_points,
    new_axes,
    panels,
    rows,
    rows_of_intervals,
)

__all__ = ["advice_map", "rank_heatmaps", "rank_intervals"]


def rank_heatmaps(
    matrices: Mapping[str, pd.DataFrame], *, cmap: str = "Blues_r", axes: Any = None
) -> list[Axes]:
    """Ranks of the off-line metrics for each on-line measure, one panel per implicator: Figure 2.

    Parameters
    ----------
    matrices : mapping of str to DataFrame
        Name of an implicator to its implication matrix.
    cmap : str, default "Blues_r"
        Colours from the best rank to the worst. The default reads the same with and without
        colour vision; ``"RdYlGn_r"`` is the document's.
    axes : sequence of Axes, optional
        Where to draw, one per matrix. Default: a new figure, panels below each other.

    Returns
    -------
    list of Axes
        On-line measures in rows, off-line metrics in columns, as in the document. Each cell
        carries its rank (1 is best), so that nothing rests on colour alone.

    Raises
    ------
    InputError
        If there is no matrix, or not one Axes for each.

    References
    ----------
    Document 002, Figure 2.

    Examples
    --------
    >>> matrix = pd.DataFrame({"CTR": [0.5, 0.9]}, index=["MAP", "AUC"])
    >>> [panel.get_title() for panel in rank_heatmaps({"Gödel": matrix})]
    ['Gödel: ranks, 1 is best']
    """
    import matplotlib.pyplot as plt

    some = isinstance(matrices, Mapping) and len(matrices) > 0
    check_that(some, "matrices", "hold at least one implication matrix", matrices)
    if axes is None:
        first = next(iter(matrices.values()))
        metrics, measures = first.shape
        # The names of the metrics stand upright below each panel, those of the measures beside it.
        panel_height = 0.22 * measures + max(1, 0.7 + label_room(first.index))
        width = max(1.5, 0.5 + label_room(first.columns)) + 0.4 * metrics
        size = (min(WIDTH, width), len(matrices) * panel_height)
        axes = plt.subplots(len(matrices), figsize=size, layout="constrained")[1]
    found = panels(len(matrices), (), axes)
    for panel, (name, matrix) in zip(found, matrices.items(), strict=True):
        ranks = implication_ranks(matrix).T
        heatmap(panel, ranks, vmin=1, vmax=ranks.shape[1], cmap=cmap, fmt="g")
        title = f"{name}: ranks, 1 is best"
        finished(panel, left=True, bottom=True, xlabel="", ylabel="", title=title)
        panel.tick_params(axis="x", rotation=90)
    return found


def rank_intervals(stability: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean ranks of off-line metrics with their bootstrap intervals.

    Parameters
    ----------
    stability : DataFrame
        As `receval.fuzzy.rank_stability` answers it.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        One line per metric, the best on top.

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> table = pd.DataFrame({"rank": [1.5], "low": [1.0], "high": [2.0]}, index=["AUC"])
    >>> rank_intervals(table).get_xlabel()
    'mean rank (1 is best)'
    """
    check_columns(stability, "stability", ("rank", "low", "high"))
    table = stability.sort_values("rank", kind="stable")
    ax = ax or new_axes((WIDTH, 1 + 0.25 * len(table)))
    rows_of_intervals(ax, table, "rank", np.arange(len(table)))
    rows(ax, table.index)
    ax.set(title="Mean rank of each metric, with its interval", xlim=(0.5, len(table) + 0.5))
    return finished(ax, xlabel="mean rank (1 is best)")


def advice_map(advice: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Overview of predictability: off-line metrics by their use for selection and for exclusion.

    Parameters
    ----------
    advice : DataFrame
        As `receval.fuzzy.metric_advice` answers it.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Metrics at the left are good for selection, at the bottom for exclusion; the fuller the
        colour, the more a metric orders the systems as users do (mean Kendall correlation).

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> columns = {"selection": [1.0, 2.0], "exclusion": [2.0, 1.0], "kendall": [0.5, 0.1]}
    >>> advice_map(pd.DataFrame(columns, index=["AUC", "MRR"])).get_ylabel()
    'mean rank for exclusion'
    """
    import matplotlib as mpl

    check_columns(advice, "advice", ("selection", "exclusion", "kendall"))
    ax = ax or new_axes((WIDTH, 4.8))
    reach = max(0.1, float(advice["kendall"].fillna(0).abs().max()))
    shades = mpl.colormaps["PuOr"].with_extremes(bad="white")
    points = ax.scatter(
        advice["selection"], advice["exclusion"], c=advice["kendall"], cmap=shades,
        vmin=-reach, vmax=reach, s=36, edgecolor="0.4", plotnonfinite=True,
    )  # fmt: skip
    ax.margins(0.12)
    ax.figure.colorbar(points, ax=ax, label="mean Kendall correlation")
    ax.grid(alpha=0.3)
    title = "The farther left the better for selection, the lower the better for exclusion"
    finished(ax, title=title, xlabel="mean rank for selection", ylabel="mean rank for exclusion")
    return name_points(ax, advice[["selection", "exclusion"]])
