"""Turn columns of texts from files into numbers if every text is written as a number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import MAX_EXACT_INTEGER, BoolArray, FloatArray, IntArray
from receval._rounding import merged_numbers
from receval._threads import map_in_threads
from receval._types import AnyArray
from receval.tables.columns import with_all_digits

if TYPE_CHECKING:
    import pyarrow as pa
    from pandas.api.extensions import ExtensionArray

ColumnValues: TypeAlias = "AnyArray | ExtensionArray"
"""The values of a column of a frame: numbers in a NumPy array, or texts in an array of pandas."""

INTEGER_CHARACTERS = b"0123456789-"
DECIMAL_CHARACTERS = b"0123456789+-.eEinf"
"""Characters of decimal numbers, including "inf"."""

SMALLEST_PRECISE = float(np.finfo(np.float64).tiny)
"""For smaller numbers, float64 has fewer digits: "1e-323" and "1.1e-323" are equal."""

EXACT_DIGITS = 16
"""Texts of at least this many characters may have more digits than float64 distinguishes."""

PROBE_SIZE = 1000
"""Number of texts that are tried first, because most columns of ids show there that they are ids.

A failing cast takes a microsecond per text.
"""

MIN_ROWS_FOR_THREADS = 10_000
"""Number of rows from which on parsing columns in parallel pays off."""


COLUMNS_PARSED_TOGETHER = 200
"""Number of columns of a short file that are tried as numbers in one go."""


def parse_table_numbers(
    columns: Mapping[str, pa.LargeStringArray], text_columns: Collection[str] = ()
) -> pd.DataFrame:
    """Return a frame of text columns; a column becomes numbers if `parse_numbers` can convert it.

    ``columns`` has the texts of each column by its name. The columns whose names are in
    ``text_columns`` stay text. Long columns are parsed in parallel, if there are threads.
    """
    values: dict[str, ColumnValues] = {}
    texts_to_parse = {name: texts for name, texts in columns.items() if name not in text_columns}
    n_rows = len(next(iter(columns.values()), ()))
    if n_rows >= MIN_ROWS_FOR_THREADS:
        # Begin with the longest texts, so that no thread is left with them at the end.
        names = sorted(texts_to_parse, key=lambda name: texts_to_parse[name].nbytes, reverse=True)
        texts = [texts_to_parse[name] for name in names]
        parsed = map_in_threads(_parse_values, texts, min_parts_per_thread=1)
        values.update(zip(names, parsed, strict=True))
    else:
        names = list(texts_to_parse)
        for start in range(0, len(names), COLUMNS_PARSED_TOGETHER):
            group = names[start : start + COLUMNS_PARSED_TOGETHER]
            parsed_together = _parse_short_columns([columns[name] for name in group])
            values.update(zip(group, parsed_together, strict=True))
    by_name = {
        name: values[name] if name in values else as_texts(columns[name]) for name in columns
    }
    return pd.DataFrame(by_name, copy=False)


def parse_numbers(texts: pa.LargeStringArray) -> pd.Series:
    """Return numbers if every text of an Arrow array is written as a number; else the texts.

    If texts are missing, whole numbers become floats, with NaN for the missing ones. They stay text
    if float64 would round them. A column that is empty or has only missing texts stays text, too.
    """
    return pd.Series(_parse_values(texts), copy=False)


def _parse_short_columns(columns: list[pa.LargeStringArray]) -> list[ColumnValues]:
    """Parse columns as `_parse_values` does, which takes long for each column.

    A wide file may have 40,000 columns of a few rows, so the texts of many columns are parsed
    together. This works because one text says nothing about whether another one is a number. All
    columns have equally many rows.
    """
    import pyarrow as pa

    # Columns of integers become int64, and columns with any other number become float64. So these
    # two kinds are parsed separately. Other characters show that a column is text.
    integer_like: list[int] = []
    decimal_like: list[int] = []
    text_like: list[int] = []
    for position, texts in enumerate(columns):
        data = joined_bytes(texts)
        if has_only(data, INTEGER_CHARACTERS):
            integer_like.append(position)
        elif has_only(data, DECIMAL_CHARACTERS):
            decimal_like.append(position)
        else:
            text_like.append(position)

    values: dict[int, ColumnValues] = {}
    for positions, parse in ((integer_like, parse_integers), (decimal_like, parse_decimals)):
        parsed = _parse_together([columns[position] for position in positions], parse)
        values.update(zip(positions, parsed, strict=True))
    if text_like:
        # Convert all columns at once, and cut the result into columns of equal length.
        all_texts = as_texts(pa.concat_arrays([columns[position] for position in text_like]))
        n_rows = len(columns[0])
        for nth, position in enumerate(text_like):
            values[position] = all_texts[nth * n_rows : (nth + 1) * n_rows]
    return [values[position] for position in range(len(columns))]


def _parse_together(
    columns: list[pa.LargeStringArray], parse: Callable[[pa.LargeStringArray], AnyArray | None]
) -> list[ColumnValues]:
    """Return the values of columns whose texts are integers, or decimal numbers, if any.

    ``parse`` is `parse_integers` or `parse_decimals`. If it can't parse all texts together, the
    function tries both halves of the columns, and so on.
    """
    import pyarrow as pa

    if len(columns) < 2:
        return [_parse_values(texts) for texts in columns]
    filled_texts = [texts.drop_null() for texts in columns]
    numbers = parse(pa.concat_arrays(filled_texts))
    if numbers is None:
        middle = len(columns) // 2
        return _parse_together(columns[:middle], parse) + _parse_together(columns[middle:], parse)
    ends = np.cumsum([len(texts) for texts in filled_texts])
    numbers_of_columns = np.split(numbers, ends[:-1])
    return list(map(_put_into_rows, columns, numbers_of_columns))


def _parse_values(texts: pa.LargeStringArray) -> ColumnValues:
    """Do the work of `parse_numbers`, which makes a Series of the values."""
    filled_texts = texts.drop_null()
    numbers: AnyArray | None = parse_integers(filled_texts)
    if numbers is None:
        numbers = parse_decimals(filled_texts)
    return _put_into_rows(texts, numbers)


def _put_into_rows(texts: pa.LargeStringArray, numbers: AnyArray | None) -> ColumnValues:
    """Return the values of a column of texts.

    ``numbers`` are the numbers of the texts that aren't missing, or None if not all are numbers.
    """
    if numbers is None or not numbers.size:
        return as_texts(texts)
    if texts.null_count == 0:
        return numbers
    # NaN for the missing numbers turns integers into floats.
    if numbers.dtype.kind == "i" and exceeds_float64(numbers):
        return as_texts(texts)
    is_filled = texts.is_valid().to_numpy(zero_copy_only=False)
    with_gaps = np.full(len(texts), np.nan)
    with_gaps[is_filled] = numbers
    return with_gaps


def as_texts(texts: pa.LargeStringArray) -> ColumnValues:
    """Return Arrow's texts as the values of a text column of pandas."""
    return pd.Series(texts.to_pandas()).array


