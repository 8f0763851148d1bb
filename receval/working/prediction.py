"""The working of the rating errors: one row per pair of user and item."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import check_same_labels
from receval._checks import AnyArray, FloatArray, InputError
from receval._table import WorkingTable
from receval.metrics import prediction
from receval.working._tables import Labels, add_metric_so_far, as_labels, check_one_list

__all__ = ["factorization_rmse", "mae", "mse", "rmse"]


def mae(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction.mae`.

    Examples
    --------
    >>> mae([3, 5], [4, 3])["MAE"].tolist()
    [0.5, 1.5]
    """
    terms = prediction.mae_terms(predicted, actual)
    value = prediction.mae(predicted, actual)
    return add_metric_so_far(_table_of_pairs(predicted, actual, terms, items), "MAE", value)


def mse(predicted: npt.ArrayLike, actual: npt.ArrayLike, *, items: Labels = None) -> pd.DataFrame:
    """Return the working of `receval.metrics.prediction.mse`.

    Examples
    --------
    >>> mse([3, 5], [4, 3])["term"].tolist()
    [1.0, 4.0]
    """
    terms = prediction.mse_terms(predicted, actual)
    value = prediction.mse(predicted, actual)
    return add_metric_so_far(_table_of_pairs(predicted, actual, terms, items), "MSE", value)


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
    # Every column is a matrix at first, with one entry per cell.
    user_and_item: AnyArray = np.indices(terms.shape) + 1
    predicted = np.asarray(a, float) @ np.asarray(b, float)
    columns: dict[str, AnyArray] = {"user": user_and_item[0], "item": user_and_item[1]}
    columns |= _error_columns(predicted, np.asarray(m, float), terms)
    table = WorkingTable({name: column.ravel() for name, column in columns.items()})
    return _add_root(add_metric_so_far(table, "MSE", value**2), value)


def _table_of_pairs(
    predicted: npt.ArrayLike, actual: npt.ArrayLike, terms: FloatArray, items: Labels
) -> WorkingTable:
    """Build the table of one list: predicted and actual ratings, their differences, and the terms.

    ``items`` label the rows in a column "item", which is left out if they are None.
    """
    check_same_labels(predicted=predicted, actual=actual, items=items)
    predicted_ratings = check_one_list(np.asarray(predicted, float), "ratings")
    actual_ratings = check_one_list(np.asarray(actual, float), "ratings")
    columns: dict[str, AnyArray] = {}
    if items is not None:
        columns["item"] = as_labels(items, predicted_ratings.size)
    columns |= _error_columns(predicted_ratings, actual_ratings, terms)
    return WorkingTable(columns)


def _error_columns(
    predicted: FloatArray, actual: FloatArray, terms: FloatArray
) -> dict[str, AnyArray]:
    """Return the columns of predicted and actual ratings, their differences and the terms."""
    return {"predicted": predicted, "actual": actual, "error": predicted - actual, "term": terms}


def _add_root(table: pd.DataFrame, value: npt.ArrayLike) -> pd.DataFrame:
    """Add the root of the mean of squares, which is the metric; return the table."""
    table["RMSE"] = np.sqrt(table["MSE"])
    table.attrs.update(metric="RMSE", value=float(np.asarray(value)))
    return table
