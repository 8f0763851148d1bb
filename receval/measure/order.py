"""What order lists are in: equal scores, ranks, repeats, and items that were seen before."""

from __future__ import annotations

from typing import Any

import numpy as np

from receval._arrays import tie_runs
from receval._checks import (
    MAX_EXAMPLES,
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    format_first,
    input_error,
)
from receval.measure.block import ListRules, UnsortedBlock, take_columns


def rank_columns(
    lines: UnsortedBlock, order: FloatArray, gain: FloatArray, how: ListRules
) -> tuple[IntArray | None, BoolArray]:
    """The columns of each list by rank, None where all stand in order; and which lists are tied."""
    columns, tied = None, np.zeros(lines.users.size, bool)
    if (order[:, 1:] < order[:, :-1]).any():
        columns = np.argsort(order, axis=1)
    in_order = take_columns(order, columns)
    if how.by_rank:
        _check_ranks(lines, in_order, how)
        return columns, tied
    among = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
    if among.size:
        columns = _whole(columns, order.shape)
        tie = _tie_keys(lines, gain, how.tie, among)
        columns[among] = np.lexsort((tie, order[among]), axis=-1)
        tied[among] = _has_open_tie(in_order[among], take_columns(gain, columns)[among], how.depth)
    return columns, tied


def drop_repeats_and_seen(
    lines: UnsortedBlock, columns: IntArray | None, repeats: bool, how: ListRules
) -> tuple[IntArray, IntArray]:
    """The lists without items that stand in them before or were seen before, and their lengths."""
    columns = _whole(columns, lines.order.shape)
    left_out = np.arange(columns.shape[1]) >= lines.length[:, np.newaxis]
    if lines.seen is not None and how.seen != "note":
        if how.seen == "error" and lines.seen.any():
            raise _known(lines, lines.seen, how)
        left_out |= take_columns(lines.seen, columns)
    if repeats:
        items = np.where(left_out, -1, take_columns(lines.recommended.codes, columns))
        by_item = np.argsort(items, axis=1, kind="stable")  # an item's first rank comes first
        again = np.diff(take_columns(items, by_item), axis=1) == 0
        np.put_along_axis(left_out, by_item[:, 1:], again, axis=1)
        left_out |= items < 0
    left_in_first = np.argsort(left_out, axis=1, kind="stable")
    return take_columns(columns, left_in_first), np.asarray(np.count_nonzero(~left_out, axis=1))


def duplicate_error(
    lines: UnsortedBlock,
    how: ListRules,
    table: str,
    line: IntArray,
    before: IntArray,
    after: IntArray,
) -> InputError:
    """What to raise for items that stand twice in one table."""
    graded = table == "relevance"
    items = (lines.judged if graded else lines.recommended).codes

    def told(pair: Any) -> str:
        user, one, other = pair
        both = "{:g} and {:g}".format(*lines.grades[user, [one, other]]) if graded else ""
        return lines.told(user, items[user, one]) + (both and f" (graded {both})")

    got = f"twice {format_first(zip(line, before, after, strict=True), told=told)}"
    keep = f"drop_duplicates({[*how.names.labels(table)]})"
    which = f"Decide which grade counts, then {keep}"
    advice = which if graded else f"{keep}, or duplicates='first'"
    return input_error(table, "hold each item of a user at most once", got, advice)


def _check_ranks(lines: UnsortedBlock, given: FloatArray, how: ListRules) -> None:
    rank = np.arange(1, given.shape[1] + 1)
    wrong = (given != rank) & ~np.isnan(given)
    if wrong.any():
        shown = ", ".join(
            f"{given[line, column]:g} for user {lines.user_ids.one(lines.users[line])!r} "
            f"where {rank[column]} belongs"
            for line, column in np.argwhere(wrong)[:MAX_EXAMPLES]
        )
        name, rule = f"the ranks of recommendations{how.of_system}", "be 1, 2, 3, … in every list"
        advice = "To order by a number with ties or gaps, pass it as score"
        raise input_error(name, f"{rule}, each once", shown, advice)


def _whole(columns: IntArray | None, shape: tuple[int, ...]) -> IntArray:
    return np.tile(np.arange(shape[1]), (shape[0], 1)) if columns is None else columns


def _tie_keys(
    lines: UnsortedBlock, gain: FloatArray, tie: str, among: IntArray
) -> IntArray | FloatArray:
    """What equal scores of some lines are ordered by, ascending."""
    if tie == "input":
        return np.broadcast_to(np.arange(gain.shape[1]), (among.size, gain.shape[1]))
    if tie in ("optimistic", "pessimistic"):
        keys: IntArray | FloatArray = gain[among]
    else:
        keys = lines.recommended.codes[among]
        keys = lines.item_ids.byte_order[keys] if tie in ("text", "trec_eval") else keys
    return -keys if tie in ("item_descending", "trec_eval", "optimistic") else keys


def _has_open_tie(order: FloatArray, gain: FloatArray, depth: float) -> BoolArray:
    """Lines with a run of equal scores of unequal grades that starts above the depth."""
    mixed = (order[:, 1:] == order[:, :-1]) & (gain[:, 1:] != gain[:, :-1])
    start, _ = tie_runs(order)
    return np.asarray((mixed & (start[:, 1:] < depth)).any(axis=1))


def _known(lines: UnsortedBlock, seen: BoolArray, how: ListRules) -> InputError:
    """What to raise for recommended items of the history."""
    places = np.argwhere(seen)
    items = lines.recommended.codes
    shown = ", ".join(
        lines.told(line, items[line, column]) for line, column in places[:MAX_EXAMPLES]
    )
    rule = "hold no item of the history of its user (seen='error')"
    advice = f"{len(places)} such rows; seen='drop' leaves them out"
    return input_error(f"recommendations{how.of_system}", rule, shown, advice)
