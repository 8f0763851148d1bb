"""Ids of the tables become codes, the same ones in all tables.

Users are encoded once for each segment of equal ids, so that a table that is grouped by user costs
next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import IntArray, refusal
from receval.tables.codes import AnyCodes, Codes, Ids, Integers, TextCodes, Texts, inverse
from receval.tables.columns import examples, refuse_rows

AllCodes = Mapping[str, AnyCodes]


class IdColumn(NamedTuple):
    """A column of ids as NumPy or Arrow holds them; `read_ids` reads it.

    Attributes
    ----------
    kind : "integer" or "text", "none" where there is no row.
    values : integers, or an Arrow array of texts: by row, or of the categories.
    category : of each row, where the texts are those of categories.
    given : the column as it was given.
    """

    kind: str
    values: Any
    category: npt.NDArray[Any] | None
    given: pd.Series

    def segments(self) -> tuple[IntArray, IdColumn]:
        """Where each segment of equal ids starts, and their ids."""
        n, by_row = len(self.given), self.values if self.category is None else self.category
        if isinstance(by_row, np.ndarray):
            changes = by_row[1:] != by_row[:-1]
        else:
            import pyarrow.compute as pc

            changes = pc.not_equal(by_row[1:], by_row[:-1]).to_numpy(zero_copy_only=False)
        starts = np.append(0, np.flatnonzero(changes) + 1)[:n]
        starts = starts.astype(np.int32 if 0 < n < 2**31 else np.int64)
        if self.category is not None:
            return starts, self._replace(category=self.category[starts])
        return starts, self._replace(values=self.values.take(starts))


def read_ids(series: pd.Series, name: str) -> IdColumn:
    """The ids of a column, all integers or all text; anything else is refused."""
    if not len(series):
        return IdColumn("none", np.empty(0, np.int64), None, series)
    if not (isinstance(series.dtype, np.dtype) and series.dtype.kind in "iub") and series.hasnans:
        refuse_rows(series, series.isna().to_numpy(), name, "not be missing")
    distinct, category = series, None
    if isinstance(series.dtype, pd.CategoricalDtype):
        distinct, category = pd.Series(series.cat.categories), series.cat.codes.to_numpy()
    dtype, found = distinct.dtype, str(distinct.dtype)
    if dtype == np.dtype(object) or pd.api.types.is_bool_dtype(dtype):
        found = pd.api.types.infer_dtype(distinct, skipna=False)
    typed_text = isinstance(dtype, pd.StringDtype | pd.ArrowDtype)
    if found == "integer" or pd.api.types.is_integer_dtype(dtype):
        values = distinct.to_numpy()
        if values.dtype == np.dtype(object):
            with suppress(OverflowError):  # beyond 64 bits they stay objects
                values = values.astype(np.int64)
        return IdColumn("integer", values if category is None else values[category], None, series)
    if found == "string" or (typed_text and pd.api.types.is_string_dtype(dtype)):
        return IdColumn("text", _arrow(distinct, name), category, series)
    advice = "Convert the column with astype('int64') or astype(str)"
    got = f"{found}, such as {examples(series)}"
    raise refusal(name, "hold ids, all integers or all text", got, advice)


def as_text(series: pd.Series, name: str) -> pd.Series:
    """A column of ids with its whole numbers written out; what is no id is refused."""
    own = read_ids(series, name)
    return pd.Series(own.values).astype(str) if own.kind == "integer" else series


def code(columns: Mapping[str, pd.Series | IdColumn], label: str) -> tuple[AllCodes, Ids]:
    """Codes of several id columns that speak of the same things; one without rows is of any kind.

    Integers stay numbers, text stays text: "7" and "07" are different ids, and 7 is no text. The
    keys name the tables, and ``label`` the column.
    """
    read: dict[str, IdColumn] = {}
    first, kind = "", "integer"
    for table, given in columns.items():
        own = given if isinstance(given, IdColumn) else read_ids(given, f"{label} of {table}")
        read[table] = own
        if own.kind == "none":
            continue
        if first and own.kind != kind:
            got = f"{read[first].given.dtype} ({kind}) and {own.given.dtype} ({own.kind})"
            how = "Convert one of them with astype; in evaluate, ids='text' compares them as text"
            raise refusal(f"{label} of {first} and of {table}", "be ids of one kind", got, how)
        first, kind = first or table, own.kind
    if kind == "integer":
        return _code_integers(read)
    none = _arrow(pd.Series(dtype=object), "")
    texts = Texts({t: own.values if own.kind == "text" else none for t, own in read.items()})
    return {t: TextCodes(texts, t, own.category) for t, own in read.items()}, texts


def encode(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """As `code`, with the codes as arrays."""
    coded, ids = code(columns, label)
    return {table: codes.read() for table, codes in coded.items()}, ids


def _code_integers(columns: Mapping[str, IdColumn]) -> tuple[AllCodes, Ids]:
    arrays = [own.values for own in columns.values()]
    rows = np.cumsum(list(map(len, arrays)))
    full = list(filter(len, arrays))
    least = min(map(int, map(np.min, full)), default=0)
    most = max(map(int, map(np.max, full)), default=-1)
    within = least >= -(2**63) and most < 2**63
    if within and most - least < 4 * rows[-1] + 1024:
        codes = {table: Codes(own.values, least, own.given) for table, own in columns.items()}
        return codes, Integers(most - least + 1, least)
    # One type for all before they are joined: NumPy makes floats of int64 beside uint64.
    wide = np.int64 if within else object
    found, values = pd.factorize(np.concatenate([own.astype(wide) for own in arrays]))
    order = np.argsort(values)  # of the distinct ids only
    parts = np.split(inverse(order)[found], rows[:-1])
    return dict(zip(columns, map(Codes, parts), strict=True)), Integers(
        len(values), values=values[order]
    )


def _arrow(series: pd.Series, name: str) -> Any:
    """A column of text as one Arrow array."""
    import pyarrow as pa

    try:
        texts = pa.array(series).cast(pa.large_string())
    except UnicodeEncodeError:
        wrong = np.array([one.encode(errors="ignore").decode() != one for one in series])
        refuse_rows(series, wrong, name, "hold text that UTF-8 can write")
        raise
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
