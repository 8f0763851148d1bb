"""Tables in and out: frames, dicts, CSV, Parquet, JSON, ratings; TREC files by their ending."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, input_error, shorten
from receval._files import check_writable, is_stream, write_atomically
from receval.tables.columns import as_series, refuse_rounding, refuse_rows, to_arrow
from receval.tables.csv_text import check_distinct, write_csv
from receval.tables.fields import csv_columns, csv_fields
from receval.tables.number_parsing import parse_table_numbers
from receval.tables.text import (
    PARQUET,
    check_no_stream,
    is_compressed,
    is_parquet,
    kind_of,
    read_text,
    require_path,
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
TREC = {".run": read_run, ".qrels": read_qrels, ".qrel": read_qrels}


def read_table(path: str | Path) -> pd.DataFrame:
    r"""A table from a CSV or Parquet file, by its ending.

    Text stays as it is written: an id "007" keeps its zeros, "NA" is an id and not a gap, and so
    does a number of fifty digits; only an empty field is missing. A CSV column becomes whole
    numbers only if every value is written as one, without leading zeros, and decimal numbers only
    if every value is a number, some with a decimal point, an exponent, or as ``inf`` or ``-inf``.
    With empty fields among them, numbers are decimal and these NaN.

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
        If the file is not there, is of another kind or broken, is not UTF-8, names a column
        twice, is separated by something else, or has rows of different lengths; with the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "recs.csv"
    >>> _ = path.write_text("user,item,score\n007,NA,0.5\n")
    >>> read_table(path)
      user item  score
    0  007   NA    0.5
    """
    path = require_path(path)
    kind = _kind_of_table(path)
    if kind in PARQUET:
        check_no_stream(path)
    if kind in PARQUET or (path.is_dir() and any(map(is_parquet, path.iterdir()))):
        with read_text(path, "a whole Parquet file"):
            table = pd.read_parquet(path)
        return table
    if kind not in SEPARATORS:
        rule = "end in .csv, .tsv, .parquet or .pq, or be compressed text (.csv.gz)"
        advice = "TREC files end in .run or .qrels; read_run and read_qrels read them by any name"
        if kind.startswith(".xls"):
            advice = "Read it with pandas.read_excel(path)"
        raise input_error("path", rule, path.name, advice)
    return parse_table_numbers(*csv_fields(path, SEPARATORS[kind]))


def open_table(table: object, name: str) -> Any:
    """A pandas frame as it is; Arrow's of others; columns in a dict; the table of a file."""
    if isinstance(table, (str, Path)):
        return read_any(table)
    if isinstance(table, Mapping):
        columns = {key: as_series(own, f"column {key!r} of {name}") for key, own in table.items()}
        lengths = {key: len(own) for key, own in columns.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"{name} must have columns of one length; got {lengths}")
        return pd.DataFrame({key: own.reset_index(drop=True) for key, own in columns.items()})
    if isinstance(table, (list, tuple)) and not table:
        return pd.DataFrame()  # nothing recommended
    table = to_arrow(table, name)
    if not hasattr(table, "columns"):  # as all of pandas, Arrow and Dask have
        advice = "Pass its to_dict()" if hasattr(table, "to_dict") else ""
        raise input_error(name, "be a table (a DataFrame)", type(table).__name__, advice)
    return table


def read_any(path: str | Path) -> pd.DataFrame:
    """A table, or a TREC file by its ending: ``.run``, or ``.qrels`` or ``.qrel``.

    Where a Parquet file of pandas has an index with names, the index becomes columns.
    """
    table = TREC.get(kind_of(require_path(path)), read_table)(path)
    names = table.index.names
    is_named = None not in names and len({*names}) == len(names)
    if is_named and not {*names} & {*table.columns}:
        table = table.reset_index()
    return table


