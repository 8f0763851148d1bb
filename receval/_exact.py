"""Sums without rounding: order, grouping and the number of workers do not change them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray

__all__ = ["ExactSum", "mean"]

UNIT = 1074  # the smallest float64 above 0 is 2 ** -1074, and every other is a multiple of it
CHUNK = 1 << 16  # numbers to add at a time, so that they stay in the cache
MAX_EXPONENT = 900  # from this power of two on, sums of floats may overflow
DIGITS = 37  # binary digits to add at a time: the sum of CHUNK such numbers is exact in float64


@dataclass(frozen=True)
class ExactSum:
    """An exact sum of float64 numbers. The sum of two exact sums is exact, too.

    Attributes
    ----------
    total : int
        The sum of the finite numbers in units of 2 ** -1074.
    count : int
        The number of values that are not NaN, including infinite ones.
    missing : int
        The number of NaN, which the sum leaves out.
    above, below : int
        The number of values that are inf, and the number of values that are -inf.

    Notes
    -----
    The mean is computed from the exact sum and the count, and rounded once. So it is the float64
    nearest to the true mean, and the mean of finite numbers is finite. If the numbers include inf
    or -inf, the mean is that infinity. If they include both, or if there are no numbers, it is NaN.

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
        """Return the sum of an array of any shape; NaN is left out and counted as missing."""
        numbers = np.asarray(values, dtype=np.float64).ravel()
        is_finite = np.isfinite(numbers)
        if is_finite.all():
            return cls(total=_sum_in_units(numbers), count=numbers.size)
        n_missing = int(np.count_nonzero(np.isnan(numbers)))
        return cls(
            total=_sum_in_units(numbers[is_finite]),
            count=numbers.size - n_missing,
            missing=n_missing,
            above=int(np.count_nonzero(numbers == np.inf)),
            below=int(np.count_nonzero(numbers == -np.inf)),
        )

    def __add__(self, other: ExactSum) -> ExactSum:
        """Return the exact sum of the numbers in both sums."""
        return ExactSum(
            total=self.total + other.total,
            count=self.count + other.count,
            missing=self.missing + other.missing,
            above=self.above + other.above,
            below=self.below + other.below,
        )

    def mean(self) -> float:
        """Return the mean, rounded once; the notes of the class say when it is infinite or NaN."""
        if self.above and self.below:
            return math.nan
        if self.above:
            return math.inf
        if self.below:
            return -math.inf
        if self.count == 0:
            return math.nan
        # The total is in units of 2 ** -UNIT, so divide by the count times 2 ** UNIT. Both are
        # whole numbers of Python, whose quotient is rounded to the nearest float64 at any size.
        return self.total / (self.count << UNIT)


def mean(values: FloatArray) -> float:
    """Return the mean of the values that are not NaN, rounded once; their order does not matter."""
    return ExactSum.of(values).mean()


def _sum_in_units(numbers: FloatArray) -> int:
    """Return the exact sum of finite numbers in units of 2 ** -1074.

    Numbers are added a chunk at a time, in rounds. A round splits each number into its leading
    digits, which are a multiple of 2 ** power, and a remainder. The leading part of the largest
    number has 37 binary digits, and a chunk has at most 2 ** 16 numbers. So the sum of the leading
    parts has at most 53 digits, and float64 adds them up without rounding. The next round does the
    same with the remainders, until all of them are 0.
    """
    total = 0
    for start in range(0, numbers.size, CHUNK):
        rest = numbers[start : start + CHUNK]
        largest = _largest_size(rest)
        while largest > 0:
            # The largest number is below 2 ** exponent. No float64 has digits below 2 ** -UNIT.
            _, exponent = np.frexp(largest)
            power = max(int(exponent) - DIGITS, -UNIT)
            if power < MAX_EXPONENT:
                # Near this number, floats are the multiples of 2 ** power. So if we add it to a
                # number, the number is rounded to such a multiple, which remains when we subtract
                # it again.
                round_off = 1.5 * 2.0 ** (power + 52)
                leading = rest + round_off
                leading -= round_off
                n_multiples = np.ldexp(leading.sum(), -power)
            else:  # the sum could overflow, so scale the numbers down first
                scaled = np.trunc(np.ldexp(rest, -power))
                leading = np.ldexp(scaled, power)
                n_multiples = scaled.sum()
            # Convert from multiples of 2 ** power to units of 2 ** -UNIT.
            total += int(n_multiples) << (power + UNIT)
            rest = np.subtract(rest, leading, out=leading)  # reuses the memory
            largest = _largest_size(rest)
    return total


def _largest_size(numbers: FloatArray) -> float:
    """Return the largest absolute value; unlike `numpy.abs`, this needs no temporary array."""
    return float(max(numbers.max(), -numbers.min()))
