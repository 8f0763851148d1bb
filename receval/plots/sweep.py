"""A measure against a parameter of the systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import check_none
from receval._escape import for_plot
from receval.plots.axes import (
    BESIDE,
    BREAK,
    MAX_ANNOTATED_COLUMNS,
    WIDTH,
    Axes,
    check_columns,
    finished,
    legend_labels,
    new_axes,
    reach,
)

__all__ = ["parameter_curves"]

ROWS = 12  # of a legend


def parameter_curves(
    values: pd.DataFrame,
    parameter: str,
    *,
    measure: str = "mean",
    by: str | None = None,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Means of systems against one of their parameters, with intervals where they are known.

    Parameters
    ----------
    values : DataFrame
        Systems in rows; their parameters and ``mean``, perhaps ``low`` and ``high``, in columns.
    parameter : str
        The column that goes along the horizontal axis.
    measure : str, default "mean"
        What the means are of.
    by : str, optional
        A column for each of whose values there is a curve.
    caption : str, default ""
        What the bars are, for the title.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A line through the means where the parameter is a number and each has one mean, else points;
        logarithmic where numbers above 0 span a factor of twenty.

    Raises
    ------
    InputError
        If a column is not there, or a number is infinite.

    Examples
    --------
    >>> table = pd.DataFrame({"factors": [8, 16], "mean": [0.2, 0.3]}, index=["a", "b"])
    >>> parameter_curves(table, "factors", measure="nDCG@10").get_title()
    'nDCG@10 by factors'
    """
    import seaborn as sns

    check_columns(values, "values", [parameter, "mean", *([] if by is None else [by])])
    number = pd.api.types.is_numeric_dtype(values[parameter])
    if number:
        given = values[parameter].to_numpy(float, na_value=np.nan)
        check_none(given, np.isinf(given), f"values[{parameter!r}]", "be finite")
    mixed = pd.api.types.infer_dtype(values[parameter]).startswith("mixed")  # has no order
    values = values if mixed else values.sort_values(parameter, kind="stable")
    ax = ax or new_axes((WIDTH, 3.2))
    curves = [("", values)] if by is None else list(values.groupby(by, dropna=False))
    colours = sns.color_palette("colorblind" if len(curves) <= 10 else "viridis", len(curves))
    labels = legend_labels(map(_value, (name for name, _ in curves)))
    for label, (_, curve), colour in zip(labels, curves, colours, strict=True):
        x, mean = curve[parameter], curve["mean"]
        ends = reach(curve, "mean") if {"low", "high"} <= set(curve) else None
        fmt = "o-" if number and x.is_unique else "o"
        places = x.to_numpy() if number else [for_plot(value, BREAK) for value in x]
        ax.errorbar(places, mean, ends, fmt=fmt, ms=4, lw=1, color=colour, label=label)
    ticks = np.unique(values[parameter]) if number else np.empty(0)
    if ticks.size and ticks[0] > 0 and ticks[-1] >= 20 * ticks[0]:
        ax.set_xscale("log")
    if 0 < ticks.size <= MAX_ANNOTATED_COLUMNS:
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.set_xticks([], minor=True)
    columns = -(-len(curves) // ROWS)
    legend = None if by is None else {"title": for_plot(by), "ncols": columns, **BESIDE}
    title = f"{measure} by {parameter}{'' if by is None else f' and {by}'}{caption}"
    return finished(ax, legend=legend, xlabel=parameter, ylabel=measure, title=title)


def _value(value: object) -> str:
    """A value of a parameter in a legend."""
    if pd.isna(value):  # type: ignore[call-overload]
        return "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
