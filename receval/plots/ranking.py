"""Figures of the weight of each rank, and of what each rank adds to a sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import Options, check_callable, check_count, check_that
from receval._escape import for_plot
from receval.metrics.discounts import Discount
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    SMALL,
    WIDTH,
    check_columns,
    check_numbers,
    finish_axes,
    legend_labels,
    new_axes,
    titled_heatmap,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["discount_curves", "satisfaction_map", "term_bars"]

MARKERS = ("o", "X", "s", "P", "D", "^", "v", "<", ">")  # one for each of the first curves
MAX_MARKED_RANKS = 20  # with more ranks, markers would hide their curve


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
    ranks = np.arange(1.0, n + 1)
    names = [getattr(discount, "__name__", str(discount)) for discount in discounts]
    if ax is None:
        ax = new_axes((WIDTH, 3.2))
    for label, discount, colour, marker in zip(
        legend_labels(names), discounts, cycle(COLOURS), cycle(MARKERS)
    ):
        weights = np.broadcast_to(discount(ranks), ranks.shape)  # a discount can be constant
        style: Options = {"color": colour, "label": label}
        if n <= MAX_MARKED_RANKS:
            style |= {"marker": marker, "markeredgecolor": "white", "markeredgewidth": 0.75}
        ax.plot(ranks, weights, **style)
    ax.locator_params(axis="x", integer=True, nbins=11, min_n_ticks=1)
    ax.set(xlabel="rank", ylabel="weight", xlim=(0.5, n + 0.5), ylim=(0, 1.05))
    return finish_axes(ax, legend=LEGEND_OUTSIDE, title="What a rank is worth")


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
    if ax is None:
        ax = new_axes((WIDTH, 3.6))
    ranks = np.unique(np.concatenate([table["rank"].to_numpy() for table in workings.values()]))
    bar_width = 0.8 / len(workings)  # the bars of a rank take up 0.8 of the distance to the next
    for number, (label, table, colour) in enumerate(
        zip(legend_labels(workings), workings.values(), cycle(COLOURS))
    ):
        places = np.searchsorted(ranks, table["rank"])  # a tick for each rank of any list
        middles = places - 0.4 + (number + 0.5) * bar_width
        bars = ax.bar(middles, table["term"], bar_width, color=colour, label=label)
        if "item" in table:
            items = [for_plot(item) for item in table["item"]]
            ax.bar_label(bars, labels=items, padding=2, fontsize=SMALL)
    ax.set_xticks(range(len(ranks)), [str(rank) for rank in ranks])
    ax.set_xlim(-0.5, len(ranks) - 0.5)
    ax.margins(y=0.12)
    title = "What each rank adds to the sum"
    return finish_axes(ax, legend=LEGEND_OUTSIDE, title=title, xlabel="rank", ylabel="term")


def satisfaction_map(satisfaction: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the satisfaction of each member under each strategy as a heatmap.

    Parameters
    ----------
    satisfaction : DataFrame
        Strategies in rows, members in columns, values in [0, 1].
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = pd.DataFrame({"U1": [0.9], "U2": [0.7]}, index=["average"])
    >>> [text.get_text() for text in satisfaction_map(table).texts]
    ['0.90', '0.70']
    """
    check_numbers(satisfaction, "satisfaction")
    is_least = satisfaction.eq(satisfaction.min(axis=1), axis=0)
    return titled_heatmap(
        satisfaction,
        is_least,
        title="Satisfaction of each member",
        bold_note=", the least under each strategy in bold",
        number_format=".2f",
        ax=ax,
    )
