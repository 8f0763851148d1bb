"""Read files of tables: CSV, Parquet and TREC files, and ratings.

Arrow reads each field of a text file as text. A column becomes numbers only if its texts are
numbers for sure, so that ids stay what they are. `open_table` also accepts tables in memory.
Parquet files may be too large for the memory, so they can also be read batch by batch.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXACT_INTEGER,
    AnyArray,
    BoolArray,
    FloatArray,
    InputError,
    NoSuchFile,
    check_not_empty,
    check_that,
    check_unique,
    input_error,
    shorten,
)
from receval._files import PARQUET, is_folder, is_parquet, path_exists
from receval._threads import map_in_threads
from receval.tables.columns import (
    AnyFrame,
    check_no_rows,
    check_once,
    is_id_name,
    is_number_name,
    open_frame,
)

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separators of text files, by ending."""

STAND_IN = "\x1f"
"""Takes the place of a separator of several characters, because Arrow's are single bytes."""

BLOCK_SIZE = 1 << 21
"""Number of bytes that a thread of Arrow reads at a time; no row may be longer."""

SAMPLE_SIZE = 1000
"""Number of texts that are tried before a whole column."""

BATCH_ROWS = 1 << 18
"""The most rows that receval reads from a Parquet file at a time."""

READ_BYTES = 1 << 20
"""Number of bytes that Arrow reads at a time, instead of a whole column of a row group."""

UNPACK: Mapping[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".bz2": bz2.decompress}
"""Functions that decompress the content of a file, by ending."""

UNREADABLE = {
    rb"\x1f\x8b": "a gzip file, whose name must end in .gz, such as .csv.gz",
    rb"BZh": "a bzip2 file, whose name must end in .bz2, such as .csv.bz2",
    rb"\xfd7zXZ": "an xz file; unpack it: xz -d",
    rb"\x28\xb5\x2f\xfd": "a file of Zstandard; unpack it: zstd -d",
    rb"PK\x03\x04": "a zip file; unpack it, or read a file of Excel with pandas.read_excel",
    rb"PAR1": "a Parquet file, whose name must end in .parquet",
    rb"ARROW1": "an Arrow file; read it with pandas.read_feather",
    # A byte order mark, or ASCII letters between nulls.
    rb"\xff\xfe|\xfe\xff|([^\0]\0){4}|(\0[^\0]){4}|([^\0]\0\0\0){2}|(\0\0\0[^\0]){2}": (
        "a file of UTF-16 or UTF-32"
    ),
}
"""What files are that aren't text in UTF-8, by a pattern of their first bytes."""

DECIMAL = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(?i:inf)"
"""Texts that are numbers. Python reads more, such as 1_0; other programs don't."""

NUMBER_RULE = "be numbers such as 0.5 or 1e-7, within the range of float64"
NUMBERS: Mapping[str, tuple[Callable[[FloatArray], BoolArray], str]] = {
    "rank": (
        lambda numbers: (np.floor(numbers) == numbers) & (np.abs(numbers) < 1e15),
        "be whole numbers of at most 15 digits",
    ),
    "score": (lambda numbers: ~np.isnan(numbers), NUMBER_RULE),
    "relevance": (np.isfinite, NUMBER_RULE),
}
"""Which numbers TREC files may have, and the rules that messages state. Ratings are like scores."""

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


