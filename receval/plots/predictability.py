"""Figures of predictability: lifts over chance, and the ranks, intervals and uses of metrics."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._arrays import as_finite, without_rounding_noise
from receval._checks import AnyArray, Options, check_that
from receval.metrics.ties import mean_ranks
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    ORANGE,
    SMALL,
    WIDTH,
    PanelAxes,
    check_columns,
    check_numbers,
    draw_heatmap,
    draw_intervals,
    finish_axes,
    label_rows,
    legend_labels,
    longest_name,
    new_axes,
    new_figure,
    panels,
)
from receval.plots.point_labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["advice_map", "lift_heatmap", "lift_map", "rank_heatmaps", "rank_intervals"]

MARKERS = "osD^vP*X"  # of groups of metrics, in order


def rank_heatmaps(
    matrices: Mapping[str, pd.DataFrame],
    *,
    by_chance: Mapping[str, pd.DataFrame] | None = None,
    metric_groups: Mapping[Hashable, str] | None = None,
    cmap: str = "Blues_r",
    axes: PanelAxes | None = None,
) -> list[Axes]:
    """Draw the ranks of off-line metrics for each on-line measure, a panel per implicator.

    This is Figure 2 of document 002.

    Parameters
    ----------
    matrices : mapping of str to DataFrame
        The implication matrices, by the name of the implicator.
    by_chance : mapping of str to DataFrame, optional
        For each name, the matrix of mean implications by chance, such as the ``by_chance`` of
        `receval.fuzzy.PredictabilityTest.matrix`. Each panel gets a last row with the mean ranks of
        the metrics by chance: a metric that has the same ranks in the other rows tells no more than
        chance.
    metric_groups : mapping, optional
        Group of each metric. Metrics of one group are drawn together, with a line between groups.
    cmap : str, default "Blues_r"
        Colours from the best rank to the worst. The default can be read without colour vision; the
        document uses ``"RdYlGn_r"``.
    axes : sequence of Axes, optional
        The Axes to draw on, one per matrix. Default: a new figure, one panel below the other.

    Returns
    -------
    list of Axes
        On-line measures are in rows, off-line metrics in columns, as in the document. Each cell
        shows its rank (1 is best), so that readers need not see colours.

    Raises
    ------
    InputError
        If there is no matrix, there is not one Axes per matrix, a metric has no group, or a name
        has no matrix by chance.

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
        n_extra_rows = int(by_chance is not None)
        axes = _new_rank_panels(len(matrices), next(iter(matrices.values())), n_extra_rows)
    panel_axes = panels(len(matrices), (), axes)
    for ax, (name, matrix) in zip(panel_axes, matrices.items(), strict=True):
        check_numbers(matrix, "matrix")
        as_finite(matrix.to_numpy(), "matrix")
        metrics = _metrics_in_order(matrix.index, metric_groups)
        # Each on-line measure ranks the metrics: 1 is the largest mean, ties share their mean rank.
        ranks = _ranks(matrix).T
        if by_chance is not None:
            check_that(name in by_chance, "by_chance", f"have a matrix for {name!r}", [*by_chance])
            chance_ranks = _ranks(by_chance[name]).mean(axis=1).round(1)
            ranks.loc["mean by chance"] = chance_ranks
        ranks = ranks[metrics]
        draw_heatmap(ax, ranks, vmin=1, vmax=ranks.shape[1], cmap=cmap, fmt="g")
        for boundary in _group_boundaries(metrics, metric_groups):
            ax.axvline(boundary, color="black", linewidth=1.5)
        title = f"{name}: ranks, 1 is best"
        finish_axes(ax, hide_left=True, hide_bottom=True, xlabel="", ylabel="", title=title)
        ax.tick_params(axis="x", rotation=90)
    return panel_axes


def _ranks(matrix: pd.DataFrame) -> pd.DataFrame:
    """Rank the rows by each column: 1 is the largest, and rounding makes no difference."""
    descending = without_rounding_noise(-matrix.to_numpy(np.float64), axis=0)
    return pd.DataFrame(mean_ranks(descending.T).T, matrix.index, matrix.columns)


