"""Read tables from CSV, Parquet and TREC files and files of ratings; write CSV, Parquet and JSON.

`open_table` also accepts tables in memory, of any library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np
import pandas as pd

from receval._checks import InputError, input_error, is_scalar, shorten
from receval._files import check_writable, is_stream, write_atomically
from receval.tables.columns import (
    AnyFrame,
    as_series,
    check_no_rounding,
    check_no_rows,
    foreign_to_arrow,
    is_pandas_or_arrow,
    texts_to_floats,
)
from receval.tables.csv_numbers import read_csv_table
from receval.tables.csv_reading import csv_lines_of_rows, split_trec_lines
from receval.tables.csv_writing import check_distinct, write_csv
from receval.tables.inputs import single_value_advice
from receval.tables.text import (
    PARQUET,
    QRELS,
    check_no_stream,
    check_path,
    check_readable,
    is_compressed,
    is_parquet,
    kind_of,
    read_bytes,
)
from receval.tables.trec import read_qrels, read_run, write_qrels, write_run

__all__ = [
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "write_qrels",
    "write_run",
    "write_table",
]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""Separators of text files, by ending."""

TREC = {".run": read_run, **dict.fromkeys(QRELS, read_qrels)}
"""Readers of TREC files, by ending."""

JSON = ".json"
"""Ending of JSON files, which receval writes, but doesn't read."""

WRITTEN_ENDINGS = (*SEPARATORS, *PARQUET, JSON)
"""Endings of the files that `write_table` writes."""


def _in_words(endings: Sequence[str]) -> str:
    """Return endings as a list in English: ".csv, .tsv or .parquet"."""
    return f"{', '.join(endings[:-1])} or {endings[-1]}"


READ_IN_WORDS = _in_words([*SEPARATORS, *PARQUET])
"""The endings of the files that `read_table` reads, for messages and help texts."""

WRITTEN_IN_WORDS = _in_words([*SEPARATORS, PARQUET[0], JSON])
"""The usual endings of the files that `write_table` writes, for messages and help texts."""


def read_table(path: str | Path) -> pd.DataFrame:
    r"""Read a table from a CSV or Parquet file; the file extension decides which.

    receval doesn't change text: an id "007" keeps its zeros, "NA" is an id and not a missing
    value, and a number of fifty digits keeps its digits. Only an empty field is missing. A CSV
    column becomes whole numbers only if every value is written as a whole number without leading
    zeros. It becomes decimal numbers only if every value is a number, and at least one has a
    decimal point or an exponent, or is ``inf`` or ``-inf``. If a column of numbers has empty
    fields, its numbers are decimal and the empty fields are NaN. A column whose name is usual for
    ids of users, items or systems, such as ``item`` or ``user_id``, becomes whole numbers or stays
    text: as decimal numbers, the ids 2101.1 and 2101.10 would be equal.

    Parameters
    ----------
    path : str or Path
        A ``.csv`` (comma), ``.tsv`` (tab), ``.parquet`` or ``.pq`` file, or a folder of Parquet
        files. Text may be compressed (``.csv.gz``, ``.bz2``, ``.xz``, or ``.zip`` of one file).

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
    return _read_table(path, ids=())


def _read_table(path: str | Path, ids: Collection[str | int]) -> pd.DataFrame:
    """Read a table as `read_table` does; the columns ``ids`` have ids whatever their names."""
    path = check_path(path)
    kind = _kind_of_table(path)
    if kind in PARQUET:
        check_no_stream(path)
    is_parquet_folder = path.is_dir() and any(is_parquet(file) for file in path.iterdir())
    if kind in PARQUET or is_parquet_folder:
        with check_readable(path, "a whole Parquet file"):
            return pd.read_parquet(path)

    if kind not in SEPARATORS:
        rule = f"end in {READ_IN_WORDS}, or be compressed text (.csv.gz)"
        advice = "TREC files end in .run or .qrels; read_run and read_qrels read them by any name"
        if kind.startswith(".xls"):
            advice = "Read it with pandas.read_excel(path)"
        raise input_error("path", rule, path.name, advice)

    return read_csv_table(path, SEPARATORS[kind], ids=ids)


def open_table(table: object, name: str, ids: Collection[str | int] = ()) -> AnyFrame:
    """Return a table in memory from anything that users pass as a table.

    Parameters
    ----------
    table : DataFrame, table of another library, dict of columns, or path
        The table.
    name : str
        The name of the table in error messages.
    ids : collection of str
        The names or positions of the columns of ids.

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
        advice = ""
        if hasattr(opened, "compute"):  # a Dask frame, which has no rows yet
            advice = "Pass its compute()"
        elif isinstance(opened, pd.Series) and opened.index.nlevels == 2:
            advice = "Pass its rename_axis(['user', 'item']).rename('score').reset_index()"
        elif hasattr(opened, "to_dict"):  # a Run of ranx, for example, which has a dict of users
            advice = "Pass its to_dict()"
        raise input_error(name, "be a table (a DataFrame)", type(opened).__name__, advice)
    return opened


