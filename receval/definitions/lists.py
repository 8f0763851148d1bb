"""Ranked lists: match the recommendations of a system with relevance, sort them, and cut them.

receval works on blocks of users. A block holds the rows of its users in matrices with one line for
each user. All measures read the same lists, so receval sorts and matches each row only once,
however many measures there are, and it needs memory for a few blocks instead of a copy of the
tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from receval._checks import AnyArray, BoolArray, FloatArray, IntArray
from receval.definitions.order import (
    BlockRows,
    ListRules,
    drop_repeats_and_seen,
    duplicate_error,
    rank_columns,
    take_columns,
)
from receval.metrics.formula import ArrayLists, RankedLists, Terms
from receval.tables.ids import Ids
from receval.tables.rows import Rows

__all__ = ["JudgedRun", "Judgments", "UserLists"]

BLOCK_ROWS = 150_000
"""Rows of both tables in a block, so that the block fits into the processor's cache."""

MANY_MEASURES = 12
"""With this many measures, blocks have twice as many rows.

Each measure takes some time for every block, whatever its size. With many measures, a larger block
saves more of this time than it loses by not fitting into the cache.
"""

MAX_PADDING = 4
"""The most cells per row of a block; larger blocks are split by the length of the lists."""

SeenFunction: TypeAlias = Callable[[IntArray, IntArray], BoolArray]
"""A function of user codes, and of item codes by user, that returns a mask of seen items."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """The relevance table by user.

    Attributes
    ----------
    rows : the rows, with the columns "item" (codes) and "grade".
    users, items : the ids that the codes stand for.
    floor : smallest grade that counts; smaller ones are read as 0. None: all grades count.
    """

    rows: Rows
    users: Ids
    items: Ids
    floor: float | None = None


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """The recommendations of one system, with the judgments they are measured against.

    Attributes
    ----------
    truth : the judgments.
    judged : the codes of the judged users that are measured, ascending.
    rows : the recommendations of every user, with the columns "item" (codes) and "value" (score or
        rank).
    rules : the rules for turning rows into lists.
    past : function that finds the items that users have seen before; None: there is no history.
    """

    truth: Judgments
    judged: IntArray
    rows: Rows
    rules: ListRules
    past: SeenFunction | None = None

    @cached_property
    def n_recommended(self) -> IntArray:
        """Return the number of recommendations of each judged user."""
        return self.rows.size[self.judged]

    def for_users(self, judged: IntArray) -> JudgedRun:
        """Return the run of some of the judged users, given by their codes in ascending order."""
        return replace(self, judged=judged)

    def with_full_lists(self, positions: IntArray, tie: str | None = None) -> JudgedRun:
        """Return the run of some judged users, with lists that are not cut to the measures' depth.

        ``positions`` says where these users are among the judged users. ``tie`` is the rule for
        equal scores; by default it stays the same.
        """
        rules = self.rules._replace(depth=math.inf, tie=tie or self.rules.tie)
        return replace(self, judged=self.judged[positions], rules=rules)

    def blocks(self) -> Iterator[tuple[IntArray, UserLists]]:
        """Yield, for each block, its users' positions among the judged users, and their lists."""
        for positions in block_positions(self):
            yield positions, build_lists(self, positions)


# Blocks -------------------------------------------------------------------------------------------


