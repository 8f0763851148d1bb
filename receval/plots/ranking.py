"""Figures of the weight of each rank, and of what each rank adds to a sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from receval._checks import check_callable, check_count, check_that
from receval._escape import for_legend, for_plot
from receval.metrics.discounts import Discount
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    SMALL,
    WIDTH,
    check_columns,
    finish_axes,
    new_axes,
    seaborn,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

__all__ = ["discount_curves", "term_bars"]


def discount_curves(discounts: Sequence[Discount], *, n: int = 10, ax: Axes | None = None) -> Axes:
    """Draw the weight of each rank, one line per discount.

    Parameters
    ----------
    discounts : sequence of callables
        Discounts of `receval.metrics.discounts`, or your own functions; the name of a function
        is its label.
    n : int, default 10
        Last rank that is shown.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If ``n`` is not a positive integer.

    Examples
    --------
    >>> from receval.metrics import clipped_log2, shifted_log2
    >>> axes = discount_curves([shifted_log2, clipped_log2], n=5)
    >>> axes.get_xlabel()
    'rank'
    """
    check_count(n, "n")
    check_that(len(discounts) > 0, "discounts", "hold at least one function", discounts)
    for discount in discounts:
        check_callable(discount, "discounts", "shifted_log2")
    ax = ax or new_axes((WIDTH, 3.2))
    ranks = np.arange(1.0, n + 1)
    for discount, colour in zip(discounts, cycle(COLOURS)):
        weights = np.broadcast_to(discount(ranks), ranks.shape)  # a discount can be constant
        label = for_legend(getattr(discount, "__name__", str(discount)))
        seaborn().lineplot(x=ranks, y=weights, marker="o", color=colour, label=label, ax=ax)
    ax.locator_params(axis="x", integer=True, nbins=11, min_n_ticks=1)
    return finish_axes(
        ax,
        title="What a rank is worth",
        xlabel="rank",
        ylabel="weight",
        legend=LEGEND_OUTSIDE,
        xlim=(0.5, n + 0.5),
        ylim=(0, 1.05),
    )


def term_bars(workings: Mapping[str, pd.DataFrame], *, ax: Axes | None = None) -> Axes:
    """Show what each rank adds to the sum, for several lists side by side.

    Parameters
    ----------
    workings : mapping of str to DataFrame
        Name of each list and its table from `receval.working`, with the columns ``rank`` and
        ``term``. If there is a column ``item``, the items are written on the bars.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there is no table, or one of them lacks ``rank`` or ``term``.

    Examples
    --------
    >>> from receval import working
    >>> axes = term_bars({"group's list": working.dcg([9, 9, 6, 4])})
    >>> axes.get_ylabel()
    'term'
    """
    has_table = isinstance(workings, Mapping) and len(workings) > 0
    check_that(has_table, "workings", "hold at least one table", workings)
    for name, table in workings.items():
        check_columns(table, f"workings[{name!r}]", ("rank", "term"))
    ax = ax or new_axes((WIDTH, 3.6))
    rows = pd.concat(list(workings.values()), keys=range(len(workings)), names=["list", None])
    seaborn().barplot(
        rows.reset_index(),
        x="rank",
        y="term",
        hue="list",
        estimator="sum",
        errorbar=None,
        palette="colorblind",
        saturation=1,
        legend=False,
        ax=ax,
    )
    for bars, (name, table) in zip(ax.containers, workings.items(), strict=True):
        bars.set_label(for_legend(name))
        if "item" in table:
            items = table.dropna(subset="term").sort_values("rank")["item"].map(for_plot)
            ax.bar_label(cast("BarContainer", bars), items, padding=2, fontsize=SMALL)
    ax.margins(y=0.12)
    return finish_axes(
        ax,
        title="What each rank adds to the sum",
        xlabel="rank",
        ylabel="term",
        legend=LEGEND_OUTSIDE,
    )
