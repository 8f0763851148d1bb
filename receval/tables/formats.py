"""Tables in and out: frames, dicts, CSV, Parquet, JSON, ratings; TREC files by their ending."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, shorten
from receval._files import check_writable, write_atomically
from receval.tables.columns import as_series
from receval.tables.text import existing, read_fields, read_text, whole
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


def read_table(path: str | Path) -> pd.DataFrame:
    r"""A table from a CSV or Parquet file, by its ending.

    Text stays as it is written: an id "007" keeps its zeros, "NA" is an id and not a gap; only an
    empty field is missing. A CSV
    column becomes whole numbers only if every value is written as one, without leading zeros,
    and decimal numbers only if every value is a number, some with a decimal point, an exponent,
    or as ``inf`` or ``-inf``. With empty fields among them, numbers are decimal and these NaN.

    Parameters
    ----------
    path : str or Path
        A ``.csv`` (comma), ``.tsv`` (tab) or ``.parquet`` file; CSV may be compressed.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If the file is not there, is of another kind or broken, is not UTF-8, names a column
        twice, is separated by something else, or has rows of different lengths.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "recs.csv"
    >>> _ = path.write_text("user,item,score\n007,NA,0.5\n")
    >>> read_table(path)
      user item  score
    0  007   NA    0.5
    """
    path = existing(path)
    kinds = [suffix.lower() for suffix in path.suffixes]
    if kinds[-1:] == [".parquet"] or (path.is_dir() and any(path.glob("*.parquet"))):
        with whole(path, "a whole Parquet file"):
            table = pd.read_parquet(path)
        return table
    separator = next((SEPARATORS[kind] for kind in kinds if kind in SEPARATORS), None)
    if separator is None:
        raise InputError(
            f"path must end in .csv, .tsv or .parquet; got {path.name}. "
            "TREC files end in .run or .qrels; read_run and read_qrels read them by any name"
        )
    read = partial(read_fields, path, sep=separator, index_col=False)
    with whole(path, "a table"), warnings.catch_warnings():
        # pandas only warns of rows that are longer than the header
        warnings.simplefilter("error", pd.errors.ParserWarning)
        _check_header(read(header=None, nrows=1).iloc[0].tolist(), separator, path)
        # an empty field is missing, and so is one that is not there
        text = read(na_values=[""])
    return text.apply(_as_written)


def open_table(table: object, name: str) -> Any:
    """A frame as it is, columns in a dict as a frame, or the table of a Parquet or CSV path."""
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
    if not hasattr(table, "columns"):  # as all of pandas, Polars and Arrow have
        raise InputError(f"{name} must be a table (a DataFrame); got {type(table).__name__}")
    return table


def read_any(path: str | Path) -> pd.DataFrame:
    """A table, or a TREC file by its ending: ``.run``, or ``.qrels`` or ``.qrel``."""
    kinds = {".run": read_run, ".qrels": read_qrels, ".qrel": read_qrels}
    return kinds.get(Path(path).suffix.lower(), read_table)(path)


def read_ratings(path: str | Path, *, separator: str = ",", header: bool = False) -> pd.DataFrame:
    r"""Ratings: user, item, rating, and a time stamp where there is a fourth column.

    Parameters
    ----------
    path : str or Path
        The file.
    separator : str, default ","
        What stands between the fields, for example a tab or ``"::"``.
    header : bool, default False
        Whether the first line names the columns.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``relevance`` and, if there, ``time``.

    Raises
    ------
    InputError
        If a line has not the fields of the first, fewer than three or more than four, the
        separator is empty, or the file is not UTF-8.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.dat"
    >>> _ = path.write_text("1::10::4.5\n")
    >>> read_ratings(path, separator="::")
       user  item  relevance
    0     1    10        4.5
    """
    if not separator:
        raise InputError("separator must be a text of at least one character; got ''")
    lines = read_text(path).split("\n")
    rows = [line.split(separator) for line in lines[int(header) :] if line.strip()]
    width = len(rows[0]) if rows else 3
    wrong = [row for row in rows if len(row) != width or width not in (3, 4)]
    if wrong:
        raise InputError(
            f"{Path(path).name} must have user, item, rating and perhaps a time in every line, "
            f"separated by {separator!r}; got {shorten(wrong[0])}"
        )
    names = ["user", "item", "relevance", "time"][:width]
    fields = pd.DataFrame(rows, columns=names, dtype=str)
    return fields.mask(fields == "").apply(_as_written)


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table, without its index, in the format of the path's ending.

    Parameters
    ----------
    table : DataFrame
        The table.
    path : str or Path
        Ending in ``.csv``, ``.tsv``, ``.parquet`` or ``.json`` (a list of rows, with null for
        what is missing or NaN, and dates in ISO form); written aside and renamed, so that a
        crash leaves no half file.

    Raises
    ------
    InputError
        If the path has another ending, or the table holds what JSON cannot: infinite numbers,
        or objects other than dates and arrays.
    """
    check_writable(path)
    kind = Path(path).suffix.lower()
    if kind in SEPARATORS:
        how: dict[str, Any] = {"index": False, "sep": SEPARATORS[kind]}
        write_atomically(path, lambda file: table.to_csv(file, float_format="%.17g", **how))
    elif kind == ".parquet":
        write_atomically(path, lambda file: table.to_parquet(file.buffer, index=False))
    elif kind == ".json":
        text = _as_json(table)
        write_atomically(path, lambda file: file.write(text))
    else:
        raise InputError(f"path must end in .csv, .tsv, .parquet or .json; got {Path(path).name}")


