"""Read files of tables: CSV, Parquet and TREC files, and ratings.

Arrow reads each field of a text file as text. A column becomes numbers only if its texts are
numbers for sure, so that ids stay what they are. `open_table` also accepts tables in memory.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXACT_INTEGER,
    AnyArray,
    BoolArray,
    FloatArray,
    InputError,
    NoSuchFile,
    check_that,
    format_first,
    input_error,
    shorten,
)
from receval._files import PARQUET, is_parquet, path_exists
from receval._threads import map_in_threads
from receval.tables.columns import (
    AnyFrame,
    as_series,
    check_no_rows,
    foreign_to_arrow,
    is_pandas_or_arrow,
)
from receval.tables.inputs import LISTS_ADVICE, is_id_name, is_number_name

if TYPE_CHECKING:
    import pyarrow as pa
    from pandas.api.extensions import ExtensionArray

__all__ = ["read_qrels", "read_ratings", "read_run", "read_table"]

ColumnValues: TypeAlias = "AnyArray | ExtensionArray"
"""The values of a column of a frame: numbers in a NumPy array, or texts in an array of pandas."""

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separators of text files, by ending."""

QRELS = (".qrels", ".qrel")
"""Endings of TREC judgements."""

OTHER_SEPARATORS = ";\t|,"
"""Separators that a CSV file may have if it doesn't have the expected one."""

STAND_IN = "\x1f"
"""Takes the place of a separator of several characters, because Arrow's are single bytes."""

BLOCK_SIZE = 1 << 21
"""Number of bytes that a thread of Arrow reads at a time; no row may be longer."""

MAX_BLOCK_SIZE = 2**31 - 1
"""The largest block that Arrow reads, in bytes."""

PROBE_SIZE = 1000
"""Number of texts that are tried first, because most columns of text show there that they are."""

UNPACK: Mapping[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".bz2": bz2.decompress}
"""Functions that decompress the content of a file, by ending."""

PACKED = (*UNPACK, ".xz", ".zip", ".zst")
"""Endings of compressed files. The last three are refused."""

CONVERT = "Convert it to UTF-8: Path(path).write_text(Path(path).read_text('{0}'), 'utf-8')"
UNREADABLE = {
    rb"\x1f\x8b": ("a gzip file", "Let its name end in .gz, such as .csv.gz"),
    rb"BZh": ("a bzip2 file", "Let its name end in .bz2, such as .csv.bz2"),
    rb"\xfd7zXZ\0": ("an xz file", "Unpack it: xz -d {name}"),
    rb"PK\x03\x04": ("a zip file", "Unpack it: unzip {name} (of Excel: pandas.read_excel(path))"),
    rb"\x28\xb5\x2f\xfd": ("a zstd file", "Unpack it: zstd -d {name}"),
    rb"PAR1": ("a Parquet file", "Let its name end in .parquet"),
    rb"\xd0\xcf\x11\xe0": ("a file of Excel", "Read it with pandas.read_excel(path)"),
    rb"ARROW1": ("an Arrow file", "Read it with pandas.read_feather(path)"),
    # Text in another encoding begins with a byte order mark, or with ASCII letters between nulls.
    rb"\xff\xfe\0\0|\0\0\xfe\xff": ("a file of UTF-32", CONVERT.format("utf-32")),
    rb"\xff\xfe|\xfe\xff": ("a file of UTF-16", CONVERT.format("utf-16")),
    rb"([^\0]\0\0\0){2}": ("a file of UTF-32-LE", CONVERT.format("utf-32-le")),
    rb"(\0\0\0[^\0]){2}": ("a file of UTF-32-BE", CONVERT.format("utf-32-be")),
    rb"([^\0]\0){4}": ("a file of UTF-16-LE", CONVERT.format("utf-16-le")),
    rb"(\0[^\0]){4}": ("a file of UTF-16-BE", CONVERT.format("utf-16-be")),
}
"""What files are that aren't text in UTF-8, and advice, by patterns of their first bytes."""

DECIMAL = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?"
"""A decimal number. Python and Arrow read more, such as 1_0; other programs don't."""

SCORE = f"{DECIMAL}|[-+]?inf"
"""A score or a rating, which may be infinite."""

