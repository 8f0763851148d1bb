"""Intervals of numbers, and computations with them.

A printed number stands for an interval: "0.35" for everything that rounds to it. A computation on
intervals returns an outer bound: no numbers inside the inputs can give a result outside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
)
from fractions import Fraction
from numbers import Rational
from typing import TypeAlias

from receval._checks import InputError, as_float, input_error, shorten

__all__ = ["Interval"]

Number: TypeAlias = "int | float | Decimal | Fraction"

# Lower ends are rounded down and upper ends up, so that rounding only widens an interval.
PRECISION = 50  # digits
TRAPS: list[type[DecimalException]] = [InvalidOperation, DivisionByZero]
DOWN = Context(prec=PRECISION, rounding=ROUND_FLOOR, traps=TRAPS)
UP = Context(prec=PRECISION, rounding=ROUND_CEILING, traps=TRAPS)
INFINITY = Decimal("Infinity")
MAX_POWER = 10_000  # a larger exponent is a mistake, and would take long


class Undefined(InputError):
    """The error if a computation isn't defined for all numbers of an interval."""

    __module__ = "receval"


@dataclass(frozen=True)
class _End:
    """A candidate for an end of a result: its bound on either side, and whether it is attained."""

    low: Decimal
    high: Decimal
    is_closed: bool


