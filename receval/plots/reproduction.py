"""A figure of a reproduction: how much of the original effect it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval._checks import input_error
from receval.plots.axes import BLUE, WIDTH, check_columns, finish_axes, new_axes
from receval.plots.point_labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["effect_ratios"]


def effect_ratios(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the effect ratio of a reproduction against its loss of relative improvement.

    Parameters
    ----------
    table : DataFrame
        The table of `Evaluation.reproduced_by`: indexed by (system, measure), with the columns
        ``effect_ratio`` and ``improvement_difference``. Rows that lack one of the two numbers are
        left out.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A labelled point for each system and measure. A perfect reproduction is where the two lines
        cross.

    Raises
    ------
    InputError
        If the frame lacks one of the columns, or no row has both numbers.

    References
    ----------
    Breuer et al., SIGIR 2020, doi:10.1145/3397271.3401036, figure 3.

    Examples
    --------
    >>> table = pd.DataFrame({"effect_ratio": [0.8], "improvement_difference": [0.05]},
    ...                      index=pd.MultiIndex.from_tuples([("new", "nDCG@10")]))
    >>> effect_ratios(table).get_xlabel()
    'effect ratio'
    """
    columns = ["effect_ratio", "improvement_difference"]
    check_columns(table, "table", columns)
    points = table[columns].dropna()
    if points.empty:
        raise input_error("table", "have a row with both numbers", "none")
    points.index = pd.Index([" ".join(map(str, labels)) for labels in points.index])
    if ax is None:
        ax = new_axes((WIDTH, 4))
    ax.axvline(1, color="0.6", linewidth=1, zorder=0)
    ax.axhline(0, color="0.6", linewidth=1, zorder=0)
    ax.scatter(points["effect_ratio"], points["improvement_difference"], s=36, color=BLUE)
    ax.margins(0.15)
    finish_axes(
        ax,
        xlabel="effect ratio",
        ylabel="relative improvement, original − reproduced",
        title="A perfect reproduction is where the lines cross",
    )
    return label_points(ax, points)
