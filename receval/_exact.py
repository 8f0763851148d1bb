"""Sums without rounding: any order, any grouping and any number of workers give the same bits."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from operator import add

import numpy as np
import numpy.typing as npt

__all__ = ["ExactSum", "mean"]

UNIT = 1074  # the smallest float64 above 0 is 2 ** -1074, and every other is a multiple of it
CHUNK = 1 << 16  # values at once: they stay in the cache
MAX_EXPONENT = 900  # a power from which sums of floats may be beyond them
DIGITS = 37  # of each number at once: CHUNK numbers of so many binary digits add up exactly


@dataclass(frozen=True)
class ExactSum:
    """An exact sum of float64 numbers, to which numbers and other such sums can be added.

    Attributes
    ----------
    total : int
        The sum of the finite numbers in units of 2 ** -1074.
    count : int
        How many numbers there are, infinite ones among them.
    missing : int
        How many NaN were left out.
    above, below : int
        How many numbers are inf, and -inf.

    Notes
    -----
    The mean is rounded once, from the exact sum and the count: it is the float64 nearest to the
    true mean of the numbers, and finite numbers have a finite one. With inf or -inf among the
    numbers the mean is that; with both, or without any number, it is NaN.

    Examples
    --------
    >>> ExactSum.of([1e100, 1.0, -1e100]).mean() * 3
    1.0
    >>> ExactSum.of([0.1, 0.2]) + ExactSum.of([0.3]) == ExactSum.of([0.3, 0.2, 0.1])
    True
    """

    total: int = 0
    count: int = 0
    missing: int = 0
    above: int = 0
    below: int = 0

    @classmethod
    def of(cls, values: npt.ArrayLike) -> ExactSum:
        """The sum of an array, NaN left out and counted."""
        given = np.asarray(values, dtype=np.float64).ravel()
        finite = np.isfinite(given)
        if finite.all():
            return cls(_in_units(given), given.size)
        odd = (np.isnan(given), given == np.inf, given == -np.inf)
        missing, above, below = (int(np.count_nonzero(one)) for one in odd)
        return cls(_in_units(given[finite]), given.size - missing, missing, above, below)

    def __add__(self, other: ExactSum) -> ExactSum:
        return ExactSum(*map(add, astuple(self), astuple(other)))

    def mean(self) -> float:
        """The mean, rounded once."""
        if self.above or self.below:
            return math.nan if self.above and self.below else math.inf * (self.above - self.below)
        # Python divides whole numbers to the nearest float64, whatever their size.
        return self.total / (self.count << UNIT) if self.count else math.nan


def mean(values: npt.NDArray[np.float64]) -> float:
    """Mean of the values that are not NaN, rounded once: their order changes no bit."""
    return ExactSum.of(values).mean()


def _in_units(values: npt.NDArray[np.float64]) -> int:
    """The exact sum of finite numbers in units of 2 ** -1074.

    The leading digits of all numbers are whole numbers of one power of two, which float64 adds up
    without rounding; then it is the turn of what they leave over, until nothing is left.
    """
    total = 0
    for start in range(0, values.size, CHUNK):
        rest = values[start : start + CHUNK]
        while largest := np.abs(rest).max():
            power = max(int(np.frexp(largest)[1]) - DIGITS, -UNIT)
            if power < MAX_EXPONENT:
                round_off = 1.5 * 2.0 ** (power + 52)  # beside it no smaller digit has room
                leading = (rest + round_off) - round_off
                in_powers = np.ldexp(leading.sum(), -power)
            else:
                in_powers = np.trunc(np.ldexp(rest, -power))
                leading, in_powers = np.ldexp(in_powers, power), in_powers.sum()
            total += int(in_powers) << (power + UNIT)
            rest = rest - leading
    return total
