"""Figures of lists: terms by rank, the steps between two conventions, places, and the long tail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import Options
from receval._escape import for_legend, for_plot
from receval.metrics.beyond_accuracy import short_head
from receval.metrics.case_ranking import Ranking, RankingLike, cut_rankings
from receval.plots.axes import (
    BLUE,
    GREEN,
    GREY,
    LEGEND_OUTSIDE,
    LINE_LENGTH,
    ORANGE,
    SMALL,
    WIDTH,
    finish_axes,
    label_rows,
    new_axes,
    seaborn,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

__all__ = ["long_tail", "slope_chart", "term_bars", "waterfall"]


def term_bars(workings: Mapping[str, pd.DataFrame], *, ax: Axes | None = None) -> Axes:
    """Show what each rank adds to the sum, for several lists side by side.

    Parameters
    ----------
    workings : mapping of str to DataFrame
        Name of each list and its table from `receval.working`, with the columns ``rank`` and
        ``term``. If there is a column ``item``, the items are written on the bars.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from receval import working
    >>> axes = term_bars({"group's list": working.dcg([9, 9, 6, 4])})
    >>> axes.get_ylabel()
    'term'
    """
    ax = ax or new_axes((WIDTH, 3.6))
    rows = pd.concat(list(workings.values()), keys=range(len(workings)), names=["list", None])
    seaborn().barplot(
        rows.reset_index(),
        x="rank",
        y="term",
        hue="list",
        estimator="sum",
        errorbar=None,
        palette="colorblind",
        saturation=1,
        legend=False,
        ax=ax,
    )
    for bars, (name, table) in zip(ax.containers, workings.items(), strict=True):
        bars.set_label(for_legend(name))
        if "item" in table:
            items = table.dropna(subset="term").sort_values("rank")["item"].map(for_plot)
            ax.bar_label(cast("BarContainer", bars), items, padding=2, fontsize=SMALL)
    ax.margins(y=0.12)
    title = "What each rank adds to the sum"
    return finish_axes(ax, title=title, xlabel="rank", ylabel="term", legend=LEGEND_OUTSIDE)


def waterfall(ladder: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show what each choice adds on the way from one convention's value to another's.

    Parameters
    ----------
    ladder : DataFrame
        Result of `receval.explain_difference`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The two values are points; each change is a bar that starts at the value before it.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import explain_difference
    >>> recs = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [3, 2, 1]})
    >>> truth = pd.DataFrame({"user": 1, "item": ["b", "c", "d"], "relevance": [3, 1, 1]})
    >>> axes = waterfall(explain_difference(recs, truth, "nDCG@3", "ranx", "lenskit"))
    >>> axes.get_xlabel()
    'value'
    """
    # The first and the last row are the two conventions. The rows in between are the choices; each
    # has its change and the value that it leads to.
    choices = ladder[1:-1]
    effective_choices = choices[choices["change"] != 0]  # the others would have empty bars
    drawn = pd.concat([ladder[:1], effective_choices, ladder[-1:]])
    values = drawn["value"].to_numpy(float)
    rows = np.arange(len(drawn))
    changes = np.diff(values, prepend=values[0])  # the last row repeats the value before it
    ax = ax or new_axes((WIDTH, 0.9 + 0.38 * len(drawn)))

    # A bar for each change, connected with the next row by a line at the value reached. The two
    # conventions are points.
    colours = np.where(changes >= 0, BLUE, ORANGE)
    bars = ax.barh(rows, changes, 0.6, left=values - changes, color=colours)
    texts = [f"{change:+.3f}" for change in changes]
    texts[0], texts[-1] = f"{values[0]:.3f}", f"{values[-1]:.3f}"
    ax.bar_label(bars, texts, padding=7, fontsize=9)
    ax.vlines(values[:-1], rows[:-1], rows[1:], color=GREY, linewidth=1, zorder=0)
    ax.plot(values[[0, -1]], rows[[0, -1]], "o", color="black", clip_on=False)
    ax.use_sticky_edges = False  # bars would otherwise end at the frame
    ax.margins(x=0.15)
    label_rows(ax, drawn.index)
    title = f"From {drawn.index[0]} to {drawn.index[-1]}, choice by choice"
    return finish_axes(ax, title=title, xlabel="value")


