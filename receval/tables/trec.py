"""TREC files in and out: runs and qrels."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, check_that, format_first, shorten
from receval._files import write_atomically
from receval._rounding import check_not_merged
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import (
    column,
    exact_digits,
    numbers,
    order_preserving_floats,
    read_ids,
    refuse_rows,
)
from receval.tables.fields import trec_fields, trec_lines
from receval.tables.number_parsing import decimals, float64_unless_rounded, whole_numbers
from receval.tables.text import read_bytes, require_path

__all__ = ["read_qrels", "read_run", "write_qrels", "write_run"]

BOM = "\ufeff"
DECIMAL = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
# What Python's int and float read beyond these, such as 1_0, no other TREC program reads.
FORMS = {"rank": r"[-+]?\d{1,30}", "score": rf"{DECIMAL}|[-+]?inf", "relevance": DECIMAL}


def read_run(path: str | Path) -> pd.DataFrame:
    r"""A TREC run: ``query Q0 document rank score tag``, separated by blanks or tabs.

    Parameters
    ----------
    path : str or Path
        The file, which may be compressed (``.gz``). Empty lines and lines that start with ``#``
        are passed over.

    Returns
    -------
    DataFrame
        Columns ``user`` and ``item`` (text), ``rank`` (whole numbers, as written; trec_eval
        ignores it), ``score`` and ``system`` (the tag).

    Raises
    ------
    InputError
        If a line has not six fields, a rank is no whole number of 64 bits, a score no number, or
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
    return _read(path, "query Q0 document rank score tag", names)


def read_qrels(path: str | Path) -> pd.DataFrame:
    r"""TREC relevance judgements: ``query iteration document relevance``.

    Parameters
    ----------
    path : str or Path
        The file, which may be compressed (``.gz``). Empty lines and lines that start with ``#``
        are passed over.

    Returns
    -------
    DataFrame
        Columns ``user`` and ``item`` (text) and ``relevance``.

    Raises
    ------
    InputError
        If a line has not four fields, a relevance is no number, or the file is not UTF-8.

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
    return _read(path, "query iteration document relevance", names)


def write_run(recommendations: pd.DataFrame, path: str | Path, *, tag: str = "receval") -> None:
    """Write recommendations as a TREC run.

    Parameters
    ----------
    recommendations : DataFrame
        Columns ``user``, ``item``, ``score``; written by user, then by falling score, every
        score with all its digits.
    path : str or Path
        Where to; written aside and renamed, so that a crash leaves no half file.
    tag : str, default "receval"
        Name of the system.

    Raises
    ------
    InputError
        If a column is missing, a score is no number or NaN, or an id or the tag is missing,
        empty or holds a blank, which separates the fields of the file.
    """
    check_that(isinstance(tag, str), "tag", "be text", tag)
    _refuse_blanks(pd.Series([tag], dtype=object), "tag")
    users, items = _ids(recommendations, "recommendations")
    given = column(recommendations, "score", "recommendations")
    score = numbers(given, "score of recommendations", infinite=True)
    written = exact_digits(score, given, "score of recommendations")
    column_of_users = column(recommendations, "user", "recommendations")
    user = shared_code_arrays({"recommendations": column_of_users}, "user")[0]["recommendations"]
    order = np.lexsort((-order_preserving_floats(score).astype(np.float64), user))
    rank = pd.Series(user[order]).groupby(user[order]).cumcount() + 1
    lines = [
        f"{users[row]} Q0 {items[row]} {place} {written[row]} {tag}\n"
        for row, place in zip(order, rank, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines), stream=True)


def write_qrels(relevance: pd.DataFrame, path: str | Path) -> None:
    """Write relevance as TREC judgements.

    Parameters
    ----------
    relevance : DataFrame
        Columns ``user``, ``item``, ``relevance``; whole grades are written without a point, all
        others with all their digits.
    path : str or Path
        Where to; written aside and renamed, so that a crash leaves no half file.

    Raises
    ------
    InputError
        If a column is missing, a grade is not a finite number, or an id is missing, empty or
        holds a blank, which separates the fields of the file.
    """
    users, items = _ids(relevance, "relevance")
    given = column(relevance, "relevance", "relevance")
    grades = numbers(given, "relevance of relevance")
    written = exact_digits(grades, given, "relevance of relevance", whole_as_integer=True)
    lines = [
        f"{user} 0 {item} {grade}\n"
        for user, item, grade in zip(users, items, written, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines), stream=True)


def _ids(table: pd.DataFrame, name: str) -> list[list[str]]:
    """Users and items as text that a TREC file can hold."""
    texts = []
    for label in ("user", "item"):
        series = column(table, label, name)
        read_ids(series, f"{label} of {name}")  # refuses what is no id
        _refuse_blanks(series, f"{label} of {name}")
        texts.append(list(map(str, series)))
    for sign, what in (("#", "'#', which begins a comment"), (BOM, "a byte order mark")):
        wrong = np.array([text.startswith(sign) for text in texts[0]], dtype=bool)
        refuse_rows(column(table, "user", name), wrong, f"user of {name}", f"not begin with {what}")
    return texts


def _refuse_blanks(series: pd.Series, name: str) -> None:
    wrong = np.array([str(value).split() != [str(value)] for value in series], dtype=bool)
    refuse_rows(series, wrong, name, "be text without blanks, and not empty")


def _read(path: str | Path, form: str, names: list[str]) -> pd.DataFrame:
    """The columns of a file by their names; those that hold numbers as such."""
    path = require_path(path)
    data = read_bytes(path)
    columns = {
        name: _numbers(texts, name, path, data) if name in FORMS else texts.to_pandas()
        for name, texts in zip(names, trec_fields(path, data, form), strict=True)
        if name
    }
    return pd.DataFrame(columns)


def _numbers(texts: Any, name: str, path: Path, data: bytes) -> Any:
    """A column of numbers, at once where they are written as in most files."""
    found: Any = whole_numbers(texts)
    whole = name == "rank"
    if not whole:
        # Whole numbers beyond 2^53 stay whole: float64 makes neighbours equal.
        found = decimals(texts) if found is None else float64_unless_rounded(found)
    if found is not None and (name != "relevance" or np.isfinite(found).all()):
        return found
    form, given = re.compile(FORMS[name], re.ASCII | re.IGNORECASE), texts.to_pylist()
    kind = "whole numbers of 64 bits" if whole else "numbers"
    wrong = [row for row, text in enumerate(given) if not form.fullmatch(text)]
    if whole and not wrong:
        wrong = [row for row, text in enumerate(given) if not -(2**63) <= int(text) < 2**63]
    elif not wrong:
        kind = "numbers below about 1e308"
        infinite = [isinf(float(text)) and "inf" not in text.lower() for text in given]
        wrong = np.flatnonzero(infinite).tolist()
    if wrong:
        lines = trec_lines(data)
        shown = format_first(f"{shorten(given[row])} in line {lines[row][0]}" for row in wrong)
        raise InputError(f"{name} in {path.name} must be {kind}; got {shown}")
    if not whole and all(text.isdecimal() for text in given):
        integers = [int(text) for text in given]
        if max(integers) < 2**64:  # beyond int64; float64 would round them
            return np.array(integers, np.uint64)
    if not whole:
        check_not_merged(f"{name} in {path.name}", list(map(Decimal, given)))
    return np.array(given, dtype=object).astype(np.int64 if whole else np.float64)