def read_table(path: str | Path, *, ids: Collection[str] | None = None) -> pd.DataFrame:
    r"""Read a table from a CSV, Parquet or TREC file; the file extension decides which.

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
        A ``.csv`` (comma), ``.tsv`` (tab), ``.parquet`` or ``.pq`` file, a folder of Parquet files,
        or a TREC file: ``.run`` for `read_run`, ``.qrels`` or ``.qrel`` for `read_qrels`. Text may
        be compressed (``.csv.gz`` or ``.csv.bz2``).
    ids : collection of str, optional
        The names of the columns of ids in a CSV file. Then decimals are numbers in all other
        columns. Default: the names and the texts of the columns decide.

    Returns
    -------
    DataFrame
        If pandas wrote an index with names to a Parquet file, the index becomes columns.

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
    return _read_file(path, "path", ids)


def _read_file(path: str | Path, name: str, ids: Collection[str] | None) -> pd.DataFrame:
    """Return the table in a file; see `read_table`. Messages call the argument ``name``."""
    path = check_path(path, name)
    kind = kind_of(path)
    if kind in TREC:
        return TREC[kind](path)
    if kind in PARQUET or path.is_dir():
        with check_readable(path, "a whole Parquet file"):
            table = pd.read_parquet(path)
            if None not in table.index.names:
                table = table.reset_index()
        return table
    if not kind and path.is_fifo():
        kind = ".csv"
    if kind not in SEPARATORS:
        rule = f"end in {READ_IN_WORDS}, or be compressed text (.csv.gz)"
        advice = (
            "TREC files end in .run or .qrels; read_run and read_qrels read them by any name. "
            "Unpack others. Files of Excel: pandas.read_excel(path)"
        )
        raise input_error(name, rule, path.name, advice)
    return _as_frame(read_csv_columns(path, SEPARATORS[kind]), ids)


def open_table(table: object, name: str, ids: Collection[str] | None = None) -> AnyFrame:
    """Return a table in memory from anything that users pass as a table.

    Parameters
    ----------
    table : DataFrame, table of another library, or path
        The table.
    name : str
        The name of the table in error messages.
    ids : collection of str, optional
        The names of the columns of ids, if the caller knows them.

    Returns
    -------
    DataFrame or pyarrow.Table
        A table of pandas is returned unchanged. A table of another library becomes an Arrow table.
        Files and an empty list become pandas tables.

    Raises
    ------
    InputError
        If this is not a table in memory, or a file can't be read.
    """
    if isinstance(table, (str, Path)):
        return _read_file(table, name, ids)
    if isinstance(table, (list, tuple)) and not table:
        return pd.DataFrame()  # recommendations of a system that recommends nothing
    return open_frame(table, name)


# Parquet ------------------------------------------------------------------------------------------


def names_parquet(table: object) -> TypeGuard[str | Path]:
    """Return whether the user passed a name of Parquet files as a table.

    It is the path of a Parquet file, a folder, or a pattern with wildcards. The function doesn't
    check whether these files exist.
    """
    if not isinstance(table, (str, Path)):
        return False
    # The name of a file may have characters that are wildcards in a pattern.
    is_pattern = has_magic(str(table)) and not path_exists(table)
    return is_pattern or is_parquet(Path(table)) or is_folder(table)


def parquet_files(name: str | Path, place: str) -> list[Path]:
    """Return the Parquet files that a path, a folder or a pattern with wildcards names.

    ``place`` is the table's name in messages. Raises an error if there is no such file, or if a
    file is of another kind.
    """
    path = Path(name)
    if is_folder(path):
        # Other programs write files and folders without data, whose names begin with "_" or ".".
        files = [
            file
            for file in sorted(path.rglob("*"))
            if is_parquet(file)
            and not any(part.startswith(("_", ".")) for part in file.relative_to(path).parts)
        ]
    else:
        files = sorted(Path(file) for file in glob(str(path), recursive=True))  # noqa: PTH207 (any path)
    rule = "name Parquet files (.parquet) that exist"
    if not files:
        raise NoSuchFile(f"{place} must {rule}; got {shorten(str(path))}")
    advice = "Pass CSV files one by one, or several in a dict by system"
    check_that(all(is_parquet(file) for file in files), place, rule, path.name, advice)
    return files


def parquet_labels(name: str | Path, place: str) -> list[str]:
    """Return the names of the columns of Parquet files; see `parquet_files`.

    Raises an error if the files have different columns, or if folders are named like values of a
    column, such as "system=A". Otherwise, such a column would be left out in silence.
    """
    files = parquet_files(name, place)
    labels: list[str] = open_parquet(files[0]).schema_arrow.names
    for file in files:
        # The user may have named one such folder.
        folders = [part for part in file.parent.parts if part not in Path(name).parts]
        rule = "have each column in the files, not in names of folders"
        advice = "Read them with pandas.read_parquet, which makes it a column, and pass the frame"
        check_that(not any("=" in part for part in folders), place, rule, folders, advice)
        differing = {*labels} ^ {*open_parquet(file).schema_arrow.names}
        rule = f"have the same columns in {files[0].name} and {file.name}"
        check_that(not differing, place, rule, f"{sorted(differing)} in only one of them")
    return labels


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a Parquet file without loading whole columns; raise an error for any other file."""
    import pyarrow.parquet as pq

    with check_readable(path, "a whole Parquet file"):
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES)


def common_schema(files: Sequence[Path], labels: Iterable[str], place: str) -> pa.Schema:
    """Return the columns that have these labels, with types that hold the values of all files.

    ``place`` is the table's name in messages. Raises an error if a file lacks a column or has it
    twice, or if a column has numbers in one file and text in another.
    """
    import pyarrow as pa

    labels = list(dict.fromkeys(labels))  # each label once
    schemas = []
    for path in files:
        schema = open_parquet(path).schema_arrow
        for label in labels:
            check_once(label, schema.names, place)
        schemas.append(pa.schema([schema.field(label) for label in labels]))
    try:
        return pa.unify_schemas(schemas, promote_options="permissive")
    except pa.ArrowException as error:
        raise input_error(
            f"each column of {place}", "have one type in all files", str(error)
        ) from None


