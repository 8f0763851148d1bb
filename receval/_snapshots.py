"""Copies of frames, so that later edits of a frame don't reach a result, nor the reverse."""

from __future__ import annotations

from typing import TypeVar

import pandas as pd

Frame = TypeVar("Frame", pd.DataFrame, pd.Series)


def snapshot(frame: Frame) -> Frame:
    """Return a copy of a frame that stays the same if somebody edits the frame.

    If pandas copies shared data before it writes, the copy shares the data of the frame, so that it
    costs nothing. Otherwise, this function copies the data.
    """
    return frame.copy(deep=not copies_on_write())


def copies_on_write() -> bool:
    """Return whether pandas copies shared data before it writes; in pandas 2, this is an option."""
    major_version = int(pd.__version__.partition(".")[0])
    return major_version >= 3 or pd.options.mode.copy_on_write is True
