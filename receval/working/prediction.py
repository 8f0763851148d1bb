"""The working of the rating errors: one row per pair of user and item."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval.metrics import prediction
from receval.working._tables import Labels, by_pair

__all__ = ["mae", "mse", "rmse"]


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.prediction.mae`.

    Examples
    --------
    >>> mae([3, 5], [4, 3])["MAE"].tolist()
    [0.5, 1.5]
    """
    terms = prediction.mae_terms(predicted, actual)
    return by_pair(predicted, actual, terms, items, "MAE", prediction.mae(predicted, actual))


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.prediction.mse`.

    Examples
    --------
    >>> mse([3, 5], [4, 3])["term"].tolist()
    [1.0, 4.0]
    """
    terms = prediction.mse_terms(predicted, actual)
    return by_pair(predicted, actual, terms, items, "MSE", prediction.mse(predicted, actual))


def rmse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.rmse`: that of the MSE, and its root.

    Examples
    --------
    >>> rmse([3, 5], [4, 3]).round(4)["RMSE"].tolist()
    [0.7071, 1.5811]
    """
    table = mse(predicted, actual, items=items)
    table["RMSE"] = np.sqrt(table["MSE"])
    table.attrs.update(metric="RMSE", value=float(prediction.rmse(predicted, actual)))
    return table