def _check_header(header: list[str], separator: str, path: Path) -> None:
    """Refuse what pandas would rename, and a file that has another separator."""
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise InputError(
            f"{path.name} must have each column once; got {', '.join(map(repr, twice))} twice"
        )
    other = next((sign for sign in ";\t|," if sign != separator and sign in header[0]), None)
    if len(header) == 1 and other:
        raise InputError(
            f"{path.name} must have columns separated by {separator!r}; got {shorten(header[0])}. "
            f"The separator seems to be {other!r}: give the table pandas.read_csv(path, "
            f"sep={other!r})"
        )


def _as_json(table: pd.DataFrame) -> str:
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    try:
        return json.dumps(rows, default=_plain, indent=1, allow_nan=False)
    except InputError:  # itself a ValueError
        raise
    except ValueError:
        raise InputError(
            "table must hold finite numbers to be written as JSON; got an infinite one, or NaN "
            "within a cell. Write .csv or .parquet"
        ) from None


def _plain(value: Any) -> Any:
    """A value of a cell as JSON knows it."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise InputError(
        f"table must hold text, numbers, dates or lists to be written as JSON; got {shorten(value)}"
    )


def _as_written(column: pd.Series) -> pd.Series:
    """Numbers where every value is written as one; text otherwise."""
    given = column.dropna()
    if given.empty:
        return column
    # Python reads no whole number of thousands of digits; none of more than 20 fits 64 bits.
    if given.str.fullmatch(r"-?(0|[1-9][0-9]{0,30})").all():
        whole = [int(value) for value in given]
        if len(given) == len(column):
            fits = min(whole) >= -(2**63) and max(whole) < 2**63
            return pd.Series(np.array(whole, np.int64), index=column.index) if fits else column
        # beside a gap they become float64, which has these numbers and not all beyond
        return column.astype(np.float64) if max(map(abs, whole)) <= 2**53 else column
    decimal = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?inf"
    padded = given.str.fullmatch(r"-?0[0-9]+")  # "007" is an id
    if given.str.fullmatch(decimal).all() and not padded.any():
        read = column.astype(np.float64)
        beyond = np.isinf(read[given.index]) & ~given.str.contains("inf")
        return column if beyond.any() else read  # 1e999 is no number of float64
    return column
