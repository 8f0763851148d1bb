"""Read a printed table from LaTeX, Markdown or CSV."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pandas as pd

from receval._checks import (
    InputError,
    NoSuchFile,
    check_that,
    format_first,
    input_error,
    is_integer,
    shorten,
)
from receval._files import is_file
from receval.ledger.latex_tables import Grid, GridCell, choose_table, fill_covered, read_latex
from receval.ledger.printed import read_printed

__all__ = ["Cell", "PrintedTable", "label_text", "read_table"]

SEPARATOR = " / "  # between the parts of a label
FORMATS = {
    ".tex": "latex", ".latex": "latex", ".md": "markdown", ".markdown": "markdown",
    ".csv": "csv", ".tsv": "csv",
}  # fmt: skip
MAX_BYTES = 20_000_000  # largest size of a file with a table
DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
UNESCAPED_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Cell:
    """A cell with something printed in it.

    Attributes
    ----------
    row, column : str
        The labels of its row and column. If a label has several parts, " / " joins them.
    text : str
        The text as printed, without markup.
    line : int
        The line of the file.
    is_bold : bool
        Whether it has a part in bold.
    kind : {"number", "statement", "label"}
        Whether the text is a number in a form that `read_printed` understands, a statement such as
        "n.s." in place of a number, or another text such as "yes".
    """

    row: str
    column: str
    text: str
    line: int
    is_bold: bool = False
    kind: str = "number"


@dataclass(frozen=True)
class PrintedTable:
    """A table as printed.

    Attributes
    ----------
    name : str
        The name of the file without its extension.
    file : str
        The name of the file.
    caption : str
        The caption; "" if there is none.
    rows, columns : tuple of str
        The labels, from top to bottom and from left to right. Each occurs once.
    cells : tuple of Cell
        The cells that are not empty, row by row.
    """

    name: str
    file: str
    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]

    @property
    def n_empty(self) -> int:
        """Return the number of cells with nothing in them."""
        return len(self.rows) * len(self.columns) - len(self.cells)

    def frame(self) -> pd.DataFrame:
        """Return the texts as a frame of the printed shape, "" where nothing is printed.

        Returns
        -------
        DataFrame
            Rows and columns by label.

        Examples
        --------
        >>> cells = (Cell("EASE", "HR@10", "0.396*", 3), Cell("EASE", "nDCG@10", "0.21", 3))
        >>> PrintedTable("t", "t.md", "", ("EASE",), ("HR@10", "nDCG@10"), cells).frame()
               HR@10 nDCG@10
        EASE  0.396*    0.21
        """
        frame = pd.DataFrame("", index=list(self.rows), columns=list(self.columns), dtype=object)
        row_index = {row: index for index, row in enumerate(self.rows)}
        column_index = {column: index for index, column in enumerate(self.columns)}
        for cell in self.cells:
            frame.iloc[row_index[cell.row], column_index[cell.column]] = cell.text
        return frame


def read_table(
    path: str | Path,
    *,
    number: int | None = None,
    label_columns: int | None = None,
    header_rows: int | None = None,
    decimal_comma: bool = False,
) -> PrintedTable:
    r"""Read a printed table from a file.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in ``.tex`` (with a ``tabular`` or a similar environment), ``.md``
        (with a pipe table), ``.csv`` or ``.tsv``, in UTF-8.
    number : int, optional
        The number of the table in the file, counted from 1, if there are several.
    label_columns : int, optional
        The number of columns at the left that hold the labels of the rows. By default, these are
        the first column and all others before the first column with a number.
    header_rows : int, optional
        The number of rows at the top that hold the labels of the columns. By default, these are the
        rows above the first rule in the table or, without a rule, the first row.
    decimal_comma : bool, default False
        Whether the table prints 0,396 for 0.396.

    Returns
    -------
    PrintedTable

    Raises
    ------
    InputError
        If the file is missing, too large, or not text in UTF-8; if it has no table, or several and
        no ``number`` is passed; if a label occurs twice, or a row has more cells than the header;
        or if a cell looks like a number but has a form that `read_printed` doesn't understand. The
        message gives the lines.
    ImportError
        For a table in LaTeX, if pylatexenc is not installed.

    Notes
    -----
    Cells that ``\multirow`` or ``\multicolumn`` cover get the text of the covering cell. An empty
    cell in a label column repeats the label above it, except in the last label column. A row with a
    single cell across all columns is a heading: it becomes the first part of the labels below it.
    """
    path, text = _read_text(path)
    check_counts = (("label_columns", label_columns, 1), ("header_rows", header_rows, 1))
    for name, count, least in check_counts:
        if count is not None and not is_integer(count, least):
            raise input_error(name, "be a positive whole number", shorten(count))
    file_format = FORMATS[path.suffix.lower()]
    if file_format == "latex":
        grid = read_latex(text, path.name, number)
    elif file_format == "markdown":
        grid = _read_markdown(text, path.name, number)
    else:
        grid = _read_csv(text, path, decimal_comma=decimal_comma)
    return _label_cells(grid, path, label_columns, header_rows, decimal_comma=decimal_comma)


def label_text(label: object) -> str:
    """Return the label of a row or column as one text.

    Parameters
    ----------
    label : object
        A label, or a tuple of the parts of a label, as a MultiIndex has them.

    Returns
    -------
    str
        The parts joined by " / ". Empty parts and repeats of the part before are left out.

    Examples
    --------
    >>> label_text(("MovieLens", "EASE")), label_text(10)
    ('MovieLens / EASE', '10')
    """
    parts = label if isinstance(label, tuple) else (label,)
    texts: list[str] = []
    for part in parts:
        text = " ".join(str(part).split())
        if text and text not in texts[-1:]:
            texts.append(text)
    return SEPARATOR.join(texts)


def _read_text(path: str | Path) -> tuple[Path, str]:
    """Return a path and the text of its file; raise if the file has no readable text."""
    if not isinstance(path, (str, Path)):
        raise input_error("table", "be the path of a file", shorten(path))
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        rule = f"be a file that ends in {', '.join(FORMATS)}"
        raise input_error("table", rule, shorten(path.name))
    if not is_file(path):
        raise NoSuchFile(f"table must be the path of a file; there is none at {path}")
    n_bytes = path.stat().st_size
    check_that(n_bytes <= MAX_BYTES, path.name, f"have at most {MAX_BYTES:,} bytes", n_bytes)
    try:
        return path, path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"the byte {error.object[error.start]:#04x} at position {error.start}"
        raise input_error(path.name, "be text in UTF-8", got) from None


def _read_markdown(text: str, name: str, number: int | None) -> Grid:
    """Return the cells of a table of pipes."""
    lines = text.splitlines()
    places = []
    is_in_code = False
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.lstrip().startswith(("```", "~~~")):
            is_in_code = not is_in_code
        is_delimiter = index > 0 and "-" in line and DELIMITER_ROW.fullmatch(line) is not None
        if is_delimiter and not is_in_code and "|" in lines[index - 1]:
            end = index + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            places.append((index - 1, end))
            index = end
        else:
            index += 1
    start, end = choose_table(places, number, name)
    rows = [_markdown_row(lines[line], line + 1) for line in range(start, end) if line != start + 1]
    return Grid(fill_covered(rows), n_header_rows=1)


def _markdown_row(line: str, line_number: int) -> list[GridCell]:
    """Return the cells of a row of pipes."""
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith(r"\|"):
        line = line[:-1]
    cells = []
    for text in UNESCAPED_BAR.split(line):
        plain = _without_emphasis(text.replace(r"\|", "|").strip())
        is_bold = "**" in text or "__" in text or "<b>" in text
        cells.append(GridCell(plain, line_number, is_bold))
    return cells


def _without_emphasis(text: str) -> str:
    """Return the text of a Markdown cell without code marks, bold and italic."""
    text = re.sub(r"\s*<br\s*/?>\s*", " ", text.replace("`", ""))
    text = re.sub(r"\*\*([^*]+)\*\*|__([^_]+)__", lambda match: match[1] or match[2], text)
    return re.sub(r"(?<![\w*])(?:\*([^*]+)\*|_([^_]+)_)(?![\w*])", _emphasised, text)


def _emphasised(match: re.Match[str]) -> str:
    """Return the text between two marks of emphasis."""
    return match[1] or match[2]


def _read_csv(text: str, path: Path, *, decimal_comma: bool) -> Grid:
    """Return the cells of a CSV file; its delimiter is the most frequent one in the first line."""
    delimiters = [",", ";", "\t"]
    if path.suffix.lower() == ".tsv":
        delimiters = ["\t"]
    elif decimal_comma:
        delimiters = [";", "\t", ","]
    first_line = text.partition("\n")[0]
    delimiter = max(delimiters, key=first_line.count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    previous_line = 0
    try:
        for texts in reader:
            line = previous_line + 1  # a quoted cell may have several lines
            previous_line = reader.line_num
            if any(cell.strip() for cell in texts):
                rows.append([GridCell(" ".join(cell.split()), line) for cell in texts])
    except csv.Error as error:
        raise input_error(path.name, "be valid CSV", f"{error} in line {reader.line_num}") from None
    if not rows:
        raise InputError(f"{path.name} must have a table; got none")
    return Grid(fill_covered(rows), n_header_rows=1)


def _label_cells(
    grid: Grid,
    path: Path,
    label_columns: int | None,
    header_rows: int | None,
    *,
    decimal_comma: bool,
) -> PrintedTable:
    """Return the cells of a grid with their labels; see `read_table` for the other arguments."""
    n_header_rows = header_rows or grid.n_header_rows or 1
    header, body = grid.rows[:n_header_rows], grid.rows[n_header_rows:]
    if not body:
        rule = "have rows below the labels of its columns"
        raise input_error(path.name, rule, f"{len(grid.rows)} rows, {n_header_rows} with labels")
    n_labels = label_columns or _count_label_columns(body, decimal_comma=decimal_comma)
    n_columns = len(grid.rows[0])
    if n_labels >= n_columns:
        rule = "have columns to the right of the labels of its rows"
        raise input_error(path.name, rule, f"{n_columns} columns, {n_labels} with labels")
    _check_columns(header, body, path)
    columns = _column_labels(header, n_labels, path)
    labelled_rows = list(_row_labels(body, n_labels))
    _check_labels_differ([(label, cells[0].line) for label, cells in labelled_rows], path)
    cells: list[Cell] = []
    problems: list[str] = []
    for row, grid_cells in labelled_rows:
        for column, grid_cell in zip(columns, grid_cells[n_labels:], strict=True):
            if grid_cell.text == "":
                continue
            try:
                cells.append(_cell(row, column, grid_cell, decimal_comma=decimal_comma))
            except InputError as error:
                where = f"line {grid_cell.line} (row {row}, column {column})"
                problems.append(f"{where}: {error}")
    if problems:
        shown = format_first(problems, to_text=lambda problem: f"\n  {problem}")
        raise InputError(f"{path.name} must have cells that receval can read; got{shown}")
    return PrintedTable(
        name=path.stem,
        file=path.name,
        caption=grid.caption,
        rows=tuple(label for label, _ in labelled_rows),
        columns=tuple(columns),
        cells=tuple(cells),
    )


def _count_label_columns(body: Sequence[Sequence[GridCell]], *, decimal_comma: bool) -> int:
    """Return the number of columns before the first one with a figure; at least one."""
    for column in range(1, len(body[0])):
        for row in body:
            cell = row[column]
            if not cell.is_covered and _is_figure(cell.text, decimal_comma=decimal_comma):
                return column
    return 1


def _is_figure(text: str, *, decimal_comma: bool) -> bool:
    """Return whether a text is a number, or a statement in its place, that receval can read."""
    try:
        read_printed(text, decimal_comma=decimal_comma)
    except InputError:
        return False
    return True


def _check_columns(
    header: Sequence[Sequence[GridCell]], body: Sequence[Sequence[GridCell]], path: Path
) -> None:
    """Raise if a row has more cells than every row of the header."""
    for column in range(len(header[0])):
        if all(row[column].is_missing for row in header):
            lines = [row[column].line for row in body if not row[column].is_missing]
            rule = f"have rows of at most {column} cells, as in its header"
            got = f"more in line {format_first(lines)}"
            raise input_error(path.name, rule, got, "A separator may be missing in the header")


def _column_labels(header: Sequence[Sequence[GridCell]], n_labels: int, path: Path) -> list[str]:
    """Return the label of each column to the right of the row labels; raise if two are equal."""
    labels = []
    for column in range(n_labels, len(header[0])):
        label = label_text(tuple(_plain_label(row[column].text) for row in header))
        labels.append(label or f"column {column + 1}")
    _check_labels_differ([(label, header[-1][0].line) for label in labels], path, "column")
    return labels


def _row_labels(
    body: Sequence[Sequence[GridCell]], n_labels: int
) -> Iterator[tuple[str, Sequence[GridCell]]]:
    """Yield each row of a table that isn't a heading, with its label."""
    heading = ""
    above = [""] * n_labels
    for index, row in enumerate(body):
        if row[0].n_columns == len(row) and len(row) > 1:  # a single cell across all columns
            heading = _plain_label(row[0].text)
            above = [""] * n_labels
            continue
        parts = [_plain_label(cell.text) for cell in row[:n_labels]]
        # An empty label repeats the one above, but not in the last column, which names each row.
        for column in range(n_labels - 1):
            if parts[column] == "":
                parts[column] = above[column]
        above = parts
        yield label_text((heading, *parts)) or f"row {index + 1}", row


