"""Check whether a printed figure can be a count divided by a number of users.

HR@10 with 1,000 judged users is a number of hits divided by 1,000. It cannot be 0.3333: 333 hits
print as 0.3330, and 334 as 0.3340. The test needs no data, and says nothing about the cause.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from receval._checks import InputError, check_that, input_error, shorten
from receval.ledger.agreement import printed_interval, rounding_rule
from receval.ledger.intervals import Interval
from receval.ledger.printed import Printed, read_printed

__all__ = ["CountCheck", "check_count"]

MAX_N = 10**9  # users; with more, no printed figure is impossible
MAX_STEPS = 10**5  # numbers of users to try on either side, to find the nearest possible one
MAX_COUNTED = 10**6  # largest n whose counts are rounded one by one, for the rule "any"


@dataclass(frozen=True)
class CountCheck:
    """The result of `check_count`: whether some count over n prints as a figure.

    Attributes
    ----------
    printed : str
        The figure as printed.
    n : int
        The number that the count is divided by.
    counts : tuple of int or None
        The smallest and the largest count that print as the figure; None if no count does.
    share : Fraction
        The share of the printable values from 0 to 1 that are possible. The smaller it is, the
        stronger the check. With 1, the check cannot fail.
    interval : Interval
        The values that print as the figure.
    """

    printed: str
    n: int
    counts: tuple[int, int] | None
    share: Fraction
    interval: Interval

    @cached_property
    def nearest_n(self) -> tuple[int, ...]:
        """Return the nearest possible n, if no count over n prints as the figure.

        It is one number, or two that are equally near. There is none if the figure is possible or
        negative, or if none of the nearest 100,000 numbers on either side would do.
        """
        if self.is_possible:
            return ()
        return _nearest_n(_bounds_of(self.interval), self.n)

    @property
    def is_possible(self) -> bool:
        """Return whether some count prints as the figure."""
        return self.counts is not None

    @property
    def is_informative(self) -> bool:
        """Return whether the check could have failed: some printable values are impossible."""
        return self.share < 1

    def __repr__(self) -> str:
        """Return the result and the strength of the check as a sentence."""
        strength = f"{_percent(self.share)} of the printable values are possible"
        if not self.is_informative:
            strength = "no check: every printable value is possible"
        if self.counts is None:
            result = f"impossible with {self.n:,}"
            if self.nearest_n:
                nearest = " and ".join(f"{n:,}" for n in self.nearest_n)
                result += f", possible with {nearest}"
        elif self.counts[0] == self.counts[1]:
            result = f"{self.counts[0]:,} of {self.n:,}"
        else:
            result = f"{self.counts[0]:,} to {self.counts[1]:,} of {self.n:,}"
        return f"{self.printed}: {result} ({strength})"


def check_count(
    printed: str,
    n: int | str,
    *,
    kind: str = "rounded",
    rounding: str | None = None,
    decimals: int | None = None,
    decimal_comma: bool = False,
    percent: bool = False,
    where: str = "",
) -> CountCheck:
    r"""Check whether a printed figure can be a count divided by n.

    Let X be the interval of all values that print as the figure. The figure is possible if c / n is
    in X for some whole number c of at least 0.

    Parameters
    ----------
    printed : str
        The figure as printed. Whole numbers count as rounded.
    n : int or str
        The number that the count is divided by: the judged users for HR@k, the users times k for
        Precision@k. A text has the form "1/6040". Don't use this for nDCG, recall or means of
        folds, because they aren't counts.
    kind, rounding, decimals, decimal_comma, percent, where
        As for `agrees`.

    Returns
    -------
    CountCheck
        With the possible counts, or the nearest possible n, and the share of the values that are
        possible.

    Raises
    ------
    InputError
        If the figure is not a number, is printed as exact or as a bound, or ``n`` is not a number
        from 1 to 1,000,000,000.

    Notes
    -----
    If n is below 10^d, where d is the number of decimals, all counts print differently, so the
    share of the printable values that are possible is (n + 1) / (10^d + 1). For a larger n, every
    value is possible.

    References
    ----------
    N. J. L. Brown, J. A. J. Heathers, "The GRIM Test", Social Psychological and Personality
    Science 8(4), 2017, doi:10.1177/1948550616673876.

    Examples
    --------
    >>> check_count("0.3333", 1000)
    0.3333: impossible with 1,000, possible with 999 (10 % of the printable values are possible)
    >>> check_count("0.3330", "1/1000").counts
    (333, 333)
    >>> check_count("0.3333", 6040)
    0.3333: 2,013 of 6,040 (60 % of the printable values are possible)
    >>> check_count("0.3333", 10_000).is_informative
    False
    """
    n = read_multiple_of(n, where)
    figure = read_printed(
        printed, decimals=decimals, decimal_comma=decimal_comma, percent=percent, where=where
    )
    _check_figure(figure, kind, where)
    rule = rounding_rule(figure, kind, rounding)
    if figure.is_whole:
        decimals = 0  # a whole number is rounded here, not a count
    interval = printed_interval(
        printed,
        kind="rounded",
        rounding=rule,
        decimals=decimals,
        decimal_comma=decimal_comma,
        percent=percent,
        where=where,
    )
    assert figure.unit is not None
    return CountCheck(
        printed=printed,
        n=n,
        counts=_possible_counts(_bounds_of(interval), n),
        share=possible_share(n, figure.unit, rule),
        interval=interval,
    )


def read_multiple_of(n: object, where: str = "") -> int:
    """Return n from a number or a text such as "1/6040"; raise for anything else."""
    advice = 'It is the number that the count is divided by, such as 6040 or "1/6040"'
    number = n
    if isinstance(n, str):
        match = re.fullmatch(r"1/([1-9][0-9]{0,8})", n.strip())
        number = int(match[1]) if match else None
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        number = None
    if number is None or not 1 <= number <= MAX_N:
        error = input_error(
            "multiple_of", f'be a number from 1 to {MAX_N:,}, or "1/n"', shorten(n), advice
        )
        if where:
            error = InputError(f"{where}: {error}")
        raise error
    return int(number)


def possible_share(n: int, unit: Decimal, rule: str) -> Fraction:
    """Return the share of the printable values from 0 to 1 that a count divided by n can give.

    ``unit`` is the unit of the last digit, and ``rule`` one of the rounding rules of `agrees`.
    """
    n_steps = 1 / Fraction(unit)
    if n >= n_steps:
        # The shares are at most one unit apart, so every printable value is the rounding of some
        # share.
        return Fraction(1)
    # The gaps are larger than the unit, so that different counts print differently.
    n_possible = n + 1
    if rule == "nearest":
        n_possible += _count_ties(n, int(n_steps))
    elif rule == "any":
        n_possible = _count_printable_by_any_rule(n, int(n_steps))
    return Fraction(n_possible, int(n_steps) + 1)


def _count_ties(n: int, n_steps: int) -> int:
    """Return the number of counts from 0 to n whose share lies midway between printable values.

    ``n_steps`` is the number of units in 1. A count c has the share c * n_steps / n, in units. It
    is a tie if twice this share is an odd whole number.
    """
    divisor = math.gcd(2 * n_steps, n)
    # For every (n / divisor)-th count, twice the share is a whole number, namely a multiple of
    # this:
    multiple = 2 * n_steps // divisor
    if multiple % 2 == 0:
        return 0
    return (divisor + 1) // 2  # the odd ones of the multiples from 0 to ``divisor``


def _count_printable_by_any_rule(n: int, n_steps: int) -> int:
    """Return how many different values counts from 0 to n print as, rounded or truncated.

    ``n_steps`` is the number of units in 1.
    """
    if n > MAX_COUNTED:
        rule = "be stated, and not 'any', for a count over more than a million"
        raise input_error("rounding", rule, "'any'")
    values = set()
    for count in range(n + 1):
        whole_units, remainder = divmod(count * n_steps, n)
        values.add(whole_units)  # truncated
        if 2 * remainder >= n:
            values.add(whole_units + 1)  # rounded up
    return len(values)


def _check_figure(figure: Printed, kind: str, where: str) -> None:
    """Raise unless a figure is a rounded number, which may come from a count."""
    prefix = f"{where}: " if where else ""
    rule = "be a number without < or >"
    is_number = not figure.is_statement and figure.relation == ""
    check_that(is_number, f"{prefix}printed", rule, figure.text)
    check_that(kind != "exact", f"{prefix}kind", "be 'rounded' or 'truncated' for a count", kind)


class _Bounds(NamedTuple):
    """An interval whose ends are fractions, stored as whole numbers to compute faster."""

    low: int
    low_divisor: int
    high: int
    high_divisor: int
    low_closed: bool
    high_closed: bool


def _bounds_of(interval: Interval) -> _Bounds:
    """Return an interval with finite ends as fractions."""
    low, high = Fraction(interval.low), Fraction(interval.high)
    return _Bounds(
        low.numerator,
        low.denominator,
        high.numerator,
        high.denominator,
        interval.low_closed,
        interval.high_closed,
    )


def _possible_counts(bounds: _Bounds, n: int) -> tuple[int, int] | None:
    """Return the smallest and largest count whose share of n is in an interval, or None."""
    low, low_divisor, high, high_divisor, low_closed, high_closed = bounds
    smallest = -(-low * n // low_divisor)  # -(-a // b) is a / b rounded up
    largest = high * n // high_divisor
    if not low_closed and smallest * low_divisor == low * n:
        smallest += 1
    if not high_closed and largest * high_divisor == high * n:
        largest -= 1
    smallest = max(smallest, 0)
    if smallest > largest:
        return None
    return smallest, largest


def _nearest_n(bounds: _Bounds, n: int) -> tuple[int, ...]:
    """Return the numbers nearest to n with a possible count: none, one, or one on either side."""
    if bounds.high < 0:
        return ()  # no count is negative
    for distance in range(1, MAX_STEPS + 1):
        neighbours = [m for m in (n - distance, n + distance) if m >= 1]
        possible = [m for m in neighbours if _possible_counts(bounds, m) is not None]
        if possible:
            return tuple(possible)
    return ()


def _percent(share: Fraction) -> str:
    """Return a share as a percentage with two significant digits; only a share of 1 gives 100."""
    percentage = float(100 * share)
    text = f"{percentage:.2g}"
    if share < 1 and float(text) >= 100:
        text = f"{math.floor(percentage * 100) / 100:g}"
    return f"{text} %"
