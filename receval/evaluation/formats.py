"""Files in and out: TREC runs and qrels, ratings, CSV and Parquet tables."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import SHOWN, InputError, shorten

__all__ = [
    "read_any",
    "read_qrels",
    "read_ratings",
    "read_run",
    "read_table",
    "write_qrels",
    "write_run",
    "write_table",
]


def read_table(path: str | Path) -> pd.DataFrame:
    r"""A table from a CSV or Parquet file, by its ending.

    Text stays as it is written: an id "007" keeps its zeros, "NA" is an id and not a gap; only an
    empty field is missing. A CSV
    column becomes whole numbers only if every value is written as one, without leading zeros,
    and decimal numbers only if every value is one with a decimal point.

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
        If the file is not there, is of another kind, is not UTF-8, or has rows of different
        lengths.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "recs.csv"
    >>> _ = path.write_text("user,item,score\n007,NA,0.5\n")
    >>> read_table(path)
      user item  score
    0  007   NA    0.5
    """
    path = Path(path)
    kinds = [suffix.lower() for suffix in path.suffixes]
    if not path.exists():
        raise InputError(f"path must be an existing file; got {path.name}")
    if kinds[-1:] == [".parquet"] or path.is_dir():
        return pd.read_parquet(path)
    separators = {".csv": ",", ".tsv": "\t"}
    separator = next((separators[kind] for kind in kinds if kind in separators), None)
    if separator is None:
        raise InputError(f"path must end in .csv, .tsv or .parquet; got {path.name}")
    try:
        with warnings.catch_warnings():
            # pandas only warns of rows that are longer than the header
            warnings.simplefilter("error", pd.errors.ParserWarning)
            text = pd.read_csv(
                path,
                sep=separator,
                dtype=str,
                keep_default_na=False,
                na_values=[""],  # an empty field is missing, and so is one that is not there
                encoding="utf-8-sig",
                index_col=False,
            )
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path.name} must be UTF-8 text; got the byte 0x{error.object[error.start]:02x} "
            f"at position {error.start}"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, pd.errors.ParserWarning) as error:
        raise InputError(f"{path.name} must be a table; {error}") from None
    return text.apply(_as_written)


def read_any(path: str | Path) -> pd.DataFrame:
    """A table, or a TREC file by its ending: ``.run``, or ``.qrels`` or ``.qrel``.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    DataFrame
    """
    kinds = {".run": read_run, ".qrels": read_qrels, ".qrel": read_qrels}
    return kinds.get(Path(path).suffix.lower(), read_table)(path)


def read_run(path: str | Path) -> pd.DataFrame:
    r"""A TREC run: ``query Q0 document rank score tag``, separated by blanks or tabs.

    Parameters
    ----------
    path : str or Path
        The file. Empty lines and lines that start with ``#`` are passed over.

    Returns
    -------
    DataFrame
        Columns ``user`` and ``item`` (text), ``rank`` (whole numbers, as written; trec_eval
        ignores it), ``score`` and ``system`` (the tag).

    Raises
    ------
    InputError
        If a line has not six fields, or a rank or score is no number.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("q1 Q0 d7 1 0.9 bm25\n")
    >>> read_run(path)
      user item  rank  score system
    0   q1   d7     1    0.9   bm25
    """
    fields = _fields(path, 6, "query Q0 document rank score tag")
    columns = list(zip(*fields, strict=True)) or [()] * 6
    return pd.DataFrame(
        {
            "user": pd.Series(columns[0], dtype=str),
            "item": pd.Series(columns[2], dtype=str),
            "rank": _numbers(columns[3], int, path, "rank"),
            "score": _numbers(columns[4], float, path, "score"),
            "system": pd.Series(columns[5], dtype=str),
        }
    )


def read_qrels(path: str | Path) -> pd.DataFrame:
    r"""TREC relevance judgements: ``query iteration document relevance``.

    Parameters
    ----------
    path : str or Path
        The file. Empty lines and lines that start with ``#`` are passed over.

    Returns
    -------
    DataFrame
        Columns ``user`` and ``item`` (text) and ``relevance``.

    Raises
    ------
    InputError
        If a line has not four fields, or a relevance is no number.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 d7 2\n")
    >>> read_qrels(path)
      user item  relevance
    0   q1   d7        2.0
    """
    fields = _fields(path, 4, "query iteration document relevance")
    columns = list(zip(*fields, strict=True)) or [()] * 4
    return pd.DataFrame(
        {
            "user": pd.Series(columns[0], dtype=str),
            "item": pd.Series(columns[2], dtype=str),
            "relevance": _numbers(columns[3], float, path, "relevance"),
        }
    )


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
        If a line has not the fields of the first, fewer than three or more than four.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.dat"
    >>> _ = path.write_text("1::10::4.5\n")
    >>> read_ratings(path, separator="::")
       user  item  relevance
    0     1    10        4.5
    """
    lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    rows = [line.split(separator) for line in lines[int(header) :] if line.strip()]
    width = len(rows[0]) if rows else 3
    wrong = [row for row in rows if len(row) != width or width not in (3, 4)]
    if wrong:
        raise InputError(
            f"{Path(path).name} must have user, item, rating and perhaps a time in every line, "
            f"separated by {separator!r}; got {shorten(wrong[0])}"
        )
    names = ["user", "item", "relevance", "time"][:width]
    return pd.DataFrame(rows, columns=names, dtype=str).apply(_as_written)


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table, without its index, in the format of the path's ending.

    Parameters
    ----------
    table : DataFrame
        The table.
    path : str or Path
        Ending in ``.csv``, ``.tsv``, ``.parquet`` or ``.json`` (a list of rows); written aside
        and renamed, so that a crash leaves no half file.

    Raises
    ------
    InputError
        If the path has another ending.
    """
    kind = Path(path).suffix.lower()
    if kind in (".csv", ".tsv"):
        how: dict[str, Any] = {"index": False, "sep": "," if kind == ".csv" else "\t"}
        write_atomically(path, lambda file: table.to_csv(file, float_format="%.17g", **how))
    elif kind == ".parquet":
        write_atomically(path, lambda file: table.to_parquet(file.buffer, index=False))
    elif kind == ".json":
        rows = json.dumps(table.to_dict("records"), default=lambda value: value.item(), indent=1)
        write_atomically(path, lambda file: file.write(rows))
    else:
        raise InputError(f"path must end in .csv, .tsv, .parquet or .json; got {Path(path).name}")


def write_run(recommendations: pd.DataFrame, path: str | Path, *, tag: str = "receval") -> None:
    """Write recommendations as a TREC run.

    Parameters
    ----------
    recommendations : DataFrame
        Columns ``user``, ``item``, ``score``.
    path : str or Path
        Where to; written aside and renamed, so that a crash leaves no half file.
    tag : str, default "receval"
        Name of the system.
    """
    ordered = recommendations.sort_values(["user", "score"], ascending=[True, False], kind="stable")
    rank = ordered.groupby("user", sort=False).cumcount() + 1
    rows = zip(ordered["user"], ordered["item"], rank, ordered["score"], strict=True)
    lines = (f"{user} Q0 {item} {place} {score!r} {tag}\n" for user, item, place, score in rows)
    write_atomically(path, lambda file: file.writelines(lines))


def write_qrels(relevance: pd.DataFrame, path: str | Path) -> None:
    """Write relevance as TREC judgements.

    Parameters
    ----------
    relevance : DataFrame
        Columns ``user``, ``item``, ``relevance``; whole grades are written without a point.
    path : str or Path
        Where to; written aside and renamed, so that a crash leaves no half file.
    """
    rows = zip(relevance["user"], relevance["item"], relevance["relevance"], strict=True)
    lines = (f"{user} 0 {item} {float(grade):g}\n" for user, item, grade in rows)
    write_atomically(path, lambda file: file.writelines(lines))


def write_atomically(path: str | Path, write: Callable[[Any], object]) -> None:
    """Let ``write`` fill a text file beside ``path``, then put it in its place at once."""
    target = Path(path)
    handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            write(file)
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def _as_written(column: pd.Series) -> pd.Series:
    """Numbers where every value is written as one; text otherwise."""
    if column.str.fullmatch(r"-?(0|[1-9]\d*)", na=False).all():
        whole = [int(value) for value in column]
        fits = len(whole) > 0 and min(whole) >= -(2**63) and max(whole) < 2**63
        return pd.Series(np.array(whole, np.int64), index=column.index) if fits else column
    decimal = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    padded = column.str.fullmatch(r"-?0\d+", na=False)  # "007" is an id
    if len(column) and column.str.fullmatch(decimal, na=False).all() and not padded.any():
        return column.astype(np.float64)
    return column


def _fields(path: str | Path, width: int, form: str) -> list[list[str]]:
    text = Path(path).read_text(encoding="utf-8-sig")
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != width:
            raise InputError(
                f"{Path(path).name} must have lines of the form '{form}'; "
                f"got {shorten(line)} in line {number}"
            )
        rows.append(fields)
    return rows


def _numbers(
    values: Iterable[str], kind: type[int] | type[float], path: str | Path, name: str
) -> pd.Series:
    texts = list(values)
    try:
        return pd.Series([kind(text) for text in texts], dtype=kind)
    except ValueError:
        wrong = [text for text in texts if not _is(kind, text)][:SHOWN]
        raise InputError(
            f"{name} in {Path(path).name} must be numbers; got {', '.join(map(repr, wrong))}"
        ) from None


def _is(kind: type[int] | type[float], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True
