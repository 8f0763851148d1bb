"""Read a printed number: its value, and the unit of its last digit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from receval._checks import input_error, shorten

__all__: list[str] = []

MAX_LENGTH = 100  # largest number of characters in a printed number
MAX_EXPONENT = 300  # larger numbers do not fit into float64
NUMPY_DECIMALS = 8  # NumPy's default precision: it rounds to this many decimals, then drops zeros
POWER_BY_SUFFIX = {"": 0, "%": -2, "M": 6}

# Only ASCII digits are digits. A group of three digits follows a comma.
FORM = re.compile(
    r"(?P<sign>[-−±]?)"
    r"(?P<whole>[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)"
    r"(?:\.(?P<decimals>[0-9]+))?"
    r"(?:[eE](?P<exponent>[-+]?[0-9]{1,3}))?"
    r"(?P<ellipsis>…|\.\.\.)?"
    r" ?(?P<suffix>[%M]?)"
)
NUMPY_FORM = re.compile(r"-?[0-9]+\.")


@dataclass(frozen=True)
class Printed:
    """A printed number.

    Attributes
    ----------
    value : Fraction
        The number; "39.6 %" is 0.396.
    power : int
        The power of ten of its last digit, which sets the precision: -3 for "39.6 %".
    suffix : str
        "%" or "M" for millions, which value and power include; "" if there is none.
    is_truncated : bool
        Whether an ellipsis says that further digits follow.
    is_whole : bool
        Whether this is a plain whole number, such as a count.
    is_negative : bool
        Whether a minus is printed, even before a zero as in "-0.00".
    """

    value: Fraction
    power: int
    suffix: str
    is_truncated: bool
    is_whole: bool
    is_negative: bool


@lru_cache(maxsize=20_000)
def read_printed(text: str, decimals: int | None = None) -> Printed:
    """Read a printed number.

    Parameters
    ----------
    text : str
        The number as printed, in one of the forms in the notes.
    decimals : int, optional
        Number of decimals to which the source rounds, if it drops trailing zeros and prints "0" for
        0.000. If the number has a trailing point, as in NumPy's "1.", pass NumPy's precision.
        Default: 8 for such a number.

    Returns
    -------
    Printed

    Raises
    ------
    InputError
        If the text has another form, is not a string, or prints more decimals than ``decimals``.

    Notes
    -----
    The digits set the precision: "0.50" is not "0.5". receval reads these forms, and refuses all
    others instead of guessing.

    ============================== ===============================================================
    printed                        read as
    ============================== ===============================================================
    ``0.396``, ``.396``, ``-0.2``  a number, with the hyphen or the true minus
    ``±0.010``                     half the width of an interval
    ``1,374,327``                  a whole number in groups of three digits
    ``39.6 %``                     0.396; the unit of the last digit is 0.001
    ``26M``                        26,000,000 in units of a million
    ``3.2e-4``                     0.00032
    ``1.198126...``                a number whose further digits are cut off
    ``0.``, ``1.``                 a number as NumPy prints it in an array, without the zeros at
                                   its end: 0.00000000 by default
    ============================== ===============================================================

    Examples
    --------
    >>> share = read_printed("39.6 %")
    >>> float(share.value), share.power
    (0.396, -3)
    >>> read_printed("1.").power, read_printed("1.", decimals=3).power  # of a NumPy array
    (-8, -3)
    """
    if not isinstance(text, str):
        advice = "Quote it: 0.50 is not 0.5, so that only a text keeps the digits"
        raise input_error("printed", "be a text", shorten(text), advice)
    plain = text.strip()
    if NUMPY_FORM.fullmatch(plain):
        plain = plain.removesuffix(".")
        if decimals is None:
            decimals = NUMPY_DECIMALS
    match = FORM.fullmatch(plain)
    has_digits = match is not None and (match["whole"] or match["decimals"])
    if match is None or not has_digits or len(text) > MAX_LENGTH:
        rule = "be a number in a form that receval reads, such as 0.396, 39.6 % or 1,374"
        advice = (
            'If it is a label, state kind = "exact". Give a value and its spread as two numbers'
        )
        raise input_error("printed", rule, shorten(text), advice)
    fraction = match["decimals"] or ""
    if decimals is not None:
        if len(fraction) > decimals:
            rule = f"have at most {decimals} decimals, as the key decimals states"
            raise input_error("printed", rule, shorten(text))
        fraction = fraction.ljust(decimals, "0")  # the zeros that the source dropped
    power = POWER_BY_SUFFIX[match["suffix"]] + int(match["exponent"] or 0) - len(fraction)
    if abs(power) > MAX_EXPONENT:
        raise input_error("printed", f"have an exponent up to {MAX_EXPONENT}", shorten(text))
    value = int(match["whole"].replace(",", "") + fraction) * Fraction(10) ** power
    is_negative = match["sign"] in ("-", "−")
    if is_negative:
        value = -value
    is_truncated = match["ellipsis"] is not None
    has_mark = match["sign"] == "±" or match["suffix"] or is_truncated
    return Printed(
        value=value,
        power=power,
        suffix=match["suffix"],
        is_truncated=is_truncated,
        is_whole=power == 0 and not has_mark,
        is_negative=is_negative,
    )
