"""Blocks of users: their recommended and relevant items as matrices, with one line per user.

`UnsortedBlock` holds the rows in the order of the tables. `receval.measure.matching` turns it into
a `UserBlock`: it matches the lists with the relevance table, sorts them and cuts them, as
`ListRules` say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from receval._checks import BoolArray, FloatArray, IntArray
from receval._types import AnyArray, Id
from receval.metrics.formula import ArrayLists, RankedLists, Terms
from receval.tables.codes import PaddedRows
from receval.tables.ids import IdIndex
from receval.tables.inputs import ColumnNames

__all__ = ["UserBlock"]

CarryFunction: TypeAlias = Callable[[AnyArray, tuple[int, ...]], FloatArray]
"""The type of `receval.measure.matching.RowMatches.carry_to_recommendations`."""


class ListRules(NamedTuple):
    """Rules for turning the rows of a system into lists.

    Attributes
    ----------
    tie : which of two equal scores comes first, a key of `receval.measure.convention.TIES`.
    compares_float32 : whether scores that round to the same 32-bit float are equal.
    by_rank : whether rows come with ranks instead of scores.
    depth : number of ranks that the measures look at.
    keep_first : whether to keep the first of equal items in a list, instead of raising an error.
    seen : what to do with items that the user has seen before: "note", "drop" or "error".
    system : name of the system, for messages; "" if it has none.
    place : name of the system's table, for messages.
    names : column names, for messages.
    """

    tie: str
    compares_float32: bool = False
    by_rank: bool = False
    depth: float = math.inf
    keep_first: bool = False
    seen: str = "note"
    system: Id = ""
    place: str = "recommendations"
    names: ColumnNames = ColumnNames()

    @property
    def of_system(self) -> str:
        """Return " of system 'A'" for messages, or "" if the system has no name."""
        return f" of system {self.system!r}" if self.system != "" else ""


class UnsortedBlock(NamedTuple):
    """Relevance rows and recommendations of some users, in the order of the tables.

    Matrices have one line per user. Lines differ in length, so a shorter one has padding after
    its last row.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    judged, recommended : relevance rows and recommendations, with their items.
    grades : grades of the relevance rows, 0 in the padding.
    ratings : grades as the user passed them, 0 in the padding.
    order : sort keys of the recommendations, the smallest is best; NaN in the padding.
    length : number of recommendations of each user.
    user_ids, item_ids : the ids that the codes stand for.
    seen : whether the user has seen each recommended item before; None: there is no history.
    """

    users: IntArray
    judged: PaddedRows
    grades: FloatArray
    ratings: AnyArray
    recommended: PaddedRows
    order: FloatArray
    length: IntArray
    user_ids: IdIndex
    item_ids: IdIndex
    seen: BoolArray | None = None

    def format_pair(self, line: int, item: int) -> str:
        """Return text for a message: the user at ``line``, and the item whose code is ``item``."""
        user = self.user_ids.take_one(self.users[line])
        return f"user {user!r} with item {self.item_ids.take_one(item)!r}"


@dataclass(frozen=True)
class UserBlock(RankedLists):
    """Ranked lists of some judged users, with their relevant items.

    Attributes
    ----------
    users : codes of the judged users, shape (n,).
    grades : grade by rank, NaN after the end of a list, shape (n, width).
    items : item code by rank, -1 after the end.
    scores : score by rank, NaN after the end; None if the tables have ranks.
    relevance : grades of the relevant items, best first, followed by 0; at most one for each rank
        that the measures look at.
    n_relevant, n_irrelevant, length : number of relevant items, of items judged irrelevant, and
        of recommended items.
    ratings : grade by rank as the user passed it, NaN if the item has none.
    tied : whether equal scores leave open which grade comes first, within the depth.
    """

    users: IntArray
    grades: FloatArray
    n_relevant: IntArray
    length: IntArray
    tied: BoolArray
    _lines: UnsortedBlock = field(repr=False)
    _carry: CarryFunction = field(repr=False)
    _depth: float = field(repr=False)
    _order: FloatArray | None = field(repr=False)
    _columns: IntArray | None = field(repr=False)  # column of each rank; None: rank i is column i
    _binarized: dict[float, UserBlock] = field(repr=False, default_factory=dict)
    # Cache of `RankedLists.sum`:
    _sums: dict[tuple[int, ...], tuple[Terms, AnyArray]] = field(repr=False, default_factory=dict)

    def binarized(self, grade: float) -> UserBlock:
        """Return the block with grade 1 for all grades of at least ``grade``, and 0 for the others.

        Several measures ask for the same block, so the block is cached.
        """
        if grade not in self._binarized:
            # `_lines` has all relevance rows of the users, including items that are in no list.
            is_relevant = self._lines.grades >= grade
            self._binarized[grade] = replace(
                self,
                grades=np.where(np.isnan(self.grades), np.nan, self.grades >= grade),
                n_relevant=np.count_nonzero(is_relevant, axis=1),
                _lines=self._lines._replace(grades=is_relevant.astype(np.float64)),
                # The new block needs caches of its own.
                _binarized={},
                _sums={},
            )
        return self._binarized[grade]

    @cached_property
    def items(self) -> IntArray:
        """Return the item codes by rank, -1 after the end of a list."""
        return np.where(np.isnan(self.grades), -1, self._by_rank(self._lines.recommended.codes))

    @cached_property
    def scores(self) -> FloatArray | None:
        """Return the scores by rank, NaN after the end; None if the tables have ranks.

        If the rules compare scores as 32-bit floats, these are the rounded scores.
        """
        if self._order is None:
            return None
        return np.where(np.isnan(self.grades), np.nan, -self._by_rank(self._order))

    @property
    def predicted(self) -> FloatArray:
        """Return the scores by rank as the user passed them, before a tie rule rounds them."""
        return -self._by_rank(self._lines.order)

    @property
    def scores_in_table_order(self) -> FloatArray:
        """Return the scores in the order of the table, NaN in the padding."""
        return -self._lines.order

    @property
    def n_seen(self) -> int:
        """Return the number of recommendations that their users have seen before."""
        assert self._lines.seen is not None
        return int(np.count_nonzero(self._lines.seen))

    @property
    def is_seen(self) -> BoolArray | None:
        """Return whether the user has seen the item at each rank before; None without a history.

        Values at ranks after the end of a list are meaningless.
        """
        if self._lines.seen is None:
            return None
        return np.asarray(self._by_rank(self._lines.seen))

    @property
    def unlisted(self) -> IntArray:
        """Return the number of relevant items outside each list; 0 if there is no list.

        The list is cut at the depth that the measures look at.
        """
        n_missed = self.n_relevant - np.count_nonzero(self.grades > 0, axis=1)
        return np.where(self.length > 0, n_missed, 0)

    @cached_property
    def n_irrelevant(self) -> IntArray:
        """Return the number of items that each user has judged irrelevant."""
        # `_lines` has a line of relevance rows for each user. `grades` are 0 where the convention
        # counts a rating as irrelevant. An item with a negative rating counts as not judged.
        is_irrelevant = (self._lines.ratings >= 0) & (self._lines.grades == 0)
        if self._lines.judged.padding is not None:  # cells after the last row of a line
            is_irrelevant &= ~self._lines.judged.padding
        if not is_irrelevant.any():
            return np.zeros_like(self.n_relevant)
        return np.asarray(np.count_nonzero(is_irrelevant, axis=1))

    @cached_property
    def ratings(self) -> FloatArray:
        """Return the grades by rank as the user passed them, NaN if an item has none."""
        ratings = self._lines.ratings  # of each relevance row
        shape = self._lines.order.shape  # that of the matrix of recommendations
        # `_carry` copies a value of each relevance row to the recommendation of the same item. It
        # gives 0 to items without a grade, but 0 could be a grade too. So the first call copies
        # ones, which mark the items with a grade.
        is_rated = self._by_rank(self._carry(np.broadcast_to(1.0, ratings.shape), shape)) > 0
        is_rated &= ~np.isnan(self.grades)  # NaN is after the end of a list
        return np.where(is_rated, self._by_rank(self._carry(ratings, shape)), np.nan)

    @cached_property
    def relevance(self) -> FloatArray:
        """Return the grades of the relevant items, best first, shape (n, width).

        The width is the largest number of relevant items of a user, but at most the number of ranks
        that the measures look at. Shorter lines end in 0.
        """
        width = int(min(self.n_relevant.max(initial=0), self._depth))
        ascending = np.sort(self._lines.grades, axis=1)
        # The last `width` columns, in reverse order.
        return ascending[:, : -width - 1 : -1].astype(np.float64, order="F")

    @cached_property
    def best(self) -> ArrayLists:
        """Return the best possible lists: the relevant items alone, best first."""
        return ArrayLists(self.relevance, self.n_relevant, grades_name=self.grades_name)

    def _by_rank(self, values: AnyArray) -> AnyArray:
        """Bring values from the order of the table into the order of the ranks, and cut them."""
        return take_columns(values, self._columns)[:, : self.grades.shape[1]]


def take_columns(values: AnyArray, columns: IntArray | None) -> AnyArray:
    """Return the values of each line in the order of ``columns``, or unchanged if it is None.

    ``columns`` is a matrix that holds, for each rank of a line, the column of the value.
    """
    if columns is None:
        return values
    return np.take_along_axis(values, columns, axis=1)