TREC_NUMBERS = {
    "rank": ("[-+]?0*[0-9]{1,18}", "be whole numbers of at most 18 digits"),
    "score": (SCORE, "be numbers"),
    "relevance": (DECIMAL, "be numbers"),
}
"""Patterns of the columns of numbers in TREC files, and the rules that messages state."""

MAX_WITHOUT_POINT = 10**15
"""The smallest whole number of more than 15 digits, which may be an id."""

SURE_DECIMAL = r"^[-+]?(inf|((0|[1-9][0-9]{0,14})|(0|[1-9][0-9]*)?\.[0-9]*)([eE][-+]?[0-9]+)?)$"
"""A decimal number that is no id: no leading zeros, and at most 15 digits unless it has a point."""

TO_SPACES = bytes.maketrans(b"\t\v\f\r", b"   \n")
"""Turns all kinds of white space in a TREC file into spaces, and carriage returns into newlines."""

COMMENT = rb"(?m)^#(?!\S+ \S+ \S+ [-+.]?\d\S*( \S+){%d}$).*\n?"
"""Pattern of comments in a TREC file with single spaces.

A line of the form of a row isn't a comment, even if its query begins with "#". The place of %d has
the number of fields after the fourth, which is a rank or a grade.
"""


# Tables -------------------------------------------------------------------------------------------


READ_IN_WORDS = ".csv, .tsv, .parquet or .pq"
"""The endings of the files that `read_table` reads, for messages and help texts."""


def read_table(path: str | Path) -> pd.DataFrame:
    r"""Read a table from a CSV or Parquet file; the file extension decides which.

    receval doesn't change text: an id "007" keeps its zeros, "NA" is an id and not a missing
    value, and a number of fifty digits keeps its digits. Only an empty field is missing. A CSV
    column becomes whole numbers only if these give the same texts again. It becomes decimal numbers
    only if each text is a decimal number without leading zeros; a text without a point has at most
    15 digits, or is ``inf`` or ``-inf``. If a column of numbers has empty fields, its numbers are
    decimal and the empty fields are NaN. All other columns stay text.

    Decimals may be ids, such as 2101.1 and 2101.10, which would be equal as numbers. So a column of
    decimals stays text if its name is usual for ids of users, items or systems, such as ``item`` or
    ``user_id``, or if two of its texts differ but are the same number. The second rule leaves out
    columns whose names are usual for scores, ranks or grades, such as ``score`` or ``rating``.

    Parameters
    ----------
    path : str or Path
        A ``.csv`` (comma), ``.tsv`` (tab), ``.parquet`` or ``.pq`` file, or a folder of Parquet
        files. Text may be compressed (``.csv.gz`` or ``.csv.bz2``).

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If the file doesn't exist, has another format, is broken or not UTF-8, names a column twice,
        has another separator, or has rows of different lengths. The message names the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "recs.csv"
    >>> _ = path.write_text("user,item,score\n007,NA,0.5\n")
    >>> read_table(path)
      user item  score
    0  007   NA    0.5
    """
    return _read_table(path)


def _read_table(path: str | Path, ids: Collection[str] | None = None) -> pd.DataFrame:
    """Read a table as `read_table` does; ``ids`` are the columns of ids, if the caller knows."""
    path = check_path(path)
    kind = kind_of_table(path)
    is_parquet_folder = path.is_dir() and any(is_parquet(file) for file in path.iterdir())
    if kind in PARQUET or is_parquet_folder:
        check_no_stream(path)
        with check_readable(path, "a whole Parquet file"):
            return pd.read_parquet(path)
    if kind not in SEPARATORS:
        rule = f"end in {READ_IN_WORDS}, or be compressed text (.csv.gz)"
        advice = "TREC files end in .run or .qrels; read_run and read_qrels read them by any name"
        if kind.startswith(".xls"):
            advice = "Read it with pandas.read_excel(path)"
        raise input_error("path", rule, path.name, advice)
    return _as_frame(read_csv_columns(path, SEPARATORS[kind]), ids)