def block_positions(run: JudgedRun, n_measures: int = 1) -> Iterator[IntArray]:
    """Yield, for each block, the positions of its users among the judged users.

    ``n_measures`` is the number of measures that the caller computes from each block. A block is as
    wide as its longest list. If that leaves most cells empty, the block is split into users with
    lists of similar length. Without judged users there is no block.
    """
    if not run.judged.size:
        return
    n_judged = run.truth.rows.size[run.judged]
    n_recommended = run.n_recommended
    n_rows = n_judged + n_recommended
    rows_per_block = 2 * BLOCK_ROWS if n_measures >= MANY_MEASURES else BLOCK_ROWS
    for start, stop in pairwise(_block_edges(n_rows, rows_per_block)):
        positions = np.arange(start, stop)
        judged, recommended = n_judged[start:stop], n_recommended[start:stop]
        # Both matrices of a block are as wide as the longest list in them.
        n_cells = positions.size * (int(judged.max()) + int(recommended.max()))
        if n_cells <= MAX_PADDING * int(n_rows[start:stop].sum()):
            yield positions
            continue
        # `frexp` returns the exponent to the base 2 of each length. It is the same from one power
        # of two to the next, so lengths with the same exponent are similar.
        _, exponent = np.frexp(np.maximum(judged, recommended))
        for exponent_of_block in np.unique(exponent):
            yield positions[exponent == exponent_of_block]


def _block_edges(n_rows: IntArray, rows_per_block: int) -> list[int]:
    """Return the positions of users at which blocks begin, followed by the number of users.

    ``n_rows`` counts the rows of each user, and each block holds about ``rows_per_block`` of them.
    """
    rows_so_far = np.cumsum(n_rows)
    # A block ends after the user whose rows make the sum reach a multiple of `rows_per_block`. With
    # blocks of 5 rows and users of 3, 3 and 3 rows, the sums are 3, 6 and 9. The second user's sum
    # reaches 5, so the edges are 0, 2 and 3.
    multiples = np.arange(rows_per_block, rows_so_far[-1], rows_per_block)
    inner_edges = np.searchsorted(rows_so_far, multiples) + 1
    # A user with many rows reaches several multiples, which gives the same edge several times.
    edges: list[int] = np.unique([0, *inner_edges, n_rows.size]).tolist()
    return edges


