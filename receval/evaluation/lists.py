"""The one join: recommendations and relevance become ranked lists, block by block.

A block holds some users with all their rows. Every measure is computed from the block's
matrices (`Block`), so that rows are sorted and matched to relevance once, whatever is measured,
and the memory in use is a block and not a copy of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray
from receval.evaluation.columns import Ids

__all__ = ["Block", "Lists", "Truth"]

BLOCK_ROWS = 1 << 16  # rows that stay in the processor's cache
BLOCK_CELLS = 1 << 22  # cells of a block's widest matrix


@dataclass(frozen=True)
class Truth:
    """Relevance rows sorted by user; the judged users are those that have a row."""

    user: IntArray
    item: IntArray
    grade: FloatArray
    users: Ids
    items: Ids

    @classmethod
    def of(cls, user: IntArray, item: IntArray, grade: FloatArray, users: Ids, items: Ids) -> Truth:
        """Sort the rows by user, unless they are."""
        if (user[1:] < user[:-1]).any():
            order = np.argsort(user, kind="stable")
            user, item, grade = user[order], item[order], grade[order]
        return cls(user, item, grade, users, items)

    @cached_property
    def starts(self) -> IntArray:
        """Where each judged user's rows start."""
        return np.flatnonzero(np.diff(self.user, prepend=-1))

    @cached_property
    def judged(self) -> IntArray:
        """Codes of the judged users, ascending."""
        return self.user[self.starts]


@dataclass(frozen=True)
class Block:
    """Some judged users with their lists and their relevant items.

    Attributes
    ----------
    users : codes of the judged users, shape (n,).
    gains : grade by rank, NaN behind the end of a list, shape (n, width).
    items : item code by rank, -1 behind the end.
    scores : score by rank, NaN behind the end; None where ranks were given.
    relevance : grades of the relevant items, best first, NaN padded.
    n_relevant, length : number of relevant items, and of recommended ones.
    repeated : rows left out because their item stands earlier in the list.
    tied : whether equal scores leave open which grade stands where, among the ranks looked at.
    """

    users: IntArray
    gains: FloatArray
    items: IntArray
    scores: FloatArray | None
    relevance: FloatArray
    n_relevant: IntArray
    length: IntArray
    repeated: int
    tied: BoolArray