def open_table(table: object, name: str, ids: Collection[str] | None = None) -> AnyFrame:
    """Return a table in memory from anything that users pass as a table.

    Parameters
    ----------
    table : DataFrame, table of another library, dict of columns, or path
        The table.
    name : str
        The name of the table in error messages.
    ids : collection of str, optional
        The names of the columns of ids, if the caller knows them.

    Returns
    -------
    DataFrame, pyarrow.Table or pyarrow.RecordBatch
        A table of pandas or Arrow is returned unchanged. A table of another library becomes an
        Arrow table. Dicts, files and an empty list become pandas tables.

    Raises
    ------
    InputError
        If this is not a table in memory, a dict has columns of different lengths, or a file can't
        be read.
    """
    if isinstance(table, (str, Path)):
        return read_any(table, ids)
    if isinstance(table, Mapping):
        return _frame_of_columns(table, name)
    if isinstance(table, (list, tuple)) and not table:
        return pd.DataFrame()  # recommendations of a system that recommends nothing
    opened = foreign_to_arrow(table, name)
    if not is_pandas_or_arrow(opened):
        advice = LISTS_ADVICE
        if hasattr(opened, "to_dict") and not hasattr(
            opened, "dtype"
        ):  # a Run of ranx, for example, which has a dict of users
            advice = "Pass its to_dict()"
        raise input_error(name, "be a table (a DataFrame)", type(opened).__name__, advice)
    return opened


def _frame_of_columns(columns: Mapping[str, object], name: str) -> pd.DataFrame:
    """Return a frame with the columns of a dict; raise `InputError` if their lengths differ."""
    series_by_label = {
        label: as_series(values, f"column {label!r} of {name}").reset_index(drop=True)
        for label, values in columns.items()
    }
    lengths = {label: len(series) for label, series in series_by_label.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"{name} must have columns of one length; got {lengths}")
    return pd.DataFrame(series_by_label)


def read_any(path: str | Path, ids: Collection[str] | None = None) -> pd.DataFrame:
    """Read a table, or a TREC file if its name ends in ``.run``, ``.qrels`` or ``.qrel``.

    ``ids`` are the names of the columns of ids. If pandas wrote a named index to a
    Parquet file, the index becomes columns.
    """
    kind = kind_of(check_path(path))
    table = TREC[kind](path) if kind in TREC else _read_table(path, ids)
    # An index becomes columns if all its levels have names, and no name occurs twice.
    names = [*table.index.names, *table.columns]
    if None not in table.index.names and len(set(names)) == len(names):
        table = table.reset_index()
    return table


# Ratings ------------------------------------------------------------------------------------------


def read_ratings(path: str | Path, *, separator: str = ",", header: bool = False) -> pd.DataFrame:
    r"""Read a file of ratings: user, item, rating and, if there is a fourth field, a time stamp.

    Parameters
    ----------
    path : str or Path
        The file.
    separator : str, default ","
        The text between two fields, for example a tab or ``"::"``. If it is a single character,
        fields in quotes may contain it. If it is longer, quotes have no special meaning.
    header : bool, default False
        Whether the first line names the columns.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``relevance`` and, if the file has times, ``time``. An empty
        rating is NaN.

    Raises
    ------
    InputError
        If lines have different numbers of fields, fewer than three or more than four, a rating is
        not a number or too large for float64, the separator is empty, or the file is not UTF-8.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.dat"
    >>> _ = path.write_text("1::10::4.5\n")
    >>> read_ratings(path, separator="::")
       user  item  relevance
    0     1    10        4.5
    """
    if not isinstance(separator, str) or not separator or set(separator) & set('\r\n"'):
        rule = "be a text of at least one character, none of them a quote or the end of a line"
        raise input_error("separator", rule, shorten(separator))
    columns = [*read_csv_columns(path, separator, header=header).values()]
    if not 3 <= len(columns) <= 4:
        fields = "user, item, rating and perhaps a time"
        rule = f"have {fields} in every line, separated by {separator!r}"
        raise input_error(Path(path).name, rule, f"{len(columns)} fields")
    names = ["user", "item", "relevance", "time"][: len(columns)]
    table = _as_frame(dict(zip(names, columns, strict=True)), ids=["user", "item"])
    # Ratings that are still text aren't numbers, or could be ids. But ratings aren't ids, so "007"
    # is the number 7 here.
    if table["relevance"].dtype.kind not in "iuf":
        name = f"rating in {Path(path).name}"
        advice = "If the first line names the columns, say header=True"
        table["relevance"] = _read_numbers(columns[2], name, SCORE, "be a number", advice)
    return table


