"""Figures of on-line measures, and of how well off-line metrics predict them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._arrays import as_finite, without_rounding_noise
from receval._checks import Options, check_that
from receval._escape import for_legend
from receval.metrics.ties import mean_ranks
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    ORANGE,
    SMALL,
    WIDTH,
    check_columns,
    check_numbers,
    draw_heatmap,
    draw_intervals,
    finish_axes,
    label_points,
    label_rows,
    new_axes,
    new_figure,
    seaborn,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "advice_map",
    "lift_heatmap",
    "lift_map",
    "online_intervals_map",
    "rank_heatmaps",
    "rank_intervals",
]

MARKERS = "osD^vP*X<>"  # of measures, and of groups of metrics


def online_intervals_map(
    intervals: pd.DataFrame, *, measures: Sequence[str] = ("IG",), ax: Axes | None = None
) -> Axes:
    """Draw on-line measures of every system as points with their confidence intervals.

    Parameters
    ----------
    intervals : DataFrame
        Result of `receval.fuzzy.online.online_intervals`.
    measures : sequence of str, default ("IG",)
        Measures to draw. If there are several, their points are one above the other in the row of
        a system.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Systems are in rows, in the order of the table; values are on the horizontal axis.

    Raises
    ------
    InputError
        If the table has another form, or lacks a measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("A", "IG")], names=["system", "measure"])
    >>> table = pd.DataFrame({"value": [0.2], "low": [0.1], "high": [0.3]}, index=index)
    >>> online_intervals_map(table).get_ylabel()
    'system'
    """
    check_columns(intervals, "intervals", ("value", "low", "high"))
    index = intervals.index
    rule = "be indexed by (system, measure)"
    check_that(index.nlevels == 2, "intervals", rule, list(index.names))
    all_measures = index.get_level_values(1).unique().tolist()
    is_valid = bool(measures) and set(measures) <= set(all_measures)
    check_that(is_valid, "measures", f"be some of {all_measures}", list(measures))
    systems = index.get_level_values(0).unique()
    n_measures = len(measures)
    ax = ax or new_axes((WIDTH, 0.8 + 0.14 * (1 + n_measures) * len(systems)))
    # The points of a system are spread over 0.6 of its row.
    shifts = 0.6 * ((np.arange(n_measures) + 0.5) / n_measures - 0.5)
    for measure, shift, colour, marker in zip(measures, shifts, cycle(COLOURS), cycle(MARKERS)):
        table = pd.DataFrame(intervals.xs(measure, level=1)).reindex(systems)
        rows = np.arange(len(systems)) + shift
        label = for_legend(measure)
        draw_intervals(ax, table, "value", rows, color=colour, fmt=marker, label=label)
    label_rows(ax, systems)
    names = " and ".join(measures)
    return finish_axes(
        ax,
        title=f"{names} of each system, with intervals",
        xlabel=names,
        ylabel=str(systems.name),
        legend=LEGEND_OUTSIDE if n_measures > 1 else None,
    )


def rank_heatmaps(
    matrices: Mapping[str, pd.DataFrame],
    *,
    by_chance: Mapping[str, pd.DataFrame] | None = None,
    metric_groups: Mapping[Hashable, str] | None = None,
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

    Returns
    -------
    list of Axes
        One panel below the other. On-line measures are in rows, off-line metrics in columns, as in
        the document. Each cell shows its rank (1 is best), so that readers need not see colours.

    Raises
    ------
    InputError
        If there is no matrix, a metric has no group, or a name has no matrix by chance.

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
    n_rows = len(next(iter(matrices.values())).columns) + (by_chance is not None)
    figure = new_figure((WIDTH, len(matrices) * (1.3 + 0.22 * n_rows)))
    panels: list[Axes] = list(figure.subplots(len(matrices), squeeze=False).ravel())
    for ax, (name, matrix) in zip(panels, matrices.items(), strict=True):
        check_numbers(matrix, "matrix")
        as_finite(matrix.to_numpy(), "matrix")
        groups = _groups_in_order(matrix.index, metric_groups)
        # Each on-line measure ranks the metrics: 1 is the largest mean, ties share their mean rank.
        ranks = _ranks(matrix).T
        if by_chance is not None:
            check_that(name in by_chance, "by_chance", f"have a matrix for {name!r}", [*by_chance])
            ranks.loc["mean by chance"] = _ranks(by_chance[name]).mean(axis=1).round(1)
        draw_heatmap(
            ax,
            ranks[groups.index],
            fmt="g",
            cmap="Blues_r",
            vmin=1,
            vmax=len(groups),
            cbar_label="rank (dark = best)",
        )
        for boundary in _boundaries(groups):
            ax.axvline(boundary, color="black", linewidth=1.5)
        finish_axes(ax, title=f"{name}: ranks, 1 is best")
        ax.tick_params("x", rotation=90)
    return panels


def _ranks(matrix: pd.DataFrame) -> pd.DataFrame:
    """Rank the rows by each column: 1 is the largest, and rounding makes no difference."""
    descending = without_rounding_noise(-matrix.to_numpy(np.float64).T)
    return pd.DataFrame(mean_ranks(descending).T, matrix.index, matrix.columns)


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
    ax = ax or new_axes((WIDTH, 1 + 0.25 * len(table)))
    draw_intervals(ax, table, "rank", np.arange(len(table)))
    label_rows(ax, table.index)
    return finish_axes(
        ax,
        title="Mean rank of each metric, with its interval",
        xlabel="mean rank (1 is best)",
        xlim=(0.5, len(table) + 0.5),
    )


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
    groups = _groups_in_order(advice.index, metric_groups)
    ax = ax or new_axes((WIDTH, 4.8))
    for (group, members), marker in zip(groups.groupby(groups, sort=False), cycle(MARKERS)):
        part = advice.loc[members.index]
        points = ax.scatter(
            part["selection"],
            part["exclusion"],
            s=40,
            c=part["kendall"],
            marker=marker,
            label=for_legend(group),
            plotnonfinite=True,
            cmap="PuOr",
            vmin=-1,
            vmax=1,
            edgecolor="0.4",
        )
    ax.margins(0.12)
    ax.grid(alpha=0.3)
    bar = ax.figure.colorbar(points, ax=ax, label="mean Kendall correlation (0 by chance)")
    if "ceiling" in advice:
        ceiling = float(advice["ceiling"].iloc[0])
        bar.ax.axhline(ceiling, color="black", linewidth=2)
        bar.ax.text(-0.2, ceiling, "ceiling", ha="right", va="center", fontsize=SMALL)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "ncols": 4}
    finish_axes(
        ax,
        title="The farther left the better for selection, the lower the better for exclusion",
        xlabel="mean rank for selection",
        ylabel="mean rank for exclusion",
        legend=below if metric_groups else None,
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
    metrics = _groups_in_order(table.index, metric_groups).index
    ax = ax or new_axes((WIDTH, 1.3 + 0.24 * len(metrics)))
    critical = table["critical"]
    xlabel = f"{name} minus chance"
    unit = pd.Series(1.0, table.index)
    threshold = float(critical.max())
    if critical.max() > 1.1 * critical.min():
        # The cells need different lifts to be significant, so no common line could mark these.
        unit = critical
        threshold = 1.0
        xlabel += ", divided by the lift that is significant"
    measures: pd.Index = pd.Index([name] * len(table))
    if table.index.nlevels > 1:
        measures = table.index.get_level_values(1)
    rows = pd.DataFrame({"metric": table.index.get_level_values(0), "measure": measures})
    rows["measure"] = rows["measure"].map(for_legend)
    rows["lift"] = (table["lift"] / unit).to_numpy()
    # Dots of one metric lie a little above one another, so that none hides another.
    look: Options = {
        "y": "metric",
        "hue": "measure",
        "order": list(metrics),
        "orient": "y",
        "dodge": True,
        "jitter": False,
        "palette": "colorblind",
        "ax": ax,
    }
    seaborn().stripplot(rows, x="lift", size=5, **look)
    title = "Between chance (line) and significance (shaded)"
    if "ceiling" in table:
        rows["ceiling"] = (table["ceiling"] / unit).to_numpy()
        seaborn().stripplot(
            rows, x="ceiling", marker="|", size=7, linewidth=1, legend=False, **look
        )
        title += "; |: a perfect predictor"
    label_rows(ax, metrics)
    ax.axvline(0, color="0.4", linewidth=1)
    left, right = ax.get_xlim()
    right = max(right, 1.15 * threshold)  # so that the shade is visible
    shade: Options = {"color": ORANGE, "alpha": 0.15, "linewidth": 0}
    ax.axvspan(threshold, right, **shade)
    if two_sided:
        left = min(left, -1.15 * threshold)
        ax.axvspan(left, -threshold, **shade)
    return finish_axes(ax, title=title, xlabel=xlabel, legend=LEGEND_OUTSIDE, xlim=(left, right))


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
        and values outside take the colours of the two ends. A cell without a value, or with a
        ceiling of 0, is grey.

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
    groups = _groups_in_order(table.index, metric_groups)
    cells = shares.unstack(sort=False).loc[groups.index]  # noqa: PD010 -- each cell is there once
    ax = ax or new_axes((WIDTH, 1.2 + 0.24 * len(groups)))
    label = "lift (purple = above chance)"
    draw_heatmap(ax, cells, fmt=".2f", cmap="PuOr", vmin=-1, vmax=1, cbar_label=label)
    for boundary in _boundaries(groups):
        ax.axhline(boundary, color="black", linewidth=1.5)
    return finish_axes(ax, title=title)


def _groups_in_order(
    index: pd.Index, metric_groups: Mapping[Hashable, str] | None
) -> pd.Series[str]:
    """Return the group of each metric in the first level of an index, each group in one piece.

    Raises `InputError` if there are groups, and a metric has none.
    """
    metrics = index.unique(0)
    groups = pd.Series("", metrics)
    if metric_groups is not None:
        groups = pd.Series([metric_groups.get(metric) for metric in metrics], metrics)
    missing = groups.index[groups.isna()].tolist()
    check_that(not missing, "metric_groups", "have a group for each metric", f"none for {missing}")
    group_codes, _ = groups.factorize()
    return groups.iloc[np.argsort(group_codes, kind="stable")]


def _boundaries(groups: pd.Series[str]) -> list[int]:
    """Return the positions at which another group begins."""
    is_start = groups.ne(groups.shift(fill_value=groups.iloc[0]))
    return np.flatnonzero(is_start).tolist()