def looks_like_numbers(texts: list[str]) -> bool:
    """Return whether receval would read these texts as numbers from a file without quotes."""
    import pyarrow as pa

    filled_texts = [text for text in texts if text]  # a reader takes empty text for missing
    # Most columns of text are recognised by their first text, which saves converting all of them.
    if not filled_texts or not set(filled_texts[0]) <= set(DECIMAL_CHARACTERS.decode()):
        return False
    try:
        column = pa.array(filled_texts, pa.large_string())
    except UnicodeEncodeError:  # a text that no file can hold
        return False
    # `parse_numbers` returns the texts themselves if any of them isn't a number.
    return parse_numbers(column).dtype.kind in "iuf"


def parse_integers(texts: pa.LargeStringArray) -> IntArray | None:
    """Return texts as int64, or None if any text isn't an int64 number in its usual form.

    A text is not in this form if it has characters other than digits and a minus sign, is too
    large, or begins with a superfluous zero, as "007" and "-0" do.
    """
    import pyarrow as pa

    for part in _probe_and_all(texts):
        data = joined_bytes(part)
        if not has_only(data, INTEGER_CHARACTERS):
            return None
        if _has_minus_zero(data) or _has_zero_before_others(part):  # such as "-07" or "007"
            return None
    integers = _cast(texts, pa.int64())
    # Arrow's own array is read-only, but users may write to the frames that they read.
    return None if integers is None else np.array(integers)


