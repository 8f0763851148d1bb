"""Figures of the weight of each rank, and of what each rank adds to a sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from receval._checks import check_callable, check_count, check_that
from receval._escape import for_plot
from receval.metrics.discounts import Discount
from receval.plots.axes import (
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
    from matplotlib.container import BarContainer

__all__ = ["discount_curves", "satisfaction_map", "term_bars"]


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
    import seaborn as sns

    check_count(n, "n")
    check_that(len(discounts) > 0, "discounts", "hold at least one function", discounts)
    for discount in discounts:
        check_callable(discount, "discounts", "shifted_log2")
    ranks = np.arange(1.0, n + 1)
    names = [getattr(discount, "__name__", str(discount)) for discount in discounts]
    curves = {}
    for label, discount in zip(legend_labels(names), discounts, strict=True):
        curves[label] = np.asarray(discount(ranks))
    if ax is None:
        ax = new_axes((WIDTH, 3.2))
    sns.lineplot(
        pd.DataFrame(curves, ranks), ax=ax, palette="colorblind", markers=n <= 20, dashes=False
    )
    ax.locator_params(axis="x", integer=True, nbins=11, min_n_ticks=1)
    ax.set(xlabel="rank", ylabel="weight", xlim=(0.5, n + 0.5), ylim=(0, 1.05))
    return finish_axes(ax, legend=LEGEND_OUTSIDE, title="What a rank is worth")


def term_bars(workings: Mapping[str, pd.DataFrame], *, ax: Axes | None = None) -> Axes:
    """Draw what each rank adds to the sum, for several lists side by side.

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
    import seaborn as sns

    has_table = isinstance(workings, Mapping) and len(workings) > 0
    check_that(has_table, "workings", "hold at least one table", workings)
    for name, table in workings.items():
        check_columns(table, f"workings[{name!r}]", ("rank", "term"))
    table_by_label = dict(zip(legend_labels(workings), workings.values(), strict=True))
    tall = pd.concat(table_by_label, names=["list"]).reset_index("list")
    if ax is None:
        ax = new_axes((WIDTH, 3.6))
    sns.barplot(tall, x="rank", y="term", hue="list", ax=ax, palette="colorblind")
    for bars, table in zip(ax.containers, workings.values(), strict=False):
        if "item" in table:
            items = [for_plot(item) for item in table["item"]]
            ax.bar_label(cast("BarContainer", bars), labels=items, padding=2, fontsize=SMALL)
    ax.margins(y=0.12)
    return finish_axes(ax, legend=LEGEND_OUTSIDE, title="What each rank adds to the sum")


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
