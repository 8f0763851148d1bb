"""Codes: whole numbers that stand for ids, and what is behind them.

Integers stay where they are: the code is the id less the smallest one, taken when a block is
read. Short text is a number itself; it is encoded only if a code is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import IntArray


@dataclass(frozen=True)
class Ids:
    """Distinct ids; code i stands for the i-th of ``values``, or for ``start + i``."""

    size: int
    kind: str
    values: Any = None  # integers ascending, or text in any order (an Arrow array)
    start: int = 0

    def of(self, codes: IntArray) -> npt.NDArray[Any]:
        """The ids behind codes."""
        if self.values is None:
            return codes + self.start
        if self.kind == "text":
            return np.asarray(self.values.take(codes).to_pylist(), dtype=object)
        return np.asarray(self.values[codes])

    def index(self, codes: IntArray, name: str) -> pd.Index:
        """The ids behind codes as the index of a result."""
        text = self.kind == "text"
        ids: pd.Index = pd.Index(self.values.take(codes).to_pandas() if text else self.of(codes))
        return ids.rename(name)

    def one(self, code: int) -> Any:
        """The id behind one code, as a Python object."""
        value = self.of(np.array([code]))[0]
        return value.item() if isinstance(value, np.generic) else value

    def find(self, id: object) -> int | None:
        """The code of an id, or None."""
        if self.kind == "text":
            place = self.values.index(id).as_py() if isinstance(id, str) else -1
            return None if place < 0 else place
        if not isinstance(id, (int, np.integer)) or isinstance(id, bool):
            return None
        if self.values is None:
            code = int(id) - self.start
            return code if 0 <= code < self.size else None
        place = np.flatnonzero(self.values == id)
        return int(place[0]) if place.size else None

    @cached_property
    def places(self) -> IntArray | None:
        """For each code its place among the ids in ascending order; None if codes ascend too.

        Numbers ascend as numbers, text by code point.
        """
        if self.kind != "text":
            return None
        import pyarrow.compute as pc

        if pc.all(pc.less(self.values[:-1], self.values[1:])).as_py() in (True, None):
            return None
        return inverse(pc.sort_indices(self.values).to_numpy())

    def place(self, codes: IntArray) -> IntArray:
        """What codes are compared by: smaller for a smaller id."""
        return codes if self.places is None else self.places[codes]

    @cached_property
    def byte_places(self) -> IntArray:
        """For each code its place when the ids are sorted as byte strings."""
        if self.kind == "text":  # UTF-8 sorts as code points do
            return np.arange(self.size) if self.places is None else self.places
        return inverse(np.argsort(self.of(np.arange(self.size)).astype("S"), kind="stable"))


@dataclass(frozen=True)
class Codes:
    """Codes of a column's rows; integers are read from the column itself."""

    raw: npt.NDArray[Any]
    start: int = 0
    kept: Any = None  # the column: while it is held, pandas copies before it writes

    def keys(self, raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What values of the column are compared by: equal ids have equal keys."""
        codes: IntArray = raw.astype(np.int64, copy=False)
        return codes - self.start if self.start else codes

    def __getitem__(self, rows: Any) -> IntArray:
        return self.keys(self.raw[rows])

    def of(self, rows: Any) -> Codes:
        """The codes of some rows."""
        return Codes(self.raw[rows], self.start, self.kept)


class ShortText(Ids):
    """Texts of up to eight bytes, which are words of 64 bits until their codes are asked for.

    Most measures ask only which ids are equal, and that the words say themselves.
    """

    words: Mapping[str, npt.NDArray[np.uint64]]

    def __init__(self, words: Mapping[str, npt.NDArray[np.uint64]]) -> None:
        object.__setattr__(self, "kind", "text")
        object.__setattr__(self, "words", words)

    @cached_property
    def _encoded(self) -> tuple[dict[str, IntArray], npt.NDArray[np.uint64]]:
        import pyarrow as pa

        coded = pa.array(np.concatenate(list(self.words.values()))).dictionary_encode()
        ends = np.cumsum([one.size for one in self.words.values()])[:-1]
        parts = np.split(coded.indices.to_numpy(), ends)
        return dict(zip(self.words, parts, strict=True)), coded.dictionary.to_numpy()

    @cached_property
    def values(self) -> Any:
        import pyarrow as pa

        return pa.array(self._encoded[1].view("S8")).cast(pa.large_string())

    @property
    def size(self) -> int:
        return self._encoded[1].size

    def codes_of(self, table: str) -> IntArray:
        """The codes of a table's rows; a table without rows has none."""
        return self._encoded[0].get(table, np.empty(0, np.int64))


@dataclass(frozen=True)
class Words(Codes):
    """Short texts as words of 64 bits, with their codes on demand."""

    ids: Any = None  # the `ShortText` that has the codes
    table: str = ""
    rows: Any = None

    def keys(self, raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return raw

    def codes(self) -> IntArray:
        """The codes of all rows."""
        codes: IntArray = self.ids.codes_of(self.table)
        return codes if self.rows is None else np.take(codes, self.rows)

    def __getitem__(self, rows: Any) -> IntArray:
        codes: IntArray = self.codes()[rows]
        return codes

    def of(self, rows: Any) -> Words:
        own = rows if self.rows is None else self.rows[rows]
        return Words(self.raw[rows], ids=self.ids, table=self.table, rows=own)


def inverse(order: npt.NDArray[Any]) -> IntArray:
    """The place of each thing in an order."""
    places = np.empty(order.size, np.int64)
    places[order] = np.arange(order.size)
    return places
