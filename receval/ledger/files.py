"""The files of a ledger: read the TOML files and tables of a folder."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pandas as pd

from receval._checks import InputError, did_you_mean, input_error, shorten
from receval._downloads import sources
from receval._files import is_folder, path_exists
from receval._types import Record
from receval.ledger.form import (
    SHARED_KEYS,
    Problem,
    form_error,
    problems_of_file,
    problems_of_numbers,
)

__all__: list[str] = []

NUMBERED_NAME = re.compile(r"(\d+[a-z]?)_")  # of a file such as 000_matchmaking.toml
# The folder may also hold a project's settings, and the table that `receval ledger run` writes.
IGNORED_FILES = {"pyproject.toml", "ledger.csv"}


@dataclass(frozen=True)
class FigureFile:
    """A TOML file of a ledger.

    Attributes
    ----------
    path : Path
        The file.
    id : str
        The name of the file, which the ids of its figures may contain.
    content : dict
        What the file states.
    entries : dict
        The figures by name, including the cells of tables.
    """

    path: Path
    id: str
    content: Record
    entries: dict[str, Record]


@dataclass(frozen=True)
class FigureFolder:
    """All figures of a folder.

    Attributes
    ----------
    files : list of FigureFile
        The files, in the order of their paths.
    entries : dict
        The figures of all files by id.
    file_by_id : dict
        The file of each figure by the figure's id.
    cells_by_table : dict
        For each id of a table, the id of the figure in each cell, by (row, column).
    csv_paths : dict
        The tables in CSV files, by name without ending.
    id_by_name : dict
        The id of the figure with a name, or None if several files have the name.
    """

    files: list[FigureFile]
    entries: dict[str, Record]
    file_by_id: dict[str, FigureFile]
    cells_by_table: dict[str, dict[tuple[str, str], str]]
    csv_paths: dict[str, Path]
    id_by_name: dict[str, str | None]

    def full_id(self, id: object) -> str | None:
        """Return the id of the figure that an id or a name refers to; None if there is none."""
        if not isinstance(id, str):
            return None
        if id in self.entries:
            return id
        return self.id_by_name.get(id)

    def tables_named(self, name: object) -> list[str]:
        """Return the ids of the tables with a name: one, none, or several from different files."""
        if name in self.cells_by_table:
            return [str(name)]
        return [table for table in self.cells_by_table if table.partition("/")[2] == name]


def read_folder(folder: Path) -> FigureFolder:
    """Read and check the TOML files of a ledger, unless nothing has changed since the last time.

    Parameters
    ----------
    folder : Path
        The folder of the ledger. Its TOML files are those directly in it and in its subfolder
        ``papers``; a ``pyproject.toml`` isn't one of them.

    Returns
    -------
    FigureFolder
        Shared by all callers, who must not change it.

    Raises
    ------
    InputError
        If the folder is missing or has no TOML file, or a file breaks the form; the message names
        the file and the lines.
    """
    if not is_folder(folder):
        got = shorten(str(folder))
        if not path_exists(folder):
            got += ", which does not exist"
        advice = "`receval ledger new` makes one"
        raise input_error("folder", "be the folder of a ledger", got, advice)
    toml_paths = _paths(folder, "toml")
    if not toml_paths:
        rule = "hold a TOML file with printed figures, such as figures.toml"
        advice = "`receval ledger new` writes one"
        raise input_error("folder", rule, f"none in {shorten(str(folder))}", advice)
    paths = (*toml_paths, *_paths(folder, "csv"))
    stamps = tuple((path.stat().st_mtime_ns, path.stat().st_size) for path in paths)
    return _read_paths(paths, stamps)


def _paths(folder: Path, ending: str) -> list[Path]:
    """Return the files with this ending in a folder and its subfolder ``papers``, in order."""
    paths = [*sorted(folder.glob(f"*.{ending}")), *sorted(folder.glob(f"papers/*.{ending}"))]
    return [path for path in paths if path.name not in IGNORED_FILES]


@lru_cache(maxsize=8)
def _read_paths(paths: tuple[Path, ...], stamps: tuple[tuple[int, int], ...]) -> FigureFolder:
    """Read files; ``stamps`` are the time and size of each, so the cache notices a change."""
    assert len(stamps) == len(paths)
    csv_paths = {path.stem: path for path in paths if path.suffix == ".csv"}
    files = [_read_file(path, csv_paths) for path in paths if path.suffix == ".toml"]
    file_by_name: dict[str, FigureFile] = {}
    for file in files:
        if file.id in file_by_name:
            other = file_by_name[file.id].path.name
            raise InputError(
                f"folder must hold files with different ids; got {file.id!r} for {other} and "
                f"{file.path.name}. Rename one of them"
            )
        file_by_name[file.id] = file
    # If there is only one file, ids don't need its name, unless it is numbered as part of a series.
    has_prefix = len(files) > 1 or NUMBERED_NAME.match(files[0].path.stem) is not None
    entries: dict[str, Record] = {}
    file_by_id: dict[str, FigureFile] = {}
    cells_by_table: dict[str, dict[tuple[str, str], str]] = {}
    id_by_name: dict[str, str | None] = {}
    n_files_by_name = Counter(name for file in files for name in file.entries)
    for file in files:
        prefix = ""
        if has_prefix:
            prefix = f"{file.id}/"
        for name, entry in file.entries.items():
            figure_id = prefix + name
            entries[figure_id] = entry
            file_by_id[figure_id] = file
            id_by_name[name] = figure_id
            if n_files_by_name[name] > 1:
                id_by_name[name] = None
            if "table" in entry:
                cells = cells_by_table.setdefault(prefix + entry["table"], {})
                cells[entry["row"], entry["column"]] = figure_id
    result = FigureFolder(files, entries, file_by_id, cells_by_table, csv_paths, id_by_name)
    _check_inputs(result)
    return result


def _read_file(path: Path, csv_paths: dict[str, Path]) -> FigureFile:
    """Return a file's content; if it breaks the form, raise an error with the lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        got = f"the byte {error.object[error.start]:#04x} at position {error.start}"
        raise input_error(path.name, "be text in UTF-8", got) from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken_toml(path, text, error) from None
    problems = list(problems_of_file(content, {csv_path.name for csv_path in csv_paths.values()}))
    if not problems:
        entries, problems = _expand(content, csv_paths)
    if problems:
        raise form_error(path, text, problems)
    match = NUMBERED_NAME.match(path.stem)
    if match is None:
        file_id = path.stem
    else:
        file_id = match[1]
    return FigureFile(path, file_id, content, entries)


