"""The fields of text files as they are written, by Arrow: CSV, and TREC files as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from receval._checks import InputError, format_first, input_error, shorten
from receval.tables.text import read_bytes, read_text, require_path

BLOCK = 1 << 21  # bytes that a thread reads at a time
BLANK, NEWLINE = b" \n"
PLAIN = bytes.maketrans(b"\t\v\f\r", b"   \n")


def csv_columns(
    path: str | Path, separator: str = ",", *, header: bool = True, quotes: bool = True
) -> dict[str, Any]:
    """The texts of a CSV file by column, named by its first row or numbered; empty ones are null.

    A separator of one character may stand within ``quotes``; else, and beside a longer one, these
    are letters.
    """
    return csv_fields(path, separator, header=header, quotes=quotes)[0]


def csv_fields(
    path: str | Path, separator: str = ",", *, header: bool = True, quotes: bool = True
) -> tuple[dict[str, Any], set[str]]:
    """What `csv_columns` answers, and the names of columns that quotes mark as text."""
    path = require_path(path)
    data, sign = read_bytes(path), separator
    with read_text(path, "a table"):
        if len(separator.encode()) > 1:  # Arrow separates by one byte: take one that is not there
            sign = next(chr(n) for n in (*range(1, 9), *range(14, 32)) if n not in data)
            data = data.replace(separator.encode(), sign.encode())
        quoted = quotes and sign == separator and b'"' in data
        lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
        rows = csv.reader(
            lines, delimiter=sign, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        )
        first = next(filter(None, rows), None)
        if first is None:
            raise InputError(f"{path.name} must be a table; got an empty file")
        in_quotes = data.startswith(b'"')
        names = (
            _names(first, separator, path.name, in_quotes)
            if header
            else map(str, range(len(first)))
        )
        columns = _parsed(data, path.name, len(first), sign, quoted)
        by_name = {name: texts[int(header) :] for name, texts in zip(names, columns, strict=True)}
        marked = _marked_as_text(data, by_name, first, sign) if quoted and header else set[str]()
    return by_name, marked


def _marked_as_text(
    data: bytes, columns: dict[str, Any], header: list[str], separator: str
) -> set[str]:
    """The columns whose first value stands in quotes, as text does that looks like a number.

    Programs that put everything in quotes, also a header that needs none, mark nothing by them.
    """
    import pyarrow as pa

    # With the header in front of them: the row of each column's first value, and that value.
    row_of_first, values = {}, set(header)
    for name, texts in columns.items():
        if texts.null_count < len(texts):
            row = texts.is_valid().index(True).as_py()
            row_of_first[name] = row + 1
            values.add(texts[row].as_py())
    last_row = max(row_of_first.values(), default=0)
    try:
        is_quoted = _are_quoted(data, len(header), separator, values, last_row, BLOCK)
    except pa.ArrowInvalid:  # a row may be longer than a block
        most = min(len(data) + 1, 2**31 - 1)
        is_quoted = _are_quoted(data, len(header), separator, values, last_row, most)
    marked = {
        name
        for place, name in enumerate(columns)
        if name in row_of_first and is_quoted[place][row_of_first[name]]
    }
    needless = not any(set(name) & set(f'{separator}"\r\n;\t|,\ufeff') for name in header)
    everything = all(column[0] for column in is_quoted) and marked == set(row_of_first)
    return set() if everything and needless else marked


def _are_quoted(
    data: bytes, width: int, separator: str, values: set[str], last_row: int, block: int
) -> list[np.ndarray[Any, Any]]:
    """For each column which of its first rows stand in quotes, if they have these values."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = list(map(str, range(width)))
    reader = arrow.open_csv(
        pa.BufferReader(data),
        arrow.ReadOptions(column_names=names, block_size=block, use_threads=False),
        arrow.ParseOptions(delimiter=separator, newlines_in_values=True),
        # Arrow takes these values for missing only where they stand without quotes.
        arrow.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            null_values=sorted(values),
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    batches, n_rows = [], 0
    with reader:
        for batch in reader:
            batches.append(batch)
            n_rows += len(batch)
            if n_rows > last_row:
                break
    table = pa.Table.from_batches(batches)
    return [table[name].is_valid().to_numpy() for name in names]


def trec_fields(path: Path, data: bytes, form: str) -> list[Any]:
    """The texts of a TREC file by column; the words of its form say what they are."""
    width = len(form.split())
    with read_text(path, "text"):
        try:
            return _parsed(_one_blank(data), path.name, width, " ", False)
        except InputError:
            for number, line, fields in trec_lines(data):
                if len(fields) != width:
                    got = f"{shorten(line.decode())} in line {number}"
                    raise input_error(path.name, f"have lines of the form '{form}'", got) from None
            raise


def trec_lines(data: bytes) -> list[tuple[int, bytes, list[bytes]]]:
    """Number, text and fields of each line that is not empty nor a comment; for messages."""
    lines = [(number, line, line.split()) for number, line in enumerate(data.splitlines(), 1)]
    return [one for one in lines if one[2] and not one[2][0].startswith(b"#")]


def _names(header: list[str], separator: str, name: str, in_quotes: bool) -> list[str]:
    """Names of columns, each there once; a file that has another separator is refused."""
    other = next((sign for sign in ";\t|," if sign != separator and sign in header[0]), None)
    if len(header) == 1 and other and not in_quotes:
        how = f"give the table pandas.read_csv(path, sep={other!r})"
        advice = f"The separator seems to be {other!r}: {how}"
        rule = f"have columns separated by {separator!r}"
        raise input_error(name, rule, shorten(header[0]), advice)
    names = [one or f"Unnamed: {place}" for place, one in enumerate(header)]
    if twice := sorted(label for label, n in Counter(names).items() if n > 1):
        raise InputError(
            f"{name} must have each column once; got {format_first(map(repr, twice))} twice"
        )
    return names


def _one_blank(data: bytes) -> bytes:
    """Lines with one blank between fields, none around them, and no comments."""
    data = data.translate(PLAIN)
    signs = np.frombuffer(data, np.uint8)
    blank = signs == BLANK
    white = blank | (signs == NEWLINE)
    if (white[1:] & white[:-1]).any() or white[:1].any():
        blank[1:] &= white[:-1]  # those behind another, or first in a line
        data = signs[~blank].tobytes().replace(b" \n", b"\n")
    if data.startswith(b"#") or b"\n#" in data:
        data = re.sub(rb"(?m)^#.*\n?", b"", data)
    return data.rstrip(b" ")


def _parsed(data: bytes, name: str, width: int, separator: str, quoted: bool) -> list[Any]:
    """Every row's fields by column; read once more, by one thread, to say which row is wrong."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    if not data:
        return [pa.array([], pa.large_string())] * width
    names = list(map(str, range(width)))
    how: Any = arrow.ParseOptions(
        delimiter=separator, quote_char='"' if quoted else False, newlines_in_values=quoted
    )
    as_text = arrow.ConvertOptions(
        column_types=dict.fromkeys(names, pa.large_string()),
        null_values=[""],
        strings_can_be_null=True,
        check_utf8=not data.isascii(),  # a quarter of the time
    )

    def read(**more: Any) -> list[Any]:
        options = arrow.ReadOptions(column_names=names, **more)
        table = arrow.read_csv(pa.BufferReader(data), options, how, as_text)
        return [texts.combine_chunks() for texts in table.columns]

    try:
        return read(block_size=BLOCK)
    except pa.ArrowInvalid:
        data.decode()  # which tells the place
    wrong: list[Any] = []

    def tell(row: Any) -> str:
        wrong.append(row)
        return "error"

    how.invalid_row_handler = tell
    try:
        # in one block too, as a row may be longer than those
        return read(block_size=min(len(data) + 1, 2**31 - 1), use_threads=False)
    except pa.ArrowInvalid:
        if wrong:
            raise _uneven(wrong[0], data, name, width, separator, quoted) from None
        raise


def _uneven(
    row: Any, data: bytes, name: str, width: int, separator: str, quoted: bool
) -> InputError:
    """What to raise for a row that has more fields than the first, or fewer."""
    where = f"row {row.number}"
    if not quoted:  # rows are lines, of which Arrow counts those that are not empty
        filled = [number for number, line in enumerate(data.splitlines(), 1) if line]
        where = f"line {filled[row.number - 1]}"
    comma = separator == "," and row.actual_columns > width
    rule = f"have as many fields in every row as in its first, {width}"
    got = f"{row.actual_columns} in {where}: {shorten(row.text)}"
    return input_error(name, rule, got, "Is there a decimal comma?" * comma)
