"""The values that a check accepts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

from receval._checks import input_error, shorten

__all__: list[str] = []

KINDS_OF_VALUES = (
    "be numbers, text, a sequence, array, Series or frame of them, or have a `summary` of them"
)


def as_values(value: object, name: str = "value") -> list[object]:
    """Return the numbers and texts that a user passes to a check, as a flat list.

    Parameters
    ----------
    value : object
        A number or text; a list, tuple, array, Series or frame of them, also nested; or an object
        whose ``summary`` is a frame, such as an `Evaluation`.
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
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)):
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
