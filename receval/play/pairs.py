"""Views of pairs of numbers: predicted and actual ratings, and two orders of the same things."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval._checks import InputError, input_error
from receval._escape import for_plot
from receval._views import Drawing, View
from receval.metrics import prediction, retrieval
from receval.play._own_data import (
    Labelled,
    as_labelled,
    check_same_labels,
    item_sliders,
    plot_labels,
)
from receval.plots.axes import BLUE, COLOURS, ORANGE

__all__ = ["rating_errors", "two_orders"]

FILMS = ["alien", "brazil", "casablanca", "diva", "elektra"]
MARKERS = "os^Dv*XP<>hd"
"""A marker for each line of a picture, so that readers can distinguish lines without colours."""


def rating_errors(predicted: Labelled | None = None, actual: Labelled | None = None) -> View:
    """Show the errors of predicted ratings and the squares of the errors.

    Parameters
    ----------
    predicted, actual : Series, dict or list of numbers, optional
        Two to twelve ratings each. Labels, if there are any, are the same in both. The sliders
        move the predicted ratings. Default: five films.

    Returns
    -------
    View
        A slider per predicted rating.

    Raises
    ------
    InputError
        If only one of the two is passed, their labels or lengths differ, or a rating is not a
        number.

    Examples
    --------
    >>> from receval import play
    >>> print(play.rating_errors().says.value)
    MAE = <b>1.000</b>, MSE = <b>2.000</b>, RMSE = <b>1.414</b>
    >>> print(play.rating_errors(predicted=[3, 5], actual=[4, 5]).says.value)
    MAE = <b>0.500</b>, MSE = <b>0.500</b>, RMSE = <b>0.707</b>
    """
    least: float = 1
    most: float = 5
    if predicted is None and actual is None:
        predicted_ratings = pd.Series([4.5, 2.5, 4.5, 3.5, 4.0], FILMS)
        actual_ratings = pd.Series([4.0, 2, 5, 3, 1], FILMS)
    else:
        if predicted is None or actual is None:
            raise partner_error(predicted is None, ("predicted", "actual"))
        actual_ratings = as_labelled(actual, "actual")
        predicted_ratings = as_labelled(predicted, "predicted")
        names = ("actual", "predicted")
        predicted_ratings = check_same_labels(actual_ratings, predicted_ratings, names)
        both = pd.concat([actual_ratings, predicted_ratings])
        least, most = float(np.floor(both.min())), float(np.ceil(both.max()))
        if least == most:
            most = least + 1
    labels = plot_labels(actual_ratings.index)
    places = range(len(labels))

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
            axes.set_xticks(places, labels, rotation=rotation_of(labels))
        columns = {"predicted": moved, "actual": actual_ratings, "error": errors, "square": squares}
        table = pd.DataFrame(columns, actual_ratings.index)
        mae = f"MAE = <b>{prediction.mae(moved, actual_ratings):.3f}</b>"
        mse = f"MSE = <b>{prediction.mse(moved, actual_ratings):.3f}</b>"
        rmse = f"RMSE = <b>{prediction.rmse(moved, actual_ratings):.3f}</b>"
        return f"{mae}, {mse}, {rmse}", table

    return View(draw, (9.5, 2.6), item_sliders(predicted_ratings, least=least, most=most))


def two_orders(first: Labelled | None = None, second: Labelled | None = None) -> View:
    """Show the ranks that two judges give the same things; lines cross if the judges disagree.

    Parameters
    ----------
    first, second : Series, dict or list of numbers, optional
        The points of each judge, from two to twelve; more points are better. Labels, if there are
        any, are the same in both. The name of a Series is the name of the judge. The sliders move
        the points of the second judge. Default: five films.

    Returns
    -------
    View
        A slider per thing.

    Raises
    ------
    InputError
        If only one of the two is passed, their labels or lengths differ, or a value is not a
        number.

    Examples
    --------
    >>> from receval import play
    >>> print(play.two_orders().says.value)
    tau-a = <b>0.400</b>, tau-b = <b>0.400</b>, Spearman's rho = <b>0.500</b>
    >>> print(play.two_orders({"tea": 3, "rye": 1}, {"rye": 5, "tea": 9}).says.value)
    tau-a = <b>1.000</b>, tau-b = <b>1.000</b>, Spearman's rho = <b>1.000</b>
    """
    names = ("Ann", "Ben")
    if first is None and second is None:
        first_points = pd.Series([9, 7, 6, 4, 2], FILMS)
        second_points = pd.Series([8, 3, 9, 5, 1], FILMS)
        sliders = item_sliders(second_points, least=1, most=10)
    else:
        if first is None or second is None:
            raise partner_error(first is None, ("first", "second"))
        first_points = as_labelled(first, "first")
        second_points = as_labelled(second, "second")
        second_points = check_same_labels(first_points, second_points, ("first", "second"))
        sliders = item_sliders(second_points)
        names = (_judge(first, "first"), _judge(second, "second"))
        if names[0] == names[1]:
            names = ("first", "second")
    labels = plot_labels(first_points.index)
    n_things = len(labels)

    def draw(axes: Axes, **points_by_slider: float) -> Drawing:
        """Draw the ranks by both judges; return the rank correlations, and a row per thing."""
        moved = pd.Series([*points_by_slider.values()], first_points.index, dtype=float)
        points = pd.DataFrame({names[0]: first_points, names[1]: moved})
        ranks = points.rank(ascending=False)
        draw_crossing_lines(axes, ranks, labels)
        # Rank 1 is at the top.
        axes.set(ylim=(n_things + 0.3, 0.7), ylabel="rank")
        axes.set_title("A crossing is a pair in another order")
        tau_a = f"tau-a = <b>{_number(retrieval.kendall(first_points, moved, variant='a'))}</b>"
        tau_b = f"tau-b = <b>{_number(retrieval.kendall(first_points, moved, variant='b'))}</b>"
        rho = f"Spearman's rho = <b>{_number(retrieval.spearman(first_points, moved))}</b>"
        table = pd.concat([points, ranks.add_prefix("rank by ")], axis=1)
        return f"{tau_a}, {tau_b}, {rho}", table

    return View(draw, (6, max(2.8, 0.26 * n_things)), sliders)


def partner_error(is_first_missing: bool, names: tuple[str, str]) -> InputError:  # noqa: FBT001
    """Build the error for a missing argument that belongs together with another one.

    ``names`` are the arguments. ``is_first_missing`` says whether the first of the two is missing.
    """
    missing, passed = names[::-1]
    if is_first_missing:
        missing, passed = names
    return input_error(missing, f"be passed together with {passed}", "nothing")


def draw_crossing_lines(axes: Axes, ranks: pd.DataFrame, labels: Sequence[str]) -> None:
    """Draw a line for each thing from its rank on the left to its rank on the right.

    ``ranks`` has two columns, and NaN where a thing has no rank. ``labels`` name the things, at the
    ends of the lines. Each line has its own marker, so that readers can follow it without colours.
    """
    for place, (label, both) in enumerate(zip(labels, ranks.to_numpy(), strict=True)):
        marker, colour = MARKERS[place % len(MARKERS)], COLOURS[place % len(COLOURS)]
        axes.plot([0, 1], both, marker=marker, color=colour)
        for x, rank, side in ((-0.04, both[0], "right"), (1.04, both[1], "left")):
            if not np.isnan(rank):
                axes.text(x, rank, label, ha=side, va="center", fontsize=9)
    axes.set_xticks([0, 1], [for_plot(name, longest=20) for name in ranks.columns])
    axes.set_xlim(-0.5, 1.5)


def rotation_of(labels: Sequence[str]) -> int:
    """Return the angle of labels below bars: slanted if they are too long to fit side by side."""
    if sum(map(len, labels)) > 45:
        return 30
    return 0


def _judge(values: object, default: str) -> str:
    """Return the name of a reader's Series, or the default for values without a name."""
    return str(getattr(values, "name", None) or default)


def _number(value: float) -> str:
    """Return a correlation with three decimals, or say that it is undefined."""
    if np.isnan(value):
        return "undefined (all points of a judge are equal)"
    return f"{value:.3f}"
