"""Ids become codes, the same ones in all tables, and a table's rows are found by user.

Integers stay where they are: the code is the id less the smallest one, taken when a block is
read. Texts are numbered only if a code is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import BoolArray, IntArray, input_error
from receval.tables.columns import IdColumn, as_arrow, read_ids
from receval.tables.ids import IdIndex, IntegerIds, TextIds, inverse

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class IntegerCodes:
    """Codes of a column's rows; integers are read from the column itself.

    Attributes
    ----------
    numbers : of each row the code and ``start`` together.
    start : the integer that the code 0 stands for, where the column's own are read; else 0.
    kept : the column: while it is held, pandas copies before it writes.
    """

    numbers: Array
    start: int = 0
    kept: Any = None

    def read(self) -> IntArray:
        """The codes of all rows."""
        return np.subtract(self.numbers, self.start, dtype=np.int64)

    def of(self, rows: IntArray) -> IntegerCodes:
        """The codes of some rows."""
        return replace(self, numbers=self.numbers[rows])


@dataclass(frozen=True, eq=False)
class TextCodes:
    """Codes of texts, made on demand.

    ``rows`` of a column of ``ids``: categories, or some rows of many; None: all as they stand.
    """

    ids: TextIds
    table: str
    rows: Array | None = None
    start: ClassVar[int] = 0

    @cached_property
    def keys(self) -> Array:
        """Numbers, equal where texts are, and hardly ever elsewhere."""
        return self._own(self.ids.keys)

    @cached_property
    def numbers(self) -> IntArray:
        """The codes of all rows."""
        return self._own(self.ids.numbered[0])

    def _own(self, of: Mapping[str, Array]) -> Array:
        return of[self.table] if self.rows is None else of[self.table][self.rows]

    def read(self) -> IntArray:
        return self.numbers

    def texts(self, rows: IntArray) -> Any:
        """The texts of some rows, as an Arrow array."""
        return self.ids.columns[self.table].take(rows if self.rows is None else self.rows[rows])

    def distinct(self) -> pd.Series:
        """Each text once, told apart by its key."""
        rows = np.flatnonzero(~pd.Series(self.keys).duplicated())
        return pd.Series(self.texts(rows).to_pandas())

    def of(self, rows: IntArray) -> TextCodes:
        return replace(self, rows=rows if self.rows is None else self.rows[rows])


AnyCodes = IntegerCodes | TextCodes


class RowsByUser(NamedTuple):
    """A table's rows by user.

    Attributes
    ----------
    users : codes of the users that have rows, ascending.
    first, size : index of each user's first row, and the number of rows.
    order : the table's rows by user, where a user's rows do not stand together.
    """

    users: IntArray
    first: IntArray
    size: IntArray
    order: IntArray | None = None

    @classmethod
    def of(cls, user: IntArray) -> RowsByUser:
        """Of a table whose rows have these users."""
        start = _starts(user)
        return cls.of_segments(user[start].astype(np.int64), start, user.size)

    @classmethod
    def of_segments(cls, user: IntArray, start: IntArray, n_rows: int) -> RowsByUser:
        """Of a table in segments of one user each, by the user and the first row of each."""
        length = np.diff(start, append=start.dtype.type(n_rows))
        if not (ascending := (user[1:] > user[:-1]).all()):
            by_user = _by_code(user)
            user, start, length = user[by_user], start[by_user], length[by_user]
        if ascending or (user[1:] > user[:-1]).all():
            return cls(user, start, length)
        first = np.flatnonzero(np.diff(user, prepend=-1))
        size = np.add.reduceat(length, first, dtype=np.int64)
        return cls(user[first], np.cumsum(size) - size, size, _ranges(start, length))

    @property
    def rows(self) -> IntArray:
        """The rows of the first user, then those of the second, and so on."""
        return _ranges(self.first, self.size) if self.order is None else self.order

    def by_row(self) -> IntArray:
        """The user of each row of the table, in the least type that holds them."""
        users = self.users.astype(np.min_scalar_type(-1 - self.users.max(initial=0)))
        user = np.empty(self.size.sum(), users.dtype)
        user[self.rows] = np.repeat(users, self.size)
        return user

    def for_users(self, users: IntArray) -> RowsByUser:
        """The rows of some users, ascending; none for those that have none."""
        if np.array_equal(users, self.users):
            return self
        n_codes = 1 + max(self.users.max(initial=-1), users.max(initial=-1))
        first, size = np.zeros((2, n_codes), self.first.dtype)
        first[self.users], size[self.users] = self.first, self.size
        return RowsByUser(users, first[users], size[users], self.order)

    def padded(self, which: slice | IntArray, items: Any = None) -> PaddedRows:
        """The rows of some of the users laid side by side; ``items`` has the codes of all rows."""
        first, size = self.first[which], self.size[which]
        width = int(size.max(initial=0))
        together = self.order is None and first.size > 0
        if together and (size == width).all() and (np.diff(first) == width).all():
            rows: Any = slice(int(first[0]), int(first[0]) + first.size * width)
            return PaddedRows(first.size, width, rows, None, items)
        column = np.arange(width)
        index = first[:, np.newaxis] + column
        padding = None
        if (size < width).any():
            small = np.min_scalar_type(width)  # compared several times as fast
            padding = column.astype(small) >= size.astype(small)[:, np.newaxis]
        if self.order is not None:
            index = self.order.take(index, mode="clip")
        return PaddedRows(first.size, width, index, padding, items)


class PaddedRows(NamedTuple):
    """Rows of some users side by side: one user a line, in the order of the table."""

    n: int
    width: int
    rows: Any  # a slice of lines that are all full, or the row of each cell
    padding: BoolArray | None  # where a line has no row; None: nowhere
    items: Any = None  # `AnyCodes` of the table's rows

    @property
    def codes(self) -> IntArray:
        """The items' codes."""
        own: IntArray = np.subtract(self.read(self.items.numbers), self.items.start, dtype=np.int64)
        return own

    @property
    def keys(self) -> npt.NDArray[Any]:
        """Numbers that are equal where the items, which are texts, are."""
        return self.read(self.items.keys)

    def read(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A column's values in lines; where there is no row stands anything."""
        if self.width == 0:
            return np.empty((self.n, 0), column.dtype)
        if isinstance(self.rows, slice):
            return column[self.rows].reshape(self.n, self.width)
        lines: npt.NDArray[Any] = column.take(self.rows, mode="clip")
        return lines

    def texts(self, line: IntArray, column: IntArray) -> Any:
        """The texts of the items in some cells, as an Arrow array."""
        together = isinstance(self.rows, slice)
        start = line * self.width + column
        return self.items.texts(self.rows.start + start if together else self.rows[line, column])


def shared_codes(
    columns: Mapping[str, pd.Series | IdColumn], label: str
) -> tuple[Mapping[str, AnyCodes], IdIndex]:
    """Codes of several id columns that speak of the same things; one without rows is of any kind.

    Integers stay numbers, text stays text: "7" and "07" are different ids, and 7 is no text. The
    keys name the tables, and ``label`` the column.
    """
    read, first_of = {}, dict[str, str]()  # each kind's first table
    for table, own in columns.items():
        found = own if isinstance(own, IdColumn) else read_ids(own, f"{label} of {table}")
        read[table] = found
        if found.kind != "none":
            first_of.setdefault(found.kind, table)
    if len(first_of) > 1:
        first, other = first_of.values()
        got = " and ".join(f"{read[one].given.dtype} ({read[one].kind})" for one in (first, other))
        how = "Convert one of them with astype; in evaluate, ids='text' compares them as text"
        if "items" in (first, other):
            is_number = read["items"].kind == "integer"
            to_text = "items.set_axis(items.index.astype(str))"
            if not is_number:
                table = other if first == "items" else first
                to_text = f"{table}.astype({{{label!r}: str}})"
            how = f"If they are the same ids, {to_text} or ids='text' compares them as text"
        raise input_error(f"{label} of {first} and of {other}", "be ids of one kind", got, how)
    if "text" in first_of:
        none = as_arrow(pd.Series(dtype=object), "")
        texts = TextIds({t: own.values if own.kind == "text" else none for t, own in read.items()})
        return {t: TextCodes(texts, t, own.category) for t, own in read.items()}, texts
    arrays = list(map(attrgetter("values"), read.values()))
    sizes, ends = list(map(len, arrays)), list[int]()
    for one in filter(len, arrays):
        ends += int(one.min()), int(one.max())
    least, most = min(ends, default=0), max(ends, default=-1)
    within = least >= -(2**63) and most < 2**63
    if within and most - least < 4 * sum(sizes) + 1024:
        codes: dict[str, AnyCodes] = {}
        for table, own in read.items():
            codes[table] = IntegerCodes(own.values, least, own.given)
        return codes, IntegerIds(most - least + 1, least)
    # One type for all before they are joined: NumPy makes floats of int64 beside uint64.
    wide = np.int64 if within else object
    joined, values = pd.factorize(np.concatenate([own.astype(wide) for own in arrays]))
    order = np.argsort(values)  # of the distinct ids only
    parts = np.split(inverse(order)[joined], np.cumsum(sizes)[:-1])
    ids = IntegerIds(len(values), values=values[order])
    return dict(zip(read, map(IntegerCodes, parts), strict=True)), ids


def shared_code_arrays(
    columns: Mapping[str, pd.Series], label: str
) -> tuple[dict[str, IntArray], IdIndex]:
    """As `code`, with the codes as arrays."""
    coded, ids = shared_codes(columns, label)
    return {table: codes.read() for table, codes in coded.items()}, ids


def rows_by_user(
    columns: Mapping[str, pd.Series], label: str
) -> tuple[dict[str, RowsByUser], IdIndex]:
    """The rows of each user in several tables, and the ids of the users in ascending order."""
    starts, heads = {}, {}
    for table, series in columns.items():
        own = read_ids(series, f"{label} of {table}")
        by_row = own.values if own.category is None else own.category
        start = _starts(by_row)
        picked: Any = {"values" if own.category is None else "category": by_row.take(start)}
        starts[table], heads[table] = start, own._replace(**picked)
    codes, users = shared_codes(heads, label)
    found = {}
    for table, series in columns.items():
        found[table] = RowsByUser.of_segments(codes[table].read(), starts[table], len(series))
    return found, users


def _starts(by_row: Any) -> IntArray:
    """The rows unlike the one before them, of a NumPy or an Arrow array."""
    if isinstance(by_row, np.ndarray):
        changes = by_row[1:] != by_row[:-1]
    else:
        import pyarrow.compute as pc

        changes = pc.not_equal(by_row[1:], by_row[:-1]).to_numpy(zero_copy_only=False)
    start = np.append(0, np.flatnonzero(changes) + 1)[: len(by_row)]
    return start.astype(np.int32 if len(by_row) < 2**31 else np.int64)


def _by_code(codes: IntArray) -> IntArray:
    """The order that sorts codes and keeps equal ones in theirs, in time linear in their number.

    Reading a sparse matrix of one 1 a column by rows is a counting sort.
    """
    from scipy.sparse import csc_array

    small: Any = np.int32 if codes.size < 2**31 - 1 else np.int64
    ones, ends = np.ones(codes.size, np.int8), np.arange(codes.size + 1, dtype=small)
    shape = int(codes.max(initial=-1)) + 1, codes.size
    by_column: Any = (ones, codes.astype(small), ends)
    return np.asarray(csc_array(by_column, shape=shape).tocsr().indices)


def _ranges(start: IntArray, length: IntArray) -> IntArray:
    """start, start + 1, … for each start, one after the other."""
    shift = start - (np.cumsum(length, dtype=start.dtype) - length).astype(start.dtype)
    numbers: IntArray = np.arange(int(length.sum()), dtype=start.dtype)
    numbers += np.repeat(shift, length)
    return numbers
