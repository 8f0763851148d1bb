"""Pictures of what a retriever gives and what it costs."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import check_choice, input_error
from receval._escape import for_plot
from receval.plots.axes import (
    BESIDE,
    BREAK,
    WIDTH,
    Axes,
    finished,
    legend_labels,
    name_points,
    new_axes,
    panels,
)

__all__ = ["filter_sizes", "quality_time"]

KEYS = ["retriever", "filter_size", "k"]


def quality_time(
    per_query: pd.DataFrame,
    seconds: pd.Series[float],
    measure: str,
    *,
    comparable: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Quality against retrieval time: a dot per query, a large one for each retriever.

    Parameters
    ----------
    per_query : DataFrame
        Values by (retriever, query), measures in columns, as
        `receval.retrieval.evaluate_retrievers` answers them.
    seconds : Series
        Times with the same index.
    measure : str
        One of the columns. The large dot is at the mean quality and the median time.
    comparable : bool, default True
        Whether queries ran one after the other; if not, the label of the times says so.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Time in milliseconds, on a logarithmic axis where it spans a factor of five.

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
    import seaborn as sns

    check_choice(measure, "measure", map(str, per_query.columns))
    ax = ax or new_axes((WIDTH, 3.8))
    every = per_query[[measure]].assign(time=seconds * 1000)[["time", measure]]
    every = every.set_axis([", ".join(map(str, name[:-1])) for name in per_query.index])
    middles = every.groupby(level=0, sort=False).agg({"time": "median", measure: "mean"})
    how: Any = {"x": "time", "y": measure, "palette": "colorblind", "legend": False, "ax": ax}
    sns.scatterplot(every, hue=every.index, s=22, alpha=0.4, linewidth=0, **how)
    sns.scatterplot(middles, hue=middles.index, s=90, zorder=3, **how)
    aside = "" if comparable else " (taken side by side: not comparable)"
    ax.set(xlabel=f"retrieval time per query in ms{aside}", ylabel=for_plot(measure))
    ax.margins(x=0.1, y=0.1)
    span = every["time"].max() / every["time"].min()
    if 5 < span < np.inf:
        ax.set_xscale("log", subs=[])
        ax.locator_params(axis="x", subs=(1, 2, 5) if span < 1_000 else (1,))
        ax.xaxis.set_major_formatter("{x:g}")
    finished(ax, title=f"{measure} against time: a dot per query, large ones mean and median")
    return name_points(ax, middles, every)


def filter_sizes(
    summary: pd.DataFrame,
    speed_up: pd.Series[float],
    measure: str,
    *,
    comparable: bool = True,
    axes: Any = None,
) -> list[Axes]:
    """Quality and speed-up of MAC/FAC retrieval over the filter size, one above the other.

    Parameters
    ----------
    summary : DataFrame
        Means by (retriever, filter_size, k), measures in columns, as
        `receval.retrieval.evaluate_macfac` answers them.
    speed_up : Series
        Speed-up with the same index.
    measure : str
        One of the columns. A colour is a MAC retriever and its k.
    comparable : bool, default True
        Whether queries ran one after the other; if not, the label of the speed-up says so.
    axes : sequence of two Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        Of the measure and of the speed-up, with the filter sizes on a logarithmic scale.

    Raises
    ------
    InputError
        If ``summary`` is not indexed as one of MAC/FAC, there is no such measure, or there are not
        two Axes.

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
    import matplotlib.pyplot as plt
    import seaborn as sns

    if list(summary.index.names) != KEYS:
        rule = f"be indexed by {', '.join(KEYS)}, as that of evaluate_macfac()"
        raise input_error("summary", rule, ", ".join(map(str, summary.index.names)))
    check_choice(measure, "measure", map(str, summary.columns))
    if axes is None:
        axes = plt.subplots(2, sharex=True, figsize=(WIDTH, 4.6), layout="constrained")[1]
    found = upper, lower = panels(2, (), axes)
    named = [f"{name}, k {k}" for name, _, k in summary.index]
    distinct = list(dict.fromkeys(named))
    labels = dict(zip(distinct, legend_labels(distinct, BREAK), strict=True))
    curves = [labels[name] for name in named]
    sizes = summary.index.get_level_values("filter_size").to_numpy()
    style: Any = {"palette": "colorblind", "marker": "o", "mec": "none"}
    for ax, values in ((upper, summary[measure]), (lower, speed_up.reindex(summary.index))):
        sns.lineplot(x=sizes, y=values.to_numpy(), hue=curves, ax=ax, legend=ax is upper, **style)
        # coinciding curves: later markers are smaller and show those below, as in the legend
        for line, size in zip(ax.lines, cycle(np.linspace(9, 4, len(set(curves))))):
            line.set_markersize(size)
    for ax in found:
        ax.set_xscale("log", subs=[])
        ax.set_xticks(np.unique(sizes), [f"{size:g}" for size in np.unique(sizes)])
    lower.axhline(1, color="0.5", linestyle=":", linewidth=1)
    lower.set_ylim(bottom=0)
    aside = "" if comparable else "\n(not comparable)"
    finished(upper, ylabel=measure, title=f"{measure} and speed-up by filter size", legend=BESIDE)
    finished(lower, ylabel=f"speed-up{aside}", xlabel="filter size")
    return found
