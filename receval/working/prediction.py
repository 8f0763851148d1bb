"""The working of the rating errors: one row per pair of user and item."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_same_labels
from receval._checks import FloatArray, InputError
from receval.metrics import prediction
from receval.working._tables import Column, Labels, as_labels, check_one_list, working_of_share

__all__ = ["factorization_rmse", "mae", "mse", "rmse"]


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction.mae`.

    Examples
    --------
    >>> mae([3, 5], [4, 3])["MAE"].tolist()
    [0.5, 1.5]
    """
    return _working_of_errors("MAE", prediction.mae, prediction.mae_terms, predicted, actual, items)


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction.mse`.

    Examples
    --------
    >>> mse([3, 5], [4, 3])["term"].tolist()
    [1.0, 4.0]
    """
    return _working_of_errors("MSE", prediction.mse, prediction.mse_terms, predicted, actual, items)


def rmse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.rmse`: the working of the MSE, and its square root.

    Examples
    --------
    >>> rmse([3, 5], [4, 3]).round(4)["RMSE"].tolist()
    [0.7071, 1.5811]
    """
    return _add_root(mse(predicted, actual, items=items), prediction.rmse(predicted, actual))


def factorization_rmse(
    a: npt.ArrayLike, b: npt.ArrayLike, m: npt.ArrayLike, *, divide_by_factors: bool = True
) -> pd.DataFrame:
    """Return the working of `receval.metrics.factorization_rmse`: one row per cell of ``m``.

    A cell is a pair of user and item, numbered from 1. The term is its squared error. The column
    ``RMSE`` is the metric so far, and ``MSE`` is its square.

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
    predicted = np.asarray(a, float) @ np.asarray(b, float)
    columns: dict[str, Column] = {"user": user.ravel(), "item": item.ravel()}
    columns |= _error_columns(predicted.ravel(), np.asarray(m, float).ravel(), terms.ravel())
    return _add_root(working_of_share(columns, "MSE", value**2), value)


def _working_of_errors(
    label: str,
    metric: Callable[..., FloatArray],
    terms_of: Callable[..., FloatArray],
    predicted: npt.ArrayLike,
    actual: npt.ArrayLike,
    items: Labels,
) -> pd.DataFrame:
    """Return the working of one list: both ratings, their differences, and the terms.

    ``items`` label the rows in a column "item", which is left out if they are None.
    """
    value = metric(predicted, actual)
    terms = check_one_list(terms_of(predicted, actual), "ratings")
    check_same_labels(predicted=predicted, actual=actual, items=items)
    columns: dict[str, Column] = {}
    if items is not None:
        columns["item"] = as_labels(items, terms.size)
    columns |= _error_columns(np.asarray(predicted, float), np.asarray(actual, float), terms)
    return working_of_share(columns, label, value)


def _error_columns(
    predicted: FloatArray, actual: FloatArray, terms: FloatArray
) -> dict[str, Column]:
    """Return the columns of predicted and actual ratings, their differences and the terms."""
    return {"predicted": predicted, "actual": actual, "error": predicted - actual, "term": terms}


def _add_root(table: pd.DataFrame, value: npt.ArrayLike) -> pd.DataFrame:
    """Add the root of the mean of squares, which is the metric; return the table."""
    table["RMSE"] = np.sqrt(table["MSE"])
    table.attrs.update(metric="RMSE", value=float(np.asarray(value)))
    return table
