"""TREC files in and out: runs and qrels."""

from __future__ import annotations

import re
from math import isinf
from pathlib import Path

import numpy as np
import pandas as pd

from receval._checks import SHOWN, InputError, shorten
from receval._files import write_atomically
from receval.tables.columns import column, numbers, refuse_rows
from receval.tables.ids import encode, read_ids
from receval.tables.text import read_text

__all__ = ["read_qrels", "read_run", "write_qrels", "write_run"]

DECIMAL = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
FIELD = re.compile(r"[^ \t\r\v\f]+")  # an id may hold any other blank that Unicode knows
# What Python's int and float read beyond these, such as 1_0, no other TREC program reads.
FORMS = {"rank": r"[-+]?\d{1,30}", "score": rf"{DECIMAL}|[-+]?inf", "relevance": DECIMAL}


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
    fields = _fields(path, "query Q0 document rank score tag")
    table = fields.set_axis(["user", "", "item", "rank", "score", "system"], axis=1).drop(
        columns=""
    )
    return table.assign(rank=_numbers(fields["rank"], path), score=_numbers(fields["score"], path))


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
    fields = _fields(path, "query iteration document relevance")
    table = fields.set_axis(["user", "", "item", "relevance"], axis=1).drop(columns="")
    return table.assign(relevance=_numbers(fields["relevance"], path))


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
    _refuse_blanks(pd.Series([tag], dtype=object), "tag")
    users, items = _ids(recommendations, "recommendations")
    given = column(recommendations, "score", "recommendations")
    score = numbers(given, "score of recommendations", infinite=True).astype(np.float64)
    column_of_users = column(recommendations, "user", "recommendations")
    user = encode({"recommendations": column_of_users}, "user")[0]["recommendations"]
    order = np.lexsort((-score, user))
    rank = pd.Series(user[order]).groupby(user[order]).cumcount() + 1
    lines = [
        f"{users[row]} Q0 {items[row]} {place} {float(score[row])!r} {tag}\n"
        for row, place in zip(order, rank, strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines))


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
    grades = numbers(column(relevance, "relevance", "relevance"), "relevance of relevance")
    grades = grades.astype(np.float64)
    lines = [
        f"{user} 0 {item} {int(grade) if grade.is_integer() else repr(grade)}\n"
        for user, item, grade in zip(users, items, grades.tolist(), strict=True)
    ]
    write_atomically(path, lambda file: file.writelines(lines))


def _ids(table: pd.DataFrame, name: str) -> list[list[str]]:
    """Users and items as text that a TREC file can hold."""
    texts = []
    for label in ("user", "item"):
        series = column(table, label, name)
        read_ids(series, f"{label} of {name}")  # refuses what is no id
        _refuse_blanks(series, f"{label} of {name}")
        texts.append(list(map(str, series)))
    comment = np.array([text.startswith("#") for text in texts[0]], dtype=bool)
    rule = "not begin with '#', which begins a comment"
    refuse_rows(column(table, "user", name), comment, f"user of {name}", rule)
    return texts


def _refuse_blanks(series: pd.Series, name: str) -> None:
    wrong = np.array([str(value).split() != [str(value)] for value in series], dtype=bool)
    refuse_rows(series, wrong, name, "be text without blanks, and not empty")


def _fields(path: str | Path, form: str) -> pd.DataFrame:
    """The fields of a file's lines, as text, by the words of their form."""
    rows, names = [], form.split()
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        fields = FIELD.findall(line)
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != len(names):
            raise InputError(
                f"{Path(path).name} must have lines of the form '{form}'; "
                f"got {shorten(line)} in line {number}"
            )
        rows.append(fields)
    return pd.DataFrame(rows, columns=names, dtype=str)


def _numbers(texts: pd.Series, path: str | Path) -> pd.Series:
    name, whole = str(texts.name), texts.name == "rank"
    form = re.compile(FORMS[name], re.ASCII | re.IGNORECASE)
    kind = "whole numbers of 64 bits" if whole else "numbers"
    wrong = [text for text in texts if not form.fullmatch(text)]
    if whole and not wrong:
        wrong = [text for text in texts if not -(2**63) <= int(text) < 2**63]
    elif not wrong:
        kind = "numbers below about 1e308"
        wrong = [text for text in texts if isinf(float(text)) and "inf" not in text.lower()]
    if wrong:
        raise InputError(
            f"{name} in {Path(path).name} must be {kind}; got "
            f"{', '.join(map(shorten, wrong[:SHOWN]))}"
        )
    return pd.Series(list(map(int if whole else float, texts)), dtype=int if whole else float)
