"""A picture of the short head and the long tail."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval.metrics.beyond_accuracy import short_head
from receval.plots.axes import BLUE, ORANGE, WIDTH, Axes, finished, new_axes

__all__ = ["long_tail"]


def long_tail(
    awards: npt.ArrayLike, *, share: float = 0.2, crossing: str = "inside", ax: Axes | None = None
) -> Axes:
    """Share of all awards that the most awarded items hold together, the short head apart.

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
    ax = ax or new_axes((WIDTH, 3.4))
    wide = counts.size > 50
    style: Any = {} if wide else {"marker": "o", "markersize": 4}
    tail = slice(max(n - 1, 0), None)
    ax.plot(rank[tail], held[tail], color=BLUE, label="long tail", **style)
    ax.plot(rank[:n], held[:n], color=ORANGE, linewidth=3, label="short head", **style)
    ax.axhline(share, color="0.5", linestyle=":", linewidth=1)
    xlim = (
        (0.8, 1.1 * counts.size) if wide else (0.5, counts.size + 0.5)
    )  # no item before the first
    ax.set(xscale="log" if wide else "linear", xlim=xlim, ylim=(0, 1.03))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    if not wide:
        ax.locator_params(axis="x", integer=True, min_n_ticks=1)
    title = f"{n:,} of {counts.size:,} items hold {held[n - 1] if n else 0:.1%} of the awards"
    ax.set(title=title, xlabel=f"items, most awarded first{' (logarithmic)' * wide}")
    return finished(ax, legend={"loc": "center right"}, ylabel="share of all awards")
