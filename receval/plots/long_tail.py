"""A figure of the short head and the long tail of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from receval.metrics.beyond_accuracy import short_head
from receval.plots.axes import BLUE, GREY, ORANGE, WIDTH, finish_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["long_tail"]


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
    counts = np.sort(awards)[::-1]
    n_items = len(counts)
    shares = np.cumsum(counts) / counts.sum()
    ranks = np.arange(1, n_items + 1)
    ax = ax or new_axes((WIDTH, 3.4))
    start = max(n_head - 1, 0)  # the curve of the tail starts at the end of the head
    ax.plot(ranks[start:], shares[start:], color=BLUE, label="long tail")
    ax.plot(ranks[:n_head], shares[:n_head], color=ORANGE, linewidth=3, label="short head")
    ax.axhline(share, color=GREY, linestyle=":", linewidth=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    head_share = shares[:n_head].max(initial=0)
    return finish_axes(
        ax,
        title=f"{n_head:,} of {n_items:,} items hold {head_share:.1%} of the awards",
        xlabel="items, most awarded first (logarithmic)",
        ylabel="share of all awards",
        legend={"loc": "center right"},
        xlim=(0.8, 1.1 * n_items),
        ylim=(0, 1.03),
    )
