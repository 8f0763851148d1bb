"""The one join: recommendations and relevance become ranked lists, block by block.

A block holds some users with all their rows, laid side by side: a line for each user. Every
measure is computed from the block's matrices, so that rows are sorted and matched to relevance
once, whatever is measured, and the memory in use is a block and not a copy of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import IntArray
from receval.measure.block import Block, ListRules
from receval.measure.matching import Lines, PaddedItems
from receval.tables.codes import Codes, Ids
from receval.tables.rows import UserRows

__all__ = ["Lists", "Truth"]

BLOCK_ROWS = 1 << 17  # of both tables: what is computed from them stays in the cache
RAGGED = 4  # as many cells as rows: then users of like size are laid together


@dataclass(frozen=True)
class Truth:
    """Relevance rows by user; the judged users are those that have a row.

    Grades below ``floor`` count 0.
    """

    rows: UserRows
    item: Codes
    grade: npt.NDArray[Any]
    users: Ids
    items: Ids
    floor: float | None = None

    @property
    def judged(self) -> IntArray:
        """Codes of the judged users, ascending."""
        return self.rows.users


@dataclass(frozen=True)
class Lists:
    """Recommendations of one system, to be read in blocks beside the truth.

    ``value`` is the score of each row, or its rank.
    """

    truth: Truth
    rows: UserRows
    item: Codes
    value: npt.NDArray[Any]
    how: ListRules
    chosen: IntArray | None = None  # positions among the judged users, ascending; None: all

    @cached_property
    def answers(self) -> UserRows:
        """The rows of each judged user."""
        return self.rows.for_users(self.truth.judged)

    @property
    def size(self) -> int:
        """How many users the blocks have together."""
        return self.truth.judged.size if self.chosen is None else self.chosen.size

    @property
    def ignored(self) -> int:
        """Number of users with recommendations but without any relevance row."""
        return self.rows.users.size - int(np.count_nonzero(self.answers.size))

    def only(self, positions: IntArray) -> Lists:
        """The lists of some judged users, whole lists and not their top."""
        return replace(self, chosen=positions, how=replace(self.how, depth=None))

    def with_ties(self, tie: str) -> Lists:
        """The same lists with equal scores in another order."""
        return replace(self, how=replace(self.how, tie=tie))

    def blocks(self) -> Iterator[tuple[slice | IntArray, Block]]:
        """All users, block by block, with their positions among all of them."""
        for positions in self.cuts():
            yield positions, self.block(positions)

    def cuts(self) -> Iterator[slice | IntArray]:
        """The positions of each block's users."""
        judged, recommended = self.truth.rows.size, self.answers.size
        if self.chosen is not None:
            judged, recommended = judged[self.chosen], recommended[self.chosen]
        return _cuts(judged, recommended)

    def block(self, positions: slice | IntArray) -> Block:
        """The users at some positions."""
        truth = self.truth
        which = positions if self.chosen is None else self.chosen[positions]
        own, mine = truth.rows.padded(which), self.answers.padded(which)
        grades = own.read(truth.grade)
        if truth.floor is not None:
            grades = np.where(grades >= truth.floor, grades, 0)
        if own.padding is not None:
            np.copyto(grades, 0, where=own.padding)
        order = mine.read(self.value).astype(np.float64, copy=False)
        if not self.how.by_rank:
            order = -order
        if mine.padding is not None:
            np.copyto(order, np.nan, where=mine.padding)
        lines = Lines(
            users=truth.judged[which],
            judged=PaddedItems(truth.item, own),
            grades=grades,
            recommended=PaddedItems(self.item, mine),
            order=order,
            length=self.answers.size[which],
            user_ids=truth.users,
            item_ids=truth.items,
        )
        return Block.of(lines, self.how)


def _cuts(judged: IntArray, recommended: IntArray) -> Iterator[slice | IntArray]:
    """Positions of users whose rows fit a block; those of very unlike size are kept apart."""
    if judged.size == 0:
        return
    total = np.cumsum(judged + recommended)
    edges = np.searchsorted(total, np.arange(BLOCK_ROWS, total[-1], BLOCK_ROWS), side="left") + 1
    bounds = np.unique(np.concatenate([[0], edges, [judged.size]])).tolist()
    for low, high in pairwise(bounds):
        rows = judged[low:high] + recommended[low:high]
        widest = int(judged[low:high].max()) + int(recommended[low:high].max())
        if (high - low) * widest <= RAGGED * int(rows.sum()):
            yield slice(low, high)
            continue
        size = np.frexp(np.maximum(judged[low:high], recommended[low:high]))[1]
        for one in np.unique(size):
            yield low + np.flatnonzero(size == one)
