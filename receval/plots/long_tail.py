"""A picture of the short head and the long tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from receval.metrics.beyond_accuracy import short_head
from receval.plots.axes import new_axes

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
    import seaborn as sns

    head = short_head(awards, share=share, crossing=crossing)
    counts = np.asarray(awards)
    held = np.cumsum(np.sort(counts)[::-1]) / counts.sum()
    rank, n_head = np.arange(1, counts.size + 1), int(head.sum())
    ax = ax or new_axes((6.5, 3.6))
    blue, orange = sns.color_palette("colorblind")[:2]
    ax.plot(rank, held, color=blue)
    ax.fill_between(rank[:n_head], held[:n_head], color=orange, alpha=0.6, label="short head")
    ax.fill_between(
        rank[n_head - 1 :], held[n_head - 1 :], color=blue, alpha=0.15, label="long tail"
    )
    ax.axhline(share, color="0.5", linestyle=":", linewidth=1)
    ax.set(
        xscale="log",
        xlabel="items, most awarded first (logarithmic)",
        ylabel="share of all awards",
        xlim=(1, counts.size),
        ylim=(0, 1),
    )
    ax.legend(frameon=False)
    sns.despine(ax=ax)
    return ax
