"""Snapshots: a result hands out copies, so that editing them does not change the result."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import numpy as np
import pandas as pd

Kind = TypeVar("Kind")
Value = TypeVar("Value")

COPIES_ON_WRITE = int(pd.__version__.partition(".")[0]) >= 3
"""True if pandas copies shared data before it writes, so that a shallow copy is a snapshot."""


def snapshot(value: Value) -> Value:
    """Return a deep copy of frames, arrays, dicts and lists; return any other value as it is.

    The copy of a frame has the same class, and separate row and column labels: if you rename them,
    the labels of the original stay.
    """
    return cast(Value, _copy(value))


def _copy(value: object) -> object:
    """Return the copy that `snapshot` describes."""
    if isinstance(value, (pd.DataFrame, pd.Series)):
        copied = value.copy()
        if type(copied) is not type(value):  # pandas returns plain frames for some subclasses
            copied = type(value)(copied)
        copied.attrs = copy.deepcopy(value.attrs)  # the constructor may drop them
        return copied
    if isinstance(value, (pd.Index, np.ndarray)):
        return value.copy()
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        is_subclass = type(value) not in (list, tuple, set)
        if is_subclass:  # such as a named tuple, which has another constructor
            return value
        return type(value)(_copy(item) for item in value)
    return value


def shared_snapshot(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of a frame, which may share the arrays of the frame.

    The arrays must be read-only, and must exist for as long as the copy does. From pandas 3 on, the
    copy shares them until somebody writes to it, so that a copy of a large frame costs nothing.
    Earlier versions of pandas copy the arrays.
    """
    return frame.copy(deep=not COPIES_ON_WRITE)


class _Copies:
    """A descriptor that stores a copy of the value it is set to, and returns copies of it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if instance is None:
            return self
        return snapshot(vars(instance)[self.name])

    def __set__(self, instance: object, value: object) -> None:
        vars(instance)[self.name] = snapshot(value)


def hands_out_copies(*names: str) -> Callable[[type[Kind]], type[Kind]]:
    """Return a class decorator that makes the named fields of a frozen dataclass return copies.

    The constructor, `dataclasses.replace` and pickle still treat them as fields.
    """

    def replace_fields(kind: type[Kind]) -> type[Kind]:
        """Replace the named fields of a class with descriptors, which copy values."""
        for name in names:
            setattr(kind, name, _Copies(name))
        return kind

    return replace_fields
