r"""The confusion matrix of recommended against relevant items, and metrics derived from it.

These metrics treat a recommender as a classifier that decides for each item whether to recommend
it. Matrices have actual classes in rows and predicted ones in columns, negative first:

.. math:: \begin{pmatrix} TN & FP \\ FN & TP \end{pmatrix}
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import as_flags, as_numbers, check_pairs, check_same_labels, divide_or_nan
from receval._checks import (
    FloatArray,
    IntArray,
    as_float,
    check_none,
    check_shape,
    check_that,
)
from receval.metrics import ranking

__all__ = ["confusion_matrix", "f1", "precision", "recall"]


def confusion_matrix(predicted: npt.ArrayLike, actual: npt.ArrayLike) -> IntArray:
    """Return the 2 x 2 counts of right and wrong decisions.

    Parameters
    ----------
    predicted : array_like of bool, shape (..., n)
        True (or 1) for each item that is recommended, else False (or 0).
    actual : array_like of bool, shape (..., n)
        True for each item that is relevant.

    Returns
    -------
    ndarray of int, shape (..., 2, 2)
        Rows actual, columns predicted, negative first: ``[[TN, FP], [FN, TP]]``.

    Raises
    ------
    InputError
        If the lengths differ, or a value is neither True nor False.

    References
    ----------
    Document 001, table of the confusion matrix.

    Examples
    --------
    >>> confusion_matrix([1, 1, 0, 0, 1], [1, 0, 0, 1, 1])
    array([[1, 1],
           [1, 2]])
    """
    check_same_labels(predicted=predicted, actual=actual)
    is_predicted = as_flags(predicted, "predicted")
    is_actual = as_flags(actual, "actual")
    # `as_flags` lets NaN through, which here is neither True nor False.
    for flags, name in ((is_predicted, "predicted"), (is_actual, "actual")):
        check_none(flags, np.isnan(flags), name, "be True or False for every item")
    check_pairs(is_predicted, is_actual, "predicted actual")
    # Each item belongs to one cell of the matrix; the cells are numbered row by row, from 0 to 3.
    cell_of_item = 2 * is_actual + is_predicted
    counts = [np.count_nonzero(cell_of_item == cell, axis=-1) for cell in range(4)]
    return np.stack(counts, axis=-1).reshape(*cell_of_item.shape[:-1], 2, 2).astype(np.int64)


def precision(matrix: npt.ArrayLike, *, undefined: float = np.nan) -> FloatArray:
    r"""Share of the recommended items that are relevant.

    .. math:: \mathrm{Precision} = \frac{TP}{TP + FP}

    Parameters
    ----------
    matrix : array_like, shape (..., 2, 2)
        ``[[TN, FP], [FN, TP]]``, as `confusion_matrix` returns it.
    undefined : float, default NaN
        Value where nothing is recommended (TP + FP = 0).

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1], or ``undefined``.

    Raises
    ------
    InputError
        If ``matrix`` is not 2 x 2, a count is negative or not whole, or
        ``undefined`` is not a number.

    References
    ----------
    Document 001, eq. of precision.

    Examples
    --------
    >>> precision([[1, 1], [1, 2]]).round(4)
    np.float64(0.6667)
    """
    cells = _read_matrix(matrix)
    precisions = divide_or_nan(cells[..., 1, 1], cells[..., :, 1].sum(axis=-1))
    return _replace_nan(precisions, undefined)


def recall(matrix: npt.ArrayLike, *, undefined: float = np.nan) -> FloatArray:
    r"""Share of the relevant items that are recommended.

    .. math:: \mathrm{Recall} = \frac{TP}{TP + FN}

    Parameters
    ----------
    matrix : array_like, shape (..., 2, 2)
        ``[[TN, FP], [FN, TP]]``, as `confusion_matrix` returns it.
    undefined : float, default NaN
        Value where nothing is relevant (TP + FN = 0).

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1], or ``undefined``.

    Raises
    ------
    InputError
        If ``matrix`` is not 2 x 2, a count is negative or not whole, or
        ``undefined`` is not a number.

    References
    ----------
    Document 001, eq. of recall.

    Examples
    --------
    >>> recall([[5, 0], [0, 0]]), recall([[5, 0], [0, 0]], undefined=0.0)
    (np.float64(nan), np.float64(0.0))
    """
    cells = _read_matrix(matrix)
    recalls = divide_or_nan(cells[..., 1, 1], cells[..., 1, :].sum(axis=-1))
    return _replace_nan(recalls, undefined)


def f1(matrix: npt.ArrayLike, *, undefined: float = np.nan) -> FloatArray:
    r"""Harmonic mean of precision and recall.

    .. math:: F_1 = 2 \cdot \frac{P \cdot R}{P + R}

    Parameters
    ----------
    matrix : array_like, shape (..., 2, 2)
        ``[[TN, FP], [FN, TP]]``, as `confusion_matrix` returns it.
    undefined : float, default NaN
        Value where precision or recall is undefined.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1], or ``undefined``; 0 where precision and recall are both 0.

    Raises
    ------
    InputError
        If ``matrix`` is not 2 x 2, a count is negative or not whole, or
        ``undefined`` is not a number.

    References
    ----------
    Document 001, eq. of :math:`F_1`.

    Examples
    --------
    >>> f1([[1, 1], [1, 2]]).round(4)
    np.float64(0.6667)
    """
    return _replace_nan(ranking.f1(precision(matrix), recall(matrix)), undefined)


def _read_matrix(matrix: npt.ArrayLike) -> FloatArray:
    """Return the cells as floats; raise unless they are counts of shape (..., 2, 2)."""
    cells = as_numbers(matrix, "matrix")
    check_shape(cells, (..., 2, 2), "matrix")
    is_count = (cells >= 0) & (cells < np.inf) & (np.floor(cells) == cells)
    check_none(cells, ~is_count, "matrix", "hold counts, whole numbers of at least 0")
    return cells


def _replace_nan(values: FloatArray, undefined: float) -> FloatArray:
    """Return the values with ``undefined`` in place of NaN; raise if it is not a number."""
    check_that(as_float(undefined) is not None, "undefined", "be a number or NaN", undefined)
    return np.where(np.isnan(values), float(undefined), values)[()]
