"""Write a ledger for a printed table: an entry for each cell, and a first notebook."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from receval._checks import InputError, check_text, check_that
from receval._escape import for_markdown, for_terminal
from receval._files import check_folder, make_folder, path_exists, write_atomically
from receval.ledger.printed_tables import Cell, PrintedTable, read_table

__all__ = ["NewLedger", "new_ledger"]

FIRST_FILE = "figures.toml"
MAX_NAME_LENGTH = 60  # largest number of characters in the name of a figure


@dataclass(frozen=True)
class NewLedger:
    """The files that `new_ledger` wrote.

    Attributes
    ----------
    folder, toml, notebook : Path
        The folder, the file with the printed figures, and the notebook that checks the first
        figure.
    n_figures, n_statements, n_labels, n_empty : int
        The number of cells with numbers, with statements such as "n.s.", with other texts, and
        with nothing. Empty cells have no entry.
    """

    folder: Path
    toml: Path
    notebook: Path
    n_figures: int
    n_statements: int
    n_labels: int
    n_empty: int

    def __repr__(self) -> str:
        """Return what was written, and what to do next."""
        counts = [f"{self.n_figures} figures"]
        other_counts = (
            ("statements without a number", self.n_statements),
            ("labels", self.n_labels),
            ("empty cells without an entry", self.n_empty),
        )
        counts += [f"{count} {description}" for description, count in other_counts if count]
        toml, notebook = for_terminal(str(self.toml)), for_terminal(str(self.notebook))
        return (
            f"Wrote {toml} with {', '.join(counts)}, and {notebook}.\n"
            "Next, compute the first figure in the notebook. `receval ledger run "
            f"{for_terminal(str(self.folder))}` then prints all verdicts."
        )


def new_ledger(
    folder: str | Path,
    table: PrintedTable | str | Path,
    *,
    title: str = "",
    source: str = "",
    decimal_comma: bool = False,
    percent: bool = False,
    number: int | None = None,
    label_columns: int | None = None,
    header_rows: int | None = None,
) -> NewLedger:
    r"""Write a ledger for a printed table, with an entry for each cell and a first notebook.

    Parameters
    ----------
    folder : str or Path
        The folder of the ledger. It is created if it doesn't exist.
    table : PrintedTable, str or Path
        The table, or its file as for `read_table`.
    title : str, optional
        The title of the paper; by default the caption of the table or the name of its file.
    source : str, optional
        Where the table was printed; by default the name of the file.
    decimal_comma : bool, default False
        Whether the table prints 0,396 for 0.396.
    percent : bool, default False
        Whether all numbers without a percent sign are in percent.
    number, label_columns, header_rows : int, optional
        As for `read_table`.

    Returns
    -------
    NewLedger
        The paths, and the number of entries. The file is ``figures.toml``, or named after the
        table if the folder has a ``figures.toml`` already.

    Raises
    ------
    InputError
        If the table can't be read or has no cell, or if a file would be overwritten.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "table2.md")
    ...     _ = path.write_text("| model | HR@10 |\n|---|---|\n| EASE | 0.396 |\n")
    ...     made = new_ledger(Path(folder, "my-paper"), path)
    ...     print(made.toml.read_text())
    # One entry for each cell of table2.md. `printed` has the figure as it is printed.
    title = "table2"
    source = "table2.md"
    <BLANKLINE>
    [figures.ease_hr_10]
    where = "table2.md, line 3"
    what = "EASE, HR@10"
    table = "table2"
    row = "EASE"
    column = "HR@10"
    printed = "0.396"
    <BLANKLINE>
    """
    if not isinstance(table, PrintedTable):
        table = read_table(
            table,
            number=number,
            label_columns=label_columns,
            header_rows=header_rows,
            decimal_comma=decimal_comma,
        )
    if not table.cells:
        raise InputError(f"{table.file} must have a cell with something printed; got none")
    check_text([title, source], "title and source")
    folder = check_folder(folder)
    toml_path, notebook_path = _new_paths(folder, table)
    names = figure_names(table.cells)
    # If the folder has several files, the id of a figure begins with the name of its file.
    first_id = names[0]
    if toml_path.name != FIRST_FILE:
        first_id = f"{toml_path.stem}/{first_id}"
    forms = {"decimal_comma": decimal_comma, "percent": percent}
    toml = _toml(table, names, title=title, source=source, forms=forms)
    notebook = _notebook(table, table.cells[0], first_id)
    make_folder(folder)
    write_atomically(toml_path, lambda file: file.write(toml))
    write_atomically(notebook_path, lambda file: file.write(notebook))
    kinds = [cell.kind for cell in table.cells]
    return NewLedger(
        folder=folder,
        toml=toml_path,
        notebook=notebook_path,
        n_figures=kinds.count("number"),
        n_statements=kinds.count("statement"),
        n_labels=kinds.count("label"),
        n_empty=table.n_empty,
    )


def figure_names(cells: tuple[Cell, ...]) -> list[str]:
    """Return a name for each cell, from the labels of its row and column; each occurs once.

    A name consists of ASCII letters, digits and underscores. Labels that differ only in other
    characters get a number: ``mf_hr``, ``mf_hr_2``.
    """
    names: list[str] = []
    taken: set[str] = set()
    for cell in cells:
        name = stem = _simple_name(f"{cell.row} {cell.column}") or "cell"
        number = 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        taken.add(name)
        names.append(name)
    return names


def _simple_name(text: str) -> str:
    """Return a text in lower case, with underscores for everything but letters and digits."""
    without_accents = normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub("[^a-z0-9]+", "_", without_accents.lower()).strip("_")
    return name[:MAX_NAME_LENGTH].strip("_")


def _new_paths(folder: Path, table: PrintedTable) -> tuple[Path, Path]:
    """Return the paths of a new TOML file and notebook; raise if there is such a file already."""
    stem = _simple_name(table.name) or "table"
    toml_path = folder / FIRST_FILE
    if path_exists(toml_path):
        toml_path = folder / f"{stem}.toml"
    notebook_path = folder / f"check_{stem}.ipynb"
    for path in (toml_path, notebook_path):
        advice = "Rename the table's file, or remove the entries of its first version"
        check_that(not path_exists(path), path.name, "be a new file", str(path), advice)
    return toml_path, notebook_path


def _toml(
    table: PrintedTable,
    names: list[str],
    *,
    title: str,
    source: str,
    forms: dict[str, bool],
) -> str:
    """Return the content of the TOML file; ``names`` are the names of the cells' figures."""
    comment = f"# One entry for each cell of {_in_comment(table.file)}."
    lines = [
        f"{comment} `printed` has the figure as it is printed.",
        f"title = {_quote(title or table.caption or table.name)}",
        f"source = {_quote(source or table.file)}",
    ]
    stated_forms = [key for key, is_stated in forms.items() if is_stated]
    if stated_forms:
        lines += ["", "[forms]", *(f"{key} = true" for key in stated_forms)]
    for name, cell in zip(names, table.cells, strict=True):
        lines += [
            "",
            f"[figures.{name}]",
            f"where = {_quote(f'{table.file}, line {cell.line}')}",
            f"what = {_quote(f'{cell.row}, {cell.column}')}",
            f"table = {_quote(table.name)}",
            f"row = {_quote(cell.row)}",
            f"column = {_quote(cell.column)}",
            f"printed = {_quote(cell.text)}",
        ]
        if cell.kind == "label":
            lines.append('kind = "exact"')
        if cell.is_bold:
            lines.append("bold = true")
    return "\n".join([*lines, ""])


