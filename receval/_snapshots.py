"""Snapshots: what a result hands out is a copy, so that no edit of it changes the result."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import pandas as pd

Kind = TypeVar("Kind")

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


class _Copies:
    """A field that keeps a copy of what it is set to, and hands out copies of that."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else snapshot(vars(instance)[self.name])

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = snapshot(value)


def hands_out_copies(*names: str) -> Callable[[type[Kind]], type[Kind]]:
    """Have some fields of a frozen dataclass keep a copy and hand out copies.

    The fields stay fields: of the constructor, of `dataclasses.replace` and of pickles.
    """

    def with_copies(kind: type[Kind]) -> type[Kind]:
        for name in names:
            setattr(kind, name, _Copies(name))
        return kind

    return with_copies
