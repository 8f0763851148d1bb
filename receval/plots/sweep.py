"""A measure against a parameter of the systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.plots.axes import WIDTH, check_columns, finished, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["parameter_curves"]


def parameter_curves(
    values: pd.DataFrame,
    parameter: str,
    *,
    measure: str = "mean",
    by: str | None = None,
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
    ax : Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If a column is not there.

    Examples
    --------
    >>> table = pd.DataFrame({"factors": [8, 16], "mean": [0.2, 0.3]}, index=["a", "b"])
    >>> parameter_curves(table, "factors", measure="nDCG@10").get_title()
    'nDCG@10 by factors'
    """
    import seaborn as sns

    check_columns(values, "values", [parameter, "mean", *([] if by is None else [by])])
    ax = ax or new_axes((WIDTH, 3.2))
    curves = [("", values)] if by is None else list(values.groupby(by, sort=True))
    colours = sns.color_palette("colorblind" if len(curves) <= 10 else "viridis", len(curves))
    for (name, curve), colour in zip(curves, colours, strict=True):
        line = curve.sort_values(parameter, kind="stable")
        x, mean, style = line[parameter], line["mean"], {"color": colour, "label": str(name)}
        known = {"low", "high"} <= set(line)
        ends = [mean - line["low"], line["high"] - mean] if known else None
        ax.errorbar(x, mean, ends, fmt="o-", ms=4, lw=1, **style)
    legend = None if by is None else {"title": by, "loc": "upper left", "bbox_to_anchor": (1, 1)}
    title = f"{measure} by {parameter}{'' if by is None else f' and {by}'}"
    return finished(ax, legend=legend, xlabel=parameter, ylabel=measure, title=title)
