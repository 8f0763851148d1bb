"""Frames with one row per id, whose ids are in the index or in a column."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from receval._checks import Id, InputError, format_first, input_error
from receval.tables.columns import count_label

__all__ = ["index_by_id"]


def index_by_id(
    frame: pd.DataFrame, labels: Iterable[str], name: str, alike: Iterable[str] = ()
) -> pd.DataFrame:
    """Return the frame with its ids as index.

    If no column has one of the names in ``labels``, the index holds the ids already. If a column
    has such a name and pandas numbered the rows, the column becomes the index.

    Parameters
    ----------
    frame : DataFrame
        A row for each id.
    labels : iterable of str
        Names that the column of ids may have.
    name : str
        The name of the frame in error messages.
    alike : iterable of str
        Other names with the same meaning, in lower case and without characters other than letters.
        If pandas numbered the rows and a column has such a name, it isn't certain that this column
        holds the ids, so receval refuses the frame.

    Raises
    ------
    InputError
        If it isn't certain that the index holds the ids.
    """
    columns = list(frame.columns)
    distinct_labels = dict.fromkeys(labels)
    id_columns = [label for label in distinct_labels if count_label(label, columns)]
    if not id_columns:  # the index must have the ids, unless a similar name makes that doubtful
        similar_columns = [label for label in columns if _small_letters(label) in {*alike}]
        if similar_columns and is_numbered(frame.index):
            raise _ambiguous_ids_error(frame, similar_columns, name)
        return frame
    label = id_columns[0]
    if len(id_columns) > 1 or count_label(label, columns) > 1:
        raise _ambiguous_ids_error(frame, id_columns, name)
    if is_numbered(frame.index):
        return frame.set_index(label)
    # set_index(…, drop=False) makes an index that equals the column, so both hold the ids.
    if frame.index.nlevels == 1 and _are_equal(frame.index.tolist(), frame[label].tolist()):
        return frame.drop(columns=label)
    raise _ambiguous_ids_error(frame, id_columns, name)


def is_numbered(index: pd.Index) -> bool:
    """Return whether pandas made the index by numbering the rows: 0, 1, 2, … without a name."""
    if not isinstance(index, pd.RangeIndex):
        return False
    return index.start == 0 and index.step == 1 and index.name is None


def _are_equal(index_ids: list[Id], column_ids: list[Id]) -> bool:
    """Return whether two lists have the same ids in the same order; pd.NA is not an id."""
    try:
        return index_ids == column_ids
    except (TypeError, ValueError):  # a list holds pd.NA or an array, which have no truth value
        return False


def _small_letters(label: object) -> str:
    """Return the letters from a to z of a label in lower case."""
    return "".join(letter for letter in str(label).lower() if "a" <= letter <= "z")


def _ambiguous_ids_error(frame: pd.DataFrame, labels: list[str], name: str) -> InputError:
    """Return the error for a frame in which the index or a column may hold the ids.

    ``labels`` are the names of the columns that may hold them; the advice is about the first one.
    """
    label = labels[0]
    index = frame.index
    # The advice has code for both cases: the ids are in the column, or they are in the index.
    with_column_as_index = f"{name}.set_index({label!r})"
    if index.name == label:
        with_column_as_index = f"{name}.reset_index(drop=True).set_index({label!r})"
    with_index = f"{name}.drop(columns={labels!r})"
    if is_numbered(index):
        with_index = f"{name}.rename_axis('id')"
    advice = f"If the column holds the ids: {with_column_as_index}; if the index does: {with_index}"
    shown_ids = format_first(repr(first_id) for first_id in index[:3])
    shown_columns = format_first(repr(label) for label in labels)
    got = f"the index {shown_ids} and the column {shown_columns}"
    return input_error(name, "have its ids in its index", got, advice)
