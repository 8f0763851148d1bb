"""Columns of the user's tables: taken from any kind of frame, and checked: ids, numbers, others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.errors import InvalidIndexError

from receval._checks import (
    LARGEST,
    MAX_EXAMPLES,
    BoolArray,
    InputError,
    check_text,
    format_first,
    input_error,
    no_huge_numbers,
    shorten,
)
from receval._lists import as_array
from receval._rounding import as_float64, check_not_merged

FILL = "Leave such rows out with dropna(), or give them a number with fillna()"


def frame(table: object, name: str) -> pd.DataFrame:
    """A pandas table, where rows are taken out of it."""
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"{name} must be a pandas DataFrame; got {type(table).__name__}")
    return table


def to_pandas(table: Any, name: str) -> pd.DataFrame:
    """A table of any library as pandas has it."""
    table = to_arrow(table, name)
    return frame(table.to_pandas() if _is_arrow(table) else table, name)


def to_arrow(table: Any, name: str = "table") -> Any:
    """A table of any library as Arrow has it, where it has columns to share; a lazy one is run."""
    if isinstance(table, type):  # a class has the attributes of its tables, and no rows
        raise input_error(name, "be a table (a DataFrame)", f"the class {table.__name__}")
    if isinstance(table, pd.DataFrame) or _is_arrow(table):
        return table
    if hasattr(table, "collect_schema") and not hasattr(table, "__arrow_c_stream__"):
        table = table.collect()
    if not hasattr(table, "__arrow_c_stream__") or hasattr(table, "dtype"):
        return table
    import pyarrow as pa

    try:
        return pa.table(table)
    except Exception as error:  # whole numbers of 128 bits, Python's objects, broken interfaces
        got = f"{type(table).__name__} ({shorten(str(error) or type(error).__name__)})"
        raise input_error(name, "share its columns with Arrow: text, numbers, dates", got) from None


def labels_of(table: Any) -> list[Any]:
    """What the columns of a table are called."""
    return list(table.column_names if _is_arrow(table) else table.columns)


def _is_arrow(table: Any) -> bool:
    if isinstance(table, pd.DataFrame) or not hasattr(table, "column_names"):
        return False
    import pyarrow as pa

    return isinstance(table, (pa.Table, pa.RecordBatch))


def column(table: Any, label: Any, name: str, whom: str = "") -> pd.Series:
    """One column of a pandas or Arrow table; messages call the table ``name``."""
    values: Any = None
    if isinstance(table, pd.DataFrame):
        with suppress(KeyError, TypeError, InvalidIndexError):
            place: Any = table.columns.get_loc(label)
            values = table.iloc[:, place]
    elif not _is_arrow(table):
        raise input_error(name, "be a table (a DataFrame)", type(table).__name__)
    elif isinstance(label, str) and table.column_names.count(label) == 1:
        values = _of_arrow(table[label], f"{label} of {name}")
    if not isinstance(values, pd.Series):
        labels = labels_of(table)
        if labels or len(table):
            raise column_error(label, labels, name, whom)
        return pd.Series(dtype=object)
    return values.reset_index(drop=True)


def _of_arrow(values: Any, name: str) -> pd.Series:
    import pyarrow as pa

    try:
        found: pd.Series = _plain_dictionary(values).to_pandas()
    except NotImplementedError:  # of lists of texts, for one, which are refused by their use
        found = pd.Series(values.to_pylist(), dtype=object)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        got = f"{values.type} ({shorten(str(error))})"
        raise input_error(name, "be a column that pandas can hold", got) from None
    return found


def _plain_dictionary(values: Any) -> Any:
    """A column of Arrow whose dictionary has each value once and no null, or without dictionary.

    Arrow lets a dictionary repeat a value or hold a null. The categories of pandas can do neither.
    """
    import pyarrow as pa

    if not pa.types.is_dictionary(values.type):
        return values
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    for chunk in chunks:
        dictionary = chunk.dictionary
        if dictionary.null_count or len(dictionary.unique()) < len(dictionary):
            decoded = [part.dictionary_decode() for part in chunks]
            return pa.chunked_array(decoded, values.type.value_type)
    return values


def check_once(label: object, labels: list[Any], name: str, whom: str = "") -> None:
    """Refuse a table whose ``labels`` do not have this one once."""
    if times(label, labels) != 1:
        raise column_error(label, labels, name, whom)


def times(label: object, labels: list[Any]) -> int:
    """How often it is among the labels."""
    with suppress(TypeError):  # an array given as a name has no hash
        return Counter(labels)[label]
    return 0


def column_error(label: object, labels: list[Any], name: str, whom: str = "") -> InputError:
    """What to raise for a column that is not there, or more than once."""
    again = times(label, labels) > 1
    found = "it is there twice" if again else f"got the columns {shorten(labels)}"
    error = InputError(f"{name} must have one column {shorten(label)}{whom}; {found}")
    error.lacks = None if again or not isinstance(label, str) else (name, label, labels)
    return error


def numbers(series: pd.Series, name: str, *, infinite: bool = False) -> npt.NDArray[Any]:
    """A column of numbers without gaps, in its own order and type.

    The rule is seen from the least and the largest value, without arrays as long as the column.
    """
    if series.dtype == np.dtype(object) and pd.api.types.infer_dtype(series) == "decimal":
        refuse_rows(series, series.isna().to_numpy(), name, "not be missing", FILL)
        series = pd.Series(_of_decimals(series.to_numpy(), name), series.index)
    numeric = pd.api.types.is_numeric_dtype(series.dtype)
    if not numeric or pd.api.types.is_complex_dtype(series.dtype):
        texts = pd.Series([str(value) for value in series], dtype=object)  # also of bytes
        read = pd.to_numeric(texts, errors="coerce").to_numpy(float)
        wrong = np.isnan(read)
        text = "Text is not turned into numbers"
        advice = f"{text} (mind decimal commas; words: .map({{'good': 2, …}}))"
        if not wrong.all():
            refuse_rows(series, wrong, name, "hold numbers", advice)
            rule = "hold numbers below about 1e308, of which none is infinite"
            advice = "Such a number makes the whole column text: correct it in the source"
            if infinite:
                rule = "hold numbers below about 1e308"
                advice += ", or write 'inf' or '-inf' if infinity is meant"
            # A float may be infinite; then only the type of the column is wrong, see below.
            is_number = np.array([isinstance(value, (float, np.floating)) for value in series])
            refuse_rows(series, np.isinf(read) & ~is_number, name, rule, advice)
            refuse_rounding(series, name)
            advice = f"{text}: pd.to_numeric(column) does it"
        got = f"{series.dtype}, such as {examples(series)}"
        raise input_error(name, "hold numbers", got, advice)
    if not isinstance(series.dtype, np.dtype):
        refuse_rows(series, series.isna().to_numpy(), name, "not be missing", FILL)
    values = series.to_numpy()
    if values.dtype == np.dtype(object):  # Arrow's decimals
        values = _of_decimals(values, name)
    if values.dtype.kind == "f":
        values = as_float64(values, name) if values.dtype.itemsize > 8 else values
    if values.dtype.kind != "f" or not values.size:
        return values
    ends = values.min(), values.max()
    if np.isnan(ends[0]):
        refuse_rows(series, np.isnan(values), name, "not be missing", FILL)
    if not infinite and np.isinf(ends).any():
        refuse_rows(series, np.isinf(values), name, "be finite")
    return values


def exact_digits(
    values: npt.NDArray[Any], given: pd.Series, name: str, *, whole_as_integer: bool = False
) -> list[str]:
    """Numbers with all their digits; integers that float64 would round stay integers."""
    if (
        values.dtype.kind in "iu"
        and max(-int(values.min(initial=0)), int(values.max(initial=0))) > LARGEST
    ):
        return list(map(str, values.tolist()))
    numbers_of_float64 = values.astype(np.float64)
    written = given.to_numpy()
    if written.dtype.kind == "f":
        refuse_rows(given, numbers_of_float64 != written, name, "be a number of float64")
    return [
        str(int(number)) if whole_as_integer and number.is_integer() else repr(number)
        for number in numbers_of_float64.tolist()
    ]


def _of_decimals(values: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    """Decimals as float64, where that makes no two of them equal."""
    with no_huge_numbers(name):
        return as_float64(values, name)


def refuse_rounding(series: pd.Series, name: str) -> None:
    """Refuse text whose numbers float64 makes equal, for which pd.to_numeric is no advice."""
    if pd.to_numeric(series, errors="coerce").dtype.kind in "iu":
        return  # whole numbers of 64 bits stay what they are
    check_not_merged(name, with_all_digits(series))


def with_all_digits(values: Iterable[Any]) -> list[Any]:
    """The values, of which texts become decimal numbers that have all their digits.

    Texts that are no such number stay, also those of an exponent that `Decimal` cannot have.
    """
    exact: list[Any] = []
    for value in values:
        exact.append(value)
        if isinstance(value, str):
            with suppress(InvalidOperation):
                exact[-1] = Decimal(value)
    return exact


def order_preserving_floats(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers of which unlike ones are unlike as float64: whole ones beyond 2^53 give way.

    Each that rounds to its neighbour becomes the next float64 above it, so that order is kept.
    """
    far = values.dtype.kind in "iu" and values.size
    if not far or max(-int(values.min()), int(values.max())) <= LARGEST:
        return values
    distinct, place = np.unique(values, return_inverse=True)
    steps = _steps(distinct.astype(np.float64).view(np.int64))
    rank = np.arange(steps.size)
    steps = np.maximum.accumulate(steps - rank) + rank
    return np.asarray(_steps(steps).view(np.float64)[place])


