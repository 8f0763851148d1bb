"""The rules for whether a computed value agrees with a printed figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

import numpy as np

from receval._checks import (
    InputError,
    as_float,
    check_choice,
    check_integer,
    check_that,
    input_error,
    is_scalar,
)
from receval.ledger.printed import MAX_LENGTH, POWER_BY_SUFFIX, Printed, read_printed

__all__ = ["Interval", "agrees", "printed_interval"]

KINDS = ("rounded", "truncated", "either", "exact")
# The keys of a figure that say how the source prints numbers.
FORM_KEYS = ("kind", "input_digits", "decimals")

RELATIVE_ERROR = Fraction(1, 10**12)  # the error of a value computed in float64


@dataclass(frozen=True, repr=False)
class Interval:
    """All numbers from a low to a high end.

    Attributes
    ----------
    low, high : Fraction
        The ends.
    low_closed, high_closed : bool
        Whether the end is part of the interval.
    """

    low: Fraction
    high: Fraction
    low_closed: bool = True
    high_closed: bool = True

    def __repr__(self) -> str:
        left = "[" if self.low_closed else "("
        right = "]" if self.high_closed else ")"
        return f"{left}{float(self.low):.12g}, {float(self.high):.12g}{right}"

    def contains(self, number: Fraction) -> bool:
        """Return whether a number is in the interval, compared exactly.

        Examples
        --------
        >>> printed_interval("0.66", kind="truncated").contains(Fraction(67, 100))
        False
        """
        is_above_low = number > self.low or (self.low_closed and number == self.low)
        is_below_high = number < self.high or (self.high_closed and number == self.high)
        return is_above_low and is_below_high


def agrees(
    value: object,
    printed: str,
    *,
    kind: str = "rounded",
    input_digits: int | None = None,
    decimals: int | None = None,
) -> bool:
    """Return whether a computed value agrees with the printed string.

    Parameters
    ----------
    value : float or str
        The computed value; a share, not a percentage, for "39.6 %". A text is compared with a
        printed label, without any change.
    printed : str
        The figure as printed; its digits set the precision: "0.90" is not "0.9". The forms are
        ``0.396``, ``±0.010``, ``1,374,327``, ``39.6 %``, ``26M``, ``3.2e-4``, ``1.198126...`` (cut
        off), and ``1.`` as NumPy prints it in an array.
    kind : {"rounded", "truncated", "either", "exact"}, default "rounded"
        The way in which the source shortened the number; `printed_interval` lists the intervals. A
        value agrees with a rounded figure if it rounds to the figure, with a truncated figure if it
        begins with the same digits, with "either" if it does one of the two, and with an exact
        figure if it is equal. Plain whole numbers compare exactly, because they are mostly counts:
        a value of 31.2 does not agree with "31", unless ``decimals`` is 0.
    input_digits : int, optional
        Decimals of the inputs, if the source prints them rounded too. This adds half a unit of
        their last digit to the tolerance. Use it only if the value changes by exactly as much as
        its input.
    decimals : int, optional
        Number of decimals to which the source rounds, if it drops trailing zeros and prints "0" for
        0.000. With 0, whole numbers count as rounded too.

    Returns
    -------
    bool
        False for a value that is NaN or infinite.

    Raises
    ------
    InputError
        If ``kind`` is unknown, if ``input_digits`` is given with the kind "exact", or if the
        printed text isn't a number in one of the forms (unless the value is a text, or the kind is
        "exact").

    Notes
    -----
    A float is the result of a computation, with a relative error of up to 1e-12 (for float32 a few
    units of its last digit). A value this near to a tie may round either way. Whole numbers,
    fractions and Decimals are compared exactly.

    Examples
    --------
    >>> agrees(23.7856, "23.79"), agrees(23.7856, "23.78")
    (True, False)
    >>> agrees(0.3956, "39.6 %"), agrees(39.56, "39.6 %")
    (True, False)
    >>> agrees(2 / 3, "0.6666", kind="truncated"), agrees(2 / 3, "0.6666")
    (True, False)
    >>> agrees(31.2, "31"), agrees("M8", "M8")
    (False, True)
    >>> agrees(0.0002, "0"), agrees(0.0002, "0", decimals=3)
    (False, True)
    """
    check_form(kind, input_digits, decimals)
    check_that(is_scalar(value), "value", "be a single number or text", value)
    is_label = isinstance(value, str)
    try:
        figure = read_printed(printed, decimals)
    except InputError:
        # Only a text can equal a label. A printed text that looks like a number, but has no known
        # form, must not silently count as a label.
        if isinstance(printed, str) and (is_label or kind == "exact"):
            return is_label and value == printed
        raise
    return not is_label and _fits(value, _interval(figure, kind, input_digits, decimals))


def printed_interval(
    printed: str,
    *,
    kind: str = "rounded",
    input_digits: int | None = None,
    decimals: int | None = None,
) -> Interval:
    """Return the interval of all values that print as a figure.

    In the table, x is the printed number and u is the unit of its last digit. The intervals of
    negative numbers are mirrored.

    =========== ==================================== =============================
    kind        interval for positive x              interval for "0.00"
    =========== ==================================== =============================
    rounded     [x - u/2, x + u/2]: a tie goes       [-u/2, u/2]
                either way, as in programs whose
                floats are not quite decimal
    truncated   [x, x + u)                           (-u, u)
    either      [x - u/2, x + u): rounded or         (-u, u)
                truncated
    exact       [x, x]                               [0, 0]
    =========== ==================================== =============================

    Parameters
    ----------
    printed : str
        The figure as printed.
    kind, input_digits, decimals
        As in `agrees`.

    Returns
    -------
    Interval
        A single number if the figure is a plain whole number (see ``kind`` in `agrees`). "-0.00" is
        negative, so that its interval ends at 0. An ellipsis says that the number is truncated,
        whatever ``kind`` says.

    Raises
    ------
    InputError
        As in `agrees`; also for a label.

    Examples
    --------
    >>> printed_interval("0.563"), printed_interval("0.563", kind="truncated")
    ([0.5625, 0.5635], [0.563, 0.564))
    >>> printed_interval("0.35%"), printed_interval("1.198126...")
    ([0.00345, 0.00355], [1.198126, 1.198127))
    """
    check_form(kind, input_digits, decimals)
    return _interval(read_printed(printed, decimals), kind, input_digits, decimals)


def check_form(kind: str, input_digits: int | None, decimals: int | None) -> None:
    """Raise if the options of `agrees` are unknown or contradict each other."""
    check_choice(kind, "kind", KINDS)
    if input_digits is not None:
        rule = "be left out when kind is 'exact'"
        check_that(kind != "exact", "input_digits", rule, input_digits)
        check_integer(input_digits, "input_digits", 0, MAX_LENGTH)
    if decimals is not None:
        check_integer(decimals, "decimals", 0, MAX_LENGTH)


def _interval(
    figure: Printed, kind: str, input_digits: int | None, decimals: int | None
) -> Interval:
    """Return the interval of a number that `read_printed` returned; see `printed_interval`."""
    if kind == "exact" and figure.is_truncated:
        raise input_error("kind", "be 'truncated' for a number with an ellipsis", repr(kind))
    is_count = figure.is_whole and decimals != 0
    if kind == "exact" or is_count:
        return Interval(figure.value, figure.value)
    interval = _shortened(figure, kind)
    if input_digits is None:
        return interval
    unit_of_inputs = Fraction(10) ** (POWER_BY_SUFFIX[figure.suffix] - input_digits)
    return Interval(interval.low - unit_of_inputs / 2, interval.high + unit_of_inputs / 2)


def _shortened(figure: Printed, kind: str) -> Interval:
    """Return the numbers that rounding or cutting off digits turns into a figure."""
    unit = Fraction(10) ** figure.power
    is_rounded = kind == "rounded" and not figure.is_truncated
    above = unit / 2 if is_rounded else unit
    below = unit / 2
    if kind == "truncated" or figure.is_truncated:
        below = Fraction(0)
    magnitude = abs(figure.value)
    if magnitude > 0:
        low, low_closed = magnitude - below, True
    elif figure.is_negative:
        low, low_closed = Fraction(0), True  # a minus zero is a small negative number
    else:
        low, low_closed = -above, is_rounded  # a zero stands for numbers of both signs
    high = magnitude + above
    if figure.is_negative:
        return Interval(-high, -low, low_closed=is_rounded, high_closed=low_closed)
    return Interval(low, high, low_closed=low_closed, high_closed=is_rounded)


def _fits(value: object, interval: Interval) -> bool:
    """Return whether a computed value is in an interval, up to the error that it may have."""
    if isinstance(value, Decimal) and value.is_finite():
        return interval.contains(Fraction(value))
    if isinstance(value, Rational) and not isinstance(value, bool):  # whole numbers, fractions
        return interval.contains(Fraction(int(value.numerator), int(value.denominator)))
    number = as_float(value)
    if number is None or not math.isfinite(number):
        return False
    relative_error = RELATIVE_ERROR
    if isinstance(value, (np.float32, np.float16)):
        relative_error = 4 * Fraction(float(np.finfo(value.dtype).eps))
    exact = Fraction(number)
    error = abs(exact) * relative_error
    # A float fits if it is in the interval, or if its distance from an end is at most its error,
    # even if the interval excludes that end.
    return exact + error >= interval.low and exact - error <= interval.high
