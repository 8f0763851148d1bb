"""A picture of the short head and the long tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from receval.metrics.beyond_accuracy import short_head
from receval.plots.axes import BLUE, ORANGE, finished, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["long_tail"]


def long_tail(
    awards: npt.ArrayLike, *, share: float = 0.2, crossing: str = "inside", ax: Axes | None = None
) -> Axes:
    """Share of all awards that the most awarded items hold together, short head shaded.

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
        As `receval.metrics.short_head`.

    Examples
    --------
    >>> long_tail([5, 2, 2, 1], share=0.6).get_ylabel()
    'share of all awards'
    """
    head = short_head(awards, share=share, crossing=crossing)
    counts = np.asarray(awards)
    held = np.cumsum(np.sort(counts)[::-1]) / counts.sum()
    rank, n = np.arange(1, counts.size + 1), int(head.sum())
    ax = ax or new_axes((6.5, 3.6))
    ax.plot(rank, held, color=BLUE)
    ax.fill_between(rank[:n], held[:n], color=ORANGE, alpha=0.6, label="short head")
    ax.fill_between(rank[n - 1 :], held[n - 1 :], color=BLUE, alpha=0.15, label="long tail")
    ax.axhline(share, color="0.5", linestyle=":", linewidth=1)
    ax.set(xscale="log", xlim=(1, counts.size), ylim=(0, 1))
    across = "items, most awarded first (logarithmic)"
    return finished(ax, legend={}, xlabel=across, ylabel="share of all awards")
