"""Read CSV files as tables; large files of short numbers are read faster than others.

Arrow reads numbers fast if it needn't return their texts. But it also reads texts that aren't
numbers in receval, such as "007", " 7" or "0x7". So this module looks at the bytes of a file while
Arrow reads it. If such a text may be among them, it reads the file again, as texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import BoolArray, InputError
from receval._threads import map_in_threads, run_both
from receval.tables.csv_reading import (
    BLOCK_SIZE,
    CsvFile,
    can_use_threads,
    columns_marked_as_text,
    open_csv,
    parse_fields,
    read_fields,
    read_with_arrow,
)
from receval.tables.inputs import is_id_name
from receval.tables.number_parsing import (
    DECIMAL_CHARACTERS,
    ColumnValues,
    as_texts,
    has_only,
    joined_bytes,
    parse_decimals,
    parse_integers,
    parse_table_numbers,
)

if TYPE_CHECKING:
    import pyarrow as pa

MIN_SIZE = 1 << 20
"""Number of bytes from which on it pays off to try whether a file has plain numbers."""

SAMPLE_SIZE = 1 << 14
"""Number of bytes at the beginning of a file that show the types of its columns."""

PART_SIZE = 1 << 17
"""Number of bytes that are checked at a time, so few that they fit into the processor's cache."""

PLAIN_CHARACTERS = b"0123456789.-e"
"""Characters of plain numbers; "e" begins an exponent."""

MAX_LENGTH = 15
"""The greatest length of a plain number. float64 and int64 hold all numbers of 15 digits."""

LONG_EXPONENT = re.compile(rb"e-?[0-9]{3}")
"""An exponent of three digits or more, which may be too large or too small for float64."""

NEWLINE, MINUS, POINT, ZERO, NINE, EXPONENT = b"\n-.09e"

Characters: TypeAlias = npt.NDArray[np.uint8]
"""The bytes of a text as numbers."""


class _NotPlainError(Exception):
    """Says that a file may have other numbers than plain ones."""


def read_csv_table(
    path: str | Path,
    separator: str = ",",
    *,
    header: bool = True,
    quotes_mark_text: bool = True,
    ids: Collection[str | int] = (),
) -> pd.DataFrame:
    """Return the table in a CSV file; a column becomes numbers if all its texts are numbers.

    `parse_numbers` says which texts are numbers. A column of ids becomes numbers only if all its
    texts are whole numbers: as decimals, the ids 2101.1 and 2101.10 would be equal. ``ids`` has the
    names or positions of such columns; those with a usual name of ids are found. With
    ``quotes_mark_text``, the columns that `columns_marked_as_text` returns stay text. The other
    parameters are those of `open_csv`. Raises `InputError` if `open_csv` does, or if rows have
    different lengths.
    """
    csv_file = open_csv(path, separator, header=header)
    id_names = {
        name
        for position, name in enumerate(csv_file.names)
        if position in ids or name in ids or is_id_name(name)
    }
    if len(csv_file.text.data) >= MIN_SIZE:
        try:
            values = _read_plain_numbers(csv_file, id_names)
            return pd.DataFrame(dict(zip(csv_file.names, values, strict=True)), copy=False)
        except _NotPlainError:
            pass  # read the file as texts
    texts_by_name = read_fields(csv_file)
    text_columns = columns_marked_as_text(csv_file, texts_by_name) if quotes_mark_text else set()
    table = parse_table_numbers(texts_by_name, text_columns)
    for name in id_names:
        if table[name].dtype.kind == "f":
            table[name] = as_texts(texts_by_name[name])
    return table


