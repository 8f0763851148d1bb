"""Read the fields of CSV and TREC files as text, with Arrow's reader of CSV files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from receval._checks import BoolArray, InputError, format_first, input_error, shorten
from receval.tables.text import check_path, check_readable, read_bytes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

BLOCK_SIZE = 1 << 21
"""Number of bytes that a thread reads at a time."""

MAX_BLOCK_SIZE = 2**31 - 1
"""The largest block that Arrow reads."""

SPACE, NEWLINE = b" \n"

SIMPLIFY_WHITESPACE = bytes.maketrans(b"\t\v\f\r", b"   \n")
"""Turns all kinds of white space in a TREC file into spaces, and carriage returns into newlines."""

COMMENT = rb"(?m)^#(?!\S+ \S+ \S+ [-+.]?\d\S*( \S+){%d}$).*\n?"
"""Pattern of comments in a TREC file with single spaces.

A line of the form of a row isn't a comment, even if its query begins with "#". The place of %d has
the number of fields after the fourth, which is a rank or a grade.
"""

OTHER_SEPARATORS = ";\t|,"
"""Separators that a CSV file may have if it doesn't have the expected one."""


class DelimitedText(NamedTuple):
    """The content of a text file whose rows consist of fields.

    Attributes
    ----------
    data : the bytes of the file.
    file_name : the name of the file in error messages.
    width : number of fields in the first row.
    separator : one character.
    has_quotes : whether fields may be in quotes and then contain separators and line breaks.
    """

    data: bytes
    file_name: str
    width: int
    separator: str
    has_quotes: bool


# CSV ----------------------------------------------------------------------------------------------


class CsvFile(NamedTuple):
    """The content of a CSV file and the names of its columns.

    Attributes
    ----------
    path : the file.
    text : its content, which includes the header.
    first_row : the fields of its first row that isn't empty.
    names : the names of the columns.
    has_header : whether the first row has the names.
    """

    path: Path
    text: DelimitedText
    first_row: list[str]
    names: list[str]
    has_header: bool


def open_csv(path: str | Path, separator: str = ",", *, header: bool = True) -> CsvFile:
    """Read the content of a CSV file and the names of its columns.

    Parameters
    ----------
    path : str or Path
        The file.
    separator : str, default ","
        The text between two fields. If it has several characters, quotes have no special meaning.
    header : bool, default True
        Whether the first row has the names of the columns; otherwise they are "0", "1", ….

    Raises
    ------
    InputError
        If the file isn't there, is empty or not UTF-8, or its header has a name twice.
    """
    path = check_path(path)
    data = read_bytes(path)
    single_separator = separator
    with check_readable(path, "a table"):  # turns all errors into an `InputError`
        if len(separator.encode()) > 1:
            # Arrow's separator is a single byte: use one that the file doesn't contain.
            single_separator = _unused_character(data, path.name)
            data = data.replace(separator.encode(), single_separator.encode())
        # With a separator of several characters, quotes have no special meaning.
        has_quotes = single_separator == separator and b'"' in data
        first_row = _first_row(data, single_separator, has_quotes=has_quotes)
        if first_row is None:
            raise InputError(f"{path.name} must be a table; got an empty file")
        if header:
            # In a header that begins with a quote, another separator may be part of a name.
            if not data.startswith(b'"'):
                _check_separator(first_row, separator, path.name)
            names = _column_names(first_row, path.name)
        else:
            names = [str(position) for position in range(len(first_row))]
    text = DelimitedText(data, path.name, len(first_row), single_separator, has_quotes)
    return CsvFile(path, text, first_row, names, header)


def read_csv_columns(path: str | Path) -> dict[str, pa.LargeStringArray]:
    """Return the texts of a CSV file by column; empty fields are null.

    Raises `InputError` if `open_csv` does, or if rows have different lengths.
    """
    return read_fields(open_csv(path))


def read_fields(csv_file: CsvFile) -> dict[str, pa.LargeStringArray]:
    """Return the texts of a CSV file by column; empty fields are null.

    Raises `InputError` if rows have different lengths.
    """
    n_header_rows = 1 if csv_file.has_header else 0
    with check_readable(csv_file.path, "a table"):
        return {
            name: texts[n_header_rows:]
            for name, texts in zip(csv_file.names, parse_fields(csv_file.text), strict=True)
        }