def _frame_of_columns(columns: Mapping[str, object], name: str) -> pd.DataFrame:
    """Return a frame with the columns of a dict; raise `InputError` if their lengths differ."""
    for label, values in columns.items():
        if not isinstance(values, np.ndarray) and is_scalar(values):
            rule = "have a list of values for each key, or numbers by item"
            raise InputError(f"{name} must {rule}; {single_value_advice(label, values)}")
    series_by_label = {
        label: as_series(values, f"column {label!r} of {name}") for label, values in columns.items()
    }
    lengths = {label: len(series) for label, series in series_by_label.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"{name} must have columns of one length; got {lengths}")
    return pd.DataFrame(
        {label: series.reset_index(drop=True) for label, series in series_by_label.items()}
    )


def read_any(path: str | Path, ids: Collection[str | int] = ()) -> pd.DataFrame:
    """Read a table, or a TREC file if its name ends in ``.run``, ``.qrels`` or ``.qrel``.

    ``ids`` are the names or positions of the columns of ids. If pandas wrote a named index to a
    Parquet file, the index becomes columns.
    """
    kind = kind_of(check_path(path))
    if kind in TREC:
        table = TREC[kind](path)
    else:
        table = _read_table(path, ids)
    # An index becomes columns if all its levels have names, and no name occurs twice.
    index_names = table.index.names
    distinct_names = set(index_names)
    is_named = None not in distinct_names and len(distinct_names) == len(index_names)
    if is_named and distinct_names.isdisjoint(table.columns):
        table = table.reset_index()
    return table


