"""Arithmetic that several rooms share: ratios, ties, and what a user's function answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, InputError, IntArray, as_finite, check_callable, shorten


def in_range(values: FloatArray, name: str) -> FloatArray:
    """``values`` that were computed from finite ``name``, none of them beyond float64."""
    if not np.isfinite(values).all():
        raise InputError(
            f"{name} must be small enough to be added up and multiplied in float64 "
            "(below about 1e308); got an overflow. Divide all of them by one large number first"
        )
    return values


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Numerator over denominator, NaN where the denominator is 0."""
    divisor = np.asarray(denominator, float)
    result: FloatArray = np.asarray(numerator, float) / np.where(divisor == 0, np.nan, divisor)
    return result[()]


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


def answered(answer: npt.ArrayLike, name: str) -> FloatArray:
    """What a user's function answered, as real numbers."""
    try:
        array = np.asarray(answer)
        if array.dtype.kind != "c":
            return np.asarray(array, dtype=float)
        what = f"type {array.dtype}"
    except (TypeError, ValueError):
        what = shorten(answer)
    raise InputError(f"{name} must answer real numbers; got {what}")


def weights(n: int, discount: Callable[[FloatArray], npt.ArrayLike]) -> FloatArray:
    """The weights of ranks 1 to n."""
    check_callable(discount, "discount", "shifted_log2")
    result = answered(discount(np.arange(1.0, n + 1)), "discount")
    if result.shape != (n,):
        raise InputError(
            f"discount must answer one weight per rank; got shape {result.shape} for {n} ranks"
        )
    return as_finite(result, "discount")
