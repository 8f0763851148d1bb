"""The differences of two columns of per-user values, aligned user by user."""

from __future__ import annotations

import math
from typing import TypeAlias, Union

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import ROUNDING, as_numbers, without_rounding_noise
from receval._checks import (
    MAX_EXAMPLES,
    FloatArray,
    check_none,
    check_that,
    check_unique,
    input_error,
)

UserValues: TypeAlias = Union[npt.ArrayLike, "pd.Series"]
"""One value per user, as users pass them: a Series indexed by user, or an array."""


def paired_differences(
    a: UserValues, b: UserValues, *, each: str = "users"
) -> tuple[FloatArray, int]:
    """Return a - b of the users who have both values, and the number of all other users.

    0.3 - 0.1 and 0.2 - 0.0 differ in floating point, but must get the same rank. So differences
    have no rounding noise: their sizes are equal if they differ by at most 2^-40 of the largest
    value, and a difference of such a size is 0.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        Series are aligned by their index, arrays by position.
    each : str, default "users"
        The name of the users in error messages.

    Raises
    ------
    InputError
        If fewer than two users have a value on both sides, a value is infinite, or a user
        occurs twice in a Series.
    """
    if isinstance(a, pd.Series) != isinstance(b, pd.Series):
        rule = "both be Series (aligned by user) or both be arrays (aligned by position)"
        raise input_error("a and b", rule, f"{type(a).__name__} and {type(b).__name__}")
    first, second = as_column(a, "a"), as_column(b, "b")
    if not isinstance(a, pd.Series) and first.size != second.size:
        advice = "Pass Series indexed by user to align them"
        got = f"{first.size} and {second.size}"
        raise input_error("a and b", "have the same length", got, advice)
    for name, users in (("a", first.index), ("b", second.index)):
        if users.has_duplicates:
            check_unique(users.tolist(), name, "user")  # raises
    values = np.array(first.align(second))
    values_of_both = values[:, ~np.isnan(values).any(axis=0)]
    n_compared = values_of_both.shape[1]
    n_left_out = values.shape[1] - n_compared
    if n_compared < 2:
        # If no ids match, a few ids of each side show the reason.
        examples = (
            f"{first.index[:MAX_EXAMPLES].tolist()} and {second.index[:MAX_EXAMPLES].tolist()}"
        )
        got = f"{n_compared} ({n_left_out} left out), of {each} {examples}"
        raise input_error("a and b", f"have values of at least 2 {each} in common", got)
    a_values, b_values = values_of_both
    differences = a_values - b_values
    # The size 0 comes first, so that noise around it becomes 0.
    sizes = np.append(0.0, np.abs(differences))
    rounded_sizes = without_rounding_noise(sizes, scale=np.abs(values_of_both).max())[1:]
    return np.sign(differences) * rounded_sizes, n_left_out


def as_column(values: UserValues, name: str) -> pd.Series[float]:
    """Return values as a Series of floats, indexed by user or, if they are an array, by position.

    NaN stands for a user without a value. Raises an `InputError`, which calls the values ``name``,
    if they are not one finite number per user.
    """
    index = None
    if isinstance(values, pd.Series):
        index = values.index
        # pandas' nullable types have another missing value.
        values = values.to_numpy(na_value=np.nan)
    array = as_numbers(values, name)  # refuses text and other objects
    check_that(array.ndim == 1, name, "have one value per user", array.shape)
    check_none(array, np.isinf(array), name, "be finite")
    return pd.Series(array, index)


def spread(values: FloatArray) -> float:
    """Return the standard deviation of values (divided by n - 1).

    It is NaN if all are equal: that doesn't say how much other values vary.
    """
    if values.size < 2 or np.ptp(values) <= ROUNDING * np.abs(values).max():
        return math.nan
    return float(values.std(ddof=1))
