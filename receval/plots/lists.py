"""Figures of lists: terms by rank, steps between two conventions, places, and links of a user."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from receval._checks import Options, check_not_empty, import_extra
from receval._escape import for_legend, for_plot
from receval.metrics.case_ranking import Ranking, RankingLike, cut_rankings
from receval.plots.axes import (
    ALIGNMENTS,
    BLUE,
    GREEN,
    GREY,
    LEGEND_OUTSIDE,
    LINE_LENGTH,
    ORANGE,
    SMALL,
    WIDTH,
    check_columns,
    finish_axes,
    label_rows,
    new_axes,
    seaborn,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D
    from networkx import Graph


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
    check_not_empty(workings, "workings", "have at least one table")
    for name, table in workings.items():
        source = "a table of receval.working"
        check_columns(table, ["rank", "term"], f"workings[{name!r}]", source)
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
    check_columns(ladder, ["value", "change"], "ladder", "the result of explain_difference")
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


# Links of a user ----------------------------------------------------------------------------------

WAY = "darkgrey"
"""The colour of the known links, which lead from the user to the ring."""

LOOKS = {
    (True, True): ("hidden link, found", GREEN, "-"),
    (True, False): ("recommended, no link", ORANGE, "--"),
    (False, True): ("hidden link, missed", "black", ":"),
}
"""What a line from the user to the ring means, with its colour and dashes.

The keys say whether the person is recommended, and whether there is a hidden link.
"""


def link_ring(
    user: Hashable,
    recommended: Sequence[Hashable],
    links: pd.DataFrame,
    hidden_links: pd.DataFrame,
    *,
    weight: str = "weight",
    ax: Axes | None = None,
) -> Axes:
    """Draw the people who are recommended to a user, and the user's hidden links.

    The user is in the middle of a ring. On the ring are the recommended people, clockwise from the
    top in the order of their ranks, and then the hidden links that the list misses. The small dots
    are people whom the user knows, and who know somebody on the ring.

    Parameters
    ----------
    user : label
        The user.
    recommended : sequence of labels
        The people who are recommended to the user, best first.
    links : DataFrame
        The links that the recommender knows: ``user`` and ``item``.
    hidden_links : DataFrame
        The links that it should find: ``user``, ``item`` and the weight. The weight is in
        parentheses, and the line of a link is the wider, the higher its weight.
    weight : str, default "weight"
        The column of weights.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        If matplotlib or networkx is not installed: ``pip install "receval[notebooks]"``.

    Examples
    --------
    >>> links = pd.DataFrame({"user": ["ann", "ben"], "item": ["ben", "cat"]})
    >>> hidden_links = pd.DataFrame({"user": ["ann", "ann"], "item": ["cat", "dan"], "weight": 2})
    >>> ax = link_ring("ann", ["cat", "eve"], links, hidden_links)
    >>> [text.get_text() for text in ax.texts]
    ['1. cat (2)', '2. eve', 'dan (2)', 'ann']
    """
    check_columns(links, ["user", "item"], "links")
    check_columns(hidden_links, ["user", "item", weight], "hidden_links")
    networkx = import_extra("networkx", "notebooks", "plots.link_ring")
    weights = hidden_links[hidden_links["user"] == user].set_index("item")[weight]
    names = [*recommended, *weights.index.difference(list(recommended))]
    graph = _ways_to_ring(networkx.Graph(), user, names, links)
    # The user is in the middle, and the names are on a ring, clockwise from the top. The other
    # people find their places between them.
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    places = dict(zip(names, np.column_stack([np.cos(angles), np.sin(angles)]), strict=True))
    places[user] = np.zeros(2)
    places = networkx.spring_layout(graph, pos=places, fixed=[*places], k=0.3, seed=0)

    ax = ax or new_axes((WIDTH, 5.6))
    networkx.draw_networkx(
        graph, places, ax=ax, node_size=20, node_color=GREY, edge_color=WAY, with_labels=False
    )
    lines = {}  # of the legend, by meaning
    for number, name in enumerate(names, start=1):
        is_recommended = number <= len(recommended)
        meaning, colour, dashes = LOOKS[is_recommended, name in weights]
        text = for_plot(name)
        if is_recommended:
            text = f"{number}. {text}"
        if name in weights:
            text = f"{text} ({weights[name]:g})"
        width = 1.5 + 7 * weights.get(name, 0) / hidden_links[weight].max()
        lines[meaning] = _draw_link(ax, places[name], text, colour, dashes, width)
    if graph.number_of_edges():
        [lines["known links"]] = ax.plot([], [], marker="o", markersize=5, mfc=GREY, color=WAY)
    ax.plot(0, 0, marker="o", markersize=18, color=BLUE)
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
    ax.annotate(for_plot(user), (0, -0.09), ha="center", va="top", weight="bold", bbox=behind)
    ax.legend(
        lines.values(),
        lines,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=4,
        fontsize=SMALL,
        frameon=False,
    )
    ax.set(xlim=(-1.8, 1.8), ylim=(-1.15, 1.15), aspect="equal")
    ax.axis("off")
    return ax


def _ways_to_ring(
    graph: Graph, user: Hashable, names: Sequence[Hashable], links: pd.DataFrame
) -> Graph:
    """Add the ways from the user over a known link to somebody on the ring, and return the graph.

    ``names`` are the people on the ring, who are in the graph even if no way leads to them.
    """
    neighbours = links.loc[links["user"] == user, "item"]
    ways = links[links["user"].isin(neighbours) & links["item"].isin(names)]
    graph.add_nodes_from([*names, user])
    graph.add_edges_from(zip(ways["user"], ways["item"], strict=True))
    graph.add_edges_from((user, neighbour) for neighbour in ways["user"].unique())
    return graph


def _draw_link(
    ax: Axes, place: npt.NDArray[np.float64], text: str, colour: str, dashes: str, width: float
) -> Line2D:
    """Draw a line from the middle to a place on the ring, with a text beyond it, and return it."""
    x, y = place
    [line] = ax.plot(
        [0, x],
        [0, y],
        dashes,
        color=colour,
        linewidth=width,
        marker="o",
        markersize=8,
        markevery=[1],
    )
    ax.annotate(
        text,
        (x, y),
        (11 * x, 11 * y),
        textcoords="offset points",
        ha=ALIGNMENTS[int(np.sign(np.round(x, 1)))],
        va="center",
        color=colour,
    )
    return line