# Lists --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class UserLists(RankedLists):
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
    _rows: BlockRows = field(repr=False)
    _matches: Matches = field(repr=False)
    _depth: float = field(repr=False)
    _sort_keys: FloatArray | None = field(repr=False)
    _columns: IntArray | None = field(repr=False)  # column of each rank; None: rank i is column i
    _binarized: dict[float, UserLists] = field(repr=False, default_factory=dict)
    # Cache of `RankedLists.sum`:
    _sums: dict[tuple[int, ...], tuple[Terms, AnyArray]] = field(repr=False, default_factory=dict)

    def binarized(self, grade: float) -> UserLists:
        """Return the lists with grade 1 for all grades of at least ``grade``, and 0 for the others.

        Several measures ask for the same lists, so they are cached.
        """
        if grade not in self._binarized:
            # `_rows` has all relevance rows of the users, including items that are in no list.
            is_relevant = self._rows.grades >= grade
            self._binarized[grade] = replace(
                self,
                grades=np.where(np.isnan(self.grades), np.nan, self.grades >= grade),
                n_relevant=np.count_nonzero(is_relevant, axis=1),
                _rows=self._rows._replace(grades=is_relevant.astype(np.float64)),
                # The new lists need caches of their own.
                _binarized={},
                _sums={},
            )
        return self._binarized[grade]

    @cached_property
    def items(self) -> IntArray:
        """Return the item codes by rank, -1 after the end of a list."""
        return np.where(np.isnan(self.grades), -1, self._by_rank(self._rows.recommended))

    @cached_property
    def scores(self) -> FloatArray | None:
        """Return the scores by rank, NaN after the end; None if the tables have ranks.

        If the rules compare scores as 32-bit floats, these are the rounded scores.
        """
        if self._sort_keys is None:
            return None
        return np.where(np.isnan(self.grades), np.nan, -self._by_rank(self._sort_keys))

    @property
    def predicted(self) -> FloatArray:
        """Return the scores by rank as the user passed them, before a tie rule rounds them."""
        return -self._by_rank(self._rows.sort_keys)

    @property
    def n_seen(self) -> int:
        """Return the number of recommendations that their users have seen before."""
        assert self._rows.seen is not None
        return int(np.count_nonzero(self._rows.seen))

    @property
    def is_seen(self) -> BoolArray | None:
        """Return whether the user has seen the item at each rank before; None without a history.

        Values at ranks after the end of a list are meaningless.
        """
        if self._rows.seen is None:
            return None
        return np.asarray(self._by_rank(self._rows.seen))

    @property
    def unlisted(self) -> IntArray:
        """Return the number of relevant items outside each list; 0 if there is no list.

        The list is cut at the depth that the measures look at.
        """
        n_missed = self.n_relevant - np.count_nonzero(self.grades > 0, axis=1)
        return np.where(self.length > 0, n_missed, 0)

    @cached_property
    def n_irrelevant(self) -> IntArray:
        """Return the number of items that each user has judged irrelevant.

        An item with a negative rating counts as not judged.
        """
        rows = self._rows
        is_irrelevant = (rows.judged >= 0) & (rows.ratings >= 0) & (rows.grades == 0)
        return np.asarray(np.count_nonzero(is_irrelevant, axis=1))

    @cached_property
    def ratings(self) -> FloatArray:
        """Return the grades by rank as the user passed them, NaN if an item has none."""
        shape = self._rows.sort_keys.shape
        # An item without a rating gets 0, but 0 could be a rating too. So the first call copies
        # ones, which mark the items with a rating.
        ones = np.ones(self._rows.ratings.shape)
        is_rated = self._by_rank(self._matches.carry_to_recommendations(ones, shape)) > 0
        is_rated &= ~np.isnan(self.grades)  # NaN is after the end of a list
        ratings = self._matches.carry_to_recommendations(self._rows.ratings, shape)
        return np.where(is_rated, self._by_rank(ratings), np.nan)

    @cached_property
    def relevance(self) -> FloatArray:
        """Return the grades of the relevant items, best first, shape (n, width).

        The width is the largest number of relevant items of a user, but at most the number of ranks
        that the measures look at. Shorter lines end in 0.
        """
        width = int(min(self.n_relevant.max(initial=0), self._depth))
        ascending = np.sort(self._rows.grades, axis=1)
        # The last `width` columns, in reverse order.
        return ascending[:, : -width - 1 : -1].astype(np.float64, order="F")

    @cached_property
    def best(self) -> ArrayLists:
        """Return the best possible lists: the relevant items alone, best first."""
        return ArrayLists(self.relevance, self.n_relevant, grades_name=self.grades_name)

    def _by_rank(self, values: AnyArray) -> AnyArray:
        """Bring values from the order of the table into the order of the ranks, and cut them."""
        return take_columns(values, self._columns)[:, : self.grades.shape[1]]


def build_lists(run: JudgedRun, positions: IntArray) -> UserLists:
    """Build the lists of the judged users at some positions: matched, sorted and cut.

    Matching gives each recommendation its grade, and cutting keeps the ranks that the measures look
    at. Raises `InputError` if a user has an item twice in a table, if ranks are not 1, 2, 3, …, or
    if a user has seen a recommended item, unless the rules allow that.
    """
    rules = run.rules
    rows = _rows_of_block(run, run.judged[positions])
    matches = match_rows(rows, rules)
    # The grade of each recommendation, still in the order of the table.
    grades = matches.carry_to_recommendations(rows.grades, rows.sort_keys.shape)

    sort_keys = rows.sort_keys
    if rules.compares_float32 and not rules.by_rank:
        with np.errstate(over="ignore"):  # trec_eval reads scores as 32-bit floats
            sort_keys = sort_keys.astype(np.float32).astype(np.float64)
    columns, tied = rank_columns(rows, sort_keys, grades, rules)

    length = rows.length
    if matches.has_repeats or rules.seen != "note":
        columns, length = drop_repeats_and_seen(
            rows, columns, rules, has_repeats=matches.has_repeats
        )
        tied &= length > 0  # all items of a list can be dropped

    return UserLists(
        users=rows.users,
        grades=_cut_lists(take_columns(grades, columns), length, rules.depth),
        n_relevant=np.count_nonzero(rows.grades > 0, axis=1),
        length=length,
        tied=tied,
        _rows=rows,
        _matches=matches,
        _depth=rules.depth,
        _sort_keys=None if rules.by_rank else sort_keys,
        _columns=columns,
    )


