"""Two columns of per-user values, aligned user by user."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, Union

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import ROUNDING, as_numbers, mean, without_rounding_noise
from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    InputError,
    check_none,
    check_unique,
    input_error,
)

__all__ = ["Pairs", "paired"]

UserValues: TypeAlias = Union[npt.ArrayLike, "pd.Series"]
"""One value per user, as users pass them: a Series indexed by user, or an array."""


@dataclass(frozen=True)
class Pairs:
    """Two values of each user who has a value on both sides.

    Attributes
    ----------
    a, b : ndarray of float, shape (compared,)
        The values of the first and of the second system.
    left_out : int
        Number of users who lack a value on one side or on both.
    """

    a: FloatArray
    b: FloatArray
    left_out: int

    @property
    def compared(self) -> int:
        """Number of users with a value on both sides."""
        return int(self.a.size)

    @cached_property
    def difference(self) -> FloatArray:
        """Floating-point difference a - b of each user."""
        return self.a - self.b

    @cached_property
    def largest(self) -> float:
        """Size of the largest value; `ROUNDING` times this is rounding noise."""
        return float(np.maximum(np.abs(self.a), np.abs(self.b)).max())

    @cached_property
    def direction(self) -> FloatArray:
        """1, 0 or -1 where a is better than, equal to or worse than b, shape (compared,)."""
        is_noise = np.abs(self.difference) <= ROUNDING * self.largest
        return np.where(is_noise, 0.0, np.sign(self.difference))

    @cached_property
    def level(self) -> FloatArray:
        """Differences without rounding noise, shape (compared,).

        0.3 - 0.1 and 0.2 - 0.0 differ in floating point, but must get the same rank. So sizes of
        differences are equal if they differ by at most 2^-40 of the largest value, and a difference
        of such a size is 0.
        """
        sizes = np.abs(self.difference * self.direction)
        return self.direction * without_rounding_noise(sizes, scale=self.largest)

    @cached_property
    def ranks(self) -> FloatArray:
        """Signed ranks of the absolute differences, shape (compared,).

        Users without a difference have no rank; their entry is 0. Ranks start at 1 for the
        smallest absolute difference other than 0, and equal ones share the mean of their ranks.
        """
        from scipy import stats

        # ``level`` holds the differences, rounded so that equal ones are exactly equal. Differences
        # of 0 take the first ranks, so all other ranks are too large by the number of such
        # differences.
        ranks_with_zeros = stats.rankdata(np.abs(self.level))
        # The sign of a difference of 0 is 0, and so is its entry in the result.
        return np.asarray(np.sign(self.level) * (ranks_with_zeros - self.outcomes["same"]))

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """Numbers of users for whom a is ``better``, ``same`` (equal) or ``worse``."""
        direction = self.direction
        masks = {"better": direction > 0, "same": direction == 0, "worse": direction < 0}
        return {name: int(mask.sum()) for name, mask in masks.items()}

    @cached_property
    def mean(self) -> float:
        """Mean difference."""
        return mean(self.difference)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the differences (divided by n - 1).

        It is 0 if the differences are equal, apart from rounding noise.
        """
        if np.ptp(self.difference) <= ROUNDING * self.largest:
            return 0.0
        return float(self.difference.std(ddof=1))


def paired(a: UserValues, b: UserValues, *, each: str = "users") -> Pairs:
    """Align two columns: Series by their index, arrays by position.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    each : str, default "users"
        The name of the users in error messages.

    Returns
    -------
    Pairs
        The values of the users who have a value on both sides.

    Raises
    ------
    InputError
        If fewer than two users have a value on both sides, a value is infinite, or a user
        occurs twice in a Series.

    Examples
    --------
    >>> paired([1, 2, np.nan], [0, 1, 1]).compared
    2
    """
    if isinstance(a, pd.Series) != isinstance(b, pd.Series):
        rule = "both be Series (aligned by user) or both be arrays (aligned by position)"
        raise input_error("a and b", rule, f"{type(a).__name__} and {type(b).__name__}")
    a_values = as_values(a, "a")
    b_values = as_values(b, "b")
    example_ids = ""
    if isinstance(a, pd.Series) and isinstance(b, pd.Series):
        a_values, b_values = _align_by_user(a_values, a.index, b_values, b.index)
        # If no ids match, a few ids of each side show the reason.
        a_ids = a.index[:MAX_EXAMPLES].tolist()
        b_ids = b.index[:MAX_EXAMPLES].tolist()
        example_ids = f", of {each} {a_ids} and {b_ids}"
    if a_values.size != b_values.size:  # arrays only; Series have been aligned
        got = f"{a_values.size} and {b_values.size}"
        advice = "Pass Series indexed by user to align them"
        raise input_error("a and b", "have the same length", got, advice)
    has_both = ~(np.isnan(a_values) | np.isnan(b_values))
    n_compared = int(np.count_nonzero(has_both))
    n_left_out = has_both.size - n_compared
    if n_compared < 2:
        got = f"{n_compared} ({n_left_out} left out){example_ids}"
        raise input_error("a and b", f"have values of at least 2 {each} in common", got)
    return Pairs(a_values[has_both], b_values[has_both], n_left_out)


def _align_by_user(
    a: FloatArray, a_users: pd.Index, b: FloatArray, b_users: pd.Index
) -> tuple[FloatArray, FloatArray]:
    """Return both columns for the users of either column; NaN where a column lacks a user.

    ``a_users`` and ``b_users`` hold the user of each value. Raises an `InputError` if a user occurs
    twice in one of the columns.
    """
    for name, users in (("a", a_users), ("b", b_users)):
        if users.has_duplicates:
            check_unique(users.tolist(), name, "user")  # raises
    if a_users.equals(b_users):  # the usual case, which needs no join
        return a, b
    # concat joins the columns by user.
    columns = pd.concat([pd.Series(a, a_users), pd.Series(b, b_users)], axis=1)
    aligned_a, aligned_b = columns.to_numpy().T
    return aligned_a, aligned_b


def as_values(values: UserValues, name: str) -> FloatArray:
    """Return one float per user, NaN where a user has no value.

    Raises an `InputError`, which calls the values ``name``, if they are not one finite number
    per user.
    """
    if isinstance(values, pd.Series) and pd.api.types.is_numeric_dtype(values.dtype):
        # Missing values of pandas' nullable types become NaN.
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    array = as_numbers(values, name)  # refuses text and other objects
    if array.ndim != 1:
        raise InputError(f"{name} must have one value per user; got the shape {array.shape}")
    check_none(array, np.isinf(array), name, "be finite")
    return array


def format_rounded(result: object) -> str:
    """Return the repr of a result with its numbers rounded to six digits.

    The attributes of the result keep all digits.
    """
    parts = []
    for name, value in vars(result).items():
        if isinstance(value, float):
            parts.append(f"{name}={value:.6g}")
        else:
            parts.append(f"{name}={value!r}")
    return f"{type(result).__name__}({', '.join(parts)})"