@dataclass(frozen=True, repr=False)
class Interval:
    r"""All numbers from a low to a high end, with or without the ends themselves.

    The four operations, integer powers, ``abs`` and NumPy's ``sqrt``, ``exp``, ``log``, ``log2``
    and ``log10`` work on intervals and numbers. The result is an outer bound:

    .. math:: \{x \circ y : x \in X, y \in Y\} \subseteq X \circ Y

    It is the smallest such interval, up to 50 digits, if each interval occurs once in the
    computation. An interval that occurs twice counts as two independent ones, so that ``x - x`` is
    not 0, and the bound is wider than necessary.

    Parameters
    ----------
    low, high : int, float, Decimal, Fraction or str
        The ends; use minus or plus infinity for an end that doesn't exist. A float counts as the
        decimal number that Python shows: 0.1 is one tenth.
    low_closed, high_closed : bool, default True
        Whether the end is part of the interval. Infinity never is.

    Raises
    ------
    InputError
        If an end is not a number, the low end is above the high one, or the interval is empty; in
        a computation, if a divisor contains 0, or a root or logarithm does not exist everywhere.

    Notes
    -----
    Intervals have no order, so that ``<``, ``min`` and sorting raise a `TypeError`.

    References
    ----------
    R. E. Moore, R. B. Kearfott, M. J. Cloud, "Introduction to Interval Analysis", SIAM 2009,
    chapters 2 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> rate = Interval("0.0063", "0.0065")
    >>> 1 - rate
    [0.9935, 0.9937]
    >>> (100 * np.sqrt(rate / 1000)).short
    '0.250998 to 0.254951'
    >>> rate - rate
    [-0.0002, 0.0002]
    """

    low: Decimal
    high: Decimal
    low_closed: bool = True
    high_closed: bool = True

    def __init__(
        self,
        low: Number | str,
        high: Number | str,
        *,
        low_closed: bool = True,
        high_closed: bool = True,
    ) -> None:
        low_end, high_end = _as_bounds(low, "low")[0], _as_bounds(high, "high")[1]
        low_closed = bool(low_closed) and low_end.is_finite()
        high_closed = bool(high_closed) and high_end.is_finite()
        is_empty = low_end > high_end or (low_end == high_end and not (low_closed and high_closed))
        if is_empty:
            raise InputError(f"low must be below high; got {low_end} and {high_end}")
        # The class is frozen, so the usual assignment would raise an error.
        object.__setattr__(self, "low", low_end)
        object.__setattr__(self, "high", high_end)
        object.__setattr__(self, "low_closed", low_closed)
        object.__setattr__(self, "high_closed", high_closed)

    def __repr__(self) -> str:
        left = "[" if self.low_closed else "("
        right = "]" if self.high_closed else ")"
        return f"{left}{_show(self.low)}, {_show(self.high)}{right}"

    @property
    def short(self) -> str:
        """Return both ends as text with six significant digits."""
        return f"{float(self.low):.6g} to {float(self.high):.6g}"

    @property
    def midpoint(self) -> Decimal:
        """Return the number in the middle, which is inside; raise if an end is infinite."""
        if not self.is_bounded:
            raise InputError(f"interval must have two finite ends; got {self}")
        if self.low == self.high:
            return self.low
        middle = DOWN.multiply(DOWN.add(self.low, self.high), Decimal("0.5"))
        return min(max(middle, self.low), self.high)

    @property
    def width(self) -> Decimal:
        """Return the high end minus the low one, rounded up."""
        return UP.subtract(self.high, self.low)

    @property
    def is_bounded(self) -> bool:
        """Return whether both ends are finite."""
        return self.low.is_finite() and self.high.is_finite()

    def contains(self, number: Number | str) -> bool:
        """Return whether a number is in the interval, compared exactly.

        Examples
        --------
        >>> Interval("0.345", "0.355", high_closed=False).contains("0.355")
        False
        """
        exact = _as_exact(number, "number")
        return self._is_above_low(exact) and self._is_below_high(exact)

    def _is_above_low(self, number: Fraction | Decimal) -> bool:
        """Return whether a number is not below the interval."""
        return number > self.low or (self.low_closed and number == self.low)

    def _is_below_high(self, number: Fraction | Decimal) -> bool:
        """Return whether a number is not above the interval."""
        return number < self.high or (self.high_closed and number == self.high)

    def includes(self, other: Interval) -> bool:
        """Return whether every number of another interval is in this one.

        Examples
        --------
        >>> Interval(0, 1).includes(Interval(0, 1, low_closed=False))
        True
        """
        low_is_inside = other.low > self.low or (
            other.low == self.low and (self.low_closed or not other.low_closed)
        )
        high_is_inside = other.high < self.high or (
            other.high == self.high and (self.high_closed or not other.high_closed)
        )
        return low_is_inside and high_is_inside

    def overlaps(self, other: Interval) -> bool:
        """Return whether some number is in both intervals.

        Examples
        --------
        >>> Interval(0, 1, high_closed=False).overlaps(Interval(1, 2))
        False
        """
        return self.intersection(other) is not None

    def intersection(self, other: Interval) -> Interval | None:
        """Return the numbers that are in both intervals; None if there are none.

        Examples
        --------
        >>> Interval(0, 2).intersection(Interval(1, 3, low_closed=False))
        (1, 2]
        """
        low = max(self.low, other.low)
        high = min(self.high, other.high)
        low_closed = self._is_above_low(low) and other._is_above_low(low)
        high_closed = self._is_below_high(high) and other._is_below_high(high)
        if low > high or (low == high and not (low_closed and high_closed)):
            return None
        return Interval(low, high, low_closed=low_closed, high_closed=high_closed)

    def split(self) -> tuple[Interval, Interval]:
        """Return the two halves, which share the midpoint.

        Examples
        --------
        >>> Interval(0, 1).split()
        ([0, 0.5], [0.5, 1])
        """
        middle = self.midpoint
        left = Interval(self.low, middle, low_closed=self.low_closed)
        right = Interval(middle, self.high, high_closed=self.high_closed)
        return left, right

    def __neg__(self) -> Interval:
        return Interval(
            self.high.copy_negate(),
            self.low.copy_negate(),
            low_closed=self.high_closed,
            high_closed=self.low_closed,
        )

    def __pos__(self) -> Interval:
        return self

    def __abs__(self) -> Interval:
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        # The interval contains 0, so that 0 is the low end; the high end is the one further away.
        larger = max(-self, self, key=lambda side: (side.high, side.high_closed))
        return Interval(0, larger.high, high_closed=larger.high_closed)

    def __add__(self, other: object) -> Interval:
        term = as_interval(other)
        if term is None:
            return NotImplemented
        return Interval(
            DOWN.add(self.low, term.low),
            UP.add(self.high, term.high),
            low_closed=self.low_closed and term.low_closed,
            high_closed=self.high_closed and term.high_closed,
        )

    __radd__ = __add__

    def __sub__(self, other: object) -> Interval:
        term = as_interval(other)
        if term is None:
            return NotImplemented
        return self + -term

    def __rsub__(self, other: object) -> Interval:
        return -self + other

    def __mul__(self, other: object) -> Interval:
        factor = as_interval(other)
        if factor is None:
            return NotImplemented
        return _hull([_product(x, y) for x in self._ends() for y in factor._ends()])

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Interval:
        divisor = as_interval(other)
        if divisor is None:
            return NotImplemented
        if divisor.low <= 0 <= divisor.high:
            raise Undefined(f"the computation must have divisors without 0; got {divisor}")
        return _hull([_quotient(x, y) for x in self._ends() for y in divisor._ends()])

    def __rtruediv__(self, other: object) -> Interval:
        dividend = as_interval(other)
        if dividend is None:
            return NotImplemented
        return dividend / self

    def __pow__(self, exponent: object) -> Interval:
        power = as_float(exponent)
        if power is None or not power.is_integer() or abs(power) > MAX_POWER:
            rule = f"be a whole number up to {MAX_POWER:,}"
            raise input_error("the exponent of an interval", rule, shorten(exponent))
        n_factors = int(power)
        if n_factors < 0:
            return 1 / self**-n_factors
        base = self
        if n_factors % 2 == 0:
            base = abs(self)  # an even power falls up to 0 and rises from there
        ends = [
            _End(_power(end, n_factors, DOWN), _power(end, n_factors, UP), is_closed)
            for end, is_closed in base._ends()
        ]
        return _hull(ends)

    def __rpow__(self, base: object) -> Interval:
        number = as_interval(base)
        if number is None:
            return NotImplemented
        return (self * number.log()).exp()

    # NumPy calls these methods: np.sqrt(interval) is interval.sqrt().

    def sqrt(self) -> Interval:
        """Return an outer bound of the square roots.

        Examples
        --------
        >>> Interval(4, 9).sqrt()
        [2, 3]
        """
        if self.low < 0:
            raise Undefined(f"the computation must take roots of numbers of at least 0; got {self}")
        return self._rising(Decimal.sqrt)

    def exp(self) -> Interval:
        """Return an outer bound of the powers of e.

        Examples
        --------
        >>> Interval(0, 1).exp().short
        '1 to 2.71828'
        """
        return self._rising(Decimal.exp)

    def log(self) -> Interval:
        """Return an outer bound of the natural logarithms.

        Examples
        --------
        >>> Interval(1, 10).log().short
        '0 to 2.30259'
        """
        self._check_has_logarithm()
        return self._rising(Decimal.ln)

    def log2(self) -> Interval:
        """Return an outer bound of the logarithms to base 2.

        Examples
        --------
        >>> Interval(2, 8).log2().short
        '1 to 3'
        """
        return self.log() / Interval(2, 2).log()

    def log10(self) -> Interval:
        """Return an outer bound of the logarithms to base 10.

        Examples
        --------
        >>> Interval(10, 1000).log10()
        [1, 3]
        """
        self._check_has_logarithm()
        return self._rising(Decimal.log10)

    def _check_has_logarithm(self) -> None:
        """Raise unless all numbers are above 0."""
        if self.low <= 0:
            raise Undefined(f"the computation must have logarithms of numbers above 0; got {self}")

    def _rising(self, function: Callable[[Decimal, Context], Decimal]) -> Interval:
        """Return an outer bound of a rising function that Decimal rounds correctly."""
        # Decimal rounds these functions to the nearest number, even if the context has another
        # rounding. So move one step outwards unless the result is exact.
        context = Context(prec=PRECISION, traps=TRAPS)
        low = function(self.low, context)
        if context.flags[Inexact]:
            low = DOWN.next_minus(low)
        context.clear_flags()
        high = function(self.high, context)
        if context.flags[Inexact]:
            high = UP.next_plus(high)
        return Interval(low, high, low_closed=self.low_closed, high_closed=self.high_closed)

    def _ends(self) -> tuple[tuple[Decimal, bool], tuple[Decimal, bool]]:
        """Return both ends, and whether each is part of the interval."""
        return (self.low, self.low_closed), (self.high, self.high_closed)