def _unused_character(data: bytes, file_name: str) -> str:
    """Return a control character that isn't in the data; raise if there is none."""
    for code in (*range(1, 9), *range(14, 32)):  # control characters, but no white space
        if code not in data:
            return chr(code)
    raise input_error(file_name, "be text", "a file with every control character")


def _first_row(data: bytes, separator: str, *, has_quotes: bool) -> list[str] | None:
    """Return the fields of the first row that isn't empty; None if there is no such row.

    With ``has_quotes``, fields may be in quotes and then contain separators.
    """
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    rows = csv.reader(
        lines,
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE,
    )
    for row in rows:
        if row:
            return row
    return None


def csv_lines_of_rows(data: bytes, separator: str) -> list[int]:
    """Return the number (from 1) of the line at which each row below the header begins.

    Empty lines are left out. This is slow; it's for error messages.
    """
    reader = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator)
    lines = []
    first_line = 1
    for row in reader:
        if row:
            lines.append(first_line)
        first_line = reader.line_num + 1
    return lines[1:]


def _check_separator(header: list[str], separator: str, file_name: str) -> None:
    """Raise if a header was not split at ``separator`` and seems to have another separator."""
    if len(header) > 1:
        return
    for other_separator in OTHER_SEPARATORS:
        if other_separator != separator and other_separator in header[0]:
            code = f"pandas.read_csv(path, sep={other_separator!r})"
            advice = f"The separator seems to be {other_separator!r}: give the table {code}"
            rule = f"have columns separated by {separator!r}"
            raise input_error(file_name, rule, shorten(header[0]), advice)


def _column_names(header: list[str], file_name: str) -> list[str]:
    """Return the names of the columns; empty ones are named by their position, as in pandas.

    ``header`` has the fields of the first row. Raises `InputError` if a name occurs twice.
    """
    names = [name or f"Unnamed: {position}" for position, name in enumerate(header)]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        shown = format_first(repr(name) for name in repeated)
        raise InputError(f"{file_name} must have each column once; got {shown} twice")
    return names


def columns_marked_as_text(
    csv_file: CsvFile, columns: Mapping[str, pa.LargeStringArray]
) -> set[str]:
    """Return the names of the columns whose first value is in quotes.

    The quotes mark a value as text, even if it looks like a number; `write_csv` uses them for this
    purpose. But some programs put all fields in quotes, even in a header that doesn't need any.
    Then the quotes mean nothing, and the function returns no name.

    ``columns`` are the texts that `read_fields` returns.
    """
    if not (csv_file.text.has_quotes and csv_file.has_header):
        return set()
    # For each column, find the row of the first value that isn't missing; row 0 is the header.
    row_of_first_value: dict[str, int] = {}
    values = set(csv_file.first_row)  # we need to know whether these fields are in quotes
    for name, texts in columns.items():
        if texts.null_count < len(texts):
            row = texts.is_valid().index(True).as_py()
            row_of_first_value[name] = row + 1
            values.add(texts[row].as_py())
    last_row = max(row_of_first_value.values(), default=0)

    # The masks are also true for fields that aren't in `values`. But we look up only the header and
    # the first values, which are all in `values`, so here true means that a field is in quotes.
    with check_readable(csv_file.path, "a table"):
        is_quoted_by_column = _quoted_or_other_fields(csv_file.text, values, last_row)
    marked = {
        name
        for name, is_quoted in zip(columns, is_quoted_by_column, strict=True)
        if name in row_of_first_value and is_quoted[row_of_first_value[name]]
    }
    # If all first values and the header are in quotes, but the header needs none, the quotes mean
    # nothing. Text with one of these characters needs quotes, at least in a header.
    special_characters = set(f'{csv_file.text.separator}"\r\n{OTHER_SEPARATORS}\ufeff')
    header_needs_quotes = any(set(name) & special_characters for name in csv_file.first_row)
    header_is_quoted = all(is_quoted[0] for is_quoted in is_quoted_by_column)
    all_are_quoted = header_is_quoted and marked == set(row_of_first_value)
    if all_are_quoted and not header_needs_quotes:
        return set()
    return marked