def read_ratings(path: str | Path, *, separator: str = ",", header: bool = False) -> pd.DataFrame:
    r"""Ratings: user, item, rating, and a time stamp where there is a fourth column.

    Parameters
    ----------
    path : str or Path
        The file.
    separator : str, default ","
        What stands between the fields, for example a tab or ``"::"``. Within quotes one of a
        single character is text; beside a longer one quotes are.
    header : bool, default False
        Whether the first line names the columns.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``relevance`` and, if there, ``time``.

    Raises
    ------
    InputError
        If a line has not the fields of the first, fewer than three or more than four, a rating is
        no number, the separator is empty, or the file is not UTF-8.

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
    columns = csv_columns(path, separator, header=header)
    if not 3 <= len(columns) <= 4:
        fields = "user, item, rating and perhaps a time"
        rule = f"have {fields} in every line, separated by {separator!r}"
        raise input_error(Path(path).name, rule, f"{len(columns)} fields")
    names = ("user", "item", "relevance", "time")
    table = parse_table_numbers(dict(zip(names, columns.values(), strict=False)))
    given, number = table["relevance"], pd.to_numeric(table["relevance"], errors="coerce")
    wrong = (number.isna() & given.notna()).to_numpy()
    advice = "If the first line names the columns, say header=True"
    refuse_rows(given, wrong, f"rating in {Path(path).name}", "be a number", advice)
    if not pd.api.types.is_numeric_dtype(given.dtype):
        refuse_rounding(given, f"rating in {Path(path).name}")
    return table.assign(relevance=number)


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table, without its index, in the format of the path's ending.

    Parameters
    ----------
    table : DataFrame
        The table.
    path : str or Path
        Ending in ``.csv``, ``.tsv``, ``.parquet``, ``.pq`` or ``.json`` (a list of rows, with
        null for what is missing or NaN, and dates in ISO form); written aside and renamed, so
        that a crash leaves no half file.

    Raises
    ------
    InputError
        If the path has another ending, or the table holds what JSON cannot: infinite numbers,
        or objects other than dates and arrays.
    """
    check_writable(path, stream=True)
    kind = _kind_of_table(path)
    if kind not in (*SEPARATORS, *PARQUET, ".json") or is_compressed(path):
        raise InputError(f"path must end in .csv, .tsv, .parquet or .json; got {Path(path).name}")
    write_atomically(path, lambda file: write_as(table, kind, file), stream=kind not in PARQUET)


def _kind_of_table(path: str | Path) -> str:
    """The ending of a file's name; CSV for pipes and devices that have none (/dev/stdout)."""
    kind = kind_of(path)
    return ".csv" if not kind and is_stream(path) else kind


def write_as(table: pd.DataFrame, kind: str, file: Any, *, empty_text: bool = False) -> None:
    """Write a table, without its index, to an open file in the format of an ending."""
    check_distinct(list(map(str, table.columns)))
    if kind in SEPARATORS:
        write_csv(table, file, SEPARATORS[kind], empty_text=empty_text)
    elif kind in PARQUET:
        _write_parquet(table, file.buffer)
    else:
        file.write(f"{_as_json(table)}\n")


def _write_parquet(table: pd.DataFrame, file: Any) -> None:
    import pyarrow as pa

    try:
        table.to_parquet(file, index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        rule = "hold columns of one type each to be written as Parquet"
        raise input_error("table", rule, str(error)) from None


def _as_json(table: pd.DataFrame) -> str:
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    try:
        return json.dumps(rows, default=_plain, indent=1, allow_nan=False)
    except InputError:  # itself a ValueError
        raise
    except ValueError:
        rule, got = "hold finite numbers to be written as JSON", "an infinite one, or NaN in a cell"
        raise input_error("table", rule, got, "Write .csv or .parquet") from None


def _plain(value: Any) -> Any:
    """A value of a cell as JSON knows it."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    rule = "hold text, numbers, dates or lists to be written as JSON"
    raise input_error("table", rule, shorten(value))
