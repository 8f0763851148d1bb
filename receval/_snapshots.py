"""Snapshots: what a result hands out is a copy, so that no edit of it changes the result."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

COPIES_ON_WRITE = int(pd.__version__.partition(".")[0]) >= 3
"""Whether pandas copies shared data before it writes, so that a shallow copy is a snapshot."""


def snapshot(value: Any) -> Any:
    """A copy of frames, arrays, dicts and lists, also within one another; anything else as it is.

    The copy has row and column labels of its own, whose names can be edited. A subclass of a frame
    stays one.
    """
    if isinstance(value, (pd.DataFrame, pd.Series)):
        copied = value.copy()
        if type(copied) is not type(value):
            copied = type(value)(copied)
        copied.attrs = copy.deepcopy(value.attrs)
        return copied
    if isinstance(value, pd.Index):
        return value.copy()
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Mapping):
        return {key: snapshot(item) for key, item in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(map(snapshot, value))
    return value


def shared_snapshot(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy of a frame whose arrays are read-only and which stays alive as long as its arrays.

    From pandas 3 on it shares the arrays until somebody writes, so that a large frame costs
    nothing; before that it copies them.
    """
    return frame.copy(deep=not COPIES_ON_WRITE)


class _NoDefault:
    """Stands for a default that a factory makes."""


class Snapshot:
    """A field of a frozen dataclass that keeps a copy and hands out copies.

    ``results: pd.DataFrame = snapshot_field()`` keeps the field's name, its place in the
    constructor and `dataclasses.replace`.
    """

    def __init__(self, default: Any, factory: Callable[[], Any] | None) -> None:
        self.default, self.factory = default, factory

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None:
            return snapshot(vars(instance)[self.name])
        # The dataclass asks the class for the default of the field.
        if self.default is _NoDefault and self.factory is None:
            raise AttributeError(self.name)
        return self.default

    def __set__(self, instance: Any, value: Any) -> None:
        if value is _NoDefault and self.factory is not None:
            value = self.factory()
        vars(instance)[self.name] = snapshot(value)


def snapshot_field(default: Any = _NoDefault, *, factory: Callable[[], Any] | None = None) -> Any:
    """A field that keeps a copy of what it is given and hands out copies of that."""
    return Snapshot(default, factory)
