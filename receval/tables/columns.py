"""Read columns from tables of any library, and check that they hold ids or numbers."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_array, check_exact
from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    InputError,
    check_text,
    format_first,
    input_error,
    shorten,
    type_name,
)
from receval._files import read_toml

if TYPE_CHECKING:
    import pyarrow as pa

AnyFrame: TypeAlias = Any
"""A frame of pandas, Arrow or Dask. Arrow and Dask have no types that mypy could check."""

ROW = "number of the row in the whole table"
"""The name of an index that has these numbers, in a frame with only some rows of a table."""

SYNONYMS: Mapping[str, str] = read_toml("tables/names.toml")
"""Usual names of columns with the same meaning, by argument of `receval.evaluate`."""

LISTS_ADVICE = (
    "Make a table: pd.DataFrame(rows, columns=[…]) from rows; receval.lists_from_items or "
    "receval.lists_from_scores from an array with a row for each user. A Run of ranx: run.to_dict()"
)
FILL_ADVICE = "Leave such rows out with dropna(), or give them a number with fillna()"
CONVERSION_ADVICE = "Text is not turned into numbers: pd.to_numeric(column) does it"
OTHER_TYPE_ADVICE = "Make a column of whole numbers or float64 first"
WORDS_ADVICE = "Text is not turned into numbers (mind decimal commas; words: .map({'good': 2, …}))"
FLOATS_ADVICE = (
    "Floats don't show how ids were written, since 2101.10 becomes 2101.1: read the column as text,"
    " such as pandas.read_csv(path, dtype={column: str})"
)
MIXED_ADVICE = (
    "Convert the column with astype('int64') or astype(str); if that made ids equal, such as 7 and "
    "'7', correct them in the source"
)
NESTED_ADVICE = "Put each item into its own row, or join the parts of an id to one text"


# Tables -------------------------------------------------------------------------------------------


def check_frame(table: object, name: str) -> pd.DataFrame:
    """Return ``table`` if it is a pandas DataFrame; raise `InputError` otherwise."""
    if not isinstance(table, pd.DataFrame):
        raise input_error(
            name, "be a pandas DataFrame", type_name(table), _loading_advice(table, name)
        )
    return table


def _loading_advice(table: object, name: str) -> str:
    """Return advice on how to load a table into memory: a file, or one of another library."""
    if isinstance(table, (str, Path)):
        return "To read a file: receval.read_table(path)"
    for method in ("compute", "to_pandas"):  # of Dask; of Polars, Arrow and others
        if hasattr(table, "columns") and hasattr(table, method):
            return f"Pass {name}.{method}()"
    return ""


def open_frame(table: AnyFrame, name: str) -> AnyFrame:
    """Return a table of pandas unchanged, and one of any other library as a table of Arrow.

    This works for libraries that share their columns through Arrow's interface, such as Polars and
    DuckDB. If a table of Polars is lazy, the function computes it first. Raises `InputError` about
    the table ``name`` if this is not a table, or its library can't share a column.
    """
    if isinstance(table, pd.DataFrame):
        return table
    if hasattr(table, "collect_schema") and not hasattr(table, "__arrow_c_stream__"):
        table = table.collect()
    is_single_column = hasattr(table, "dtype")  # columns have Arrow's interface, too
    if not hasattr(table, "__arrow_c_stream__") or is_single_column:
        advice = _loading_advice(table, name) or LISTS_ADVICE
        raise input_error(name, "be a table (a DataFrame)", type_name(table), advice)
    import pyarrow as pa

    try:
        return pa.table(table)
    except Exception as error:  # integers of 128 bits, Python objects, broken interfaces
        got = f"{type_name(table)} ({shorten(str(error) or type(error).__name__)})"
        raise input_error(name, "share its columns with Arrow: text, numbers, dates", got) from None


def to_pandas(table: AnyFrame, name: str) -> pd.DataFrame:
    """Return a table of any library as a frame of pandas; see `open_frame`."""
    opened = open_frame(table, name)
    if isinstance(opened, pd.DataFrame):
        return opened
    frame: pd.DataFrame = opened.to_pandas()
    return frame


def column_labels(table: AnyFrame) -> list[Hashable]:
    """Return the names of a table's columns."""
    is_arrow = type(table).__module__ == "pyarrow.lib"  # a frame may have a column "column_names"
    return list(table.column_names if is_arrow else table.columns)


