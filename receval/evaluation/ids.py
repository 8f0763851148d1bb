"""Ids as codes: whole numbers that stand for the users and items of the tables.

Integers stay where they are: the code is the id less the smallest one, taken when a block is
read. Text is encoded once, by Arrow. Users are encoded once for each run of equal ids, so that a
table that is grouped by user costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, IntArray
from receval.evaluation.columns import examples, refuse_rows


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
        return _inverse(pc.sort_indices(self.values).to_numpy())

    def place(self, codes: IntArray) -> IntArray:
        """What codes are compared by: smaller for a smaller id."""
        return codes if self.places is None else self.places[codes]

    @cached_property
    def byte_places(self) -> IntArray:
        """For each code its place when the ids are sorted as byte strings."""
        if self.kind == "text":  # UTF-8 sorts as code points do
            return np.arange(self.size) if self.places is None else self.places
        return _inverse(np.argsort(self.of(np.arange(self.size)).astype("S"), kind="stable"))


@dataclass(frozen=True)
class Codes:
    """Codes of a column's rows; integers are read from the column itself."""

    raw: npt.NDArray[Any]
    start: int = 0
    kept: Any = None  # the column: while it is held, pandas copies before it writes

    def codes(self, raw: npt.NDArray[Any]) -> IntArray:
        """The codes of values of the column."""
        codes: IntArray = raw.astype(np.int64, copy=False)
        return codes - self.start if self.start else codes

    def __getitem__(self, rows: Any) -> IntArray:
        return self.codes(self.raw[rows])

    def of(self, rows: Any) -> Codes:
        """The codes of some rows."""
        return Codes(self.raw[rows], self.start, self.kept)


def code(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, Codes], Ids]:
    """Codes of several id columns that speak of the same things.

    Integers stay numbers, text stays text: "7" and "07" are different ids, and 7 is no text. The
    keys name the tables, and ``label`` the column.
    """
    full = {table: series for table, series in columns.items() if len(series)}
    kinds = {table: kind(series, f"{label} of {table}") for table, series in full.items()}
    first = next(iter(full), "")
    for table, own in kinds.items():
        if own != kinds[first]:
            raise InputError(
                f"{label} of {first} and of {table} must be ids of one kind; got "
                f"{full[first].dtype} ({kinds[first]}) and {full[table].dtype} ({own}). "
                "Convert one of them with astype"
            )
    codes: dict[str, Codes] = {}
    ids = Ids(0, "integer")
    if full:
        encoder = _code_integers if kinds[first] == "integer" else _code_text
        codes, ids = encoder(full, label)
    empty = Codes(np.empty(0, np.int64))
    return {table: codes.get(table, empty) for table in columns}, ids


def encode(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """As `code`, with the codes as arrays and in the ids' own order."""
    coded, ids = code(columns, label)
    ordered = ids
    if ids.places is not None:
        ordered = Ids(ids.size, "text", ids.values.take(np.argsort(ids.places)))
    return {table: ids.place(codes[:]) for table, codes in coded.items()}, ordered


def run_starts(series: pd.Series) -> IntArray:
    """Where each run of equal ids starts."""
    if not len(series):
        return np.empty(0, np.int64)
    if isinstance(series.dtype, pd.CategoricalDtype):
        values: Any = series.cat.codes.to_numpy()
        changes = values[1:] != values[:-1]
    elif isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
        changes = values[1:] != values[:-1]
    elif _is_text(series.dtype):
        import pyarrow.compute as pc

        values = _arrow(series, "")
        changes = pc.not_equal(values[1:], values[:-1]).to_numpy(zero_copy_only=False)
    else:
        changes = (series.array[1:] != series.array[:-1]).to_numpy(dtype=bool)
    return np.append(0, np.flatnonzero(changes) + 1)


def _code_text(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, Codes], Ids]:
    import pyarrow as pa

    chunks, lengths = [], []
    for table, series in columns.items():
        chunks.append(_arrow(_categories(series), f"{label} of {table}"))
        lengths.append(len(chunks[-1]))
    codes, values = _numbered(pa.chunked_array(chunks).combine_chunks())
    parts = np.split(codes, np.cumsum(lengths)[:-1])
    return {
        table: Codes(own[series.cat.codes.to_numpy()] if hasattr(series, "cat") else own)
        for (table, series), own in zip(columns.items(), parts, strict=True)
    }, Ids(len(values), "text", values)


