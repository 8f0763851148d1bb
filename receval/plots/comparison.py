"""Pictures of how sure a difference between two systems is, and of who gains and loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval._escape import for_plot
from receval.plots.axes import (
    BLUE,
    ORANGE,
    SMALL,
    Axes,
    check_numbers,
    finished,
    panels,
    rows,
    rows_of_intervals,
)

__all__ = ["difference_intervals", "user_outcomes"]


def difference_intervals(
    results: pd.DataFrame,
    *,
    alpha: float = 0.05,
    lower: Sequence[str] = (),
    caption: str = "",
    axes: Any = None,
) -> list[Axes]:
    """Mean differences with their intervals, a panel per measure; filled where decided.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``difference``, ``low``, ``high`` and ``corrected``, and ``verdict`` if there is one: a
        point is filled where it is "better" or "worse", else where the difference is significant.
    alpha : float, default 0.05
        A difference is significant if its corrected p-value is at most this.
    lower : sequence of str, optional
        Measures whose lower values are the better ones.
    caption : str, default ""
        A sentence under the new figure.
    axes : sequence of Axes, optional
        Where to draw, one per measure. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        A line per pair of systems, its difference at the right end.

    Raises
    ------
    InputError
        If there is not one Axes per measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("MRR", "new", "old")])
    >>> columns = ["difference", "low", "high", "corrected"]
    >>> results = pd.DataFrame([[0.1, 0.05, 0.15, 0.01]], index=index, columns=columns)
    >>> (panel,) = difference_intervals(results)
    >>> panel.get_title(), panel.get_yticklabels()[0].get_text()
    ('MRR', 'new')
    """
    check_numbers(results, "results", ("difference", "low", "high", "corrected"))
    has_verdict = "verdict" in results
    filled = f"filled: significant, corrected p at most {alpha:g}"
    if has_verdict:
        filled = f"filled: better or worse at {alpha:g} by test and interval"
    caption = "; ".join(filter(None, (filled, caption)))
    found = []
    for ax, part in _by_measure(results, "Mean difference of {} from {}", caption, axes, lower):
        decided = (part["corrected"] <= alpha).to_numpy()
        if has_verdict:
            decided = part["verdict"].str.startswith(("better", "worse")).to_numpy()
        for which, style in ((decided, {}), (~decided, {"color": ORANGE, "mfc": "white"})):
            if which.any():
                rows_of_intervals(ax, part[which], "difference", np.flatnonzero(which), **style)
        ax.axvline(0, color="0.5", linewidth=1)
        rows(ax, part.index, part["difference"], "+.3f")
        found.append(finished(ax, left=True))
    return found


def user_outcomes(results: pd.DataFrame, *, caption: str = "", axes: Any = None) -> list[Axes]:
    """Share of the compared users for whom the system is worse, the same and better.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``worse``, ``same`` and ``better``.
    caption : str, default ""
        A sentence under the new figure.
    axes : sequence of Axes, optional
        Where to draw, one per measure. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is not one Axes per measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("MRR", "new", "old")])
    >>> results = pd.DataFrame({"worse": [2], "same": [5], "better": [3]}, index=index)
    >>> [panel.get_title() for panel in user_outcomes(results)]
    ['MRR']
    """
    check_numbers(results, "results", ("worse", "same", "better"))
    found, title = [], "For how many users {} is worse, the same or better than {}"
    room = 0.05 * min(3, len(results.index.unique(0)))  # for a number in its bar
    for ax, part in _by_measure(results, title, caption, axes):
        counts = part[["worse", "same", "better"]]
        share = counts.div(counts.sum(axis=1), axis=0)
        shown = counts.map("{:g}".format).where(share >= room, "")
        starts = share.cumsum(axis=1) - share
        for name, colour in zip(counts, (ORANGE, "0.85", BLUE), strict=True):
            style: Any = {"color": colour, "alpha": 0.7, "label": name}
            bars = ax.barh(range(len(share)), share[name], left=starts[name], **style)
            ax.bar_label(bars, shown[name].tolist(), label_type="center", fontsize=SMALL)
        rows(ax, part.index)
        ax.grid(visible=False)
        found.append(finished(ax, left=True, xlim=(0, 1), ylabel=""))
    beside: Any = {"loc": "outside lower right"} if axes is None else {}
    handles, names = found[0].get_legend_handles_labels()
    found[0].figure.legend(handles, names, ncols=3, frameon=False, fontsize=SMALL, **beside)
    return found


def _by_measure(
    results: pd.DataFrame, title: str, caption: str, axes: Any, lower: Sequence[str] = ()
) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """A panel for each measure, and its pairs of systems, by what they are called there."""
    measures, pairs = results.index.unique(0), results.droplevel(0).index.unique()
    only = len(pairs.unique(1)) == 1
    said = ("each", pairs[0][1]) if only else ("the first system", "the second")
    names = [f"{first}" if only else f"{first} - {second}" for first, second in pairs]
    figure = panels(len(measures), names, axes, title=title.format(*said), caption=caption)
    for ax, measure in zip(figure, measures, strict=True):
        aside = " (lower is better)" if measure in lower else ""
        ax.set_title(for_plot(f"{measure}{aside}"))
        yield ax, results.loc[measure].reindex(pairs).set_axis(names)