def _new_rank_panels(n_panels: int, matrix: pd.DataFrame, n_extra_rows: int) -> AnyArray:
    """Return the Axes of a new figure with panels one below the other.

    ``matrix`` has off-line metrics in rows and on-line measures in columns. A panel shows the
    names of the metrics upright below its cells, and those of the measures to the left. It has a
    row of cells for each measure, and ``n_extra_rows`` more.
    """
    n_metrics, n_measures = matrix.shape
    panel_height = 0.22 * (n_measures + n_extra_rows) + max(1, 0.7 + longest_name(matrix.index))
    width = max(1.5, 0.5 + longest_name(matrix.columns)) + 0.4 * n_metrics
    size = (min(WIDTH, width), n_panels * panel_height)
    return new_figure(size).subplots(n_panels, squeeze=False)


def rank_intervals(stability: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the mean ranks of off-line metrics with their bootstrap intervals.

    Parameters
    ----------
    stability : DataFrame
        A row for each metric, with its mean ``rank`` and the ends ``low`` and ``high`` of the
        interval.
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


def advice_map(
    advice: pd.DataFrame,
    *,
    metric_groups: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show how useful off-line metrics are for selection and for exclusion.

    Parameters
    ----------
    advice : DataFrame
        Result of `receval.fuzzy.metric_advice`.
    metric_groups : mapping, optional
        Group of each metric; each group has its own marker.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Metrics at the left are good for selection, those at the bottom for exclusion. The colour
        is the mean Kendall correlation: how closely a metric orders the systems as users do.
        Colours go from -1 to 1, with chance, 0, in the middle. If the advice has a column
        ``ceiling``, a line in the colour bar shows what a perfect metric reaches.

    Raises
    ------
    InputError
        If a column is missing, or a metric has no group.

    Examples
    --------
    >>> columns = {"selection": [1.0, 2.0], "exclusion": [2.0, 1.0], "kendall": [0.5, 0.1]}
    >>> advice_map(pd.DataFrame(columns, index=["AUC", "MRR"])).get_ylabel()
    'mean rank for exclusion'
    """
    check_columns(advice, "advice", ("selection", "exclusion", "kendall"))
    metrics = _metrics_in_order(advice.index, metric_groups)
    if ax is None:
        ax = new_axes((WIDTH, 4.8))
    import matplotlib as mpl

    groups = [""] * len(metrics)
    if metric_groups is not None:
        groups = [metric_groups[metric] for metric in metrics]
    distinct_groups = list(dict.fromkeys(groups))
    labels = legend_labels(distinct_groups)
    for number, (group, label) in enumerate(zip(distinct_groups, labels, strict=True)):
        members = [metric for metric, other in zip(metrics, groups, strict=True) if other == group]
        part = advice.loc[members]
        points = ax.scatter(
            part["selection"],
            part["exclusion"],
            c=part["kendall"],
            cmap=mpl.colormaps["PuOr"].with_extremes(bad="white"),
            vmin=-1,
            vmax=1,
            s=40,
            marker=MARKERS[number % len(MARKERS)],
            edgecolor="0.4",
            plotnonfinite=True,
            label=label,
        )
    ax.margins(0.12)
    bar = ax.figure.colorbar(points, ax=ax, label="mean Kendall correlation (0 by chance)")
    if "ceiling" in advice:
        ceiling = float(advice["ceiling"].iloc[0])
        bar.ax.axhline(ceiling, color="black", linewidth=2)
        bar.ax.text(-0.2, ceiling, "ceiling", ha="right", va="center", fontsize=SMALL)
    ax.grid(alpha=0.3)
    legend = None
    if metric_groups is not None:
        legend = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "ncols": 4}
    title = "The farther left the better for selection, the lower the better for exclusion"
    finish_axes(
        ax,
        legend=legend,
        title=title,
        xlabel="mean rank for selection",
        ylabel="mean rank for exclusion",
    )
    return label_points(ax, advice[["selection", "exclusion"]])


def lift_map(
    table: pd.DataFrame,
    *,
    name: str = "statistic",
    two_sided: bool = False,
    metric_groups: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show how far each off-line metric is above chance, and how far it must be to be significant.

    Parameters
    ----------
    table : DataFrame
        Indexed by (metric, measure) or by metric. ``lift`` is the value minus the value expected by
        chance, ``critical`` is the smallest significant lift, and ``ceiling`` (optional) is the
        lift of a perfect predictor. `receval.fuzzy.PredictabilityTest.plot` makes such a table.
    name : str, default "statistic"
        Name of the statistic, for the horizontal axis.
    two_sided : bool, default False
        Whether a lift below ``-critical`` is significant too.
    metric_groups : mapping, optional
        Group of each metric. Metrics of one group are drawn together, under its name.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        One row per metric, a dot per measure. The line at 0 is chance; dots in the shaded area are
        significant. A short vertical line shows the ceiling of each cell. If cells need different
        lifts to be significant, each lift is divided by the lift that its cell needs, so that lifts
        of at least 1 are significant.

    Raises
    ------
    InputError
        If a column is missing, or a metric has no group.

    Examples
    --------
    >>> cells = pd.MultiIndex.from_product([["AUC", "MAP"], ["CTR"]], names=["metric", "measure"])
    >>> table = pd.DataFrame({"lift": [0.1, -0.2], "critical": 0.6}, index=cells)
    >>> lift_map(table, name="Kendall's tau").get_xlabel()
    "Kendall's tau minus chance"
    """
    check_numbers(table, "table", ("lift", "critical"))
    metrics = _metrics_in_order(table.index, metric_groups)
    if ax is None:
        ax = new_axes((WIDTH, 1.3 + 0.24 * len(metrics)))
    critical = table["critical"]
    xlabel = f"{name} minus chance"
    unit = pd.Series(1.0, table.index)
    threshold = float(critical.max())
    if critical.max() > 1.1 * critical.min():
        # The cells need different lifts to be significant, so no common line could mark these.
        unit = critical
        threshold = 1.0
        xlabel += ", divided by the lift that is significant"
    row_by_metric = {metric: row for row, metric in enumerate(metrics)}
    rows = table.index.get_level_values(0).map(row_by_metric).to_numpy(float)
    measures = [""] * len(table)
    if table.index.nlevels > 1:
        measures = table.index.get_level_values(1).tolist()
    lifts = (table["lift"] / unit).to_numpy()
    distinct_measures = list(dict.fromkeys(measures))
    labels = legend_labels(distinct_measures)
    has_ceiling = "ceiling" in table
    for number, (measure, label) in enumerate(zip(distinct_measures, labels, strict=True)):
        is_of_measure = np.array([other == measure for other in measures])
        colour = COLOURS[number % len(COLOURS)]
        # Dots of one metric lie a little above one another, so that none hides another.
        offset = 0.5 * ((number + 0.5) / len(distinct_measures) - 0.5)
        heights = rows[is_of_measure] + offset
        ax.plot(lifts[is_of_measure], heights, "o", color=colour, markersize=4, label=label)
        if has_ceiling:
            ceilings = (table["ceiling"] / unit).to_numpy()[is_of_measure]
            ax.plot(ceilings, heights, "|", color=colour, markersize=7)
    label_rows(ax, metrics)
    ax.axvline(0, color="0.4", linewidth=1)
    _shade_significant(ax, threshold, two_sided=two_sided)
    legend = None
    if any(labels):
        legend = LEGEND_OUTSIDE
    title = "Between chance (line) and significance (shaded)"
    if has_ceiling:
        title += "; |: a perfect predictor"
    return finish_axes(ax, legend=legend, title=title, xlabel=xlabel)


def lift_heatmap(
    table: pd.DataFrame,
    *,
    metric_groups: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show where each pair of a metric and an on-line measure lies between chance and the ceiling.

    Parameters
    ----------
    table : DataFrame
        As in `lift_map`, indexed by (metric, measure).
    metric_groups : mapping, optional
        Group of each metric. Metrics of one group are drawn together, with a line between groups.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Metrics are in rows, measures in columns. A cell shows its lift divided by the ceiling, the
        lift of a perfect predictor: 0 is chance, 1 is perfect. Without a column ``ceiling``, it
        shows the lift divided by the lift that would be significant. The colours run from -1 to 1,
        and values outside take the colours of the two ends. A dash marks a cell without a value, or
        with a ceiling of 0.

    Raises
    ------
    InputError
        If a column is missing, or a metric has no group.

    Examples
    --------
    >>> cells = pd.MultiIndex.from_product([["AUC", "MAP"], ["CTR"]], names=["metric", "measure"])
    >>> table = pd.DataFrame({"lift": [0.1, -0.2], "critical": 0.6, "ceiling": 0.4}, index=cells)
    >>> [text.get_text() for text in lift_heatmap(table).texts]
    ['0.25', '-0.50']
    """
    check_numbers(table, "table", ("lift", "critical"))
    check_that(table.index.nlevels == 2, "table", "be indexed by metric and measure", table.index)
    divisor = table["critical"]
    title = "Lift: 0 is chance, 1 would be significant"
    if "ceiling" in table:
        divisor = table["ceiling"]
        title = "Lift: 0 is chance, 1 is a perfect predictor"
    shares = table["lift"] / divisor.where(divisor > 0)
    measures = list(dict.fromkeys(table.index.get_level_values(1)))
    metrics = _metrics_in_order(table.index, metric_groups)
    cells = shares.unstack().loc[metrics, measures]  # noqa: PD010 -- each cell is there once
    if ax is None:
        ax = new_axes((WIDTH, 1.2 + 0.24 * len(metrics)))
    draw_heatmap(ax, cells, vmin=-1, vmax=1, cmap="PuOr", fmt=".2f", cbar=True)
    for boundary in _group_boundaries(metrics, metric_groups):
        ax.axhline(boundary, color="black", linewidth=1.5)
    return finish_axes(ax, hide_left=True, hide_bottom=True, title=title, xlabel="", ylabel="")


def _group_boundaries(
    metrics: Sequence[Hashable], metric_groups: Mapping[Hashable, str] | None
) -> list[int]:
    """Return the positions in a list of metrics at which another group begins."""
    if metric_groups is None:
        return []
    boundaries = []
    for position in range(1, len(metrics)):
        if metric_groups[metrics[position]] != metric_groups[metrics[position - 1]]:
            boundaries.append(position)
    return boundaries


def _metrics_in_order(
    index: pd.Index, metric_groups: Mapping[Hashable, str] | None
) -> list[Hashable]:
    """Return the metrics of the first level of an index, with each group's metrics together.

    Raises `InputError` if there are groups, and a metric has none.
    """
    metrics = list(dict.fromkeys(index.get_level_values(0)))
    if metric_groups is None:
        return metrics
    missing = [metric for metric in metrics if metric not in metric_groups]
    check_that(not missing, "metric_groups", "have a group for each metric", f"none for {missing}")
    groups = list(dict.fromkeys(metric_groups[metric] for metric in metrics))
    return sorted(metrics, key=lambda metric: groups.index(metric_groups[metric]))


def _shade_significant(ax: Axes, threshold: float, *, two_sided: bool) -> None:
    """Shade the lifts at or above a threshold, and widen the axis so that the shade is visible.

    If ``two_sided``, the lifts below the negative threshold are shaded too.
    """
    left, right = ax.get_xlim()
    right = max(right, 1.15 * threshold)
    shade: Options = {"color": ORANGE, "alpha": 0.15, "linewidth": 0}
    ax.axvspan(threshold, right, **shade)
    if two_sided:
        left = min(left, -1.15 * threshold)
        ax.axvspan(left, -threshold, **shade)
    ax.set_xlim(left, right)