def _rows_of_block(run: JudgedRun, users: IntArray) -> BlockRows:
    """Return the rows of some judged users as matrices, in the order of the tables."""
    truth = run.truth
    ratings = truth.rows.matrix("grade", users, padding_value=0)
    grades = ratings
    if truth.floor is not None:  # the convention counts smaller grades as 0
        grades = np.where(ratings >= truth.floor, ratings, 0)
    recommended = run.rows.matrix("item", users, padding_value=-1)
    is_padding = recommended < 0
    # The sort key, a rank or a negative score: the smallest is best, and NaN comes last.
    sort_keys = run.rows.matrix("value", users, padding_value=0).astype(np.float64)
    if not run.rules.by_rank:
        np.negative(sort_keys, out=sort_keys)
    sort_keys[is_padding] = np.nan
    seen = None
    if run.past is not None:  # a function that looks up items in the users' history
        seen = run.past(users, recommended) & ~is_padding
    return BlockRows(
        users=users,
        judged=truth.rows.matrix("item", users, padding_value=-1),
        recommended=recommended,
        ratings=ratings,
        grades=grades,
        sort_keys=sort_keys,
        length=run.rows.size[users],
        seen=seen,
        user_ids=truth.users,
        item_ids=truth.items,
    )


def _cut_lists(grades: FloatArray, length: IntArray, depth: float) -> FloatArray:
    """Cut the lists at ``depth``, and put NaN at the ranks after the end of a list.

    ``grades`` has one line per list, in the order of the ranks; ``length`` is the length of each
    list. ``depth`` is a number of ranks, or infinity. The result lies rank by rank in memory,
    because measures sum along the ranks.
    """
    width = int(min(length.max(initial=0), depth))
    cut = np.asfortranarray(grades[:, :width])
    if (length >= width).all():
        return cut
    # `where` stores its result line by line. Here each line is a rank, so the values of a rank lie
    # together, and transposing the result does not move them.
    is_filled = np.arange(width)[:, np.newaxis] < length
    return np.where(is_filled, cut.T, np.nan).T


# Matching -----------------------------------------------------------------------------------------

CellPairs: TypeAlias = tuple[IntArray, IntArray, IntArray]
"""Pairs of cells in one line: the line, the column of the first and of the second cell."""


class Matches(NamedTuple):
    """Pairs of cells that hold the same item.

    Attributes
    ----------
    matches : a relevance row and a recommendation of the same item.
    repeats : two recommendations of the same item, the later one second.
    """

    matches: CellPairs
    repeats: CellPairs

    @property
    def has_repeats(self) -> bool:
        """Return whether an item occurs twice in any list of recommendations."""
        return self.repeats[0].size > 0

    def carry_to_recommendations(self, values: AnyArray, shape: tuple[int, ...]) -> FloatArray:
        """Copy values of relevance rows to the recommendations of the same items.

        ``values`` is a matrix with a line for each user and a cell for each relevance row; none may
        be NaN. The result has the ``shape`` of the matrix of recommendations, with the same lines.
        A recommendation without a relevance row gets 0. The result lies column by column in memory,
        because measures sum along the ranks.
        """
        n_lines, n_columns = shape
        # A match is a line, a column of `values`, and the column of the result with the same item.
        line, relevance_column, column = self.matches
        # Both matrices are read and written as flat arrays, because one index is twice as fast as
        # two. The flat array of the result has one column after the other: cell (i, j) is at
        # j * n_lines + i. At the end it is reshaped to the matrix, without a copy.
        flat = np.zeros(n_lines * n_columns)
        flat[column * n_lines + line] = values.ravel()[line * values.shape[1] + relevance_column]
        result = flat.reshape(n_columns, n_lines).T

        # If a list has an item several times, only its first cell is matched. Each repeat is a line
        # with the columns of two successive cells of the same item. The value goes from the earlier
        # to the later cell. An item can occur three times, so repeat this until nothing changes.
        # NaN differs from itself, so the loop would never end if there were NaN among the values.
        line_of_repeat, earlier, later = self.repeats
        while (result[line_of_repeat, later] != result[line_of_repeat, earlier]).any():
            result[line_of_repeat, later] = result[line_of_repeat, earlier]
        return result


