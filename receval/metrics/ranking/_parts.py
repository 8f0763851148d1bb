"""The pieces that the ranking formulas share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import answered
from receval._arrays import in_range as in_range
from receval._arrays import ratio as ratio
from receval._arrays import tie_runs as tie_runs
from receval._arrays import weights as weights
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    as_counts,
    check_callable,
    check_leading,
    plain,
    refuse,
)
from receval.metrics.discounts import Gain


def summed(terms: FloatArray, name: str = "gains") -> FloatArray:
    """The sum over ranks, added up in their order; ``name`` is the argument they come from.

    NumPy's own sum groups its terms by the length of the axis, so that the last bit of a value
    would depend on how far its list is padded.
    """
    if terms.shape[-1] == 0:
        return np.zeros(terms.shape[:-1])[()]
    with np.errstate(over="ignore", invalid="ignore"):
        if rank_by_rank(terms):
            result: FloatArray = np.array(terms[..., 0], dtype=np.float64)
            for rank in range(1, terms.shape[-1]):
                result += terms[..., rank]
        else:
            result = np.cumsum(terms, axis=-1)[..., -1]
    return in_range(result, name)[()]


def running(terms: FloatArray | BoolArray) -> FloatArray:
    """The sum of the terms up to each rank, each as `summed` has it."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not rank_by_rank(terms):
            return np.cumsum(terms, axis=-1, dtype=np.float64)
        sums = np.array(terms, dtype=np.float64)  # in the order of memory that it has
        for rank in range(1, terms.shape[-1]):
            sums[..., rank] += sums[..., rank - 1]
        return sums


def rank_by_rank(array: npt.NDArray[Any]) -> bool:
    """Whether memory holds the first rank of all lists, then the second, and so on.

    Then whole ranks are added at once; the sums are the same to the last bit.
    """
    return array.ndim > 1 and array.size > 0 and array.strides[-1] == max(array.strides)


def filled(values: FloatArray) -> FloatArray:
    """``values`` with 0 at empty ranks."""
    empty = np.isnan(values)
    return np.where(empty, 0.0, values) if empty.any() else values


def best_first(grades: FloatArray) -> FloatArray:
    """Grades from the highest to the lowest."""
    if (grades[..., 1:] <= grades[..., :-1]).all():
        return grades
    descending: FloatArray = -np.sort(-grades, axis=-1)
    return descending


def ranks(array: npt.NDArray[np.generic]) -> FloatArray:
    """1, 2, … along the last axis."""
    return np.arange(1.0, array.shape[-1] + 1)


def relevant_among(gains: FloatArray, k: int | None) -> BoolArray:
    return gains[..., :k] > 0


def retrieved(gains: FloatArray, k: int | None) -> IntArray:
    """How many items each list has among its first k ranks."""
    result: IntArray = np.count_nonzero(~np.isnan(gains[..., :k]), axis=-1)
    return result


def cutoff_of(gains: FloatArray, k: int | None) -> IntArray:
    """The cut-off: k, or without it the length of each list."""
    return retrieved(gains, None) if k is None else np.asarray(k)


def relevant_counts(n_relevant: npt.ArrayLike, gains: FloatArray) -> IntArray:
    """``n_relevant`` checked against the lists: never fewer than they hold."""
    total = np.asarray(as_counts(n_relevant, "n_relevant"))
    check_leading("n_relevant gains", total.shape, gains.shape[:-1])
    found = (gains > 0).sum(axis=-1)
    total, found = np.broadcast_arrays(total, found)
    refuse(
        total,
        total < found,
        "n_relevant",
        "be at least the number of relevant items in the list",
        "It counts all relevant items, retrieved or not",
    )
    return total


def gain_of(grades: FloatArray, gain: Gain) -> FloatArray:
    """What the grades are worth; NaN stays NaN."""
    check_callable(gain, "gain", "linear_gain")
    worth = answered(gain(grades), "gain")
    if worth.shape != grades.shape:
        raise InputError(
            f"gain must answer one number per grade; got shape {worth.shape} for {grades.shape}"
        )
    if not plain(worth):
        refuse(worth, ~np.isfinite(worth) & ~np.isnan(grades), "gain", "answer finite numbers")
        refuse(worth, worth < 0, "gain", "answer numbers of at least 0")
    return worth
