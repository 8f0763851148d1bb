"""The working of the rating errors: one row per pair of user and item."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray, InputError
from receval._table import WorkingTable
from receval.metrics import prediction
from receval.working._tables import Labels, as_labels, finished, terms_and_value, vector

__all__ = ["factorization_rmse", "mae", "mse", "rmse"]


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.prediction.mae`.

    Examples
    --------
    >>> mae([3, 5], [4, 3])["MAE"].tolist()
    [0.5, 1.5]
    """
    return _by_pair("MAE", items, predicted, actual)


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.prediction.mse`.

    Examples
    --------
    >>> mse([3, 5], [4, 3])["term"].tolist()
    [1.0, 4.0]
    """
    return _by_pair("MSE", items, predicted, actual)


def rmse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """The working of `receval.metrics.rmse`: that of the MSE, and its root.

    Examples
    --------
    >>> rmse([3, 5], [4, 3]).round(4)["RMSE"].tolist()
    [0.7071, 1.5811]
    """
    return _rooted(mse(predicted, actual, items=items), prediction.rmse(predicted, actual))


def factorization_rmse(
    a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike, *, divide_by_factors: bool = True
) -> pd.DataFrame:
    """The working of `receval.metrics.factorization_rmse`: one row per cell of ``m``.

    Examples
    --------
    >>> a, b = [[1, 0], [0, 1]], [[1, 2], [3, 4]]
    >>> factorization_rmse(a, b, [[1, 2], [3, 2]]).round(4)[["user", "item", "term", "RMSE"]]
       user  item  term    RMSE
    0     1     1   0.0  0.0000
    1     1     2   0.0  0.0000
    2     2     1   0.0  0.0000
    3     2     2   4.0  0.7071
    """
    value = prediction.factorization_rmse(a, b, m, divide_by_factors=divide_by_factors)
    terms = prediction.factorization_rmse_terms(a, b, m)
    if terms.ndim != 2:
        raise InputError(f"m must be of one factorization (two axes); got shape {terms.shape}")
    user, item = np.indices(terms.shape) + 1
    predicted, actual = np.asarray(a, float) @ np.asarray(b, float), np.asarray(m, float)
    cells = {"user": user, "item": item} | _errors(predicted, actual, terms)
    table = WorkingTable({name: cell.ravel() for name, cell in cells.items()})
    return _rooted(finished(table, "MSE", value**2), value)


def _by_pair(metric: str, items: Labels, *ratings: npt.ArrayLike) -> pd.DataFrame:
    """The terms of a metric of one list of ratings, predicted and actual."""
    terms, value = terms_and_value(prediction, metric.lower(), *ratings)
    p, r = (np.asarray(vector(np.asarray(x, float), "ratings")) for x in ratings)
    columns: dict[str, Any] = {} if items is None else {"item": as_labels(items, p.size)}
    return finished(WorkingTable(columns | _errors(p, r, terms)), metric, value)


def _errors(predicted: FloatArray, actual: FloatArray, terms: FloatArray) -> dict[str, FloatArray]:
    return {"predicted": predicted, "actual": actual, "error": predicted - actual, "term": terms}


def _rooted(table: pd.DataFrame, value: npt.ArrayLike) -> pd.DataFrame:
    """The working of a mean of squares with its root, the metric, beside it."""
    table["RMSE"] = np.sqrt(table["MSE"])
    table.attrs.update(metric="RMSE", value=float(np.asarray(value)))
    return table
