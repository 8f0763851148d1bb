"""Read and write RELISON's files: the links of a graph, and recommended links.

Their fields are separated by tabs, and they have no header.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import InputError, input_error
from receval._files import write_atomically
from receval._types import AnyArray
from receval.tables.columns import (
    check_no_rows,
    exact_digits,
    order_preserving_floats,
    read_column,
    read_ids,
    read_numbers,
)
from receval.tables.csv_reading import read_csv_columns
from receval.tables.number_parsing import (
    float64_unless_rounded,
    parse_integers,
    parse_table_numbers,
    parse_unsigned_integers,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_links", "read_recommendations", "write_links", "write_recommendations"]

ID_COLUMNS = ["user", "item"]
LINK_COLUMNS = [*ID_COLUMNS, "weight", "type"]
RECOMMENDATION_COLUMNS = [*ID_COLUMNS, "score"]


def read_links(path: str | Path) -> pd.DataFrame:
    r"""Read the links of a graph: origin, destination and, if the file has them, weight and type.

    Parameters
    ----------
    path : str or Path
        The file: fields separated by tabs, no header.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``weight`` (1 if the file has none) and, if the file has one,
        ``type``.

    Raises
    ------
    InputError
        If lines have different numbers of fields, fewer than two or more than four, if a weight is
        not a number (perhaps because of a header), or if the file is not UTF-8.

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
    table = _read_columns(path, LINK_COLUMNS, min_columns=2)
    if "weight" not in table:
        table = table.assign(weight=1.0)
    return table


def read_recommendations(path: str | Path) -> pd.DataFrame:
    r"""Read recommended links: target user, candidate and score.

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
        If lines don't have three fields, a score is not a number, or the file is not UTF-8.

    References
    ----------
    RELISON's manual, "Link recommendation experiments", section "Recommendation file".
    """
    return _read_columns(path, RECOMMENDATION_COLUMNS, min_columns=3)


def write_links(links: pd.DataFrame, path: str | Path) -> None:
    """Write ``user``, ``item`` and, if there are such columns, ``weight`` and ``type``.

    Parameters
    ----------
    links : DataFrame
        A row per link. The file has the rows in the same order, and numbers with all their digits.
    path : str or Path
        The file to write. receval writes to a temporary file and then renames it, so a crash
        can't leave an incomplete file.

    Raises
    ------
    InputError
        If a column is missing, an id is missing or holds a tab or a line break, a weight is not a
        finite number, or there is a type without a weight.
    """
    if "type" in links and "weight" not in links:
        raise InputError("links must have a weight as well as a type; got none")
    if "type" in links:
        _check_text(links, "type", "links")
    labels = [label for label in LINK_COLUMNS if label in ID_COLUMNS or label in links]
    _write_columns(links, labels, "links", path)


def write_recommendations(recommendations: pd.DataFrame, path: str | Path) -> None:
    """Write ``user``, ``item``, ``score``: users in the order of their first rows, best item first.

    Parameters
    ----------
    recommendations : DataFrame
        The links. Links of a user with equal scores keep the order of their rows.
    path : str or Path
        As in `write_links`.

    Raises
    ------
    InputError
        In the cases that `write_links` lists, but for the score instead of the weight.
    """
    scores = read_numbers(read_column(recommendations, "score", "recommendations"), "score")
    user_codes, _ = pd.factorize(read_column(recommendations, "user", "recommendations"))
    # To sort by falling score, negate floats: unsigned integers have no negative numbers. Large
    # integers that differ must not become equal floats.
    sort_keys = order_preserving_floats(scores).astype(np.float64)
    order = np.lexsort((-sort_keys, user_codes))
    ordered = recommendations.iloc[order]
    _write_columns(ordered, RECOMMENDATION_COLUMNS, "recommendations", path)


