"""From one convention's value to another's, as a waterfall."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.plots.axes import BLUE, ORANGE, WIDTH, Axes, check_columns, finished, new_axes, rows

__all__ = ["waterfall"]


def waterfall(ladder: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """What each choice adds on the way from one convention's value to another's.

    Parameters
    ----------
    ladder : DataFrame
        As `receval.explain_difference` answers it.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The two values as points, each change as a bar from the value before it.

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
    choices = ladder[1:-1]  # those that change nothing here have no bar
    moving = pd.concat([ladder[:1], choices[choices["change"] != 0], ladder[-1:]])
    value = moving["value"].to_numpy(float)
    place, steps = np.arange(len(moving)), np.diff(value)[:-1]
    ax = ax or new_axes((WIDTH, 0.9 + 0.38 * len(moving)))
    colours = [BLUE if step >= 0 else ORANGE for step in steps]
    ax.barh(place[1:-1], steps, left=value[:-2], color=colours, height=0.6)
    ax.vlines(value[:-1], place[:-1], place[1:], color="0.6", linewidth=1, zorder=0)
    ends = np.maximum(value[:-2], value[1:-1])
    texts = [f"{value[0]:.3f}", *(f"{step:+.3f}" for step in steps), f"{value[-1]:.3f}"]
    for text, x, y in zip(texts, [value[0], *ends, value[-1]], place, strict=True):
        ax.annotate(text, (x, y), (7, 0), textcoords="offset points", va="center", fontsize=9)
    ax.plot(value[[0, -1]], place[[0, -1]], "o", color="black", clip_on=False)
    ax.use_sticky_edges = False
    ax.margins(x=0.15)
    first, last = moving.index[[0, -1]]
    title = f"From {first} to {last}, choice by choice" + ": the same value" * (not steps.any())
    rows(ax, moving.index)
    return finished(ax, title=title, xlabel="value")
