"""The programming task of lesson 15: whether a value agrees with a printed figure."""

from __future__ import annotations

from receval.ledger import printed_interval


def right(printed: str, value: float) -> bool:
    """Return whether a value lies within half a unit of the last printed digit."""
    interval = printed_interval(printed)
    return float(interval.low) <= value <= float(interval.high)


def equal(printed: str, value: float) -> bool:
    """Make a slip: compare for equality."""
    return float(printed) == value


def tolerance_of_one_hundredth(printed: str, value: float) -> bool:
    """Make a slip: use a tolerance of 0.01."""
    return abs(value - float(printed)) <= 0.01


def whole_unit(printed: str, value: float) -> bool:
    """Make a slip: use a whole unit of the last digit."""
    n_decimals = len(printed.partition(".")[2])
    return abs(value - float(printed)) <= 10.0**-n_decimals


def zeros_dropped(printed: str, value: float) -> bool:
    """Make a slip: count the decimals of the number instead of the text."""
    return right(str(float(printed)), value)


INPUTS = [
    ("0.50", 0.503),
    ("0.50", 0.5003),
    ("0.50", 0.51),
    ("0.50", 0.498),
    ("0.50", 0.508),
    ("0.50", 0.53),
    ("0.4", 0.43),
    ("0.4", 0.46),
    ("0.4", 0.2),
    ("0.125", 0.1256),
    ("0.125", 0.1254),
    ("0.5", 0.5),
    ("0.35", 0.357),
    ("0.026", 0.0257),
]
"""Figures with one to three decimals, and values well inside and outside."""