def _steps(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The bits of float64 as whole numbers that rise with it by one, and the bits of such."""
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def refuse_rows(
    series: pd.Series, wrong: BoolArray, name: str, rule: str, advice: str = ""
) -> None:
    """Raise if any row is ``wrong``, naming the first rows by their number."""
    if wrong.any():
        rows = np.flatnonzero(wrong)
        shown = format_first(rows, told=lambda row: f"{shorten(series.iloc[row])} in row {row}")
        raise input_error(name, rule, shown, advice)


def refuse_surrogates(series: pd.Series, name: str) -> None:
    """Refuse text with half a surrogate pair, which UTF-8 cannot write; other values pass."""
    wrong = [
        isinstance(value, str)
        and not value.isascii()
        and value.encode(errors="ignore").decode() != value
        for value in series
    ]
    refuse_rows(series, np.array(wrong, dtype=bool), name, "hold text that UTF-8 can write")


def examples(series: pd.Series) -> str:
    """The first values of a column, for a message."""
    return ", ".join(shorten(value) for value in series.head(MAX_EXAMPLES).tolist())


def as_series(values: object, name: str) -> pd.Series:
    """One-dimensional values as a Series; a Series stays as it is."""
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, (list, tuple, pd.Index, pd.api.extensions.ExtensionArray)):
        check_text(values, name)
        with no_huge_numbers(name):
            series = pd.Series(values)  # NumPy would make text of 1 and "1"
        if series.dtype.kind == "f":  # perhaps of whole numbers and others
            check_not_merged(name, values)
        return series
    array = as_array(values, name)
    if array.dtype.kind == "V":
        raise InputError(f"{name} must hold single values; got type {array.dtype}")
    if array.ndim != 1:
        raise InputError(f"{name} must have one axis; got shape {array.shape}")
    return pd.Series(array)


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
        return IdColumn("text", as_arrow(distinct, name), category, series)
    advice = "Convert the column with astype('int64') or astype(str)"
    if pd.api.types.is_float_dtype(dtype) and (distinct % 1 == 0).all():
        advice = "They are whole: astype('int64')"
    elif any(isinstance(one, (list, tuple, np.ndarray)) for one in distinct.head()):
        advice = "Put each item into a row of its own"
    got = f"{found}, such as {examples(series)}"
    error = input_error(name, "hold ids, all integers or all text", got, advice)
    error.is_nested = advice.startswith("Put each item")
    raise error


def ids_as_text(series: pd.Series, name: str) -> pd.Series:
    """A column of ids with its whole numbers written out; what is no id is refused."""
    own = read_ids(series, name)
    return pd.Series(own.values).astype(str) if own.kind == "integer" else series


def as_arrow(series: pd.Series, name: str) -> Any:
    """A column of text as one Arrow array."""
    import pyarrow as pa

    try:
        texts = pa.array(series).cast(pa.large_string())
    except UnicodeEncodeError:
        refuse_surrogates(series, name)
        raise
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
