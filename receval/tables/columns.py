"""Read columns from tables of any library, and check that they hold ids or numbers.

`shared_codes` replaces ids by codes: the code of an id is its place among the distinct ids of all
tables. `Rows` are the rows of a table by user.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd

from receval._arrays import as_array, check_exact
from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    Id,
    InputError,
    IntArray,
    check_text,
    format_first,
    input_error,
    shorten,
    type_name,
)
from receval._files import read_toml
from receval._threads import map_in_threads

if TYPE_CHECKING:
    import pyarrow as pa

Frame = TypeVar("Frame", pd.DataFrame, pd.Series)

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
    return cast("pd.DataFrame", opened.to_pandas())


def column_labels(table: AnyFrame) -> list[Hashable]:
    """Return the names of a table's columns."""
    if type(table).__module__ == "pyarrow.lib":  # a frame may have a column "column_names"
        return list(table.column_names)
    return list(table.columns)


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


def snapshot(frame: Frame) -> Frame:
    """Return a copy of a frame that stays the same if somebody edits the frame.

    Since version 3, pandas copies shared data before it writes. So the copy shares the data of the
    frame, and costs nothing.
    """
    copies_on_write = int(pd.__version__.partition(".")[0]) >= 3
    return frame.copy(deep=not copies_on_write)


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

    has_places = pa.types.is_decimal(column.type) and column.type.scale != 0
    try:
        if has_places:  # pandas would make objects of decimals
            column = column.cast(pa.float64())
        elif pa.types.is_decimal(column.type):  # whole numbers, such as DuckDB's HUGEINT
            column = column.cast(pa.int64())
        series = pd.Series(column.to_pandas())
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        got = f"{column.type} ({shorten(str(error))})"
        rule = "be a column that pandas can hold"
        raise input_error(f"{label} of {name}", rule, got) from None
    if has_places:
        is_rounded = (series.abs() >= MAX_EXACT_INTEGER).to_numpy()
        rule = "hold decimals below 2**53"
        advice = "Float64 would round larger ones: divide all by one number first"
        check_no_rows(series, is_rounded, f"{label} of {name}", rule, advice)
    return series


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
        check_exact(np.array([int(value) for value in values], dtype=object), name)
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
    values = series.astype(object)
    advice = MIXED_ADVICE
    if kind == "floating" and (values % 1 == 0).all() and values.abs().max() < MAX_EXACT_INTEGER:
        advice = "They are whole: astype('int64')"
    elif values.map(lambda value: isinstance(value, (float, np.floating))).any():
        advice = FLOATS_ADVICE
    elif values.map(lambda value: isinstance(value, (list, tuple, np.ndarray))).any():
        advice = NESTED_ADVICE
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


# Codes of ids -------------------------------------------------------------------------------------

MAX_RANGE_PER_ROW = 4
"""Largest range of whole numbers, per row, in which the number minus the smallest is the code.

If the range is wider, the distinct ids are numbered, so that arrays with an entry for each code
stay small.
"""

KEY_BYTES = 8
"""Number of bytes of a text that fit into a number."""

KEY_ROWS = 1 << 20
"""Number of texts that receval turns into numbers at a time."""


@dataclass(frozen=True, eq=False)
class Ids:
    """Distinct ids in ascending order; their places 0, 1, 2, … are the codes.

    Attributes
    ----------
    values : whole numbers in an array, or texts in an Arrow array, in the order of code points.
    """

    values: AnyArray | pa.LargeStringArray

    @property
    def kind(self) -> str:
        """Return "integer" or "text"."""
        return "integer" if isinstance(self.values, np.ndarray) else "text"

    @property
    def size(self) -> int:
        """Return the number of distinct ids."""
        return len(self.values)

    def take(self, codes: IntArray) -> AnyArray:
        """Return the ids that have these codes."""
        return np.asarray(self.index(codes, "id"))

    def take_one(self, code: int) -> Id:
        """Return the id with this code, as a Python object."""
        ids: list[Id] = self.take(np.array([code])).tolist()
        return ids[0]

    def index(self, codes: IntArray, name: str) -> pd.Index:
        """Return the ids that have these codes as an index with the given name."""
        ids = self.values.take(codes)
        if not isinstance(ids, np.ndarray):
            ids = ids.to_pandas()
        return pd.Index(ids, name=name, copy=False)

    @cached_property
    def byte_order(self) -> IntArray:
        """Return the place of each code's id after sorting the ids as byte strings.

        Whole numbers count as their decimal digits, so that 10 comes before 9.
        """
        codes = np.arange(self.size)
        if self.kind == "text":  # UTF-8 sorts as code points do
            return codes
        order = np.argsort(self.take(codes).astype("S"), kind="stable")
        return np.argsort(order)  # its inverse