def _quoted_or_other_fields(
    text: DelimitedText, values: set[str], last_row: int
) -> list[BoolArray]:
    """Return a mask for each column: true for fields that are in quotes or not in ``values``.

    So for a field in ``values``, the mask says whether the field is in quotes. The masks begin with
    the header, row 0, and have at least the rows up to ``last_row``.
    """
    import pyarrow as pa

    try:
        return _read_quoted_or_other_fields(text, values, last_row, BLOCK_SIZE)
    except pa.ArrowInvalid:  # a row may be longer than a block
        block_size = min(len(text.data) + 1, MAX_BLOCK_SIZE)
        return _read_quoted_or_other_fields(text, values, last_row, block_size)


def _read_quoted_or_other_fields(
    text: DelimitedText, values: set[str], last_row: int, block_size: int
) -> list[BoolArray]:
    """Do the work of `_quoted_or_other_fields` with blocks of ``block_size`` bytes.

    If a field without quotes equals one of the values, Arrow turns it into null. So a field that is
    not null is in quotes or has another value.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(text.width)]
    reader = arrow_csv.open_csv(
        pa.BufferReader(text.data),
        arrow_csv.ReadOptions(column_names=names, block_size=block_size, use_threads=False),
        arrow_csv.ParseOptions(delimiter=text.separator, newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            null_values=sorted(values),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    batches = []
    n_rows = 0
    with reader:
        for batch in reader:
            batches.append(batch)
            n_rows += len(batch)
            if n_rows > last_row:  # rows are counted from 0
                break
    table = pa.Table.from_batches(batches)
    return [table[name].is_valid().to_numpy() for name in names]


# TREC ---------------------------------------------------------------------------------------------


def read_trec_fields(path: Path, data: bytes, line_form: str) -> list[pa.LargeStringArray]:
    """Return the texts of a TREC file by column.

    ``data`` is the content of the file at ``path``.
    ``line_form`` has one word for each field, such as "query iteration document relevance".
    Raises `InputError` if a line has more or fewer fields, or the file isn't UTF-8.
    """
    width = len(line_form.split())
    with check_readable(path, "text"):
        rows = _drop_comments(_with_single_spaces(data), width)
        text = DelimitedText(rows, path.name, width, separator=" ", has_quotes=False)
        try:
            return parse_fields(text)
        except InputError:  # a line has a wrong number of fields, so name it
            # Count lines in the original data, which still has its comments and empty lines.
            for number, line, fields in split_trec_lines(data, width):
                if len(fields) != width:
                    got = f"{shorten(line.decode())} in line {number}"
                    rule = f"have lines of the form '{line_form}'"
                    raise input_error(path.name, rule, got) from None
            raise


def split_trec_lines(data: bytes, width: int) -> list[tuple[int, bytes, list[bytes]]]:
    """Return the number (from 1), the text and the fields of each line that has fields.

    Empty lines and comments are left out. Rows have ``width`` fields. This is slow; it's for error
    messages.
    """
    lines = []
    for number, line in enumerate(data.splitlines(), 1):
        fields = line.split()
        if _drop_comments(b" ".join(fields), width):
            lines.append((number, line, fields))
    return lines


def _with_single_spaces(data: bytes) -> bytes:
    """Return the lines of a TREC file with single spaces between fields, so that CSV readers work.

    Spaces at the beginning and the end of lines are left out.
    """
    data = data.translate(SIMPLIFY_WHITESPACE)  # only spaces and newlines remain
    characters = np.frombuffer(data, np.uint8)
    is_space = characters == SPACE
    is_white = is_space | (characters == NEWLINE)
    # Most files have single spaces already.
    if (is_white[1:] & is_white[:-1]).any() or is_white[:1].any():
        # Drop spaces that follow white space, and one at the very beginning. Then a line ends with
        # one space at most. Change the mask of spaces in place, because it isn't needed any more.
        is_needless = is_space
        is_needless[1:] &= is_white[:-1]
        data = characters[~is_needless].tobytes().replace(b" \n", b"\n")
    return data.rstrip(b" ")  # at the end of a file without a final newline


def _drop_comments(data: bytes, width: int) -> bytes:
    """Return the lines of a TREC file without its comments; rows have ``width`` fields."""
    if data.startswith(b"#") or b"\n#" in data:
        data = re.sub(COMMENT % (width - 4), b"", data)
    return data


# Parsing ------------------------------------------------------------------------------------------


def parse_fields(text: DelimitedText) -> list[pa.LargeStringArray]:
    """Return the fields of all rows by column; empty ones are null.

    Raises `InputError` if a row has a wrong number of fields. To find that row, the function reads
    the text once more in a single thread.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if not text.data:
        return [pa.array([], pa.large_string())] * text.width
    parse_options = arrow_csv.ParseOptions(
        delimiter=text.separator,
        quote_char='"' if text.has_quotes else False,
        newlines_in_values=text.has_quotes,
    )
    try:
        read_options = arrow_csv.ReadOptions(block_size=BLOCK_SIZE, use_threads=can_use_threads())
        return _read_as_text(text, read_options, parse_options)
    except pa.ArrowInvalid:
        # If the text isn't UTF-8, this raises an error that names the place. Otherwise read again.
        text.data.decode()

    uneven_rows: list[arrow_csv.InvalidRow] = []

    def keep_row(row: arrow_csv.InvalidRow) -> str:
        """Keep the row for the message, and tell Arrow to fail."""
        uneven_rows.append(row)
        return "error"

    parse_options.invalid_row_handler = keep_row
    try:
        # A single block also helps with rows that are longer than a block.
        block_size = min(len(text.data) + 1, MAX_BLOCK_SIZE)
        read_options = arrow_csv.ReadOptions(block_size=block_size, use_threads=False)
        return _read_as_text(text, read_options, parse_options)
    except pa.ArrowInvalid:
        if uneven_rows:
            raise _uneven_row_error(uneven_rows[0], text) from None
        raise  # another error of Arrow


