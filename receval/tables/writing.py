"""Write tables as CSV, Parquet, JSON and TREC files."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from receval._checks import AnyArray, InputError, check_that, format_first, input_error, shorten
from receval._files import PARQUET, check_writable, write_atomically
from receval.tables.columns import (
    check_no_rows,
    order_preserving_floats,
    read_column,
    read_ids,
    read_numbers,
)
from receval.tables.reading import SEPARATORS, kind_of, kind_of_table

__all__ = ["write_qrels", "write_run", "write_table"]

WRITTEN_ENDINGS = (*SEPARATORS, *PARQUET, ".json")
"""Endings of the files that `write_table` writes."""

WRITTEN_IN_WORDS = ".csv, .tsv, .parquet or .json"
"""The usual endings of the files that `write_table` writes, for messages and help texts."""

NESTED_TYPES = (list, dict, set, frozenset, bytes, bytearray, np.ndarray)
"""Types of cells that CSV cannot hold."""


BLANK = r"\s|^$"
"""Pattern of texts that no field of a TREC file can be."""


# Tables -------------------------------------------------------------------------------------------


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table, without its index, in the format that the file extension names.

    CSV doesn't say whether "7" is a number or text, so a column of text that has numbers only may
    come back as numbers. Parquet keeps the types of all columns.

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
        If the path has another extension, two columns have the same name, or the table has cells
        that the format cannot hold: empty text or lists in CSV, and infinite numbers, or objects
        other than dates and arrays, in JSON.
    """
    check_writable(path)
    kind = kind_of_table(path)
    is_packed = kind_of(path) != Path(path).suffix.lower()
    if kind not in WRITTEN_ENDINGS or is_packed:
        raise InputError(f"path must end in {WRITTEN_IN_WORDS}; got {Path(path).name}")
    write_atomically(path, lambda file: write_as(table, kind, file))


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
    names = table.columns.map(str)
    if names.has_duplicates:
        shown = format_first(repr(name) for name in names[names.duplicated()].unique())
        raise input_error("table", "have each column once", f"{shown} twice")
    if kind in SEPARATORS:
        write_csv(table, file, SEPARATORS[kind], empty_text=empty_text)
    elif kind in PARQUET:
        _write_parquet(table, file)
    else:
        file.write(f"{_as_json(table)}\n")


def write_csv(
    table: pd.DataFrame, file: TextIO, separator: str = ",", *, empty_text: bool = False
) -> None:
    """Write a table as CSV, without its index, and floats with the fewest digits that are exact.

    Missing cells become empty fields. Raises `InputError` if the table has no column or one without
    a name, or if CSV cannot hold a cell, such as a list. Empty text is refused too, because it is
    read back as missing, unless ``empty_text`` is true.
    """
    check_that(table.shape[1], "table", "have at least one column to be written as CSV", None)
    check_that("" not in table.columns, "table", "have a name for each column", "")
    texts = [str(label) for label in table.columns]
    for label, series in table.items():
        if series.dtype.kind in "iufbMm":  # numbers and dates
            continue
        cells = series.tolist()
        name = f"column {shorten(label)}"
        if not empty_text:
            is_empty = np.array([isinstance(cell, str) and not cell for cell in cells], bool)
            rule = "not hold empty text, which a text file cannot tell from a missing value"
            check_no_rows(series, is_empty, name, rule, "Write .parquet, or drop such rows")
        is_nested = np.array([isinstance(cell, NESTED_TYPES) for cell in cells], bool)
        rule = "hold text, numbers, dates or truth values to be written as CSV"
        check_no_rows(series, is_nested, name, rule)
        texts += [cell for cell in cells if isinstance(cell, str)]
    # Before version 3.13, Python doesn't put texts with a carriage return in quotes by itself.
    has_return = any("\r" in text for text in texts)
    table.to_csv(
        file,
        sep=separator,
        index=False,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if has_return else csv.QUOTE_MINIMAL,
    )


