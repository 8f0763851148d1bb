"""Merge the rows of a truth that judge an item for several subtopics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from receval._checks import InputError, IntArray, format_first, input_error
from receval.engine.task import EvaluationTask
from receval.measure.matching import Judgments
from receval.measure.subtopics import build_subtopics
from receval.tables.codes import RowsByUser, shared_codes
from receval.tables.columns import read_column
from receval.tables.ids import IdIndex

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def merge_subtopics(
    task: EvaluationTask,
    truth: Judgments,
    table: pd.DataFrame | pa.Table,
    label: str,
) -> Judgments:
    """Return the judgments with one row per user and item, and in it the largest grade of the item.

    ``truth`` has a row for each row of ``table``, whose column ``label`` has the subtopics. If a
    measure needs them, the result has the subtopics of each row. Raises an error if a user has an
    item twice for one subtopic, or if a subtopic is missing.
    """
    column = read_column(table, label, "relevance")
    codes_by_table, subtopic_ids = shared_codes({"relevance": column}, label)
    subtopic = codes_by_table["relevance"].read()
    user = truth.rows.by_row().astype(np.int64)
    item = truth.item.read()

    # Sort the rows by user, item and subtopic, so that the rows to merge follow one another.
    order = np.lexsort((subtopic, item, user))
    is_same_item = (np.diff(user[order]) == 0) & (np.diff(item[order]) == 0)
    is_repeat = is_same_item & (np.diff(subtopic[order]) == 0)
    if is_repeat.any():
        repeated = order[1:][is_repeat]
        raise _repeated_error(truth, item, subtopic, subtopic_ids, label, repeated)

    # Each item keeps its first row of the table, and the rows stay in their order.
    start = np.flatnonzero(np.append(True, ~is_same_item)[: order.size])
    first_row = np.zeros(0, np.int64)
    grade = truth.grade
    if order.size:
        first_row = np.minimum.reduceat(order, start)
        grade = np.maximum.reduceat(truth.grade[order], start)
    by_row = np.argsort(first_row)
    kept = first_row[by_row]
    merged = truth._replace(
        rows=RowsByUser.from_users(user[kept]),
        item=truth.item.take(kept),
        grade=grade[by_row],
    )
    if not any("subtopics" in measure.needs for measure in task.measures):
        return merged

    # The row of the merged truth for each row of the table.
    place = np.empty(kept.size, np.int64)
    place[by_row] = np.arange(kept.size)
    merged_row = np.empty(order.size, np.int64)
    merged_row[order] = np.repeat(place, np.diff(start, append=order.size))
    # An item is relevant for a subtopic under the same rule as for all other measures.
    is_relevant = truth.grade > 0
    if truth.floor is not None:
        is_relevant &= truth.grade >= truth.floor
    subtopics = build_subtopics(
        merged_row[is_relevant],
        user[is_relevant],
        subtopic[is_relevant],
        truth.grade[is_relevant],
        n_rows=kept.size,
        ids=subtopic_ids,
    )
    return merged._replace(subtopics=subtopics)


def _repeated_error(
    truth: Judgments,
    item: IntArray,
    subtopic: IntArray,
    subtopic_ids: IdIndex,
    label: str,
    rows: IntArray,
) -> InputError:
    """Return the error for items that a user has twice for one subtopic.

    ``item`` and ``subtopic`` have the codes of each row of the truth, and ``rows`` are the second
    rows of such items.
    """
    user = truth.rows.by_row()

    def format_row(row: int) -> str:
        """Return the user, the item and the subtopic of a row."""
        user_id = truth.users.take_one(int(user[row]))
        item_id = truth.items.take_one(int(item[row]))
        subtopic_id = subtopic_ids.take_one(int(subtopic[row]))
        return f"user {user_id!r} with item {item_id!r} twice for {subtopic_id!r}"

    rule = f"hold each item of a user at most once for each {label}"
    got = format_first(rows.tolist(), to_text=format_row)
    return input_error("relevance", rule, got, "Decide which grade counts")
