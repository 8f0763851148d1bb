"""A figure of a network: the links that are recommended to a user, and those that are hidden."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import import_extra
from receval._escape import for_plot
from receval.plots.axes import (
    ALIGNMENTS,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SMALL,
    WIDTH,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["link_ring"]

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
    networkx = import_extra("networkx", "notebooks", "plots.link_ring")
    weights = hidden_links[hidden_links["user"] == user].set_index("item")[weight]
    names = [*recommended, *weights.index.difference(list(recommended))]
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    places = dict(zip(names, np.column_stack([np.cos(angles), np.sin(angles)]), strict=True))
    places[user] = np.zeros(2)

    # The ways from the user over a known link to somebody on the ring.
    neighbours = links.loc[links["user"] == user, "item"]
    ways = links[links["user"].isin(neighbours) & links["item"].isin(names)]
    graph = networkx.empty_graph([*places])
    graph.add_edges_from(zip(ways["user"], ways["item"], strict=True))
    graph.add_edges_from((user, neighbour) for neighbour in ways["user"].unique())
    places = networkx.spring_layout(graph, pos=places, fixed=[*places], k=0.3, seed=0)

    ax = ax or new_axes((WIDTH, 5.6))
    networkx.draw_networkx(
        graph, places, ax=ax, node_size=20, node_color=GREY, edge_color=WAY, with_labels=False
    )
    lines = {}
    for number, name in enumerate(names, start=1):
        is_recommended = number <= len(recommended)
        meaning, colour, dashes = LOOKS[is_recommended, name in weights]
        rank = f"{number}. " if is_recommended else ""
        weight_text = f" ({weights[name]:g})" if name in weights else ""
        x, y = places[name]
        [lines[meaning]] = ax.plot(
            [0, x],
            [0, y],
            dashes,
            color=colour,
            linewidth=1.5 + 7 * weights.get(name, 0) / hidden_links[weight].max(),
            marker="o",
            markersize=8,
            markevery=[1],
        )
        ax.annotate(
            f"{rank}{for_plot(name)}{weight_text}",
            (x, y),
            (11 * x, 11 * y),
            textcoords="offset points",
            ha=ALIGNMENTS[int(np.sign(np.round(x, 1)))],
            va="center",
            color=colour,
        )
    if len(ways):
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
