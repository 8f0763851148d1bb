"""Figures of retrievers: orders of cases, metrics that judge them, quality and cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._arrays import ROUNDING, check_cutoff
from receval._checks import check_choice, check_that, check_unique
from receval._escape import for_plot
from receval.metrics.retrieval.ranking import Ranking, RankingLike, cut_rankings
from receval.plots.axes import (
    GREEN,
    GREY,
    LINE_LENGTH,
    ORANGE,
    WIDTH,
    check_numbers,
    draw_heatmap,
    finish_axes,
    label_points,
    new_axes,
    seaborn,
    tick_labels,
)
from receval.plots.groups import frame_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["metric_heatmap", "quality_time", "slope_chart"]


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
        Time is in milliseconds, on a logarithmic axis.

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
    ax = ax or new_axes((WIDTH, 3.8))
    # The last level of the index is the query. The others are the retriever: its name, and perhaps
    # its parameters.
    retrievers = [", ".join(map(str, key[:-1])) for key in per_query.index]
    queries = per_query[[measure]].assign(time=seconds * 1000).set_axis(retrievers)
    summaries = {"time": "median", measure: "mean"}
    means = queries.groupby(level=0, sort=False).agg(summaries)
    for table, look in ((queries, {"s": 22, "alpha": 0.4, "linewidth": 0}), (means, {"s": 90})):
        seaborn().scatterplot(
            table,
            x="time",
            y=measure,
            hue=table.index,
            palette="colorblind",
            legend=False,
            ax=ax,
            **look,
        )
    ax.margins(0.1)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    title = f"{measure} against time: a dot per query, large ones mean and median"
    finish_axes(ax, title=title, xlabel="retrieval time per query in ms", ylabel=measure)
    return label_points(ax, means[["time", measure]], queries[["time", measure]])


ROW_HEIGHT = 0.38  # height of a case, or of a metric, in inches


def slope_chart(
    truth: RankingLike,
    retrieved: RankingLike,
    *,
    k: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a line for each case from its true place to its retrieved place.

    The best case is on top. A case that keeps its place is green, every other case is orange. A
    case that only one ranking has gets a dot without a line.

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        The ground-truth ranking and the one to evaluate, as in `receval.metrics.hits`.
    k : int, optional
        Draw a dashed line below place k. Default: no such line.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Places grow downwards, from 1. The true order is at 0 on the horizontal axis, the retrieved
        order at 1.

    Raises
    ------
    InputError
        If a ranking has no case, holds a case twice or a similarity that is not finite, or ``k`` is
        not a positive integer.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> ax = slope_chart(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    >>> ax.get_title(loc="left")
    'Cases in the right place: 1 of 3'
    """
    true_ranking, ranking = cut_rankings(truth, retrieved, None)
    for name, order in {"truth": true_ranking, "retrieved": ranking}.items():
        check_that(len(order) > 0, name, "hold at least one case", len(order))
    k = check_cutoff(k)
    n_rows = max(len(true_ranking), len(ranking))
    ax = ax or new_axes((WIDTH, ROW_HEIGHT * n_rows + 0.9))
    # The place of each case in both orders, NaN where a ranking lacks the case.
    places = [pd.Series(order.place) + 1 for order in (true_ranking, ranking)]
    ends = pd.concat(places, axis=1, sort=False).to_numpy()
    is_in_place = ends[:, 0] == ends[:, 1]
    for places_of_case, colour in zip(ends, np.where(is_in_place, GREEN, ORANGE), strict=True):
        ax.plot(places_of_case, "o-", color=colour, linewidth=3, markersize=9, clip_on=False)
    if k is not None:
        ax.axhline(k + 0.5, color=GREY, linestyle="--", linewidth=1)

    ax.set_yticks(range(1, len(true_ranking) + 1), _case_labels(true_ranking))
    for place, label in enumerate(_case_labels(ranking), start=1):
        ax.annotate(
            label,
            (1, place),
            (10, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=ax.get_yticklabels()[0].get_fontsize(),
        )
    ax.set_xticks([0, 1], ["true\norder", "retrieved\norder"])
    ax.set(xlim=(-0.06, 1.06), ylim=(n_rows + 0.6, 0.4))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    title = f"Cases in the right place: {is_in_place.sum()} of {len(true_ranking)}"
    ax.set_title(title, loc="left")
    return ax


def _case_labels(ranking: Ranking) -> list[str]:
    """Return the place, the name and the similarity of each case as text."""
    return [
        f"{place}. {for_plot(case, longest=LINE_LENGTH)} ({similarity:.3g})"
        for place, (case, similarity) in enumerate(ranking.items(), start=1)
    ]


def metric_heatmap(
    values: pd.DataFrame,
    reference: Hashable,
    *,
    framed: Sequence[Hashable] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw what each metric says of each answer, next to an answer that is as good as possible.

    Metrics have different ranges, and some are better if they are lower. So the colours compare
    the values of a row: yellow is the value of the reference, and dark blue the value that is
    farthest from it. A row without any difference is yellow. The cells show the values themselves.

    Parameters
    ----------
    values : DataFrame
        Metrics in rows, answers in columns. A cell without a value stays empty.
    reference : label
        The column of the best possible answer.
    framed : sequence of labels, optional
        Columns that get an orange frame.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The first row is on top.

    Raises
    ------
    InputError
        If ``values`` does not hold numbers, has a column twice, or lacks one of the named columns.
    ImportError
        If seaborn is not installed: ``pip install "receval[plots]"``.

    Examples
    --------
    >>> values = pd.DataFrame({"right": [3, 1], "reversed": [3, -1]}, ["hits", "Kendall"])
    >>> ax = metric_heatmap(values, "right", framed=["reversed"])
    >>> [text.get_text() for text in ax.texts]
    ['3', '3', '1', '-1']
    """
    check_numbers(values, "values")
    check_unique(list(values.columns), "values", "column")
    check_that(reference in values, "reference", "name a column of values", reference)
    unknown = [column for column in framed if column not in values]
    check_that(not unknown, "framed", "name columns of values", unknown)
    best = values[reference].to_numpy(float)[:, np.newaxis]
    distances = (values - best).abs()
    # Values that differ only by rounding are equal.
    distances = distances.mask(np.isclose(values, best, rtol=ROUNDING, atol=ROUNDING), 0)
    farthest = distances.max(axis=1)
    closeness = 1 - distances.div(farthest.where(farthest > 0, 1), axis=0)

    ax = ax or new_axes((WIDTH, ROW_HEIGHT * len(values) + 1.2))
    texts = (values.round(2) + 0.0).map("{:g}".format)  # adding 0 turns -0 into 0
    draw_heatmap(ax, closeness, annot=texts, fmt="", cmap="cividis", vmin=0, vmax=1, fontsize=10)
    bar = ax.figure.colorbar(ax.collections[0], ax=ax, shrink=0.8)
    bar.outline.set_visible(False)
    best_name = for_plot(reference, LINE_LENGTH // 2, longest=LINE_LENGTH)
    bar.set_ticks([0, 1], labels=["worst of\nits row", f"as good as\n{best_name}"])
    for column in values.columns.get_indexer(pd.Index(framed)).tolist():
        frame_column(ax, column)
    # A name can be an order of cases, so its words are below one another.
    names = ["\n".join(tick_labels(str(name).split())) for name in values.columns]
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=0)
    ax.xaxis.tick_top()
    ax.tick_params("x", length=0)
    return ax
