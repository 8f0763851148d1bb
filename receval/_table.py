"""How a working is shown."""

from __future__ import annotations

import pandas as pd

from receval._escape import frame_for_terminal, without_mathematics

__all__ = ["WorkingTable"]


class WorkingTable(pd.DataFrame):
    """A working: shown with four decimals and without row numbers. Its values are not rounded."""

    def __repr__(self) -> str:
        return self._shown("__repr__")

    def _repr_html_(self) -> str:
        return without_mathematics(self._shown("_repr_html_"))

    def _shown(self, how: str) -> str:
        numbered = isinstance(self.index, pd.RangeIndex)
        plain = self.set_axis([""] * len(self)) if numbered else pd.DataFrame(self)
        digits = min(4, pd.get_option("display.precision"))
        with pd.option_context("display.precision", digits):
            return str(getattr(frame_for_terminal(plain), how)())