# TREC ---------------------------------------------------------------------------------------------


def read_run(path: str | Path) -> pd.DataFrame:
    r"""Read a TREC run: ``query Q0 document rank score tag``, separated by spaces or tabs.

    Parameters
    ----------
    path : str or Path
        The file, which may be compressed (``.gz``). Empty lines and comments are skipped. A
        comment is a line that starts with ``#``, unless it has the form of a row: the query of
        ``#q1 Q0 d7 1 0.9 bm25`` is ``#q1``. Write a ``#`` and a blank before a row to leave it out.

    Returns
    -------
    DataFrame
        Columns ``user`` and ``item`` (text), ``rank`` (whole numbers, as written; trec_eval
        ignores it), ``score`` and ``system`` (the tag).

    Raises
    ------
    InputError
        If a line doesn't have six fields, a rank is not a whole number, a score is not a number, or
        the file is not UTF-8.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("q1 Q0 d7 1 0.9 bm25\n")
    >>> read_run(path)
      user item  rank  score system
    0   q1   d7     1    0.9   bm25
    """
    names = ["user", "", "item", "rank", "score", "system"]
    return _read_trec(path, "query Q0 document rank score tag", names)


def read_qrels(path: str | Path) -> pd.DataFrame:
    r"""Read TREC relevance judgements: ``query iteration document relevance``.

    Parameters
    ----------
    path : str or Path
        The file, which may be compressed (``.gz``). Empty lines and comments are skipped. A
        comment is a line that starts with ``#``, unless it has the form of a row: the query of
        ``#q1 0 d7 2`` is ``#q1``. Write a ``#`` and a blank before a row to leave it out.

    Returns
    -------
    DataFrame
        Columns ``user`` and ``item`` (text) and ``relevance``.

    Raises
    ------
    InputError
        If a line doesn't have four fields, a relevance is not a number, or the file is not UTF-8.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 d7 2\n")
    >>> read_qrels(path)
      user item  relevance
    0   q1   d7        2.0
    """
    names = ["user", "", "item", "relevance"]
    return _read_trec(path, "query iteration document relevance", names)


TREC = {".run": read_run, **dict.fromkeys(QRELS, read_qrels)}
"""Readers of TREC files, by ending."""


def _read_trec(path: str | Path, line_form: str, labels: list[str]) -> pd.DataFrame:
    """Return the columns of a TREC file; those of numbers are checked.

    ``line_form`` has a word for each field, for messages. ``labels`` has the name of the column for
    each field. The table leaves out fields whose name is empty.
    """
    path = check_path(path)
    width = len(labels)
    data = _rows_of_trec(read_bytes(path), width)
    rule = f"have lines of the form {line_form!r}"
    columns = _parse_rows(path.name, data, width, rule, separator=" ", quotes=False)
    values_by_label = {}
    for label, texts in zip(labels, columns, strict=True):
        if label in TREC_NUMBERS:
            pattern, rule = TREC_NUMBERS[label]
            values = _read_numbers(texts, f"{label} in {path.name}", pattern, rule)
            values_by_label[label] = values.astype(np.int64) if label == "rank" else values
        elif label:
            values_by_label[label] = texts.to_pandas()
    return pd.DataFrame(values_by_label, copy=False)


def _rows_of_trec(data: bytes, width: int) -> bytes:
    """Return the rows of a TREC file with single spaces between their ``width`` fields."""
    data = data.translate(TO_SPACES)  # only spaces and newlines remain
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    if data.startswith(b"#") or b"\n#" in data:
        data = re.sub(COMMENT % (width - 4), b"", data)
    return data


# CSV ----------------------------------------------------------------------------------------------