def slope_chart(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, ax: Axes | None = None
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
        If a ranking holds a case twice or a similarity that is not finite.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> ax = slope_chart(truth, {"G2": 0.5, "G3": 0.2, "G4": 0.3})
    >>> ax.get_title(loc="left")
    'Cases in the right place: 1 of 3'
    """
    rankings = cut_rankings(truth, retrieved, None)
    n_rows = max(map(len, rankings))
    ax = ax or new_axes((WIDTH, 0.38 * n_rows + 0.9))
    # The place of each case in both orders, NaN where a ranking lacks the case.
    places = [pd.Series(ranking.place) + 1 for ranking in rankings]
    ends = pd.concat(places, axis=1, sort=False).to_numpy()
    is_in_place = ends[:, 0] == ends[:, 1]
    for places_of_case, colour in zip(ends, np.where(is_in_place, GREEN, ORANGE), strict=True):
        ax.plot(places_of_case, "o-", color=colour, linewidth=3, markersize=9, clip_on=False)
    if k is not None:
        ax.axhline(k + 0.5, color=GREY, linestyle="--", linewidth=1)

    left, right = map(_case_labels, rankings)
    ax.set_yticks(range(1, len(left) + 1), left)
    look: Options = {"va": "center_baseline", "fontsize": ax.get_yticklabels()[0].get_fontsize()}
    for place, label in enumerate(right, start=1):
        ax.annotate(label, (1, place), (10, 0), textcoords="offset points", **look)
    ax.set_xticks([0, 1], ["true\norder", "retrieved\norder"])
    ax.set(xlim=(-0.06, 1.06), ylim=(n_rows + 0.6, 0.4))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(f"Cases in the right place: {is_in_place.sum()} of {len(left)}", loc="left")
    return ax


def _case_labels(ranking: Ranking) -> list[str]:
    """Return the place, the name and the similarity of each case as text."""
    return [
        f"{place}. {for_plot(case, longest=LINE_LENGTH)} ({similarity:.3g})"
        for place, (case, similarity) in enumerate(ranking.items(), start=1)
    ]


def long_tail(awards: npt.ArrayLike, *, share: float = 0.2, ax: Axes | None = None) -> Axes:
    """Draw the share of all awards that goes to the most awarded items.

    The short head and the long tail have different colours.

    Parameters
    ----------
    awards : array_like of int, shape (items,)
        Number of awards of each item.
    share
        As in `receval.metrics.short_head`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        As in `receval.metrics.short_head`.

    Examples
    --------
    >>> long_tail([5, 2, 2, 1], share=0.6).get_ylabel()
    'share of all awards'
    """
    n_head = int(short_head(awards, share=share).sum())
    counts = np.sort(awards)[::-1]
    shares = np.cumsum(counts) / counts.sum()
    ranks = np.arange(1, len(counts) + 1)
    ax = ax or new_axes((WIDTH, 3.4))
    ax.plot(ranks, shares, color=BLUE, label="long tail")
    ax.plot(ranks[:n_head], shares[:n_head], color=ORANGE, linewidth=3, label="short head")
    ax.axhline(share, color=GREY, linestyle=":", linewidth=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    head_share = shares[:n_head].max(initial=0)
    return finish_axes(
        ax,
        title=f"{n_head:,} of {len(counts):,} items hold {head_share:.1%} of the awards",
        xlabel="items, most awarded first (logarithmic)",
        ylabel="share of all awards",
        legend={"loc": "center right"},
        xlim=(0.8, 1.1 * len(counts)),
        ylim=(0, 1.03),
    )
