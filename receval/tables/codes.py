"""Replace ids by whole numbers, their codes, and find the rows of each user.

An id has the same code in all tables. Codes of integers are rarely stored: the code is the id minus
the smallest id, and receval computes it when it reads a block of rows. Texts get codes only if a
caller asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import BoolArray, InputError, IntArray, input_error
from receval._threads import map_in_threads
from receval._types import AnyArray
from receval.tables.columns import IdColumn, as_arrow_texts, read_ids
from receval.tables.ids import IdIndex, IntegerIds, TextIds, inverse_order
from receval.tables.keys import HASH_MULTIPLIER, KeyArray

if TYPE_CHECKING:
    import pyarrow as pa

MAX_RANGE_PER_ROW = 4
"""Largest range of integer ids, per row, in which the id minus the smallest id is the code.

If the range is wider, the distinct ids are numbered, so that arrays with an entry per code stay
small.
"""

ROWS_PER_CHUNK = 2**18
"""Number of rows that are compared at a time, to find where users change."""

MIN_ROWS_FOR_THREADS = 2**18
"""Number of rows of all tables from which the tables are read in threads, one thread each."""

MAX_SHARE_OF_STARTS = 0.75
"""If a larger share of rows begins a segment of adjacent rows, each row is treated as a segment."""

SAMPLED_PAIRS = 1024
"""Number of pairs of adjacent rows that show whether a long table is shuffled."""

BITS_OF_SORT_KEY = 63
"""Number of bits of a sort key, a positive int64, that can hold a code and a row number."""

MIN_RANGE = 1024
"""Integer ids with a smaller range are never numbered, even if there are few rows."""


@dataclass(frozen=True, eq=False)
class IntegerCodes:
    """Codes of the rows of an integer column.

    Attributes
    ----------
    numbers : code plus ``start`` for each row. These are either the ids themselves, in the array of
        the column, or the codes, if ``start`` is 0.
    start : the id with the code 0, if ``numbers`` are the ids.
    column : the column. This reference makes pandas copy the array before it writes to the array.
    """

    numbers: AnyArray
    start: int = 0
    column: object = None

    def read(self) -> IntArray:
        """Return the codes of all rows."""
        return np.subtract(self.numbers, self.start, dtype=np.int64)

    def take(self, rows: IntArray) -> IntegerCodes:
        """Select rows."""
        return replace(self, numbers=self.numbers[rows])


@dataclass(frozen=True, eq=False)
class TextCodes:
    """Codes of the rows of a text column, made when a caller first needs them.

    Attributes
    ----------
    ids : the texts of all tables.
    table : the table that the column belongs to.
    rows : position of each row's text among the texts of the table, if the column is categorical
        or a selection of rows; None if row i has text i.
    start : always 0; `IntegerCodes` has the same attribute.
    """

    ids: TextIds
    table: str
    rows: npt.NDArray[np.integer] | None = None
    start: ClassVar[int] = 0

    @cached_property
    def keys(self) -> KeyArray:
        """Return the key of each row; equal texts have equal keys, and others almost never do."""
        return self._by_row(self.ids.keys[self.table])

    @cached_property
    def numbers(self) -> IntArray:
        """Return the codes of all rows."""
        return self._by_row(self.ids.numbered.codes[self.table])

    def read(self) -> IntArray:
        """Return the codes of all rows."""
        return self.numbers

    def texts(self, rows: IntArray) -> pa.LargeStringArray:
        """Return the texts of some rows."""
        return self.ids.columns[self.table].take(self._positions(rows))

    def distinct(self) -> pd.Series:
        """Return each text once; texts with equal keys count as equal."""
        rows = np.flatnonzero(~pd.Series(self.keys).duplicated())
        return pd.Series(self.texts(rows).to_pandas())

    def take(self, rows: IntArray) -> TextCodes:
        """Select rows."""
        return replace(self, rows=self._positions(rows))

    def _by_row(self, values: AnyArray) -> AnyArray:
        """Return the value of each row; ``values`` has a value for each text of the table."""
        if self.rows is not None:
            values = values[self.rows]
        return values

    def _positions(self, rows: IntArray) -> npt.NDArray[np.integer]:
        """Return the positions of some rows in the texts of the table."""
        if self.rows is None:
            return rows
        return self.rows[rows]


AnyCodes: TypeAlias = IntegerCodes | TextCodes


class RowsByUser(NamedTuple):
    """The rows of a table grouped by user.

    The rows of user ``users[i]`` are ``size[i]`` consecutive numbers, starting at ``first[i]``. If
    the rows of a user are scattered over the table, these numbers are positions in ``order``, and
    ``order`` has the row numbers.

    Attributes
    ----------
    users : codes of the users that have rows, ascending; int32 or int64.
    first : first row of each user, or the position of that row in ``order``.
    size : number of rows of each user.
    order : row numbers sorted by user; None if every user's rows are adjacent.
    """

    users: IntArray
    first: IntArray
    size: IntArray
    order: IntArray | None = None

    @classmethod
    def from_users(cls, user: IntArray) -> RowsByUser:
        """Group rows by the user code of each row."""
        start = _segment_starts(user)
        return cls.from_segments(user[start].astype(np.int64), start, user.size)

    @classmethod
    def from_segments(cls, user: IntArray, start: IntArray, n_rows: int) -> RowsByUser:
        """Group the rows of a table that consists of segments: adjacent rows of one user.

        ``user`` and ``start`` have the user code and the first row of each segment. A user may
        have several segments.
        """
        if _is_ascending(user):  # each user has a single segment
            return cls(users=user, first=start, size=_lengths(start, n_rows))

        # Sort the segments by user; the segments of a user stay in the order of the table.
        by_user, first_of_code = _stable_order(user)
        n_segments_of_code = np.diff(first_of_code)
        users = np.flatnonzero(n_segments_of_code)
        first_segment = first_of_code[users]
        n_segments = n_segments_of_code[users]
        if len(start) == n_rows:  # each segment is a single row
            return cls(users, first_segment, n_segments, order=by_user)
        length = _lengths(start, n_rows)[by_user]
        start = start[by_user]
        if len(users) == len(start):  # again a single segment each
            return cls(users, first=start, size=length)

        # Some users have several segments. The order lists the rows of all segments, so that
        # the rows of each user are adjacent.
        order = _concatenated_ranges(start, length)
        size = np.add.reduceat(length, first_segment, dtype=np.int64)
        first_in_order = np.cumsum(size) - size
        return cls(users, first_in_order, size, order)

    @property
    def rows(self) -> IntArray:
        """Return the row numbers of the first user, then those of the second user, and so on."""
        if self.order is not None:
            return self.order
        return _concatenated_ranges(self.first, self.size)

    def by_row(self) -> IntArray:
        """Return the user code of each row, in the smallest signed type that holds the codes."""
        # For a negative number, NumPy's smallest type is signed; -1 - n needs as many bits as n.
        users = self.users.astype(np.min_scalar_type(-1 - self.users.max(initial=0)))
        user = np.empty(self.size.sum(), users.dtype)
        user[self.rows] = np.repeat(users, self.size)
        return user

    def for_users(self, users: IntArray) -> RowsByUser:
        """Return the rows of the given users only.

        ``users`` are codes in ascending order. A user without rows gets ``first`` 0 and ``size`` 0.
        """
        if np.array_equal(users, self.users):
            return self
        # Make arrays by user code, with 0 for users without rows.
        n_codes = 1 + max(self.users.max(initial=-1), users.max(initial=-1))
        first_of_code = np.zeros(n_codes, self.first.dtype)
        size_of_code = np.zeros(n_codes, self.first.dtype)
        first_of_code[self.users] = self.first
        size_of_code[self.users] = self.size
        return RowsByUser(users, first_of_code[users], size_of_code[users], self.order)

    def pad(self, positions: slice | IntArray, items: AnyCodes | None = None) -> PaddedRows:
        """Lay out the rows of some users as a matrix with one line per user.

        Each line has room for the rows of the user with most rows. Shorter lines are padded at the
        end.

        Parameters
        ----------
        positions : slice or array
            Positions in ``users``.
        items : codes, optional
            The items of all rows of the table, for the result's ``items``.

        Returns
        -------
        PaddedRows
        """
        first = self.first[positions]
        size = self.size[positions]
        n_users = first.size
        width = int(size.max(initial=0))

        padding = None
        column = np.arange(width)
        if (size < width).any():
            small = np.min_scalar_type(width)  # small integers are compared several times as fast
            padding = column.astype(small) >= size.astype(small)[:, np.newaxis]

        joined = _joined_segments(first, size)
        if joined is not None:
            rows = joined if self.order is None else self.order[joined]
            return PaddedRows(n_users, width, rows, padding, items, first=first - joined.start)
        # Number the cells of each line, starting with the first row of its user.
        row_numbers = first[:, np.newaxis] + column
        if self.order is not None:
            # So far, the numbers are positions in the order. Those of padded cells may be beyond
            # its end; mode="clip" allows that.
            row_numbers = self.order.take(row_numbers, mode="clip")
        return PaddedRows(n_users, width, row_numbers, padding, items)


class PaddedRows(NamedTuple):
    """Rows of some users as a matrix: one line per user, in the order of the table.

    Attributes
    ----------
    n_users : number of users, which is the number of lines.
    width : number of cells in a line.
    rows : the row numbers, in one of two forms. If the users follow one another in the table or in
        its order, these are the rows of the first user, then those of the second user, and so on: a
        slice of the table, or an array. Otherwise it is a matrix with a row number for each cell;
        padded cells have arbitrary row numbers.
    padding : True for cells without a row; None if there are none.
    items : the items of all rows of the table.
    first : if ``rows`` is not a matrix, the position in it of each user's first row; arbitrary for
        users without rows.
    """

    n_users: int
    width: int
    rows: slice | IntArray
    padding: BoolArray | None
    items: AnyCodes | None = None
    first: IntArray | None = None

    @property
    def codes(self) -> IntArray:
        """Return the item code of each cell, -1 in the padding."""
        assert self.items is not None, "the rows were laid out without their items"
        numbers = self._values_of_rows(self.items.numbers)
        codes: IntArray = np.subtract(numbers, self.items.start, dtype=np.int64)
        return self._lay_out(codes, padding_value=-1)

    def hashes(self, n_bits: int) -> IntArray:
        """Return a hash of ``n_bits`` bits of each cell's item, -1 in the padding.

        ``n_bits`` is at most 63. Only texts have hashes. Equal texts have equal hashes, and others
        almost never do.
        """
        # The key of a text, multiplied by a constant modulo 2**64, has mixed upper bits: these are
        # the hash.
        hashes = self._values_of_rows(self._text_items.keys) * HASH_MULTIPLIER
        hashes >>= np.uint64(64 - n_bits)
        return self._lay_out(hashes.view(np.int64), padding_value=-1)

    @property
    def _text_items(self) -> TextCodes:
        assert isinstance(self.items, TextCodes), "the items are not texts"
        return self.items

    def read(self, column: AnyArray) -> AnyArray:
        """Return the column's value of each cell, and 0 in the padding.

        If all users have equally many rows, and these follow one another in the table, the result
        is a view of the column. Otherwise it is a copy.
        """
        return self._lay_out(self._values_of_rows(column), padding_value=0)

    def _values_of_rows(self, column: AnyArray) -> AnyArray:
        """Return the values of ``rows``, for `_lay_out`."""
        if isinstance(self.rows, slice):
            return column[self.rows]
        if self.width == 0:  # `take` refuses an empty column
            return np.empty((self.n_users, 0), column.dtype)
        # Row numbers of padded cells may be beyond the end; mode="clip" allows that.
        values: AnyArray = column.take(self.rows, mode="clip")
        return values

    def _lay_out(self, values: AnyArray, padding_value: float) -> AnyArray:
        """Return the matrix of values; ``values`` come from `_values_of_rows` or have its shape."""
        if self.padding is None:
            return values.reshape(self.n_users, self.width)
        if self.first is not None:  # the values have no padding
            matrix = np.full((self.n_users, self.width), padding_value, values.dtype)
            matrix[~self.padding] = values
            return matrix
        np.copyto(values, padding_value, where=self.padding)
        return values

    def keys(self, line: IntArray, column: IntArray) -> AnyArray:
        """Return the keys of the items in some cells, whose lines and columns are given."""
        keys: AnyArray = self._text_items.keys[self._row_numbers(line, column)]
        return keys

    def texts(self, line: IntArray, column: IntArray) -> pa.LargeStringArray:
        """Return the texts of the items in some cells, whose lines and columns are given."""
        return self._text_items.texts(self._row_numbers(line, column))

    def _row_numbers(self, line: IntArray, column: IntArray) -> IntArray:
        """Return the row numbers of some cells that are not padding."""
        if self.first is None:
            assert not isinstance(self.rows, slice)
            return self.rows[line, column]
        position: IntArray = self.first[line] + column
        if isinstance(self.rows, slice):
            position += self.rows.start
            return position
        return self.rows[position]


def _joined_segments(first: IntArray, size: IntArray) -> slice | None:
    """Return the slice of a table that segments of adjacent rows make up together.

    ``first`` and ``size`` have the first row and the number of rows of each segment. Segments
    without rows don't matter. Returns None unless each segment begins where the one before it ends.
    """
    has_rows = size > 0
    if not has_rows.all():
        first = first[has_rows]
        size = size[has_rows]
    if not first.size:
        return slice(0, 0)
    end = first + size
    if (first[1:] != end[:-1]).any():
        return None
    return slice(int(first[0]), int(end[-1]))


def shared_codes(
    columns: Mapping[str, pd.Series | IdColumn], label: str
) -> tuple[Mapping[str, AnyCodes], IdIndex]:
    """Return codes of the ids of several tables, and the distinct ids.

    Each row of a table has a code. Equal ids have the same code in all tables. Text is compared as
    text, so "7" and "07" are different ids.

    Parameters
    ----------
    columns : mapping
        The id column of each table, by the name of the table. An id is an integer or a text, and
        all columns must have ids of the same kind. An empty column fits either kind.
    label : str
        Name of the column in error messages.

    Raises
    ------
    InputError
        If a column has values that are not ids, or one column has integers and another one texts.
    """
    ids_by_table: dict[str, IdColumn] = {}
    for table, column in columns.items():
        if isinstance(column, IdColumn):
            ids_by_table[table] = column
        else:
            ids_by_table[table] = read_ids(column, f"{label} of {table}")
    first_table_by_kind: dict[str, str] = {}
    for table, ids in ids_by_table.items():
        if ids.kind != "none":  # an empty column has no kind
            first_table_by_kind.setdefault(ids.kind, table)
    if len(first_table_by_kind) > 1:
        first, second = first_table_by_kind.values()
        raise _mixed_kinds_error(ids_by_table, first, second, label)
    if "text" in first_table_by_kind:
        return _text_codes(ids_by_table)
    return _integer_codes(ids_by_table)


def _mixed_kinds_error(
    ids_by_table: Mapping[str, IdColumn], first: str, second: str, label: str
) -> InputError:
    """Return the error for two tables whose ids are integers in one and texts in the other.

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


