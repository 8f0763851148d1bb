"""What a table function changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from receval._checks import MAX_EXAMPLES, BoolArray, IntArray

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """What a table function changed, row by row.

    Attributes
    ----------
    given, kept : int
        Rows of the table before and after.
    changes : mapping of str to ndarray of int
        What was done, in words, to the rows at which positions of the given table. A row that
        was removed stands under one reason only, the first that applies.

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

    @property
    def changed(self) -> IntArray:
        """Positions of all rows that were changed or removed, ascending."""
        return np.unique(np.concatenate([np.empty(0, np.int64), *self.changes.values()]))

    def __repr__(self) -> str:
        lines = [f"{self.kept:,} of {self.given:,} rows kept"]
        for what, rows in self.changes.items():
            places = [*map(str, rows[:MAX_EXAMPLES]), *["…"] * (len(rows) > MAX_EXAMPLES)]
            where = f", at [{', '.join(places)}]" if places else ""
            lines.append(f"  {what}: {counted(len(rows), 'row')}{where}")
        return "\n".join(lines)


def without(table: pd.DataFrame, rules: Mapping[str, BoolArray]) -> tuple[pd.DataFrame, Report]:
    """The rows to which no rule applies, and which went by the first rule that does."""
    left, removed = np.ones(len(table), bool), {}
    for rule, applies in rules.items():
        removed[f"removed: {rule}"] = np.flatnonzero(applies & left)
        left &= ~applies
    return table[left].copy(), Report(len(table), int(left.sum()), removed)


def counted(n: int, what: str) -> str:
    """A number of things: "1 row", "2 rows"."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"