def _read_plain_numbers(csv_file: CsvFile, ids: Collection[str]) -> list[ColumnValues]:
    """Return the columns of a file of plain numbers; it may also have columns of text.

    Decimals in the columns ``ids`` stay text. These values are the same that `read_csv_table` would
    find in the texts. Raises `_NotPlainError` if they might differ.
    """
    import pyarrow as pa

    data = csv_file.text.data
    separator = csv_file.text.separator
    # If the file begins with an empty line, its header is not in the first line.
    begins_with_empty_line = data.startswith((b"\n", b"\r"))
    if csv_file.text.has_quotes or separator.encode() in PLAIN_CHARACTERS or begins_with_empty_line:
        raise _NotPlainError
    start = data.find(b"\n") + 1 if csv_file.has_header else 0
    types = _types_of_columns(csv_file, start)
    for position, name in enumerate(csv_file.names):
        if name in ids and types[position] == pa.float64():
            types[position] = pa.large_string()

    columns, n_other_characters = run_both(
        lambda: _read_with_types(csv_file, types),
        lambda: _count_other_characters(data, start, separator),
    )
    # Characters that plain numbers don't have must all be in the columns of text.
    for column in columns:
        if column.type == pa.large_string():
            for texts in column.chunks:
                characters = np.frombuffer(joined_bytes(texts), np.uint8)
                n_other_characters -= int(np.count_nonzero(~_is_plain(characters)))
        elif column.null_count:
            raise _NotPlainError
    if n_other_characters != 0:
        raise _NotPlainError
    return list(map_in_threads(_values_of_column, columns, min_parts_per_thread=1))


# Reading with Arrow -------------------------------------------------------------------------------


def _types_of_columns(csv_file: CsvFile, start: int) -> list[pa.DataType]:
    """Return the Arrow type of each column, as the first rows show it.

    ``start`` is the position of the first row after the header. Raises `_NotPlainError` if the rows
    don't show the types, or there are no numbers.
    """
    import pyarrow as pa

    text = csv_file.text
    end = text.data.rfind(b"\n", start, start + SAMPLE_SIZE) + 1
    sample = text.data[start:end]
    if not sample or b"\r" in sample:
        raise _NotPlainError
    _count_other_characters(sample, 0, text.separator)  # raises if the numbers aren't plain
    try:
        columns = parse_fields(text._replace(data=sample))
    except InputError:  # The rows have different lengths, for example.
        raise _NotPlainError from None
    types = [_type_of_texts(texts) for texts in columns]
    if all(column_type == pa.large_string() for column_type in types):
        raise _NotPlainError
    return types


def _type_of_texts(texts: pa.LargeStringArray) -> pa.DataType:
    """Return the Arrow type of a column, as its first texts show it.

    The column is text if any of them has a character that doesn't occur in numbers. Raises
    `_NotPlainError` if texts are missing or aren't plain numbers.
    """
    import pyarrow as pa

    characters = joined_bytes(texts)
    if texts.null_count:
        raise _NotPlainError
    if not has_only(characters, DECIMAL_CHARACTERS):
        return pa.large_string()
    if has_only(characters, PLAIN_CHARACTERS):
        if parse_integers(texts) is not None:
            return pa.int64()
        if parse_decimals(texts) is not None:
            return pa.float64()
    raise _NotPlainError  # such as "1-2" or "inf"


