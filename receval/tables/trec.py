"""Read and write TREC files: runs and qrels."""

from __future__ import annotations

import re
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from receval._checks import InputError, check_that, format_first, input_error, shorten
from receval._files import write_atomically
from receval._rounding import check_not_merged
from receval._types import AnyArray
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import (
    check_no_rows,
    exact_digits,
    order_preserving_floats,
    read_column,
    read_ids,
    read_numbers,
    with_all_digits,
)
from receval.tables.csv_reading import read_trec_fields, split_trec_lines
from receval.tables.number_parsing import float64_unless_rounded, parse_decimals, parse_integers
from receval.tables.text import check_path, read_bytes

__all__ = ["read_qrels", "read_run", "write_qrels", "write_run"]

if TYPE_CHECKING:
    import pyarrow as pa

BYTE_ORDER_MARK = "\ufeff"
DECIMAL = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"

NUMBER_PATTERNS = {
    "rank": r"[-+]?\d{1,30}",
    "score": rf"{DECIMAL}|[-+]?inf",
    "relevance": DECIMAL,
}
"""Patterns of the columns of numbers. Python reads more, such as 1_0; other TREC programs don't."""


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
        If a line doesn't have six fields, a rank is not a 64-bit integer, a score is not a number,
        or the file is not UTF-8.

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
    return _read_columns(path, "query Q0 document rank score tag", names)


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
    return _read_columns(path, "query iteration document relevance", names)


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
    _check_no_blanks(pd.Series([tag], dtype=object), "tag")
    if "system" in recommendations:
        systems = read_column(recommendations, "system", "recommendations").unique()
        if len(systems) > 1:
            rule = "name one system, because a run has the list of one"
            advice = "Write each: for tag, rows in table.groupby('system'): write_run(rows, …)"
            got = format_first(map(repr, systems))
            raise input_error("system of recommendations", rule, got, advice)
    users, items = _ids_as_text(recommendations, "recommendations")
    score_column = read_column(recommendations, "score", "recommendations")
    scores = read_numbers(score_column, "score of recommendations", infinite=True)
    written_scores = exact_digits(scores, score_column, "score of recommendations")

    # Sort by user and falling score. The codes are in the order of the users; ids that are numbers
    # are sorted as numbers. Large integers that differ must not become equal floats.
    user_column = read_column(recommendations, "user", "recommendations")
    codes_by_table, _ = shared_code_arrays({"recommendations": user_column}, "user")
    user_codes = codes_by_table["recommendations"]
    sort_keys = order_preserving_floats(scores).astype(np.float64)
    order = np.lexsort((-sort_keys, user_codes))
    sorted_codes = user_codes[order]
    ranks = pd.Series(sorted_codes).groupby(sorted_codes).cumcount() + 1

    lines = [
        f"{users[row]} Q0 {items[row]} {rank} {written_scores[row]} {tag}\n"
        for row, rank in zip(order, ranks, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines), stream=True)


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
    users, items = _ids_as_text(relevance, "relevance")
    grade_column = read_column(relevance, "relevance", "relevance")
    grades = read_numbers(grade_column, "relevance of relevance")
    written_grades = exact_digits(
        grades, grade_column, "relevance of relevance", whole_as_integer=True
    )
    lines = [
        f"{user} 0 {item} {grade}\n"
        for user, item, grade in zip(users, items, written_grades, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines), stream=True)


def _ids_as_text(table: pd.DataFrame, name: str) -> tuple[list[str], list[str]]:
    """Return users and items as texts; raise `InputError` if a TREC file cannot hold one.

    ``name`` is the name of the table in error messages.
    """
    user_column = read_column(table, "user", name)
    users = _texts_without_blanks(user_column, f"user of {name}")
    items = _texts_without_blanks(read_column(table, "item", name), f"item of {name}")
    # A line begins with the user, so these texts would change the meaning of the line.
    is_comment = np.array([user == "#" for user in users], dtype=bool)
    rule = "not be '#', which begins a comment"
    check_no_rows(user_column, is_comment, f"user of {name}", rule)
    has_mark = np.array([user.startswith(BYTE_ORDER_MARK) for user in users], dtype=bool)
    rule = "not begin with a byte order mark"
    check_no_rows(user_column, has_mark, f"user of {name}", rule)
    return users, items


def _texts_without_blanks(series: pd.Series, name: str) -> list[str]:
    """Return a column of ids as texts; raise `InputError` if one holds a blank or is not an id."""
    read_ids(series, name)  # raises an error if a value isn't an id
    _check_no_blanks(series, name)
    return [str(value) for value in series]


def _check_no_blanks(series: pd.Series, name: str) -> None:
    """Raise if the text of a value is empty or has white space, which separates fields."""
    is_wrong = np.array([str(value).split() != [str(value)] for value in series], dtype=bool)
    check_no_rows(series, is_wrong, name, "be text without blanks, and not empty")


# Reading ------------------------------------------------------------------------------------------


