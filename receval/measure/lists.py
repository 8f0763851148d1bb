"""Lists: recommendations matched to relevance and put in order, block by block.

A block holds some users with all their rows, laid side by side: a line for each user. Every
measure is computed from the block's matrices, so that rows are sorted and matched to relevance
once, whatever is measured, and the memory in use is a block and not a copy of the tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, IntArray
from receval.measure.block import Block, Lines, ListRules, in_columns
from receval.measure.order import kept, sorted_by, twice
from receval.tables.codes import AnyCodes, UserRows
from receval.tables.ids import Ids
from receval.tables.keys import ODD

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
    past : function of user codes and a matrix of item codes, whether seen before; None: unknown.
    """

    truth: Truth
    rows: UserRows
    answers: UserRows
    item: AnyCodes
    value: npt.NDArray[Any]
    how: ListRules
    past: Any = None

    def only(self, positions: IntArray, tie: str | None = None) -> Lists:
        """The lists of some judged users, whole lists and not their top; ties in another order."""
        how = self.how._replace(depth=math.inf, tie=tie or self.how.tie)
        return self.of_users(self.truth.judged[positions])._replace(how=how)

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
        judged = truth.rows.padded(positions, truth.item)
        recommended = self.answers.padded(positions, self.item)
        grades = ratings = judged.read(truth.grade)
        if truth.floor is not None:
            grades = np.where(grades >= truth.floor, grades, 0)
        if judged.padding is not None:
            np.copyto(grades, 0, where=judged.padding)
        order = recommended.read(self.value).astype(np.float64, copy=False)
        if not self.how.by_rank:
            order = -order
        if recommended.padding is not None:
            np.copyto(order, np.nan, where=recommended.padding)
        users = truth.rows.users[positions]
        seen = None if self.past is None else self.past(users, recommended.codes)
        if seen is not None and recommended.padding is not None:
            seen[recommended.padding] = False
        ids, length = (truth.users, truth.items), self.answers.size[positions]
        lines = Lines(users, judged, grades, ratings, recommended, order, length, *ids, seen)
        return _ranked(lines, self.how)


def _ranked(lines: Lines, how: ListRules) -> Block:
    """Match, sort and cut the lines."""
    matches = matched(lines, how)
    carried, repeats = matches.carried, matches.repeats[0].size > 0
    gain = carried(lines.grades, lines.order.shape)
    order, columns, tied = lines.order, None, np.zeros(lines.users.size, bool)
    if how.tie == "trec_eval" and not how.by_rank:
        with np.errstate(over="ignore"):
            order = order.astype(np.float32).astype(np.float64)
    if how.by_rank or (order[:, 1:] <= order[:, :-1]).any():  # or out of order, or tied
        columns, tied = sorted_by(lines, order, gain, how)
    length = lines.length
    if repeats or how.seen != "note":
        columns, length = kept(lines, columns, repeats, how)
    width = int(min(length.max(initial=0), how.depth))
    gain = gain if columns is None else in_columns(gain, columns)
    gains = np.asfortranarray(gain[:, :width])
    if (length < width).any():
        gains = np.where(np.arange(width)[:, np.newaxis] < length, gains.T, np.nan).T
    n_relevant = np.count_nonzero(lines.grades > 0, axis=1)
    scores = None if how.by_rank else order
    return Block(
        lines.users, gains, n_relevant, length, tied, lines, carried, how.depth, scores, columns
    )


Pairs = tuple[IntArray, IntArray, IntArray]  # lines, and two columns of each


class Matches(NamedTuple):
    """Where relevance rows are recommended, and which recommendations repeat others."""

    found: Pairs  # columns of relevance and of recommendations
    repeats: Pairs  # columns of recommendations, the later one second

    def carried(self, values: npt.NDArray[Any], shape: tuple[int, ...]) -> FloatArray:
        """The value of each recommended item's relevance row, 0 where it has none."""
        flat = np.zeros(shape[0] * shape[1])  # one index is found twice as fast as two
        line, before, after = self.found
        flat[after * shape[0] + line] = values.ravel()[line * values.shape[1] + before]
        result = flat.reshape(shape[::-1]).T  # rank by rank in memory: metrics go along it
        line, before, after = self.repeats
        while (result[line, after] != result[line, before]).any():  # it goes on to all repeats
            result[line, after] = result[line, before]
        return result


