"""The rules for whether a computed value agrees with a printed figure."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import NamedTuple

import numpy as np

from receval._checks import (
    InputError,
    check_choice,
    check_integer,
    check_that,
    shorten,
)

# By kind, how many units of its last digit a printed number is extended: towards zero, and away
# from it.
WIDTHS = {
    "rounded": (Fraction(1, 2), Fraction(1, 2)),
    "truncated": (Fraction(0), Fraction(1)),
    "either": (Fraction(1, 2), Fraction(1)),
    "exact": (Fraction(0), Fraction(0)),
}
# The keys of a figure that say how the source prints numbers.
FORM_KEYS = ("kind", "input_digits", "decimals")

MAX_DECIMALS = 100
POWER_BY_SUFFIX = {"": 0, "%": -2, "M": 6}
RELATIVE_ERROR = Fraction(1, 10**12)  # the error of a value computed in float64

# Only ASCII digits are digits. A group of three digits follows a comma.
FORM = re.compile(
    r"(?P<sign>[-−±]?)"
    r"(?P<digits>(?=\.?[0-9])"
    r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,2})?)"
    r"(?P<ellipsis>…|\.\.\.)?"
    r" ?(?P<suffix>[%M]?)"
)


class NotANumber(InputError):
    """A printed text is not a number in a form that receval reads."""


class Interval(NamedTuple):
    """A printed number, and all numbers that print so: those from ``low`` to ``high``.

    Attributes
    ----------
    value : Fraction
        The printed number; "39.6 %" is 0.396.
    power : int
        The power of ten of its last digit, which sets the precision: -3 for "39.6 %".
    low, high : Fraction
        The ends of the interval.
    excluded : tuple of Fraction
        The ends that are not part of the interval; () if both are.
    """

    value: Fraction
    power: int
    low: Fraction
    high: Fraction
    excluded: tuple[Fraction, ...] = ()

    def __repr__(self) -> str:
        left = "(" if self.low in self.excluded else "["
        right = ")" if self.high in self.excluded else "]"
        return f"{left}{float(self.low):.12g}, {float(self.high):.12g}{right}"

    def contains(self, number: float | Fraction | Decimal) -> bool:
        """Return whether a number is in the interval; NaN and infinity are not.

        Whole numbers, fractions and Decimals are compared exactly. A float is the result of a
        computation, so it is in the interval if a number within its error is.

        Examples
        --------
        >>> interval = printed_interval("0.66", kind="truncated")
        >>> interval.contains(Fraction(67, 100)), interval.contains(0.67)
        (False, True)
        """
        if not math.isfinite(number):
            return False
        exact = Fraction(str(number))  # the same for NumPy's whole numbers
        if not isinstance(number, (float, np.floating)):
            return self.low <= exact <= self.high and exact not in self.excluded
        exact = Fraction(float(number))  # its text may have fewer digits
        precision = 4 * Fraction(float(np.finfo(type(number)).eps))
        error = abs(exact) * max(RELATIVE_ERROR, precision)
        # This holds even if the interval excludes an end, because that end is within the error.
        return self.low <= exact + error and exact - error <= self.high


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
        off), and ``1.``, which is the whole number 1 unless you pass ``decimals``.
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
        0.000. NumPy does so: it rounds to 8 decimals and prints 1.0 in an array as "1.". With 0,
        whole numbers count as rounded too.

    Returns
    -------
    bool
        False for a value that is NaN or infinite.

    Raises
    ------
    InputError
        If ``kind`` is unknown, if the value is neither a number nor a text, or if the printed text
        isn't a number in one of the forms (unless the value is a text, or the kind is "exact").

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
    is_label = isinstance(value, str)
    check_that(is_label or is_number(value), "value", "be a single number or text", value)
    try:
        interval = printed_interval(
            printed, kind=kind, input_digits=input_digits, decimals=decimals
        )
    except NotANumber:
        # Only a text can equal a label. A printed text that looks like a number, but has no known
        # form, must not silently count as a label.
        if is_label or kind == "exact":
            return value == printed
        raise
    return not is_label and interval.contains(value)  # type: ignore[arg-type]


def is_number(value: object) -> bool:
    """Return whether a value is a single number; a truth value is not."""
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def printed_interval(
    printed: str,
    *,
    kind: str = "rounded",
    input_digits: int | None = None,
    decimals: int | None = None,
) -> Interval:
    """Return the interval of all numbers that print as a figure.

    Parameters
    ----------
    printed : str
        The number as printed, in one of the forms that `agrees` lists.
    kind : {"rounded", "truncated", "either", "exact"}, default "rounded"
        The way in which the source shortened the number: rounding ("0.66" is [0.655, 0.665]),
        cutting off digits ([0.66, 0.67)), one of the two ([0.655, 0.67)), or not at all.
    input_digits, decimals : int, optional
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
    check_choice(kind, "kind", WIDTHS)
    match, n_decimals = _read_digits(printed, decimals)
    if kind == "exact":
        check_that(not match["ellipsis"], "kind", "be 'truncated' for a number that is cut", kind)
        check_that(input_digits is None, "input_digits", "be left out if kind is 'exact'", kind)
    power_of_suffix = POWER_BY_SUFFIX[match["suffix"]]
    power = power_of_suffix - n_decimals
    sign = -1 if match["sign"] in ("-", "−") else 1
    size = Fraction(match["digits"].replace(",", "")) * Fraction(10) ** power_of_suffix
    value = sign * size
    has_mark = match["sign"] == "±" or match["suffix"] or match["ellipsis"]
    if n_decimals == 0 and decimals != 0 and not has_mark:  # a count
        return Interval(value, power, value, value)
    if match["ellipsis"]:
        kind = "truncated"
    # The interval of the number without its sign: its ends towards zero and away from it.
    inwards, outwards = WIDTHS[kind]
    unit = Fraction(10) ** power
    inner_end, outer_end = size - inwards * unit, size + outwards * unit
    if size == 0 and sign < 0:
        inner_end = Fraction(0)  # a minus zero stands for small negative numbers
    elif size == 0:
        inner_end = -outer_end  # a zero stands for those of both signs
    excluded: tuple[Fraction, ...] = ()
    if input_digits is not None:
        check_integer(input_digits, "input_digits", 0, MAX_DECIMALS)
        error = Fraction(10) ** (power_of_suffix - input_digits) / 2
        inner_end, outer_end = inner_end - error, outer_end + error
    elif kind in ("truncated", "either"):
        excluded = (outer_end, -outer_end)  # the mirrored end, or both ends of a zero
    if sign < 0:
        return Interval(value, power, -outer_end, -inner_end, excluded)
    return Interval(value, power, inner_end, outer_end, excluded)


def _read_digits(printed: str, decimals: int | None) -> tuple[re.Match[str], int]:
    """Return the parts of a printed number by the names in `FORM`, and how many decimals it has.

    ``decimals`` is the argument of `agrees`. Raises if receval reads no number in the text.
    """
    advice = "Quote it: 0.50 is not 0.5, so that only a text keeps the digits"
    check_that(isinstance(printed, str), "printed", "be a text", printed, advice)
    match = FORM.fullmatch(printed.strip())
    if match is None:
        raise NotANumber(
            "printed must be a number in a form that receval reads, such as 0.396, 39.6 % or "
            f'1,374; got {shorten(printed)}. If it is a label, state kind = "exact". Give a value '
            "and its spread as two numbers"
        )
    n_decimals = -int(Decimal(match["digits"].replace(",", "")).as_tuple().exponent)
    if decimals is None:
        return match, n_decimals
    check_integer(decimals, "decimals", 0, MAX_DECIMALS)
    rule = f"have at most {decimals} decimals, as the key decimals states"
    check_that(n_decimals <= decimals, "printed", rule, printed)
    return match, decimals  # with the zeros that the source dropped
