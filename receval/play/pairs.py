"""Views of pairs of numbers: predicted and actual ratings, and two orders of the same things."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval.metrics import prediction, retrieval
from receval.play.views import Drawing, View, slider
from receval.plots.axes import BLUE, COLOURS, ORANGE

__all__ = ["rating_errors", "two_orders"]

FILMS = ["alien", "brazil", "casablanca", "diva", "elektra"]
MARKERS = "os^Dv*XP<>hd"
"""A marker for each line of a picture, so that readers can distinguish lines without colours."""


def rating_errors() -> View:
    """Show the errors of the predicted ratings of five films, and the squares of the errors.

    Returns
    -------
    View
        A slider per predicted rating.

    Examples
    --------
    >>> from receval import play
    >>> print(play.rating_errors().says.value)
    MAE = <b>1.000</b>, MSE = <b>2.000</b>, RMSE = <b>1.414</b>
    """
    least, most = 1, 5
    predicted_ratings = pd.Series([4.5, 2.5, 4.5, 3.5, 4.0], FILMS)
    actual_ratings = pd.Series([4.0, 2, 5, 3, 1], FILMS)
    places = range(len(FILMS))

    def draw(left: Axes, right: Axes, **rating_by_slider: float) -> Drawing:
        """Draw the errors and their squares; return MAE, MSE and RMSE, and a row per rating."""
        moved = np.array([*rating_by_slider.values()], float)
        errors = prediction.mae_terms(moved, actual_ratings)
        squares = prediction.mse_terms(moved, actual_ratings)
        left.vlines(places, actual_ratings, moved, lw=5, color="lightsteelblue")
        left.plot(places, actual_ratings, "o", color="black", label="actual")
        left.plot(places, moved, "x", color=ORANGE, ms=8, mew=2, label="predicted")
        margin = 0.1 * (most - least)
        left.set(title="The mean length of the bars is the MAE")
        # The legend is above the largest rating, so that it hides no point.
        left.set_ylim(least - margin, most + 2.4 * margin)
        left.legend(frameon=False, loc="upper center", ncols=2, borderaxespad=0.1)
        right.bar(places, squares, color=BLUE)
        right.set_title("The squares: their mean is the MSE")
        for axes in (left, right):
            axes.set_xticks(places, FILMS)
        columns = {"predicted": moved, "actual": actual_ratings, "error": errors, "square": squares}
        table = pd.DataFrame(columns, actual_ratings.index)
        mae = f"MAE = <b>{prediction.mae(moved, actual_ratings):.3f}</b>"
        mse = f"MSE = <b>{prediction.mse(moved, actual_ratings):.3f}</b>"
        rmse = f"RMSE = <b>{prediction.rmse(moved, actual_ratings):.3f}</b>"
        return f"{mae}, {mse}, {rmse}", table

    return View(draw, (9.5, 2.6), item_sliders(predicted_ratings, least, most))


def two_orders() -> View:
    """Show the ranks that two judges give five films; lines cross if the judges disagree.

    Returns
    -------
    View
        A slider for the points that the second judge, Ben, gives to each film.

    Examples
    --------
    >>> from receval import play
    >>> print(play.two_orders().says.value)
    tau-a = <b>0.400</b>, tau-b = <b>0.400</b>, Spearman's rho = <b>0.500</b>
    """
    first_points = pd.Series([9, 7, 6, 4, 2], FILMS)
    second_points = pd.Series([8, 3, 9, 5, 1], FILMS)

    def draw(axes: Axes, **points_by_slider: float) -> Drawing:
        """Draw the ranks by both judges; return the rank correlations, and a row per film."""
        moved = pd.Series([*points_by_slider.values()], FILMS, dtype=float)
        points = pd.DataFrame({"Ann": first_points, "Ben": moved})
        ranks = points.rank(ascending=False)
        draw_crossing_lines(axes, ranks)
        # Rank 1 is at the top.
        axes.set(ylim=(len(FILMS) + 0.3, 0.7), ylabel="rank")
        axes.set_title("A crossing is a pair in another order")
        tau_a = f"tau-a = <b>{_number(retrieval.kendall(first_points, moved, variant='a'))}</b>"
        tau_b = f"tau-b = <b>{_number(retrieval.kendall(first_points, moved, variant='b'))}</b>"
        rho = f"Spearman's rho = <b>{_number(retrieval.spearman(first_points, moved))}</b>"
        table = pd.concat([points, ranks.add_prefix("rank by ")], axis=1)
        return f"{tau_a}, {tau_b}, {rho}", table

    return View(draw, (6, 2.8), item_sliders(second_points, 1, 10))


def item_sliders(values: pd.Series, least: int, most: int) -> dict[str, widgets.DOMWidget]:
    """Build a slider for each value; they have the names ``item_1``, ``item_2`` and so on.

    They move by 1 if all values are whole, and otherwise by 0.5.
    """
    is_whole = (values % 1 == 0).all()
    sliders = {}
    for place, (item, value) in enumerate(values.items(), 1):
        if is_whole:
            sliders[f"item_{place}"] = slider(str(item), int(value), least, most)
        else:
            sliders[f"item_{place}"] = slider(str(item), value, float(least), float(most), 0.5)
    return sliders


def draw_crossing_lines(axes: Axes, ranks: pd.DataFrame) -> None:
    """Draw a line for each thing from its rank on the left to its rank on the right.

    ``ranks`` has two columns, and the things as its index. Each line has its own marker, so that
    readers can follow it without colours.
    """
    lines = zip(ranks.index, ranks.to_numpy(), MARKERS, COLOURS, strict=False)
    for label, both, marker, colour in lines:
        axes.plot([0, 1], both, marker=marker, color=colour)
        for x, rank, side in ((-0.04, both[0], "right"), (1.04, both[1], "left")):
            axes.text(x, rank, label, ha=side, va="center", fontsize=9)
    axes.set_xticks([0, 1], list(ranks.columns))
    axes.set_xlim(-0.5, 1.5)


def _number(value: float) -> str:
    """Return a correlation with three decimals, or say that it is undefined."""
    if np.isnan(value):
        return "undefined (all points of a judge are equal)"
    return f"{value:.3f}"
