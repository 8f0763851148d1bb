"""A figure of the differences between systems, and how certain they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import BoolArray
from receval._escape import for_plot
from receval.plots.axes import (
    ORANGE,
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

__all__ = ["difference_intervals"]


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
        ``difference``, ``low``, ``high`` and ``verdict``. The points with the verdict "better" or
        "worse" are filled.
    alpha : float, default 0.05
        The level of the comparison, for the caption.
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
    >>> columns = ["difference", "low", "high", "verdict"]
    >>> results = pd.DataFrame([[0.1, 0.05, 0.15, "better"]], index=index, columns=columns)
    >>> (panel,) = difference_intervals(results)
    >>> panel.get_title(), panel.get_yticklabels()[0].get_text()
    ('MRR', 'new')
    """
    check_numbers(results, "results", ("difference", "low", "high"))
    captions = [f"filled: better or worse at {alpha:g} by test and interval"]
    if caption:
        captions.append(caption)
    title = "Mean difference of {} from {}"
    panel_axes = []
    for ax, pairs in _panels_by_measure(results, title, "; ".join(captions), axes, lower):
        is_decided = pairs["verdict"].str.startswith(("better", "worse"), na=False).to_numpy()
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


def _panels_by_measure(
    results: pd.DataFrame,
    title: str,
    caption: str,
    axes: PanelAxes | None,
    lower: Sequence[str],
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
