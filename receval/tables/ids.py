"""Replace ids by codes, and group the rows of a table by user.

The code of an id is its place among the distinct ids of all tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import AnyArray, Id, IntArray, input_error
from receval._threads import map_in_threads
from receval.tables.columns import read_ids

if TYPE_CHECKING:
    import pyarrow as pa

MAX_RANGE_PER_ROW = 4
"""Largest range of whole numbers, per row, in which the number minus the smallest is the code.

If the range is wider, the distinct ids are numbered, so that arrays with an entry for each code
stay small.
"""

KEY_BYTES = 8
"""Number of bytes of a text that fit into a number."""

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
        return np.asarray(self.index(codes, "id"))

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
        # To Python, True is an int that equals 1, but it isn't an id.
        if isinstance(id, bool) or not isinstance(id, (int, np.integer, str)):
            return None
        codes = np.flatnonzero(self.take(np.arange(self.size)) == id)
        return int(codes[0]) if codes.size else None

    @cached_property
    def byte_order(self) -> IntArray:
        """Return the place of each code's id after sorting the ids as byte strings.

        Whole numbers count as their decimal digits, so that 10 comes before 9.
        """
        codes = np.arange(self.size)
        if self.kind == "text":  # UTF-8 sorts as code points do
            return codes
        order = np.argsort(self.take(codes).astype("S"), kind="stable")
        return np.argsort(order)  # its inverse


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
    ids_by_table = {table: ids for table, ids in ids_by_table.items() if len(ids)}
    first_table_by_kind: dict[str, str] = {}
    for table, ids in ids_by_table.items():
        first_table_by_kind.setdefault(Ids(ids).kind, table)
    if len(first_table_by_kind) > 1:
        name = f"{label} of {' and of '.join(first_table_by_kind.values())}"
        shown = [f"{columns[table].dtype} ({kind})" for kind, table in first_table_by_kind.items()]
        advice = (
            f"If they are the same ids, turn the numbers into text: frame[{label!r}].astype(str)"
        )
        raise input_error(name, "be ids of one kind", " and ".join(shown), advice)
    if "text" in first_table_by_kind:
        codes, distinct = _number_texts(list(ids_by_table.values()))
    else:
        codes, distinct = _number_integers(list(ids_by_table.values()))
    codes_by_table = dict.fromkeys(columns, np.empty(0, np.int64))
    codes_by_table.update(zip(ids_by_table, codes, strict=True))
    return codes_by_table, Ids(distinct)


def _number_texts(columns: list[pa.Array]) -> tuple[list[IntArray], pa.LargeStringArray]:
    """Return the codes of text columns, and the distinct texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    in_threads = partial(map_in_threads, min_parts_per_thread=1)
    # Arrow numbers whole numbers in a third of the time of texts.
    keys = list(in_threads(_keys_of_short_texts, columns))
    has_keys = all(key is not None for key in keys)
    if has_keys:
        columns = keys
    encoded = list(in_threads(lambda column: column.dictionary_encode(), columns))
    chunks = pa.chunked_array(encoded).unify_dictionaries().chunks
    order = pc.sort_indices(chunks[0].dictionary)  # by bytes, which for UTF-8 means by code points
    distinct = chunks[0].dictionary.take(order)
    if has_keys:
        texts = distinct.to_numpy().astype(">u8").view("S8")  # without the zeros at the end
        distinct = pa.array(texts.astype(object), pa.large_binary()).cast(pa.large_string())
    code_of_number = np.empty(len(order), np.int64)
    code_of_number[order.to_numpy()] = np.arange(len(order))
    codes = in_threads(lambda chunk: code_of_number[chunk.indices.to_numpy()], chunks)
    return list(codes), distinct


