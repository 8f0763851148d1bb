"""A figure of the short head and the long tail of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from receval._checks import Options
from receval.metrics.beyond_accuracy import short_head
from receval.plots.axes import BLUE, ORANGE, WIDTH, finish_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["long_tail"]

MAX_MARKED_ITEMS = 50  # with more items the horizontal axis is logarithmic, without markers


def long_tail(
    awards: npt.ArrayLike, *, share: float = 0.2, crossing: str = "inside", ax: Axes | None = None
) -> Axes:
    """Draw the share of all awards that goes to the most awarded items.

    The short head and the long tail have different colours.

    Parameters
    ----------
    awards : array_like of int, shape (items,)
        Number of awards of each item.
    share, crossing
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
    is_head = short_head(awards, share=share, crossing=crossing)
    n_head = int(is_head.sum())
    counts = np.asarray(awards)
    n_items = counts.size
    cumulative_share = np.cumsum(np.sort(counts)[::-1]) / counts.sum()
    ranks = np.arange(1, n_items + 1)
    is_logarithmic = n_items > MAX_MARKED_ITEMS
    if ax is None:
        ax = new_axes((WIDTH, 3.4))

    style: Options = {}
    if not is_logarithmic:  # a marker for each item, because there are few
        style = {"marker": "o", "markersize": 4}
    head = slice(n_head)
    tail = slice(max(n_head - 1, 0), None)  # the curve of the tail starts at the end of the head
    ax.plot(ranks[tail], cumulative_share[tail], color=BLUE, label="long tail", **style)
    ax.plot(
        ranks[head], cumulative_share[head], color=ORANGE, linewidth=3, label="short head", **style
    )
    ax.axhline(share, color="0.5", linestyle=":", linewidth=1)

    xlabel = "items, most awarded first"
    if is_logarithmic:
        xlabel += " (logarithmic)"
        ax.set(xscale="log", xlim=(0.8, 1.1 * n_items), ylim=(0, 1.03))
    else:
        ax.set(xscale="linear", xlim=(0.5, n_items + 0.5), ylim=(0, 1.03))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    if not is_logarithmic:
        ax.locator_params(axis="x", integer=True, min_n_ticks=1)
    head_share = 0.0
    if n_head > 0:
        head_share = cumulative_share[n_head - 1]
    title = f"{n_head:,} of {n_items:,} items hold {head_share:.1%} of the awards"
    ax.set(title=title, xlabel=xlabel)
    return finish_axes(ax, legend={"loc": "center right"}, ylabel="share of all awards")
