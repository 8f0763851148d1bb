"""Answers as people type them, compared with right answers."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray

SIGNS_AROUND = " \t\n.!?\"'`()[]{}:;,"  # around a word that somebody types
SYNONYMS = {"y": "yes", "true": "yes", "n": "no", "false": "no"}


def agrees(
    answer: object,
    right: npt.ArrayLike,
    *,
    tolerance_factor: float = 1,
    least_tolerance: float = 0,
) -> bool:
    """Return whether an answer is the right one: the same word, or nearly the same numbers.

    A number may differ from the right one by half a unit of the second decimal, or by half a unit
    of the second significant figure if the right one is below 0.1. ``tolerance_factor`` multiplies
    this tolerance, which is at least ``least_tolerance``. An answer with more or fewer numbers, or
    with none, does not agree.
    """
    if isinstance(right, (str, bool, np.bool_)):
        return is_same_word(answer, right)
    exact = np.asarray(right, dtype=float)
    numbers = read_numbers(answer, is_list=exact.ndim > 0)
    if numbers is None or numbers.shape != exact.shape:
        return False
    magnitude = np.abs(np.where(exact == 0, 1, exact))  # zero, without figures, is treated like 1
    # The last digit that counts, as a power of ten: -2 for the second decimal, or less for a number
    # below 0.1, whose second significant digit is the last that counts.
    last_decimal = np.minimum(-2, np.floor(np.log10(magnitude)) - 1)
    # The factor also accepts answers exactly at the tolerance, in spite of rounding errors.
    half_unit = 0.5 * 10.0**last_decimal * (1 + 1e-9)
    tolerance = np.maximum(least_tolerance, tolerance_factor * half_unit)
    return bool(np.all(np.abs(numbers - exact) <= tolerance))


def read_numbers(answer: object, *, is_list: bool = False) -> FloatArray | None:
    """Return the numbers of an answer as an array without axes of length 1; None if it has none.

    In a text, commas separate numbers if ``is_list``, that is, if several are wanted. Otherwise
    they are decimal commas.
    """
    if isinstance(answer, str):
        text = answer.strip(" []()")
        answer = re.split(r"[\s,;]+", text) if is_list else re.sub(r",(?=\d)", ".", text)
    try:
        values = np.asarray(answer)
        numbers = [_read_number(value) for value in values.ravel().tolist()]
    except (ValueError, ArithmeticError):
        return None
    return np.reshape(numbers, values.shape).squeeze()


def _read_number(value: object) -> float:
    """Return a number, or the number that a text such as "0.6", "= 3/5" or "60 %" states.

    True, NaN and infinity are not numbers. Raises ValueError or ArithmeticError.
    """
    text = str(value).replace("−", "-")
    # Drop blanks next to signs and before thousands, but don't read "1 2" as 12.
    text = re.sub(r"(?<=[=/])\s+|\s+(?=[=/%])|(?<=\d)\s(?=\d{3}(?!\d))", "", text).strip(" =")
    numerator, _, denominator = text.removesuffix("%").partition("/")
    number = Fraction(numerator) / Fraction(denominator or 1)  # no denominator: the number itself
    if text.endswith("%"):
        number /= 100
    return float(number)


def is_same_word(answer: object, right: object) -> bool:
    """Return whether an answer is the right word. "No.", False and "n" are the same word.

    The first words of a name are enough: "exponential" counts as "exponential_gain".
    """
    return f"{normalise_word(right)}_".startswith(f"{normalise_word(answer)}_")


def normalise_word(answer: object) -> str:
    """Return a word in lower case, with underscores in place of blanks and hyphens.

    Punctuation around the word doesn't count, nor does a label before it, as in "gain:
    linear_gain". The word of a function is its name.
    """
    text = str(getattr(answer, "__name__", answer)).rpartition(": ")[2].lower().strip(SIGNS_AROUND)
    word = "_".join(re.split(r"[\s_-]+", text))
    return SYNONYMS.get(word, word)