def find_synonyms(argument: str, labels: Iterable[Hashable]) -> list[str]:
    """Return the labels with the meaning of an argument, such as "userId" for "user".

    Only letters count, in upper or lower case.
    """
    synonyms = SYNONYMS[argument].split()
    return [
        label
        for label in labels
        if isinstance(label, str) and re.sub("[^a-z]", "", label.lower()) in synonyms
    ]


def is_id_name(label: str) -> bool:
    """Return whether a column's name is usual for ids of users, items or systems.

    Columns named "users" or "items" count them.
    """
    is_usual = any(find_synonyms(argument, [label]) for argument in ("user", "item"))
    return label == "system" or (is_usual and not label.endswith("s"))


def is_number_name(label: str) -> bool:
    """Return whether a column's name is usual for scores, ranks or grades."""
    arguments = ("score", "rank", "relevance_column")
    return any(find_synonyms(argument, [label]) for argument in arguments)


# Single columns -----------------------------------------------------------------------------------


def read_column(table: AnyFrame, label: object, name: str, needed_by: str = "") -> pd.Series:
    """Return one column of a pandas or Arrow table, with row numbers as its index.

    If the index of a pandas table is called `ROW`, it has these numbers already.

    Parameters
    ----------
    table : DataFrame, or a table of a library that shares its columns with Arrow
        The table. If it has no columns and no rows, the result is an empty column, because a
        system without recommendations may have such a table.
    label : hashable
        The name of the column.
    name : str
        The name of the table in error messages.
    needed_by : str, optional
        Words that follow "… must have one column 'x'" in the message, such as " for nDCG".

    Raises
    ------
    InputError
        If this is not a table, or it doesn't have the column exactly once.
    """
    table = open_frame(table, name)
    labels = column_labels(table)
    if not labels and not len(table):
        return pd.Series(dtype=object)
    check_once(label, labels, name, needed_by)
    column = table[label]
    if isinstance(column, pd.Series):
        return column if column.index.name == ROW else column.reset_index(drop=True)
    import pyarrow as pa

    try:
        if pa.types.is_decimal(column.type):  # pandas would make objects of decimals
            column = column.cast(pa.float64())
        return pd.Series(column.to_pandas())
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        got = f"{column.type} ({shorten(str(error))})"
        rule = "be a column that pandas can hold"
        raise input_error(f"{label} of {name}", rule, got) from None


def check_once(
    label: object, labels: Sequence[Hashable], name: str, needed_by: str = "", advice: str = ""
) -> None:
    """Raise unless ``label`` occurs exactly once among the ``labels`` of a table.

    ``name`` and ``needed_by`` are parts of the message, as in `read_column`, and ``advice`` says
    what to do if the column is missing.
    """
    # True isn't the label 1.
    n_times = sum(type(other) is type(label) and other == label for other in labels)
    if n_times != 1:
        got = f"the columns {shorten(labels)}"
        raise input_error(name, f"have one column {shorten(label)}{needed_by}", got, advice)


def as_series(values: object, name: str) -> pd.Series:
    """Convert one-dimensional values to a Series; return a Series unchanged.

    Raises `InputError` if the values have more than one axis, or are records with named fields.
    """
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, (list, tuple, pd.Index, pd.api.extensions.ExtensionArray)):
        check_text(values, name)
        series = pd.Series(values)  # NumPy would make text of 1 and "1"
        if series.dtype == np.float64 and (series.abs() >= MAX_EXACT_INTEGER).any():
            check_exact(np.array(values, dtype=object), name)  # pandas rounds large whole numbers
        return series
    array = as_array(values, name)
    if array.dtype.kind == "V":  # records with named fields
        raise InputError(f"{name} must hold single values; got type {array.dtype}")
    if array.ndim != 1:
        raise InputError(f"{name} must have one axis; got shape {array.shape}")
    return pd.Series(array)


