"""Views of numbers in pairs: predicted ratings beside actual ones, and two orders of the same."""

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
    """Five predicted ratings moved: their errors, and the squares of these.

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

    def draw(left: Axes, right: Axes, **predicted: float) -> str:
        p = [*predicted.values()]
        left.vlines(FILMS, actual, p, lw=5, color="lightsteelblue")
        left.plot(FILMS, actual, "o", color="black", label="actual")
        left.plot(FILMS, p, "x", color=ORANGE, label="predicted")
        left.set(title="The mean length of the bars is the MAE", ylim=(0.5, 5.5))
        left.legend(frameon=False)
        right.bar(FILMS, prediction.mse_terms(p, actual), color=BLUE)
        right.set_title("The squares: their mean is the MSE")
        found = {m: getattr(prediction, m)(p, actual) for m in ("mae", "mse", "rmse")}
        return ", ".join(f"{m.upper()} = <b>{value:.3f}</b>" for m, value in found.items())

    given = zip(FILMS, (4.5, 2.5, 4.5, 3.5, 4.0), strict=True)
    return View(draw, (9.5, 2.6), **{film: slider(film, p, 1.0, 5.0, 0.5) for film, p in given})


def two_orders() -> View:
    """Points moved that one of two judges gives: lines that cross are pairs ordered differently.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> print(play.two_orders().says.value)
    tau-a = <b>0.400</b>, tau-b = <b>0.400</b>, Spearman's rho = <b>0.500</b>
    """
    ann = pd.Series([9, 7, 6, 4, 2], FILMS)

    def draw(axes: Axes, **ben: int) -> str:
        ranks = pd.DataFrame({"Ann": ann, "Ben": ben}).rank(ascending=False)
        for film, row in ranks.iterrows():
            axes.plot(row.index, row, "o-", label=film)
        axes.set(ylim=(5.3, 0.7), ylabel="rank", title="A crossing is a pair in another order")
        axes.figure.legend(loc="outside right center", frameon=False)
        a, b = (retrieval.kendall(ann, ben, variant=variant) for variant in "ab")
        rho = f"Spearman's rho = <b>{retrieval.spearman(ann, ben):.3f}</b>"
        return f"tau-a = <b>{a:.3f}</b>, tau-b = <b>{b:.3f}</b>, {rho}"

    given = zip(FILMS, (8, 3, 9, 5, 1), strict=True)
    return View(draw, (6, 2.8), **{film: slider(film, n, 1, 10) for film, n in given})