def parse_decimals(texts: pa.LargeStringArray) -> FloatArray | None:
    """Return texts as float64, or None if any text is not a number or may be an id.

    A text may be an id if it has leading zeros, such as "007", or more digits than float64 can
    hold.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    data = _bytes_of_decimals(texts)
    if data is None:
        return None
    # Callers try `parse_integers` first, so it has refused any integers that get here.
    # They stay text, unless one of them is "-0": it may be the reason, and float64 can hold it.
    are_integers = b"." not in data and has_only(data, INTEGER_CHARACTERS)
    if are_integers and not _has_minus_zero(data):
        return None
    castable_texts = texts
    if b"+" in data:  # drop leading plus signs, because Arrow knows them only in exponents
        castable_texts = pc.replace_substring_regex(texts, r"^\+([0-9.i])", r"\1")
    floats = _cast(castable_texts, pa.float64())
    if floats is None:
        return None
    numbers: FloatArray = np.array(floats)  # a copy, because Arrow's own array is read-only

    without_point = texts.filter(pc.invert(pc.match_substring(texts, ".")))
    are_ids = _has_leading_zeros(without_point)
    if are_ids or _has_overflow(texts, numbers) or _loses_digits(texts, without_point, numbers):
        return None
    # Besides "-0" there may be integers that float64 would round.
    if are_integers and np.abs(numbers).max() >= MAX_EXACT_INTEGER:
        return None
    return numbers


def exceeds_float64(integers: AnyArray) -> bool:
    """Return whether any integer is so large that float64 may round it."""
    largest = max(-int(integers.min(initial=0)), int(integers.max(initial=0)))
    return largest > MAX_EXACT_INTEGER


def float64_unless_rounded(integers: AnyArray) -> AnyArray:
    """Return integers as float64, or unchanged if float64 may round one of them."""
    return integers if exceeds_float64(integers) else integers.astype(np.float64)


def _has_overflow(texts: pa.LargeStringArray, numbers: FloatArray) -> bool:
    """Return whether a number, such as 1e999, is too large for float64 and became infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_infinite = np.isinf(numbers)
    if not is_infinite.any():
        return False
    infinite_texts = texts.filter(pa.array(is_infinite))
    return bool(pc.any(pc.invert(pc.match_substring(infinite_texts, "inf"))).as_py())


def _loses_digits(
    texts: pa.LargeStringArray, without_point: pa.LargeStringArray, numbers: FloatArray
) -> bool:
    """Return whether float64 loses digits that matter, so that the texts must stay texts.

    This is so if float64 rounds a whole number, turns another number into 0, or makes different
    numbers equal. ``numbers`` are the texts as float64; none of them is too large.
    ``without_point`` are the texts that have no decimal point.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    # Each character of a number is one byte, and Arrow knows the lengths in bytes.
    # Look for whole numbers beyond 2^53 that float64 rounds.
    is_long = pc.greater_equal(pc.binary_length(without_point), EXACT_DIGITS)
    long_texts = without_point.filter(is_long)
    is_integer = pc.match_substring_regex(long_texts, "^[-+]?[0-9]+$")
    for text in long_texts.filter(is_integer).to_pylist():
        if int(float(text)) != int(text):
            return True

    # Look for small numbers that become 0: they have a digit other than 0 before the exponent.
    is_zero = numbers == 0
    if is_zero.any():
        zeros = texts.filter(pa.array(is_zero))
        if pc.any(pc.match_substring_regex(zeros, "^[^eE]*[1-9]")).as_py():
            return True

    # Look for different numbers that become equal. One of them has more digits than float64, or is
    # so small that float64 has fewer digits for it.
    has_many_digits = np.diff(_text_offsets(texts)) > EXACT_DIGITS
    is_tiny = (np.abs(numbers) < SMALLEST_PRECISE) & ~is_zero
    may_be_rounded = has_many_digits | is_tiny
    return bool(may_be_rounded.any()) and _merges_numbers(texts, numbers, may_be_rounded)


def _merges_numbers(
    texts: pa.LargeStringArray, numbers: FloatArray, may_be_rounded: BoolArray
) -> bool:
    """Return whether two texts have different values but are equal as floats.

    The function looks only at pairs in which float64 may have rounded at least one text.

    ``numbers`` are the texts as floats, and ``may_be_rounded`` is a mask of the texts.
    """
    import pyarrow as pa

    # If float64 merges two texts, the same number occurs several times. Sorting is the fastest way
    # to see that none does, which is usual for scores with all digits.
    in_order = np.sort(numbers)
    if not (in_order[1:] == in_order[:-1]).any():
        return False
    is_repeated = pd.Series(numbers).duplicated(keep=False).to_numpy()
    if not (is_repeated & may_be_rounded).any():
        return False
    distinct_texts = texts.filter(pa.array(is_repeated)).unique()
    n_distinct_numbers = pd.unique(numbers[is_repeated]).size
    if len(distinct_texts) == n_distinct_numbers:  # equal numbers are equal texts
        return False
    # Texts may differ although their values don't, as "1.0" and "1.00" do.
    exact_numbers = with_all_digits(distinct_texts.to_pylist())
    return merged_numbers(exact_numbers) is not None


def _bytes_of_decimals(texts: pa.LargeStringArray) -> bytes | None:
    """Return the bytes of all texts, or None if a quick look shows that they aren't decimals."""
    # Leading zeros of whole numbers show that the texts are ids.
    if _has_leading_zeros(texts[:PROBE_SIZE]):
        return None
    data = b""
    for part in _probe_and_all(texts):
        data = joined_bytes(part)
        if not has_only(data, DECIMAL_CHARACTERS):
            return None
    return data


