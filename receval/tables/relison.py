"""RELISON's files in and out: links of a graph, and recommended links; tab-separated, no header."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from receval._checks import InputError, input_error
from receval._files import write_atomically
from receval.tables.columns import (
    column,
    exact_digits,
    numbers,
    order_preserving_floats,
    read_ids,
    refuse_rows,
)
from receval.tables.fields import csv_columns
from receval.tables.number_parsing import (
    float64_unless_rounded,
    parse_table_numbers,
    unsigned_numbers,
    whole_numbers,
)

__all__ = ["read_links", "read_recommendations", "write_links", "write_recommendations"]

LINK = ["user", "item", "weight", "type"]
RECOMMENDATION = ["user", "item", "score"]


def read_links(path: str | Path) -> pd.DataFrame:
    r"""Links of a graph: origin, destination, and where they are there weight and type.

    Parameters
    ----------
    path : str or Path
        The file: fields separated by tabs, no header.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``weight`` (1 where there is none) and, if there, ``type``.

    Raises
    ------
    InputError
        If lines have not as many fields as the first, fewer than two or more than four, a weight
        is no number, as a header has none, or the file is not UTF-8.

    References
    ----------
    RELISON's ``TextGraphReader``; document 004.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.txt"
    >>> _ = path.write_text("0\t4\t1.0\n0\t7\t2.5\n")
    >>> read_links(path)
       user  item  weight
    0     0     4     1.0
    1     0     7     2.5
    """
    table = _read(path, LINK, least=2)
    return table if "weight" in table else table.assign(weight=1.0)


def read_recommendations(path: str | Path) -> pd.DataFrame:
    r"""Recommended links: target user, candidate, score; each user's best first.

    Parameters
    ----------
    path : str or Path
        As in `read_links`.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item`` and ``score``, in the order of the file, which decides between
        equal scores under ``convention="relison_program"``.

    Raises
    ------
    InputError
        If lines have not three fields, a score is no number, or the file is not UTF-8.

    References
    ----------
    RELISON's manual, "Link recommendation experiments", section "Recommendation file".
    """
    return _read(path, RECOMMENDATION, least=3)


def write_links(links: pd.DataFrame, path: str | Path) -> None:
    """Write ``user``, ``item`` and, where there are such columns, ``weight`` and ``type``.

    Parameters
    ----------
    links : DataFrame
        A row per link, written in this order, numbers with all their digits.
    path : str or Path
        Where to; written aside and renamed, so that a crash leaves no half file.

    Raises
    ------
    InputError
        If a column is missing, an id is missing or holds a tab or a line break, a weight is no
        finite number, or there is a type without a weight.
    """
    if "type" in links and "weight" not in links:
        raise InputError("links must have a weight beside their type; got none")
    if "type" in links:
        _check_text(links, "type", "links")
    _write(links, [name for name in LINK if name in links or name in LINK[:2]], "links", path)


def write_recommendations(recommendations: pd.DataFrame, path: str | Path) -> None:
    """Write ``user``, ``item``, ``score``: users in the order of their first rows, best first.

    Parameters
    ----------
    recommendations : DataFrame
        Equal scores of a user keep the order of their rows.
    path : str or Path
        As in `write_links`.

    Raises
    ------
    InputError
        As in `write_links`, of the score.
    """
    score = numbers(column(recommendations, "score", "recommendations"), "score")
    user = pd.factorize(column(recommendations, "user", "recommendations"))[0]
    ordered = recommendations.iloc[
        np.lexsort((-order_preserving_floats(score).astype(np.float64), user))
    ]
    _write(ordered, RECOMMENDATION, "recommendations", path)


def _read(path: str | Path, names: list[str], least: int) -> pd.DataFrame:
    columns = csv_columns(path, "\t", header=False, quotes=False)
    if not least <= len(columns) <= len(names):
        wanted = f"{least} to {len(names)}" if least < len(names) else str(least)
        rule = f"have {wanted} fields in a line, separated by tabs"
        raise input_error(Path(path).name, rule, len(columns))
    texts = dict(zip(names, columns.values(), strict=False))
    # Only the third field is a number; an id "1e5" is text, and 15 is a whole number.
    is_text = {name for name in texts if name != names[2] and whole_numbers(texts[name]) is None}
    table = parse_table_numbers(texts, is_text)
    for name in table.columns[:2]:
        read_ids(table[name], f"{name} in {Path(path).name}")
    for name in table.columns[2:3]:
        if table[name].dtype.kind not in "iuf":
            unsigned = unsigned_numbers(texts[name])
            if unsigned is not None:
                table[name] = unsigned
        values = numbers(table[name], f"{name} in {Path(path).name}")
        table[name] = values if values.dtype.kind == "u" else float64_unless_rounded(values)
    return table


def _write(table: pd.DataFrame, names: list[str], what: str, path: str | Path) -> None:
    for name in names[:2]:
        read_ids(column(table, name, what), f"{name} of {what}")
        _check_text(table, name, what)
    fields: list[list[str]] = []
    for place, name in enumerate(names):
        series = column(table, name, what)
        if place == 2:
            fields.append(
                exact_digits(numbers(series, f"{name} of {what}"), series, f"{name} of {what}")
            )
        else:
            fields.append(list(map(str, series)))
    lines = ["\t".join(row) + "\n" for row in zip(*fields, strict=True)]
    write_atomically(path, lambda file: file.writelines(lines), stream=True)


def _check_text(table: pd.DataFrame, name: str, what: str) -> None:
    """Refuse text that the fields of a file cannot hold."""
    series = column(table, name, what)
    refuse_rows(series, series.isna().to_numpy(), f"{name} of {what}", "not be missing")
    texts = list(map(str, series))
    breaks = np.array([text.splitlines() != [text] or "\t" in text for text in texts], bool)
    refuse_rows(series, breaks, f"{name} of {what}", "be without tabs and breaks, and not empty")
    marked = np.array([text.startswith("\ufeff") for text in texts], bool)
    refuse_rows(series, marked, f"{name} of {what}", "not begin with a byte order mark")
