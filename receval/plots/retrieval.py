"""Pictures of what a retriever gives and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from receval._checks import InputError, check_choice
from receval.plots.axes import new_axes
from receval.retrieval.macfac import MacFacEvaluation
from receval.retrieval.retrievers import RetrieverEvaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["filter_sizes", "quality_time"]


def quality_time(evaluation: RetrieverEvaluation, measure: str, *, ax: Axes | None = None) -> Axes:
    """Quality against retrieval time: a dot per query, a large one for each retriever.

    Parameters
    ----------
    evaluation : RetrieverEvaluation
        What `receval.retrieval.evaluate_retrievers` answers.
    measure : str
        One of its measures. The large dot is at the mean quality and the median time.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Time in milliseconds on a logarithmic axis; the label says so where times were taken
        side by side and must not be compared.

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
    >>> quality_time(result, "kendall").get_ylabel()
    'kendall'
    """
    import seaborn as sns

    check_choice(measure, "measure", map(str, evaluation.per_query.columns))
    summary = evaluation.summary[measure]
    ax = ax or new_axes((6.5, 3.8))
    every = evaluation.per_query[[measure]].assign(time=evaluation.seconds * 1000)
    groups = [dots for _, dots in every.groupby(level=evaluation._keys, sort=False)]
    colours = sns.color_palette("colorblind", len(summary))
    for colour, dots, (name, quality) in zip(colours, groups, summary.items(), strict=True):
        ax.scatter(dots["time"], dots[measure], s=22, color=colour, alpha=0.4, linewidths=0)
        middle = dots["time"].median()
        ax.scatter(middle, quality, s=90, color=colour, ec="white", zorder=3, label=_label(name))
    aside = "" if evaluation.comparable_times else " (taken side by side: not comparable)"
    ax.set(xscale="log", xlabel=f"retrieval time per query in ms{aside}", ylabel=measure)
    ax.margins(x=0.1, y=0.1)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    sns.despine(ax=ax)
    return ax


def filter_sizes(evaluation: MacFacEvaluation, measure: str, *, ax: Axes | None = None) -> Axes:
    """Quality and speed-up of MAC/FAC retrieval over the filter size.

    Parameters
    ----------
    evaluation : MacFacEvaluation
        What `receval.retrieval.evaluate_macfac` answers.
    measure : str
        One of its measures, drawn as solid lines on the left axis; the speed-up is drawn as
        dashed lines on the right one. A colour is a MAC retriever and its k.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The left axes; the right one shares its filter sizes, on a logarithmic scale.

    Raises
    ------
    InputError
        If the evaluation is not one of MAC/FAC, or there is no such measure.

    Examples
    --------
    >>> from receval.retrieval import evaluate_macfac
    >>> def rank(query, cases):
    ...     return {case: 1 / (1 + case) for case in cases}
    >>> result = evaluate_macfac(rank, rank, ["q"], [0, 1, 2],
    ...     filter_sizes=[1, 2], ks=[1, 1], measures="hits")
    >>> filter_sizes(result, "hits").get_xlabel()
    'filter size'
    """
    import seaborn as sns

    if not isinstance(evaluation, MacFacEvaluation):
        raise InputError(
            f"evaluation must be of evaluate_macfac(); got {type(evaluation).__name__}"
        )
    check_choice(measure, "measure", map(str, evaluation.per_query.columns))
    ax = ax or new_axes((6.5, 3.8))
    right = ax.twinx()
    table = evaluation.summary[[measure]].assign(speed_up=evaluation.speed_up)
    curves = list(table.groupby(level=["retriever", "k"], sort=False))
    for colour, (name, curve) in zip(
        sns.color_palette("colorblind", len(curves)), curves, strict=True
    ):
        size = curve.index.get_level_values("filter_size")
        order = np.argsort(size)
        across = size[order]
        ax.plot(across, curve[measure].iloc[order], "o-", color=colour, label=_label(name))
        right.plot(across, curve["speed_up"].iloc[order], "s--", color=colour, alpha=0.6)
    right.axhline(1, color="0.7", linewidth=1, zorder=0)
    aside = "" if evaluation.comparable_times else " (not comparable)"
    sizes = sorted(set(table.index.get_level_values("filter_size")))
    ax.set(xscale="log", xlabel="filter size", ylabel=f"{measure} (solid)")
    ax.set_xticks(sizes, labels=map(str, sizes))
    ax.set_xticks([], minor=True)
    right.set_ylabel(f"speed-up{aside} (dashed)")
    right.set_ylim(bottom=0)
    for style, what in (("-", measure), ("--", "speed-up")):
        ax.plot([], [], style, color="0.3", label=what)  # in the legend only
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.12, 0.5))
    sns.despine(ax=ax, right=False)
    return ax


def _label(name: object) -> str:
    parts = name if isinstance(name, tuple) else (name,)
    if len(parts) == 1:
        return str(parts[0])
    numbers = ("k",) if len(parts) == 2 else ("filter", "k")
    return ", ".join(
        [str(parts[0]), *(f"{what} {part}" for what, part in zip(numbers, parts[1:], strict=True))]
    )
