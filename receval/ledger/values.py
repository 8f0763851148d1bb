"""The values that a check accepts, and their form in the output of a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
import pandas as pd

from receval._checks import input_error, shorten
from receval.ledger.intervals import Interval

__all__: list[str] = []

EXACT = re.compile(r"-?\d+(/[1-9]\d*)?")
MAX_EXACT_LENGTH = 1000  # characters
KINDS_OF_VALUES = (
    "be numbers, text, a sequence, array, Series or frame of them, or have a `summary` of them"
)


def as_values(value: object, name: str = "value") -> list[object]:
    """Return the numbers and texts that a user passes to a check, as a flat list.

    Parameters
    ----------
    value : object
        A number or text; a list, tuple, array, Series or frame of them, also nested; an interval,
        which counts as its two ends; or an object whose ``summary`` is a frame, such as an
        `Evaluation`.
    name : str
        The argument, for the error.

    Returns
    -------
    list
        The values of a frame are in the order of its rows.

    Raises
    ------
    InputError
        For anything else, such as a truth value, a date or a dict.
    """
    return list(_leaves(value, name))


def as_frame(value: object, name: str) -> pd.DataFrame:
    """Return a frame, or the frame in the ``summary`` of an object; raise for anything else."""
    summary = getattr(value, "summary", None)
    if isinstance(summary, pd.DataFrame):
        return summary
    if not isinstance(value, pd.DataFrame):
        rule = "be a frame, or have a `summary` that is one, such as an Evaluation"
        raise input_error(name, rule, shorten(value))
    return value


def _leaves(value: object, name: str) -> Iterator[object]:
    """Yield the numbers and texts within a value; raise if it holds anything else."""
    summary = getattr(value, "summary", None)
    if isinstance(summary, pd.DataFrame):
        value = summary
    if isinstance(value, Interval):
        yield from (value.low, value.high)
    elif isinstance(value, (pd.DataFrame, pd.Series, pd.Index)):
        yield from _leaves(value.to_numpy(dtype=object), name)
    elif isinstance(value, np.ndarray) and value.ndim == 0:
        yield from _leaves(value.item(), name)
    elif isinstance(value, (list, tuple, np.ndarray)):
        for item in value:
            yield from _leaves(item, name)
    elif is_value(value):
        yield value
    else:
        raise input_error(name, KINDS_OF_VALUES, f"{shorten(value)}, a {type(value).__name__}")


def is_value(value: object) -> bool:
    """Return whether a value is a single number or a text; a truth value is neither."""
    if isinstance(value, (bool, np.bool_)):
        return False
    return isinstance(value, (str, Real, Decimal))


def to_json(value: object) -> object:
    """Return a number or text, or a tuple of them, in a form that JSON holds without any loss."""
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, (Decimal, Fraction)):
        if isinstance(value, Decimal) and not value.is_finite():
            return float(value)
        return {"exact": str(Fraction(value))}
    if isinstance(value, (str, int)) or value is None:
        return value
    if isinstance(value, (np.integer, np.floating)):
        return value.item()
    assert isinstance(value, Real)
    return float(value)


def from_json(value: object) -> object:
    """Return the number, text or list that `to_json` turned into ``value``."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if isinstance(value, dict):
        # A stranger may have written the notebook, and "1e999999999" would take all memory.
        text = str(value.get("exact"))
        if not EXACT.fullmatch(text) or len(text) > MAX_EXACT_LENGTH:
            raise input_error("exact", "be a fraction such as 1/3", shorten(text))
        return Fraction(text)
    return value