def _broken_toml(path: Path, text: str, error: tomllib.TOMLDecodeError) -> InputError:
    """Return the error for a file that is not TOML, with the line that is wrong."""
    lines = text.splitlines()
    reason, _, place = str(error).rpartition(" (at ")
    match = re.match(r"line (\d+)", place)
    if match is None:  # "end of document"
        number = len(lines)
    else:
        number = int(match[1])
    # TOML's message is about a table that is declared twice. Here, two entries have the same name.
    twice = re.search(r"Cannot declare \('(figures|tables)', '(.+)'\) twice", reason)
    if twice is not None:
        rule = "state each figure and each table once"
        advice = "Rename one of the two"
        got = f"{twice[2]!r} for the second time in line {number}"
        return input_error(path.name, rule, got, advice)
    line = "".join(lines[number - 1 : number]).strip()
    return input_error(path.name, "be valid TOML", f"{shorten(line)} in line {number}: {reason}")


def _expand(content: Record, csv_paths: dict[str, Path]) -> tuple[dict[str, Record], list[Problem]]:
    """Return the figures of a file by name, and what is wrong with their values and cells.

    The cells of a CSV file become figures with the name ``table/row/column``. A cell takes the keys
    that it doesn't state itself from its table, and every figure takes the forms of the file.
    """
    tables: dict[str, Record] = content.get("tables", {})
    forms: Record = content.get("forms", {})
    printed_by_cell, problems = _cells_of_files(tables, csv_paths)
    entries: dict[str, Record] = {}
    name_by_cell: dict[tuple[str, str, str], str] = {}
    for name, entry in content.get("figures", {}).items():
        entries[name] = _with_defaults(forms, entry)
        if "table" not in entry:
            continue
        cell = (entry["table"], entry["row"], entry["column"])
        if cell in name_by_cell:
            text = f"the figures {name_by_cell[cell]!r} and {name!r} are the same cell, {cell}"
            problems.append(Problem(("figures", name), text))
        name_by_cell[cell] = name
        table_entry = _with_defaults(forms, _cell_entry(tables.get(entry["table"], {}), cell))
        merged = _with_defaults(table_entry, entry)
        printed = printed_by_cell.pop(cell, None)
        if printed is not None:
            merged.setdefault("printed", printed)
        if "printed" not in merged:
            text = f"the figure {name!r} lacks 'printed', and no CSV file has the cell {cell}"
            problems.append(Problem(("figures", name), text))
            merged["printed"] = ""
        entries[name] = merged
    for cell, printed in printed_by_cell.items():
        name = "/".join(cell)
        if name in entries:
            problems.append(Problem(("figures", name), f"{name!r} is also the name of a cell"))
        cell_entry = _with_defaults(forms, _cell_entry(tables[cell[0]], cell))
        entries[name] = {**cell_entry, "printed": printed}
    if not problems:
        cell_by_name = {"/".join(cell): cell for cell in printed_by_cell}
        for name, entry in entries.items():
            problems += _problems_of_entry(name, entry, tables, cell_by_name)
    return entries, problems