def _plain_label(text: str) -> str:
    """Return a label without the raised marks of footnotes.

    Raised capitals belong to the name of a system: EASE^R.
    """
    text = re.sub(r"\^\{([A-Z]+)\}", r"^\1", text)
    return re.sub(r"\^\{([^{}]*)\}", "", text).strip()


def _check_labels_differ(
    labels: Sequence[tuple[str, int]], path: Path, axis_name: str = "row"
) -> None:
    """Raise if a label occurs twice; ``labels`` are pairs of a label and its line."""
    counts = Counter(label for label, _ in labels)
    repeated = []
    for label, count in counts.items():
        if count > 1:
            lines = [line for other, line in labels if other == label]
            repeated.append(f"{label!r} in lines {format_first(lines)}")
    if repeated:
        advice = (
            "If a further column or row belongs to the labels, say so by label_columns or "
            "header_rows"
        )
        raise input_error(
            path.name, f"have each {axis_name} label once", format_first(repeated), advice
        )


def _cell(row: str, column: str, grid_cell: GridCell, *, decimal_comma: bool) -> Cell:
    """Return a cell with its kind; raise if it looks like a number and can't be read."""
    text = grid_cell.text
    kind = "number"
    try:
        printed = read_printed(text, decimal_comma=decimal_comma)
    except InputError:
        # A text that begins with a letter is a label, even if it has digits: BM25.
        is_label = text[:1].isalpha() or not any(character.isdigit() for character in text)
        if not is_label:
            raise
        kind = "label"
    else:
        text = printed.plain
        if printed.is_statement:
            kind = "statement"
    return Cell(row, column, text, grid_cell.line, grid_cell.is_bold, kind)