def read_batches(files: Sequence[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of Parquet files in their order, with the columns and types of a schema.

    Each table has some of the rows. Raises an error that names the file if it can't be read.
    """
    import pyarrow as pa

    for path in files:
        with open_parquet(path) as file, check_readable(path, "a whole Parquet file"):
            for batch in file.iter_batches(BATCH_ROWS, columns=schema.names):
                yield pa.Table.from_batches([batch]).select(schema.names).cast(schema)


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
    is_separator = isinstance(separator, str) and re.fullmatch('[^\r\n"]+', separator)
    rule = "be a text of at least one character, none of them a quote or the end of a line"
    check_that(is_separator, "separator", rule, separator)
    columns = [*read_csv_columns(path, separator, header=header).values()]
    if not 3 <= len(columns) <= 4:
        rule = f"have user, item, rating and perhaps a time in each line, split at {separator!r}"
        raise input_error(Path(path).name, rule, f"{len(columns)} fields")
    names = ["user", "item", "relevance", "time"][: len(columns)]
    table = _as_frame(dict(zip(names, columns, strict=True)), ids=["user", "item"])
    # Ratings that are still text aren't numbers, or could be ids. But ratings aren't ids, so "007"
    # is the number 7 here.
    if table["relevance"].dtype.kind not in "iuf":
        name = f"rating in {Path(path).name}"
        advice = "If the first line names the columns, say header=True"
        table["relevance"] = _read_numbers(columns[2], name, "score", advice)
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
    table = _read_trec(path, "query Q0 document rank score tag", names)
    return table.astype({"rank": np.int64})


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


TREC = {".run": read_run, ".qrels": read_qrels, ".qrel": read_qrels}
"""Readers of TREC files, by ending."""


def _read_trec(path: str | Path, line_form: str, labels: list[str]) -> pd.DataFrame:
    """Return the columns of a TREC file; those of numbers are checked.

    ``line_form`` has a word for each field, for messages. ``labels`` has the name of the column for
    each field. The table leaves out fields whose name is empty.
    """
    path = check_path(path)
    rows = _rows_of_trec(read_bytes(path), len(labels))
    form = f"a file of lines {line_form!r}"
    columns = _parse_rows(path, rows, len(labels), form, separator=" ", quotes=False)
    values_by_label: dict[str, object] = {}
    for label, texts in zip(labels, columns, strict=True):
        if label in NUMBERS:
            values_by_label[label] = _read_numbers(texts, f"{label} in {path.name}", label)
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
    sign = separator
    quotes = b'"' in data  # then fields may hold separators and line breaks
    if len(separator.encode()) > 1:  # Arrow's separators are single bytes
        rule = "be text without control characters"
        check_that(STAND_IN.encode() not in data, path.name, rule, STAND_IN)
        data = data.replace(separator.encode(), STAND_IN.encode())
        sign, quotes = STAND_IN, False
    with check_readable(path, "a table"):
        lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
        first_row = next(filter(None, csv.reader(lines, delimiter=sign)), [])
    check_not_empty(first_row, path.name, "be a table")
    signs = [other for other in ";\t|," if other in first_row[0]]
    if header and len(first_row) == 1 and signs:
        rule = f"have columns separated by {separator!r}"
        advice = f"Pass pandas.read_csv(path, sep={signs[0]!r})"
        raise input_error(path.name, rule, shorten(first_row[0]), advice)
    names = [str(position) for position in range(len(first_row))]
    if header:
        # pandas also names columns by their position if they have no name.
        names = [name or f"Unnamed: {position}" for position, name in enumerate(first_row)]
        check_unique(names, path.name, "column")  # a frame would lose one of two columns
    form = "a table with as many fields in each row as in the first (mind decimal commas)"
    columns = _parse_rows(path, data, len(first_row), form, separator=sign, quotes=quotes)
    first = int(header)
    return {name: texts[first:] for name, texts in zip(names, columns, strict=True)}


def _parse_rows(
    path: Path, data: bytes, width: int, form: str, *, separator: str, quotes: bool
) -> list[pa.ChunkedArray]:
    """Return the fields of the rows of a file by column, as texts; empty ones are null.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        Its content in UTF-8.
    width : int
        The number of fields in each row.
    form : str
        The form of the file, such as "a file of lines 'query document'", for messages.
    separator : str
        A single character.
    quotes : bool
        Whether fields may be in quotes.

    Raises
    ------
    InputError
        If a row has another number of fields. The message has the row and its number.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(width)]
    parsing = arrow_csv.ParseOptions(
        delimiter=separator,
        quote_char='"' if quotes else False,
        # Without quotes, no field has a newline. If Arrow knows that, its threads needn't wait.
        newlines_in_values=quotes and b'"' in data,
    )
    conversion = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.large_string()),
        null_values=[""],
        strings_can_be_null=True,
        check_utf8=False,  # `read_bytes` has done it
    )

    def read(block_size: int, *, use_threads: bool) -> list[pa.ChunkedArray]:
        """Return the columns; raise an error of Arrow for a wrong row, or one beyond a block."""
        reading = arrow_csv.ReadOptions(
            column_names=names, block_size=block_size, use_threads=use_threads
        )
        source = pa.BufferReader(data or b"\n")
        return list(arrow_csv.read_csv(source, reading, parsing, conversion).columns)

    # Before version 23, Arrow could hang or end the process after a thread had met an error, such
    # as a row that is longer than a block (apache/arrow issue 48741).
    can_use_threads = int(pa.__version__.partition(".")[0]) >= 23
    with suppress(pa.ArrowInvalid):
        return read(BLOCK_SIZE, use_threads=can_use_threads)
    # In a single thread, Arrow knows the number of a wrong row.
    with check_readable(path, form):
        return read(min(len(data) + 1, 2**31 - 1), use_threads=False)


