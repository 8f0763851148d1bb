"""Answers as people type them, turned into plain Python values and compared with right answers."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterator, Mapping, Set
from decimal import Decimal
from typing import TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray

__all__ = ["Plain"]

Plain: TypeAlias = "bool | int | float | str | list[Plain] | None"
"""An answer as plain Python: None is no answer yet. JSON can hold such a value."""

MAX_VALUES = 1000  # that an answer may have
MAX_LETTERS = 1000
MAX_LEVELS = 4  # of lists within lists
YES = {"yes", "y", "true", "ja"}
NO = {"no", "n", "false", "nein"}
SIGNS_AROUND = " \t\n.!?\"'`()[]{}:;,"  # around a word that somebody types
FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅛": "1/8"}
GROUPS_OF_THREE = re.compile(r"[1-9]\d{0,2}([, ’']\d{3})+")  # "1,001" may be a thousand and one


def plain_answer(answer: object, level: int = 0) -> Plain:
    """Return an answer as plain Python: a number, a text, True, False, None, or a list of them.

    NumPy scalars and arrays, columns of tables, tuples, fractions and decimal numbers are accepted.
    A function becomes its name. ``...`` and None mean that there isn't an answer yet, so the result
    is None. ``level`` counts the lists around the value.

    Raises a `TypeError`, which says what is wrong, for anything else: a set, a dict, a complex
    number, or more than a thousand values.
    """
    if answer is None or answer is ...:
        return None
    if isinstance(answer, (bool, np.bool_, str, numbers.Real, Decimal)):
        return _plain_scalar(answer)
    if isinstance(answer, (Set, Mapping)):
        raise TypeError(f"a {type(answer).__name__} has no order; use a list such as [1, 2]")
    if callable(answer):
        return str(getattr(answer, "__name__", type(answer).__name__))
    if level >= MAX_LEVELS:
        raise TypeError("the answer has lists in lists in lists")
    return [plain_answer(value, level + 1) for value in _values(answer)]


def _plain_scalar(answer: bool | np.bool_ | str | numbers.Real | Decimal) -> Plain:  # noqa: FBT001
    """Return a single value as plain Python; a text is cut if it is very long."""
    if isinstance(answer, (bool, np.bool_)):
        return bool(answer)
    if isinstance(answer, str):
        return str(answer)[:MAX_LETTERS]
    if isinstance(answer, numbers.Integral):
        return int(answer)
    return float(answer)


def _values(answer: object) -> list[object]:
    """Return the values of a list, a tuple, an array, a column or an iterator."""
    if hasattr(answer, "to_numpy"):  # a column of pandas or Polars
        answer = answer.to_numpy()
    if isinstance(answer, np.ndarray) and answer.ndim == 0:
        return [answer.item()]
    if isinstance(answer, (np.ndarray, list, tuple, range)):
        if len(answer) > MAX_VALUES:
            raise TypeError(f"the answer has {len(answer):,} values")
        return list(answer)
    if isinstance(answer, Iterator):
        raise TypeError("the answer is an iterator; use list(...) around it")
    raise TypeError(f"the answer is a {type(answer).__name__}; use a number, a text or a list")


def agrees(
    answer: Plain,
    right: npt.ArrayLike,
    *,
    tolerance_factor: float = 1,
    least_tolerance: float = 0,
) -> bool:
    """Return whether a user's answer is the right one: the same word, or nearly the same numbers.

    A number may differ from the right one by half a unit of the second decimal, or by half a unit
    of the second significant figure if the right one is below 0.1. ``tolerance_factor`` multiplies
    this tolerance, which is at least ``least_tolerance``. An answer with more or fewer numbers, or
    with none, does not agree. A list of a single value counts as the value.
    """
    if _is_word(right):
        return _is_same_word(unwrap(answer), right)
    exact = np.asarray(right, dtype=float)
    magnitude = np.abs(np.where(exact == 0, 1, exact))  # zero, without figures, is treated like 1
    # The last digit that counts, as a power of ten: -2 for the second decimal, or less for a number
    # below 0.1, whose second significant digit is the last that counts.
    last_decimal = np.minimum(-2, np.floor(np.log10(magnitude)) - 1)
    # The factor also accepts answers exactly at the tolerance, in spite of rounding errors.
    half_unit = 0.5 * 10.0**last_decimal * (1 + 1e-9)
    tolerance = np.maximum(least_tolerance, tolerance_factor * half_unit)
    return any(
        reading.shape == exact.shape and bool(np.all(np.abs(reading - exact) <= tolerance))
        for reading in _read_numbers(answer, is_list=_is_list(right))
    )


def has_form(answer: Plain, right: npt.ArrayLike) -> bool:
    """Return whether an answer has as many numbers as the right one.

    If the right answer is a word, the result is True for any answer.
    """
    if _is_word(right):
        return True
    readings = _read_numbers(answer, is_list=_is_list(right))
    return any(reading.shape == np.shape(right) for reading in readings)


def describe_form(right: npt.ArrayLike) -> str:
    """Return what an answer looks like, such as "one value, such as 1/4"."""
    if _is_list(right):
        return f"{np.size(right)} values, such as [1, 2]"
    return "one value, such as 1/4"


def read_number(answer: Plain) -> float | None:
    """Return the number that an answer states, such as 0.6 for "60 %", or None if it has none."""
    readings = _read_numbers(answer, is_list=False)
    if readings and readings[0].ndim == 0:
        return float(readings[0])
    return None


def normalise_word(answer: object) -> str:
    """Return a word in lower case, with underscores in place of blanks and hyphens.

    Punctuation around the word doesn't count, nor does a label before it, as in "gain:
    linear_gain".
    """
    text = str(answer).rpartition(": ")[2].lower().strip(SIGNS_AROUND)
    return "_".join(re.split(r"[\s_-]+", text))


def _is_word(value: npt.ArrayLike) -> TypeGuard[str | bool | np.bool_]:
    """Return whether a right answer is a word, True or False, as opposed to numbers."""
    return isinstance(value, (str, bool, np.bool_))


def _is_list(right: npt.ArrayLike) -> bool:
    """Return whether a right answer consists of several numbers."""
    return np.ndim(right) > 0


def _is_same_word(answer: Plain, right: str | bool | np.bool_) -> bool:  # noqa: FBT001
    """Return whether an answer is the right word. "No.", False and "n" are the same word.

    The first words of a name are enough: "exponential" counts as "exponential_gain".
    """
    if isinstance(answer, list):
        return False
    word, right_word = normalise_word(answer), normalise_word(right)
    for synonyms in (YES, NO):
        if right_word in synonyms:
            return word in synonyms
    return f"{right_word}_".startswith(f"{word}_")


def unwrap(answer: Plain) -> Plain:
    """Return the only value of a list, and any other answer as it is."""
    while isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    return answer


def _read_numbers(answer: Plain, *, is_list: bool) -> list[FloatArray]:
    """Return the numbers of an answer as an array, in each possible reading; [] if it has none.

    A single number becomes an array without axes. In a text, commas separate numbers if
    ``is_list``, that is, if the right answer consists of several numbers. Otherwise they are
    decimal commas, or separate thousands.
    """
    answer = unwrap(answer)
    try:
        if isinstance(answer, str):
            if is_list:
                parts = re.split(r"[\s,;]+", answer.strip(" []()"))
                return [np.array([_parse_number(part) for part in parts])]
            readings = [np.array(_parse_number(answer.replace(",", ".").strip(" []()")))]
            if GROUPS_OF_THREE.fullmatch(answer.strip()):
                readings.append(np.array(float(re.sub(r"\D", "", answer))))
            return readings
        if isinstance(answer, list):
            values = [_number_of(value) for value in _flatten(answer, is_list=is_list)]
            return [np.array(values, dtype=float)]
        return [np.array(_number_of(answer))]
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        if isinstance(answer, str) and GROUPS_OF_THREE.fullmatch(answer.strip()):
            return [np.array(float(re.sub(r"\D", "", answer)))]
        return []


def _flatten(answer: list[Plain], *, is_list: bool) -> list[Plain]:
    """Return the values of a table with one row or one column, if several are wanted."""
    if is_list and all(isinstance(value, list) and len(value) == 1 for value in answer):
        return [unwrap(value) for value in answer]
    return answer


def _number_of(value: Plain) -> float:
    """Return a single value as a number. True and False aren't numbers."""
    if isinstance(value, str):
        return _parse_number(value.replace(",", "."))
    if value is None or isinstance(value, (bool, list)):
        raise TypeError("not a number")
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return float(value)


def _parse_number(text: str) -> float:
    """Return the number that a text such as "0.6", "= 3/5", "60 %" or "½" states.

    Raises ValueError if the text is anything else, and ZeroDivisionError for "3/0".
    """
    for sign, fraction in FRACTIONS.items():
        text = text.replace(sign, fraction)
    text = text.strip().lstrip("=≈~ ").replace("−", "-")
    text = re.sub(r"\s*(percent|per cent)$", "%", text)
    is_percentage = text.endswith("%")
    numerator, _, denominator = text.rstrip("% ").partition("/")
    number = float(numerator) / float(denominator or 1)  # no denominator: the number itself
    if not math.isfinite(number):
        raise ValueError(text)
    if is_percentage:
        return number / 100
    return number
