"""Ids of the tables become codes, the same ones in all tables: whole numbers from 0 on.

Integers stay where they are: the code is the id less the smallest one, taken when a block is
read. Texts are numbered only if a code is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import IntArray, refusal
from receval.tables.columns import IdColumn, as_arrow, read_ids
from receval.tables.keys import keys_suffice, text_keys

Array = npt.NDArray[Any]
Rows = Callable[[Array], Array]


class Ids(ABC):
    """Distinct ids, which the codes 0, 1, 2, … stand for in ascending order.

    Numbers ascend as numbers, text by code point.
    """

    kind: ClassVar[str]
    size: int
    keys_suffice: bool  # of texts: see `receval.tables.keys`

    @abstractmethod
    def of(self, codes: IntArray) -> Array:
        """The ids behind codes."""

    @abstractmethod
    def find(self, id: object) -> int | None:
        """The code of an id, or None."""

    @cached_property
    def byte_order(self) -> IntArray:
        """For each code its position when the ids are sorted as byte strings."""
        codes = np.arange(self.size)
        if self.kind == "text":  # UTF-8 sorts as code points do
            return codes
        return inverse(np.argsort(self.of(codes).astype("S"), kind="stable"))

    def index(self, codes: IntArray, name: str) -> pd.Index:
        """The ids behind codes as the index of a result."""
        index: pd.Index = pd.Index(self.of(codes), name=name)
        return index

    def one(self, code: int) -> Any:
        """The id behind one code, as a Python object."""
        return self.of(np.array([code])).tolist()[0]


@dataclass(frozen=True)
class Integers(Ids):
    """Whole numbers: all of ``size`` from ``start`` on, or ``values``, which ascend."""

    kind = "integer"
    size: int
    start: int = 0
    values: Array | None = None

    def of(self, codes: IntArray) -> Array:
        return codes + self.start if self.values is None else np.asarray(self.values[codes])

    def find(self, id: object) -> int | None:
        if not isinstance(id, (int, np.integer)) or isinstance(id, bool):
            return None
        return next(iter(np.flatnonzero(self.of(np.arange(self.size)) == id).tolist()), None)


class Texts(Ids):
    """Texts of several columns (Arrow arrays), numbered when a code is asked for.

    Most measures ask only which ids are equal, and that their keys tell.
    """

    kind = "text"

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = columns
        self.keys = {table: text_keys(texts) for table, texts in columns.items()}
        self.keys_suffice = all(map(keys_suffice, columns.values()))

    @cached_property
    def numbered(self) -> tuple[dict[str, IntArray], Any]:
        """The codes of each column, and the distinct texts."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pa.chunked_array(self.columns.values(), pa.large_string()).combine_chunks()
        coded = pa.array(np.concatenate(list(self.keys.values()))).dictionary_encode()
        row_of = np.empty(len(coded.dictionary), np.int64)
        row_of[coded.indices] = np.arange(len(texts))  # any one of them
        distinct = texts.take(row_of)
        if not (self.keys_suffice or distinct.take(coded.indices).equals(texts)):
            coded = texts.dictionary_encode()  # as there are unlike ones with one key
            distinct = coded.dictionary
        codes = coded.indices.cast("int64").to_numpy()
        if not pc.all(pc.less(distinct[:-1], distinct[1:]), min_count=0).as_py():
            order = pc.sort_indices(distinct)
            codes, distinct = inverse(order.to_numpy())[codes], distinct.take(order)
        ends = np.cumsum([len(one) for one in self.columns.values()])[:-1]
        return dict(zip(self.columns, np.split(codes, ends), strict=True)), distinct

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.numbered[1])

    def of(self, codes: IntArray) -> Array:
        return np.asarray(self.numbered[1].take(codes).to_numpy(zero_copy_only=False))

    def index(self, codes: IntArray, name: str) -> pd.Index:
        index: pd.Index = pd.Index(self.numbered[1].take(codes).to_pandas(), name=name)
        return index

    def find(self, id: object) -> int | None:
        code = self.numbered[1].index(id).as_py() if isinstance(id, str) else -1
        return None if code < 0 else code