def shared_codes(columns: Mapping[str, pd.Series], label: str) -> tuple[dict[str, IntArray], Ids]:
    """Return the code of each row of several tables, and the distinct ids.

    Equal ids have the same code in all tables. Text is compared as text, so "7" and "07" are
    different ids.

    Parameters
    ----------
    columns : mapping
        The id column of each table, by the name of the table. An id is a whole number or a text,
        and all columns must have ids of the same kind. An empty column fits either kind.
    label : str
        Name of the column in error messages.

    Raises
    ------
    InputError
        If a column has values that are not ids, or one column has whole numbers and another one
        texts.
    """
    ids_by_table = {
        table: read_ids(column, f"{label} of {table}") for table, column in columns.items()
    }
    ids_by_table = {table: ids for table, ids in ids_by_table.items() if len(ids)}
    first_table_by_kind: dict[str, str] = {}
    for table, ids in ids_by_table.items():
        first_table_by_kind.setdefault(Ids(ids).kind, table)
    if len(first_table_by_kind) > 1:
        name = f"{label} of {' and of '.join(first_table_by_kind.values())}"
        shown = [f"{columns[table].dtype} ({kind})" for kind, table in first_table_by_kind.items()]
        column = columns[first_table_by_kind["integer"]].name or label
        advice = (
            f"If they are the same ids, turn the numbers into text: frame[{column!r}].astype(str). "
            "If zeros in front are gone, as in 007, read the file again: "
            f"pandas.read_csv(path, dtype={{{column!r}: str}})"
        )
        raise input_error(name, "be ids of one kind", " and ".join(shown), advice)
    if "text" in first_table_by_kind:
        codes, distinct = _number_texts(list(ids_by_table.values()))
    else:
        codes, distinct = _number_integers(list(ids_by_table.values()))
    codes_by_table = dict.fromkeys(columns, np.empty(0, np.int64))
    codes_by_table.update(zip(ids_by_table, codes, strict=True))
    return codes_by_table, Ids(distinct)


in_column_threads = partial(map_in_threads, min_parts_per_thread=1)
"""Run a function on several columns, with a thread for each column."""


def _number_texts(columns: list[pa.Array]) -> tuple[list[IntArray], pa.LargeStringArray]:
    """Return the codes of text columns, and the distinct texts.

    Arrow numbers whole numbers in a third of the time of texts. So if all texts are short, the
    function turns them into whole numbers first.
    """
    import pyarrow as pa

    keys = [key for key in in_column_threads(_keys_of_short_texts, columns) if key is not None]
    if len(keys) < len(columns):
        return _encode(columns)
    runs = list(in_column_threads(_runs_of_equal_keys, keys))
    codes, distinct_keys = _encode([pa.array(keys_of_runs) for keys_of_runs, _ in runs])
    for position, (_, lengths) in enumerate(runs):
        if lengths is not None:  # a code for each run becomes a code for each row
            codes[position] = np.repeat(codes[position], lengths)
    texts = distinct_keys.to_numpy().astype(">u8").view("S8")  # without the zeros at the end
    return codes, pa.array(texts.astype(object), pa.large_binary()).cast(pa.large_string())