def match_rows(rows: BlockRows, rules: ListRules) -> Matches:
    """Find the relevance row of each recommended item, and items that are recommended twice.

    Raises `InputError` if a user has an item twice in one table, unless the rules keep the first of
    equal recommendations. The result has the pairs of cells with equal items: the matches of both
    tables, and the repeats. If an item is recommended several times, the relevance row is matched
    only with the first of these cells, and the repeats pair each of these cells with the next one.
    """
    # A pair has the same item in the columns `first` and `second` of a line; `second` is higher.
    # The columns of both tables are numbered together, those of the relevance rows first.
    line, first, second = _equal_items(rows)
    n_relevance_columns = rows.judged.shape[1]

    both_in_relevance = second < n_relevance_columns
    if both_in_relevance.any():
        where = line[both_in_relevance], first[both_in_relevance], second[both_in_relevance]
        raise duplicate_error(rows, "relevance", *where)

    is_repeat = first >= n_relevance_columns  # both are recommendations
    repeats = (
        line[is_repeat],
        first[is_repeat] - n_relevance_columns,
        second[is_repeat] - n_relevance_columns,
    )
    if is_repeat.any() and not rules.keep_first:
        raise duplicate_error(rows, f"recommendations{rules.of_system}", *repeats)

    is_match = ~is_repeat
    matches = line[is_match], first[is_match], second[is_match] - n_relevance_columns
    return Matches(matches, repeats)


def _equal_items(rows: BlockRows) -> CellPairs:
    """Find pairs of cells in the same line with equal items, in either table.

    Each cell becomes one integer: the item code in the upper bits, the column in the lower ones.
    After each line is sorted, equal items are neighbours. Returns for each pair of neighbours the
    line, the lower and the higher column. Three cells with one item, in the columns 0, 4 and 7,
    make two pairs: (0, 4) and (4, 7).
    """
    # The cells of both tables side by side. Every judged user has a relevance row, so there is at
    # least one column.
    n_lines, n_judged_columns = rows.judged.shape
    width = n_judged_columns + rows.recommended.shape[1]
    column_bits = max(width - 1, 1).bit_length()  # enough for the highest column
    # Codes have no large gaps, so a code and a column always fit into 64 bits. Small integers are
    # sorted faster.
    fits_32_bits = rows.item_ids.size << column_bits <= 1 << 31
    cells = np.empty((n_lines, width), np.int32 if fits_32_bits else np.int64)
    cells[:, :n_judged_columns] = rows.judged
    cells[:, n_judged_columns:] = rows.recommended
    # Append the column to the code, and sort.
    cells <<= column_bits
    cells |= np.arange(width, dtype=cells.dtype)
    cells.sort(axis=1)

    flat = cells.ravel()  # comparing one long array is much faster than comparing lines
    equals_next = np.zeros(flat.size, bool)  # whether a cell equals the next one
    # Two integers differ in the column's bits alone if and only if their codes are equal.
    np.less(flat[1:] ^ flat[:-1], 1 << column_bits, out=equals_next[:-1])
    equals_next[width - 1 :: width] = False  # the next cell belongs to another line
    equals_next &= flat >= 0  # padding is negative, and equals nothing

    # Split the cells again: the lower bits are the column.
    index = np.flatnonzero(equals_next)
    column_mask = (1 << column_bits) - 1
    return index // width, flat[index] & column_mask, flat[index + 1] & column_mask
