"""The one join: recommendations and relevance become ranked lists, block by block.

A block holds some users with all their rows, laid side by side: a line for each user. Every
measure is computed from the block's matrices, so that rows are sorted and matched to relevance
once, whatever is measured, and the memory in use is a block and not a copy of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import IntArray
from receval.measure.block import Block, ListRules
from receval.measure.matching import Lines, PaddedItems
from receval.tables.ids import AnyCodes, Ids
from receval.tables.rows import UserRows

__all__ = ["Lists", "Truth"]

BLOCK_ROWS = 1 << 17  # of both tables: what is computed from them stays in the cache
RAGGED = 4  # as many cells as rows: then users of like size are laid together


class Truth(NamedTuple):
    """Relevance rows by user; the judged users are those that have a row.

    Grades below ``floor`` count 0.
    """

    rows: UserRows
    item: AnyCodes
    grade: npt.NDArray[Any]
    users: Ids
    items: Ids
    floor: float | None = None

    @property
    def judged(self) -> IntArray:
        """Codes of the judged users, ascending."""
        return self.rows.users


class Lists(NamedTuple):
    """Recommendations of one system, to be read in blocks beside the truth.

    Attributes
    ----------
    rows, answers : the rows of every user, and of each judged one.
    item, value : of each row, the item and the score, or the rank.
    chosen : positions among the judged users, ascending; None: all.
    past : function of user codes and a matrix of item codes, whether seen before; None: unknown.
    """

    truth: Truth
    rows: UserRows
    answers: UserRows
    item: AnyCodes
    value: npt.NDArray[Any]
    how: ListRules
    chosen: IntArray | None = None
    past: Any = None

    def only(self, positions: IntArray, tie: str | None = None) -> Lists:
        """The lists of some judged users, whole lists and not their top; ties in another order."""
        how = self.how._replace(depth=None, tie=tie or self.how.tie)
        return self._replace(chosen=positions, how=how)

    def of_users(self, codes: IntArray) -> Lists:
        """The same of some of the judged users."""
        truth = self.truth._replace(rows=self.truth.rows.for_users(codes))
        return self._replace(truth=truth, answers=self.rows.for_users(codes))

    def blocks(self) -> Iterator[tuple[slice | IntArray, Block]]:
        """All users, block by block, with their positions among all of them."""
        for positions in self.cuts():
            yield positions, self.block(positions)

    def cuts(self) -> Iterator[slice | IntArray]:
        """Positions of users whose rows fit a block; those of very unlike size are kept apart."""
        judged, recommended = self.truth.rows.size, self.answers.size
        if self.chosen is not None:
            judged, recommended = judged[self.chosen], recommended[self.chosen]
        if judged.size == 0:
            return
        total = np.cumsum(judged + recommended)
        edges = np.searchsorted(total, np.arange(BLOCK_ROWS, total[-1], BLOCK_ROWS)) + 1
        for low, high in pairwise(np.unique([0, *edges, judged.size]).tolist()):
            own, mine = judged[low:high], recommended[low:high]
            cells = (high - low) * (int(own.max()) + int(mine.max()))
            if cells <= RAGGED * int((own + mine).sum()):
                yield slice(low, high)
                continue
            size = np.frexp(np.maximum(own, mine))[1]
            for one in np.unique(size):
                yield low + np.flatnonzero(size == one)

    def block(self, positions: slice | IntArray) -> Block:
        """The users at some positions."""
        truth = self.truth
        which = positions if self.chosen is None else self.chosen[positions]
        own, mine = truth.rows.padded(which), self.answers.padded(which)
        grades = ratings = own.read(truth.grade)
        if truth.floor is not None:
            grades = np.where(grades >= truth.floor, grades, 0)
        if own.padding is not None:
            np.copyto(grades, 0, where=own.padding)
        order = mine.read(self.value).astype(np.float64, copy=False)
        if not self.how.by_rank:
            order = -order
        if mine.padding is not None:
            np.copyto(order, np.nan, where=mine.padding)
        users, recommended = truth.rows.users[which], PaddedItems(self.item, mine)
        seen = None if self.past is None else self.past(users, recommended.codes)
        if seen is not None and mine.padding is not None:
            seen[mine.padding] = False
        lines = Lines(
            users=users,
            judged=PaddedItems(truth.item, own),
            grades=grades,
            ratings=ratings,
            recommended=recommended,
            order=order,
            length=self.answers.size[which],
            user_ids=truth.users,
            item_ids=truth.items,
            seen=seen,
        )
        return Block.of(lines, self.how)
