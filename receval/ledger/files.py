"""The files of a ledger: read the TOML files and tables of a folder."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pandas as pd

from receval._checks import (
    InputError,
    Record,
    check_choice,
    check_unique,
    did_you_mean,
    input_error,
    shorten,
)
from receval._files import is_folder, path_exists
from receval.ledger.form import check_content, check_entry

__all__: list[str] = []

NUMBERED_NAME = re.compile(r"(\d+[a-z]?)_")  # of a file such as 000_matchmaking.toml
PROJECT_FILE = "pyproject.toml"  # the folder may also hold a project's settings


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
    tables : dict
        The printed tables whose cells are figures, by name.
    """

    path: Path
    id: str
    content: Record
    entries: dict[str, Record]
    tables: dict[str, pd.DataFrame]


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
    tables : dict
        The printed tables whose cells are figures, by id.
    csv_paths : dict
        The tables in CSV files, by name without ending.
    id_by_name : dict
        The id of the figure or table with a name, or None if several files have the name.
    """

    files: list[FigureFile]
    entries: dict[str, Record]
    file_by_id: dict[str, FigureFile]
    tables: dict[str, pd.DataFrame]
    csv_paths: dict[str, Path]
    id_by_name: dict[str, str | None]

    def full_id(self, id: object) -> str | None:
        """Return the id of the figure or table that an id or a name refers to, or None."""
        if not isinstance(id, str):
            return None
        if id in self.entries or id in self.tables:
            return id
        return self.id_by_name.get(id)


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
        the file and the figure.
    """
    if not is_folder(folder):
        got = shorten(str(folder))
        if not path_exists(folder):
            got += ", which does not exist"
        raise input_error("folder", "be the folder of a ledger", got)
    toml_paths = _paths(folder, "toml")
    if not toml_paths:
        rule = "hold a TOML file with printed figures, such as figures.toml"
        raise input_error("folder", rule, f"none in {shorten(str(folder))}")
    paths = (*toml_paths, *_paths(folder, "csv"))
    stamps = tuple((path.stat().st_mtime_ns, path.stat().st_size) for path in paths)
    return _read_paths(paths, stamps)


def _paths(folder: Path, ending: str) -> list[Path]:
    """Return the files with this ending in a folder and its subfolder ``papers``, in order."""
    paths = [*sorted(folder.glob(f"*.{ending}")), *sorted(folder.glob(f"papers/*.{ending}"))]
    return [path for path in paths if path.name != PROJECT_FILE]


@lru_cache(maxsize=8)
def _read_paths(paths: tuple[Path, ...], stamps: tuple[tuple[int, int], ...]) -> FigureFolder:
    """Read files; ``stamps`` are the time and size of each, so the cache notices a change."""
    assert len(stamps) == len(paths)
    csv_paths = {path.stem: path for path in paths if path.suffix == ".csv"}
    files = [_read_file(path, csv_paths) for path in paths if path.suffix == ".toml"]
    check_unique([file.id for file in files], "folder", "file id")
    # If there is only one file, ids don't need its name, unless it is numbered as part of a series.
    has_prefix = len(files) > 1 or NUMBERED_NAME.match(files[0].path.stem) is not None
    entries: dict[str, Record] = {}
    file_by_id: dict[str, FigureFile] = {}
    tables: dict[str, pd.DataFrame] = {}
    id_by_name: dict[str, str | None] = {}
    n_files_by_name = Counter(name for file in files for name in (*file.entries, *file.tables))
    for file in files:
        prefix = ""
        if has_prefix:
            prefix = f"{file.id}/"
        for name, entry in file.entries.items():
            entries[prefix + name] = entry
            file_by_id[prefix + name] = file
        for name, table in file.tables.items():
            tables[prefix + name] = table
        for name in (*file.entries, *file.tables):
            id_by_name[name] = prefix + name
            if n_files_by_name[name] > 1:
                id_by_name[name] = None
    result = FigureFolder(files, entries, file_by_id, tables, csv_paths, id_by_name)
    _check_inputs(result)
    return result


def _read_file(path: Path, csv_paths: dict[str, Path]) -> FigureFile:
    """Return a file's content; if it breaks the form, raise an error with the figure's name."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        got = f"the byte {error.object[error.start]:#04x} at position {error.start}"
        raise input_error(path.name, "be text in UTF-8", got) from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise input_error(path.name, "be valid TOML", str(error)) from None
    try:
        check_content(content)
        path_by_name = {csv_path.name: csv_path for csv_path in csv_paths.values()}
        tables = {}
        for file_name in content.get("tables", []):
            csv_path = path_by_name[check_choice(file_name, "tables", path_by_name)]
            tables[csv_path.stem] = _read_table(csv_path)
        entries = dict(content.get("figures", {}))
        for name, cell in _cells(tables).items():
            entries[name] = {**cell, **entries.get(name, {})}
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from None
    for name, entry in entries.items():
        try:
            check_entry(entry)
        except InputError as error:
            raise InputError(f"{path.name}, figure {name!r}: {error}") from None
    match = NUMBERED_NAME.match(path.stem)
    file_id = path.stem if match is None else match[1]
    return FigureFile(path, file_id, content, entries, tables)


def _read_table(path: Path) -> pd.DataFrame:
    """Return a printed table as texts; the first column and the first row hold the labels."""
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, header=None)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise input_error(path.name, "be a table in CSV", str(error).strip()) from None
    frame = frame.map(str.strip)
    rows, columns = frame.iloc[1:, 0].tolist(), frame.iloc[0, 1:].tolist()
    check_unique(rows, path.name, "row")
    check_unique(columns, path.name, "column")
    return frame.iloc[1:, 1:].set_axis(rows).set_axis(columns, axis="columns")


def _cells(tables: dict[str, pd.DataFrame]) -> dict[str, Record]:
    """Return an entry for each cell with something printed in it, named ``table/row/column``."""
    entries: dict[str, Record] = {}
    for name, table in tables.items():
        for row in table.index:
            for column in table.columns:
                printed = table.loc[row, column]
                if printed:
                    cell = {"where": name, "what": f"{column} of {row}", "printed": printed}
                    entries[f"{name}/{row}/{column}"] = cell
    return entries


def _check_inputs(folder: FigureFolder) -> None:
    """Raise if a figure names an unknown input, or depends on itself directly or through others."""
    from receval.datasets import sources

    arrows: dict[str, set[str]] = {}
    for figure_id, entry in folder.entries.items():
        names = entry.get("inputs", ())
        if not names:
            continue
        file = folder.file_by_id[figure_id]
        choices = {*file.content.get("inputs", {}), *folder.csv_paths, *folder.entries}
        for name in names:
            if name not in choices and name not in sources():
                rule = "name inputs of the file, tables, figures or files to download"
                advice = did_you_mean(name, choices)
                raise input_error(f"inputs of {figure_id}", rule, repr(name), advice)
        arrows[figure_id] = {name for name in names if name in folder.entries}
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        # The sorter lists each figure before those that depend on it.
        circle = " takes ".join(reversed(error.args[1]))
        raise input_error("inputs", "lead to no figure that depends on itself", circle) from None
