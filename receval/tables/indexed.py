"""Frames with one row per id, whose ids are in the index or in a column."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from receval._checks import format_first, input_error

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
    id_columns = [label for label in columns if label in {*labels}]
    if not id_columns:  # the index must have the ids, unless a similar name makes that doubtful
        id_columns = [
            label for label in columns if re.sub("[^a-z]", "", str(label).lower()) in {*alike}
        ]
        if not (id_columns and is_numbered(frame.index)):
            return frame
    elif len(id_columns) == 1:
        label = id_columns[0]
        if is_numbered(frame.index):
            return frame.set_index(label)
        if frame.index.equals(pd.Index(frame[label])):  # as after set_index(…, drop=False)
            return frame.drop(columns=label)
    index = format_first(repr(value) for value in frame.index[:3])
    shown = format_first(repr(label) for label in id_columns)
    advice = (
        f"If a column holds the ids: {name}.reset_index(drop=True).set_index({id_columns[0]!r}); "
        f"if the index does: {name}.drop(columns={id_columns!r})"
    )
    got = f"the index {index} and the column {shown}"
    raise input_error(name, "have its ids in its index", got, advice)


def is_numbered(index: pd.Index) -> bool:
    """Return whether pandas made the index by numbering the rows: 0, 1, 2, … without a name."""
    if not isinstance(index, pd.RangeIndex):
        return False
    return index.start == 0 and index.step == 1 and index.name is None
