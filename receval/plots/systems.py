"""Pictures of how systems compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.plots.axes import BLUE, finished, name_points, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["system_means", "trade_off"]


def system_means(summary: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean of each system under each measure, as points on one line per measure.

    Parameters
    ----------
    summary : DataFrame
        Systems in rows, measures in columns, as ``Evaluation.summary``.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"HR@10": [0.2, 0.3]}, index=["a", "b"])
    >>> system_means(table).get_xlabel()
    'mean over users'
    """
    import seaborn as sns

    tall = summary.rename_axis("system").reset_index()
    tall = tall.melt("system", var_name="measure", value_name="value")
    ax = ax or new_axes((6.5, 0.55 * summary.shape[1] + 1.2))
    style = {"palette": "colorblind", "size": 9, "jitter": False}
    sns.stripplot(tall, x="value", y="measure", hue="system", ax=ax, **style)
    ax.grid(axis="y", alpha=0.3)
    if ax.get_legend():  # a single system without a name has none
        sns.move_legend(ax, "upper left", bbox_to_anchor=(1, 1), frameon=False)
    return finished(ax, left=True, xlabel="mean over users", ylabel="")


def trade_off(summary: pd.DataFrame, x: str, y: str, *, ax: Axes | None = None) -> Axes:
    """Two measures against each other, a labelled point per system.

    Parameters
    ----------
    summary : DataFrame
        Systems in rows, measures in columns, as ``Evaluation.summary``.
    x, y : str
        Names of two columns, for example accuracy and diversity.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"HR@10": [0.2, 0.3], "CC@10": [0.9, 0.1]}, index=["a", "b"])
    >>> trade_off(table, "HR@10", "CC@10").get_ylabel()
    'CC@10'
    """
    ax = ax or new_axes((5.5, 3.8))
    ax.scatter(summary[x], summary[y], s=70, color=BLUE)
    ax.margins(0.2)
    name_points(ax, summary[[x, y]])
    return finished(ax, xlabel=x, ylabel=y)
