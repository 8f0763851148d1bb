"""Pictures of how sure a difference between two systems is, and of who gains and loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.plots.axes import BLUE, ORANGE, finished, new_axes, rows_of_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["difference_intervals", "user_outcomes"]


def difference_intervals(
    results: pd.DataFrame, *, alpha: float = 0.05, ax: Axes | None = None
) -> Axes:
    """Mean differences with their intervals, one line per comparison; filled where significant.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``difference``, ``low``, ``high`` and ``corrected``.
    alpha : float, default 0.05
        A difference is significant if its corrected p-value is at most this.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("MRR", "new", "old")])
    >>> columns = ["difference", "low", "high", "corrected"]
    >>> results = pd.DataFrame([[0.1, 0.05, 0.15, 0.01]], index=index, columns=columns)
    >>> difference_intervals(results).get_xlabel()
    'mean difference (system - baseline)'
    """
    ax = ax or new_axes((8, 0.36 * len(results) + 1.2))
    place = np.arange(len(results))
    significant = (results["corrected"] <= alpha).to_numpy()
    for which, style in (
        (significant, {"label": "significant"}),
        (~significant, {"label": "not significant", "color": ORANGE, "mfc": "white"}),
    ):
        if which.any():
            rows_of_intervals(ax, results[which], "difference", place[which], **style)
    ax.axvline(0, color="0.5", linewidth=1)
    ax.set(xlabel="mean difference (system - baseline)")
    return _row_by_row(ax, results, f"alpha = {alpha:g}")


def user_outcomes(results: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Share of the compared users for whom the system is worse, the same and better.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``worse``, ``same`` and ``better``.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("MRR", "new", "old")])
    >>> results = pd.DataFrame({"worse": [2], "same": [5], "better": [3]}, index=index)
    >>> user_outcomes(results).get_xlabel()
    'share of the users compared'
    """
    ax = ax or new_axes((8, 0.36 * len(results) + 1.2))
    counts = results[["worse", "same", "better"]]
    share = counts.div(counts.sum(axis=1), axis=0)
    start = share.cumsum(axis=1) - share
    for name, color in {"worse": ORANGE, "same": "0.85", "better": BLUE}.items():
        bars = ax.barh(
            np.arange(len(share)), share[name], left=start[name], color=color, alpha=0.7, label=name
        )
        texts = counts[name].astype(str).where(share[name] >= 0.04, "")
        ax.bar_label(bars, texts.tolist(), label_type="center")
    ax.set(xlabel="share of the users compared", xlim=(0, 1))
    return _row_by_row(ax, results, "system is")


def _row_by_row(ax: Axes, results: pd.DataFrame, legend: str) -> Axes:
    """A pair of systems per line, the first on top, and the legend beside them."""
    several = len(results.index.unique(0)) > 1
    labels = [
        f"{f'{measure}: ' if several else ''}{system} - {baseline}"
        for measure, system, baseline in results.index
    ]
    ax.set_yticks(np.arange(len(results)), labels)
    beside = {"title": legend, "loc": "upper left", "bbox_to_anchor": (1, 1)}
    return finished(ax, legend=beside, left=True, ylim=(len(results) - 0.5, -0.5))
