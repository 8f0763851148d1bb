"""Figures of the quality and the cost of retrievers."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import Options, check_choice
from receval._escape import for_plot
from receval.plots.axes import (
    COLOURS,
    WIDTH,
    finish_axes,
    new_axes,
)
from receval.plots.point_labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["quality_time"]


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
