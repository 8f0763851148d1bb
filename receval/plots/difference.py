"""A waterfall of the steps from one convention's value to another's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.plots.axes import (
    BLUE,
    ORANGE,
    WIDTH,
    check_columns,
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
    check_columns(ladder, "ladder", ("value", "change"))
    # The first and the last row are the two conventions. The rows in between are the choices; each
    # has its change and the value that it leads to.
    choices = ladder[1:-1]
    effective_choices = choices[choices["change"] != 0]  # the others would have empty bars
    drawn = pd.concat([ladder[:1], effective_choices, ladder[-1:]])
    values = drawn["value"].to_numpy(float)
    rows = np.arange(len(drawn))
    changes = np.diff(values)[:-1]  # the last row repeats the value before it
    if ax is None:
        ax = new_axes((WIDTH, 0.9 + 0.38 * len(drawn)))

    # A bar for each change, connected with the next row by a line at the value reached.
    colours = [BLUE if change >= 0 else ORANGE for change in changes]
    ax.barh(rows[1:-1], changes, left=values[:-2], color=colours, height=0.6)
    ax.vlines(values[:-1], rows[:-1], rows[1:], color="0.6", linewidth=1, zorder=0)
    # Each number is to the right of its bar or point.
    right_ends = np.maximum(values[:-2], values[1:-1])
    text_positions = [values[0], *right_ends, values[-1]]
    change_texts = [f"{change:+.3f}" for change in changes]
    texts = [f"{values[0]:.3f}", *change_texts, f"{values[-1]:.3f}"]
    for text, x, y in zip(texts, text_positions, rows, strict=True):
        ax.annotate(text, (x, y), (7, 0), textcoords="offset points", va="center", fontsize=9)
    ax.plot(values[[0, -1]], rows[[0, -1]], "o", color="black", clip_on=False)
    ax.use_sticky_edges = False  # bars would otherwise end at the frame
    ax.margins(x=0.15)

    first, last = drawn.index[[0, -1]]
    title = f"From {first} to {last}, choice by choice"
    if not changes.any():
        title += ": the same value"
    label_rows(ax, drawn.index)
    return finish_axes(ax, title=title, xlabel="value")
