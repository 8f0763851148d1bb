"""Write tables as CSV text, so that `receval.tables.read_table` reads the same tables back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TextIO

import numpy as np
import pandas as pd

from receval._checks import InputError, format_first, input_error, shorten
from receval.tables.columns import check_no_rows
from receval.tables.csv_reading import OTHER_SEPARATORS
from receval.tables.number_parsing import looks_like_numbers

BATCH_ROWS = 100_000
"""Number of rows that are converted to text at a time."""

NESTED_TYPES = (list, dict, set, frozenset, bytes, bytearray, np.ndarray)
"""Types of cells that CSV cannot hold."""


def seventeen_digits(number: float) -> str:
    """Return a float64 as text with 17 digits, which identify it exactly; 2.0 becomes "2"."""
    return f"{number:.17g}"


def write_csv(
    table: pd.DataFrame,
    file: TextIO,
    separator: str = ",",
    *,
    as_digits: Callable[[float], str] = seventeen_digits,
    empty_text: bool = False,
) -> None:
    """Write a table, without its index, as lines of fields.

    receval puts a text in quotes if it holds a separator, a quote or the end of a line. It also
    puts all texts of a column in quotes if `receval.tables.read_table` would read the column as
    numbers without them. For example, a column with the text "7" needs quotes. A column with "007"
    does not, because the leading zeros show that it is text.

    Parameters
    ----------
    table : DataFrame
        A table of text, numbers, dates or truth values. A missing cell becomes an empty field.
    file : text file
        The open file to write to.
    separator : str, default ","
        The text between two fields.
    as_digits : callable, default `seventeen_digits`
        Function that formats a float64.
    empty_text : bool, default False
        Whether to write empty text, which is read back as missing.

    Raises
    ------
    InputError
        If the table has no column, two columns of the same name, or a column without a name; or if
        CSV cannot hold a cell: empty text, a list, or a number of more digits than float64 has.
    """
    names = [str(name) for name in table.columns]
    _check_names(names)
    columns = [
        _CsvColumn(table.iloc[:, position], name, separator) for position, name in enumerate(names)
    ]
    for column in columns:
        column.check(allow_empty_text=empty_text)
    # In a header, readers also look for other separators and for a byte order mark.
    special = re.compile(f'[{re.escape(separator + OTHER_SEPARATORS)}"\r\n\ufeff]')
    header = [_quote(name) if special.search(name) else name for name in names]
    file.write(separator.join(header) + "\n")
    for start in range(0, len(table), BATCH_ROWS):
        rows = slice(start, start + BATCH_ROWS)
        fields_by_column = [column.fields(rows, as_digits) for column in columns]
        if len(fields_by_column) == 1:
            # Readers skip empty lines, so a missing value needs quotes if it is alone in its line.
            fields_by_column = [[field or '""' for field in fields_by_column[0]]]
        lines = (f"{separator.join(row)}\n" for row in zip(*fields_by_column, strict=True))
        file.writelines(lines)


def check_distinct(names: list[str]) -> None:
    """Raise if two columns have the same name: a reader could not distinguish them."""
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        shown = format_first(repr(name) for name in repeated)
        raise input_error("table", "have each column once", f"{shown} twice")


def _check_names(names: list[str]) -> None:
    """Raise if there are no columns, if one has no name, or if two have the same name."""
    if not names:
        raise InputError("table must have at least one column to be written as CSV; got none")
    if "" in names:
        rule = "have a name for each column to be written as CSV"
        raise input_error("table", rule, "an empty one")
    check_distinct(names)


class _CsvColumn:
    """A column of a table that is written as CSV.

    Attributes
    ----------
    series : the column.
    name : the name of the column in error messages.
    special : pattern of the characters for which a text needs quotes.
    is_float, is_integer, is_date : whether the column has such a type. If all three are false, its
        cells may be anything.
    all_quoted : whether all texts need quotes, because they would be read as numbers.
    """

    def __init__(self, series: pd.Series, name: str, separator: str) -> None:
        dtype = series.dtype
        self.series = series
        self.name = f"column {shorten(name)}"
        self.special = re.compile(f'[{re.escape(separator)}"\r\n]')
        # Only NumPy's numbers are written by column. Types of pandas may have missing values, so
        # they are written cell by cell.
        self.is_float = isinstance(dtype, np.dtype) and dtype.kind == "f"
        self.is_integer = isinstance(dtype, np.dtype) and dtype.kind in "iu"
        is_date = pd.api.types.is_datetime64_any_dtype(dtype)
        self.is_date = is_date or isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype)
        self.all_quoted = False

    def check(self, *, allow_empty_text: bool) -> None:
        """Raise if CSV cannot hold a cell; set ``all_quoted``, which `fields` needs."""
        if self.is_float:
            self._check_float64()  # raises if CSV would round a number
        if self.is_float or self.is_integer or self.is_date:  # there are no texts or lists
            return
        cells = self.series.astype(object).to_numpy()
        texts = [cell for cell in cells if isinstance(cell, str)]
        if not allow_empty_text and "" in texts:
            is_empty = np.array([isinstance(cell, str) and not cell for cell in cells], bool)
            rule = "not hold empty text, which a text file cannot tell from a missing value"
            check_no_rows(
                self.series, is_empty, self.name, rule, "Write .parquet, or drop such rows"
            )
        is_nested = np.array([isinstance(cell, NESTED_TYPES) for cell in cells], bool)
        rule = "hold text, numbers, dates or truth values to be written as CSV"
        check_no_rows(self.series, is_nested, self.name, rule)
        # Readers give all cells of a column one type. So a column gets quotes that mark it as text
        # only if all its cells are text.
        has_only_text = len(texts) == int(self.series.notna().sum())
        self.all_quoted = has_only_text and looks_like_numbers(texts)

    def _check_float64(self) -> None:
        """Raise if a float of the column is longer than 64 bits and float64 would round it."""
        numbers = self.series.to_numpy()
        if numbers.itemsize > 8:
            is_rounded = (numbers.astype(np.float64) != numbers) & ~np.isnan(numbers)
            check_no_rows(self.series, is_rounded, self.name, "hold numbers of float64")

    def fields(self, rows: slice, as_digits: Callable[[float], str]) -> list[str]:
        """Return the cells of some rows as text; missing ones are empty.

        ``as_digits`` formats floats. Call `check` first: it sets ``all_quoted``, from which
        `_field` knows whether all texts need quotes.
        """
        series = self.series.iloc[rows]
        if self.is_integer:
            return [str(integer) for integer in series.tolist()]
        if self.is_float:
            return ["" if math.isnan(number) else as_digits(number) for number in series.tolist()]
        # Columns of all other types may have missing cells, and columns of objects may have cells
        # of several types. Missing dates become the text "NaT", so look up in the original column
        # which are missing.
        cells = series.astype(str if self.is_date else object).tolist()
        is_missing_by_row = series.isna().tolist()
        return [
            "" if is_missing else self._field(cell, as_digits)
            for cell, is_missing in zip(cells, is_missing_by_row, strict=True)
        ]

    def _field(self, cell: object, as_digits: Callable[[float], str]) -> str:
        """Return a cell that isn't missing as text, in quotes if it needs any."""
        if isinstance(cell, (float, np.floating)):
            return as_digits(float(cell))
        text = str(cell)
        if (self.all_quoted and text) or self.special.search(text):
            return _quote(text)
        return text


def _quote(text: str) -> str:
    """Return a text in quotes, with the quotes in it doubled."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