def as_interval(value: object) -> Interval | None:
    """Return an interval, or a number as an interval of one number; None for anything else."""
    if isinstance(value, Interval):
        return value
    if isinstance(value, (bool, str)):
        return None
    try:
        exact = _as_exact(value, "number")
    except InputError:
        return None
    return Interval(exact, exact)


def _as_exact(value: object, name: str) -> Fraction | Decimal:
    """Return a number as a fraction or a Decimal of the same value; raise for anything else.

    A float becomes the decimal number that Python shows for it. Infinity is a Decimal.
    """
    exact: Fraction | Decimal | None = None
    if isinstance(value, Decimal):
        exact = value
    elif isinstance(value, Rational) and not isinstance(value, bool):
        exact = Fraction(int(value.numerator), int(value.denominator))
    else:
        # The text of a NumPy float names its type, so turn it into a Python float first. A float32
        # then has more digits than it shows, but this matters only for figures of seven digits or
        # more.
        text = value
        number = as_float(value)
        if number is not None:
            text = repr(number)
        if isinstance(text, str):
            try:
                exact = Decimal(text)
            except InvalidOperation:
                exact = None
    if exact is None or (isinstance(exact, Decimal) and exact.is_nan()):
        raise input_error(name, "be a number", shorten(value))
    return exact