def _text_codes(ids_by_table: Mapping[str, IdColumn]) -> tuple[dict[str, AnyCodes], IdIndex]:
    """Return the codes of text columns by table, and the distinct texts; columns may be empty."""
    # `read_ids` gives an empty column an array of integers. Replace it by an empty array of texts.
    no_texts = as_arrow_texts(pd.Series(dtype=object), "")
    texts_by_table = {
        table: ids.values if ids.kind == "text" else no_texts for table, ids in ids_by_table.items()
    }
    text_ids = TextIds(texts_by_table)
    codes: dict[str, AnyCodes] = {
        table: TextCodes(text_ids, table, ids.category) for table, ids in ids_by_table.items()
    }
    return codes, text_ids


def _integer_codes(ids_by_table: Mapping[str, IdColumn]) -> tuple[dict[str, AnyCodes], IdIndex]:
    """Return the codes of integer columns by table, and the distinct ids.

    The codes are the distances from the smallest id, or, if the ids are spread too wide for that,
    their positions among the distinct ids.
    """
    arrays = [ids.values for ids in ids_by_table.values()]
    filled_arrays = [array for array in arrays if len(array)]
    # Without any id, the range from 0 to -1 is empty.
    smallest = min((int(array.min()) for array in filled_arrays), default=0)
    largest = max((int(array.max()) for array in filled_arrays), default=-1)
    fits_int64 = smallest >= -(2**63) and largest < 2**63
    n_rows = sum(len(array) for array in arrays)

    # If few numbers of the range are missing, the ids need no numbering.
    is_dense = largest - smallest < MAX_RANGE_PER_ROW * n_rows + MIN_RANGE
    if fits_int64 and is_dense:
        codes: dict[str, AnyCodes] = {
            table: IntegerCodes(ids.values, start=smallest, column=ids.series)
            for table, ids in ids_by_table.items()
        }
        return codes, IntegerIds(size=largest - smallest + 1, start=smallest)

    # Otherwise number the distinct ids of all tables together, in ascending order.
    # Give all arrays one type first: NumPy would join int64 and uint64 to floats.
    joined_type = np.int64 if fits_int64 else object
    joined = np.concatenate([array.astype(joined_type) for array in arrays])
    number_of_row, distinct = pd.factorize(joined)  # numbered in the order of appearance
    order = np.argsort(distinct)
    joined_codes = inverse_order(order)[number_of_row]  # numbered in ascending order
    table_ends = np.cumsum([len(array) for array in arrays])[:-1]
    numbered: dict[str, AnyCodes] = {
        table: IntegerCodes(part)
        for table, part in zip(ids_by_table, np.split(joined_codes, table_ends), strict=True)
    }
    return numbered, IntegerIds(len(distinct), values=distinct[order])


