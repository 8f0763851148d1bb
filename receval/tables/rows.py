"""The rows of a table by user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from receval._checks import AnyArray, IntArray


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
            sorted_columns = {name: values[order] for name, values in columns.items()}
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
