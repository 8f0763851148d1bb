"""Two columns of per-user values side by side, user by user."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import SHOWN, FloatArray, InputError, as_numbers, refuse
from receval._exact import mean

BITS = 40  # two values are equal if they agree to 2^-40 (about 1e-12) of the largest one


@dataclass(frozen=True)
class Pairs:
    """Values of the users that have one on both sides.

    Attributes
    ----------
    a, b : ndarray of float, shape (compared,)
    left_out : int
        Users that lack a value on one side or on both.
    """

    a: FloatArray
    b: FloatArray
    left_out: int

    @property
    def compared(self) -> int:
        """Number of users with a value on both sides."""
        return self.a.size

    @cached_property
    def difference(self) -> FloatArray:
        """Difference a - b of each user, as floating point has it."""
        return self.a - self.b

    @cached_property
    def level(self) -> FloatArray:
        """Differences freed of rounding noise, so that equal ones are equal and ties are ties.

        0.3 - 0.1 and 0.2 - 0.0 differ in floating point; ranks must not.
        """
        largest = max(np.abs(self.a).max(), np.abs(self.b).max())
        return snap(self.difference, float(largest))

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """Users for whom a is better, the same, worse."""
        return {
            "better": int(np.count_nonzero(self.level > 0)),
            "same": int(np.count_nonzero(self.level == 0)),
            "worse": int(np.count_nonzero(self.level < 0)),
        }

    @property
    def mean(self) -> float:
        """Mean difference, rounded once."""
        return mean(self.difference)

    @property
    def spread(self) -> float:
        """Standard deviation of the differences (n - 1); 0 where they differ by rounding only."""
        return float(self.difference.std(ddof=1)) if np.ptp(self.level) > 0 else 0.0


def snap(values: FloatArray, largest: float) -> FloatArray:
    """Values on a grid of 2^-40 of the largest; a power of two, so that nothing else changes."""
    if largest == 0:
        return values
    grid = 2.0 ** (math.frexp(largest)[1] - BITS)
    return np.rint(values / grid) * grid


def paired(a: Any, b: Any) -> Pairs:
    """Align two columns: Series by their index, arrays by position."""
    if isinstance(a, pd.Series) != isinstance(b, pd.Series):
        raise InputError(
            "a and b must both be Series (aligned by user) or both be arrays (aligned by position);"
            f" got {type(a).__name__} and {type(b).__name__}"
        )
    apart = 0
    if isinstance(a, pd.Series) and isinstance(b, pd.Series):
        for series, name in ((a, "a"), (b, "b")):
            if series.index.has_duplicates:
                again = series.index[series.index.duplicated()].unique()[:SHOWN].tolist()
                raise InputError(f"{name} must have each user once; got twice {again}")
        if not a.index.equals(b.index):
            common = a.index.intersection(b.index)
            apart = len(a) + len(b) - 2 * len(common)
            if common.empty:
                raise InputError(
                    "a and b must have users in common; got "
                    f"{a.index[:SHOWN].tolist()} and {b.index[:SHOWN].tolist()}"
                )
            a, b = a.loc[common], b.loc[common]
    first, second = as_values(a, "a"), as_values(b, "b")
    if first.size != second.size:
        raise InputError(
            f"a and b must have the same length; got {first.size} and {second.size}. "
            "Pass Series indexed by user to have them aligned"
        )
    both = ~(np.isnan(first) | np.isnan(second))
    n = int(np.count_nonzero(both))
    left_out = apart + both.size - n
    if n < 2:
        raise InputError(
            f"a and b must have values of at least 2 users in common; got {n} ({left_out} left out)"
        )
    return Pairs(first[both], second[both], left_out)


def as_values(values: Any, name: str) -> FloatArray:
    """One number per user; NaN where a user has none."""
    if isinstance(values, pd.Series) and pd.api.types.is_numeric_dtype(values.dtype):
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    array = as_numbers(values, name)
    if array.ndim != 1:
        raise InputError(f"{name} must have one value per user; got the shape {array.shape}")
    refuse(array, np.isinf(array), name, "be finite")
    return array
