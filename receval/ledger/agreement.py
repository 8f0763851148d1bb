"""The rule of when a computed value agrees with a printed figure."""

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
    """Return whether a computed value agrees with the printed string.

    Parameters
    ----------
    value : float or str
        The computed value.
    printed : str
        The figure as printed; its digits set the precision: "0.90" is not "0.9".
    kind : {"rounded", "truncated", "exact"}, default "rounded"
        How the document shortened the number. A value agrees with a rounded figure if it is at
        most half a unit of the last digit away, with a truncated figure if it begins with the
        same digits, and with an exact figure if it is equal (numbers up to a relative
        floating-point error of 1e-12). Whole numbers compare exactly in every kind: a value of
        31.2 does not agree with "31".
    input_digits : int, optional
        Decimals of the inputs, if the document prints them rounded too. This allows half a unit
        of their last digit on top.
    decimals : int, optional
        Decimals that were rounded to, if print drops trailing zeros: "0" for 0.000.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If ``kind`` is unknown, or ``input_digits`` is given with the kind "exact".

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
    if kind == "exact":
        rule = "be left out when kind is 'exact'"
        check_that(input_digits is None, "input_digits", rule, input_digits)
    try:
        figure = Decimal(printed)
    except InvalidOperation:  # a label, not a number
        return isinstance(value, str) and value == printed
    number = as_float(value)
    if number is None or not math.isfinite(number):
        return False
    if decimals is not None:
        # Restore the zeros that print dropped: with three decimals, "0" becomes 0.000.
        figure = figure.quantize(Decimal(1).scaleb(-decimals))
    n_decimals = -int(figure.as_tuple().exponent)
    if n_decimals <= 0 or kind == "exact":
        return math.isclose(number, float(figure), rel_tol=1e-12)
    slack = 0.0  # the uncertainty from rounded inputs
    if input_digits is not None:
        slack = 0.5 * 10.0**-input_digits
    if kind == "truncated":
        # A computed 0.33 may be a rounding error below 33/100, and still mean it. Rounded inputs
        # can only help: the slack moves the number away from zero.
        nudged = Decimal(number * (1 + 1e-12) + math.copysign(slack, number))
        return nudged.quantize(figure, rounding=ROUND_DOWN) == figure
    # The factor admits a value exactly half a unit away, whose difference is rounded.
    return abs(number - float(figure)) <= (0.5 * 10.0**-n_decimals + slack) * (1 + 1e-9)