def _quote(text: str) -> str:
    """Return a text as a TOML string. TOML's rules differ from JSON's in a single character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", r"\u007f")


def _in_comment(text: str) -> str:
    """Return a text with blanks for control characters, which a TOML comment can't hold."""
    return re.sub("[\x00-\x1f\x7f]", " ", text)


def _notebook(table: PrintedTable, cell: Cell, figure_id: str) -> str:
    """Return a notebook, as JSON, that checks a cell of a table; ``figure_id`` is its figure."""
    value = 'float("nan")  # put your computation here'
    if cell.kind == "label":
        value = '""  # put your computation here'
    check = f"value = {value}\nledger.check({json.dumps(figure_id)}, value)"
    if cell.kind == "statement":
        check = f"ledger.table().loc[[{json.dumps(figure_id)}]]"
    title = (
        f"# Check {for_markdown(table.file)}\n\nThis notebook compares the printed table with "
        "computed values. The file next to it has every printed figure."
    )
    task = (
        f"The first figure is {for_markdown(cell.text)} ({for_markdown(cell.row)}, "
        f"{for_markdown(cell.column)}). Replace the value below by your computation. Until then "
        "its verdict is *unexplained*."
    )
    table_id = _table_id(table, figure_id)
    further = (
        "To check the whole table at once, pass a frame with the same labels: "
        f"`ledger.check_table(name, frame)` with the name {for_markdown(table_id)}."
    )
    cells = [
        ("markdown", title),
        ("code", 'import receval\n\nledger = receval.Ledger(".")\nledger.table()'),
        ("markdown", task),
        ("code", check),
        ("markdown", further),
    ]
    notebook = {
        "cells": [_notebook_cell(kind, text, index) for index, (kind, text) in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _table_id(table: PrintedTable, figure_id: str) -> str:
    """Return the ledger's name of a table; it has the file's name if the figure's id has it."""
    file, slash, _ = figure_id.rpartition("/")
    return f"{file}{slash}{table.name}"


def _notebook_cell(kind: str, text: str, index: int) -> dict[str, object]:
    """Return a cell of a notebook."""
    cell: dict[str, object] = {
        "cell_type": kind,
        "id": f"cell-{index:02}",
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell
