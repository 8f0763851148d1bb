"""Read columns from tables of any library, and check that they hold ids or numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.errors import InvalidIndexError

from receval._arrays import as_array
from receval._checks import (
    MAX_EXACT_INTEGER,
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    FloatArray,
    InputError,
    check_text,
    format_first,
    input_error,
    refuse_huge_numbers,
    shorten,
)
from receval._rounding import as_float64, check_not_merged

if TYPE_CHECKING:
    import pyarrow as pa

AnyFrame: TypeAlias = Any
"""A frame of pandas, Arrow or Dask. Arrow and Dask have no types that mypy could check."""

ROW = "number of the row in the whole table"
"""The name of an index that has these numbers, in a frame with only some rows of a table."""

FILL_ADVICE = "Leave such rows out with dropna(), or give them a number with fillna()"
CONVERSION_ADVICE = "Text is not turned into numbers: pd.to_numeric(column) does it"
FLOATS_ADVICE = (
    "Floats don't show how ids were written, since 2101.10 becomes 2101.1: read the column as text,"
    " such as pandas.read_csv(path, dtype={column: str})"
)
MERGED_IDS_ADVICE = "astype(str) would make ids such as 7 and '7' equal: correct them in the source"
TUPLES_ADVICE = (
    "If each tuple is one id, join its parts by a sign that no part has: "
    "column.map(lambda parts: '|'.join(map(str, parts))). If it holds several ids: column.map(list)"
)
WORDS_ADVICE = "Text is not turned into numbers (mind decimal commas; words: .map({'good': 2, …}))"


# Tables -------------------------------------------------------------------------------------------


def check_frame(table: object, name: str) -> pd.DataFrame:
    """Return ``table`` if it is a pandas DataFrame; raise `InputError` otherwise."""
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"{name} must be a pandas DataFrame; got {type(table).__name__}")
    return table


def to_pandas(table: object, name: str) -> pd.DataFrame:
    """Convert a table of any library to pandas; raise `InputError` if this is not a table."""
    opened = foreign_to_arrow(table, name)
    if _is_arrow(opened):
        opened = opened.to_pandas()
    return check_frame(opened, name)


def foreign_to_arrow(table: object, name: str = "table") -> AnyFrame:
    """Convert a table to Arrow, unless it's a table of pandas or Arrow already.

    This works for libraries that share their columns through Arrow's interface, such as Polars and
    DuckDB. If a table of Polars is lazy, the function computes it first. It returns all other
    objects unchanged, even if they are not tables. Only for a class, such as ``DataFrame`` itself,
    it raises an `InputError`, because a class has no rows.
    """
    if isinstance(table, type):
        raise input_error(name, "be a table (a DataFrame)", f"the class {table.__name__}")
    if is_pandas_or_arrow(table):
        return table
    if hasattr(table, "collect_schema") and not hasattr(table, "__arrow_c_stream__"):
        table = table.collect()  # type: ignore[attr-defined]  # a lazy table of Polars
    is_single_column = hasattr(table, "dtype")  # columns have Arrow's interface, too
    if not hasattr(table, "__arrow_c_stream__") or is_single_column:
        return table
    import pyarrow as pa

    try:
        return pa.table(table)
    except Exception as error:  # integers of 128 bits, Python objects, broken interfaces
        got = f"{type(table).__name__} ({shorten(str(error) or type(error).__name__)})"
        raise input_error(name, "share its columns with Arrow: text, numbers, dates", got) from None


def column_labels(table: AnyFrame) -> list[Hashable]:
    """Return the names of a table's columns."""
    return list(table.column_names if _is_arrow(table) else table.columns)


def is_pandas_or_arrow(table: object) -> bool:
    """Return whether this is a DataFrame of pandas, or a table or a record batch of Arrow."""
    return isinstance(table, pd.DataFrame) or _is_arrow(table)


def _is_arrow(table: object) -> bool:
    """Return whether this is a table or a record batch of Arrow."""
    if isinstance(table, pd.DataFrame) or not hasattr(table, "column_names"):
        return False
    import pyarrow as pa

    return isinstance(table, (pa.Table, pa.RecordBatch))


# Single columns -----------------------------------------------------------------------------------


def read_column(table: AnyFrame, label: object, name: str, needed_by: str = "") -> pd.Series:
    """Return one column of a pandas or Arrow table, with row numbers as its index.

    If the index of a pandas table is called `ROW`, it has these numbers already.

    Parameters
    ----------
    table : DataFrame, pyarrow.Table or pyarrow.RecordBatch
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
    if isinstance(table, pd.DataFrame):
        values = _pandas_column(table, label)
    elif _is_arrow(table):
        values = _arrow_column(table, label, name)
    else:
        raise input_error(name, "be a table (a DataFrame)", type(table).__name__)
    if values is not None:
        return values if values.index.name == ROW else values.reset_index(drop=True)
    labels = column_labels(table)
    if labels or len(table):
        raise column_error(label, labels, name, needed_by)
    return pd.Series(dtype=object)


def _pandas_column(table: pd.DataFrame, label: object) -> pd.Series | None:
    """Return a column of a pandas table, or None unless there is exactly one of that name."""
    with suppress(KeyError, TypeError, InvalidIndexError):  # no such name, or nothing like a name
        position: Any = table.columns.get_loc(label)  # a slice or a mask for a repeated name
        values = table.iloc[:, position]
        if isinstance(values, pd.Series):  # a repeated name selects a DataFrame
            return values
    return None


def _arrow_column(table: AnyFrame, label: object, name: str) -> pd.Series | None:
    """Return a column of an Arrow table, or None unless there is exactly one of that name."""
    if not isinstance(label, str) or table.column_names.count(label) != 1:
        return None
    return _arrow_to_series(table[label], f"{label} of {name}")


def _arrow_to_series(values: pa.ChunkedArray | pa.Array, name: str) -> pd.Series:
    """Convert an Arrow column to pandas; raise `InputError` if pandas can't hold it."""
    import pyarrow as pa

    try:
        series: pd.Series = _without_repeated_categories(values).to_pandas()
    except NotImplementedError:  # such as lists of texts; the caller will refuse them
        series = pd.Series(values.to_pylist(), dtype=object)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        got = f"{values.type} ({shorten(str(error))})"
        raise input_error(name, "be a column that pandas can hold", got) from None
    return series


def _without_repeated_categories(values: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Return a column that pandas can hold: decode a dictionary that can't become categories.

    A dictionary column of Arrow has codes of values in a dictionary. The dictionary may repeat a
    value or hold a null, but categories of pandas may not. All other columns are returned
    unchanged.
    """
    import pyarrow as pa

    if not pa.types.is_dictionary(values.type):
        return values
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    for chunk in chunks:
        dictionary = chunk.dictionary
        if dictionary.null_count or len(dictionary.unique()) < len(dictionary):
            decoded = [chunk.dictionary_decode() for chunk in chunks]
            return pa.chunked_array(decoded, values.type.value_type)
    return values


def check_once(label: object, labels: Sequence[Hashable], name: str, needed_by: str = "") -> None:
    """Raise unless ``label`` occurs exactly once among the ``labels`` of a table.

    ``name`` and ``needed_by`` are parts of the message, as in `read_column`.
    """
    if count_label(label, labels) != 1:
        raise column_error(label, labels, name, needed_by)


def count_label(label: object, labels: Sequence[Hashable]) -> int:
    """Return how often ``label`` is among the labels; 0 if it cannot be hashed."""
    with suppress(TypeError):  # an array passed as a name has no hash
        return Counter(labels)[label]
    return 0


def column_error(
    label: object, labels: Sequence[Hashable], name: str, needed_by: str = ""
) -> InputError:
    """Return the error for a column that a table lacks or has more than once.

    ``name`` and ``needed_by`` are parts of the message, as in `read_column`. If the column is
    missing, the error's ``lacks`` has the name of the table, the name of the column and the names
    of the columns that the table has. Callers who know the arguments use ``lacks`` to add
    advice.
    """
    is_repeated = count_label(label, labels) > 1
    got = "it occurs twice" if is_repeated else f"got the columns {shorten(labels)}"
    error = InputError(f"{name} must have one column {shorten(label)}{needed_by}; {got}")
    if isinstance(label, str) and not is_repeated:
        error.lacks = (name, label, list(labels))
    return error


# Numbers ------------------------------------------------------------------------------------------


def read_numbers(series: pd.Series, name: str, *, infinite: bool = False) -> AnyArray:
    """Return a column of numbers as an array; raise if a value is missing.

    The numbers keep their order and type, but decimals and floats longer than 64 bits become
    float64. To find missing and infinite values, receval looks at the minimum and the maximum,
    which needs no further arrays of the column's length.

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
        If a value is missing or not a number, if one is infinite although ``infinite`` is False,
        or if float64 would make different numbers equal.
    """
    # Make sure that the type is numeric. Decimals of Python are objects.
    if series.dtype == np.dtype(object) and pd.api.types.infer_dtype(series) == "decimal":
        check_no_rows(series, series.isna().to_numpy(), name, "not be missing", FILL_ADVICE)
        series = pd.Series(_decimals_as_float64(series.to_numpy(), name), series.index)
    is_numeric = pd.api.types.is_numeric_dtype(series.dtype)
    if not is_numeric or pd.api.types.is_complex_dtype(series.dtype):
        _raise_not_numeric(series, name, infinite=infinite)

    # Look for missing values, and make an array. Types of pandas and Arrow can have missing values
    # that aren't NaN.
    if not isinstance(series.dtype, np.dtype):
        check_no_rows(series, series.isna().to_numpy(), name, "not be missing", FILL_ADVICE)
    values = series.to_numpy()
    if values.dtype == np.dtype(object):  # decimals of Arrow
        values = _decimals_as_float64(values, name)
    if values.dtype.kind != "f":
        return values
    if values.dtype.itemsize > 8:
        values = as_float64(values, name)
    if values.size:
        _check_floats(values, series, name, infinite=infinite)
    return values


def _check_floats(values: AnyArray, series: pd.Series, name: str, *, infinite: bool) -> None:
    """Raise if any float is NaN, or if one is infinite and ``infinite`` is False.

    ``values`` are the floats of the column ``series``. The minimum is NaN if any value is NaN, so
    the function makes arrays of the column's length only for the message.
    """
    smallest = values.min()
    largest = values.max()
    if np.isnan(smallest):
        check_no_rows(series, np.isnan(values), name, "not be missing", FILL_ADVICE)
    if not infinite and (np.isinf(smallest) or np.isinf(largest)):
        check_no_rows(series, np.isinf(values), name, "be finite")


def _raise_not_numeric(series: pd.Series, name: str, *, infinite: bool) -> NoReturn:
    """Raise the `InputError` for a column whose type isn't numeric.

    If only some of its texts are numbers, the error names the rows of the other texts, because
    those are why the column isn't numeric. If all texts are numbers, the error advises a
    conversion, unless the conversion would make different numbers equal. ``infinite`` says whether
    infinite numbers are allowed.
    """
    texts = pd.Series([str(value) for value in series], dtype=object)  # bytes become text, too
    parsed = texts_to_floats(texts).to_numpy(float)  # NaN: no number
    if np.isnan(parsed).all():
        advice = WORDS_ADVICE
    else:
        # This raises a more specific error if some values aren't numbers, or a conversion would
        # round them.
        _check_parsed(series, parsed, name, infinite=infinite)
        advice = CONVERSION_ADVICE
    got = f"{series.dtype}, such as {format_examples(series)}"
    raise input_error(name, "hold numbers", got, advice)


def texts_to_floats(texts: pd.Series) -> pd.Series:
    """Return the numbers that texts state, and NaN for texts that aren't numbers.

    A number that is too large for float64 becomes infinite, and one that is too small becomes 0.
    """
    numbers = pd.to_numeric(texts, errors="coerce")
    # pandas 2 reads no number that is too large or too small, so Python reads the rest.
    exponential = r"\s*[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+\s*"
    is_left = numbers.isna() & texts.str.fullmatch(exponential, na=False)
    if is_left.any():
        numbers = numbers.astype(float)
        numbers[is_left] = texts[is_left].map(float)
    return numbers


def _check_parsed(series: pd.Series, parsed: FloatArray, name: str, *, infinite: bool) -> None:
    """Raise if some values of a text column are not numbers that float64 can hold.

    ``parsed`` are the values as float64, and NaN for values that are not numbers. The function also
    raises if float64 makes different numbers equal. ``infinite`` says whether infinite numbers are
    allowed.
    """
    check_no_rows(series, np.isnan(parsed), name, "hold numbers", WORDS_ADVICE)

    advice = "Such a number makes the whole column text: correct it in the source"
    if infinite:
        rule = "hold numbers below about 1e308"
        advice += ", or write 'inf' or '-inf' if infinity is meant"
    else:
        rule = "hold numbers below about 1e308, of which none is infinite"
    # Leave out values that were infinite floats from the start: they are not texts of numbers
    # that are too large for float64.
    is_float = np.array([isinstance(value, (float, np.floating)) for value in series])
    check_no_rows(series, np.isinf(parsed) & ~is_float, name, rule, advice)
    check_no_rounding(series, name)


def exact_digits(
    values: AnyArray, series: pd.Series, name: str, *, whole_as_integer: bool = False
) -> list[str]:
    """Return numbers as texts with all their digits, in the order of the rows.

    Parameters
    ----------
    values : array
        The numbers of ``series``, as `read_numbers` returns them; no number is missing.
    series : Series
        The column as the user passed it.
    name : str
        The name of the column in error messages.
    whole_as_integer : bool
        Whether whole numbers are written without a decimal point, as "7" and not as "7.0".

    Raises
    ------
    InputError
        If ``series`` has floats of more than 64 bits that float64 would round.
    """
    # If float64 would round any integer, all stay integers. Then the texts have no decimal points,
    # whatever `whole_as_integer` says.
    if values.dtype.kind in "iu" and _largest_magnitude(values) > MAX_EXACT_INTEGER:
        return [str(number) for number in values.tolist()]
    as_floats = values.astype(np.float64)
    as_passed = series.to_numpy()
    if as_passed.dtype.kind == "f":
        check_no_rows(series, as_floats != as_passed, name, "be a number of float64")
    if not whole_as_integer:
        return [repr(number) for number in as_floats.tolist()]
    return [
        str(int(number)) if number.is_integer() else repr(number) for number in as_floats.tolist()
    ]


def _largest_magnitude(integers: AnyArray) -> int:
    """Return the largest absolute value as a Python integer, which cannot overflow."""
    return max(-int(integers.min(initial=0)), int(integers.max(initial=0)))


def _decimals_as_float64(values: AnyArray, name: str) -> FloatArray:
    """Convert decimals to float64.

    Raises `InputError` if a decimal is too large, or if different decimals would become equal.
    """
    with refuse_huge_numbers(name):
        return as_float64(values, name)


def check_no_rounding(series: pd.Series, name: str) -> None:
    """Raise if a text column has different numbers that float64 makes equal.

    Callers check this before they advise ``pd.to_numeric``, which would merge such numbers.
    """
    if pd.to_numeric(series, errors="coerce").dtype.kind in "iu":
        return  # integers of 64 bits stay exact
    check_not_merged(name, with_all_digits(series))


def with_all_digits(values: Iterable[object]) -> list[object]:
    """Replace texts that are decimal numbers by `Decimal`, which keeps all their digits.

    Other values are not changed, and neither are numbers whose exponent `Decimal` cannot hold.
    """
    exact_values: list[object] = []
    for value in values:
        exact_value = value
        if isinstance(value, str):
            with suppress(InvalidOperation):
                exact_value = Decimal(value)
        exact_values.append(exact_value)
    return exact_values


def order_preserving_floats(values: AnyArray) -> AnyArray:
    """Return integers beyond 2^53 as float64 numbers in the same order; all other arrays unchanged.

    Different integers may round to the same float. If the float of an integer would equal the float
    of the next smaller integer, it becomes the next larger float, so that different integers remain
    different.
    """
    if values.dtype.kind not in "iu" or _largest_magnitude(values) <= MAX_EXACT_INTEGER:
        return values
    distinct, index_in_distinct = np.unique(values, return_inverse=True)  # in ascending order
    # Number all float64 values in their order: neighbours have bits that, read as integers,
    # differ by 1.
    ordinals = _flip_negative_bits(distinct.astype(np.float64).view(np.int64))
    # Raise each ordinal to at least the previous one plus 1. After subtracting i from ordinal i,
    # this means that no ordinal may be below the previous one, so take the running maximum.
    steps = np.arange(ordinals.size)
    ordinals = np.maximum.accumulate(ordinals - steps) + steps
    floats = _flip_negative_bits(ordinals).view(np.float64)
    return np.asarray(floats[index_in_distinct])


def _flip_negative_bits(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Convert the bits of float64 numbers to integers in the same order, or back.

    Read as integers, the bits of negative floats fall while the numbers rise. The function mirrors
    them, so that they rise, too.
    """
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


# Rows that break a rule ---------------------------------------------------------------------------


def check_no_rows(
    series: pd.Series, is_wrong: BoolArray, name: str, rule: str, advice: str = ""
) -> None:
    """Raise if any row of a column is wrong, and show the first wrong rows with their numbers.

    The mask ``is_wrong`` is True for each wrong row of ``series``. The message says that the column
    ``name`` must ``rule``, followed by the ``advice``.
    """
    if is_wrong.any():
        numbers = series.index if series.index.name == ROW else range(len(series))
        rows = np.flatnonzero(is_wrong).tolist()
        shown = format_first(
            rows, to_text=lambda row: f"{shorten(series.iloc[row])} in row {numbers[row]}"
        )
        raise input_error(name, rule, shown, advice)


def check_no_surrogates(series: pd.Series, name: str) -> None:
    """Raise if a text has half a surrogate pair, which UTF-8 cannot write; other values pass."""
    # Encoding with errors="ignore" drops half pairs, so that such a text comes back shorter.
    is_broken = [
        isinstance(value, str)
        and not value.isascii()
        and value.encode(errors="ignore").decode() != value
        for value in series
    ]
    check_no_rows(series, np.array(is_broken, dtype=bool), name, "hold text that UTF-8 can write")


def format_examples(series: pd.Series) -> str:
    """Return the first values of a column as text for a message."""
    return ", ".join(shorten(value) for value in series.head(MAX_EXAMPLES).tolist())


def as_series(values: object, name: str) -> pd.Series:
    """Convert one-dimensional values to a Series; return a Series unchanged.

    Raises
    ------
    InputError
        If the values have more than one axis, or are records with named fields, or float64 would
        make different numbers equal.
    """
    if isinstance(values, pd.Series):
        return values
    if isinstance(values, (list, tuple, pd.Index, pd.api.extensions.ExtensionArray)):
        check_text(values, name)
        with refuse_huge_numbers(name):
            series = pd.Series(values)  # NumPy would make text of 1 and "1"
        if series.dtype.kind == "f":  # the values may include integers that float64 rounds
            check_not_merged(name, values)
        return series
    array = as_array(values, name)
    if array.dtype.kind == "V":  # records with named fields
        raise InputError(f"{name} must hold single values; got type {array.dtype}")
    if array.ndim != 1:
        raise InputError(f"{name} must have one axis; got shape {array.shape}")
    return pd.Series(array)


# Ids ----------------------------------------------------------------------------------------------


class IdColumn(NamedTuple):
    """A column of ids as NumPy or Arrow holds them; `read_ids` makes it.

    Attributes
    ----------
    kind : "integer" or "text"; "none" if there are no rows.
    values : integers by row; or texts as an Arrow array, by row or by category.
    category : the category of each row, if ``values`` has the texts by category.
    series : the column as the user passed it.
    """

    kind: str
    values: AnyArray | pa.LargeStringArray
    category: npt.NDArray[np.integer] | None
    series: pd.Series


def read_ids(series: pd.Series, name: str) -> IdColumn:
    """Read a column of ids, which are all integers or all texts.

    ``name`` is the name of the column in messages. Raises `InputError` if an id is missing or the
    column has any other values, such as floats.
    """
    if not len(series):
        return IdColumn("none", values=np.empty(0, np.int64), category=None, series=series)
    # NumPy's integers and truth values cannot be missing, so don't look for missing ones there.
    cannot_be_missing = isinstance(series.dtype, np.dtype) and series.dtype.kind in "iub"
    if not cannot_be_missing and series.hasnans:
        check_no_rows(series, series.isna().to_numpy(), name, "not be missing")

    # Read the categories instead of the rows, because there are fewer of them. No row has the code
    # -1 of a missing category, as no id is missing.
    distinct = series
    category = None
    if isinstance(series.dtype, pd.CategoricalDtype):
        distinct = pd.Series(series.cat.categories)
        category = series.cat.codes.to_numpy()

    kind = _kind_of_values(distinct)
    if kind == "integer":
        values = _as_integers(distinct)
        if category is not None:  # integers are kept by row, unlike texts
            values = values[category]
        return IdColumn("integer", values, category=None, series=series)
    if kind == "text":
        return IdColumn("text", as_arrow_texts(distinct, name), category, series)
    raise _no_ids_error(series, distinct, kind, name)


def _kind_of_values(distinct: pd.Series) -> str:
    """Return "integer" or "text", or a name for any other type, which messages show.

    ``distinct`` has the values of a column, or its categories.
    """
    dtype = distinct.dtype
    type_name = str(dtype)
    # pandas infers the type of Python objects. It calls all types of truth values "boolean".
    if dtype == np.dtype(object) or pd.api.types.is_bool_dtype(dtype):
        type_name = pd.api.types.infer_dtype(distinct, skipna=False)
    if type_name == "integer" or pd.api.types.is_integer_dtype(dtype):
        return "integer"
    has_text_type = isinstance(dtype, pd.StringDtype | pd.ArrowDtype)
    if type_name == "string" or (has_text_type and pd.api.types.is_string_dtype(dtype)):
        return "text"
    return type_name


def _as_integers(distinct: pd.Series) -> AnyArray:
    """Return a column of integers as an array; Python objects become int64 if they all fit."""
    values = distinct.to_numpy()
    if values.dtype == np.dtype(object):
        with suppress(OverflowError):
            values = values.astype(np.int64)
    return values


def _no_ids_error(series: pd.Series, distinct: pd.Series, type_name: str, name: str) -> InputError:
    """Return the error for a column that cannot hold ids, because of its type ``type_name``.

    ``distinct`` has the categories of ``series``, or is ``series`` itself. If the cells are lists,
    the error's ``is_nested`` is true. Callers who know the table then advise how to turn the lists
    into rows.
    """
    is_nested = False
    values = distinct.tolist()
    texts = {value for value in values if isinstance(value, str)}
    if any(isinstance(value, (list, np.ndarray)) for value in values):
        is_nested = True
        advice = "Put each item into its own row"
    elif any(isinstance(value, tuple) for value in values):
        advice = TUPLES_ADVICE
    elif pd.api.types.is_float_dtype(distinct.dtype) and _are_whole_and_exact(distinct):
        advice = "They are whole: astype('int64')"
    elif any(isinstance(value, (float, np.floating)) for value in values):
        advice = FLOATS_ADVICE
    elif any(str(value) in texts for value in values if not isinstance(value, str)):
        advice = MERGED_IDS_ADVICE
    else:
        advice = "Convert the column with astype('int64') or astype(str)"
    got = f"{type_name}, such as {format_examples(series)}"
    error = input_error(name, "hold ids, all integers or all text", got, advice)
    error.is_nested = is_nested
    return error


def _are_whole_and_exact(floats: pd.Series) -> bool:
    """Return whether floats are whole numbers, all so small that float64 has rounded none."""
    return bool(((floats % 1 == 0) & (floats.abs() < MAX_EXACT_INTEGER)).all())


def ids_as_text(series: pd.Series, name: str) -> pd.Series:
    """Return a column of ids as text; raise `InputError` if it has values that aren't ids."""
    ids = read_ids(series, name)
    if ids.kind == "integer":
        return pd.Series(ids.values, series.index).astype(str)
    return series


def as_arrow_texts(series: pd.Series, name: str) -> pa.LargeStringArray:
    """Convert a column of text to one Arrow array.

    Raises `InputError` about the column ``name`` if UTF-8 cannot write a text.
    """
    import pyarrow as pa

    try:
        texts = pa.array(series).cast(pa.large_string())
    except UnicodeEncodeError:
        check_no_surrogates(series, name)  # raises an error that names the rows
        raise
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    return texts