def name_lines(message: str, file_by_place: Mapping[str, object]) -> str:
    """Return a message that names the lines of a text file instead of the rows of its table.

    ``file_by_place`` has the files that were read as tables, by the tables' names in messages. Its
    other values, and Parquet files, have no lines.
    """
    for place, path in file_by_place.items():
        if not (isinstance(path, (str, Path)) and f" of {place} must" in message):
            continue
        kind = kind_of(path)
        if not Path(path).is_file() or kind in PARQUET:  # a folder, a pipe, …
            continue
        data = read_bytes(Path(path))
        if kind in SEPARATORS:
            lines = csv_lines_of_rows(data, SEPARATORS[kind])
        else:
            n_fields = 6 if place.startswith("recommendations") else 4
            lines = [number for number, _, _ in split_trec_lines(data, n_fields)]
        texts = re.split(r"\bin row (\d+)", message)  # a row is between two texts
        texts[1::2] = [f"in line {lines[int(row)]}" for row in texts[1::2]]
        return "".join(texts)
    return message


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
    table = read_csv_table(path, separator, header=header, quotes_mark_text=False, ids=(0, 1))
    n_fields = table.shape[1]
    if not 3 <= n_fields <= 4:
        fields = "user, item, rating and perhaps a time"
        rule = f"have {fields} in every line, separated by {separator!r}"
        raise input_error(Path(path).name, rule, f"{n_fields} fields")
    table.columns = pd.Index(["user", "item", "relevance", "time"][:n_fields])

    # If the column isn't numeric yet, some ratings aren't numbers, or they could be ids, such as
    # "007". Ratings aren't ids, so "007" is the number 7 here.
    as_written = table["relevance"]
    ratings = as_written
    if not pd.api.types.is_numeric_dtype(as_written.dtype):
        ratings = texts_to_floats(as_written)
    is_no_number = (ratings.isna() & as_written.notna()).to_numpy()
    rating_name = f"rating in {Path(path).name}"
    advice = "If the first line names the columns, say header=True"
    check_no_rows(as_written, is_no_number, rating_name, "be a number", advice)
    if not pd.api.types.is_numeric_dtype(as_written.dtype):
        # A number such as 1e999 becomes infinite, although the file doesn't say "inf". Refuse it.
        says_infinite = as_written.str.contains("inf", case=False, na=False)
        is_too_large = (np.isinf(ratings) & ~says_infinite).to_numpy()
        check_no_rows(as_written, is_too_large, rating_name, "be below about 1e308")
        check_no_rounding(as_written, rating_name)
    return table.assign(relevance=ratings)


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table, without its index, in the format that the file extension names.

    Parameters
    ----------
    table : DataFrame
        The table.
    path : str or Path
        A name that ends in ``.csv``, ``.tsv``, ``.parquet``, ``.pq`` or ``.json``. JSON is a list
        of rows, with null for missing values and NaN, and dates in ISO form. receval writes to a
        temporary file and then renames it, so a crash can't leave an incomplete file.

    Raises
    ------
    InputError
        If the path has another extension, or the table has cells that JSON cannot hold: infinite
        numbers, or objects other than dates and arrays.
    """
    check_writable(path, stream=True)
    kind = _kind_of_table(path)
    if kind not in WRITTEN_ENDINGS or is_compressed(path):
        raise InputError(f"path must end in {WRITTEN_IN_WORDS}; got {Path(path).name}")
    write_atomically(path, lambda file: write_as(table, kind, file), stream=kind not in PARQUET)


def _kind_of_table(path: str | Path) -> str:
    """Return the ending of a file's name, which shows the format of a table.

    For pipes and devices without an ending, this is ".csv".
    """
    kind = kind_of(path)
    if not kind and is_stream(path):  # such as /dev/stdout
        return ".csv"
    return kind


def write_as(table: pd.DataFrame, kind: str, file: TextIO, *, empty_text: bool = False) -> None:
    """Write a table, without its index, to an open file.

    Parameters
    ----------
    table : DataFrame
        The table.
    kind : str
        The ending of the format, such as ".csv". All endings other than those of CSV and Parquet
        mean JSON.
    file : text file
        The file. Parquet is not text, so receval writes it to the file's buffer of bytes.
    empty_text : bool
        Whether CSV may have empty text, which is read back as missing.
    """
    check_distinct([str(label) for label in table.columns])
    if kind in SEPARATORS:
        write_csv(table, file, SEPARATORS[kind], empty_text=empty_text)
    elif kind in PARQUET:
        _write_parquet(table, file.buffer)
    else:
        file.write(f"{_as_json(table)}\n")


def _write_parquet(table: pd.DataFrame, file: BinaryIO) -> None:
    """Write a table as Parquet; raise `InputError` if a column has values of several types."""
    import pyarrow as pa

    try:
        table.to_parquet(file, index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        rule = "hold columns of one type each to be written as Parquet"
        raise input_error("table", rule, str(error)) from None


def _as_json(table: pd.DataFrame) -> str:
    """Return a table as a JSON list of rows; raise `InputError` if JSON cannot hold a cell."""
    # Missing values become null. Object columns have Python's numbers, which json can write.
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    try:
        return json.dumps(rows, default=_as_json_value, indent=1, allow_nan=False)
    except InputError:  # from `_as_json_value`; it's a ValueError, too
        raise
    except ValueError:
        rule = "hold finite numbers to be written as JSON"
        got = "an infinite one, or NaN in a cell"
        raise input_error("table", rule, got, "Write .csv or .parquet") from None


def _as_json_value(cell: object) -> object:
    """Convert a date to text, and a NumPy value to a number or a list.

    ``json`` calls this function for cells that it can't write. Raises `InputError` for all other
    values.
    """
    if hasattr(cell, "isoformat"):
        return cell.isoformat()
    if isinstance(cell, (np.generic, np.ndarray)):
        return cell.tolist()
    rule = "hold text, numbers, dates or lists to be written as JSON"
    raise input_error("table", rule, shorten(cell))
