"""Figures of the difference of two systems: by user, by item and by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import check_count, input_error
from receval._escape import for_plot
from receval.plots.axes import (
    BLUE,
    ORANGE,
    SMALL,
    WIDTH,
    check_columns,
    check_numbers,
    draw_heatmap,
    finish_axes,
    label_rows,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["difference_shares", "item_contributions", "rank_contributions", "rank_migration"]

MAX_NUMBERED_RANKS = 14  # cells of a larger table have no room for numbers
LINE_OF_TITLE = 80  # characters of a line of the title


def difference_shares(
    users: pd.DataFrame, items: pd.DataFrame, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the share of a difference that comes from the top users and the top items.

    Parameters
    ----------
    users, items : DataFrame
        The tables of `Evaluation.diff`, with the column ``share``.
    title : str, optional
        The title.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A curve over the number of users and one over the number of items, on a logarithmic axis. A
        curve can rise above 1, because the remaining users or items can take some of the difference
        back.

    Raises
    ------
    InputError
        If a frame is empty, or lacks the column, or a share is NaN.

    Examples
    --------
    >>> users = pd.DataFrame({"share": [0.5, 0.75, 1.0]})
    >>> items = pd.DataFrame({"share": [0.75, 1.0]})
    >>> difference_shares(users, items).get_xlabel()
    'number of users or items'
    """
    for name, table in (("users", users), ("items", items)):
        check_numbers(table, name, ["share"])
        if table["share"].isna().any():
            raise input_error(f"share of {name}", "be known", "NaN, as there is no difference")
    if ax is None:
        ax = new_axes((WIDTH, 3.2))
    for name, table, colour in (("users", users, BLUE), ("items", items, ORANGE)):
        shares = table["share"].to_numpy()
        n_half = int(np.argmax(shares >= 0.5 - 1e-12)) + 1
        label = f"half: {n_half:,} of {shares.size:,} {name}"
        ax.plot(np.arange(1, shares.size + 1), shares, color=colour, label=label)
        ax.plot(n_half, shares[n_half - 1], "o", color=colour)
    ax.axhline(0.5, color="0.6", linewidth=1, linestyle="--", zorder=0)
    ax.axhline(1, color="0.6", linewidth=1, zorder=0)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    shown = title or "How few users and items make up the difference"
    ax.set_title(for_plot(shown, LINE_OF_TITLE, longest=len(shown)))
    return finish_axes(
        ax,
        legend={"loc": "best"},
        xlabel="number of users or items",
        ylabel="share of the difference",
    )


def item_contributions(
    items: pd.DataFrame, *, n: int = 10, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Show what the first n items add to a difference, with their hits gained and lost.

    Parameters
    ----------
    items : DataFrame
        The table ``items`` of `Evaluation.diff`.
    n : int, default 10
        The number of items.
    label : str, optional
        A column to name the items by, such as a title. Default: their ids.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If the frame lacks a column, or is empty.

    Examples
    --------
    >>> items = pd.DataFrame({"gained": [3], "lost": [1], "contribution": [0.02]}, index=["x"])
    >>> item_contributions(items).get_xlabel()
    'contribution to the mean difference'
    """
    check_count(n, "n")
    columns = ["gained", "lost", "contribution"]
    check_numbers(items, "items", columns)
    first = items.head(n)
    names = first.index.tolist()
    if label is not None:
        check_columns(items, "items", [label])
        names = first[label].tolist()
    if ax is None:
        ax = new_axes((WIDTH, 1.0 + 0.28 * len(first)))
    added = first["contribution"].to_numpy()
    colours = [BLUE if part >= 0 else ORANGE for part in added]
    ax.barh(range(len(first)), added, color=colours, height=0.65)
    ax.axvline(0, color="0.3", linewidth=1)
    label_rows(ax, names)
    hits = zip(first["gained"], first["lost"], strict=True)
    for row, (n_gained, n_lost) in enumerate(hits):
        text = f"+{n_gained} −{n_lost} hits"
        where = ax.get_yaxis_transform()  # the right end of the row
        ax.text(1.02, row, text, transform=where, va="center", fontsize=SMALL)
    return finish_axes(
        ax,
        title="The items that add most to the difference",
        xlabel="contribution to the mean difference",
    )


def rank_contributions(
    contributions: pd.Series[float], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Show what each rank adds to a difference.

    Parameters
    ----------
    contributions : Series
        Numbers by rank, such as ``rank_contributions`` of `Evaluation.diff`.
    title : str, optional
        The title.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If there are no numbers.

    Examples
    --------
    >>> rank_contributions(pd.Series([0.5, -0.1], index=[1, 2])).get_xlabel()
    'rank'
    """
    if not isinstance(contributions, pd.Series):
        raise input_error(
            "contributions", "be a Series of numbers by rank", type(contributions).__name__
        )
    check_numbers(contributions.to_frame("contribution"), "contributions")
    if ax is None:
        ax = new_axes((WIDTH, 2.8))
    added = contributions.to_numpy(float)
    colours = [BLUE if part >= 0 else ORANGE for part in added]
    ax.bar(contributions.index.to_numpy(), added, color=colours)
    ax.axhline(0, color="0.3", linewidth=1)
    ax.locator_params(axis="x", integer=True)
    shown = title or "What each rank adds to the difference"
    ax.set_title(for_plot(shown, LINE_OF_TITLE, longest=len(shown)))
    return finish_axes(ax, xlabel="rank", ylabel="contribution")


def rank_migration(ranks: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show where hits went: the number of hits for each pair of ranks under the two systems.

    Parameters
    ----------
    ranks : DataFrame
        The table ``ranks`` of `Evaluation.diff`.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Hits that moved up are below the diagonal; the last row has the hits gained, and the last
        column the hits lost. Cells without a hit stay white.

    Raises
    ------
    InputError
        If the frame has no numbers.

    Examples
    --------
    >>> ranks = pd.DataFrame([[2, 1], [1, 0]], index=[1, "out"], columns=[1, "out"])
    >>> rank_migration(ranks).get_title()
    'Where hits went'
    """
    check_numbers(ranks, "ranks")
    if ax is None:
        ax = new_axes((WIDTH, 1.2 + 0.3 * len(ranks)))
    shown = ranks.astype(float)
    has_numbers = len(ranks) <= MAX_NUMBERED_RANKS
    draw_heatmap(ax, shown, fmt=".0f", annot=has_numbers, cbar=not has_numbers)
    return finish_axes(
        ax,
        hide_left=True,
        hide_bottom=True,
        title="Where hits went",
        xlabel=str(ranks.columns.name or ""),
        ylabel=str(ranks.index.name or ""),
    )
