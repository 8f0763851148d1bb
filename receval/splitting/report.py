"""The report of a function that changes a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, BoolArray, IntArray


@dataclass(frozen=True)
class Report:
    """The rows of a table that a function changed or removed.

    Attributes
    ----------
    given, kept : int
        Number of rows before and after.
    changes : mapping of str to ndarray of int
        Each change, in words, and the positions of its rows in the original table. A row that was
        removed is listed under the first reason that applies.

    Examples
    --------
    >>> import numpy as np
    >>> Report(given=5, kept=3, changes={"removed: a self-link": np.array([0, 4])})
    3 of 5 rows kept
      removed: a self-link: 2 rows, at [0, 4]
    """

    given: int
    kept: int
    changes: Mapping[str, IntArray] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the number of rows, then one line per change with the positions of some rows."""
        lines = [f"{self.kept:,} of {self.given:,} rows kept"]
        for change, rows in self.changes.items():
            line = f"  {change}: {counted(len(rows), 'row')}"
            positions = [str(row) for row in rows[:MAX_EXAMPLES]]
            if len(rows) > MAX_EXAMPLES:
                positions.append("…")
            if positions:
                line += f", at [{', '.join(positions)}]"
            lines.append(line)
        return "\n".join(lines)


def without(table: pd.DataFrame, rules: Mapping[str, BoolArray]) -> tuple[pd.DataFrame, Report]:
    """Return a copy of a table without some rows, and the report of which were removed, and why.

    ``rules`` maps each reason to a mask of the rows to remove; the masks are not changed. A row is
    reported under the first reason that applies.
    """
    is_kept = np.ones(len(table), bool)
    removed = {}
    for reason, is_unwanted in rules.items():
        # Rows that an earlier rule removed are not listed again.
        removed[f"removed: {reason}"] = np.flatnonzero(is_unwanted & is_kept)
        is_kept &= ~is_unwanted
    return table[is_kept].copy(), Report(len(table), int(is_kept.sum()), removed)


def counted(n: int, noun: str) -> str:
    """Return a number with its noun: "1 row", "2 rows"."""
    return f"1 {noun}" if n == 1 else f"{n:,} {noun}s"
