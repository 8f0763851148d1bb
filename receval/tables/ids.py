"""Replace ids by codes: the code of an id is its place among the distinct ids of all tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import AnyArray, Id, InputError, IntArray, input_error
from receval.tables.columns import IdColumn, read_ids

if TYPE_CHECKING:
    import pyarrow as pa

MAX_RANGE_PER_ROW = 4
"""Largest range of whole numbers, per row, in which the number minus the smallest is the code.

If the range is wider, the distinct ids are numbered, so that arrays with an entry for each code
stay small.
"""

MIN_RANGE = 1024
"""Whole numbers with a smaller range are never numbered, even if there are few rows."""


@dataclass(frozen=True, eq=False)
class Ids:
    """Distinct ids in ascending order; their places 0, 1, 2, … are the codes.

    Attributes
    ----------
    values : whole numbers in an array, or texts in an Arrow array, in the order of code points.
    """

    values: AnyArray | pa.LargeStringArray

    @property
    def kind(self) -> str:
        """Return "integer" or "text"."""
        return "integer" if isinstance(self.values, np.ndarray) else "text"

    @property
    def size(self) -> int:
        """Return the number of distinct ids."""
        return len(self.values)

    def take(self, codes: IntArray) -> AnyArray:
        """Return the ids that have these codes."""
        ids = self.values.take(codes)
        if isinstance(ids, np.ndarray):
            return ids
        return np.asarray(ids.to_numpy(zero_copy_only=False))

    def take_one(self, code: int) -> Id:
        """Return the id with this code, as a Python object."""
        ids: list[Id] = self.take(np.array([code])).tolist()
        return ids[0]

    def index(self, codes: IntArray, name: str) -> pd.Index:
        """Return the ids that have these codes as an index with the given name."""
        ids = self.values.take(codes)
        if not isinstance(ids, np.ndarray):
            ids = ids.to_pandas()
        index: pd.Index = pd.Index(ids, name=name, copy=False)
        return index

    def find(self, id: object) -> int | None:
        """Return the code of an id, or None if the id is unknown."""
        if isinstance(self.values, np.ndarray):
            # To Python, True is an int that equals 1, but it isn't an id.
            if not isinstance(id, (int, np.integer)) or isinstance(id, bool):
                return None
            places = np.flatnonzero(self.values == id)
            return int(places[0]) if places.size else None
        if not isinstance(id, str):
            return None
        try:
            code: int = self.values.index(id).as_py()
        except UnicodeEncodeError:  # half a surrogate pair, which no id holds
            return None
        return code if code >= 0 else None  # Arrow returns -1 for a text that isn't there

    @cached_property
    def byte_order(self) -> IntArray:
        """Return the place of each code's id after sorting the ids as byte strings.

        Whole numbers count as their decimal digits, so that 10 comes before 9.
        """
        codes = np.arange(self.size)
        if self.kind == "text":  # UTF-8 sorts as code points do
            return codes
        return inverse_order(np.argsort(self.take(codes).astype("S"), kind="stable"))


def inverse_order(order: IntArray) -> IntArray:
    """Return the inverse of a permutation: the position of each number in the order.

    ``order`` has the numbers 0, 1, 2, … in any order.
    """
    positions = np.empty(order.size, np.int64)
    positions[order] = np.arange(order.size)
    return positions


def shared_codes(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """Return the code of each row of several tables, and the distinct ids.

    Equal ids have the same code in all tables. Text is compared as text, so "7" and "07" are
    different ids.

    Parameters
    ----------
    columns : mapping
        The id column of each table, by the name of the table. An id is a whole number or a text,
        and all columns must have ids of the same kind. An empty column fits either kind.
    label : str
        Name of the column in error messages.

    Raises
    ------
    InputError
        If a column has values that are not ids, or one column has whole numbers and another one
        texts.
    """
    ids_by_table = {
        table: read_ids(column, f"{label} of {table}") for table, column in columns.items()
    }
    first_table_by_kind: dict[str, str] = {}
    for table, ids in ids_by_table.items():
        if ids.kind != "none":  # an empty column has no kind
            first_table_by_kind.setdefault(ids.kind, table)
    if len(first_table_by_kind) > 1:
        first, second = first_table_by_kind.values()
        raise _mixed_kinds_error(ids_by_table, first, second, label)
    if "text" in first_table_by_kind:
        codes, distinct = _number_texts(list(ids_by_table.values()))
    else:
        codes, distinct = _number_integers([ids.values for ids in ids_by_table.values()])
    return dict(zip(columns, codes, strict=True)), Ids(distinct)


def _mixed_kinds_error(
    ids_by_table: Mapping[str, IdColumn], first: str, second: str, label: str
) -> InputError:
    """Return the error for two tables whose ids are whole numbers in one and texts in the other.

    ``first`` and ``second`` are the names of these tables, and ``label`` is the name of the column.
    """
    shown = [
        f"{ids_by_table[table].series.dtype} ({ids_by_table[table].kind})"
        for table in (first, second)
    ]
    advice = "Convert one of them with astype; in evaluate, ids='text' compares them as text"
    if "items" in (first, second):  # a frame that has its ids in its index
        if ids_by_table["items"].kind == "integer":
            conversion = "items.set_axis(items.index.astype(str))"
        else:
            table = second if first == "items" else first
            conversion = f"{table}.astype({{{label!r}: str}})"
        advice = f"If they are the same ids, {conversion} or ids='text' compares them as text"
    name = f"{label} of {first} and of {second}"
    return input_error(name, "be ids of one kind", " and ".join(shown), advice)


def _number_texts(columns: list[IdColumn]) -> tuple[list[IntArray], pa.LargeStringArray]:
    """Return the codes of text columns, and the distinct texts; columns may be empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [column.values for column in columns if column.kind == "text"]  # others are empty
    # All chunks of the result share one dictionary, in the order in which the texts appear.
    encoded = pa.chunked_array(texts, pa.large_string()).dictionary_encode()
    distinct = encoded.chunk(0).dictionary
    order = pc.sort_indices(distinct)  # by bytes, which for UTF-8 means by code points
    code_of_number = inverse_order(order.to_numpy())
    chunks = iter(encoded.chunks)
    codes = []
    for column in columns:
        if column.kind != "text":
            codes.append(np.empty(0, np.int64))
            continue
        codes_of_texts = code_of_number[next(chunks).indices.to_numpy()]
        if column.category is not None:  # the column has a text for each category
            codes_of_texts = codes_of_texts[column.category]
        codes.append(codes_of_texts)
    return codes, distinct.take(order)


def _number_integers(columns: list[AnyArray]) -> tuple[list[IntArray], AnyArray]:
    """Return the codes of columns of whole numbers, and the distinct numbers.

    The codes are the distances from the smallest number, or, if the numbers are spread too wide for
    that, their places among the distinct numbers.
    """
    filled = [column for column in columns if len(column)]
    # Without any id, the range from 0 to -1 is empty.
    smallest = min((int(column.min()) for column in filled), default=0)
    largest = max((int(column.max()) for column in filled), default=-1)
    fits_int64 = smallest >= -(2**63) and largest < 2**63
    n_rows = sum(len(column) for column in columns)
    if fits_int64 and largest - smallest < MAX_RANGE_PER_ROW * n_rows + MIN_RANGE:
        codes = [np.subtract(column, smallest, dtype=np.int64) for column in columns]
        # `np.arange(smallest, largest + 1)` would overflow at the end of int64.
        return codes, smallest + np.arange(largest - smallest + 1)
    # Give all columns one type first: NumPy would join int64 and uint64 to floats.
    joined_type = np.int64 if fits_int64 else object
    joined = np.concatenate([column.astype(joined_type) for column in columns])
    joined_codes, distinct = pd.factorize(joined, sort=True)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(joined_codes, ends), distinct