def _problems_of_entry(
    name: str,
    entry: Record,
    tables: dict[str, Record],
    cell_by_name: dict[str, tuple[str, str, str]],
) -> Iterator[Problem]:
    """Yield what is wrong with the values of a figure; for a cell of a CSV file, name the file.

    ``cell_by_name`` has the table, row and column of the figures that are such cells.
    """
    for problem in problems_of_numbers(name, entry):
        if name in cell_by_name:
            table, row, column = cell_by_name[name]
            file = tables[table]["file"]
            text = f"{file}, row {row!r}, column {column!r}: {problem.text}"
            yield Problem(("tables", table, "file"), text)
        else:
            yield problem


def _with_defaults(defaults: Record, entry: Record) -> Record:
    """Return an entry with the keys of its file or table that it doesn't state itself.

    If an entry states its own kind or rounding, it doesn't take the other one of the two, because
    they could contradict each other. For example, labels are exact in a file that rounds half up.
    """
    merged = {**defaults, **entry}
    if "kind" in entry and "rounding" not in entry:
        merged.pop("rounding", None)
    if "rounding" in entry and "kind" not in entry:
        merged.pop("kind", None)
    if entry.get("kind") == "exact" and "input_digits" not in entry:
        merged.pop("input_digits", None)
    return merged


def _cells_of_files(
    tables: dict[str, Record], csv_paths: dict[str, Path]
) -> tuple[dict[tuple[str, str, str], str], list[Problem]]:
    """Return the text of each cell of the CSV files of tables, and what is wrong with the files.

    A cell is named by its table, row and column.
    """
    path_by_file = {path.name: path for path in csv_paths.values()}
    printed_by_cell: dict[tuple[str, str, str], str] = {}
    problems = []
    for name, table in tables.items():
        if "file" in table:
            cells, texts = read_cells(path_by_file[table["file"]])
            problems += [Problem(("tables", name, "file"), text) for text in texts]
            for (row, column), printed in cells.items():
                printed_by_cell[name, row, column] = printed
    return printed_by_cell, problems