# Numbers ------------------------------------------------------------------------------------------


def read_numbers(series: pd.Series, name: str, *, infinite: bool = False) -> AnyArray:
    """Return a column of numbers as an array; raise if a value is missing.

    The numbers keep their order and type.

    Parameters
    ----------
    series : Series
        The column.
    name : str
        The name of the column in error messages.
    infinite : bool
        Whether infinite numbers are allowed.

    Raises
    ------
    InputError
        If a value is missing or not a number, or if one is infinite although ``infinite`` is False.
    """
    if not pd.api.types.is_numeric_dtype(series.dtype):
        raise _not_numeric_error(series, name)
    check_no_rows(series, series.isna().to_numpy(), name, "not be missing", FILL_ADVICE)
    values = series.to_numpy()
    if values.dtype.kind == "O":  # decimals of Arrow
        values = values.astype(np.float64)
    is_complex_or_long = values.dtype.kind == "c" or values.dtype.itemsize > 8
    if is_complex_or_long:
        raise _not_numeric_error(series, name)
    if not infinite:
        check_no_rows(series, np.isinf(values), name, "be finite")
    return values


def _not_numeric_error(series: pd.Series, name: str) -> InputError:
    """Return the error for a column whose type isn't numeric.

    If some of its texts aren't numbers, the error names their rows.
    """
    numbers = pd.to_numeric(series.astype(object), errors="coerce").to_numpy()  # NaN: no number
    is_text = np.array([isinstance(value, str) for value in series], bool)
    is_wrong = is_text & ~np.isfinite(numbers)  # "1e999" is not infinite
    if is_wrong.any():
        return input_error(name, "hold numbers", format_rows(series, is_wrong), WORDS_ADVICE)
    got = f"{series.dtype}, such as {format_examples(series)}"
    # pandas doesn't convert fractions, and dates would become numbers of unknown units.
    if series.dtype.kind == "O" and not np.isnan(numbers).any():
        return input_error(name, "hold numbers", got, CONVERSION_ADVICE)
    return input_error(name, "hold numbers", got, OTHER_TYPE_ADVICE)


# Rows that break a rule ---------------------------------------------------------------------------


def check_no_rows(
    series: pd.Series, is_wrong: BoolArray, name: str, rule: str, advice: str = ""
) -> None:
    """Raise if any row of a column is wrong, and show the first wrong rows with their numbers.

    The mask ``is_wrong`` is True for each wrong row of ``series``. The message says that the column
    ``name`` must ``rule``, followed by the ``advice``.
    """
    if is_wrong.any():
        raise input_error(name, rule, format_rows(series, is_wrong), advice)


def format_rows(series: pd.Series, is_shown: BoolArray) -> str:
    """Return the first rows of a mask as text, such as "'x' in row 3"."""
    numbers = series.index if series.index.name == ROW else range(len(series))
    rows = np.flatnonzero(is_shown).tolist()
    return format_first(
        rows, to_text=lambda row: f"{shorten(series.iloc[row])} in row {numbers[row]}"
    )


def format_examples(series: pd.Series) -> str:
    """Return the first values of a column as text for a message."""
    return ", ".join(shorten(value) for value in series.head(MAX_EXAMPLES).tolist())


# Ids ----------------------------------------------------------------------------------------------


