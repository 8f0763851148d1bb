"""Figures of on-line measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval._checks import check_that
from receval.plots.axes import (
    BESIDE,
    WIDTH,
    Axes,
    check_columns,
    finished,
    legend_labels,
    new_axes,
    rows,
    rows_of_intervals,
)

__all__ = ["online_intervals_map"]

# Okabe and Ito's: colour-blind readers can tell them apart, and markers differ too.
PALETTE, MARKERS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), "osD^"


def online_intervals_map(
    intervals: pd.DataFrame, *, measures: Sequence[str] = ("IG",), ax: Axes | None = None
) -> Axes:
    """On-line measures of every system as points with their confidence intervals.

    Parameters
    ----------
    intervals : DataFrame
        As `receval.fuzzy.online.online_intervals` answers it.
    measures : sequence of str, default ("IG",)
        Which measures to draw; several stand side by side for each system.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    Axes
        Systems from top to bottom in the order of the table, measures to the right.

    Raises
    ------
    InputError
        If the table is of another form, or lacks a measure.

    Examples
    --------
    >>> index = pd.MultiIndex.from_tuples([("A", "IG")], names=["system", "measure"])
    >>> table = pd.DataFrame({"value": [0.2], "low": [0.1], "high": [0.3]}, index=index)
    >>> online_intervals_map(table).get_ylabel()
    'system'
    """
    check_columns(intervals, "intervals", ("value", "low", "high"))
    keys = intervals.index
    check_that(keys.nlevels == 2, "intervals", "be indexed by (system, measure)", list(keys.names))
    known = keys.get_level_values(1).unique().tolist()
    some = bool(measures) and set(measures) <= set(known)
    check_that(some, "measures", f"be some of {known}", list(measures))
    systems, n = keys.get_level_values(0).unique(), len(measures)
    ax = ax or new_axes((WIDTH, 0.8 + 0.28 * len(systems) * (1 + n) / 2))
    labels = legend_labels(measures)
    for nth, (name, label) in enumerate(zip(measures, labels, strict=True)):
        part = pd.DataFrame(intervals.xs(name, level=1)).reindex(systems)
        place = np.arange(len(systems)) + (nth - (n - 1) / 2) * 0.6 / n
        style = {"color": PALETTE[nth % 4], "label": label}
        rows_of_intervals(ax, part, "value", place, MARKERS[nth % 4], **style)
    rows(ax, systems)
    xlabel = measures[0] if n == 1 else "measure"
    title = f"{' and '.join(measures)} of each system, with intervals"
    legend = BESIDE if n > 1 else None
    return finished(ax, legend=legend, title=title, xlabel=xlabel, ylabel=str(systems.name))
