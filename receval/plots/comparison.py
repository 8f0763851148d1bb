"""Figures of the difference between two systems: how certain it is, and which users gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._escape import for_plot
from receval._types import BoolArray, Options
from receval.plots.axes import (
    BLUE,
    ORANGE,
    SMALL,
    PanelAxes,
    check_numbers,
    draw_intervals,
    finish_axes,
    label_rows,
    measure_title,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["difference_intervals", "user_outcomes"]


def difference_intervals(
    results: pd.DataFrame,
    *,
    alpha: float = 0.05,
    lower: Sequence[str] = (),
    caption: str = "",
    axes: PanelAxes | None = None,
) -> list[Axes]:
    """Draw mean differences with their intervals, one panel per measure.

    A point is filled if its difference is decided, and empty if it is not.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``difference``, ``low``, ``high`` and ``corrected``. If there is a column ``verdict``, the
        points with the verdict "better" or "worse" are filled. Otherwise the points of significant
        differences are filled.
    alpha : float, default 0.05
        A difference is significant if its corrected p-value is at most this.
    lower : sequence of str, optional
        Measures for which lower values are better.
    caption : str, default ""
        A sentence under the new figure.
    axes : sequence of Axes, optional
        The Axes to draw on, one per measure. Default: a new figure.

    Returns
    -------
    list of matplotlib.axes.Axes
        A line per pair of systems, with its difference at the right end.

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
    if has_verdict:
        captions = [f"filled: better or worse at {alpha:g} by test and interval"]
    else:
        captions = [f"filled: significant, corrected p at most {alpha:g}"]
    if caption:
        captions.append(caption)
    title = "Mean difference of {} from {}"
    panel_axes = []
    for ax, pairs in _panels_by_measure(results, title, "; ".join(captions), axes, lower):
        if has_verdict:
            is_decided = pairs["verdict"].str.startswith(("better", "worse")).to_numpy()
        else:
            is_decided = (pairs["corrected"] <= alpha).to_numpy()
        _draw_differences(ax, pairs, is_decided)
        _draw_differences(ax, pairs, ~is_decided, color=ORANGE, mfc="white")
        ax.axvline(0, color="0.5", linewidth=1)
        label_rows(ax, pairs.index, pairs["difference"], "+.3f")
        panel_axes.append(finish_axes(ax, hide_left=True))
    return panel_axes


def _draw_differences(ax: Axes, pairs: pd.DataFrame, is_drawn: BoolArray, **style: str) -> None:
    """Draw the differences of some pairs of systems, each at the height of its row."""
    if is_drawn.any():
        draw_intervals(ax, pairs[is_drawn], "difference", np.flatnonzero(is_drawn), **style)


def user_outcomes(
    results: pd.DataFrame, *, caption: str = "", axes: PanelAxes | None = None
) -> list[Axes]:
    """Draw the shares of users for whom a system is worse, the same or better.

    Parameters
    ----------
    results : DataFrame
        As ``Comparison.results``: indexed by (measure, system, baseline), with the columns
        ``worse``, ``same`` and ``better``.
    caption : str, default ""
        A sentence under the new figure.
    axes : sequence of Axes, optional
        The Axes to draw on, one per measure. Default: a new figure.

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
    outcomes = ["worse", "same", "better"]
    check_numbers(results, "results", outcomes)
    title = "For how many users {} is worse, the same or better than {}"
    n_measures = len(results.index.unique(0))
    # Smaller bars have no room for a number. Up to three panels share the width of a figure.
    smallest_labelled_share = 0.05 * min(3, n_measures)
    panel_axes = []
    for ax, pairs in _panels_by_measure(results, title, caption, axes):
        counts = pairs[outcomes]
        shares = counts.div(counts.sum(axis=1), axis=0)
        texts = counts.map("{:g}".format).where(shares >= smallest_labelled_share, "")
        starts = shares.cumsum(axis=1) - shares  # the bars of a row follow one another
        for outcome, colour in zip(outcomes, (ORANGE, "0.85", BLUE), strict=True):
            bars = ax.barh(
                range(len(shares)),
                shares[outcome],
                left=starts[outcome],
                color=colour,
                alpha=0.7,
                label=outcome,
            )
            ax.bar_label(bars, texts[outcome].tolist(), label_type="center", fontsize=SMALL)
        label_rows(ax, pairs.index)
        ax.grid(visible=False)
        panel_axes.append(finish_axes(ax, hide_left=True, xlim=(0, 1), ylabel=""))
    style: Options = {"ncols": 3, "frameon": False, "fontsize": SMALL}
    if axes is None:  # a figure that the user made may have no room outside its axes
        style["loc"] = "outside lower right"
    handles, labels = panel_axes[0].get_legend_handles_labels()
    figure = panel_axes[0].figure
    figure.legend(handles, labels, **style)
    return panel_axes


def _panels_by_measure(
    results: pd.DataFrame,
    title: str,
    caption: str,
    axes: PanelAxes | None,
    lower: Sequence[str] = (),
) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """Yield for each measure its Axes and its rows of ``results``.

    The index of ``results`` has the levels (measure, system, baseline). For all measures, the rows
    have the same order of pairs (system, baseline). Their index holds the system if all rows share
    one baseline, and "system - baseline" otherwise. ``title`` is a template of `str.format` with
    two places, for system and baseline. ``lower`` names the measures for which lower values are
    better.
    """
    measures = results.index.unique(0)
    pairs = results.droplevel(0).index.unique()
    has_one_baseline = len(pairs.unique(1)) == 1
    if has_one_baseline:
        names = [f"{system}" for system, _ in pairs]
        title = title.format("each", pairs[0][1])
    else:
        names = [f"{system} - {baseline}" for system, baseline in pairs]
        title = title.format("the first system", "the second")
    panel_axes = panels(len(measures), names, axes, title=title, caption=caption)
    for ax, measure in zip(panel_axes, measures, strict=True):
        ax.set_title(for_plot(measure_title(measure, lower)))
        yield ax, results.loc[measure].reindex(pairs).set_axis(names)
