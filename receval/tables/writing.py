"""Write tables as CSV, Parquet, JSON and TREC files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from receval._checks import InputError, check_that, check_unique, input_error, shorten
from receval._files import PARQUET, check_writable, write_atomically
from receval.tables.columns import check_no_rows, read_column, read_ids, read_numbers, to_pandas
from receval.tables.reading import SEPARATORS

WRITTEN_IN_WORDS = ".csv, .tsv, .parquet or .json"
"""The usual endings of the files that `write_table` writes, for messages and help texts."""

NESTED_TYPES = (list, dict, set, frozenset, bytes, bytearray, np.ndarray)
"""Types of cells that CSV cannot hold."""

NOT_IN_TREC = r"\s|^$|^#$|^\ufeff"
"""Pattern of ids that TREC files cannot hold: blanks end a field, "#" alone begins a comment."""


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
        that the format cannot hold: empty text, lists or carriage returns in CSV, and infinite
        numbers, or objects other than dates, in JSON.
    """
    table = to_pandas(table, "table")
    check_writable(path)
    kind = Path(path).suffix.lower()
    if kind not in (*SEPARATORS, *PARQUET, ".json"):
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

    Raises
    ------
    InputError
        If two columns have the same name, or the format cannot hold the table.
    """
    import pyarrow as pa

    check_unique([str(label) for label in table.columns], "table", "column")
    if kind in SEPARATORS:
        _write_csv(table, file, SEPARATORS[kind], empty_text=empty_text)
        return
    try:
        if kind in PARQUET:
            table.to_parquet(file.buffer, index=False)
            return
        # Missing values become null. Object columns have Python's numbers, which json can write.
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        text = json.dumps(rows, default=lambda date: date.isoformat(), indent=1, allow_nan=False)
        file.write(f"{text}\n")
    except (pa.ArrowException, AttributeError, TypeError, ValueError) as error:
        rule = "hold one type in each column, and for JSON text, finite numbers or dates"
        raise input_error("table", rule, str(error)) from None


def _write_csv(table: pd.DataFrame, file: TextIO, separator: str, *, empty_text: bool) -> None:
    """Write a table as CSV; missing cells become empty fields, and floats keep all their digits.

    Raises `InputError` if the table has no column or one without a name, if a cell is a list or the
    like, has a carriage return, which some readers take for the end of a line, or is empty text,
    which would be read as missing, unless ``empty_text`` is true.
    """
    check_that(table.shape[1], "table", "have at least one column to be written as CSV", None)
    wrong_labels = [label for label in table.columns if not str(label) or "\r" in str(label)]
    rule = "have a name without carriage returns for each column"
    check_that(not wrong_labels, "table", rule, wrong_labels)
    for label, series in table.items():
        if series.dtype.kind in "iufbMm":  # numbers and dates
            continue
        is_wrong = [
            isinstance(cell, NESTED_TYPES)
            or (isinstance(cell, str) and ("\r" in cell or not (cell or empty_text)))
            for cell in series.tolist()
        ]
        check_no_rows(
            series,
            np.array(is_wrong, bool),
            f"column {shorten(label)}",
            "not hold empty text, which CSV cannot tell from a missing value, nor lists, bytes or "
            "carriage returns",
            "Write .parquet, or drop such rows",
        )
    table.to_csv(file, sep=separator, index=False, lineterminator="\n")


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
    is_tag = isinstance(tag, str) and not re.search(NOT_IN_TREC, tag)
    check_that(is_tag, "tag", "be text without blanks", tag)
    recommendations = to_pandas(recommendations, "recommendations")
    users = _read_trec_ids(recommendations, "user", "recommendations")
    items = _read_trec_ids(recommendations, "item", "recommendations")
    if "system" in recommendations:
        systems = recommendations["system"].unique().tolist()
        rule = "name one system, because a run has the list of one"
        check_that(len(systems) < 2, "system of recommendations", rule, systems)
    score_column = read_column(recommendations, "score", "recommendations")
    scores = read_numbers(score_column, "score of recommendations", infinite=True)
    rows = pd.DataFrame({"user": users.to_numpy(), "score": scores + 0})  # True becomes 1
    rows = rows.sort_values(["user", "score"], ascending=[True, False])
    ranks = rows.groupby("user").cumcount() + 1
    lines = [
        f"{users[row]} Q0 {items[row]} {rank} {score!r} {tag}\n"
        for row, rank, score in zip(rows.index, ranks, rows["score"].tolist(), strict=True)
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
    users = _read_trec_ids(relevance, "user", "relevance")
    items = _read_trec_ids(relevance, "item", "relevance")
    column = read_column(relevance, "relevance", "relevance")
    grades = read_numbers(column, "relevance of relevance") + 0  # True becomes 1
    lines = [
        f"{user} 0 {item} {repr(grade).removesuffix('.0')}\n"
        for user, item, grade in zip(users, items, grades.tolist(), strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines))


def _read_trec_ids(table: pd.DataFrame, label: str, name: str) -> pd.Series:
    """Return a column of ids; raise `InputError` if a TREC file cannot hold one of its values.

    ``label`` is the name of the column, and ``name`` the name of the table in error messages.
    """
    ids = read_column(table, label, name)
    read_ids(ids, f"{label} of {name}")  # raises an error if a value isn't an id
    is_wrong = np.array([bool(re.search(NOT_IN_TREC, str(value))) for value in ids], bool)
    rule = "be text without blanks, not '#' or with a byte order mark in front, and not empty"
    check_no_rows(ids, is_wrong, f"{label} of {name}", rule)
    return ids