def _encode(columns: list[pa.Array]) -> tuple[list[IntArray], pa.Array]:
    """Return the codes of columns of Arrow, and the distinct values in ascending order.

    The code of a value is its place among the distinct values of all columns.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = list(in_column_threads(pc.dictionary_encode, columns))
    # Arrow numbers the values in the order in which they appear.
    chunks = pa.chunked_array(encoded).unify_dictionaries().chunks
    order = pc.sort_indices(chunks[0].dictionary)  # by bytes, which for UTF-8 means by code points
    code_of_number = np.empty(len(order), np.int64)
    code_of_number[order.to_numpy()] = np.arange(len(order))
    numbers = [chunk.indices.to_numpy() for chunk in chunks]
    codes: list[IntArray] = list(in_column_threads(code_of_number.take, numbers))
    return codes, chunks[0].dictionary.take(order)


def _runs_of_equal_keys(keys: AnyArray) -> tuple[AnyArray, IntArray | None]:
    """Return the key of each run of equal keys in neighbouring rows, and the lengths of the runs.

    Most tables have the rows of a user together, so that a user's id is looked up once. If the runs
    are short, this saves nothing: then the function returns all keys, and no lengths.
    """
    is_start = np.append(True, keys[1:] != keys[:-1])
    if np.count_nonzero(is_start) > keys.size / 2:
        return keys, None
    starts = np.flatnonzero(is_start)
    return keys[starts], np.diff(starts, append=keys.size)


def _keys_of_short_texts(texts: pa.Array) -> AnyArray | None:
    """Return a number for each text whose bytes are those of the text, followed by zeros.

    The numbers are in the order of the texts. Returns None if a text has more than eight bytes or a
    byte that is zero, and for a dictionary of categories.
    """
    import pyarrow as pa

    if texts.type != pa.large_string():
        return None
    keys = np.empty(len(texts), np.uint64)
    # Arrays of a block fit into memory that the process has already; larger ones would ask the
    # system for new memory, which takes longer than the rest.
    for first in range(0, len(texts), KEY_ROWS):
        block = texts.slice(first, KEY_ROWS)
        keys_of_block = _keys_of_block(block)
        if keys_of_block is None:
            return None
        keys[first : first + len(block)] = keys_of_block
    return keys


def _keys_of_block(texts: pa.LargeStringArray) -> AnyArray | None:
    """Return the keys of some texts; see `_keys_of_short_texts`.

    For example, the texts "ab" and "c" have the bytes 61 62 63 (hexadecimal), and begin at the
    places 0 and 2. The eight bytes from there on, filled up with zeros, are 61 62 63 00 … and
    63 00 …. In the first number, the byte 63 belongs to the next text and becomes zero:

    >>> import pyarrow as pa
    >>> [f"{key:016x}" for key in _keys_of_block(pa.array(["ab", "c"], pa.large_string()))]
    ['6162000000000000', '6300000000000000']
    """
    # Arrow holds the bytes of all texts one after the other, and the place where each text begins.
    _, start_buffer, content_buffer = texts.buffers()
    starts = np.frombuffer(start_buffer, np.int64, len(texts) + 1, 8 * texts.offset)
    content = np.frombuffer(content_buffer, np.uint8, starts[-1])[starts[0] :]
    n_unused = KEY_BYTES - np.diff(starts)
    if n_unused.min() < 0 or not content.all():
        return None
    padded = np.append(content, np.zeros(KEY_BYTES, np.uint8))
    # A number from the eight bytes at every place. The first byte counts most, so that the numbers
    # are in the order of the texts.
    number_at = np.ndarray(content.size + 1, ">u8", padded, strides=(1,))
    numbers: AnyArray = number_at[starts[:-1] - starts[0]].astype(np.uint64)
    if n_unused.any():  # the last bytes belong to the next text, so make them zero
        unused_bits = (8 * n_unused).astype(np.uint64)
        numbers = numbers >> unused_bits << unused_bits
    return numbers


def _number_integers(columns: list[AnyArray]) -> tuple[list[IntArray], AnyArray]:
    """Return the codes of columns of whole numbers, and the distinct numbers.

    The codes are the numbers themselves, or the distances from the smallest number, or, if the
    numbers are spread too wide for that, their places among the distinct numbers.
    """
    # Without any id, the range from 0 to -1 is empty.
    smallest = min((int(column.min()) for column in columns), default=0)
    largest = max((int(column.max()) for column in columns), default=-1)
    max_range = MAX_RANGE_PER_ROW * sum(len(column) for column in columns)
    fits_int64 = smallest >= -(2**63) and largest < 2**63
    if smallest >= 0 and largest < max_range:
        return [column.astype(np.int64, copy=False) for column in columns], np.arange(largest + 1)
    if fits_int64 and largest - smallest < max_range:
        codes = [np.subtract(column, smallest, dtype=np.int64) for column in columns]
        # `np.arange(smallest, largest + 1)` would overflow at the end of int64.
        return codes, smallest + np.arange(largest - smallest + 1)
    # Give all columns one type first: NumPy would join int64 and uint64 to floats.
    joined_type = np.int64 if fits_int64 else object
    joined = np.concatenate([column.astype(joined_type) for column in columns])
    joined_codes, distinct = pd.factorize(joined, sort=True)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(joined_codes, ends), distinct


def id_codes(ids: pd.Series, name: str) -> tuple[IntArray, AnyArray]:
    """Return a code from 0 for the id in each row, and the distinct ids in ascending order."""
    read_ids(ids, name)  # raises unless each row has an id, all of one kind
    return pd.factorize(ids.to_numpy(), sort=True)


# Rows by user -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table in the order of their users; the rows of a user keep their order.

    Attributes
    ----------
    first : for each user code the first row; the last entry is the number of rows.
    columns : columns of the table by name, in this order.
    """

    first: IntArray
    columns: dict[str, AnyArray]

    @classmethod
    def by_user(cls, user: IntArray, columns: Mapping[str, AnyArray], *, n_users: int) -> Rows:
        """Sort the rows of a table by user.

        ``user`` has the user code of each row, and ``n_users`` is the number of codes.
        """
        sorted_columns = dict(columns)
        if (user[1:] < user[:-1]).any():
            order = stable_order(user, n_users)
            # The mode "clip" skips a check of the bounds, which takes as long as the rest.
            for name, values in columns.items():
                sorted_columns[name] = values.take(order, mode="clip")
        n_rows = np.bincount(user, minlength=n_users)
        return cls(np.append(0, np.cumsum(n_rows)), sorted_columns)

    @cached_property
    def size(self) -> IntArray:
        """Return the number of rows of each user code."""
        return np.diff(self.first)

    @property
    def users(self) -> IntArray:
        """Return the codes of the users that have rows, ascending."""
        return np.flatnonzero(self.size)

    def for_users(self, users: IntArray) -> Rows:
        """Return the rows of some users only, whose codes are ascending."""
        size = np.zeros_like(self.size)
        size[users] = self.size[users]
        rows = self.rows_of(users)
        columns = {name: values[rows] for name, values in self.columns.items()}
        return Rows(np.append(0, np.cumsum(size)), columns)

    def rows_of(self, users: IntArray) -> slice | IntArray:
        """Return the rows of the first of some users, then those of the second, and so on.

        The codes of the users are ascending. If no other user's rows lie between, this is a slice.
        """
        if not users.size:
            return slice(0, 0)
        start, end = self.first[users], self.first[users + 1]
        size = end - start
        if size.sum() == end[-1] - start[0]:
            return slice(int(start[0]), int(end[-1]))
        # Position p among these rows is the row p - n_before + start of its user.
        n_before = np.cumsum(size) - size
        return np.asarray(np.arange(size.sum()) + np.repeat(start - n_before, size))

    def matrices(self, users: IntArray, **padding_values: float) -> list[AnyArray]:
        """Return columns as matrices with a line for each of some users.

        The codes of the users are ascending. Each line has room for the rows of the user with most
        rows. ``padding_values`` has the names of the columns, and for each the value that fills the
        cells after the last row of a shorter line. If there are no such cells, and the users follow
        one another, the matrices are views of the columns.
        """
        rows = self.rows_of(users)
        columns = [self.columns[name][rows] for name in padding_values]
        size = self.size[users]
        width = size.max(initial=0)
        if (size == width).all():
            return [values.reshape(size.size, width) for values in columns]
        is_row = np.arange(width) < size[:, np.newaxis]
        matrices = []
        for values, padding_value in zip(columns, padding_values.values(), strict=True):
            matrix = np.full(is_row.shape, padding_value, values.dtype)
            matrix[is_row] = values
            matrices.append(matrix)
        return matrices


def stable_order(codes: IntArray, n_codes: int) -> IntArray:
    """Return the order that sorts codes from 0 to ``n_codes`` - 1; equal codes keep their order.

    A sparse matrix with a row for each entry, whose column is the code, is sorted by counting when
    SciPy changes it from rows to columns. That takes one pass, where a sort takes several.
    """
    from scipy.sparse import csr_array  # slow to import, and sorted tables don't need it

    # Small integers take half the time.
    index_type = np.int32 if max(codes.size, n_codes) < 2**31 else np.int64
    rows = np.arange(codes.size + 1, dtype=index_type)
    one_entry_per_row = (rows[:-1], codes.astype(index_type), rows)
    by_row = csr_array(one_entry_per_row, shape=(codes.size, n_codes))  # type: ignore[type-var]
    return np.asarray(by_row.tocsc().data)
