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

from receval._arrays import tie_runs
from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray, refusal
from receval.measure.block import Block, in_columns
from receval.measure.matching import Lines, ListRules, matched
from receval.tables.codes import AnyCodes, UserRows
from receval.tables.ids import Ids

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
        how = self.how._replace(depth=None, tie=tie or self.how.tie)
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
    gain, repeats = matches.carried(lines.grades, lines.order.shape), matches.repeats[0].size > 0
    order, columns = lines.order, None
    if how.tie == "trec_eval" and not how.by_rank:
        with np.errstate(over="ignore"):
            order = order.astype(np.float32).astype(np.float64)
    odd = (order[:, 1:] <= order[:, :-1]).any()  # out of order or tied: not in most tables
    if odd and (order[:, 1:] < order[:, :-1]).any():
        columns = np.argsort(order, axis=1)
    tied = np.zeros(lines.users.size, bool)
    if how.by_rank:
        _check_ranks(lines, in_columns(order, columns), how)
    elif odd:
        in_order = in_columns(order, columns)
        among = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
        if among.size:
            columns = _whole(columns, order.shape)
            tie = _tie_keys(lines, gain, how.tie, among)
            columns[among] = np.lexsort((tie, order[among]), axis=-1)
            tied[among] = _open(in_order[among], in_columns(gain, columns)[among], how.depth)
    length = lines.length
    if repeats or how.seen != "note":
        columns, length = _kept(lines, columns, repeats, how)
    width = int(length.max(initial=0))
    width = width if how.depth is None else min(how.depth, width)
    gain = gain if columns is None else in_columns(gain, columns)
    gains = np.asfortranarray(gain[:, :width])
    if (length < width).any():
        gains = np.where(np.arange(width)[:, np.newaxis] < length, gains.T, np.nan).T
    n_relevant = np.count_nonzero(lines.grades > 0, axis=1)
    scores = None if how.by_rank else order
    return Block(
        lines.users, gains, n_relevant, length, tied, lines, matches, how.depth, scores, columns
    )


def _whole(columns: IntArray | None, shape: tuple[int, ...]) -> IntArray:
    return np.tile(np.arange(shape[1]), (shape[0], 1)) if columns is None else columns


def _tie_keys(lines: Lines, gain: FloatArray, tie: str, among: IntArray) -> IntArray | FloatArray:
    """What equal scores of some lines are ordered by, ascending."""
    if tie == "input":
        return np.broadcast_to(np.arange(gain.shape[1]), (among.size, gain.shape[1]))
    if tie in ("optimistic", "pessimistic"):
        keys: IntArray | FloatArray = gain[among]
    else:
        keys = lines.recommended.codes[among]
        keys = lines.item_ids.byte_order[keys] if tie in ("text", "trec_eval") else keys
    return -keys if tie in ("item_descending", "trec_eval", "optimistic") else keys


def _open(order: FloatArray, gain: FloatArray, depth: int | None) -> BoolArray:
    """Lines with a run of equal scores of unequal grades that starts above the depth."""
    mixed = (order[:, 1:] == order[:, :-1]) & (gain[:, 1:] != gain[:, :-1])
    start, _ = tie_runs(order)
    above = start[:, 1:] < (order.shape[1] if depth is None else depth)
    return np.asarray((mixed & above).any(axis=1))


def _kept(
    lines: Lines, columns: IntArray | None, repeats: bool, how: ListRules
) -> tuple[IntArray, IntArray]:
    """The lists without items that stand in them before or were seen before, and their lengths."""
    columns = _whole(columns, lines.order.shape)
    left_out = np.arange(columns.shape[1]) >= lines.length[:, np.newaxis]
    if lines.seen is not None and how.seen != "note":
        if how.seen == "error" and lines.seen.any():
            raise _known(lines, lines.seen, how)
        left_out |= in_columns(lines.seen, columns)
    if repeats:
        items = np.where(left_out, -1, in_columns(lines.recommended.codes, columns))
        by_item = np.argsort(items, axis=1, kind="stable")  # an item's first rank comes first
        again = np.diff(in_columns(items, by_item), axis=1) == 0
        np.put_along_axis(left_out, by_item[:, 1:], again, axis=1)
        left_out |= items < 0
    kept = np.argsort(left_out, axis=1, kind="stable")
    return in_columns(columns, kept), np.asarray(np.count_nonzero(~left_out, axis=1))


def _known(lines: Lines, seen: BoolArray, how: ListRules) -> InputError:
    """What to raise for recommended items of the history."""
    places = np.argwhere(seen)
    items = lines.recommended.codes
    shown = ", ".join(lines.told(line, items[line, column]) for line, column in places[:SHOWN])
    rule = "hold no item of the history of its user (seen='error')"
    advice = f"{len(places)} such rows; seen='drop' leaves them out"
    return refusal(f"recommendations{how.of_system}", rule, shown, advice)


def _check_ranks(lines: Lines, given: FloatArray, how: ListRules) -> None:
    rank = np.arange(1, given.shape[1] + 1)
    wrong = (given != rank) & ~np.isnan(given)
    if wrong.any():
        shown = ", ".join(
            f"{given[line, column]:g} for user {lines.user_ids.one(lines.users[line])!r} "
            f"where {rank[column]} belongs"
            for line, column in np.argwhere(wrong)[:SHOWN]
        )
        name, rule = f"the ranks of recommendations{how.of_system}", "be 1, 2, 3, … in every list"
        advice = "To order by a number with ties or gaps, pass it as score"
        raise refusal(name, f"{rule}, each once", shown, advice)