def can_use_threads() -> bool:
    """Return whether Arrow can read with several threads.

    Before version 23, Arrow could hang or end the process after a thread had met an error, such as
    a row that is longer than a block (apache/arrow issue 48741).
    """
    import pyarrow as pa

    return int(pa.__version__.partition(".")[0]) >= 23


def _read_as_text(
    text: DelimitedText,
    read_options: arrow_csv.ReadOptions,
    parse_options: arrow_csv.ParseOptions,
) -> list[pa.LargeStringArray]:
    """Return the fields of all rows by column, without conversion to numbers; empty ones are null.

    Arrow raises `ArrowInvalid` if it cannot read the text with these options.
    """
    import pyarrow as pa

    types = [pa.large_string()] * text.width
    columns = read_with_arrow(text, types, read_options, parse_options)
    return [column.combine_chunks() for column in columns]


def read_with_arrow(
    text: DelimitedText,
    types: list[pa.DataType],
    read_options: arrow_csv.ReadOptions,
    parse_options: arrow_csv.ParseOptions,
) -> list[pa.ChunkedArray]:
    """Return the values of all rows by column; empty fields are null.

    ``types`` has the type of each column. Arrow raises `ArrowInvalid` if it cannot read the text
    with these options, or a field doesn't have the type of its column.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(text.width)]
    read_options.column_names = names
    convert_options = arrow_csv.ConvertOptions(
        column_types=dict(zip(names, types, strict=True)),
        null_values=[""],
        strings_can_be_null=True,
        check_utf8=not text.data.isascii(),  # the check takes a quarter of the time
    )
    source = pa.BufferReader(text.data)
    table = arrow_csv.read_csv(source, read_options, parse_options, convert_options)
    columns: list[pa.ChunkedArray] = table.columns
    return columns


def _uneven_row_error(row: arrow_csv.InvalidRow, text: DelimitedText) -> InputError:
    """Return the error for a row that has more or fewer fields than the first one."""
    if text.has_quotes:
        place = f"row {row.number}"
    else:
        # Each row is a line; Arrow counts only lines that aren't empty.
        lines = enumerate(text.data.splitlines(), 1)
        filled_line_numbers = [number for number, line in lines if line]
        place = f"line {filled_line_numbers[row.number - 1]}"
    rule = f"have as many fields in every row as in its first, {text.width}"
    got = f"{row.actual_columns} in {place}: {shorten(row.text)}"
    advice = ""
    if text.separator == "," and row.actual_columns > text.width:
        advice = "Is there a decimal comma?"
    return input_error(text.file_name, rule, got, advice)
