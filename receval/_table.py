"""The table that shows the working of a number."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from receval._escape import frame_for_terminal, without_mathematics

__all__ = ["WorkingTable"]

DIGITS = 4

WORKING_COLUMNS = frozenset(
    {
        "rank",
        "item",
        "score",
        "grade",
        "gain",
        "weight",
        "above",
        "term",
        "running sum",
        "ideal term",
        "ideal sum",
    }
)
"""Columns that the working of a ranked list can have besides that of the value."""


def label_of_value(name: str) -> str:
    """Return the label of the column that shows the value of a measure, usually its name.

    A custom measure can have the name of another column, such as "gain". Then it is "value of
    gain", so that the other column stays.
    """
    if name in WORKING_COLUMNS:
        return f"value of {name}"
    return name


class WorkingTable(pd.DataFrame):
    """A working, shown with four decimals and without row numbers. Its values are not rounded."""

    def __repr__(self) -> str:
        return self._render("__repr__")

    def _repr_html_(self) -> str:
        return without_mathematics(self._render("_repr_html_"))

    def _render(self, method: Literal["__repr__", "_repr_html_"]) -> str:
        """Return this table as a text; ``method`` is the method of an ordinary frame that makes it.

        Row numbers are hidden, and the display has at most four decimals.
        """
        frame = pd.DataFrame(self)
        if isinstance(self.index, pd.RangeIndex):
            frame = frame.set_axis([""] * len(self))
        digits = min(DIGITS, pd.get_option("display.precision"))
        with pd.option_context("display.precision", digits):
            return str(getattr(frame_for_terminal(frame), method)())
