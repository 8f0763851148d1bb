"""Pictures of what a retriever gives and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval._checks import check_choice, refusal
from receval.plots.axes import WIDTH, finished, name_points, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        Time in milliseconds on a logarithmic axis.

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
    keys = list(per_query.index.names[:-1])
    every = per_query[[measure]].assign(time=seconds * 1000)
    groups = list(every.groupby(level=keys[0] if len(keys) == 1 else keys, sort=False))
    colours = sns.color_palette("colorblind", len(groups))
    middles = {}
    for colour, (name, dots) in zip(colours, groups, strict=True):
        ax.scatter(dots["time"], dots[measure], s=22, color=colour, alpha=0.4, linewidths=0)
        middles[_label(name)] = dots["time"].median(), dots[measure].mean()
        ax.scatter(*middles[_label(name)], s=90, color=colour, ec="white", zorder=3)
    aside = "" if comparable else " (taken side by side: not comparable)"
    ax.set(xscale="log", xlabel=f"retrieval time per query in ms{aside}", ylabel=measure)
    ax.margins(x=0.1, y=0.1)
    finished(ax, title=f"{measure} against time: a dot per query, large ones mean and median")
    name_points(ax, pd.DataFrame.from_dict(middles, orient="index"), every[["time", measure]])
    return ax


def filter_sizes(
    summary: pd.DataFrame,
    speed_up: pd.Series[float],
    measure: str,
    *,
    comparable: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Quality and speed-up of MAC/FAC retrieval over the filter size.

    Parameters
    ----------
    summary : DataFrame
        Means by (retriever, filter_size, k), measures in columns, as
        `receval.retrieval.evaluate_macfac` answers them.
    speed_up : Series
        Speed-up with the same index.
    measure : str
        One of the columns, drawn as solid lines on the left axis; the speed-up is drawn as
        dashed lines on the right one. A colour is a MAC retriever and its k.
    comparable : bool, default True
        Whether queries ran one after the other; if not, the label of the times says so.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The left axes; the right one shares its filter sizes, on a logarithmic scale.

    Raises
    ------
    InputError
        If ``summary`` is not indexed as one of MAC/FAC, or there is no such measure.

    Examples
    --------
    >>> from receval.retrieval import evaluate_macfac
    >>> def rank(query, cases):
    ...     return {case: 1 / (1 + case) for case in cases}
    >>> result = evaluate_macfac(rank, rank, ["q"], [0, 1, 2],
    ...     filter_sizes=[1, 2], ks=[1, 1], measures="hits")
    >>> filter_sizes(result.summary, result.speed_up, "hits").get_xlabel()
    'filter size'
    """
    import seaborn as sns

    if list(summary.index.names) != KEYS:
        rule = f"be indexed by {', '.join(KEYS)}, as that of evaluate_macfac()"
        raise refusal("summary", rule, ", ".join(map(str, summary.index.names)))
    check_choice(measure, "measure", map(str, summary.columns))
    ax = ax or new_axes((WIDTH, 3.8))
    right = ax.twinx()
    table = summary[[measure]].assign(speed_up=speed_up).reset_index("filter_size")
    curves = list(table.groupby(level=["retriever", "k"], sort=False))
    colours = sns.color_palette("colorblind", len(curves))
    for colour, (name, curve) in zip(colours, curves, strict=True):
        curve = curve.sort_values("filter_size")
        ax.plot(curve["filter_size"], curve[measure], "o-", color=colour, label=_label(name))
        right.plot(curve["filter_size"], curve["speed_up"], "s--", color=colour, alpha=0.6)
    right.axhline(1, color="0.7", linewidth=1, zorder=0)
    aside = "" if comparable else " (not comparable)"
    right.set_ylabel(f"speed-up{aside} (dashed)")
    right.set_ylim(bottom=0)
    sizes = sorted(set(table["filter_size"]))
    ax.set(xscale="log", xlabel="filter size", ylabel=f"{measure} (solid)")
    ax.set_xticks(sizes, labels=map(str, sizes))
    ax.set_xticks([], minor=True)
    for style, what in (("-", measure), ("--", "speed-up")):
        ax.plot([], [], style, color="0.3", label=what)  # in the legend only
    return finished(ax, legend={"loc": "center left", "bbox_to_anchor": (1.12, 0.5)})


def _label(name: object) -> str:
    retriever, *sizes = name if isinstance(name, tuple) else (name,)
    words = ("filter", "k")[2 - len(sizes) :]
    return ", ".join([str(retriever), *map("{} {}".format, words, sizes)])