def read_csv_columns(
    path: str | Path, separator: str = ",", *, header: bool = True
) -> dict[str, pa.ChunkedArray]:
    """Return the texts of a CSV file by column; empty fields are null.

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
        If the file isn't there, is empty or not UTF-8, its header has a name twice, or rows have
        different lengths.
    """
    path = check_path(path)
    data = read_bytes(path)
    quotes = b'"' in data  # then fields may hold separators and line breaks
    sign = separator
    if len(separator.encode()) > 1:  # Arrow's separators are single bytes
        sign = STAND_IN
        quotes = False
        if sign.encode() in data:
            raise InputError(f"{path.name} must be text without control characters; got {sign!r}")
        data = data.replace(separator.encode(), sign.encode())
    with check_readable(path, "a table"):
        lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
        rows = csv.reader(
            lines, delimiter=sign, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
        )
        first_row = next((row for row in rows if row), [])
    if not first_row:
        raise InputError(f"{path.name} must be a table; got an empty file")
    names = [str(position) for position in range(len(first_row))]
    if header:
        names = _column_names(first_row, separator, path.name)
    rule = f"have as many fields in every row as in its first, {len(first_row)}"
    columns = _parse_rows(path.name, data, len(first_row), rule, separator=sign, quotes=quotes)
    n_header_rows = 1 if header else 0
    return {name: texts[n_header_rows:] for name, texts in zip(names, columns, strict=True)}


def _column_names(header: list[str], separator: str, file_name: str) -> list[str]:
    """Return the names of the columns; empty ones are named by their position, as in pandas.

    Raises `InputError` if a name occurs twice, because Arrow would lose one of the columns, or if
    the header was not split at ``separator`` and seems to have another separator.
    """
    for other_separator in OTHER_SEPARATORS.replace(separator, ""):
        if len(header) == 1 and other_separator in header[0]:
            code = f"pandas.read_csv(path, sep={other_separator!r})"
            advice = f"The separator seems to be {other_separator!r}: give the table {code}"
            rule = f"have columns separated by {separator!r}"
            raise input_error(file_name, rule, shorten(header[0]), advice)
    names = [name or f"Unnamed: {position}" for position, name in enumerate(header)]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        shown = format_first(repr(name) for name in repeated)
        raise InputError(f"{file_name} must have each column once; got {shown} twice")
    return names


