"""Figures of the order in which cases were retrieved, and of the metrics that judge it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._arrays import ROUNDING, check_cutoff
from receval._checks import Options, check_that, check_unique, import_extra
from receval._escape import for_plot
from receval.metrics.retrieval.ranking import Ranking, RankingLike, cut_rankings, find_places
from receval.plots.axes import (
    LINE_LENGTH,
    MAX_TICK_LENGTH,
    WIDTH,
    check_numbers,
    longest_name,
    new_axes,
)
from receval.plots.theme import GREEN, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["metric_heatmap", "slope_chart"]

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
    if ax is None:
        ax = new_axes((WIDTH, ROW_HEIGHT * n_rows + 0.9))
    retrieved_places = find_places(true_ranking.cases, ranking) + 1  # 0 if it is not there
    dots: Options = {"markersize": 9, "clip_on": False}
    n_in_place = 0
    for place, retrieved_place in enumerate(retrieved_places.tolist(), start=1):
        colour = ORANGE
        if place == retrieved_place:
            colour = GREEN
            n_in_place += 1
        ends = [place, retrieved_place]
        if retrieved_place == 0:
            ends = [place]  # the case is missing
        ax.plot(range(len(ends)), ends, "o-", color=colour, linewidth=3, **dots)
    only_retrieved = np.flatnonzero(find_places(ranking.cases, true_ranking) < 0) + 1
    ax.plot(np.ones(len(only_retrieved)), only_retrieved, "o", color=ORANGE, **dots)
    if k is not None:
        ax.axhline(k + 0.5, color=GREY, linestyle="--", linewidth=1)

    ax.set_yticks(range(1, len(true_ranking) + 1), _case_labels(true_ranking))
    beside: Options = {"textcoords": "offset points", "va": "center_baseline"}
    beside["fontsize"] = ax.get_yticklabels()[0].get_fontsize()
    for place, label in enumerate(_case_labels(ranking), start=1):
        ax.annotate(label, (1, place), (10, 0), **beside)
    ax.set_xticks([0, 1], ["true\norder", "retrieved\norder"])
    ax.set(xlim=(-0.06, 1.06), ylim=(n_rows + 0.6, 0.4))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(f"Cases in the right place: {n_in_place} of {len(true_ranking)}", loc="left")
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
    seaborn = import_extra("seaborn", "plots", "receval.plots")
    check_numbers(values, "values")
    check_unique(list(values.columns), "values", "column")
    check_that(reference in values, "reference", "name a column of values", reference)
    unknown = [column for column in framed if column not in values]
    check_that(not unknown, "framed", "name columns of values", unknown)
    best = values[reference].to_numpy(float)[:, np.newaxis]
    distances = np.abs(values.to_numpy(float) - best)
    is_equal = np.isclose(values, best, rtol=ROUNDING, atol=ROUNDING)
    distances[is_equal] = 0  # values that differ only by rounding are equal
    farthest = np.nanmax(distances, axis=1, keepdims=True, initial=0)
    closeness = 1 - distances / np.where(farthest > 0, farthest, 1)

    # The words of a name are below one another, so a name can be an order of cases. If a word is
    # too long for its column, the names are upright.
    names = [
        "\n".join(for_plot(word, longest=MAX_TICK_LENGTH) for word in str(answer).split())
        for answer in values.columns
    ]
    height_of_names = 0.2 * max(name.count("\n") + 1 for name in names)
    rotation = 0
    length_of_words = longest_name("\n".join(names).split("\n"))
    if length_of_words > 0.5 * WIDTH / len(names):
        height_of_names = 1.4 * length_of_words
        rotation = 90
    if ax is None:
        ax = new_axes((WIDTH, ROW_HEIGHT * len(values) + height_of_names + 0.6))
    texts = (values.round(2) + 0.0).map("{:g}".format)  # adding 0 turns -0 into 0
    options: Options = {"annot": texts, "fmt": "", "cmap": "cividis", "vmin": 0, "vmax": 1}
    seaborn.heatmap(
        closeness,
        linewidths=2,
        xticklabels=names,
        yticklabels=[for_plot(row, LINE_LENGTH, longest=MAX_TICK_LENGTH) for row in values.index],
        ax=ax,
        cbar=False,
        **options,
    )
    best_name = for_plot(reference, LINE_LENGTH // 2, longest=MAX_TICK_LENGTH)
    bar = ax.figure.colorbar(ax.collections[0], ax=ax, shrink=0.8)
    bar.outline.set_linewidth(0)
    bar.set_ticks([0, 1], labels=["worst of\nits row", f"as good as\n{best_name}"])
    # seaborn writes in white on cells that are too light for it. At the middle of cividis, black
    # and white have about the same contrast.
    shown = closeness[~np.isnan(closeness)]  # seaborn writes into these cells, row by row
    for text, share in zip(ax.texts, shown, strict=True):
        text.set_color("black" if share > 0.5 else "white")
    frame: Options = {"fill": False, "edgecolor": ORANGE, "linewidth": 3, "clip_on": False}
    frame["zorder"] = 5  # above lines that users draw
    ax.bar(values.columns.get_indexer(pd.Index(framed)) + 0.5, len(values), 1, **frame)
    ax.xaxis.tick_top()
    ax.tick_params(length=0, rotation=0)
    ax.tick_params("x", rotation=rotation)
    return ax