def shared_code_arrays(
    columns: Mapping[str, pd.Series], label: str
) -> tuple[dict[str, IntArray], IdIndex]:
    """Return the codes of each table as an array, and the distinct ids, as `shared_codes` does."""
    codes_by_table, ids = shared_codes(columns, label)
    return {table: codes.read() for table, codes in codes_by_table.items()}, ids


def rows_by_user(
    columns: Mapping[str, pd.Series], label: str
) -> tuple[dict[str, RowsByUser], IdIndex]:
    """Return the rows of each user, by table, and the ids of the users in ascending order.

    ``columns`` has the user column of each table, by the name of the table. Error messages call
    the column ``label``.

    Only the first row of each segment of equal ids gets a code: in most tables, a user's rows are
    adjacent, so there are far fewer segments than rows.
    """
    n_rows = sum(len(series) for series in columns.values())
    map_tables = _map_in_a_thread_each if n_rows >= MIN_ROWS_FOR_THREADS else map

    def segments_of(table: str) -> tuple[IntArray, IdColumn]:
        return _segments(read_ids(columns[table], f"{label} of {table}"))

    segments = dict(zip(columns, map_tables(segments_of, columns), strict=True))
    codes, users = shared_codes({table: ids for table, (_, ids) in segments.items()}, label)
    # Every result keeps the codes of its users, and int32 takes half the memory of int64.
    code_type = _smallest_type(users.size)

    def rows_of(table: str) -> RowsByUser:
        start, _ = segments[table]
        user = codes[table].read().astype(code_type)
        return RowsByUser.from_segments(user, start, len(columns[table]))

    return dict(zip(columns, map_tables(rows_of, columns), strict=True)), users