# From texts to numbers ----------------------------------------------------------------------------


def _as_frame(
    columns: Mapping[str, pa.ChunkedArray], ids: Collection[str] | None = None
) -> pd.DataFrame:
    """Return a frame of columns of texts; `read_table` says which of them become numbers.

    ``ids`` has the names of the columns of ids, if the caller knows them. Then all other columns
    may hold a number in several forms, such as 0.5 and 0.50.
    """

    def values_of(name: str) -> AnyArray | pd.Series:
        """Return the values of a column: numbers in an array, or texts in a Series."""
        texts = columns[name]
        values = as_integers(texts)
        if values is None and not is_id_name(name) and name not in (ids or ()):
            values = _as_decimals(texts, one_form=ids is None and not is_number_name(name))
        if values is None:
            return pd.Series(texts.to_pandas())
        return values

    # Decimals take the most time, and scores are usually in the last column, so it comes first.
    names = [*columns]
    from_last = map_in_threads(values_of, names[::-1], min_parts_per_thread=1)
    values = dict(zip(names[::-1], from_last, strict=True))
    return pd.DataFrame(values, columns=names, copy=False)


def as_integers(texts: pa.ChunkedArray, kind: str = "int64") -> AnyArray | None:
    """Return texts as whole numbers if these give the same texts again, else None.

    Where texts are missing, the numbers are float64 with NaN, unless float64 would round one. The
    result is also None if all are missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for part in (texts.slice(0, SAMPLE_SIZE), texts):  # a few texts rule out most other columns
        try:
            integers = part.cast(kind)
            if part.null_count:
                integers.cast(pa.float64())  # raises beyond 2^53
        except pa.ArrowInvalid:
            return None
        # Arrow also reads 007, -0 and 0x1F, which give other texts. They all begin with a zero.
        has_zero_first = pc.starts_with(part, "0")
        smallest = pc.min(integers).as_py()  # None if all are missing
        if smallest is not None and smallest <= 0:
            has_zero_first = pc.or_(has_zero_first, pc.starts_with(part, "-0"))
        if pc.any(pc.not_equal(part.filter(has_zero_first), "0")).as_py():
            return None
    if texts.null_count == len(texts):
        return None
    return np.array(integers.to_numpy())  # a copy, because Arrow's own array is read-only


def _as_decimals(texts: pa.ChunkedArray, *, one_form: bool) -> FloatArray | None:
    """Return texts as float64, or None unless all are decimal numbers for sure.

    With ``one_form``, the result is also None if texts that differ are the same number. The result
    is also None if all are missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        texts.slice(0, SAMPLE_SIZE).cast(pa.float64())  # raises at once for most columns of texts
        floats = _as_floats(texts)
    except pa.ArrowInvalid:
        return None
    n_numbers = np.count_nonzero(~np.isnan(floats))
    if not n_numbers or n_numbers < len(texts) - texts.null_count:
        return None
    # Numbers with leading zeros, or with more than 15 digits and no point, may be ids.
    others = texts.filter(pc.invert(pc.starts_with(texts, "0.")))  # most scores begin like this
    starts = pc.binary_slice(others.cast(pa.large_binary()), 0, 3).unique().to_pylist()
    has_leading_zeros = any(re.match(b"[-+]?0[0-9]", start) for start in starts)
    large = texts.filter(pa.array(np.abs(floats) >= 1e15))
    has_long = pc.any(pc.match_substring_regex(large, "^[-+]?[0-9]{16,}([eE]|$)")).as_py()
    if has_leading_zeros or has_long:  # None if there are no large numbers
        return None
    # Compare bits, because 0.0 and -0.0 are equal, but no ids.
    if one_form and len(pd.unique(floats.view(np.int64))) < len(texts.unique()):
        return None
    return floats