@dataclass(frozen=True, eq=False)
class Codes:
    """Codes of a column's rows; integers are read from the column itself.

    Attributes
    ----------
    raw : equal where ids are equal: the integers, or keys of texts.
    start : the integer that 0 stands for.
    kept : the column: while it is held, pandas copies before it writes.
    """

    raw: Array
    start: int = 0
    kept: Any = None

    def read(self, rows: Rows = np.asarray) -> IntArray:
        """The codes of the rows that a function picks from an array; by default of all."""
        codes: IntArray = rows(self.raw).astype(np.int64, copy=False)
        return codes - self.start if self.start else codes

    def of(self, rows: IntArray) -> Codes:
        """The codes of some rows."""
        return replace(self, raw=self.raw[rows])


@dataclass(frozen=True, eq=False)
class TextCodes:
    """Codes of texts, made on demand.

    ``rows`` of a column of ``ids``: categories, or some rows of many; None: all as they stand.
    """

    ids: Texts
    table: str
    rows: Array | None = None

    @cached_property
    def raw(self) -> Array:
        """Keys, equal where texts are, and hardly ever elsewhere."""
        return self._own(self.ids.keys)

    @cached_property
    def _codes(self) -> IntArray:
        return self._own(self.ids.numbered[0])

    def _own(self, of: Mapping[str, Array]) -> Array:
        return of[self.table] if self.rows is None else of[self.table][self.rows]

    def read(self, rows: Rows = np.asarray) -> IntArray:
        return rows(self._codes)

    def texts(self, rows: IntArray) -> Any:
        """The texts of some rows, as an Arrow array."""
        return self.ids.columns[self.table].take(rows if self.rows is None else self.rows[rows])

    def distinct(self) -> pd.Series:
        """Each text once, told apart by its key."""
        rows = np.flatnonzero(~pd.Series(self.raw).duplicated())
        return pd.Series(self.texts(rows).to_pandas())

    def of(self, rows: IntArray) -> TextCodes:
        return replace(self, rows=rows if self.rows is None else self.rows[rows])


AnyCodes = Codes | TextCodes


def code(
    columns: Mapping[str, pd.Series | IdColumn], label: str
) -> tuple[Mapping[str, AnyCodes], Ids]:
    """Codes of several id columns that speak of the same things; one without rows is of any kind.

    Integers stay numbers, text stays text: "7" and "07" are different ids, and 7 is no text. The
    keys name the tables, and ``label`` the column.
    """
    read = {
        table: own if isinstance(own, IdColumn) else read_ids(own, f"{label} of {table}")
        for table, own in columns.items()
    }
    first, *others = [table for table, own in read.items() if own.kind != "none"] or [""]
    kind = read[first].kind if first else "integer"
    for table in others:
        if (own := read[table]).kind != kind:
            got = f"{read[first].given.dtype} ({kind}) and {own.given.dtype} ({own.kind})"
            how = "Convert one of them with astype; in evaluate, ids='text' compares them as text"
            raise refusal(f"{label} of {first} and of {table}", "be ids of one kind", got, how)
    if kind == "integer":
        return _code_integers({table: own.values for table, own in read.items()}, columns)
    none = as_arrow(pd.Series(dtype=object), "")
    texts = Texts({t: own.values if own.kind == "text" else none for t, own in read.items()})
    return {t: TextCodes(texts, t, own.category) for t, own in read.items()}, texts


def encode(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """As `code`, with the codes as arrays."""
    coded, ids = code(columns, label)
    return {table: codes.read() for table, codes in coded.items()}, ids


def _code_integers(
    arrays: Mapping[str, Array], columns: Mapping[str, Any]
) -> tuple[dict[str, Codes], Ids]:
    rows = np.cumsum([array.size for array in arrays.values()])
    full = [array for array in arrays.values() if array.size]
    least = min((int(array.min()) for array in full), default=0)
    most = max((int(array.max()) for array in full), default=-1)
    within = least >= -(2**63) and most < 2**63
    if within and most - least < 4 * rows[-1] + 1024:
        codes = {table: Codes(own, least, columns[table]) for table, own in arrays.items()}
        return codes, Integers(most - least + 1, least)
    # One type for all before they are joined: NumPy makes floats of int64 beside uint64.
    wide = np.int64 if within else object
    found, values = pd.factorize(np.concatenate([own.astype(wide) for own in arrays.values()]))
    order = np.argsort(values)  # of the distinct ids only
    parts = np.split(inverse(order)[found], rows[:-1])
    ids = Integers(len(values), values=values[order])
    return dict(zip(arrays, map(Codes, parts), strict=True)), ids


def inverse(order: Array) -> IntArray:
    """The position of each thing in an order."""
    positions = np.empty(order.size, np.int64)
    positions[order] = np.arange(order.size)
    return positions
