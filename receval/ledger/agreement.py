"""The rules for whether a computed value agrees with a printed figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from numbers import Rational
from typing import TypeAlias

import numpy as np

from receval._checks import (
    InputError,
    as_float,
    check_choice,
    check_integer,
    check_that,
    input_error,
    shorten,
)
from receval.ledger.intervals import Interval
from receval.ledger.printed import Printed, read_printed

__all__ = ["agrees", "is_excluded", "printed_interval", "prints_same"]

KINDS = ("rounded", "truncated", "exact")
ROUNDINGS = ("half_up", "half_even", "nearest", "truncated", "any")
# The keys of a figure or a file that say how the source prints numbers.
FORM_KEYS = ("kind", "rounding", "input_digits", "decimals", "decimal_comma", "percent")

HALF = Decimal("0.5")
EXACT = Context(prec=1000)  # no printed number has so many digits
RELATIVE_ERROR = Fraction(1, 10**12)  # the error of a value computed in float64

Value: TypeAlias = "Fraction | Decimal"


def agrees(
    value: object,
    printed: str,
    *,
    kind: str = "rounded",
    rounding: str | None = None,
    input_digits: int | None = None,
    decimals: int | None = None,
    decimal_comma: bool = False,
    percent: bool = False,
    where: str = "",
) -> bool:
    """Return whether a computed value agrees with the printed string.

    Parameters
    ----------
    value : float, str or pair of floats
        The computed value; a share, not a percentage, for "39.6 %". A pair is a value and its
        spread, for "0.396 ± 0.002"; a single number is compared with the value before ± only. A
        text is compared with a printed label, without any change.
    printed : str
        The figure as printed; its digits set the precision: "0.90" is not "0.9". `read_printed`
        lists the forms.
    kind : {"rounded", "truncated", "exact"}, default "rounded"
        The way in which the source shortened the number. A value agrees with a rounded figure if it
        rounds to the figure, with a truncated figure if it begins with the same digits, and with an
        exact figure if it is equal. Plain whole numbers compare exactly, because they are mostly
        counts: a value of 31.2 does not agree with "31". The exceptions are the rounding
        "truncated", and ``decimals=0``.
    rounding : {"half_up", "half_even", "nearest", "truncated", "any"}, optional
        The rule by which the source rounds; `printed_interval` lists the intervals. By default it
        is "truncated" if ``kind`` is, "any" if a letter or word in the figure stands for its size,
        as in "26M", and otherwise "nearest".
    input_digits : int, optional
        Decimals of the inputs, if the source prints them rounded too. This adds half a unit of
        their last digit to the tolerance. Use it only if the value changes by exactly as much as
        its input; otherwise `propagate` the input's interval.
    decimals : int, optional
        Number of decimals to which the source rounds, if it drops trailing zeros and prints "0" for
        0.000. With 0, whole numbers count as rounded too.
    decimal_comma : bool, default False
        Whether the source prints 0,396 for 0.396.
    percent : bool, default False
        Whether a number without a percent sign is in percent too, such as "±0.010" next to "0.35%".
    where : str, optional
        The place of the figure, such as file and line, with which error messages begin.

    Returns
    -------
    bool
        False for a value that is NaN or infinite.

    Raises
    ------
    InputError
        If ``kind`` or ``rounding`` is unknown or they contradict each other, if ``input_digits`` is
        given with the kind "exact", or if a pair is given for a figure without spread. An error is
        also raised if the printed text is a statement without a number, such as "n.s.", or isn't a
        number in a form that `read_printed` understands (unless the value is a text, or the kind is
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
    >>> agrees(0.3956, "39.6 %"), agrees((0.3958, 0.0017), "0.396 ± 0.002")
    (True, True)
    >>> agrees(2 / 3, "0.6666", kind="truncated"), agrees(2 / 3, "0.6666")
    (True, False)
    >>> agrees(31.2, "31"), agrees("M8", "M8")
    (False, True)
    >>> agrees(0.0002, "0"), agrees(0.0002, "0", decimals=3)
    (False, True)
    """
    forms = {"decimal_comma": decimal_comma, "percent": percent}
    check_rules(kind, rounding, input_digits)
    is_label = isinstance(value, str)
    try:
        figure = read_printed(printed, decimals=decimals, where=where, **forms)
    except InputError:
        # Only a text can equal a label. A printed text that looks like a number, but has no known
        # form, must not silently count as a label.
        if isinstance(printed, str) and (is_label or kind == "exact"):
            return is_label and value == printed
        raise
    if is_label:
        return figure.is_statement and value == printed
    if figure.is_statement:
        got = f"{printed!r}, which has no number to compare"
        raise _error_at(where, "printed", "be a number or a label", got)
    if isinstance(value, (tuple, list)):
        return _pair_agrees(value, figure, kind, rounding, input_digits, decimals, where)
    interval = _interval(figure, kind, rounding, input_digits, decimals)
    return _fits(value, interval)


def printed_interval(
    printed: str,
    *,
    kind: str = "rounded",
    rounding: str | None = None,
    input_digits: int | None = None,
    decimals: int | None = None,
    decimal_comma: bool = False,
    percent: bool = False,
    where: str = "",
) -> Interval:
    """Return the interval of all values that print as a figure.

    In the table, x is the printed number and u is the unit of its last digit. The intervals of
    negative numbers are mirrored.

    =========== ==================================== =============================
    rounding    interval for positive x              interval for "0.00"
    =========== ==================================== =============================
    half_up     [x - u/2, x + u/2)                   (-u/2, u/2)
    half_even   [x - u/2, x + u/2] if the last digit [-u/2, u/2]
                is even, otherwise without the ends
    nearest     [x - u/2, x + u/2]: a tie goes       [-u/2, u/2]
                either way, as in programs whose
                floats are not quite decimal
    truncated   [x, x + u)                           (-u, u)
    any         [x - u/2, x + u): any of these       (-u, u)
    =========== ==================================== =============================

    Parameters
    ----------
    printed : str
        The figure as printed.
    kind, rounding, input_digits, decimals, decimal_comma, percent, where
        As in `agrees`.

    Returns
    -------
    Interval
        A single number if the kind is exact or the figure is a plain whole number (see ``kind`` in
        `agrees`). "-0.00" is negative, so that its interval ends at 0. "< 0.001" is everything
        below 0.001. An ellipsis says that the number is truncated, whatever ``rounding`` says.

    Raises
    ------
    InputError
        As in `agrees`; also for a label.

    Examples
    --------
    >>> printed_interval("0.563", rounding="half_up")
    [0.5625, 0.5635)
    >>> printed_interval("0.563", rounding="half_even")
    (0.5625, 0.5635)
    >>> printed_interval("0.35%"), printed_interval("1.198126...")
    ([0.00345, 0.00355], [1.198126, 1.198127))
    >>> printed_interval("26M", rounding="truncated")
    [26000000, 27000000)
    """
    check_rules(kind, rounding, input_digits)
    figure = read_printed(
        printed, decimals=decimals, decimal_comma=decimal_comma, percent=percent, where=where
    )
    if figure.is_statement:
        got = f"{printed!r}, which has no number"
        raise _error_at(where, "printed", "be a number", got)
    return _interval(figure, kind, rounding, input_digits, decimals)


def is_excluded(
    bound: object,
    printed: str,
    *,
    kind: str = "rounded",
    rounding: str | None = None,
    input_digits: int | None = None,
    decimals: int | None = None,
    decimal_comma: bool = False,
    percent: bool = False,
    where: str = "",
) -> bool:
    """Return whether a bound proves that a printed figure is wrong.

    Parameters
    ----------
    bound : Interval or pair of numbers
        An interval that must contain the value, such as the result of `propagate`, or a pair of the
        interval's ends, which may be infinite. A float as an end may have a relative error of
        1e-12.
    printed : str
        The figure as printed.
    kind, rounding, input_digits, decimals, decimal_comma, percent, where
        As in `agrees`.

    Returns
    -------
    bool
        True if no number inside the bound prints as the figure.

    Raises
    ------
    InputError
        As in `printed_interval`, or if the bound is neither an interval nor a pair.

    Examples
    --------
    >>> is_excluded(Interval("0.005587", "0.005630"), "0.056")
    True
    >>> is_excluded((0.0055, 0.0565), "0.056")
    False
    """
    interval = printed_interval(
        printed,
        kind=kind,
        rounding=rounding,
        input_digits=input_digits,
        decimals=decimals,
        decimal_comma=decimal_comma,
        percent=percent,
        where=where,
    )
    return not as_bound(bound).overlaps(interval)


def prints_same(
    first: object,
    second: object,
    printed: str,
    *,
    kind: str = "rounded",
    rounding: str | None = None,
    input_digits: int | None = None,
    decimals: int | None = None,
    decimal_comma: bool = False,
    percent: bool = False,
    where: str = "",
) -> bool:
    """Return whether two values both agree with a figure, so that it doesn't distinguish them.

    Parameters
    ----------
    first, second : float
        The values, such as the results of two definitions.
    printed : str
        The figure as printed.
    kind, rounding, input_digits, decimals, decimal_comma, percent, where
        As in `agrees`.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        As in `agrees`.

    Examples
    --------
    Cohen's kappa of a textbook's table, with pooled and with separate marginals:

    >>> prints_same(0.775910, 0.776119, "0.776")
    True
    """
    return all(
        agrees(
            value,
            printed,
            kind=kind,
            rounding=rounding,
            input_digits=input_digits,
            decimals=decimals,
            decimal_comma=decimal_comma,
            percent=percent,
            where=where,
        )
        for value in (first, second)
    )


def as_bound(bound: object) -> Interval:
    """Return a bound as an interval; the ends of a pair are widened by their rounding errors.

    Raises for anything else.
    """
    if isinstance(bound, Interval):
        return bound
    rule = "be an Interval, or its low and high end"
    check_that(isinstance(bound, (tuple, list)) and len(bound) == 2, "bound", rule, bound)
    assert isinstance(bound, (tuple, list))
    ends = []
    for end, direction in zip(bound, (-1, 1), strict=True):
        exact, error = _as_value(end)
        if exact is None:
            raise input_error("bound", rule, shorten(bound))
        if isinstance(exact, Fraction):
            exact += direction * error
        ends.append(exact)
    return Interval(ends[0], ends[1])


def check_rules(kind: str, rounding: str | None, input_digits: int | None) -> None:
    """Raise if the rules of `agrees` are unknown or contradict each other."""
    check_choice(kind, "kind", KINDS)
    if kind == "exact":
        rule = "be left out when kind is 'exact'"
        check_that(input_digits is None, "input_digits", rule, input_digits)
        check_that(rounding is None, "rounding", rule, rounding)
    if rounding is not None:
        check_choice(rounding, "rounding", ROUNDINGS)
        if kind == "truncated":
            rule = "be 'truncated' or left out when kind is 'truncated'"
            check_that(rounding == "truncated", "rounding", rule, rounding)
    if input_digits is not None:
        check_integer(input_digits, "input_digits", 0, 100)


def _interval(
    figure: Printed,
    kind: str,
    rounding: str | None,
    input_digits: int | None,
    decimals: int | None,
) -> Interval:
    """Return the interval of a number that `read_printed` returned; see `printed_interval`."""
    value, unit = figure.value, figure.unit
    assert value is not None
    assert unit is not None
    if figure.relation in ("<", "≤"):
        return Interval(Decimal("-Infinity"), value, high_closed=figure.relation == "≤")
    if figure.relation in (">", "≥"):
        return Interval(value, Decimal("Infinity"), low_closed=figure.relation == "≥")
    if kind == "exact" and figure.is_truncated:
        raise input_error("kind", "be 'truncated' for a number with an ellipsis", repr(kind))
    is_count = figure.is_whole and decimals != 0 and rounding != "truncated"
    if kind == "exact" or is_count:
        return Interval(value, value)
    rule = rounding_rule(figure, kind, rounding)
    interval = _rounding_interval(value.copy_abs(), unit, rule, is_negative_zero=figure.is_negative)
    if figure.is_negative:
        interval = -interval
    if input_digits is None:
        return interval
    slack = EXACT.scaleb(HALF, -input_digits)
    if figure.percent:
        slack = EXACT.scaleb(slack, -2)
    return Interval(EXACT.subtract(interval.low, slack), EXACT.add(interval.high, slack))


def rounding_rule(figure: Printed, kind: str, rounding: str | None) -> str:
    """Return the rounding rule of a figure: the stated one, or the default of its form."""
    if figure.is_truncated or kind == "truncated":
        return "truncated"
    if rounding is not None:
        return rounding
    if figure.scale:
        return "any"  # "about 26M rows" doesn't say whether the rest is rounded or cut off
    return "nearest"


def _rounding_interval(
    magnitude: Decimal, unit: Decimal, rule: str, *, is_negative_zero: bool
) -> Interval:
    """Return the magnitudes that a rule turns into ``magnitude``, a multiple of the unit.

    For a zero, the interval contains values of both signs. For a minus zero, it contains only
    values of at least 0, because the caller mirrors them.
    """
    low_closed, high_closed = True, False  # of half up, truncation, and any of the rules
    half_unit = EXACT.multiply(HALF, unit)
    below = above = half_unit
    if rule == "truncated":
        below, above = Decimal(0), unit
    elif rule == "any":
        above = unit
    elif rule == "nearest":
        high_closed = True
    elif rule == "half_even":
        # Ties round to the even digit. So if the last digit is odd, no tie rounds to it.
        last_digit = magnitude.as_tuple().digits[-1]
        low_closed = high_closed = last_digit % 2 == 0
    if magnitude > 0:
        return Interval(
            EXACT.subtract(magnitude, below),
            EXACT.add(magnitude, above),
            low_closed=low_closed,
            high_closed=high_closed,
        )
    if is_negative_zero:
        return Interval(0, above, high_closed=high_closed)
    return Interval(above.copy_negate(), above, low_closed=high_closed, high_closed=high_closed)


def _pair_agrees(
    pair: Sequence[object],
    figure: Printed,
    kind: str,
    rounding: str | None,
    input_digits: int | None,
    decimals: int | None,
    where: str,
) -> bool:
    """Return whether a value and its spread agree with a figure and its printed spread."""
    if len(pair) != 2:
        raise _error_at(where, "value", "be a number, or a value and its spread", shorten(pair))
    if figure.spread is None or figure.spread_unit is None:
        got = f"{figure.text!r}, printed without one"
        raise _error_at(where, "value", "have no spread", got)
    spread = Printed(
        figure.text, figure.spread, figure.spread_unit, percent=figure.percent, relation="±"
    )
    value_interval = _interval(figure, kind, rounding, input_digits, decimals)
    spread_interval = _interval(spread, kind, rounding, input_digits, decimals)
    return _fits(pair[0], value_interval) and _fits(pair[1], spread_interval)


def _fits(value: object, interval: Interval) -> bool:
    """Return whether a computed value is in an interval, up to the error that it may have."""
    exact, error = _as_value(value)
    if exact is None or not isinstance(exact, Fraction):
        return False
    if error == 0:
        return interval.contains(exact)
    # A float fits if it is in the interval, or if its distance from an end is at most its error,
    # even if the interval excludes that end.
    return exact + error >= interval.low and exact - error <= interval.high


def _as_value(value: object) -> tuple[Fraction | Decimal | None, Fraction]:
    """Return a computed number exactly, with the error that it may have.

    Infinity is a Decimal. The number is None if the value is NaN or not a number.
    """
    no_error = Fraction(0)
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value), no_error
    if isinstance(value, Rational) and not isinstance(value, bool):  # whole numbers, fractions
        return Fraction(int(value.numerator), int(value.denominator)), no_error
    number = as_float(value)
    if isinstance(value, Decimal) and value.is_infinite():
        number = float(value)
    if number is None or math.isnan(number):
        return None, no_error
    if math.isinf(number):
        return Decimal(number), no_error
    relative_error = RELATIVE_ERROR
    if isinstance(value, (np.float32, np.float16)):
        relative_error = 4 * Fraction(float(np.finfo(value.dtype).eps))
    exact = Fraction(number)
    return exact, abs(exact) * relative_error


def _error_at(where: str, name: str, rule: str, got: str) -> InputError:
    """Return the error for an argument; the message begins with the place of the figure."""
    error = input_error(name, rule, got)
    if where:
        return InputError(f"{where}: {error}")
    return error
