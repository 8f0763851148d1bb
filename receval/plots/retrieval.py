"""Figures of the quality and the cost of retrievers."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import check_choice, input_error
from receval._escape import for_plot
from receval._types import Options
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    LINE_LENGTH,
    WIDTH,
    PanelAxes,
    finish_axes,
    legend_labels,
    new_axes,
    new_figure,
    panels,
)
from receval.plots.point_labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["filter_sizes", "quality_time"]

MACFAC_INDEX = ["retriever", "filter_size", "k"]


def quality_time(
    per_query: pd.DataFrame,
    seconds: pd.Series[float],
    measure: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw quality against retrieval time: a dot per query, a large one for each retriever.

    Parameters
    ----------
    per_query : DataFrame
        Values by (retriever, query), measures in columns, from
        `receval.retrieval.evaluate_retrievers`.
    seconds : Series
        Time of each query in seconds, with the same index.
    measure : str
        One of the columns. The large dot is at the mean quality and the median time.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Time is in milliseconds, on a logarithmic axis if it spans more than a factor of five.

    Raises
    ------
    InputError
        If there is no such measure.

    Examples
    --------
    >>> from receval.retrieval import evaluate_retrievers
    >>> result = evaluate_retrievers(
    ...     {"exact": lambda query, cases: {case: 1 / (1 + case) for case in cases}},
    ...     ["q"], [0, 1, 2], truth="exact", measures="kendall")
    >>> quality_time(result.per_query, result.seconds, "kendall").get_ylabel()
    'kendall'
    """
    check_choice(measure, "measure", map(str, per_query.columns))
    if ax is None:
        ax = new_axes((WIDTH, 3.8))
    # A table with the time of each query in ms and its value of the measure.
    queries = per_query[[measure]].assign(time=seconds * 1000)[["time", measure]]
    # The last level of the index is the query. The others are the retriever: its name, and perhaps
    # its parameters.
    retrievers = [", ".join(map(str, key[:-1])) for key in per_query.index]
    queries = queries.set_axis(retrievers)
    means = queries.groupby(level=0, sort=False).agg({"time": "median", measure: "mean"})
    colour_by_retriever = dict(zip(means.index, cycle(COLOURS)))
    query_colours = [colour_by_retriever[retriever] for retriever in retrievers]
    mean_colours = list(colour_by_retriever.values())
    ax.scatter(queries["time"], queries[measure], 22, query_colours, alpha=0.4, linewidth=0)
    large: Options = {"edgecolor": "white", "linewidth": 0.75, "zorder": 3}
    ax.scatter(means["time"], means[measure], 90, mean_colours, **large)
    ax.set(xlabel="retrieval time per query in ms", ylabel=for_plot(measure))
    ax.margins(x=0.1, y=0.1)
    # Times of different orders of magnitude need a logarithmic axis, which has no place for 0.
    time_ratio = queries["time"].max() / queries["time"].min()
    if 5 < time_ratio < np.inf:
        ax.set_xscale("log", subs=[])
        tick_digits: tuple[int, ...] = (1, 2, 5)
        if time_ratio >= 1_000:
            tick_digits = (1,)
        ax.locator_params(axis="x", subs=tick_digits)
        ax.xaxis.set_major_formatter("{x:g}")
    finish_axes(ax, title=f"{measure} against time: a dot per query, large ones mean and median")
    return label_points(ax, means, queries)


def filter_sizes(
    summary: pd.DataFrame,
    speed_up: pd.Series[float],
    measure: str,
    *,
    axes: PanelAxes | None = None,
) -> list[Axes]:
    """Draw quality and speed-up of MAC/FAC retrieval against the filter size.

    Parameters
    ----------
    summary : DataFrame
        Means by (retriever, filter_size, k), measures in columns, from
        `receval.retrieval.evaluate_macfac`.
    speed_up : Series
        Speed-up with the same index.
    measure : str
        One of the columns. Each MAC retriever has a colour for each k.
    axes : sequence of two Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        The panel of the measure and, below it, the panel of the speed-up. The filter sizes have a
        logarithmic scale.

    Raises
    ------
    InputError
        If ``summary`` isn't indexed like the summary of `receval.retrieval.evaluate_macfac`, there
        is no such measure, or there are not two Axes.

    Examples
    --------
    >>> from receval.retrieval import evaluate_macfac
    >>> def rank(query, cases):
    ...     return {case: 1 / (1 + case) for case in cases}
    >>> result = evaluate_macfac(rank, rank, ["q"], [0, 1, 2],
    ...     filter_sizes=[1, 2], ks=[1, 1], measures="hits")
    >>> [ax.get_ylabel() for ax in filter_sizes(result.summary, result.speed_up, "hits")]
    ['hits', 'speed-up']
    """
    if list(summary.index.names) != MACFAC_INDEX:
        rule = f"be indexed by {', '.join(MACFAC_INDEX)}, like the summary of evaluate_macfac()"
        raise input_error("summary", rule, ", ".join(map(str, summary.index.names)))
    check_choice(measure, "measure", map(str, summary.columns))
    if axes is None:
        axes = new_figure((WIDTH, 4.6)).subplots(2, sharex=True)
    panel_axes = panels(2, (), axes)
    upper, lower = panel_axes
    # Name the curve of each row, and give each curve one label. If two names become equal when they
    # are shortened, `legend_labels` numbers them.
    curve_names = [f"{name}, k {k}" for name, _, k in summary.index]
    distinct_names = list(dict.fromkeys(curve_names))
    distinct_labels = legend_labels(distinct_names, LINE_LENGTH)
    label_by_name = dict(zip(distinct_names, distinct_labels, strict=True))
    curves = [label_by_name[name] for name in curve_names]
    _draw_by_filter_size(upper, summary[measure], curves)
    _draw_by_filter_size(lower, speed_up.reindex(summary.index), curves)
    sizes = np.unique(summary.index.get_level_values("filter_size").to_numpy())
    for ax in panel_axes:
        ax.set_xscale("log", subs=[])
        ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
    lower.axhline(1, color="0.5", linestyle=":", linewidth=1)  # as fast as without a filter
    lower.set_ylim(bottom=0)
    title = f"{measure} and speed-up by filter size"
    finish_axes(upper, ylabel=measure, title=title, legend=LEGEND_OUTSIDE)
    finish_axes(lower, ylabel="speed-up", xlabel="filter size")
    return panel_axes


def _draw_by_filter_size(ax: Axes, values: pd.Series[float], curves: list[str]) -> None:
    """Draw a curve of values over the filter sizes for each MAC retriever and k.

    The index of ``values`` has the level "filter_size". ``curves`` holds, for each value, the label
    of the curve to which it belongs. A value of NaN has no point.
    """
    values_by_curve = dict(list(values.groupby(curves, sort=False)))
    # Curves can coincide. Later markers are smaller, so that they don't hide those below.
    marker_sizes = np.linspace(9, 4, len(values_by_curve))
    for (label, curve), colour, marker_size in zip(
        values_by_curve.items(), cycle(COLOURS), marker_sizes
    ):
        points = curve.dropna().sort_index(level="filter_size")
        sizes = points.index.get_level_values("filter_size")
        style: Options = {"color": colour, "markersize": marker_size, "markeredgecolor": "none"}
        ax.plot(sizes, points, "o-", label=label, **style)
