"""Figures of predictability: off-line metrics ranked, with intervals, and by their use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import check_that
from receval._lists import as_finite
from receval._types import AnyArray
from receval.plots.axes import (
    WIDTH,
    PanelAxes,
    check_columns,
    check_numbers,
    draw_heatmap,
    draw_intervals,
    finish_axes,
    label_rows,
    longest_name,
    new_axes,
    new_figure,
    panels,
)
from receval.plots.point_labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["advice_map", "rank_heatmaps", "rank_intervals"]


def rank_heatmaps(
    matrices: Mapping[str, pd.DataFrame], *, cmap: str = "Blues_r", axes: PanelAxes | None = None
) -> list[Axes]:
    """Draw the ranks of off-line metrics for each on-line measure, a panel per implicator.

    This is Figure 2 of document 002.

    Parameters
    ----------
    matrices : mapping of str to DataFrame
        Name of an implicator to its implication matrix.
    cmap : str, default "Blues_r"
        Colours from the best rank to the worst. The default reads the same with and without
        colour vision; the document uses ``"RdYlGn_r"``.
    axes : sequence of Axes, optional
        Where to draw, one per matrix. Default: a new figure, one panel below the other.

    Returns
    -------
    list of Axes
        On-line measures are in rows, off-line metrics in columns, as in the document. Each cell
        shows its rank (1 is best), so that readers need not see colours.

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
    has_matrix = isinstance(matrices, Mapping) and len(matrices) > 0
    check_that(has_matrix, "matrices", "hold at least one implication matrix", matrices)
    if axes is None:
        axes = _new_rank_panels(len(matrices), next(iter(matrices.values())))
    panel_axes = panels(len(matrices), (), axes)
    for ax, (name, matrix) in zip(panel_axes, matrices.items(), strict=True):
        check_numbers(matrix, "matrix")
        as_finite(matrix.to_numpy(), "matrix")
        # Each on-line measure ranks the metrics: 1 is the largest mean, ties share their mean rank.
        ranks = matrix.rank(ascending=False).T
        draw_heatmap(ax, ranks, vmin=1, vmax=ranks.shape[1], cmap=cmap, fmt="g")
        title = f"{name}: ranks, 1 is best"
        finish_axes(ax, hide_left=True, hide_bottom=True, xlabel="", ylabel="", title=title)
        ax.tick_params(axis="x", rotation=90)
    return panel_axes


def _new_rank_panels(n_panels: int, matrix: pd.DataFrame) -> AnyArray:
    """Return the Axes of a new figure with panels one below the other.

    ``matrix`` has off-line metrics in rows and on-line measures in columns. A panel shows the
    names of the metrics upright below its cells, and those of the measures to the left.
    """
    n_metrics, n_measures = matrix.shape
    panel_height = 0.22 * n_measures + max(1, 0.7 + longest_name(matrix.index))
    width = max(1.5, 0.5 + longest_name(matrix.columns)) + 0.4 * n_metrics
    size = (min(WIDTH, width), n_panels * panel_height)
    return new_figure(size).subplots(n_panels, squeeze=False)


def rank_intervals(stability: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks of off-line metrics with their bootstrap intervals.

    Parameters
    ----------
    stability : DataFrame
        Result of `receval.fuzzy.rank_stability`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        One row per metric, the best on top.

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
    if ax is None:
        ax = new_axes((WIDTH, 1 + 0.25 * len(table)))
    draw_intervals(ax, table, "rank", np.arange(len(table)))
    label_rows(ax, table.index)
    ax.set(title="Mean rank of each metric, with its interval", xlim=(0.5, len(table) + 0.5))
    return finish_axes(ax, xlabel="mean rank (1 is best)")


def advice_map(advice: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how useful off-line metrics are for selection and for exclusion.

    Parameters
    ----------
    advice : DataFrame
        Result of `receval.fuzzy.metric_advice`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Metrics at the left are good for selection, those at the bottom for exclusion. The colour
        is the mean Kendall correlation: how far a metric orders the systems as users do.

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
    check_columns(advice, "advice", ("selection", "exclusion", "kendall"))
    if ax is None:
        ax = new_axes((WIDTH, 4.8))
    import matplotlib as mpl

    # The colours are symmetric around 0. If all correlations are tiny, they stay pale.
    largest = max(0.1, float(advice["kendall"].fillna(0).abs().max()))
    points = ax.scatter(
        advice["selection"],
        advice["exclusion"],
        c=advice["kendall"],
        cmap=mpl.colormaps["PuOr"].with_extremes(bad="white"),
        vmin=-largest,
        vmax=largest,
        s=36,
        edgecolor="0.4",
        plotnonfinite=True,
    )
    ax.margins(0.12)
    ax.figure.colorbar(points, ax=ax, label="mean Kendall correlation")
    ax.grid(alpha=0.3)
    title = "The farther left the better for selection, the lower the better for exclusion"
    finish_axes(ax, title=title, xlabel="mean rank for selection", ylabel="mean rank for exclusion")
    return label_points(ax, advice[["selection", "exclusion"]])