_map_in_a_thread_each = partial(map_in_threads, min_parts_per_thread=1)


def _segments(ids: IdColumn) -> tuple[IntArray, IdColumn]:
    """Return the first row of each segment of equal ids, and the ids of these rows."""
    # A categorical column has a text for each category, and a category for each row.
    by_row = ids.values if ids.category is None else ids.category
    start = _segment_starts(by_row)
    if len(start) == len(by_row):  # each row is a segment
        return start, ids
    if ids.category is None:
        return start, ids._replace(values=by_row.take(start))
    return start, ids._replace(category=by_row.take(start))


def _is_ascending(codes: IntArray) -> bool:
    """Return whether each code is greater than the one before it."""
    return bool((codes[1:] > codes[:-1]).all())


def _segment_starts(by_row: AnyArray | pa.Array) -> IntArray:
    """Return row 0, and the rows whose value differs from the value of the row before.

    If these seem to be most of the rows, return all rows: in a shuffled table, hardly any rows of a
    user are adjacent, and single rows are faster to sort. A sample decides this for long tables.
    """
    n_rows = len(by_row)
    row_type = _smallest_type(n_rows)
    if n_rows > ROWS_PER_CHUNK:
        sample = np.linspace(1, n_rows - 1, SAMPLED_PAIRS).astype(np.int64)
        if _differ(by_row.take(sample), by_row.take(sample - 1)).mean() > MAX_SHARE_OF_STARTS:
            return np.arange(n_rows, dtype=row_type)
    # Row 0 starts a segment. Comparing a chunk of rows at a time saves large temporary arrays.
    parts = [np.zeros(min(n_rows, 1), row_type)]
    for first in range(1, n_rows, ROWS_PER_CHUNK):
        end = min(first + ROWS_PER_CHUNK, n_rows)
        is_change = _differ(by_row[first:end], by_row[first - 1 : end - 1])
        parts.append((np.flatnonzero(is_change) + first).astype(row_type))
    start = np.concatenate(parts)
    if len(start) > MAX_SHARE_OF_STARTS * n_rows:
        return np.arange(n_rows, dtype=row_type)
    return start


