"""Views of pairs of numbers: predicted and actual ratings, and two orders of the same films."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval.metrics import prediction, retrieval
from receval.play._view import View, slider
from receval.plots.axes import BLUE, ORANGE

__all__ = ["rating_errors", "two_orders"]

FILMS = ["alien", "brazil", "casablanca", "diva", "elektra"]


def rating_errors() -> View:
    """Show the errors of five predicted ratings and the squares of the errors.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> print(play.rating_errors().says.value)
    MAE = <b>1.000</b>, MSE = <b>2.000</b>, RMSE = <b>1.414</b>
    """
    actual = np.array([4, 2, 5, 3, 1])

    def draw(left: Axes, right: Axes, **rating_by_film: float) -> str:
        """Draw the errors and their squares; return MAE, MSE and RMSE as HTML."""
        predicted = [*rating_by_film.values()]
        left.vlines(FILMS, actual, predicted, lw=5, color="lightsteelblue")
        left.plot(FILMS, actual, "o", color="black", label="actual")
        left.plot(FILMS, predicted, "x", color=ORANGE, label="predicted")
        left.set(title="The mean length of the bars is the MAE", ylim=(0.5, 5.5))
        left.legend(frameon=False)
        right.bar(FILMS, prediction.mse_terms(predicted, actual), color=BLUE)
        right.set_title("The squares: their mean is the MSE")
        mae = f"MAE = <b>{prediction.mae(predicted, actual):.3f}</b>"
        mse = f"MSE = <b>{prediction.mse(predicted, actual):.3f}</b>"
        rmse = f"RMSE = <b>{prediction.rmse(predicted, actual):.3f}</b>"
        return f"{mae}, {mse}, {rmse}"

    first_ratings = dict(zip(FILMS, (4.5, 2.5, 4.5, 3.5, 4.0), strict=True))
    sliders = {film: slider(film, rating, 1.0, 5.0, 0.5) for film, rating in first_ratings.items()}
    return View(draw, (9.5, 2.6), **sliders)


def two_orders() -> View:
    """Show the ranks that two judges give five films; lines cross if the judges disagree.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> print(play.two_orders().says.value)
    tau-a = <b>0.400</b>, tau-b = <b>0.400</b>, Spearman's rho = <b>0.500</b>
    """
    points_by_ann = pd.Series([9, 7, 6, 4, 2], FILMS)

    def draw(axes: Axes, **points_by_ben: int) -> str:
        """Draw the ranks by both judges; return the rank correlations as HTML."""
        ranks = pd.DataFrame({"Ann": points_by_ann, "Ben": points_by_ben}).rank(ascending=False)
        for film, rank_by_judge in ranks.iterrows():
            axes.plot(rank_by_judge.index, rank_by_judge, "o-", label=film)
        # Rank 1 is at the top.
        axes.set(ylim=(5.3, 0.7), ylabel="rank", title="A crossing is a pair in another order")
        axes.figure.legend(loc="outside right center", frameon=False)
        tau_a = f"tau-a = <b>{retrieval.kendall(points_by_ann, points_by_ben, variant='a'):.3f}</b>"
        tau_b = f"tau-b = <b>{retrieval.kendall(points_by_ann, points_by_ben, variant='b'):.3f}</b>"
        rho = f"Spearman's rho = <b>{retrieval.spearman(points_by_ann, points_by_ben):.3f}</b>"
        return f"{tau_a}, {tau_b}, {rho}"

    first_points = dict(zip(FILMS, (8, 3, 9, 5, 1), strict=True))
    sliders = {film: slider(film, points, 1, 10) for film, points in first_points.items()}
    return View(draw, (6, 2.8), **sliders)
