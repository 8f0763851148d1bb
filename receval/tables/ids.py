"""Ids of the tables become codes, the same ones in all tables.

Users are encoded once for each segment of equal ids, so that a table that is grouped by user costs
next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import InputError, IntArray
from receval.tables.codes import Codes, Ids, Integers, TextCodes, Texts, inverse
from receval.tables.columns import examples, plain, refuse_rows
from receval.tables.keys import keys_suffice, text_keys

KINDS = {"integer": "integer", "string": "text"}  # of ids, by what pandas calls their values


def code(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, Codes], Ids]:
    """Codes of several id columns that speak of the same things.

    Integers stay numbers, text stays text: "7" and "07" are different ids, and 7 is no text. The
    keys name the tables, and ``label`` the column.
    """
    full = {table: series for table, series in columns.items() if len(series)}
    kinds = {table: kind(series, f"{label} of {table}") for table, series in full.items()}
    first = next(iter(kinds), "")
    for table, own in kinds.items():
        if own != kinds[first]:
            raise InputError(
                f"{label} of {first} and of {table} must be ids of one kind; got "
                f"{columns[first].dtype} ({kinds[first]}) and {columns[table].dtype} ({own}). "
                "Convert one of them with astype"
            )
    # A column without rows is of any kind.
    none = columns[first][:0] if kinds else pd.Series(dtype=np.int64)
    columns = {table: series if len(series) else none for table, series in columns.items()}
    return (_code_text if kinds.get(first) == "text" else _code_integers)(columns, label)


def encode(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """As `code`, with the codes as arrays."""
    coded, ids = code(columns, label)
    return {table: codes[:] for table, codes in coded.items()}, ids


def segment_starts(series: pd.Series) -> IntArray:
    """Where each segment of equal ids starts."""
    if not len(series):
        return np.empty(0, np.int64)
    if not _is_text(series.dtype):
        values: Any = series.cat.codes.to_numpy() if hasattr(series, "cat") else plain(series)
        changes = values[1:] != values[:-1]
    elif keys_suffice(texts := _arrow(series, "")):
        keys = text_keys(texts)
        changes = keys[1:] != keys[:-1]
    else:
        import pyarrow.compute as pc

        changes = pc.not_equal(texts[1:], texts[:-1]).to_numpy(zero_copy_only=False)
    starts = np.append(0, np.flatnonzero(changes) + 1)
    return starts.astype(np.int32 if len(series) < 2**31 else np.int64)


def _code_text(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, Codes], Ids]:
    ids = Texts(
        {
            table: _arrow(_categories(series), f"{label} of {table}")
            for table, series in columns.items()
        }
    )
    return {
        table: TextCodes(ids, table, one.cat.codes.to_numpy() if hasattr(one, "cat") else None)
        for table, one in columns.items()
    }, ids


def _code_integers(columns: Mapping[str, pd.Series], _: str) -> tuple[dict[str, Codes], Ids]:
    arrays = {table: _as_integers(series) for table, series in columns.items()}
    full = [array for array in arrays.values() if array.size]
    least = min((int(array.min()) for array in full), default=0)
    most = max((int(array.max()) for array in full), default=-1)
    near = most - least < 4 * sum(array.size for array in full) + 1024
    if near and least >= -(2**63) and most < 2**63:
        codes = {table: Codes(arrays[table], least, columns[table]) for table in arrays}
        return codes, Integers(most - least + 1, least)
    # One type for all before they are joined: NumPy makes floats of int64 beside uint64.
    wide = np.int64 if most < 2**63 and least >= -(2**63) else object
    found, values = pd.factorize(np.concatenate([own.astype(wide) for own in arrays.values()]))
    order = np.argsort(values)  # of the distinct ids only
    ends = np.cumsum([own.size for own in arrays.values()])[:-1]
    parts = np.split(inverse(order)[found], ends)
    coded = {table: Codes(own) for table, own in zip(arrays, parts, strict=True)}
    return coded, Integers(len(values), values=values[order])


def _arrow(series: pd.Series, name: str) -> Any:
    """A column of text as one Arrow array."""
    import pyarrow as pa

    try:
        if isinstance(series.dtype, np.dtype):
            return pa.array(series.to_numpy(dtype=object), pa.large_string())
        texts = series.array.__arrow_array__().cast(pa.large_string())
    except UnicodeEncodeError:
        wrong = np.array([one.encode(errors="ignore").decode() != one for one in series])
        refuse_rows(series, wrong, name, "hold text that UTF-8 can write")
        raise
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts


def _categories(series: pd.Series) -> pd.Series:
    return pd.Series(series.cat.categories) if hasattr(series, "cat") else series


def _as_integers(series: pd.Series) -> npt.NDArray[Any]:
    values = plain(_categories(series))
    if values.dtype == np.dtype(object):
        small = all(-(2**63) <= value < 2**63 for value in values)
        values = values.astype(np.int64 if small else object)
    return values[series.cat.codes] if hasattr(series, "cat") else values


def _is_text(dtype: Any) -> bool:
    arrow = isinstance(dtype, pd.ArrowDtype) and pd.api.types.is_string_dtype(dtype)
    return isinstance(dtype, pd.StringDtype) or arrow


def kind(series: pd.Series, name: str) -> str:
    """What the ids are, integer or text; anything else is refused."""
    if not len(series):
        return "none"
    if not (isinstance(series.dtype, np.dtype) and series.dtype.kind in "iub") and series.hasnans:
        refuse_rows(series, series.isna().to_numpy(), name, "not be missing")
    values = _categories(series)
    found = str(values.dtype)
    if pd.api.types.is_bool_dtype(values.dtype):
        found = "boolean"
    elif pd.api.types.is_integer_dtype(values.dtype):
        found = "integer"
    elif _is_text(values.dtype):
        found = "string"
    elif values.dtype == np.dtype(object):
        found = pd.api.types.infer_dtype(values, skipna=False)
    if found in KINDS:
        return KINDS[found]
    raise InputError(
        f"{name} must hold ids, all integers or all text; got {found}, such as "
        f"{examples(series)}. Convert the column with astype('int64') or astype(str)"
    )
