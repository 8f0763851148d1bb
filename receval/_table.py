"""The table that shows the working of a number."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from receval._escape import lines_for_terminal, without_mathematics

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
"""Columns that the working of a ranked list can have, apart from the column of the value."""


def label_of_value(name: str) -> str:
    """Return the label of the column that shows the value of a measure, usually its name.

    A custom measure can have the name of another column, such as "gain". Then the label is "value
    of gain", so that the two columns have different labels.
    """
    if name in WORKING_COLUMNS:
        return f"value of {name}"
    return name


class WorkingTable(pd.DataFrame):
    """The working of a number as a frame, shown with four decimals and without row numbers.

    Only the display is rounded. The values are not.
    """

    def __repr__(self) -> str:
        return self._render("__repr__")

    def _repr_html_(self) -> str:
        return without_mathematics(self._render("_repr_html_"))

    def _render(self, method: Literal["__repr__", "_repr_html_"]) -> str:
        """Return this table as text or HTML; ``method`` is the method of a frame that renders it.

        The display has no row numbers, and at most four decimals.
        """
        frame = pd.DataFrame(self)
        if isinstance(self.index, pd.RangeIndex):
            frame = frame.set_axis([""] * len(self))
        digits = min(DIGITS, pd.get_option("display.precision"))
        with pd.option_context("display.precision", digits):
            return lines_for_terminal(getattr(frame, method)())