def matched(lines: Lines, how: ListRules) -> Matches:
    """Which relevance row each recommended item has.

    Items that stand twice are sought, where the columns go on from relevance rows to
    recommendations.
    """
    split = lines.judged.width
    bits = max(split + lines.recommended.width - 1, 1).bit_length()
    found = _equal_texts(lines, bits) if lines.item_ids.kind == "text" else None
    if found is None:
        # Codes are at most four times as many as rows, which leaves a column its bits.
        codes = lines.judged.codes, lines.recommended.codes
        found = _neighbours(lines, *codes, lines.item_ids.size, bits)
    line, before, after = found
    inside, again = after < split, before >= split
    if inside.any():
        raise twice(lines, how, "relevance", line[inside], before[inside], after[inside])
    match = ~again
    repeats = line[again], before[again] - split, after[again] - split
    if again.any() and not how.keep_first:
        raise twice(lines, how, f"recommendations{how.of_system}", *repeats)
    return Matches((line[match], before[match], after[match] - split), repeats)


def _equal_texts(lines: Lines, bits: int) -> Pairs | None:
    """Where a text stands twice, told by keys; None unless each is a match.

    They are compared by the upper bits of a product that every bit of a key changes, as many as
    there is room for. Unlike texts may be equal then, so that all pairs are looked at.
    """
    cut = np.uint64(bits + 2)
    keys = lines.judged.keys * ODD >> cut, lines.recommended.keys * ODD >> cut
    found = _neighbours(lines, *keys, 1 << 62 - bits, bits)
    return found if _all_match(lines, *found) else None


def _neighbours(
    lines: Lines, judged: npt.NDArray[Any], recommended: npt.NDArray[Any], end: int, bits: int
) -> Pairs:
    """Where a number stands twice; all are below ``end``, and a column takes so many ``bits``.

    Each line is sorted as a whole, a number above its column, so that equal ones come together.
    """
    n, split = judged.shape
    width = split + recommended.shape[1]
    keys = np.empty((n, width), np.int32 if (end + 1) << bits < 1 << 31 else np.int64)
    keys[:, :split], keys[:, split:] = judged, recommended
    if lines.judged.padding is not None:
        keys[:, :split][lines.judged.padding] = end
    if lines.recommended.padding is not None:
        keys[:, split:][lines.recommended.padding] = end
    keys <<= bits
    keys |= np.arange(width, dtype=keys.dtype)
    keys.sort(axis=1)
    in_a_row = keys.ravel()  # all lines one after the other: much faster to compare
    same = np.zeros(keys.size, bool)
    np.less(in_a_row[1:] ^ in_a_row[:-1], 1 << bits, out=same[:-1])
    same[width - 1 :: width] = False  # the last of a line and the first of the next
    same &= in_a_row < end << bits
    at, column = np.flatnonzero(same), (1 << bits) - 1
    return at // width, in_a_row[at] & column, in_a_row[at + 1] & column


def _all_match(lines: Lines, line: IntArray, before: IntArray, after: IntArray) -> bool:
    """Whether each pair is a relevance row and a recommendation of one and the same text."""
    import pyarrow.compute as pc

    split = lines.judged.width
    if ((before >= split) | (after < split)).any():
        return False
    if lines.item_ids.keys_suffice:
        keys = lines.judged.keys[line, before], lines.recommended.keys[line, after - split]
        return bool((keys[0] == keys[1]).all())
    texts = lines.judged.texts(line, before), lines.recommended.texts(line, after - split)
    return bool(pc.all(pc.equal(*texts), min_count=0).as_py())
