"""The table that shows the working of a number."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from receval._escape import lines_for_terminal, without_mathematics

DIGITS = 4


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