def _probe_and_all(texts: pa.LargeStringArray) -> list[pa.LargeStringArray]:
    """Return a list of the first texts and all texts; if there are few, of all texts only."""
    if len(texts) <= PROBE_SIZE:
        return [texts]
    return [texts[:PROBE_SIZE], texts]


def _has_leading_zeros(texts: pa.LargeStringArray) -> bool:
    """Return whether any text is a whole number with leading zeros, such as "007" or "-07"."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, "^-?0[0-9]+$")).as_py())


def _has_minus_zero(data: bytes) -> bool:
    """Return whether the data has a minus sign before a zero."""
    # Most columns have no minus sign, and searching for one character is much faster.
    return b"-" in data and b"-0" in data


def _has_zero_before_others(texts: pa.LargeStringArray) -> bool:
    """Return whether any text begins with a zero and has further characters."""
    _, _, data_buffer = texts.buffers()
    if data_buffer is None or data_buffer.size == 0:
        return False  # all texts are empty
    data = np.frombuffer(data_buffer, np.uint8)
    offsets = _text_offsets(texts)
    # An empty text has no first character, so this takes a character of another text. That does no
    # harm, because only texts of several characters count. If there is no other text after it,
    # "clip" avoids reading beyond the end of the data.
    first_characters = data.take(offsets[:-1], mode="clip")
    begin_with_zero = np.flatnonzero(first_characters == ord("0"))
    lengths = offsets[begin_with_zero + 1] - offsets[begin_with_zero]
    return bool((lengths > 1).any())


def _text_offsets(texts: pa.LargeStringArray) -> IntArray:
    """Return where each text begins in Arrow's buffer of characters, and where the last ends."""
    # The array may be a slice of a longer one.
    _, offset_buffer, _ = texts.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)
    return offsets[texts.offset : texts.offset + len(texts) + 1]


def joined_bytes(texts: pa.LargeStringArray) -> bytes:
    """Return the bytes of all texts, one text after the other."""
    _, _, data_buffer = texts.buffers()
    offsets = _text_offsets(texts)
    start = offsets[0]
    end = offsets[-1]
    return bytes(data_buffer[start:end]) if end > start else b""


def has_only(data: bytes, characters: bytes) -> bool:
    """Return whether the data consists of these characters only."""
    # The fastest way is to delete these characters and see whether others are left.
    return not data.translate(None, characters)


def _cast(texts: pa.LargeStringArray, number_type: pa.DataType) -> pa.Array | None:
    """Return texts as numbers of an Arrow type, or None if a text is not a number of this type."""
    import pyarrow as pa

    try:
        if len(texts) > PROBE_SIZE:
            texts[:PROBE_SIZE].cast(number_type)  # fails early if the column isn't one of numbers
        return texts.cast(number_type)
    except pa.ArrowInvalid:
        return None
