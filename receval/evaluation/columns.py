"""Columns of the user's tables: read from any kind of frame, checked, ids turned into codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray, shorten


def open_table(table: object, name: str) -> Any:
    """A frame as it is, columns in a dict as a frame, or the table of a Parquet or CSV path."""
    if isinstance(table, (str, Path)):
        from receval.evaluation.formats import read_any

        return read_any(table)
    if isinstance(table, Mapping):
        columns = {
            key: _as_given(values, f"column {key!r} of {name}") for key, values in table.items()
        }
        lengths = {key: len(values) for key, values in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"{name} must have columns of one length; got {lengths}")
        return pd.DataFrame(columns)
    if isinstance(table, (list, tuple)) and not table:
        return pd.DataFrame()  # nothing recommended
    if not hasattr(table, "columns") and not hasattr(table, "column_names"):
        raise InputError(f"{name} must be a table (a DataFrame); got {type(table).__name__}")
    return table


def _as_given(values: object, name: str) -> Any:
    """A column of a dict; a list keeps the types of its elements, so that 1 and "1" differ."""
    if isinstance(values, (list, tuple)):
        return pd.Series(list(values), dtype=object).infer_objects()
    if isinstance(values, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return pd.Series(values).reset_index(drop=True)
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name} must have one axis; got shape {array.shape}")
    return array


def column(table: Any, label: str, name: str) -> pd.Series:
    """One column of a pandas, Polars or Arrow table; ``name`` is the table's, for messages."""
    labels = list(table.column_names if hasattr(table, "column_names") else table.columns)
    if not labels and not len(table):
        return pd.Series(dtype=object)
    if labels.count(label) != 1:
        found = "it is there twice" if label in labels else f"got the columns {shorten(labels)}"
        raise InputError(f"{name} must have one column {label!r}; {found}")
    values = table[label]
    if isinstance(values, pd.Series):
        return values.reset_index(drop=True)
    if hasattr(values, "to_pandas"):
        values = values.to_pandas()
    return pd.Series(values).reset_index(drop=True)


def numbers(series: pd.Series, name: str, *, infinite: bool = False) -> FloatArray:
    """A column of numbers without gaps, in its own order, as float64 (float32 stays exact)."""
    numeric = pd.api.types.is_numeric_dtype(series.dtype)
    if not numeric or pd.api.types.is_complex_dtype(series.dtype):
        raise InputError(
            f"{name} must hold numbers; got {series.dtype}, such as {_examples(series)}. "
            "Text is not turned into numbers (mind decimal commas)"
        )
    refuse_rows(series, series.isna().to_numpy(), name, "not be missing")
    values = series.to_numpy(dtype=np.float64)
    refuse_rows(series, np.isnan(values), name, "not be NaN")
    if not infinite:
        refuse_rows(series, np.isinf(values), name, "be finite")
    return values


def refuse_rows(
    series: pd.Series, wrong: BoolArray, name: str, rule: str, advice: str = ""
) -> None:
    """Raise if any row is ``wrong``, naming the first rows by their number."""
    if wrong.any():
        rows = np.flatnonzero(wrong)
        shown = ", ".join(f"{shorten(series.iloc[row])} in row {row}" for row in rows[:SHOWN])
        more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
        raise InputError(f"{name} must {rule}; got {shown}{more}{'. ' if advice else ''}{advice}")


@dataclass(frozen=True)
class Ids:
    """Distinct ids, ascending; code i stands for the i-th, or for ``start + i``."""

    size: int
    kind: str
    values: npt.NDArray[Any] | None = None
    start: int = 0

    def of(self, codes: IntArray) -> npt.NDArray[Any]:
        """The ids behind codes."""
        return codes + self.start if self.values is None else self.values[codes]

    def one(self, code: int) -> Any:
        """The id behind one code, as a Python object."""
        value = self.of(np.array([code]))[0]
        return value.item() if isinstance(value, np.generic) else value

    def find(self, id: object) -> int | None:
        """The code of an id, or None."""
        everything = pd.Index(self.of(np.arange(self.size)))
        return int(everything.get_loc(id)) if id in everything else None

    @cached_property
    def byte_places(self) -> IntArray:
        """For each code its place when the ids are sorted as byte strings."""
        text = np.array([str(id).encode() for id in self.of(np.arange(self.size))], dtype=object)
        places = np.empty(self.size, np.int64)
        places[np.argsort(text, kind="stable")] = np.arange(self.size)
        return places