@dataclass(frozen=True)
class Lists:
    """Recommendations of one system, to be read in blocks beside the truth.

    ``order`` ranks a user's rows: the negated score, or the rank. ``tie`` decides between equal
    scores, as `receval.evaluation.convention.TIES` says.
    """

    truth: Truth
    user: IntArray
    item: IntArray
    order: FloatArray
    tie: str
    by_rank: bool = False
    depth: int | None = None  # ranks that the measures look at; None: all
    keep_first: bool = False  # of an item twice in a list, instead of refusing it
    system: str = ""

    @classmethod
    def of(
        cls, truth: Truth, user: IntArray, item: IntArray, order: FloatArray, **how: Any
    ) -> Lists:
        """Sort the rows by user, unless they are."""
        if (user[1:] < user[:-1]).any():
            rows = np.argsort(user, kind="stable")
            user, item, order = user[rows], item[rows], order[rows]
        return cls(truth, user, item, order, **how)

    @cached_property
    def ignored(self) -> int:
        """Number of users with recommendations but without any relevance row."""
        own = self.user[np.diff(self.user, prepend=-1) != 0]
        return int(np.count_nonzero(~np.isin(own, self.truth.judged)))

    def only(self, users: IntArray) -> Lists:
        """The lists and the relevance of some judged users, whole lists and not their top."""
        truth = self.truth
        own, mine = np.isin(truth.user, users), np.isin(self.user, users)
        return replace(
            self,
            truth=Truth(
                truth.user[own], truth.item[own], truth.grade[own], truth.users, truth.items
            ),
            user=self.user[mine],
            item=self.item[mine],
            order=self.order[mine],
            depth=None,
        )

    def blocks(self) -> Iterator[Block]:
        """The judged users in ascending order, block by block."""
        truth = self.truth
        ends = np.append(truth.starts[1:], truth.user.size)
        first = np.searchsorted(self.user, truth.judged, side="left")
        last = np.searchsorted(self.user, truth.judged, side="right")
        for low, high in _cuts(ends - truth.starts, last - first, self.depth):
            yield self._block(low, high, slice(truth.starts[low], ends[high - 1]), first, last)

    def _block(
        self, low: int, high: int, truth_rows: slice, first: IntArray, last: IntArray
    ) -> Block:
        truth = self.truth
        users = truth.judged[low:high]
        n, n_items = users.size, truth.items.size
        # Rows of this block's users; recommendations of ignored users may lie between them.
        rows = slice(first[low], last[high - 1])
        length = last[low:high] - first[low:high]
        judged = np.repeat(np.arange(n), length)
        if judged.size == rows.stop - rows.start:
            item, order = self.item[rows], self.order[rows]
        else:
            kept = np.isin(self.user[rows], users)
            item, order = self.item[rows][kept], self.order[rows][kept]
        if self.tie == "trec_eval" and not self.by_rank:
            with np.errstate(over="ignore"):
                order = order.astype(np.float32).astype(np.float64)
        owner = np.searchsorted(users, truth.user[truth_rows])
        owned, grade = truth.item[truth_rows], truth.grade[truth_rows]

        # Match (user, item) pairs: one sorted key each.
        known = owner * n_items + owned
        by_key = np.argsort(known, kind="stable")
        known = known[by_key]
        self._refuse_duplicates(known, users, "relevance", grade[by_key])
        wanted = judged * n_items + item
        if not self.keep_first:
            self._refuse_duplicates(np.sort(wanted), users, f"recommendations{self._of_system}")
        place = np.searchsorted(known, wanted)
        found = known[np.minimum(place, known.size - 1)] == wanted
        gain = np.where(found, grade[by_key[np.minimum(place, known.size - 1)]], 0.0)

        item, order, gain = self._sorted(judged, item, order, gain)
        if self.keep_first:
            _, once = np.unique(judged * n_items + item, return_index=True)
            once.sort()
            judged, item, order, gain = judged[once], item[once], order[once], gain[once]
            length = np.bincount(judged, minlength=n)
        rank = np.arange(judged.size) - np.repeat(np.cumsum(length) - length, length)
        if self.by_rank:
            self._check_ranks(order, rank, judged, users)
        width = int(length.max(initial=0)) if self.depth is None else self.depth
        width = min(width, int(length.max(initial=0)))
        inside = rank < width
        place_in = judged[inside], rank[inside]

        def spread(values: npt.NDArray[Any], empty: float, dtype: Any) -> npt.NDArray[Any]:
            matrix = np.full((n, width), empty, dtype)
            matrix[place_in] = values[inside]
            return matrix

        relevant = grade > 0
        owner, grade = owner[relevant], grade[relevant]
        return Block(
            users=users,
            gains=spread(gain, np.nan, np.float64),
            items=spread(item, -1, np.int64),
            scores=None if self.by_rank else spread(-order, np.nan, np.float64),
            relevance=_best_first(owner, grade, n, self.depth),
            n_relevant=np.bincount(owner, minlength=n),
            length=length,
            repeated=wanted.size - judged.size,
            tied=self._tied(judged, order, gain, rank, n),
        )

    def _sorted(
        self, judged: IntArray, item: IntArray, order: FloatArray, gain: FloatArray
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Each user's rows in the order of their list; the users' order stays."""
        tie = self._tie_keys(item, gain)
        same_user = judged[1:] == judged[:-1]
        later = order[1:] > order[:-1]
        level = order[1:] == order[:-1]
        if (~same_user | later | (level & (tie[1:] >= tie[:-1]))).all():
            return item, order, gain
        rows = np.lexsort((tie, order, judged))
        return item[rows], order[rows], gain[rows]

    def _tie_keys(self, item: IntArray, gain: FloatArray) -> IntArray | FloatArray:
        """What equal scores are ordered by, ascending."""
        match self.tie:
            case "input":
                return np.arange(item.size)
            case "item_descending":
                return -item
            case "text":
                return self.truth.items.byte_places[item]
            case "trec_eval":
                return -self.truth.items.byte_places[item]
            case "optimistic":
                return -gain
            case "pessimistic":
                return gain
        return item

    def _tied(
        self, judged: IntArray, order: FloatArray, gain: FloatArray, rank: IntArray, n: int
    ) -> BoolArray:
        """Users with a run of equal scores of unequal grades that starts above the depth."""
        tied = np.zeros(n, bool)
        level = (order[1:] == order[:-1]) & (judged[1:] == judged[:-1])
        open_rows = np.flatnonzero(level & (gain[1:] != gain[:-1])) + 1
        if open_rows.size and not self.by_rank:
            run_starts = np.flatnonzero(np.append(True, ~level))
            start = run_starts[np.searchsorted(run_starts, open_rows, side="right") - 1]
            above = rank[start] < (rank.size if self.depth is None else self.depth)
            tied[judged[open_rows[above]]] = True
        return tied

    @property
    def _of_system(self) -> str:
        return f" of system {self.system!r}" if self.system else ""

    def _refuse_duplicates(
        self, keys: IntArray, users: IntArray, table: str, grade: FloatArray | None = None
    ) -> None:
        """Raise if two of the sorted keys are the same pair of user and item."""
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if again.size:
            n_items = self.truth.items.size
            pairs = [
                f"user {self.truth.users.one(users[keys[row] // n_items])!r} with item "
                f"{self.truth.items.one(keys[row] % n_items)!r}"
                + ("" if grade is None else f" (graded {grade[row]:g} and {grade[row + 1]:g})")
                for row in again[:SHOWN]
            ]
            more = f" and {again.size - SHOWN} more" if again.size > SHOWN else ""
            raise InputError(
                f"{table} must hold each item of a user at most once; got twice "
                f"{', '.join(pairs)}{more}. Remove the duplicates, e.g. with drop_duplicates"
            )

    def _check_ranks(
        self, given: FloatArray, rank: IntArray, judged: IntArray, users: IntArray
    ) -> None:
        wrong: BoolArray = given != rank + 1
        if wrong.any():
            rows = np.flatnonzero(wrong)[:SHOWN]
            shown = ", ".join(
                f"{given[row]:g} for user {self.truth.users.one(users[judged[row]])!r} "
                f"where {rank[row] + 1} belongs"
                for row in rows
            )
            raise InputError(
                f"the ranks of recommendations{self._of_system} must be 1, 2, 3, … in every list, "
                f"each once; got {shown}. To order by a number with ties or gaps, pass it as score"
            )


def _cuts(owned: IntArray, listed: IntArray, depth: int | None) -> Iterator[tuple[int, int]]:
    """Ranges of judged users whose rows fit a block, and whose matrices do too."""
    if owned.size == 0:
        return
    total = np.cumsum(owned + listed)
    edges = np.searchsorted(total, np.arange(BLOCK_ROWS, total[-1], BLOCK_ROWS), side="left") + 1
    bounds = np.unique(np.concatenate([[0], edges, [owned.size]]))
    waiting = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))[::-1]
    while waiting:
        low, high = waiting.pop()
        widest = max(int(owned[low:high].max()), int(listed[low:high].max()))
        if depth is not None:
            widest = min(widest, depth)
        if high - low > 1 and (high - low) * widest > BLOCK_CELLS:
            middle = (low + high) // 2
            waiting += [(middle, high), (low, middle)]
        else:
            yield low, high


def _best_first(owner: IntArray, grade: FloatArray, n: int, depth: int | None) -> FloatArray:
    """Grades of each user's relevant items in descending order, NaN padded."""
    rows = np.lexsort((-grade, owner))
    owner, grade = owner[rows], grade[rows]
    count = np.bincount(owner, minlength=n)
    rank = np.arange(owner.size) - np.repeat(np.cumsum(count) - count, count)
    width = int(count.max(initial=0)) if depth is None else min(depth, int(count.max(initial=0)))
    matrix = np.full((n, width), np.nan)
    inside = rank < width
    matrix[owner[inside], rank[inside]] = grade[inside]
    return matrix