def _cell_entry(table: Record, labels: tuple[str, str, str]) -> Record:
    """Return what a cell takes from its table; ``labels`` name the table, row and column."""
    name, row, column = labels
    cell = {key: table[key] for key in SHARED_KEYS if key in table}
    cell["where"] = f"{table.get('where', name)}, row {row}, column {column}"
    cell["what"] = f"{column} of {row}"
    if "what" in table:
        cell["what"] += f" ({table['what']})"
    return {**cell, "table": name, "row": row, "column": column}


def read_cells(path: Path) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return the cells of a CSV file, and what is wrong with its labels.

    Parameters
    ----------
    path : Path
        A table whose first column holds the labels of the rows, and whose first row holds those of
        the columns.

    Returns
    -------
    cells : dict
        The text of each cell that is not empty, by the labels of its row and column.
    problems : list of str
        Labels that occur twice.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, header=None)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        return {}, [f"{path.name} must be a table in CSV; got {str(error).strip()}"]
    rows = frame.to_numpy(dtype=object).tolist()
    columns = [label.strip() for label in rows[0][1:]]
    cells: dict[tuple[str, str], str] = {}
    seen_rows: set[str] = set()
    problems = []
    for label in sorted({label for label in columns if columns.count(label) > 1}):
        problems.append(f"{path.name} has the column {label!r} twice")
    for row_label, *texts in rows[1:]:
        row = row_label.strip()
        if row in seen_rows:
            problems.append(f"{path.name} has the row {row!r} twice")
        seen_rows.add(row)
        for column, text in zip(columns, texts, strict=True):
            if text.strip():
                cells[row, column] = text.strip()
    return cells, problems


def _check_inputs(folder: FigureFolder) -> None:
    """Raise if a figure names an unknown input, or depends on itself directly or through others.

    An erratum may depend on its own printed value if it states the ``step`` from there.
    """
    arrows: dict[str, set[str]] = {}
    for figure_id, entry in folder.entries.items():
        names = entry.get("inputs", ())
        if not names:
            continue
        file = folder.file_by_id[figure_id]
        for name in names:
            choices = _input_names(file, folder)
            if name not in choices and name not in sources():
                advice = did_you_mean(name, choices)
                text = f"the figure {figure_id!r} has the unknown input {name!r}. {advice}".rstrip()
                raise _error_of_inputs(folder, figure_id, text)
        arrows[figure_id] = {name for name in names if name in folder.entries}
        if "step" in entry:
            arrows[figure_id].discard(figure_id)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        # The sorter lists each figure before those that depend on it.
        circle = list(reversed(error.args[1]))
        text = f"the figure {circle[0]!r} depends on itself: {' takes '.join(circle)}"
        raise _error_of_inputs(folder, circle[0], text) from None


def _input_names(file: FigureFile, folder: FigureFolder) -> set[str]:
    """Return the names that a figure of a file may have as inputs, except files to download."""
    names = {*file.content.get("inputs", {}), *file.content.get("tables", {})}
    return {*names, *checksums(file), *folder.csv_paths, *folder.entries}


def _error_of_inputs(folder: FigureFolder, figure_id: str, text: str) -> InputError:
    """Return the error for the inputs of a figure, with its file and line."""
    path = folder.file_by_id[figure_id].path
    entry = folder.entries[figure_id]
    [name] = [
        name for name, other in folder.file_by_id[figure_id].entries.items() if other is entry
    ]
    problem = Problem(("figures", name, "inputs"), text)
    return form_error(path, path.read_text(encoding="utf-8"), [problem])


def checksums(file: FigureFile) -> dict[str, str]:
    """Return the SHA-256 of the source's files that a TOML file records, by name of the file."""
    source = file.content.get("source", "")
    if isinstance(source, dict):
        recorded: dict[str, str] = source.get("sha256", {})
        return recorded
    return {}
