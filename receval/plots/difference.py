"""A waterfall of the steps from one convention's value to another's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.plots.axes import (
    BLUE,
    GREY,
    ORANGE,
    WIDTH,
    check_numbers,
    finish_axes,
    label_rows,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["waterfall"]


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

    Raises
    ------
    InputError
        If the frame lacks ``value`` or ``change``.

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
    check_numbers(ladder, "ladder", ("value", "change"))
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

    first, last = drawn.index[[0, -1]]
    label_rows(ax, drawn.index)
    return finish_axes(ax, title=f"From {first} to {last}, choice by choice", xlabel="value")