def _parse_rows(
    file_name: str, data: bytes, width: int, rule: str, *, separator: str, quotes: bool
) -> list[pa.ChunkedArray]:
    """Return the fields of the rows of a file by column, as texts; empty ones are null.

    Raises `InputError` with the ``rule`` if a row doesn't have ``width`` fields, or if the data
    isn't UTF-8. ``separator`` is one character. ``quotes`` says whether fields may be in quotes.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if not data:
        return [pa.chunked_array([], pa.large_string())] * width
    names = [str(position) for position in range(width)]
    wrong_rows = []

    def remember(row: arrow_csv.InvalidRow) -> str:
        """Keep a row with another number of fields for the message."""
        wrong_rows.append(row)
        return "error"

    parsing = arrow_csv.ParseOptions(
        delimiter=separator,
        quote_char='"' if quotes else False,
        newlines_in_values=quotes,
        invalid_row_handler=remember,
    )
    conversion = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.large_string()),
        null_values=[""],
        strings_can_be_null=True,
        check_utf8=not data.isascii(),  # the check takes a quarter of the time
    )
    # Before version 23, Arrow could hang or end the process after a thread had met an error, such
    # as a row that is longer than a block (apache/arrow issue 48741).
    can_use_threads = int(pa.__version__.partition(".")[0]) >= 23
    # If a row is longer than a block, or wrong, read all data as one block.
    for block_size, use_threads in ((BLOCK_SIZE, can_use_threads), (MAX_BLOCK_SIZE, False)):
        reading = arrow_csv.ReadOptions(
            column_names=names, block_size=min(block_size, len(data) + 1), use_threads=use_threads
        )
        with suppress(pa.ArrowInvalid):
            source = pa.BufferReader(data)
            columns: list[pa.ChunkedArray] = arrow_csv.read_csv(
                source, reading, parsing, conversion
            ).columns
            return columns
    with check_readable(Path(file_name), "a table"):
        data.decode()  # raises an error that names the place if the data isn't UTF-8
    if not wrong_rows:
        raise InputError(f"{file_name} must have rows that Arrow can read, of less than 2 GB each")
    row = wrong_rows[-1]
    got = f"{row.actual_columns} in row {row.number} of the file: {shorten(row.text)}"
    advice = ""
    if separator == "," and row.actual_columns > width:
        advice = "Is there a decimal comma?"
    raise input_error(file_name, rule, got, advice)


# From texts to numbers ----------------------------------------------------------------------------


def _as_frame(
    columns: Mapping[str, pa.ChunkedArray], ids: Collection[str] | None = None
) -> pd.DataFrame:
    """Return a frame of columns of texts; `read_table` says which of them become numbers.

    ``ids`` has the names of the columns of ids, if the caller knows them. Then all other columns
    may hold a number in several forms, such as 0.5 and 0.50.
    """

    def values_of(name: str) -> ColumnValues:
        """Return the values of a column."""
        texts = columns[name]
        values = as_integers(texts)
        is_id = is_id_name(name) or (ids is not None and name in ids)
        if values is None and not is_id and texts.null_count < len(texts):
            one_form = ids is None and not is_number_name(name)
            values = _as_decimals(texts, one_form=one_form)
        if values is None:
            return pd.Series(texts.to_pandas()).array
        return values

    values = map_in_threads(values_of, columns, min_parts_per_thread=1)
    return pd.DataFrame(dict(zip(columns, values, strict=True)), copy=False)


def as_integers(texts: pa.ChunkedArray, kind: str = "int64") -> AnyArray | None:
    """Return texts as whole numbers if these give the same texts again, else None.

    Where texts are missing, the numbers are float64 with NaN, unless float64 would round one. The
    result is also None if all are missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if texts.null_count == len(texts):
        return None

    for part in (texts[:PROBE_SIZE], texts):
        try:
            integers = part.cast(kind)
            if part.null_count:
                integers.cast(pa.float64())  # raises beyond 2^53
        except pa.ArrowInvalid:
            return None
        is_same = pc.equal(integers.cast(pa.large_string()), part)
        if not pc.all(is_same, min_count=0).as_py():
            return None
    return np.array(integers.to_numpy())  # a copy, because Arrow's own array is read-only


def _as_decimals(texts: pa.ChunkedArray, *, one_form: bool) -> FloatArray | None:
    """Return texts as float64, or None unless all are decimal numbers for sure.

    With ``one_form``, the result is also None if texts that differ are the same number.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for part in (texts[:PROBE_SIZE], texts):
        try:
            numbers = part.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    floats = np.array(numbers.to_numpy())  # a copy, because Arrow's own array is read-only
    # Patterns are slow, so look only at special numbers, and at signs and zeros in front.
    is_odd = pc.or_(pc.starts_with(texts, "+"), pa.array(~(np.abs(floats) < MAX_WITHOUT_POINT)))
    for start in ("0", "-0"):
        has_zero = pc.and_not(pc.starts_with(texts, start), pc.starts_with(texts, f"{start}."))
        is_odd = pc.or_(is_odd, has_zero)
    odd_texts = texts.filter(is_odd)
    if not pc.all(pc.match_substring_regex(odd_texts, SURE_DECIMAL), min_count=0).as_py():
        return None
    if _is_beyond_float64(texts, floats).any():
        return None
    # Compare bits, because 0.0 and -0.0 are equal, but no ids.
    if one_form and len(pd.unique(floats.view(np.int64))) < len(texts.unique()):
        return None
    return floats


def _is_beyond_float64(texts: pa.ChunkedArray, numbers: FloatArray) -> BoolArray:
    """Return a mask of the texts that became infinite or 0, although they say another number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_beyond: BoolArray = np.isinf(numbers) | (numbers == 0)
    suspects = texts.filter(pa.array(is_beyond))
    is_true = pc.match_substring_regex(suspects, "inf|^[-+0.]+(e|$)", ignore_case=True)
    is_beyond[is_beyond] = ~is_true.to_numpy()
    return is_beyond