def _read_with_types(csv_file: CsvFile, types: list[pa.DataType]) -> list[pa.ChunkedArray]:
    """Return the columns of a file without quotes, whose first line may be a header.

    Raises `_NotPlainError` if a field doesn't have the type of its column, or rows have different
    lengths.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    read_options = arrow_csv.ReadOptions(
        block_size=BLOCK_SIZE,
        skip_rows=1 if csv_file.has_header else 0,
        use_threads=can_use_threads(),
    )
    parse_options = arrow_csv.ParseOptions(delimiter=csv_file.text.separator, quote_char=False)
    try:
        return read_with_arrow(csv_file.text, types, read_options, parse_options)
    except pa.ArrowInvalid:
        raise _NotPlainError from None


def _values_of_column(column: pa.ChunkedArray) -> ColumnValues:
    """Return a column of Arrow as the values of a column of a frame."""
    import pyarrow as pa

    if column.type == pa.large_string():
        return as_texts(column.combine_chunks())
    # Arrow's arrays are read-only, but users may write to their frames, so this makes a copy.
    return np.concatenate([chunk.to_numpy() for chunk in column.chunks])


# Looking at the bytes -----------------------------------------------------------------------------


def _count_other_characters(data: bytes, start: int, separator: str) -> int:
    """Return how many characters don't belong to plain numbers, and don't end fields.

    Only characters from position ``start`` on count. Raises `_NotPlainError` if a field isn't
    plain, as `_check_fields` says.
    """
    n_other_characters = 0
    for lines in _split_at_lines(data, start):
        characters = np.frombuffer(lines, np.uint8)
        ends_field = characters == NEWLINE
        ends_field |= characters == ord(separator)
        _check_fields(lines, characters, ends_field)
        is_expected = _is_plain(characters)
        is_expected |= ends_field
        n_other_characters += characters.size - int(np.count_nonzero(is_expected))
    return n_other_characters


def _split_at_lines(data: bytes, start: int) -> Iterator[bytes]:
    """Yield the lines from position ``start`` on, in parts of about `PART_SIZE` bytes.

    Each part has whole lines. It begins with the line break before them, and ends with one.
    """
    n_bytes = len(data)
    while start < n_bytes:
        end = start + PART_SIZE
        if end < n_bytes:
            end = data.rfind(b"\n", start, end) + 1
            if end == 0:  # the line is longer than a part
                end = data.find(b"\n", start) + 1 or n_bytes
        lines = data[max(start - 1, 0) : end]
        if start == 0:
            lines = b"\n" + lines
        if end >= n_bytes:
            lines += b"\n"
        yield lines
        start = end


def _is_plain(characters: Characters) -> BoolArray:
    """Return a mask of the characters that occur in plain numbers, or are a slash.

    A slash doesn't matter, because Arrow never takes it for a part of a number.
    """
    # In ASCII, "-", ".", "/" and the digits follow one another. With unsigned numbers, characters
    # before "-" get large numbers here.
    is_plain: BoolArray = characters - np.uint8(MINUS) <= NINE - MINUS
    is_plain |= characters == EXPONENT
    return is_plain


def _check_fields(lines: bytes, characters: Characters, ends_field: BoolArray) -> None:
    """Raise `_NotPlainError` if receval has to look at the text of a field.

    That is so in these cases:

    - It has 16 characters or more, so float64 or int64 may not hold the number.
    - It has a leading zero, as "007" and "-07" do, or it is "-0".
    - It has an exponent of three digits or more.

    Parameters
    ----------
    lines : bytes
        The lines, which begin and end with a line break.
    characters : array
        The bytes of the lines.
    ends_field : array of bool
        True for separators and line breaks.
    """
    # If each run of 16 bytes has the end of a field, no field is longer than 15 bytes. So find out
    # whether each run of 2 bytes has one, then each run of 4, of 8 and of 16.
    has_end = ends_field
    length = 1
    while length <= MAX_LENGTH:
        has_end = has_end[:-length] | has_end[length:]
        length *= 2
    if not has_end.all():
        raise _NotPlainError

    # A leading zero begins a field, and a digit follows. Letters, which come after the digits in
    # ASCII, count as digits here, because that does no harm.
    is_leading_zero = characters[1:-1] == ZERO
    is_leading_zero &= ends_field[:-2]
    is_leading_zero &= characters[2:] >= ZERO
    if is_leading_zero.any():
        raise _NotPlainError

    # After a minus sign, a zero must be followed by a point, as in "-0.5". The zeros of exponents,
    # as in "e-05", do no harm.
    if b"-" in lines:
        is_leading_zero = characters[2:-1] == ZERO
        is_leading_zero &= characters[1:-2] == MINUS
        is_leading_zero &= characters[:-3] != EXPONENT
        is_leading_zero &= characters[3:] != POINT
        if is_leading_zero.any():
            raise _NotPlainError
    if b"e" in lines and LONG_EXPONENT.search(lines):
        raise _NotPlainError