def _numbered(texts: Any) -> tuple[npt.NDArray[Any], Any]:
    """Codes of texts (an Arrow array) in the order of appearance, and the distinct texts.

    Texts of up to eight bytes are read as numbers, which Arrow encodes several times as fast.
    """
    import pyarrow as pa

    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    length = np.diff(ends)
    used = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    if length.max() > 8 or used.min(initial=1) == 0:
        coded = texts.dictionary_encode()
        return coded.indices.to_numpy(), coded.dictionary
    if (length == 8).all():
        words = used.view(np.uint64)
    else:
        padded = np.append(used, np.zeros(8, np.uint8))
        overlapping = np.ndarray((used.size + 1,), np.uint64, padded, strides=(1,))
        kept = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)  # the first n bytes
        words = overlapping[ends[:-1] - ends[0]] & kept[length]
    coded = pa.array(words).dictionary_encode()
    distinct = coded.dictionary.to_numpy().view("S8")
    return coded.indices.to_numpy(), pa.array(distinct).cast(pa.large_string())


def _code_integers(columns: Mapping[str, pd.Series], _: str) -> tuple[dict[str, Codes], Ids]:
    arrays = {table: _as_integers(series) for table, series in columns.items()}
    rows = sum(array.size for array in arrays.values())
    least = min(int(array.min()) for array in arrays.values())
    most = max(int(array.max()) for array in arrays.values())
    if most - least < 4 * rows + 1024 and least >= -(2**63) and most < 2**63:
        codes = {table: Codes(arrays[table], least, columns[table]) for table in arrays}
        return codes, Ids(most - least + 1, "integer", start=least)
    # One type for all before they are joined: NumPy makes floats of int64 beside uint64.
    wide = np.int64 if most < 2**63 and least >= -(2**63) else object
    parts = {table: pd.factorize(array.astype(wide)) for table, array in arrays.items()}
    values = np.unique(np.concatenate([own for _, own in parts.values()]))
    coded = {
        table: Codes(np.searchsorted(values, own).astype(np.int64)[places])
        for table, (places, own) in parts.items()
    }
    return coded, Ids(len(values), "integer", values)


def _arrow(series: pd.Series, name: str) -> Any:
    """A column of text as one Arrow array."""
    import pyarrow as pa

    if len(series) and not isinstance(series.dtype, np.dtype):
        array = series.array.__arrow_array__()
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        return array.cast(pa.large_string())
    try:
        return pa.array(series.to_numpy(dtype=object), pa.large_string())
    except UnicodeEncodeError as error:
        wrong = series.map(_no_text).to_numpy(dtype=bool)
        refuse_rows(series, wrong, name, "hold text that UTF-8 can write")
        raise InputError(f"{name} must hold text; {error}") from None


def _no_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def _categories(series: pd.Series) -> pd.Series:
    return pd.Series(series.cat.categories) if hasattr(series, "cat") else series


def _as_integers(series: pd.Series) -> npt.NDArray[Any]:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return np.asarray(series.cat.categories)[series.cat.codes]
    if isinstance(series.dtype, np.dtype) and series.dtype != np.dtype(object):
        return series.to_numpy()
    if series.dtype != np.dtype(object):
        unsigned = pd.api.types.is_unsigned_integer_dtype(series.dtype)
        return series.to_numpy(dtype=np.uint64 if unsigned else np.int64)
    small = all(-(2**63) <= value < 2**63 for value in series)
    return series.to_numpy().astype(np.int64 if small else object)


def _is_text(dtype: Any) -> bool:
    arrow = isinstance(dtype, pd.ArrowDtype) and pd.api.types.is_string_dtype(dtype)
    return isinstance(dtype, pd.StringDtype) or arrow


def kind(series: pd.Series, name: str) -> str:
    """What the ids are, integer or text; anything else is refused."""
    if not len(series):
        return "none"
    if not (isinstance(series.dtype, np.dtype) and series.dtype.kind in "iub") and series.hasnans:
        refuse_rows(series, series.isna().to_numpy(), name, "not be missing")
    dtype = series.cat.categories.dtype if hasattr(series, "cat") else series.dtype
    if pd.api.types.is_bool_dtype(dtype):
        inferred = "boolean"
    elif pd.api.types.is_integer_dtype(dtype):
        return "integer"
    elif _is_text(dtype):
        return "text"
    elif dtype == np.dtype(object):
        inferred = pd.api.types.infer_dtype(
            series.cat.categories if hasattr(series, "cat") else series, skipna=False
        )
        if inferred in ("string", "empty"):
            return "text"
        if inferred == "integer":
            return "integer"
    else:
        inferred = str(dtype)
    raise InputError(
        f"{name} must hold ids, all integers or all text; got {inferred}, such as "
        f"{examples(series)}. Convert the column with astype('int64') or astype(str)"
    )


def _inverse(order: npt.NDArray[Any]) -> IntArray:
    places = np.empty(order.size, np.int64)
    places[order] = np.arange(order.size)
    return places
