"""Ids of the tables become codes, the same ones in all tables.

Text is encoded once, by Arrow, or not at all if it is short. Users are encoded once for each run
of equal ids, so that a table that is grouped by user costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, IntArray
from receval.tables.codes import Codes, Ids, ShortText, Words, inverse
from receval.tables.columns import examples, refuse_rows


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
    if isinstance(ids, ShortText):
        empty = Words(np.empty(0, np.uint64), ids=ids)
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

        texts = _arrow(series, "")
        values = _words(texts)
        if values is None:
            changes = pc.not_equal(texts[1:], texts[:-1]).to_numpy(zero_copy_only=False)
        else:
            changes = values[1:] != values[:-1]
    else:
        changes = (series.array[1:] != series.array[:-1]).to_numpy(dtype=bool)
    changed = np.flatnonzero(changes)
    small: Any = np.int32 if len(series) < 2**31 else np.int64
    starts: IntArray = np.zeros(changed.size + 1, small)
    np.add(changed, 1, out=starts[1:], casting="same_kind")
    return starts


def _code_text(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, Codes], Ids]:
    import pyarrow as pa

    texts = {
        table: _arrow(_categories(series), f"{label} of {table}")
        for table, series in columns.items()
    }
    places = {
        table: one.cat.codes.to_numpy() for table, one in columns.items() if hasattr(one, "cat")
    }
    words = {table: own for table, one in texts.items() if (own := _words(one)) is not None}
    if len(words) == len(texts):
        words = {
            table: own[places[table]] if table in places else own for table, own in words.items()
        }
        short = ShortText(words)
        return {table: Words(own, ids=short, table=table) for table, own in words.items()}, short
    coded = pa.chunked_array(texts.values()).combine_chunks().dictionary_encode()
    ends = np.cumsum([len(one) for one in texts.values()])[:-1]
    parts = dict(zip(texts, np.split(coded.indices.to_numpy(), ends), strict=True))
    return {
        table: Codes(own[places[table]] if table in places else own) for table, own in parts.items()
    }, Ids(len(coded.dictionary), "text", coded.dictionary)


def _words(texts: Any) -> npt.NDArray[np.uint64] | None:
    """Texts (an Arrow array) of up to eight bytes as numbers; None if they are not all such."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    length = np.diff(ends)
    used = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    if length.max(initial=0) > 8 or used.min(initial=1) == 0:
        return None
    if (length == 8).all():
        return used.view(np.uint64)
    padded = np.append(used, np.zeros(8, np.uint8))
    overlapping = np.ndarray((used.size + 1,), np.uint64, padded, strides=(1,))
    kept = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)  # the first n bytes
    words: npt.NDArray[np.uint64] = overlapping[ends[:-1] - ends[0]] & kept[length]
    return words


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
    places, values = pd.factorize(np.concatenate([own.astype(wide) for own in arrays.values()]))
    order = np.argsort(values)  # of the distinct ids only
    ends = np.cumsum([own.size for own in arrays.values()])[:-1]
    parts = np.split(inverse(order)[places], ends)
    coded = {table: Codes(own) for table, own in zip(arrays, parts, strict=True)}
    return coded, Ids(len(values), "integer", values[order])


def _arrow(series: pd.Series, name: str) -> Any:
    """A column of text as one Arrow array."""
    import pyarrow as pa

    if len(series) and not isinstance(series.dtype, np.dtype):
        array = series.array.__arrow_array__()
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        return array.cast(pa.large_string())
    try:
        return pa.array(series.to_numpy(dtype=object), pa.large_string())
    except UnicodeEncodeError:
        wrong = series.map(_no_text).to_numpy(dtype=bool)
        refuse_rows(series, wrong, name, "hold text that UTF-8 can write")
        raise


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
        if inferred == "string":
            return "text"
        if inferred == "integer":
            return "integer"
    else:
        inferred = str(dtype)
    raise InputError(
        f"{name} must hold ids, all integers or all text; got {inferred}, such as "
        f"{examples(series)}. Convert the column with astype('int64') or astype(str)"
    )
