"""From one convention's value to another's, as a waterfall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.plots.axes import BLUE, ORANGE, check_columns, finished, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    still = ladder["change"].eq(0).to_numpy(copy=True)
    still[[0, -1]] = False
    moving = ladder[~still]  # choices that change nothing here have no bar
    value = moving["value"].to_numpy(float)
    place, steps = np.arange(len(moving)), np.diff(value)[:-1]
    ax = ax or new_axes((6.5, 0.8 + 0.42 * len(moving)))
    colours = [BLUE if step >= 0 else ORANGE for step in steps]
    ax.barh(place[1:-1], steps, left=value[:-2], color=colours)
    ends = np.maximum(value[:-2], value[1:-1])
    texts = [f"{value[0]:.3f}", *(f"{step:+.3f}" for step in steps), f"{value[-1]:.3f}"]
    for text, x, y in zip(texts, [value[0], *ends, value[-1]], place, strict=True):
        ax.annotate(text, (x, y), (7, 0), textcoords="offset points", va="center")
    ax.plot(value[[0, -1]], place[[0, -1]], "o", color="black", clip_on=False)
    ax.set_yticks(place, moving.index.astype(str))
    ax.margins(x=0.2)
    ax.invert_yaxis()
    return finished(ax, xlabel="value", ylabel="")
