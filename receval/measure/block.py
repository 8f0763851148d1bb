"""A block: some users with their lists and relevant items as matrices, one line a user.

Before it the rows that it is made of, and the rules by which they become lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, IntArray
from receval.metrics import formula as ranked
from receval.tables.codes import PaddedRows
from receval.tables.ids import IdIndex
from receval.tables.inputs import ColumnNames

__all__ = ["UserBlock"]


class ListRules(NamedTuple):
    """How the rows of a system become lists.

    ``tie`` decides between equal scores, as `receval.measure.convention.TIES` says.
    """

    tie: str
    by_rank: bool = False
    depth: float = math.inf  # ranks that the measures look at
    keep_first: bool = False  # of an item twice in a list, instead of refusing it
    seen: str = "note"  # what becomes of items that the user has seen: "note", "drop", "error"
    system: Any = ""
    names: ColumnNames = ColumnNames()  # what users and items are called, for messages

    @property
    def of_system(self) -> str:
        return f" of system {self.system!r}" if self.system != "" else ""


class UnsortedBlock(NamedTuple):
    """Rows of relevance and recommendations, side by side for each user, in the tables' order.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    judged, recommended : relevance rows and recommendations, with their items.
    grades : of the relevance rows, 0 where there is none.
    ratings : the grades as they were given; where there is no row stands anything.
    order : of the recommendations, ascending from the best one on; NaN where there is none.
    length : number of recommendations.
    user_ids, item_ids : what the codes stand for.
    seen : whether the user has seen a recommended item; None where that is not known.
    """

    users: IntArray
    judged: PaddedRows
    grades: FloatArray
    ratings: npt.NDArray[Any]
    recommended: PaddedRows
    order: FloatArray
    length: IntArray
    user_ids: IdIndex
    item_ids: IdIndex
    seen: BoolArray | None = None

    def told(self, line: int, item: int) -> str:
        """A user and an item, for a message."""
        user = self.user_ids.one(self.users[line])
        return f"user {user!r} with item {self.item_ids.one(item)!r}"


@dataclass(frozen=True)
class UserBlock(ranked.RankedLists):
    """Some judged users with their lists and their relevant items.

    Attributes
    ----------
    users : codes of the judged users, shape (n,).
    grades : by rank, NaN behind the end of a list, shape (n, width).
    items : item code by rank, -1 behind the end.
    scores : score by rank, NaN behind the end; None where ranks were given.
    relevance : grades of the relevant items, best first, 0 behind them, as many as are looked at.
    n_relevant, n_irrelevant, length : number of relevant items, of items judged irrelevant, and
        of recommended ones.
    ratings : by rank the grade that an item was given, NaN where it has none.
    tied : whether equal scores leave open which grade stands where, among the ranks looked at.
    """

    users: IntArray
    grades: FloatArray
    n_relevant: IntArray
    length: IntArray
    tied: BoolArray
    _lines: UnsortedBlock = field(repr=False)
    _carried: Callable[..., FloatArray] = field(repr=False)  # see `RowMatches`
    _depth: float = field(repr=False)
    _order: FloatArray | None = field(repr=False)
    _columns: IntArray | None = field(repr=False)  # rank to column of the lines; None: the same
    _sums: dict[Any, Any] = field(repr=False, default_factory=dict)

    def binarized(self, grade: float) -> UserBlock:
        """The same with the grade 1 for all grades from one on, and 0 for those below."""
        if grade not in self._sums:
            known = self._lines.grades >= grade
            self._sums[grade] = replace(
                self,
                grades=np.where(np.isnan(self.grades), np.nan, self.grades >= grade),
                n_relevant=np.count_nonzero(known, axis=1),
                _lines=self._lines._replace(grades=known.astype(np.float64)),
                _sums={},
            )
        found: UserBlock = self._sums[grade]
        return found

    @cached_property
    def items(self) -> IntArray:
        items = take_columns(self._lines.recommended.codes, self._columns)[
            :, : self.grades.shape[1]
        ]
        return np.where(np.isnan(self.grades), -1, items)

    @cached_property
    def scores(self) -> FloatArray | None:
        if self._order is None:
            return None
        scores = -take_columns(self._order, self._columns)[:, : self.grades.shape[1]]
        return np.where(np.isnan(self.grades), np.nan, scores)

    @property
    def predicted(self) -> FloatArray:
        """Scores by rank as they were given, whatever a rule for equal ones makes of them."""
        return -take_columns(self._lines.order, self._columns)[:, : self.grades.shape[1]]

    @property
    def given(self) -> FloatArray:
        """Scores in the order of the table, NaN behind the end of a list."""
        return -self._lines.order

    @property
    def n_seen(self) -> int:
        """How many of the recommended items their users have seen, where that is known."""
        assert self._lines.seen is not None
        return int(np.count_nonzero(self._lines.seen))

    @property
    def unlisted(self) -> IntArray:
        """How many relevant items are not in the list, as far as it is looked at; 0 without one."""
        missed = self.n_relevant - np.count_nonzero(self.grades > 0, axis=1)
        return np.where(self.length > 0, missed, 0)

    @cached_property
    def n_irrelevant(self) -> IntArray:
        irrelevant = (self._lines.ratings >= 0) & (self._lines.grades == 0)
        if self._lines.judged.padding is not None:
            irrelevant &= ~self._lines.judged.padding
        if not irrelevant.any():
            return np.zeros_like(self.n_relevant)
        return np.asarray(np.count_nonzero(irrelevant, axis=1))

    @cached_property
    def ratings(self) -> FloatArray:
        given, (_, width) = self._lines.ratings, self.grades.shape
        rated, rating = (
            take_columns(self._carried(one, self._lines.order.shape), self._columns)[:, :width]
            for one in (np.broadcast_to(1.0, given.shape), given)
        )
        return np.where((rated > 0) & ~np.isnan(self.grades), rating, np.nan)

    @cached_property
    def relevance(self) -> FloatArray:
        width = int(min(self.n_relevant.max(initial=0), self._depth))
        ascending = np.sort(self._lines.grades, axis=1)
        return ascending[:, : -width - 1 : -1].astype(np.float64, order="F")

    @cached_property
    def best(self) -> ranked.ArrayLists:
        return ranked.ArrayLists(self.relevance, self.n_relevant, called=self.called)


def take_columns(values: npt.NDArray[Any], columns: IntArray | None) -> npt.NDArray[Any]:
    """The values of each line in the order of its list."""
    return values if columns is None else np.take_along_axis(values, columns, axis=1)
