"""A block: some users with their lists and relevant items as matrices, one line a user."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import tie_runs
from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray, refusal
from receval.measure.matching import Lines, ListRules, matched
from receval.metrics import form as ranked

__all__ = ["Block", "ListRules"]


@dataclass(frozen=True)
class Block(ranked.Ranked):
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
    _lines: Lines = field(repr=False)
    _depth: int | None = field(repr=False)
    _order: FloatArray | None = field(repr=False)
    _columns: IntArray | None = field(repr=False)  # rank to column of the lines; None: the same
    _sums: dict[Any, Any] = field(repr=False, default_factory=dict)

    def at_least(self, grade: float) -> Block:
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
        found: Block = self._sums[grade]
        return found

    @cached_property
    def items(self) -> IntArray:
        items = _ranked(self._lines.recommended.codes, self._columns)[:, : self.grades.shape[1]]
        return np.where(np.isnan(self.grades), -1, items)

    @cached_property
    def scores(self) -> FloatArray | None:
        if self._order is None:
            return None
        scores = -_ranked(self._order, self._columns)[:, : self.grades.shape[1]]
        return np.where(np.isnan(self.grades), np.nan, scores)

    @property
    def predicted(self) -> FloatArray:
        """Scores by rank as they were given, whatever a rule for equal ones makes of them."""
        return -_ranked(self._lines.order, self._columns)[:, : self.grades.shape[1]]

    @property
    def given(self) -> FloatArray:
        """Scores in the order of the table, NaN behind the end of a list."""
        return -self._lines.order

    @property
    def n_seen(self) -> IntArray:
        """How many of the recommended items each user has seen, 0 where that is not known."""
        seen = self._lines.seen
        return np.zeros_like(self.length) if seen is None else np.count_nonzero(seen, axis=1)

    @property
    def unlisted(self) -> IntArray:
        """How many relevant items are not in the list, as far as it is looked at; 0 without one."""
        missed = self.n_relevant - np.count_nonzero(self.grades > 0, axis=1)
        return np.where(self.length > 0, missed, 0)

    @cached_property
    def n_irrelevant(self) -> IntArray:
        judged = (self._lines.ratings >= 0) & (self._lines.grades == 0)
        if self._lines.judged.rows.padding is not None:
            judged &= ~self._lines.judged.rows.padding
        return np.asarray(np.count_nonzero(judged, axis=1))

    @cached_property
    def ratings(self) -> FloatArray:
        given = self._lines.ratings
        places = np.broadcast_to(np.arange(1.0, given.shape[1] + 1), given.shape)
        found, _ = matched(self._lines._replace(grades=places), ListRules("", keep_first=True))
        place = _ranked(found, self._columns)[:, : self.grades.shape[1]].astype(np.int64)
        there = (place > 0) & ~np.isnan(self.grades)
        return np.where(there, np.take_along_axis(given, np.maximum(place - 1, 0), axis=1), np.nan)

    @cached_property
    def relevance(self) -> FloatArray:
        width = int(self.n_relevant.max(initial=0))
        width = width if self._depth is None else min(width, self._depth)
        ascending = np.sort(self._lines.grades, axis=1)
        return ascending[:, : -width - 1 : -1].astype(np.float64, order="F")

    @cached_property
    def best(self) -> ranked.Lists:
        return ranked.Lists(self.relevance, self.n_relevant, called=self.called)

    @classmethod
    def of(cls, lines: Lines, how: ListRules) -> Block:
        """Match, sort and cut the lines."""
        gain, repeats = matched(lines, how)
        order, columns = lines.order, None
        if how.tie == "trec_eval" and not how.by_rank:
            with np.errstate(over="ignore"):
                order = order.astype(np.float32).astype(np.float64)
        odd = (order[:, 1:] <= order[:, :-1]).any()  # out of order or tied: not in most tables
        if odd and (order[:, 1:] < order[:, :-1]).any():
            columns = np.argsort(order, axis=1)
        tied = np.zeros(lines.users.size, bool)
        if how.by_rank:
            _check_ranks(lines, _ranked(order, columns), how)
        elif odd:
            in_order = _ranked(order, columns)
            among = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
            if among.size:
                columns = _whole(columns, order.shape)
                tie = _tie_keys(lines, gain, how.tie, among)
                columns[among] = np.lexsort((tie, order[among]), axis=-1)
                tied[among] = _open(in_order[among], _ranked(gain, columns)[among], how.depth)
        length = lines.length
        if repeats or how.seen != "note":
            columns, length = _kept(lines, columns, repeats, how)
        width = int(length.max(initial=0))
        width = width if how.depth is None else min(how.depth, width)
        gain = gain if columns is None else _ranked(gain, columns)
        gains = np.asfortranarray(gain[:, :width])
        if (length < width).any():
            gains = np.where(np.arange(width)[:, np.newaxis] < length, gains.T, np.nan).T
        n_relevant = np.count_nonzero(lines.grades > 0, axis=1)
        scores = None if how.by_rank else order
        return cls(lines.users, gains, n_relevant, length, tied, lines, how.depth, scores, columns)


def _ranked(values: npt.NDArray[Any], columns: IntArray | None) -> npt.NDArray[Any]:
    """The values of each line in the order of its list."""
    return values if columns is None else np.take_along_axis(values, columns, axis=1)


def _whole(columns: IntArray | None, shape: tuple[int, ...]) -> IntArray:
    return np.tile(np.arange(shape[1]), (shape[0], 1)) if columns is None else columns


def _tie_keys(lines: Lines, gain: FloatArray, tie: str, among: IntArray) -> IntArray | FloatArray:
    """What equal scores of some lines are ordered by, ascending."""
    items, ids = lines.recommended.codes[among], lines.item_ids
    match tie:
        case "input":
            return np.broadcast_to(np.arange(items.shape[1]), items.shape)
        case "item_descending":
            return -items
        case "text":
            return ids.byte_order[items]
        case "trec_eval":
            return -ids.byte_order[items]
        case "optimistic":
            return -gain[among]
        case "pessimistic":
            return gain[among]
    return items


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
        left_out |= _ranked(lines.seen, columns)
    if repeats:
        items = np.where(left_out, -1, _ranked(lines.recommended.codes, columns))
        by_item = np.argsort(items, axis=1, kind="stable")  # an item's first rank comes first
        again = np.diff(_ranked(items, by_item), axis=1) == 0
        np.put_along_axis(left_out, by_item[:, 1:], again, axis=1)
        left_out |= items < 0
    kept = np.argsort(left_out, axis=1, kind="stable")
    return _ranked(columns, kept), np.asarray(np.count_nonzero(~left_out, axis=1))


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