class _NumberTexts(NamedTuple):
    """A column of a TREC file that should hold numbers.

    Attributes
    ----------
    texts : the fields of the column.
    label : "rank", "score" or "relevance".
    path : the file.
    data : the content of the file, in which error messages look up lines.
    width : number of fields of a row.
    """

    texts: pa.LargeStringArray
    label: str
    path: Path
    data: bytes
    width: int

    @property
    def name(self) -> str:
        """Return the name of the column in error messages."""
        return f"{self.label} in {self.path.name}"


def _read_columns(path: str | Path, line_form: str, labels: list[str]) -> pd.DataFrame:
    """Return the columns of a file, after converting the columns of numbers.

    ``line_form`` has a word for each field, for messages. ``labels`` has the name of the column for
    each field. The table leaves out fields whose name is empty.
    """
    path = check_path(path)
    data = read_bytes(path)
    columns = {}
    for label, texts in zip(labels, read_trec_fields(path, data, line_form), strict=True):
        if label in NUMBER_PATTERNS:
            columns[label] = _parse_column(_NumberTexts(texts, label, path, data, len(labels)))
        elif label:
            columns[label] = texts.to_pandas()
    return pd.DataFrame(columns)


def _parse_column(column: _NumberTexts) -> AnyArray:
    """Return a column as numbers: ranks as int64, scores and grades as float64 if this is exact.

    Most files have numbers that Arrow converts at once. receval parses all others one by one. This
    is slow, but it finds wrong lines, for which the function raises an `InputError`.
    """
    # Arrow's conversions return None if they cannot convert all texts.
    integers = parse_integers(column.texts)
    if column.label == "rank":
        return _parse_ranks_one_by_one(column) if integers is None else integers
    values: AnyArray | None
    if integers is None:
        values = parse_decimals(column.texts)
    else:
        # Integers beyond 2^53 stay integers: float64 would make neighbours equal.
        values = float64_unless_rounded(integers)
    if values is None:
        return _parse_decimals_one_by_one(column)
    # Scores may be infinite, but grades may not. If a grade is infinite, this call raises an error
    # that names the lines.
    if column.label == "relevance" and not np.isfinite(values).all():
        return _parse_decimals_one_by_one(column)
    return values


def _parse_ranks_one_by_one(column: _NumberTexts) -> AnyArray:
    """Return ranks as int64; raise `InputError` if one is not an integer or too large."""
    texts = column.texts.to_pylist()
    wrong_rows = _rows_unlike_pattern(texts, column.label)
    if not wrong_rows:  # all are whole numbers, so look for those that are too large
        wrong_rows = [row for row, text in enumerate(texts) if not -(2**63) <= int(text) < 2**63]
    if wrong_rows:
        raise _wrong_lines_error(column, texts, wrong_rows, "whole numbers of 64 bits")
    return np.array(texts, dtype=object).astype(np.int64)


def _parse_decimals_one_by_one(column: _NumberTexts) -> AnyArray:
    """Return scores or grades as float64, or as uint64 if they are integers beyond int64.

    Raises `InputError` if one is not a number, if one is too large for float64, or if different
    ones become equal. The column isn't empty: `_parse_column` converts an empty one itself.
    """
    texts = column.texts.to_pylist()
    wrong_rows = _rows_unlike_pattern(texts, column.label)
    if wrong_rows:
        raise _wrong_lines_error(column, texts, wrong_rows, "numbers")
    overflowing_rows = [
        row for row, text in enumerate(texts) if isinf(float(text)) and "inf" not in text.lower()
    ]
    if overflowing_rows:
        raise _wrong_lines_error(column, texts, overflowing_rows, "numbers below about 1e308")
    if all(text.isdecimal() for text in texts):  # digits without a sign
        # Python refuses to convert thousands of digits. Without its leading zeros, a number
        # has at most 309 digits here, because larger numbers were refused above.
        integers = [int(text.lstrip("0") or "0") for text in texts]
        if max(integers) < 2**64:
            return np.array(integers, np.uint64)
    check_not_merged(column.name, with_all_digits(texts))
    return np.array(texts, dtype=object).astype(np.float64)


def _rows_unlike_pattern(texts: list[str], label: str) -> list[int]:
    """Return the rows whose texts don't match the pattern of the numbers of column ``label``."""
    pattern = re.compile(NUMBER_PATTERNS[label], re.ASCII | re.IGNORECASE)
    return [row for row, text in enumerate(texts) if not pattern.fullmatch(text)]


def _wrong_lines_error(
    column: _NumberTexts, texts: list[str], rows: list[int], kind: str
) -> InputError:
    """Return the error for a column that has wrong texts in some rows.

    ``kind`` says what the texts must be, such as "whole numbers of 64 bits".
    """
    lines = split_trec_lines(column.data, column.width)
    line_numbers = [number for number, _, _ in lines]
    shown = format_first(f"{shorten(texts[row])} in line {line_numbers[row]}" for row in rows)
    return InputError(f"{column.name} must be {kind}; got {shown}")
