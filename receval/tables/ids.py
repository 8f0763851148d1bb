"""The distinct ids that codes stand for: whole numbers, or texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from receval._checks import IntArray
from receval._types import AnyArray, Id
from receval.tables.keys import KeyArray, keys_suffice, text_keys

if TYPE_CHECKING:
    import pyarrow as pa


class IdIndex(ABC):
    """Distinct ids in ascending order; the codes 0, 1, 2, … are their positions.

    Numbers are in numerical order, and texts in the order of code points.

    Attributes
    ----------
    kind : "integer" or "text".
    size : number of distinct ids.
    keys_suffice : for texts, whether equal keys prove equal texts; see `receval.tables.keys`.
    """

    kind: ClassVar[str]
    size: int
    keys_suffice: bool

    @abstractmethod
    def take(self, codes: IntArray) -> AnyArray:
        """Return the ids that have these codes."""

    @abstractmethod
    def find(self, id: object) -> int | None:
        """Return the code of an id, or None if the id is unknown."""

    @cached_property
    def byte_order(self) -> IntArray:
        """Return the position of each code's id after sorting the ids as byte strings.

        Integers count as their decimal digits, so that 10 comes before 9.
        """
        codes = np.arange(self.size)
        if self.kind == "text":  # UTF-8 sorts as code points do
            return codes
        return inverse_order(np.argsort(self.take(codes).astype("S"), kind="stable"))

    def index(self, codes: IntArray, name: str) -> pd.Index:
        """Return the ids that have these codes as an index with the given name."""
        # `take` returns a new array, so the index need not copy it.
        index: pd.Index = pd.Index(self.take(codes), name=name, copy=False)
        return index

    def take_one(self, code: int) -> Id:
        """Return the id with this code, as a Python object."""
        ids: list[Id] = self.take(np.array([code])).tolist()
        return ids[0]


@dataclass(frozen=True)
class IntegerIds(IdIndex):
    """Distinct ids that are whole numbers.

    Attributes
    ----------
    size : number of distinct ids.
    start : the id of code 0, if the ids are consecutive whole numbers.
    values : the ids in ascending order, if they aren't consecutive.
    """

    kind = "integer"
    size: int
    start: int = 0
    values: AnyArray | None = None

    def take(self, codes: IntArray) -> AnyArray:
        if self.values is None:
            return np.add(codes, self.start, dtype=np.int64)  # codes may be int32
        return np.asarray(self.values[codes])

    def find(self, id: object) -> int | None:
        # To Python, True is an int that equals 1, but it isn't an id.
        if not isinstance(id, (int, np.integer)) or isinstance(id, bool):
            return None
        ids = self.take(np.arange(self.size))
        matches = np.flatnonzero(ids == id)
        return int(matches[0]) if matches.size else None


class NumberedTexts(NamedTuple):
    """Texts with their codes.

    Attributes
    ----------
    codes : code of each row, by table.
    distinct : the distinct texts in ascending order; their positions are the codes.
    """

    codes: dict[str, IntArray]
    distinct: pa.LargeStringArray


class TextIds(IdIndex):
    """Texts of one id column in several tables; they get codes only when a caller needs them.

    Most measures only need to know which ids are equal, and the keys of the texts show this.

    Attributes
    ----------
    columns : the texts as Arrow arrays, by table.
    keys : the key of each text, by table.
    """

    kind = "text"

    def __init__(self, columns: Mapping[str, pa.LargeStringArray]) -> None:
        self.columns = columns
        self.keys: dict[str, KeyArray] = {
            table: text_keys(texts) for table, texts in columns.items()
        }
        self.keys_suffice: bool = all(keys_suffice(texts) for texts in columns.values())

    @cached_property
    def numbered(self) -> NumberedTexts:
        """Return the codes of each table's texts, and the distinct texts in ascending order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        # Join the texts of all tables, one table after the other.
        texts = pa.chunked_array(self.columns.values(), pa.large_string()).combine_chunks()

        # Number the distinct keys, because that is faster than numbering the texts. Then find a
        # text for each number. In ``coded``, ``indices`` has the number of each row's key.
        coded = pa.array(np.concatenate(list(self.keys.values()))).dictionary_encode()
        row_of_number = np.empty(len(coded.dictionary), np.int64)
        row_of_number[coded.indices] = np.arange(len(texts))  # the last row of each key remains
        distinct = texts.take(row_of_number)
        keys_are_exact = self.keys_suffice or distinct.take(coded.indices).equals(texts)
        if not keys_are_exact:  # unequal texts share a key, so number the texts themselves
            coded = texts.dictionary_encode()
            distinct = coded.dictionary

        # Sort the distinct texts unless they are in ascending order already. The numbers become
        # the positions in that order. min_count=0: an empty array is in ascending order, too.
        codes = coded.indices.cast("int64").to_numpy()
        is_ascending = pc.all(pc.less(distinct[:-1], distinct[1:]), min_count=0).as_py()
        if not is_ascending:
            order = pc.sort_indices(distinct)  # by bytes, which for UTF-8 means by code points
            codes = inverse_order(order.to_numpy())[codes]
            distinct = distinct.take(order)

        # Split the codes by table again.
        table_ends = np.cumsum([len(column) for column in self.columns.values()])[:-1]
        codes_by_table = dict(zip(self.columns, np.split(codes, table_ends), strict=True))
        return NumberedTexts(codes_by_table, distinct)

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.numbered.distinct)

    def take(self, codes: IntArray) -> AnyArray:
        return np.asarray(self.numbered.distinct.take(codes).to_numpy(zero_copy_only=False))

    def index(self, codes: IntArray, name: str) -> pd.Index:
        index: pd.Index = pd.Index(self.numbered.distinct.take(codes).to_pandas(), name=name)
        return index

    def find(self, id: object) -> int | None:
        if not isinstance(id, str):
            return None
        try:
            code: int = self.numbered.distinct.index(id).as_py()
        except UnicodeEncodeError:  # half a surrogate pair, which no id holds
            return None
        return code if code >= 0 else None  # Arrow returns -1 for a text that isn't there


def inverse_order(order: IntArray) -> IntArray:
    """Return the inverse of a permutation: the position of each number in the order.

    ``order`` has the numbers 0, 1, 2, … in any order.
    """
    positions = np.empty(order.size, np.int64)
    positions[order] = np.arange(order.size)
    return positions
