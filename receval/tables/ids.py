"""Distinct ids, which codes stand for: whole numbers, or texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import IntArray
from receval.tables.keys import keys_suffice, text_keys

Array = npt.NDArray[Any]


class IdIndex(ABC):
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
class IntegerIds(IdIndex):
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


class TextIds(IdIndex):
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
        if not isinstance(id, str):
            return None
        try:
            code = self.numbered[1].index(id).as_py()
        except UnicodeEncodeError:  # half a surrogate pair, which no id holds
            return None
        return None if code < 0 else code


def inverse(order: Array) -> IntArray:
    """The position of each thing in an order."""
    positions = np.empty(order.size, np.int64)
    positions[order] = np.arange(order.size)
    return positions