def _read_columns(path: str | Path, labels: list[str], min_columns: int) -> pd.DataFrame:
    """Return the columns of a file: two of ids, then perhaps one of numbers and one of texts.

    ``labels`` are the names of all columns that a file may have; the last ones may be missing, but
    at least ``min_columns`` must be there. Raises `InputError` if there are fewer or more columns,
    an id is missing, or a text in the third column is not a number.
    """
    file_name = Path(path).name
    columns = read_csv_columns(path, "\t", header=False, quotes=False)
    if not min_columns <= len(columns) <= len(labels):
        n_fields = str(min_columns)
        if min_columns < len(labels):
            n_fields = f"{min_columns} to {len(labels)}"
        rule = f"have {n_fields} fields in a line, separated by tabs"
        raise input_error(file_name, rule, len(columns))
    # strict=False: the file may have fewer columns than there are labels.
    texts_by_label = dict(zip(labels, columns.values(), strict=False))

    # Ids and types become numbers only if all are whole numbers: an id "1e5" is text.
    number_label = labels[2]
    text_labels: set[str] = set()
    for label, texts in texts_by_label.items():
        are_whole_numbers = parse_integers(texts) is not None
        if label != number_label and not are_whole_numbers:
            text_labels.add(label)
    table = parse_table_numbers(texts_by_label, text_labels)

    for label in ID_COLUMNS:
        read_ids(table[label], f"{label} in {file_name}")  # raises an error if an id is missing
    if number_label in table:
        number_texts = texts_by_label[number_label]
        number_name = f"{number_label} in {file_name}"
        table[number_label] = _read_numbers(table[number_label], number_texts, number_name)
    return table


def _read_numbers(series: pd.Series, texts: pa.LargeStringArray, name: str) -> AnyArray:
    """Return a column of numbers as float64, or as integers if float64 would round one of them.

    ``texts`` are the values as they are in the file. ``series`` has the numbers that
    `parse_table_numbers` made of them, or the texts if it couldn't. Raises `InputError` if a text
    isn't a number.
    """
    if series.dtype.kind not in "iuf":  # still texts, perhaps of integers beyond int64
        unsigned = parse_unsigned_integers(texts)
        if unsigned is not None:
            series = pd.Series(unsigned)
    values = read_numbers(series, name)  # raises if any are still texts
    if values.dtype.kind == "u":  # some are beyond int64, so float64 would round them
        return values
    return float64_unless_rounded(values)


def _write_columns(
    table: pd.DataFrame, labels: list[str], table_name: str, path: str | Path
) -> None:
    """Write the columns ``labels`` of a table as lines of fields.

    The first two columns have ids, and the third column, if there is one, has numbers. The caller
    has checked any further column.
    """
    for label in ID_COLUMNS:
        # This raises an error if a value isn't an id.
        read_ids(read_column(table, label, table_name), f"{label} of {table_name}")
        _check_text(table, label, table_name)
    fields_by_column: list[list[str]] = []
    for position, label in enumerate(labels):
        series = read_column(table, label, table_name)
        if position == 2:
            name = f"{label} of {table_name}"
            fields = exact_digits(read_numbers(series, name), series, name)
        else:
            fields = [str(value) for value in series]
        fields_by_column.append(fields)
    lines = ["\t".join(row) + "\n" for row in zip(*fields_by_column, strict=True)]
    write_atomically(path, lambda file: file.writelines(lines), stream=True)


def _check_text(table: pd.DataFrame, label: str, table_name: str) -> None:
    """Raise if a value of a column, as text, can't be a field of a file."""
    name = f"{label} of {table_name}"
    series = read_column(table, label, table_name)
    check_no_rows(series, series.isna().to_numpy(), name, "not be missing")
    texts = [str(value) for value in series]
    # splitlines returns several lines for a text with line breaks, and none for an empty text.
    is_broken = np.array([text.splitlines() != [text] or "\t" in text for text in texts], bool)
    check_no_rows(series, is_broken, name, "be without tabs and breaks, and not empty")
    has_mark = np.array([text.startswith("\ufeff") for text in texts], bool)
    check_no_rows(series, has_mark, name, "not begin with a byte order mark")