def read_ids(series: pd.Series, name: str) -> AnyArray | pa.Array:
    """Return a column of ids: integers as NumPy holds them, or texts as Arrow does.

    Categories of texts remain a dictionary of Arrow. A column without rows becomes an array of
    integers. ``name`` is the name of the column in messages.

    Raises `InputError` if an id is missing or the column has any other values, such as floats.
    """
    if not len(series):
        return np.empty(0, np.int64)
    check_no_rows(series, series.isna().to_numpy(), name, "not be missing")
    values = series
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = pd.Series(series.cat.categories)
    kind = pd.api.types.infer_dtype(values, skipna=False)
    if kind == "integer":
        integers = series.to_numpy()
        if integers.dtype == np.dtype(object):  # Python objects become int64 if they all fit
            with suppress(OverflowError):
                integers = integers.astype(np.int64)
        return integers
    if kind == "string":
        return _as_arrow_texts(series, name)
    raise _no_ids_error(series, name, kind)


def _as_arrow_texts(series: pd.Series, name: str) -> pa.Array:
    """Convert a column of text to one Arrow array, or to a dictionary if it has categories.

    Raises `InputError` about the column ``name`` if UTF-8 cannot write a text.
    """
    import pyarrow as pa

    try:
        texts = pa.array(series)
    except UnicodeEncodeError as error:  # half a surrogate pair
        is_wrong = (series == error.object).to_numpy()
        got = format_rows(series, is_wrong)
        raise input_error(name, "hold text that UTF-8 can write", got) from None
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    if isinstance(texts, pa.DictionaryArray):
        return texts.cast(pa.dictionary(pa.int32(), pa.large_string()))
    return texts.cast(pa.large_string())


def _no_ids_error(series: pd.Series, name: str, kind: str) -> InputError:
    """Return the error for a column whose values can't be ids."""
    values = series.tolist()
    is_float = [isinstance(value, (float, np.floating)) for value in values]
    advice = MIXED_ADVICE
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        advice = NESTED_ADVICE
    elif all(is_float) and all(
        value % 1 == 0 and abs(value) < MAX_EXACT_INTEGER for value in values
    ):
        advice = "They are whole: astype('int64')"
    elif any(is_float):
        advice = FLOATS_ADVICE
    got = f"{kind}, such as {format_examples(series)}"
    return input_error(name, "hold ids, all integers or all text", got, advice)


# Ids in an index ----------------------------------------------------------------------------------


def index_by_id(
    frame: pd.DataFrame, labels: Iterable[str], name: str, alike: Iterable[str] = ()
) -> pd.DataFrame:
    """Return the frame with its ids as index.

    If no column has one of the names in ``labels``, the index holds the ids already. If a column
    has such a name and pandas numbered the rows, the column becomes the index.

    Parameters
    ----------
    frame : DataFrame
        A row for each id.
    labels : iterable of str
        Names that the column of ids may have.
    name : str
        The name of the frame in error messages.
    alike : iterable of str
        Other names with the same meaning, in lower case and without characters other than letters.
        If pandas numbered the rows and a column has such a name, it isn't certain that this column
        holds the ids, so receval refuses the frame.

    Raises
    ------
    InputError
        If it isn't certain that the index holds the ids.
    """
    id_columns = [label for label in frame.columns if label in {*labels}]
    if len(id_columns) == 1:
        by_id = frame.set_index(id_columns[0])
        # The index may have the ids, too, as after set_index(…, drop=False).
        if is_numbered(frame.index) or frame.index.equals(by_id.index):
            return by_id
    if not id_columns and is_numbered(frame.index):  # a similar name makes it doubtful
        id_columns = [
            label for label in frame.columns if re.sub("[^a-z]", "", str(label).lower()) in {*alike}
        ]
    if not id_columns:
        return frame
    index = format_first(repr(value) for value in frame.index[:3])
    got = f"the index {index} and the column {format_first(map(repr, id_columns))}"
    advice = (
        f"If a column holds the ids: {name}.reset_index(drop=True).set_index({id_columns[0]!r}); "
        f"if the index does: {name}.drop(columns={id_columns!r})"
    )
    raise input_error(name, "have its ids in its index", got, advice)


def is_numbered(index: pd.Index) -> bool:
    """Return whether pandas made the index by numbering the rows: 0, 1, 2, … without a name."""
    if not isinstance(index, pd.RangeIndex):
        return False
    return index.start == 0 and index.step == 1 and index.name is None
