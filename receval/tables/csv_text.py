"""Tables as CSV text, which `receval.tables.read_table` reads back as they were."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, format_first, input_error, shorten
from receval.tables.columns import refuse_rows
from receval.tables.number_parsing import looks_like_numbers

ROWS = 100_000  # that become text at a time
OTHER_SEPARATORS = ";\t|,"  # a reader that finds these alone in a header takes them for separators


def seventeen_digits(number: float) -> str:
    """A float64 with as many digits as tell it from all others; a whole one without a point."""
    return f"{number:.17g}"


def write_csv(
    table: pd.DataFrame,
    file: Any,
    separator: str = ",",
    *,
    as_digits: Callable[[float], str] = seventeen_digits,
    empty_text: bool = False,
) -> None:
    """Write a table, without its index, as lines of fields.

    Text stands in quotes where it holds a separator, a quote or the end of a line, and where
    nothing else tells it from numbers: ``"007"`` is text anyhow, ``"7"`` is not.

    Parameters
    ----------
    table : DataFrame
        Its cells hold text, numbers, dates or truth values; a missing one is an empty field.
    file : text file
        Where to.
    separator : str, default ","
        What stands between the fields.
    as_digits : callable, default `seventeen_digits`
        How a float64 is written.
    empty_text : bool, default False
        Whether to write empty text, which is read back as missing.

    Raises
    ------
    InputError
        If the table has no column, two of the same name, or one without a name, or a cell that
        CSV cannot hold: empty text, lists, numbers of more digits than float64.
    """
    names = [str(name) for name in table.columns]
    _check_names(names)
    columns = [_Column(table.iloc[:, place], name, separator) for place, name in enumerate(names)]
    for column in columns:
        column.check(empty_text)
    special = re.compile(f'[{re.escape(separator + OTHER_SEPARATORS)}"\r\n\ufeff]')
    header = [_quoted(name) if special.search(name) else name for name in names]
    file.write(separator.join(header) + "\n")
    for start in range(0, len(table), ROWS):
        fields = [column.fields(slice(start, start + ROWS), as_digits) for column in columns]
        if len(fields) == 1:  # an empty line is no row
            fields = [[field or '""' for field in fields[0]]]
        file.writelines(f"{separator.join(row)}\n" for row in zip(*fields, strict=True))


def check_distinct(names: list[str]) -> None:
    """Refuse columns that a file could not tell apart."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise input_error(
            "table", "have each column once", f"{format_first(map(repr, twice))} twice"
        )


def _check_names(names: list[str]) -> None:
    if not names:
        raise InputError("table must have at least one column to be written as CSV; got none")
    if "" in names:
        raise input_error(
            "table", "have a name for each column to be written as CSV", "an empty one"
        )
    check_distinct(names)


class _Column:
    """A column, and how its cells are written."""

    def __init__(self, series: pd.Series, name: str, separator: str) -> None:
        self.series = series
        self.name = f"column {shorten(name)}"
        self.special = re.compile(f'[{re.escape(separator)}"\r\n]')
        self.is_float = isinstance(series.dtype, np.dtype) and series.dtype.kind == "f"
        self.is_integer = isinstance(series.dtype, np.dtype) and series.dtype.kind in "iu"
        is_date = pd.api.types.is_datetime64_any_dtype(series.dtype)
        self.is_date = is_date or isinstance(series.dtype, pd.PeriodDtype | pd.IntervalDtype)
        self.all_quoted = False

    def check(self, empty_text: bool) -> None:
        """Refuse what CSV cannot hold; learn whether all texts need quotes."""
        values = self.series.to_numpy() if self.is_float else np.empty(0)
        if values.itemsize > 8:
            rounded = (values.astype(np.float64) != values) & ~np.isnan(values)
            refuse_rows(self.series, rounded, self.name, "hold numbers of float64")
        if self.is_float or self.is_integer or self.is_date:
            return
        cells = self.series.astype(object).to_numpy()
        texts = [cell for cell in cells if isinstance(cell, str)]
        if not empty_text and "" in texts:
            is_empty = np.array([isinstance(cell, str) and not cell for cell in cells], bool)
            rule = "not hold empty text, which a text file cannot tell from a missing value"
            refuse_rows(self.series, is_empty, self.name, rule, "Write .parquet, or drop such rows")
        held = (list, dict, set, frozenset, bytes, bytearray, np.ndarray)
        is_nested = np.array([isinstance(cell, held) for cell in cells], bool)
        rule = "hold text, numbers, dates or truth values to be written as CSV"
        refuse_rows(self.series, is_nested, self.name, rule)
        self.all_quoted = len(texts) == int(self.series.notna().sum()) and looks_like_numbers(texts)

    def fields(self, rows: slice, as_digits: Callable[[float], str]) -> list[str]:
        """Some of its cells as they are written."""
        series = self.series.iloc[rows]
        if self.is_integer:
            return list(map(str, series.tolist()))
        if self.is_float:
            return ["" if value != value else as_digits(value) for value in series.tolist()]
        missing = series.isna().tolist()
        cells = series.astype(str).tolist() if self.is_date else series.astype(object).tolist()
        return [
            "" if is_missing else self._field(cell, as_digits)
            for cell, is_missing in zip(cells, missing, strict=True)
        ]

    def _field(self, cell: Any, as_digits: Callable[[float], str]) -> str:
        if isinstance(cell, (float, np.floating)):
            return as_digits(float(cell))
        text = str(cell)
        if (self.all_quoted and text) or self.special.search(text):
            return _quoted(text)
        return text


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
