"""Arithmetic along the last axis that several rooms share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, IntArray, in_range

__all__ = ["ratio", "retrieved", "summed", "tie_runs"]


def summed(terms: FloatArray, name: str = "gains") -> FloatArray:
    """The sum over ranks, added up in their order; ``name`` is the argument they come from.

    NumPy's own sum groups its terms by the length of the axis, so that the last bit of a value
    would depend on how far its list is padded.
    """
    if terms.shape[-1] == 0:
        return np.zeros(terms.shape[:-1])[()]
    with np.errstate(over="ignore", invalid="ignore"):
        result: FloatArray = np.cumsum(terms, axis=-1)[..., -1]
    return in_range(result, name)[()]


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Numerator over denominator, NaN where the denominator is 0."""
    divisor = np.asarray(denominator, float)
    result: FloatArray = np.asarray(numerator, float) / np.where(divisor == 0, np.nan, divisor)
    return result[()]


def retrieved(values: FloatArray) -> IntArray:
    """How many items each list has."""
    result: IntArray = np.count_nonzero(~np.isnan(values), axis=-1)
    return result


def tie_runs(in_order: FloatArray) -> tuple[IntArray, IntArray]:
    """First and last position of the run of equal values that each place of a sorted array is in.

    >>> tie_runs(np.array([1.0, 4.0, 4.0, 5.0]))
    (array([0, 1, 1, 3]), array([0, 2, 2, 3]))
    """
    n = in_order.shape[-1]
    changes = in_order[..., 1:] != in_order[..., :-1]
    position = np.broadcast_to(np.arange(n), in_order.shape)
    starts, ends = np.zeros(in_order.shape, np.int64), np.full(in_order.shape, n - 1)
    starts[..., 1:] = np.where(changes, position[..., 1:], 0)
    ends[..., :-1] = np.where(changes, position[..., :-1], n - 1)
    first = np.maximum.accumulate(starts, axis=-1)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    return first, last