def _keys_of_short_texts(texts: pa.Array) -> pa.UInt64Array | None:
    """Return a number for each text whose bytes are those of the text, followed by zeros.

    The numbers are in the order of the texts. Returns None if a text has more than eight bytes or a
    byte that is zero, and for a dictionary of categories.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if texts.type != pa.large_string() or pc.max(pc.binary_length(texts)).as_py() > KEY_BYTES:
        return None
    if pc.any(pc.match_substring(texts, "\0")).as_py():
        return None
    padded = pc.ascii_rpad(texts, KEY_BYTES, padding="\0")
    numbers = np.frombuffer(padded.buffers()[2], ">u8", len(texts))
    return pa.array(numbers.astype(np.uint64))


def _number_integers(columns: list[AnyArray]) -> tuple[list[IntArray], AnyArray]:
    """Return the codes of columns of whole numbers, and the distinct numbers.

    The codes are the numbers themselves, or the distances from the smallest number, or, if the
    numbers are spread too wide for that, their places among the distinct numbers.
    """
    # Without any id, the range from 0 to -1 is empty.
    smallest = min((int(column.min()) for column in columns), default=0)
    largest = max((int(column.max()) for column in columns), default=-1)
    max_range = MAX_RANGE_PER_ROW * sum(len(column) for column in columns) + MIN_RANGE
    fits_int64 = smallest >= -(2**63) and largest < 2**63
    if smallest >= 0 and largest < max_range:
        return [column.astype(np.int64, copy=False) for column in columns], np.arange(largest + 1)
    if fits_int64 and largest - smallest < max_range:
        codes = [np.subtract(column, smallest, dtype=np.int64) for column in columns]
        # `np.arange(smallest, largest + 1)` would overflow at the end of int64.
        return codes, smallest + np.arange(largest - smallest + 1)
    # Give all columns one type first: NumPy would join int64 and uint64 to floats.
    joined_type = np.int64 if fits_int64 else object
    joined = np.concatenate([column.astype(joined_type) for column in columns])
    joined_codes, distinct = pd.factorize(joined, sort=True)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(joined_codes, ends), distinct


# Rows by user -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table in the order of their users; the rows of a user keep their order.

    Attributes
    ----------
    first : for each user code the first row; the last entry is the number of rows.
    columns : columns of the table by name, in this order.
    """

    first: IntArray
    columns: dict[str, AnyArray]

    @classmethod
    def by_user(cls, user: IntArray, columns: Mapping[str, AnyArray], *, n_users: int) -> Rows:
        """Sort the rows of a table by user.

        ``user`` has the user code of each row, and ``n_users`` is the number of codes.
        """
        sorted_columns = dict(columns)
        if (user[1:] < user[:-1]).any():
            order = stable_order(user, n_users)
            in_order = map_in_threads(
                lambda values: values.take(order), columns.values(), min_parts_per_thread=1
            )
            sorted_columns = dict(zip(columns, in_order, strict=True))
        n_rows = np.bincount(user, minlength=n_users)
        return cls(np.append(0, np.cumsum(n_rows)), sorted_columns)

    @cached_property
    def size(self) -> IntArray:
        """Return the number of rows of each user code."""
        return np.diff(self.first)

    @property
    def users(self) -> IntArray:
        """Return the codes of the users that have rows, ascending."""
        return np.flatnonzero(self.size)

    def for_users(self, users: IntArray) -> Rows:
        """Return the rows of some users only, whose codes are ascending."""
        size = np.zeros_like(self.size)
        size[users] = self.size[users]
        rows = self.rows_of(users)
        columns = {name: values[rows] for name, values in self.columns.items()}
        return Rows(np.append(0, np.cumsum(size)), columns)

    def rows_of(self, users: IntArray) -> slice | IntArray:
        """Return the rows of the first of some users, then those of the second, and so on.

        The codes of the users are ascending. If no other user's rows lie between, this is a slice.
        """
        if not users.size:
            return slice(0, 0)
        start, end = self.first[users], self.first[users + 1]
        size = end - start
        if size.sum() == end[-1] - start[0]:
            return slice(int(start[0]), int(end[-1]))
        # Position p among these rows is the row p - n_before + start of its user.
        n_before = np.cumsum(size) - size
        return np.asarray(np.arange(size.sum()) + np.repeat(start - n_before, size))

    def matrix(self, name: str, users: IntArray, padding_value: float) -> AnyArray:
        """Return a column as a matrix with a line for each of some users.

        The codes of the users are ascending. Each line has room for the rows of the user with most
        rows; ``padding_value`` fills the cells after the last row of a shorter line. If there are
        no such cells, and the users follow one another, the result is a view of the column.
        """
        values = self.columns[name][self.rows_of(users)]
        size = self.size[users]
        is_row = np.arange(size.max(initial=0)) < size[:, np.newaxis]
        if is_row.all():
            return values.reshape(is_row.shape)
        result = np.full(is_row.shape, padding_value, values.dtype)
        result[is_row] = values
        return result


def stable_order(codes: IntArray, n_codes: int) -> IntArray:
    """Return the order that sorts codes from 0 to ``n_codes`` - 1; equal codes keep their order.

    A sparse matrix with a row for each entry, whose column is the code, is sorted by counting when
    SciPy changes it from rows to columns. That takes one pass, where a sort takes several.
    """
    from scipy.sparse import csr_array  # slow to import, and sorted tables don't need it

    rows = np.arange(codes.size + 1)
    index_type = np.int32 if max(codes.size, n_codes) < 2**31 else np.int64
    one_entry_per_row = (rows[:-1], codes.astype(index_type), rows.astype(index_type))
    by_row = csr_array(one_entry_per_row, shape=(codes.size, n_codes))  # type: ignore[type-var]
    return np.asarray(by_row.tocsc().data)