def _read_numbers(
    texts: pa.ChunkedArray, name: str, pattern: str, rule: str, advice: str = ""
) -> AnyArray:
    """Return a column of numbers, which aren't ids, so that "007" is 7; missing ones are NaN.

    The numbers are float64. But if all are whole numbers and float64 would round one, they stay
    whole. Raises `InputError` if a text doesn't match the pattern, or float64 can't hold it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for kind in ("int64", "uint64"):
        integers = as_integers(texts, kind)
        if integers is not None and integers.dtype.kind in "iu":
            largest = max(-int(integers.min(initial=0)), int(integers.max(initial=0)))
            return integers if largest > MAX_EXACT_INTEGER else integers.astype(np.float64)
    matches = pc.match_substring_regex(texts, f"^({pattern})$", ignore_case=True)
    is_wrong = ~matches.fill_null(True).to_numpy()
    if is_wrong.any():  # Arrow can't cast such texts
        check_no_rows(texts.to_pandas(), is_wrong, name, rule, advice)
    numbers = np.array(pc.utf8_ltrim(texts, "+").cast(pa.float64()).to_numpy())
    is_beyond = _is_beyond_float64(texts, numbers)
    if is_beyond.any():
        rule = "hold numbers below about 1e308, and none so small that float64 makes it 0"
        check_no_rows(texts.to_pandas(), is_beyond, name, rule)
    return numbers


# Files --------------------------------------------------------------------------------------------


def check_path(path: str | Path) -> Path:
    """Return a path of an existing file or folder; raise `InputError` if it doesn't exist."""
    is_name = isinstance(path, (str, Path)) and bool(str(path))
    check_that(is_name, "path", "be the name of a file", path)
    if not path_exists(path):
        raise NoSuchFile(f"path must be an existing file; got {shorten(Path(path).name)}")
    return Path(path)


def without_compression_suffix(path: str | Path) -> Path:
    """Return a path without the ending of its compression."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def kind_of(path: str | Path) -> str:
    """Return the ending of a file's name in lower case, ignoring endings such as ".gz"."""
    return without_compression_suffix(path).suffix.lower()


def kind_of_table(path: str | Path) -> str:
    """Return the ending of a file's name; for a pipe without one, this is ".csv"."""
    kind = kind_of(path)
    return ".csv" if not kind and Path(path).is_fifo() else kind


def check_no_stream(path: Path) -> None:
    """Raise if this is a pipe or a device: readers of Parquet need to jump within a file."""
    if not path.is_file() and not path.is_dir():
        raise input_error("path", "be a file", f"the device or pipe {shorten(str(path))}")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a text file, decompressed, without a byte order mark.

    The path may also be a pipe. Raises `InputError` for folders, for devices, for files that aren't
    text, for broken archives, and for UTF-16 and UTF-32, which the first bytes reveal.
    """
    if path.is_dir():
        raise InputError(f"path must be an existing file; got the folder {path.name}")
    if not path.is_fifo():
        check_no_stream(path)
    with check_readable(path, "a whole file"):
        content = path.read_bytes()
        unpack = UNPACK.get(path.suffix.lower())
        if unpack is not None:
            content = unpack(content)
    for start, (kind, advice) in UNREADABLE.items():
        if re.match(start, content, re.DOTALL):
            raise input_error(path.name, "be UTF-8 text", kind, advice.format(name=path.name))
    return content.removeprefix(codecs.BOM_UTF8)


@contextmanager
def check_readable(path: Path, what: str) -> Iterator[None]:
    """Turn any exception of a reader into an `InputError` about the file.

    The message says that the file must be ``what``, such as "a table". Errors about permissions,
    memory and missing packages have nothing to do with the file's content, so the function doesn't
    change them, nor any `InputError`.
    """
    try:
        yield
    except (InputError, PermissionError, MemoryError, ImportError):
        raise
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        line = error.object.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{byte:02x} at position {error.start}, in line {line}"
        advice = "Of another encoding: pandas.read_csv(path, encoding='latin-1')"
        raise input_error(path.name, "be UTF-8 text", got, advice) from None
    except Exception as error:
        message = str(error) or type(error).__name__
        raise InputError(f"{path.name} must be {what}; {message}") from None