def _write_parquet(table: pd.DataFrame, file: TextIO) -> None:
    """Write a table as Parquet; raise `InputError` if a column has values of several types."""
    import pyarrow as pa

    try:
        table.to_parquet(file.buffer, index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        rule = "hold columns of one type each to be written as Parquet"
        raise input_error("table", rule, str(error)) from None


def _as_json(table: pd.DataFrame) -> str:
    """Return a table as a JSON list of rows; raise `InputError` if JSON cannot hold a cell."""
    # Missing values become null. Object columns have Python's numbers, which json can write.
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    try:
        return json.dumps(rows, default=_as_json_value, indent=1, allow_nan=False)
    except (TypeError, ValueError) as error:
        rule = "hold text, finite numbers, dates or lists to be written as JSON"
        raise input_error("table", rule, str(error), "Write .csv or .parquet") from None


def _as_json_value(cell: object) -> object:
    """Convert a date to text, and a NumPy value to a number or a list; raise for other values."""
    for method in ("isoformat", "tolist"):
        if hasattr(cell, method):
            return getattr(cell, method)()
    raise TypeError(shorten(cell))


# TREC ---------------------------------------------------------------------------------------------


def write_run(recommendations: pd.DataFrame, path: str | Path, *, tag: str = "receval") -> None:
    """Write recommendations as a TREC run.

    Parameters
    ----------
    recommendations : DataFrame
        Columns ``user``, ``item``, ``score``. The lines are sorted by user, then by descending
        score; every score has all its digits.
    path : str or Path
        The file to write. receval writes to a temporary file and then renames it, so a crash
        can't leave an incomplete file.
    tag : str, default "receval"
        Name of the system.

    Raises
    ------
    InputError
        If a column is missing, a score is NaN or not a number, a column ``system`` has several
        labels, or an id or the tag is missing, empty or contains white space, which separates the
        fields of the file.
    """
    check_that(isinstance(tag, str), "tag", "be text", tag)
    _check_texts(pd.Series([tag], dtype=object), "tag", BLANK, "be text without blanks")
    if "system" in recommendations:
        systems = read_column(recommendations, "system", "recommendations").unique()
        if len(systems) > 1:
            rule = "name one system, because a run has the list of one"
            advice = "Write each: for tag, rows in table.groupby('system'): write_run(rows, …)"
            got = format_first(map(repr, systems))
            raise input_error("system of recommendations", rule, got, advice)
    users, items = _trec_ids(recommendations, "recommendations")
    score_column = read_column(recommendations, "score", "recommendations")
    scores = read_numbers(score_column, "score of recommendations", infinite=True)
    written_scores = _with_all_digits(scores)
    user_column = read_column(recommendations, "user", "recommendations")
    user_codes, _ = pd.factorize(np.asarray(user_column), sort=True)
    # To sort by falling score, negate floats: unsigned integers have no negative numbers. Large
    # integers that differ must not become equal floats.
    order = np.lexsort((-order_preserving_floats(scores).astype(np.float64), user_codes))
    ranks = pd.Series(user_codes[order]).groupby(user_codes[order]).cumcount() + 1
    lines = [
        f"{users[row]} Q0 {items[row]} {rank} {written_scores[row]} {tag}\n"
        for row, rank in zip(order, ranks, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines))


def write_qrels(relevance: pd.DataFrame, path: str | Path) -> None:
    """Write relevance as TREC judgements.

    Parameters
    ----------
    relevance : DataFrame
        Columns ``user``, ``item``, ``relevance``. Whole grades are written without a decimal point,
        all others with all their digits.
    path : str or Path
        The file to write. receval writes to a temporary file and then renames it, so a crash
        can't leave an incomplete file.

    Raises
    ------
    InputError
        If a column is missing, a grade is not a finite number, or an id is missing, empty or
        contains white space, which separates the fields of the file.
    """
    users, items = _trec_ids(relevance, "relevance")
    column = read_column(relevance, "relevance", "relevance")
    grades = _with_all_digits(read_numbers(column, "relevance of relevance"))
    lines = [
        f"{user} 0 {item} {grade.removesuffix('.0')}\n"
        for user, item, grade in zip(users, items, grades, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines))


def _with_all_digits(numbers: AnyArray) -> list[str]:
    """Return numbers as the shortest texts that give the same numbers again; True is 1."""
    return [repr(number) for number in (numbers + 0).tolist()]


def _trec_ids(table: pd.DataFrame, name: str) -> tuple[list[str], list[str]]:
    """Return users and items as texts; raise `InputError` if a TREC file cannot hold one.

    ``name`` is the name of the table in error messages.
    """
    users = read_column(table, "user", name)
    items = read_column(table, "item", name)
    rule = "be text without blanks, not empty, and not '#' or with a byte order mark in front"
    # A line begins with the user, so a sign there may change the meaning of the line.
    return (
        _check_texts(users, f"user of {name}", rf"{BLANK}|^#$|^\ufeff", rule),
        _check_texts(items, f"item of {name}", BLANK, "be text without blanks, and not empty"),
    )


def _check_texts(series: pd.Series, name: str, wrong: str, rule: str) -> list[str]:
    """Return a column of ids as texts; raise `InputError` if one matches the pattern ``wrong``."""
    read_ids(series, name)  # raises an error if a value isn't an id
    texts = [str(value) for value in series]
    is_wrong = np.array([re.search(wrong, text) is not None for text in texts], bool)
    check_no_rows(series, is_wrong, name, rule)
    return texts