def _as_bounds(value: object, name: str) -> tuple[Decimal, Decimal]:
    """Return a number rounded down and rounded up to a Decimal of 50 digits."""
    exact = _as_exact(value, name)
    if isinstance(exact, Fraction):
        numerator, denominator = Decimal(exact.numerator), Decimal(exact.denominator)
        return DOWN.divide(numerator, denominator), UP.divide(numerator, denominator)
    return DOWN.plus(exact), UP.plus(exact)


def _product(first: tuple[Decimal, bool], second: tuple[Decimal, bool]) -> _End:
    """Return the product of two ends; each is a number, and whether its interval includes it."""
    x, x_is_closed = first
    y, y_is_closed = second
    # 0 times anything is 0, however large: an infinite end only says that there is no bound.
    if x == 0 or y == 0:
        is_closed = (x == 0 and x_is_closed) or (y == 0 and y_is_closed)
        return _End(Decimal(0), Decimal(0), is_closed)
    return _End(DOWN.multiply(x, y), UP.multiply(x, y), x_is_closed and y_is_closed)


def _quotient(first: tuple[Decimal, bool], second: tuple[Decimal, bool]) -> _End:
    """Return the quotient of two ends; the second is not 0."""
    x, x_is_closed = first
    y, y_is_closed = second
    if x == 0:
        return _End(Decimal(0), Decimal(0), x_is_closed)
    if y.is_infinite() and x.is_infinite():
        # Infinity over infinity can be any number, so the bounds are 0 and infinity. This pair of
        # ends gives the bound 0; another pair gives infinity.
        return _End(Decimal(0), Decimal(0), is_closed=False)
    return _End(DOWN.divide(x, y), UP.divide(x, y), x_is_closed and y_is_closed)


def _hull(ends: list[_End]) -> Interval:
    """Return the smallest interval that contains all candidates for its ends."""
    low = min(end.low for end in ends)
    high = max(end.high for end in ends)
    low_closed = any(end.is_closed for end in ends if end.low == low)
    high_closed = any(end.is_closed for end in ends if end.high == high)
    # If all candidates are the same number, the result is that number, even if they are open: 0
    # times (1, 2).
    is_single = low == high
    return Interval(
        low, high, low_closed=low_closed or is_single, high_closed=high_closed or is_single
    )


def _power(base: Decimal, exponent: int, context: Context) -> Decimal:
    """Return a power, rounded down in the context `DOWN` and up in `UP`; exponents are whole."""
    if base < 0:
        # An odd power of a negative number is mirrored, so it needs the other rounding.
        opposite = DOWN if context is UP else UP
        magnitude = _power(base.copy_negate(), exponent, opposite)
        return magnitude.copy_negate()
    power = Decimal(1)
    square = base
    while exponent > 0:
        if exponent % 2 == 1:
            power = context.multiply(power, square)
        exponent //= 2
        if exponent > 0:
            square = context.multiply(square, square)
    return power


def _show(end: Decimal) -> str:
    """Return an end as text: whole, or with up to twelve significant digits."""
    if end.is_infinite():
        return "-∞" if end < 0 else "∞"
    return f"{float(end):.12g}"
