"""The rows of some users, and their order: equal scores, ranks, repeated items and seen items."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from receval._arrays import find_tie_runs
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    FloatArray,
    Id,
    InputError,
    IntArray,
    format_first,
    input_error,
)
from receval.tables.ids import Ids
from receval.tables.inputs import ColumnNames


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


class BlockRows(NamedTuple):
    """Relevance rows and recommendations of some users, in the order of the tables.

    Matrices have one line per user. Lines differ in length, so a shorter one has padding after its
    last row.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    judged, recommended : item codes of the relevance rows and recommendations, -1 in the padding.
    ratings : grades of the relevance rows as the user passed them, 0 in the padding.
    grades : the same, but 0 where the convention counts a rating as irrelevant.
    sort_keys : negative scores, or ranks; the smallest is best, and NaN is in the padding.
    length : number of recommendations of each user.
    seen : whether the user has seen each recommended item before; None: there is no history.
    user_ids, item_ids : the ids that the codes stand for.
    """

    users: IntArray
    judged: IntArray
    recommended: IntArray
    ratings: AnyArray
    grades: AnyArray
    sort_keys: FloatArray
    length: IntArray
    seen: BoolArray | None
    user_ids: Ids
    item_ids: Ids

    def format_pair(self, line: int, item: int) -> str:
        """Return text for a message: the user at ``line``, and the item whose code is ``item``."""
        user = self.user_ids.take_one(self.users[line])
        return f"user {user!r} with item {self.item_ids.take_one(item)!r}"


def take_columns(values: AnyArray, columns: IntArray | None) -> AnyArray:
    """Return the values of each line in the order of ``columns``, or unchanged if it is None.

    ``columns`` is a matrix that holds, for each rank of a line, the column of the value.
    """
    if columns is None:
        return values
    return np.take_along_axis(values, columns, axis=1)


def rank_columns(
    rows: BlockRows, sort_keys: FloatArray, grades: FloatArray, rules: ListRules
) -> tuple[IntArray | None, BoolArray]:
    """Find the order of each list, and which lists have ties that can change a value.

    ``sort_keys`` has negative scores, or ranks, and the smallest is best. ``grades`` has the grades
    of the recommendations. Both have a line for each list, in the order of the table. Returns a
    matrix that holds, for each rank of a list, the column of its item in these matrices, and a mask
    of the lists with such ties. The matrix is None if all lists in the table are already in order.
    Raises `InputError` for wrong ranks.
    """
    columns = None
    is_tied = np.zeros(rows.users.size, bool)
    # A comparison with NaN, after the end of a list, is False.
    if (sort_keys[:, 1:] < sort_keys[:, :-1]).any():
        columns = np.argsort(sort_keys, axis=1)
    in_order = take_columns(sort_keys, columns)
    if rules.by_rank:  # the keys are ranks; this check refuses equal ones
        _check_ranks(rows, in_order, rules)
        return columns, is_tied

    # Sort the lists with equal scores again, with a second key for these. `lexsort` takes the keys
    # in reverse: the second one comes first. NaN, after the end of a list, equals nothing.
    tied_lines = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
    if tied_lines.size:
        columns = _filled_columns(columns, sort_keys.shape)
        tie_keys = _tie_keys(rows, grades, rules.tie, tied_lines)
        columns[tied_lines] = np.lexsort((tie_keys, sort_keys[tied_lines]), axis=-1)
        grades_by_rank = take_columns(grades, columns)[tied_lines]
        is_tied[tied_lines] = _has_open_tie(in_order[tied_lines], grades_by_rank, rules.depth)
    return columns, is_tied


def drop_repeats_and_seen(
    rows: BlockRows, columns: IntArray | None, rules: ListRules, *, has_repeats: bool
) -> tuple[IntArray, IntArray]:
    """Drop items that the same list also has at a better rank, and seen items if the rules say so.

    Dropped items go after the end of the list, and the list gets shorter. ``columns`` holds, for
    each rank of a list, the column in the table; None if the table has the lists in order.
    ``has_repeats`` says whether any list has an item twice. Returns the columns of the remaining
    ranks, followed by the columns of the dropped items and of the padding, and the lengths of the
    lists. Raises `InputError` for seen items under the rule "error".
    """
    columns = _filled_columns(columns, rows.sort_keys.shape)
    # By rank. The padding after the end of a list is dropped too.
    is_dropped = np.arange(columns.shape[1]) >= rows.length[:, np.newaxis]
    if rows.seen is not None and rules.seen != "note":
        if rules.seen == "error" and rows.seen.any():
            raise _seen_error(rows, rows.seen, rules)
        is_dropped |= take_columns(rows.seen, columns)
    if has_repeats:
        # The item by rank, -1 where it is dropped.
        items = np.where(is_dropped, -1, take_columns(rows.recommended, columns))
        # A stable sort by item puts equal items next to each other, in order of rank. An item that
        # equals the one before it is a repeat. Items that are dropped already are -1 and come
        # first. The first of them stays dropped, and the others count as repeats.
        by_item = np.argsort(items, axis=1, kind="stable")
        is_repeat = np.diff(take_columns(items, by_item), axis=1) == 0
        np.put_along_axis(is_dropped, by_item[:, 1:], is_repeat, axis=1)
    # False sorts before True, so the kept ranks come first, in their order.
    kept_first = np.argsort(is_dropped, axis=1, kind="stable")
    length = np.asarray(np.count_nonzero(~is_dropped, axis=1))
    return take_columns(columns, kept_first), length


def duplicate_error(
    rows: BlockRows,
    table: str,
    line: IntArray,
    first: IntArray,
    second: IntArray,
) -> InputError:
    """Return the error for items that a user has twice in one table.

    ``table`` is the name of the table in messages: "relevance", or the recommendations of a
    system, such as "recommendations of 'A'". ``line``, ``first`` and ``second`` are the line of
    the user and the two columns of each such item; there is at least one.
    """
    is_relevance = table == "relevance"
    items = rows.judged if is_relevance else rows.recommended
    advice = (
        "duplicates='first' keeps the best place of each item. If a column names the system of "
        "each row, pass its name as system="
    )
    if is_relevance:
        advice = "Drop rows that are the same twice, and decide which grade counts for the others"

    def format_duplicate(cells: tuple[int, int, int]) -> str:
        """Return the user and the item of two cells and, for the relevance table, both grades."""
        line_of_user, column, other_column = cells
        text = f"{rows.format_pair(line_of_user, items[line_of_user, column])} twice"
        if is_relevance:
            grade, other_grade = rows.grades[line_of_user, [column, other_column]]
            text += f" (graded {grade:g} and {other_grade:g})"
        return text

    got = format_first(zip(line, first, second, strict=True), to_text=format_duplicate)
    return input_error(table, "hold each item of a user at most once", got, advice)


def _check_ranks(rows: BlockRows, ranks: FloatArray, rules: ListRules) -> None:
    """Raise an error unless the ranks of each list are 1, 2, 3, and so on.

    ``ranks`` has a line for each list, sorted, with NaN after its end.
    """
    expected = np.arange(1, ranks.shape[1] + 1)
    is_wrong = (ranks != expected) & ~np.isnan(ranks)
    if is_wrong.any():
        got = ", ".join(
            f"{ranks[line, column]:g} for user {rows.user_ids.take_one(rows.users[line])!r} "
            f"where {expected[column]} belongs"
            for line, column in np.argwhere(is_wrong)[:MAX_EXAMPLES]
        )
        raise input_error(
            f"the ranks of recommendations{rules.of_system}",
            "be 1, 2, 3, … in every list, each once",
            got,
            "To order by ranks with ties or gaps, pass their negatives as scores and leave out "
            "rank",
        )


def _filled_columns(columns: IntArray | None, shape: tuple[int, ...]) -> IntArray:
    """Return ``columns``, or the columns 0, 1, 2, … if it is None because lists are in order."""
    if columns is None:
        return np.tile(np.arange(shape[1]), (shape[0], 1))
    return columns


def _tie_keys(
    rows: BlockRows, grades: FloatArray, tie: str, tied_lines: IntArray
) -> IntArray | FloatArray:
    """Return the second sort key of the lists at ``tied_lines``; smaller keys come first.

    ``grades`` has the grade of each recommendation, with a line for each list. The result has the
    same columns, and a line for each of ``tied_lines``. ``tie`` is the rule for equal scores.
    "input" keeps the order of the table, "optimistic" and "pessimistic" sort by grade, and all
    other rules sort by item.
    """
    if tie == "input":
        return np.broadcast_to(np.arange(grades.shape[1]), (tied_lines.size, grades.shape[1]))
    keys: IntArray | FloatArray
    if tie in ("optimistic", "pessimistic"):
        keys = grades[tied_lines]
    else:
        keys = rows.recommended[tied_lines]  # codes are in the order of the ids
        if tie in ("text", "trec_eval"):
            # For each code, the place of its id if all ids are sorted as byte strings.
            keys = rows.item_ids.byte_order[keys]
    if tie in ("item_descending", "trec_eval", "optimistic"):
        keys = -keys
    return keys


def _has_open_tie(sort_keys: FloatArray, grades: FloatArray, depth: float) -> BoolArray:
    """Return for each list whether the order of equal scores can change a value.

    It can if items with equal scores have different grades, and the first of these items is within
    the ``depth`` that measures look at. ``sort_keys`` and ``grades`` have a column for each rank.
    """
    # Neighbours with equal scores and different grades.
    is_mixed = (sort_keys[:, 1:] == sort_keys[:, :-1]) & (grades[:, 1:] != grades[:, :-1])
    # For each item the position at which its run of equal scores begins, from 0.
    start, _ = find_tie_runs(sort_keys)
    return np.asarray((is_mixed & (start[:, 1:] < depth)).any(axis=1))


def _seen_error(rows: BlockRows, is_seen: BoolArray, rules: ListRules) -> InputError:
    """Return the error for recommended items that their users have seen before."""
    cells = np.argwhere(is_seen)
    items = rows.recommended
    got = ", ".join(
        rows.format_pair(line, items[line, column]) for line, column in cells[:MAX_EXAMPLES]
    )
    rule = "hold no item of the history of its user (seen='error')"
    advice = f"{len(cells)} such rows; seen='drop' leaves them out"
    return input_error(f"recommendations{rules.of_system}", rule, got, advice)
