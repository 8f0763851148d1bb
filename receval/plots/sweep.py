"""A figure of a measure against a parameter of the systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import check_none
from receval._escape import for_plot
from receval._types import AnyArray, Options
from receval.plots.axes import (
    COLOURS,
    LEGEND_OUTSIDE,
    LINE_LENGTH,
    MAX_ANNOTATED_COLUMNS,
    WIDTH,
    check_columns,
    error_bar_lengths,
    finish_axes,
    legend_labels,
    new_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["parameter_curves"]

MAX_LEGEND_ROWS = 12
MIN_RATIO_FOR_LOGARITHM = 20  # of the largest to the smallest number on a logarithmic axis


def parameter_curves(
    values: pd.DataFrame,
    parameter: str,
    *,
    measure: str = "mean",
    by: str | None = None,
    caption: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw means of systems against one of their parameters, with intervals if there are any.

    Parameters
    ----------
    values : DataFrame
        Systems in rows. The columns are their parameters and ``mean``; ``low`` and ``high`` are
        optional.
    parameter : str
        The column for the horizontal axis.
    measure : str, default "mean"
        Name of the means, for the title and the vertical axis.
    by : str, optional
        A column. Each of its values gets a curve.
    caption : str, default ""
        Text at the end of the title that says what the intervals are.
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        If the parameter is a number and each number has one mean, a line connects the points. If
        the numbers are above 0 and span a factor of 20, their axis is logarithmic.

    Raises
    ------
    InputError
        If a column is missing, or a number is infinite.

    Examples
    --------
    >>> table = pd.DataFrame({"factors": [8, 16], "mean": [0.2, 0.3]}, index=["a", "b"])
    >>> parameter_curves(table, "factors", measure="nDCG@10").get_title()
    'nDCG@10 by factors'
    """
    needed_columns = [parameter, "mean"]
    if by is not None:
        needed_columns.append(by)
    check_columns(values, "values", needed_columns)
    is_numeric = pd.api.types.is_numeric_dtype(values[parameter])
    if is_numeric:
        numbers = values[parameter].to_numpy(float, na_value=np.nan)
        check_none(numbers, np.isinf(numbers), f"values[{parameter!r}]", "be finite")
    # A mixture of numbers and words has no order, so the rows stay as they are.
    is_mixed = pd.api.types.infer_dtype(values[parameter]).startswith("mixed")
    if not is_mixed:
        values = values.sort_values(parameter, kind="stable")
    if ax is None:
        ax = new_axes((WIDTH, 3.2))
    curve_names: list[object]
    if by is None:
        curve_names = [""]
        curves = [values]
    else:
        groups = list(values.groupby(by, dropna=False))
        curve_names = [name for name, _ in groups]
        curves = [curve for _, curve in groups]
    labels = legend_labels(map(_format_value, curve_names))
    for curve, label, colour in zip(curves, labels, _colours(len(curves)), strict=True):
        _draw_curve(ax, curve, parameter, color=colour, label=label)
    if is_numeric:
        _set_number_ticks(ax, np.unique(values[parameter]))

    legend = None
    title = f"{measure} by {parameter}"
    if by is not None:
        n_columns = math.ceil(len(curves) / MAX_LEGEND_ROWS)
        legend = {"title": for_plot(by), "ncols": n_columns, **LEGEND_OUTSIDE}
        title += f" and {by}"
    title += caption
    return finish_axes(ax, legend=legend, xlabel=parameter, ylabel=measure, title=title)


def _colours(n_curves: int) -> Sequence[object]:
    """Return one colour per curve: distinct ones, or shades if there are not enough of those."""
    if n_curves <= len(COLOURS):
        return COLOURS[:n_curves]
    import matplotlib as mpl

    shades = np.linspace(0, 1, n_curves + 2)[1:-1]  # without the ends: they are dark or pale
    return [tuple(colour) for colour in mpl.colormaps["viridis"](shades)]


def _draw_curve(ax: Axes, curve: pd.DataFrame, parameter: str, **style: object) -> None:
    """Draw the means of some systems against the parameter, with intervals if there are any.

    A line connects the points if the parameter is a number that each system has once.
    """
    is_numeric = pd.api.types.is_numeric_dtype(curve[parameter])
    positions: AnyArray | list[str]
    if is_numeric:
        positions = curve[parameter].to_numpy()
    else:
        positions = [for_plot(value, LINE_LENGTH) for value in curve[parameter]]
    fmt = "o"  # matplotlib's format of a dot
    if is_numeric and curve[parameter].is_unique:
        fmt = "o-"  # dots and a line
    lengths = None
    if {"low", "high"} <= set(curve):
        lengths = error_bar_lengths(curve, "mean")
    options: Options = {"ms": 4, "lw": 1, **style}
    ax.errorbar(positions, curve["mean"], lengths, fmt=fmt, **options)


def _set_number_ticks(ax: Axes, numbers: AnyArray) -> None:
    """Put ticks at a parameter's numbers, on a logarithmic axis if they are far apart.

    ``numbers`` are distinct and ascending. If there are many of them, the axis gets matplotlib's
    usual ticks instead.
    """
    if numbers.size == 0:
        return
    smallest, largest = numbers[0], numbers[-1]
    if smallest > 0 and largest >= MIN_RATIO_FOR_LOGARITHM * smallest:
        ax.set_xscale("log")
    if numbers.size <= MAX_ANNOTATED_COLUMNS:
        ax.set_xticks(numbers, [f"{number:g}" for number in numbers])
        ax.set_xticks([], minor=True)


def _format_value(value: object) -> str:
    """Return a parameter's value as it is shown in a legend."""
    if pd.isna(value):  # type: ignore[call-overload]
        return "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