def _as_floats(texts: pa.ChunkedArray) -> FloatArray:
    """Return texts as float64, or raise an error of Arrow if a text is not a number.

    Missing texts become NaN. So do numbers that are too large or too small for float64: 1e999 would
    become infinite, and 1e-999 would become 0.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    floats: FloatArray = np.array(texts.cast(pa.float64()).to_numpy())  # Arrow's own is read-only
    is_extreme = np.isinf(floats) | (floats == 0)
    extreme_texts = texts.filter(pa.array(is_extreme))
    # Some of these texts do say infinity ("-inf"), or 0: "0.00" and "-0e5" have only zeros before
    # their end or before the exponent.
    is_meant = pc.match_substring_regex(extreme_texts, "(?i)^[-+]?inf$|^[-+0.]+(e|$)").to_numpy()
    extreme_positions = np.flatnonzero(is_extreme)
    floats[extreme_positions[~is_meant]] = np.nan
    return floats


def _read_numbers(texts: pa.ChunkedArray, name: str, kind: str, advice: str = "") -> AnyArray:
    """Return a column of numbers, which aren't ids, so that "007" is 7; missing ones are NaN.

    The numbers are float64. But if all are whole numbers and float64 might round one, they stay
    whole. Raises `InputError` if a text isn't a number of this ``kind``, a key of `NUMBERS`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_right, rule = NUMBERS[kind]
    try:
        numbers = _as_floats(texts)
    except pa.ArrowInvalid:
        is_number = pc.match_substring_regex(texts, f"^({DECIMAL})$")
        numbers = _as_floats(pc.if_else(is_number, texts, None))
    is_wrong = ~is_right(numbers) & texts.is_valid().to_numpy()
    check_no_rows(texts.to_pandas(), is_wrong, name, rule, advice)
    if np.nanmax(np.abs(numbers), initial=0) >= MAX_EXACT_INTEGER:
        for integer_type in ("int64", "uint64"):
            integers = as_integers(texts, integer_type)
            if integers is not None:
                return integers
    return numbers


# Files --------------------------------------------------------------------------------------------


def check_path(path: str | Path, name: str = "path") -> Path:
    """Return a path of an existing file or folder; raise `InputError` if it doesn't exist.

    ``name`` is the argument in messages.
    """
    check_that(isinstance(path, (str, Path)), name, "be the name of a file", path)
    if not path_exists(path):
        raise NoSuchFile(f"{name} must be an existing file; got {shorten(Path(path).name)}")
    return Path(path)


def without_compression_suffix(path: str | Path) -> Path:
    """Return a path without the ending of its compression."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in UNPACK else path


def kind_of(path: str | Path) -> str:
    """Return the ending of a file's name in lower case, ignoring endings such as ".gz"."""
    return without_compression_suffix(path).suffix.lower()


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a text file, decompressed, without a byte order mark.

    The path may also be a pipe. Raises `InputError` for folders, for devices, for files that
    aren't text in UTF-8, and for broken archives.
    """
    is_text = path.is_file() or path.is_fifo()
    check_that(is_text, "path", "be a file, not a folder or a device", str(path))
    with check_readable(path, "a whole file of UTF-8 text, or of packed text in .gz or .bz2"):
        unpack = UNPACK.get(path.suffix.lower(), bytes)
        content = unpack(path.read_bytes())
        for pattern, kind in UNREADABLE.items():
            if re.match(pattern, content):
                raise input_error(path.name, "be UTF-8 text", kind)
        content = content.removeprefix(codecs.BOM_UTF8)
        if not content.isascii():
            content.decode()  # raises an error that names the place if this isn't UTF-8
    return content


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
        line = error.object.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{error.object[error.start]:02x} in line {line}"
        advice = "Of another encoding: pandas.read_csv(path, encoding='latin-1')"
        raise input_error(path.name, "be UTF-8 text", got, advice) from None
    except Exception as error:
        message = repr(str(error))[1:-1] or type(error).__name__  # shows control characters
        raise InputError(f"{path.name} must be {what}; {message}") from None
