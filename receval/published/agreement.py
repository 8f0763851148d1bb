"""When a computed value gives a printed figure."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Decimal, InvalidOperation

from receval._checks import as_float, check_choice, check_that

__all__ = ["agrees"]

KINDS = ("rounded", "truncated", "exact")


def agrees(
    value: object,
    printed: str,
    *,
    kind: str = "rounded",
    input_digits: int | None = None,
    decimals: int | None = None,
) -> bool:
    """Whether a computed value gives the printed string.

    Parameters
    ----------
    value : float or str
        The computed value.
    printed : str
        The figure as printed; its digits set the precision: "0.90" is not "0.9".
    kind : {"rounded", "truncated", "exact"}, default "rounded"
        How the document shortened the number. A rounded figure is met by values up to half a
        unit of its last digit away; a truncated one by values that begin with its digits; an
        exact one by the value itself (a number up to floating-point error, relative 1e-12).
        Whole numbers compare exactly in every kind: a value of 31.2 does not agree with "31".
    input_digits : int, optional
        Decimals of the inputs, where the document prints these rounded too. Half a unit of
        them is then allowed on top.
    decimals : int, optional
        Decimals that were rounded to, where print drops trailing zeros: "0" for 0.000.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If ``kind`` is unknown.

    Examples
    --------
    >>> agrees(23.7856, "23.79"), agrees(23.7856, "23.78")
    (True, False)
    >>> agrees(2 / 3, "0.6666", kind="truncated"), agrees(2 / 3, "0.6666")
    (True, False)
    >>> agrees(31.2, "31"), agrees("M8", "M8")
    (False, True)
    >>> agrees(0.0002, "0"), agrees(0.0002, "0", decimals=3)
    (False, True)
    """
    check_choice(kind, "kind", KINDS)
    unused = kind == "exact" and input_digits is not None
    check_that(not unused, "input_digits", "be left out when kind is 'exact'", input_digits)
    try:
        figure = Decimal(printed)
    except InvalidOperation:  # a label, not a number
        return isinstance(value, str) and value == printed
    number = as_float(value)
    if number is None or not math.isfinite(number):
        return False
    if decimals is not None:
        figure = figure.quantize(Decimal(1).scaleb(-decimals))
    digits = -int(figure.as_tuple().exponent)
    if digits <= 0 or kind == "exact":
        return math.isclose(number, float(figure), rel_tol=1e-12)
    slack = 0.5 * 10.0**-input_digits if input_digits is not None else 0.0
    if kind == "truncated":
        # A computed 0.33 may sit a rounding error below 33/100, and stands for it.
        nudged = Decimal(number * (1 + 1e-12) + math.copysign(slack, number))
        return nudged.quantize(figure, rounding=ROUND_DOWN) == figure
    return abs(number - float(figure)) <= (0.5 * 10.0**-digits + slack) * (1 + 1e-9)