def encode(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """Codes of several id columns that speak of the same things, in the ids' own order.

    Integers stay numbers (codes by their range, if it is small), text stays text: "7" and "07"
    are different ids, and 7 is no text. The keys name the tables, and ``label`` the column.
    """
    full = {table: series for table, series in columns.items() if len(series)}
    kinds = {table: _kind(series, f"{label} of {table}") for table, series in full.items()}
    first = next(iter(full), "")
    for table, kind in kinds.items():
        if kind != kinds[first]:
            raise InputError(
                f"{label} of {first} and of {table} must be ids of one kind; got "
                f"{full[first].dtype} ({kinds[first]}) and {full[table].dtype} ({kind}). "
                "Convert one of them with astype"
            )
    codes, ids = {}, Ids(0, "integer")
    if full:
        encoder = _encode_integers if kinds[first] == "integer" else _encode_text
        arrays, ids = encoder(list(full.values()))
        codes = dict(zip(full, arrays, strict=True))
    empty = np.empty(0, np.int64)
    return {table: codes.get(table, empty) for table in columns}, ids


def _encode_text(columns: Sequence[pd.Series]) -> tuple[list[IntArray], Ids]:
    parts = [_distinct(series) for series in columns]
    values = pd.Index(np.concatenate([np.asarray(own, dtype=object) for _, own in parts]))
    values = values.unique().sort_values()
    codes = [
        np.asarray(values.get_indexer(pd.Index(own, dtype=object)), np.int64)[places]
        for places, own in parts
    ]
    return codes, Ids(len(values), "text", values.to_numpy())


def _encode_integers(columns: Sequence[pd.Series]) -> tuple[list[IntArray], Ids]:
    arrays = [_as_integers(series) for series in columns]
    rows = sum(array.size for array in arrays)
    least = min(int(array.min()) for array in arrays)
    most = max(int(array.max()) for array in arrays)
    if most - least < 4 * rows + 1024 and least >= -(2**63) and most < 2**63:
        codes = [(array.astype(np.int64) - least) for array in arrays]
        return codes, Ids(most - least + 1, "integer", start=least)
    # One type for all before they are joined: NumPy makes floats of int64 beside uint64.
    arrays = [array.astype(np.int64 if most < 2**63 else object) for array in arrays]
    parts = [pd.factorize(array) for array in arrays]
    values = np.unique(np.concatenate([own for _, own in parts]))
    coded = [np.searchsorted(values, own)[places].astype(np.int64) for places, own in parts]
    return coded, Ids(len(values), "integer", values)


def _distinct(series: pd.Series) -> tuple[IntArray, Any]:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return np.asarray(series.cat.codes, np.int64), series.cat.categories
    places, own = pd.factorize(series)
    return np.asarray(places, np.int64), own


def _as_integers(series: pd.Series) -> npt.NDArray[Any]:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return np.asarray(series.cat.categories)[series.cat.codes]
    if series.dtype != np.dtype(object):
        unsigned = str(series.dtype).lower().startswith("uint")
        return series.to_numpy(dtype=np.uint64 if unsigned else np.int64)
    small = all(-(2**63) <= value < 2**63 for value in series)
    return series.to_numpy().astype(np.int64 if small else object)


def _kind(series: pd.Series, name: str) -> str:
    """What the ids are, integer or text; anything else is refused."""
    refuse_rows(series, series.isna().to_numpy(), name, "not be missing")
    dtype = series.cat.categories.dtype if hasattr(series, "cat") else series.dtype
    if pd.api.types.is_bool_dtype(dtype):
        inferred = "boolean"
    elif pd.api.types.is_integer_dtype(dtype):
        return "integer"
    elif isinstance(dtype, pd.StringDtype) or (
        isinstance(dtype, pd.ArrowDtype) and pd.api.types.is_string_dtype(dtype)
    ):
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
        f"{_examples(series)}. Convert the column with astype('int64') or astype(str)"
    )


def _examples(series: pd.Series) -> str:
    return ", ".join(shorten(value) for value in series.head(SHOWN).tolist())
