"""What the figures share: an Axes of their own if none is given, and a check of their frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from receval._checks import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(figsize: tuple[float, float]) -> Axes:
    """The Axes of a new figure."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize, layout="constrained")[1]


def check_columns(table: pd.DataFrame, name: str, columns: Iterable[str]) -> None:
    """Refuse a frame without one of the columns that a figure shows."""
    missing = [column for column in columns if column not in table]
    if missing:
        raise InputError(f"{name} must have the columns {', '.join(columns)}; got no {missing}")