def _lengths(start: IntArray, n_rows: int) -> IntArray:
    """Return the number of rows of each segment, whose first rows are given."""
    end_of_table = start.dtype.type(n_rows)  # keeps the type of the row numbers
    return np.diff(start, append=end_of_table)


def _smallest_type(number: int) -> type[np.signedinteger]:
    """Return int32 if it holds the number, and int64 otherwise."""
    return np.int32 if number < 2**31 else np.int64


def _differ(values: AnyArray | pa.Array, others: AnyArray | pa.Array) -> BoolArray:
    """Return, for each position, whether the values of two arrays differ."""
    if isinstance(values, np.ndarray):
        return np.asarray(values != others)
    import pyarrow.compute as pc

    return np.asarray(pc.not_equal(values, others).to_numpy(zero_copy_only=False))


def _stable_order(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the stable order that sorts codes, and where each code begins in it.

    The second array has a position for each code from 0 to the largest, and then the number of
    codes.
    """
    row_type = _smallest_type(codes.size)
    n_rows_of_code = np.bincount(codes)
    first_of_code = np.zeros(n_rows_of_code.size + 1, row_type)
    np.cumsum(n_rows_of_code, out=first_of_code[1:])

    row_bits = codes.size.bit_length()
    if n_rows_of_code.size.bit_length() + row_bits > BITS_OF_SORT_KEY:
        return np.argsort(codes, kind="stable").astype(row_type), first_of_code

    # NumPy sorts numbers several times as fast as it finds an order. So each key holds a code in
    # its upper bits and the number of the row in its lower bits. No two keys are equal, so rows
    # with the same code stay in the order of the table.
    keys = codes.astype(np.int64) << row_bits
    keys |= np.arange(codes.size)
    keys.sort()
    keys &= (1 << row_bits) - 1
    return keys.astype(row_type), first_of_code


def _concatenated_ranges(start: IntArray, length: IntArray) -> IntArray:
    """Return the numbers of several ranges, one range after the other.

    Range i has ``length[i]`` numbers, starting at ``start[i]``.
    """
    # The number at position p is start[i] + p - n_before[i], if p belongs to range i.
    n_before = (np.cumsum(length, dtype=start.dtype) - length).astype(start.dtype)
    numbers: IntArray = np.arange(int(length.sum()), dtype=start.dtype)
    numbers += np.repeat(start - n_before, length)
    return numbers
