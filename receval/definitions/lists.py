"""Ranked lists: match the recommendations of a system with relevance, sort them, and cut them.

receval works on blocks of users. A block holds the rows of its users in matrices with one line for
each user. All measures read the same lists, so receval sorts and matches each row only once,
however many measures there are, and it needs memory for a few blocks instead of a copy of the
tables. The first classes hold what an evaluation knows about items and users.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from receval._arrays import find_tie_runs
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    FloatArray,
    Id,
    IntArray,
    format_first,
    input_error,
)
from receval.definitions.convention import Convention
from receval.metrics.formula import RankedLists, Terms
from receval.tables.columns import Ids, Rows

BLOCK_ROWS = 150_000
"""Rows of both tables in a block, so that the block fits into the processor's cache."""

MAX_PADDING = 4
"""The most cells per row of a block; larger blocks are split by the length of the lists."""

CellPairs: TypeAlias = tuple[IntArray, IntArray, IntArray]
"""Pairs of cells in one line: the line, the column of the first and of the second cell."""


# What an evaluation knows -------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """The items that users have seen before; call the object to ask whether users have seen items.

    Attributes
    ----------
    pairs : array of int
        The distinct pairs of a user and an item in the history, in ascending order. A pair is one
        number: the user code times the number of items, plus the item code.
    n_items : int
        The number of item codes.
    rows : array of int
        The number of rows of each item in the history.
    has_all_users : bool
        Whether this is the whole history; otherwise it lacks users, and so rows of items.
    """

    pairs: IntArray
    n_items: int
    rows: IntArray
    has_all_users: bool

    @classmethod
    def of(cls, history: Rows, n_items: int, *, has_all_users: bool) -> History:
        """Return the history in a table whose column "item" has item codes."""
        items = history.columns["item"]
        users = np.repeat(np.arange(history.size.size), history.size)
        pairs = np.unique(users * n_items + items)
        return cls(pairs, n_items, np.bincount(items, minlength=n_items), has_all_users)

    @cached_property
    def users(self) -> IntArray:
        """Return how many users have seen each item."""
        return np.bincount(self.pairs % self.n_items, minlength=self.n_items)

    @cached_property
    def user_codes(self) -> IntArray:
        """Return the codes of the users who have seen at least one item."""
        return np.unique(self.pairs // self.n_items)

    def __call__(self, users: IntArray, items: IntArray) -> BoolArray:
        """Return whether users have seen items.

        ``users`` are user codes of shape (n,). ``items`` are item codes of shape (n, width), which
        is the shape of the result, too. For codes of -1, which mark empty ranks, the result is
        arbitrary.
        """
        # Convert each pair of user and item to a number, as in `self.pairs`.
        keys = users[:, np.newaxis] * self.n_items + items
        if not self.pairs.size:
            return np.zeros(keys.shape, bool)
        # A key is in the history if it equals the first pair that is not smaller. A key above all
        # pairs has no such pair, and is compared with the last one.
        nearest = np.minimum(np.searchsorted(self.pairs, keys), self.pairs.size - 1)
        return np.asarray(self.pairs[nearest] == keys)


@dataclass(frozen=True)
class EvaluationContext:
    """The convention of an evaluation, and its data about items and users.

    Attributes
    ----------
    convention : Convention
    n_items : size of the catalogue; None: no catalogue was passed.
    max_grade : largest grade of the whole truth; None: not known.
    in_head : for each item code, whether the item is in the short head.
    age : for each item code, the age of the item in days.
    features : for each item code, a vector of length 1, or a vector of zeros if all its features
        are 0.
    seen : the items that users have seen before.
    """

    convention: Convention
    n_items: int | None = None
    max_grade: float | None = None
    in_head: BoolArray | None = None
    age: FloatArray | None = None
    features: FloatArray | None = None
    seen: History | None = None


# Runs and blocks ----------------------------------------------------------------------------------


class ListRules(NamedTuple):
    """Rules for turning the rows of a system into lists.

    Attributes
    ----------
    tie : which of two equal scores comes first, a key of `receval.definitions.convention.TIES`.
    compares_float32 : whether scores that round to the same 32-bit float are equal.
    by_rank : whether rows come with ranks instead of scores.
    depth : number of ranks that the measures look at.
    keep_first : whether to keep the first of equal items in a list, instead of raising an error.
    seen : what to do with items that the user has seen before: "note", "drop" or "error".
    system : name of the system, for messages; "" if it has none.
    rank_label : name of the column of ranks, for messages.
    """

    tie: str
    compares_float32: bool = False
    by_rank: bool = False
    depth: float = math.inf
    keep_first: bool = False
    seen: str = "note"
    system: Id = ""
    rank_label: str = "rank"

    @property
    def of_system(self) -> str:
        """Return " of system 'A'" for messages, or "" if the system has no name."""
        return f" of system {self.system!r}" if self.system != "" else ""


@dataclass(frozen=True, eq=False)
class Judgments:
    """The relevance table by user.

    Attributes
    ----------
    rows : the rows, with the columns "item" (codes) and "grade".
    users, items : the ids that the codes stand for.
    """

    rows: Rows
    users: Ids
    items: Ids

    def format_pairs(
        self, users: IntArray, items: IntArray, end: str = "", *columns: AnyArray
    ) -> str:
        """Return text for a message: the first few of some users, each with an item.

        Users and items are given by their codes. Each text ends with ``end``, a template of
        `str.format` for the values of ``columns``.
        """
        user_ids, item_ids = self.users.take(users).tolist(), self.items.take(items).tolist()
        return format_first(
            f"user {user!r} with item {item!r}{end.format(*values)}"
            for user, item, *values in zip(user_ids, item_ids, *columns, strict=True)
        )


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """The recommendations of one system, with the judgments they are measured against.

    Attributes
    ----------
    truth : the judgments.
    judged : the codes of the judged users that are measured, ascending.
    rows : the recommendations of every user, with the columns "item" (codes), "value" (score or
        rank) and perhaps "rank", if there are ranks besides the scores.
    rules : the rules for turning rows into lists.
    context : the convention, and the data about items and users.
    """

    truth: Judgments
    judged: IntArray
    rows: Rows
    rules: ListRules
    context: EvaluationContext

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


def block_positions(run: JudgedRun) -> Iterator[IntArray]:
    """Yield, for each block, the positions of its users among the judged users.

    A block is as wide as its longest list. If that leaves most cells empty, the block is split into
    users with lists of similar length. Without judged users there is no block.
    """
    if not run.judged.size:
        return
    n_judged = run.truth.rows.size[run.judged]
    n_recommended = run.rows.size[run.judged]
    n_rows = n_judged + n_recommended
    # A block ends after the user whose rows make the sum reach a multiple of `BLOCK_ROWS`. With
    # blocks of 5 rows and users of 3, 3 and 3 rows, there are 0, 3 and 6 rows before each user. The
    # quotients are 0, 0 and 1, so the third user begins a block.
    n_before = np.cumsum(n_rows) - n_rows
    starts = np.flatnonzero(np.diff(n_before // BLOCK_ROWS)) + 1
    for positions in np.split(np.arange(n_rows.size), starts):
        judged, recommended = n_judged[positions], n_recommended[positions]
        # Both matrices of a block are as wide as the longest list in them.
        n_cells = positions.size * (int(judged.max()) + int(recommended.max()))
        if n_cells <= MAX_PADDING * int(n_rows[positions].sum()):
            yield positions
            continue
        # `frexp` returns the exponent to the base 2 of each length. It is the same from one power
        # of two to the next, so lengths with the same exponent are similar.
        _, exponent = np.frexp(np.maximum(judged, recommended))
        for exponent_of_block in np.unique(exponent):
            yield positions[exponent == exponent_of_block]


# Lists --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class UserLists(RankedLists):
    """Ranked lists of some judged users, with their relevant items; see `build_lists`.

    The methods with a cut-off ``k`` return what the evaluation knows about the items at the first k
    ranks, for measures that need it. Empty ranks are NaN, or -1 among item codes.

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
    n_seen : number of recommendations that their users have seen before.
    run : the run that has these lists.
    """

    users: IntArray
    grades: FloatArray
    n_relevant: IntArray
    length: IntArray
    tied: BoolArray
    n_seen: int
    run: JudgedRun
    # In the order of the tables: the grades of the relevance rows, the pairs of relevance rows and
    # recommendations of the same item, and the sort keys of the recommendations.
    _relevance: AnyArray
    _matches: CellPairs
    _sort_keys: FloatArray
    _columns: IntArray | None  # column of each rank; None: rank i is column i
    # Caches, which begin empty after `replace`:
    _binarized: dict[float, UserLists] = field(init=False, default_factory=dict)
    _sums: dict[tuple[int, ...], tuple[Terms, AnyArray]] = field(init=False, default_factory=dict)

    def binarized(self, grade: float) -> UserLists:
        """Return the lists with grade 1 for all grades of at least ``grade``, and 0 for the others.

        Several measures ask for the same lists, so they are cached.
        """
        if grade not in self._binarized:
            threshold = grade
            if self._relevance.dtype.kind == "f":
                # In a table of 32 bits, 0.7 isn't the 0.7 of 64 bits.
                threshold = self._relevance.dtype.type(grade)
            # `_relevance` has all relevance rows of the users, also of items that are in no list.
            is_relevant = self._relevance >= threshold
            self._binarized[grade] = replace(
                self,
                grades=np.where(np.isnan(self.grades), np.nan, self.grades >= threshold),
                n_relevant=np.count_nonzero(is_relevant, axis=1),
                _relevance=is_relevant.astype(np.float64),
            )
        return self._binarized[grade]

    @cached_property
    def items(self) -> IntArray:
        """Return the item codes by rank, -1 after the end of a list."""
        [items] = self.run.rows.matrices(self.users, item=-1)
        return np.where(np.isnan(self.grades), -1, self._by_rank(items))

    @cached_property
    def scores(self) -> FloatArray | None:
        """Return the scores by rank, NaN after the end; None if the tables have ranks.

        If the rules compare scores as 32-bit floats, these are the rounded scores.
        """
        if self.run.rules.by_rank:
            return None
        return np.where(np.isnan(self.grades), np.nan, -self._by_rank(self._sort_keys))

    @property
    def predicted(self) -> FloatArray:
        """Return the scores by rank as the user passed them, before a tie rule rounds them."""
        [scores] = self.run.rows.matrices(self.users, value=0)
        return self._by_rank(scores.astype(np.float64))

    @cached_property
    def n_irrelevant(self) -> IntArray:
        """Return the number of items that each user has judged irrelevant.

        An item with a negative rating counts as not judged.
        """
        items, grades = self.run.truth.rows.matrices(self.users, item=-1, grade=0)
        is_irrelevant = (items >= 0) & (grades >= 0) & (self._relevance == 0)
        return np.asarray(np.count_nonzero(is_irrelevant, axis=1))

    @cached_property
    def ratings(self) -> FloatArray:
        """Return the grades by rank as the user passed them, NaN if an item has none."""
        line, judged_column, column = self._matches
        [judged_ratings] = self.run.truth.rows.matrices(self.users, grade=0)
        ratings = np.full(self._sort_keys.shape, np.nan)
        ratings[line, column] = judged_ratings[line, judged_column]
        return np.where(np.isnan(self.grades), np.nan, self._by_rank(ratings))

    @cached_property
    def relevance(self) -> FloatArray:
        """Return the grades of the relevant items, best first, shape (n, width).

        The width is the largest number of relevant items of a user, but at most the number of ranks
        that the measures look at. Shorter lines end in 0.
        """
        width = int(min(self.n_relevant.max(initial=0), self.run.rules.depth))
        ascending = np.sort(self._relevance, axis=1)
        # The last `width` columns, in reverse order.
        return ascending[:, : -width - 1 : -1].astype(np.float64, order="F")

    def top(self, k: int | None) -> IntArray:
        """Return the item codes of the first k ranks."""
        return self.items[:, :k]

    def similarity(self, k: int | None) -> FloatArray:
        """Return the cosine of the features of each pair of items; shape (lists, k, k)."""
        vectors = self.of_items(self.run.context.features, k)
        # u is a list, i and j are ranks, and f is a feature.
        return np.asarray(np.einsum("uif,ujf->uij", vectors, vectors))

    def seen(self, k: int | None) -> FloatArray:
        """Return 1 for items that the user has seen before, and 0 for others."""
        items = self.top(k)
        assert self.run.context.seen is not None
        return np.where(items >= 0, self.run.context.seen(self.users, items), np.nan)

    @property
    def history(self) -> History:
        """Return the history of all users; raise an error if it is not in memory."""
        history = self.run.context.seen
        if history is None or not history.has_all_users:
            rule = "be in memory for measures of popularity, which count all of it"
            raise input_error("history", rule, "files or Dask frames in parts")
        return history

    def of_items(self, values: AnyArray | None, k: int | None) -> FloatArray:
        """Return the values of the items at the first k ranks, NaN at empty ranks.

        ``values`` has a value for each item code, or a vector.
        """
        assert values is not None
        items = self.top(k)
        values_by_rank = values[items].astype(np.float64)
        values_by_rank[items < 0] = np.nan
        return values_by_rank

    def _by_rank(self, values: AnyArray) -> AnyArray:
        """Bring values from the order of the table into the order of the ranks, and cut them."""
        if self._columns is not None:
            values = np.take_along_axis(values, self._columns, axis=1)
        return values[:, : self.grades.shape[1]]


def build_lists(run: JudgedRun, positions: IntArray) -> UserLists:
    """Build the lists of the judged users at some positions: matched, sorted and cut.

    Matching gives each recommendation its grade, and cutting keeps the ranks that the measures look
    at. Raises `InputError` if a user has an item twice in a table, if ranks are not 1, 2, 3, …, or
    if a user has seen a recommended item, unless the rules allow that.
    """
    rules = run.rules
    users = run.judged[positions]
    # Read the rows as matrices with a line for each user. Shorter lines have padding at their end.
    judged, relevance = run.truth.rows.matrices(users, item=-1, grade=0)
    floor = run.context.convention.grade_floor
    if floor is not None:  # smaller grades count as 0
        relevance = np.where(relevance >= floor, relevance, 0)
    items, values = run.rows.matrices(users, item=-1, value=0)
    # The sort key is a rank or a negative score: the smallest is best, and NaN comes last.
    sort_keys = values.astype(np.float64)
    sort_keys[items < 0] = np.nan
    if not rules.by_rank:
        np.negative(sort_keys, out=sort_keys)
        if rules.compares_float32:
            with np.errstate(over="ignore"):  # trec_eval reads scores as 32-bit floats
                sort_keys = sort_keys.astype(np.float32).astype(np.float64)

    # Give each recommendation the grade of its item, 0 if the item has none. The grades lie column
    # by column in memory, because measures sum along the ranks.
    matches, has_repeats = _match_items(run, users, judged, relevance, items)
    line, relevance_column, column = matches
    grades = np.zeros(items.shape, order="F")
    grades[line, column] = relevance[line, relevance_column]

    columns, tied = _sort(run, users, items, sort_keys, grades)

    # Drop items that the same list also has at a better rank, and seen items if the rules say so.
    length = run.rows.size[users]
    is_seen = _find_seen(run, users, items)
    if has_repeats or rules.seen == "drop":
        is_left_out = is_seen & (rules.seen == "drop")
        is_dropped = is_left_out | (items < 0)  # -1 is padding
        columns, length = _drop(items, columns, is_dropped, has_repeats=has_repeats)
        tied &= length > 0  # all items of a list can be dropped

    # Cut the lists, and put NaN at the ranks after the end of a list. This cut only saves work:
    # `RankedLists.sum` applies the cut-off of each measure.
    if columns is not None:
        grades = np.take_along_axis(grades, columns, axis=1)
    width = int(min(length.max(initial=0), rules.depth))
    grades_by_rank = np.asfortranarray(grades[:, :width])
    if (length < width).any():
        # `where` stores its result line by line. Here each line is a rank, so the values of a rank
        # lie together, and transposing the result does not move them.
        is_item = np.arange(width)[:, np.newaxis] < length
        grades_by_rank = np.where(is_item, grades_by_rank.T, np.nan).T
    return UserLists(
        users=users,
        grades=grades_by_rank,
        n_relevant=np.count_nonzero(relevance > 0, axis=1),
        length=length,
        tied=tied,
        n_seen=int(np.count_nonzero(is_seen)),
        run=run,
        _relevance=relevance,
        _matches=matches,
        _sort_keys=sort_keys,
        _columns=columns,
    )


def _find_seen(run: JudgedRun, users: IntArray, items: IntArray) -> BoolArray:
    """Return which recommended items their users have seen before; raise if the rules refuse them.

    ``items`` has a line for each user, and -1 in the padding.
    """
    if run.context.seen is None:
        return np.zeros(items.shape, bool)
    is_seen = run.context.seen(users, items) & (items >= 0)
    if run.rules.seen == "error" and is_seen.any():
        line, column = np.nonzero(is_seen)
        raise input_error(
            f"recommendations{run.rules.of_system}",
            "hold no item of the history of its user (seen='error')",
            run.truth.format_pairs(users[line], items[line, column]),
            "seen='drop' leaves them out",
        )
    return is_seen


# Matching -----------------------------------------------------------------------------------------


def _match_items(
    run: JudgedRun, users: IntArray, judged: IntArray, relevance: AnyArray, items: IntArray
) -> tuple[CellPairs, bool]:
    """Find the relevance row of each recommended item.

    ``judged`` and ``relevance`` have the items and grades of the relevance rows, and ``items`` the
    recommended items, with a line for each user. Returns for each match the line, the column of the
    relevance row, and the column of the recommendation, and whether any list has an item twice.
    Raises `InputError` if a user has an item twice in one table, unless the rules keep the first of
    equal recommendations.
    """
    n_judged_columns = judged.shape[1]
    # Each pair has the same item in two columns of a line. The columns of both tables are numbered
    # together, those of the relevance rows first.
    line, first, second = _equal_items(judged, items, run.truth.items.size)
    _check_repeats(run, users, judged, relevance, items, (line, first, second))
    has_repeats = bool((first >= n_judged_columns).any())  # pairs of two recommendations
    if has_repeats:
        # If an item is in the columns 0, 4 and 7, its pairs are (0, 4) and (4, 7), where the first
        # one starts the item. Give all pairs of an item the first column of the pair that starts
        # it: (0, 4) and (0, 7). It is the relevance row if the item has one.
        is_start = np.ones(line.size, bool)
        is_start[1:] = (line[1:] != line[:-1]) | (first[1:] != second[:-1])
        # The index of the last start at or before each pair is a running maximum.
        start = np.maximum.accumulate(np.where(is_start, np.arange(line.size), 0))
        first = first[start]
    is_match = first < n_judged_columns
    matches = line[is_match], first[is_match], second[is_match] - n_judged_columns
    return matches, has_repeats


def _check_repeats(
    run: JudgedRun,
    users: IntArray,
    judged: IntArray,
    relevance: AnyArray,
    items: IntArray,
    pairs: CellPairs,
) -> None:
    """Raise if a user has an item twice in one table, unless the rules keep the first in a list.

    ``pairs`` are those of `_equal_items`, and the other arguments are those of `_match_items`.
    """
    line, first, second = pairs
    n_judged_columns = judged.shape[1]
    rule = "hold each item of a user at most once"
    is_twice = second < n_judged_columns  # both are relevance rows
    if is_twice.any():
        lines, column = line[is_twice], first[is_twice]
        got = run.truth.format_pairs(
            users[lines],
            judged[lines, column],
            " twice (graded {:g} and {:g})",
            relevance[lines, column],
            relevance[lines, second[is_twice]],
        )
        advice = "Drop rows that are the same twice, and decide which grade counts for the others"
        raise input_error("relevance", rule, got, advice)
    is_repeat = first >= n_judged_columns  # both are recommendations
    if is_repeat.any() and not run.rules.keep_first:
        lines, column = line[is_repeat], first[is_repeat] - n_judged_columns
        got = run.truth.format_pairs(users[lines], items[lines, column], " twice")
        advice = (
            "duplicates='first' keeps the best place of each item. If a column names the system of "
            "each row, pass its name as system="
        )
        raise input_error(f"recommendations{run.rules.of_system}", rule, got, advice)


def _equal_items(judged: IntArray, recommended: IntArray, n_items: int) -> CellPairs:
    """Find pairs of cells in the same line with equal items, in either table.

    Both matrices have item codes below ``n_items``, and -1 in the padding. Each cell becomes one
    integer: the item code in the upper bits, the column in the lower ones. After each line is
    sorted, equal items are neighbours. Returns for each pair of neighbours the line, the lower and
    the higher column. Three cells with one item, in the columns 0, 4 and 7, make two pairs: (0, 4)
    and (4, 7).
    """
    # The cells of both tables side by side. Every judged user has a relevance row, so there is at
    # least one column.
    width = judged.shape[1] + recommended.shape[1]
    column_bits = max(width - 1, 1).bit_length()  # enough for the highest column
    # Codes have no large gaps, so a code and a column always fit into 64 bits. Small integers are
    # sorted faster.
    fits_32_bits = n_items << column_bits <= 1 << 31
    code_type = np.int32 if fits_32_bits else np.int64
    cells: IntArray = np.concatenate([judged, recommended], axis=1, dtype=code_type)
    # Append the column to the code, and sort.
    cells <<= column_bits
    cells |= np.arange(width, dtype=cells.dtype)
    cells.sort(axis=1)

    flat = cells.ravel()  # comparing one long array is much faster than comparing lines
    codes = flat >> column_bits
    equals_next = np.zeros(flat.size, bool)  # whether a cell has the same item as the next one
    np.equal(codes[1:], codes[:-1], out=equals_next[:-1])
    equals_next[width - 1 :: width] = False  # the next cell belongs to another line
    equals_next &= flat >= 0  # padding is negative, and equals nothing

    # Split the cells again: the lower bits are the column.
    index = np.flatnonzero(equals_next)
    column_mask = (1 << column_bits) - 1
    return index // width, flat[index] & column_mask, flat[index + 1] & column_mask


# Order --------------------------------------------------------------------------------------------


def _sort(
    run: JudgedRun, users: IntArray, items: IntArray, sort_keys: FloatArray, grades: FloatArray
) -> tuple[IntArray | None, BoolArray]:
    """Find the order of each list, and which lists have ties that can change a value.

    ``sort_keys`` has negative scores, or ranks, and the smallest is best. All matrices have a line
    for each user, in the order of the table. Returns a matrix that holds, for each rank of a list,
    the column of its item in these matrices, and a mask of the lists with such ties. The matrix is
    None if all lists in the table are already in order. Raises `InputError` for wrong ranks.
    """
    columns = None
    in_order = sort_keys
    is_tied = np.zeros(users.size, bool)
    # A comparison with NaN, after the end of a list, is False.
    if (sort_keys[:, 1:] < sort_keys[:, :-1]).any():
        columns = np.argsort(sort_keys, axis=1)
        in_order = np.take_along_axis(sort_keys, columns, axis=1)
    if run.rules.by_rank:  # the keys are ranks; this check refuses equal ones
        _check_ranks(run, users, in_order)
        return columns, is_tied

    # Sort the lists with equal scores again, with a second key for these. NaN, after the end of a
    # list, equals nothing.
    is_equal = in_order[:, 1:] == in_order[:, :-1]  # whether neighbours have equal scores
    lines = np.flatnonzero(is_equal.any(axis=1))
    if lines.size:
        if columns is None:
            columns = np.tile(np.arange(items.shape[1]), (users.size, 1))
        tie_keys = _tie_keys(run, items[lines], grades[lines])
        columns[lines] = np.lexsort((tie_keys, sort_keys[lines]), axis=1)  # the last key is first
        # The order of equal scores can change a value if items with equal scores have different
        # grades, and the first of these items is within the depth that measures look at.
        by_rank = np.take_along_axis(grades[lines], columns[lines], axis=1)
        is_mixed = is_equal[lines] & (by_rank[:, 1:] != by_rank[:, :-1])
        # For each item the position at which its run of equal scores begins, from 0.
        start, _ = find_tie_runs(in_order[lines])
        is_tied[lines] = (is_mixed & (start[:, 1:] < run.rules.depth)).any(axis=1)
    return columns, is_tied


def _tie_keys(run: JudgedRun, items: IntArray, grades: FloatArray) -> AnyArray:
    """Return a key by which equal scores are sorted; the smallest comes first.

    ``items`` and ``grades`` have a line for each list, in the order of the table. The rule "input"
    keeps the order of the table, "optimistic" and "pessimistic" sort by grade, and all other rules
    sort by item.
    """
    tie = run.rules.tie
    if tie == "input":
        return np.zeros(items.shape)  # equal keys keep their order
    keys: AnyArray = items  # codes are in the order of the ids
    if tie in ("optimistic", "pessimistic"):
        keys = grades
    elif tie in ("text", "trec_eval"):
        # For each code, the place of its id if all ids are sorted as byte strings.
        keys = run.truth.items.byte_order[items]
    if tie in ("item_descending", "trec_eval", "optimistic"):
        keys = -keys
    return keys


def _drop(
    items: IntArray, columns: IntArray | None, is_dropped: BoolArray, *, has_repeats: bool
) -> tuple[IntArray, IntArray]:
    """Drop items from lists, and items that the same list also has at a better rank.

    Dropped items go after the end of the list, and the list gets shorter. ``items`` and
    ``is_dropped`` are in the order of the table; the padding is dropped, too. ``columns`` holds,
    for each rank of a list, the column in the table; None if the table has the lists in order.
    ``has_repeats`` says whether any list has an item twice. Returns the columns of the remaining
    ranks, followed by those of the dropped items and of the padding, and the lengths of the lists.
    """
    if columns is None:
        columns = np.tile(np.arange(items.shape[1]), (items.shape[0], 1))
    is_dropped = np.take_along_axis(is_dropped, columns, axis=1)
    if has_repeats:
        # The item by rank, -1 where it is dropped.
        items = np.where(is_dropped, -1, np.take_along_axis(items, columns, axis=1))
        # A stable sort by item puts equal items next to each other, in order of rank. An item that
        # equals the one before it is a repeat. Items that are dropped already are -1 and come
        # first. The first of them stays dropped, and the others count as repeats.
        by_item = np.argsort(items, axis=1, kind="stable")
        is_repeat = np.diff(np.take_along_axis(items, by_item, axis=1), axis=1) == 0
        np.put_along_axis(is_dropped, by_item[:, 1:], is_repeat, axis=1)
    # False sorts before True, so the kept ranks come first, in their order.
    kept_first = np.argsort(is_dropped, axis=1, kind="stable")
    length = np.asarray(np.count_nonzero(~is_dropped, axis=1))
    return np.take_along_axis(columns, kept_first, axis=1), length


def _check_ranks(run: JudgedRun, users: IntArray, ranks: FloatArray) -> None:
    """Raise an error unless the ranks of each list are 1, 2, 3, and so on.

    ``ranks`` has a line for each list, sorted, with NaN after its end.
    """
    expected = np.arange(1, ranks.shape[1] + 1)
    is_wrong = (ranks != expected) & ~np.isnan(ranks)
    if is_wrong.any():
        got = ", ".join(
            f"{ranks[line, column]:g} for user {run.truth.users.take_one(users[line])!r} "
            f"where {expected[column]} belongs"
            for line, column in np.argwhere(is_wrong)[:MAX_EXAMPLES]
        )
        raise input_error(
            f"the ranks of recommendations{run.rules.of_system}",
            "be 1, 2, 3, … in every list, each once",
            got,
            "To order by ranks with ties or gaps, pass their negatives as scores and leave out "
            "rank",
        )
