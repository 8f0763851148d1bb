"""Frames that have a row for each id: where the ids are, in the index or in a column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from receval._checks import format_first, input_error
from receval.tables.columns import count_label

__all__ = ["indexed_by_id"]


def indexed_by_id(
    frame: pd.DataFrame, labels: Iterable[str], name: str, alike: Iterable[str] = ()
) -> pd.DataFrame:
    """The frame with its ids as index, also where they stand in a column beside row numbers.

    A frame that pandas numbered itself, and that has a column named like the id, holds the ids
    in that column. Where it isn't certain that the index holds the ids, the frame is refused.

    Parameters
    ----------
    frame : DataFrame
        A row for each id.
    labels : iterable of str
        What the column of ids is called, where there is one.
    name : str
        What error messages call the frame.
    alike : iterable of str
        Names, in small letters alone, that mean the same. A column named so beside mere row
        numbers is refused, because it may hold the ids or not.
    """
    columns = list(frame.columns)
    id_columns = [label for label in dict.fromkeys(labels) if count_label(label, columns)]
    if not id_columns:
        similar = [label for label in columns if _letters(label) in {*alike}]
        if similar and is_numbered(frame.index):
            raise _doubtful(frame, similar, name)
        return frame
    label = id_columns[0]
    if len(id_columns) > 1 or count_label(label, columns) > 1:
        raise _doubtful(frame, id_columns, name)
    if is_numbered(frame.index):
        return frame.set_index(label)
    # An index that equals the column leaves no doubt: set_index(…, drop=False) makes it.
    if frame.index.nlevels == 1 and _are_same(frame.index.tolist(), frame[label].tolist()):
        return frame.drop(columns=label)
    raise _doubtful(frame, id_columns, name)


def is_numbered(index: pd.Index) -> bool:
    """Whether pandas made the index, which numbers the rows: 0, 1, 2, … without a name."""
    numbered = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
    return numbered and index.name is None


def _are_same(index_ids: list[Any], column_ids: list[Any]) -> bool:
    """Whether two lists hold the same ids; pd.NA is no id."""
    try:
        return index_ids == column_ids
    except (TypeError, ValueError):  # pd.NA and arrays answer neither yes nor no
        return False


def _letters(label: object) -> str:
    return "".join(sign for sign in str(label).lower() if "a" <= sign <= "z")


def _doubtful(frame: pd.DataFrame, labels: list[str], name: str) -> Exception:
    """What to raise where both the index and a column may hold the ids."""
    label, index = labels[0], frame.index
    ids = f"{name}.set_index({label!r})"
    if index.name == label:
        ids = f"{name}.reset_index(drop=True).set_index({label!r})"
    kept = f"{name}.drop(columns={labels!r})"
    if is_numbered(index):
        kept = f"{name}.rename_axis('id')"
    advice = f"If the column holds the ids: {ids}; if the index does: {kept}"
    first_ids, columns = format_first(map(repr, index[:3])), format_first(map(repr, labels))
    got = f"the index {first_ids} beside the column {columns}"
    return input_error(name, "have its ids in its index", got, advice)
