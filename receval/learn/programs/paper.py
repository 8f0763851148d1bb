"""The programming task of lesson 17: whether a value agrees with a printed figure."""

from __future__ import annotations

import math

import numpy as np

from receval.learn.program import Inputs, Program
from receval.ledger import printed_interval

__all__ = ["CODE"]


def right(printed: str, value: float) -> bool:
    """Return whether a value lies within half a unit of the last printed digit."""
    interval = printed_interval(printed)
    return float(interval.low) <= value <= float(interval.high)


def _n_decimals(printed: str) -> int:
    """Return the number of digits after the point."""
    return len(printed.partition(".")[2])


def _is_within(printed: str, value: float, most: float) -> bool:
    """Return whether a value differs from the figure by at most a number."""
    return abs(value - float(printed)) <= most


def equal(printed: str, value: float) -> bool:
    """Make a slip: compare for equality."""
    return float(printed) == value


def tolerance_of_one_hundredth(printed: str, value: float) -> bool:
    """Make a slip: use a tolerance of 0.01."""
    return _is_within(printed, value, 0.01)


def two_decimals(printed: str, value: float) -> bool:
    """Make a slip: use half a unit of the second decimal."""
    return _is_within(printed, value, 0.005)


def whole_unit(printed: str, value: float) -> bool:
    """Make a slip: use a whole unit of the last digit."""
    return _is_within(printed, value, 10.0 ** -_n_decimals(printed))


def zeros_dropped(printed: str, value: float) -> bool:
    """Make a slip: count the decimals of the number instead of the text."""
    return _is_within(printed, value, 0.5 / 10 ** _n_decimals(str(float(printed))))


def cut_off(printed: str, value: float) -> bool:
    """Make a slip: cut the value off after the last printed digit."""
    unit = 10.0 ** _n_decimals(printed)
    return math.floor(value * unit) == round(float(printed) * unit)


def one_digit_too_many(printed: str, value: float) -> bool:
    """Make a slip: count all digits."""
    return _is_within(printed, value, 0.5 / 10 ** len(printed.replace(".", "")))


def only_above(printed: str, value: float) -> bool:
    """Make a slip: leave out the absolute value."""
    return value - float(printed) <= 0.5 / 10.0 ** _n_decimals(printed)


def swapped(printed: str, value: float) -> bool:
    """Return whether the value differs, which is the opposite."""
    return not right(printed, value)


def inputs(rng: np.random.Generator) -> Inputs:
    """Return figures with one to three decimals, and values well inside and outside."""
    fixed = [
        ("0.50", 0.503),
        ("0.50", 0.5003),
        ("0.50", 0.51),
        ("0.50", 0.498),
        ("0.50", 0.508),  # within 0.01, but not within half a unit
        ("0.50", 0.53),  # would agree with 0.5
        ("0.4", 0.43),
        ("0.4", 0.46),
        ("0.4", 0.2),
        ("0.125", 0.1256),
        ("0.125", 0.1254),
        ("0.5", 0.5),
    ]
    for n_decimals in (2, 3):
        unit = 10.0**-n_decimals
        figure = int(rng.integers(10, 90)) * unit
        off = float(rng.choice([-0.8, -0.3, 0.2, 0.7])) * unit
        fixed.append((f"{figure:.{n_decimals}f}", round(figure + off, 6)))
    return [*fixed]


CODE = Program(
    right,
    inputs,
    {
        "equal": equal,
        "tolerance_of_one_hundredth": tolerance_of_one_hundredth,
        "two_decimals": two_decimals,
        "whole_unit": whole_unit,
        "zeros_dropped": zeros_dropped,
        "cut_off": cut_off,
        "one_digit_too_many": one_digit_too_many,
        "only_above": only_above,
        "swapped": swapped,
    },
)
"""The task "paper.code"."""
