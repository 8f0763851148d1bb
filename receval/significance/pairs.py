"""Two columns of per-user values side by side, user by user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from receval._arrays import power_of_two_scale
from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    check_none,
    check_unique,
    input_error,
)
from receval._exact import mean
from receval._lists import as_numbers
from receval._rounding import check_not_merged

__all__ = ["Pairs", "paired"]

BITS = 40  # two values are equal if they agree to 2^-40 (about 1e-12) of the largest one


@dataclass(frozen=True)
class Pairs:
    """Values of the users that have one on both sides.

    Also several such pairs of columns for as many users, one pair per row; what is made of the
    values then has one entry per pair.

    Attributes
    ----------
    a, b : ndarray of float, shape (..., compared)
    left_out : int or ndarray of int, shape (...)
        Users that lack a value on one side or on both.
    """

    a: FloatArray
    b: FloatArray
    left_out: Any

    @property
    def compared(self) -> int:
        """Number of users with a value on both sides."""
        return int(self.a.shape[-1])

    @cached_property
    def difference(self) -> FloatArray:
        """Difference a - b of each user, as floating point has it."""
        return self.a - self.b

    @cached_property
    def level(self) -> FloatArray:
        """Differences freed of rounding noise, so that equal ones are equal and ties are ties.

        0.3 - 0.1 and 0.2 - 0.0 differ in floating point; ranks must not.
        """
        unit = power_of_two_scale(np.maximum(np.abs(self.a), np.abs(self.b)), BITS)
        return np.rint(self.difference / unit) * unit  # a power of two: nothing else changes

    @cached_property
    def ranks(self) -> FloatArray:
        """Ranks of the sizes of the differences with their signs; 0 for none, which has no rank."""
        from scipy import stats

        sizes = stats.rankdata(np.abs(self.level), axis=-1)
        return np.asarray(np.sign(self.level) * (sizes - self.users["same"][..., None]))

    @cached_property
    def users(self) -> dict[str, Any]:
        """Users for whom a is better, the same, worse; users compared and left out."""
        signs = {"better": self.level > 0, "same": self.level == 0, "worse": self.level < 0}
        outcomes = {name: np.asarray(users.sum(axis=-1)) for name, users in signs.items()}
        return {**outcomes, "compared": self.compared, "left_out": self.left_out}

    @cached_property
    def mean(self) -> FloatArray:
        """Mean difference, rounded once."""
        return np.asarray(np.apply_along_axis(mean, -1, self.difference))

    @cached_property
    def spread(self) -> FloatArray:
        """Standard deviation of the differences (n - 1); 0 where they differ by rounding only."""
        differ = np.ptp(self.level, axis=-1) > 0
        unit = power_of_two_scale(np.abs(self.difference))  # no square overflows or vanishes
        return np.where(differ, (self.difference / unit).std(axis=-1, ddof=1) * unit[..., 0], 0.0)

    @cached_property
    def half_carried_by(self) -> Any:
        """Fewest users who carry half of the sum of squared differences; 0 if none differs."""
        sizes = -np.sort(-np.abs(self.level), axis=-1)
        squares = (sizes / power_of_two_scale(sizes)) ** 2
        carried = np.cumsum(squares, axis=-1)
        half = carried[..., -1:] / 2
        fewest = 1 + np.count_nonzero(carried < half, axis=-1)
        return np.where(carried[..., -1] > 0, fewest, 0)


def paired(a: Any, b: Any, *, each: str = "users") -> Pairs:
    """Align two columns: Series by their index, arrays by position.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    each : str, default "users"
        What messages call them.

    Returns
    -------
    Pairs

    Raises
    ------
    InputError
        If fewer than two users have a value on both sides, a value is infinite, or a user stands
        twice.

    Examples
    --------
    >>> paired([1, 2, np.nan], [0, 1, 1]).compared
    2
    """
    if isinstance(a, pd.Series) != isinstance(b, pd.Series):
        rule = "both be Series (aligned by user) or both be arrays (aligned by position)"
        raise input_error("a and b", rule, f"{type(a).__name__} and {type(b).__name__}")
    first, second = as_values(a, "a"), as_values(b, "b")
    check_not_merged("a and b", a, b)
    users = ""
    if isinstance(a, pd.Series):
        for index, name in ((a.index, "a"), (b.index, "b")):
            if index.has_duplicates:
                check_unique(index.tolist(), name, "user")
        users = (
            f", of {each} {a.index[:MAX_EXAMPLES].tolist()} and {b.index[:MAX_EXAMPLES].tolist()}"
        )
        sides = pd.concat([pd.Series(first, a.index), pd.Series(second, b.index)], axis=1)
        first, second = sides.to_numpy().T
    if first.size != second.size:
        got, advice = f"{first.size} and {second.size}", "Pass Series indexed by user to align them"
        raise input_error("a and b", "have the same length", got, advice)
    both = ~(np.isnan(first) | np.isnan(second))
    n = int(np.count_nonzero(both))
    if n < 2:
        got = f"{n} ({both.size - n} left out){users}"
        raise input_error("a and b", f"have values of at least 2 {each} in common", got)
    return Pairs(first[both], second[both], both.size - n)


def rounded(self: Any) -> str:
    """The repr of a result, its numbers to six digits; all digits are in its attributes."""
    values = (f"{one:.6g}" if isinstance(one, float) else repr(one) for one in vars(self).values())
    told = map("=".join, zip(vars(self), values, strict=True))
    return f"{type(self).__name__}({', '.join(told)})"


def stacked(pairs: Sequence[Pairs]) -> Pairs:
    """Pairs of as many users as one, a row for each."""
    a, b = (np.stack([getattr(one, side) for one in pairs]) for side in "ab")
    return Pairs(a, b, np.array([one.left_out for one in pairs]))


def as_values(values: Any, name: str) -> FloatArray:
    """One number per user; NaN where a user has none."""
    if isinstance(values, pd.Series) and pd.api.types.is_numeric_dtype(values.dtype):
        if isinstance(values.dtype, np.dtype):
            values = values.to_numpy()
        else:  # pandas' own types, whose gaps are NaN here
            check_not_merged(name, values.dropna().to_numpy())
            values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    array = as_numbers(values, name)
    if array.ndim != 1:
        raise InputError(f"{name} must have one value per user; got the shape {array.shape}")
    check_none(array, np.isinf(array), name, "be finite")
    return array
