"""The ledger of a folder: read its files, check printed figures, and show every verdict."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import asdict
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from receval._checks import (
    InputError,
    Record,
    check_choice,
    check_that,
    check_unique,
    did_you_mean,
    format_first,
    input_error,
    shorten,
)
from receval._files import check_folder
from receval.ledger.checking import Check, TableChecks
from receval.ledger.table import LedgerTable, build_table, checks_in
from receval.ledger.verdicts import (
    as_values,
    check_entry,
    check_keys,
    compared_texts,
    judge,
    texts_of,
)

__all__ = ["Ledger"]

FILE_NAMES = ("*.toml", "papers/*.toml", "*.csv", "papers/*.csv")
NUMBERED_NAME = re.compile(r"(\d+[a-z]?)_")  # of a file such as 000_matchmaking.toml
PROJECT_FILE = "pyproject.toml"  # the folder may also hold a project's settings
MAX_NAMES = 12  # largest number of names that a message lists
FILE_KEYS = ("title", "source", "inputs", "figures", "tables")
# The parts of the two lines on a source, by key of the table ``source``.
CITATION = {
    "authors": "{}",
    "title": "{}",
    "venue": "{}",
    "year": "{}",
    "doi": "doi:{}",
    "url": "{}",
    "commit": "commit {}",
    "place": "{}",
}
CIRCUMSTANCES = {
    "seen": "Seen {}",
    "licence": "Licence: {}",
    "may_be_copied": "The data {} be copied",
    "note": "{}",
}


class Figures(NamedTuple):
    """All figures of a folder.

    Attributes
    ----------
    files : dict
        The content of the TOML files by their names, in the order of their paths.
    entries : dict
        What the files state about each figure, by id.
    tables : dict
        The printed tables whose cells are figures, by id.
    csv_paths : dict
        All tables in CSV files, by name with ending.
    """

    files: dict[str, Record]
    entries: dict[str, Record]
    tables: dict[str, pd.DataFrame]
    csv_paths: dict[str, Path]


class Ledger:
    r"""The printed figures of a paper, and the verdict on each.

    A ledger is a folder with TOML files that hold the figures exactly as printed. Notebooks in the
    folder compute the figures and call `check`, and ``receval reproduce FOLDER`` runs them. The
    page "Check your own paper" of the documentation explains all steps, and `receval.ledger`
    describes the form of the files.

    Parameters
    ----------
    folder : path, default "."
        The folder. receval reads the TOML files directly in it, and those in its subfolder
        ``papers``. It reads them again when they change.

    Raises
    ------
    InputError
        If the folder is missing or has no TOML file, or if a file breaks the form: TOML that cannot
        be read, an unknown key, a number that isn't in quotes. The message names the file and the
        figure.

    Examples
    --------
    A folder with one figure, which is printed as 0.40:

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from receval import Ledger
    >>> folder = TemporaryDirectory()
    >>> text = '[figures.ease_ndcg]\nwhat = "nDCG@10 of EASE"\nprinted = "0.40"\n'
    >>> _ = Path(folder.name, "figures.toml").write_text(text)
    >>> ledger = Ledger(folder.name)
    >>> ledger.check("ease_ndcg", 0.3956)
    ease_ndcg: printed 0.40, computed 0.3956 -> reproduced
    >>> ledger.table()["verdict"].to_dict()
    {'ease_ndcg': 'reproduced'}
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | Path = ".") -> None:
        self.folder: Path = check_folder(folder).absolute()  # a program may change its folder
        self._session: dict[str, Check] = {}  # the last check of each figure in this process
        self._figures()  # raises if a file breaks the form

    def _figures(self) -> Figures:
        """Return what the files of the folder state now; nobody may change it."""
        paths = [path for name in FILE_NAMES for path in sorted(self.folder.glob(name))]
        stamps = [(path.stat().st_mtime_ns, path.stat().st_size) for path in paths]
        return _read_files(self.folder, tuple(paths), tuple(stamps))

    @property
    def ids(self) -> list[str]:
        """Return the ids of all figures, in the order of the files."""
        return list(self._figures().entries)

    def figure(self, id: str) -> Record:
        """Return a copy of what the file states about a figure.

        Parameters
        ----------
        id : str
            The name of the figure in its file. If the folder has several files, the id is
            ``file/name``.

        Returns
        -------
        dict
            The entry.

        Raises
        ------
        InputError
            If there is no such figure; the message has the nearest id.
        """
        entries = self._figures().entries
        if not isinstance(id, str) or id not in entries:
            raise input_error(
                "figure",
                f"be one of {format_first(map(repr, entries), MAX_NAMES)}",
                shorten(id),
                did_you_mean(id, entries),
            )
        return deepcopy(entries[id])

    def check(
        self,
        id: str,
        value: object = None,
        *,
        variant: str | None = None,
        holds: bool | str | None = None,
        cause: object = None,
        also: object = None,
    ) -> Check:
        """Compare a computed value with the printed figure.

        Parameters
        ----------
        id : str
            The name of the figure in its file. If the folder has several files, the id is
            ``file/name``.
        value : number, text, or several of them
            The computed value or values, as many as the figure has: a number, a text (for a label),
            a sequence, an array, a Series, a frame (in the order of its rows), or an object whose
            ``summary`` is a frame, such as an `Evaluation`. If the figure is recorded as consistent
            with a random process, give two values for each printed number, the ends of its
            interval; with a ``bound``, give the two ends of the bound. For a claim, or a figure
            that is not computable, give the value to compare with the recorded ``expected_value``,
            or nothing if none is recorded.
        variant : str, optional
            The variant of the definition that the value was computed under, if it is not the
            document's stated one. It must be the recorded variant.
        holds : bool or {"not established", "by construction", "under a variant"}, optional
            Needed for a claim, and only for a claim: whether it holds on the document's data. Pass
            ``"not established"`` if these data or the test cannot decide it, and include the power
            of the test among the values. Pass ``"by construction"`` if the data were made up so
            that the claim is true, and ``"under a variant"`` if it is true in one reading and false
            in another.
        cause : value, optional
            The value that the author's slip leads to; needed if the record names the ``cause`` of
            an erratum, and only then. It must be the printed value.
        also : value, optional
            The value under the other definition; needed if the record says
            ``does_not_distinguish``, and only then. Both values must agree with the figure.

        Returns
        -------
        Check
            The comparison with its verdict. The ledger collects the checks that notebooks show. A
            figure without a recorded verdict is expected to be reproduced.

        Raises
        ------
        InputError
            If there is no such figure; if there is no value although one can be computed, or a
            value although none is recorded; if the value is of another kind, such as a truth value
            or a dict; if the number of values or the variant is not the recorded one; or if
            ``holds``, ``cause`` or ``also`` is missing, or is given although the figure doesn't
            take it.
        """
        check = judge(
            id,
            self.figure(id),
            value,
            variant=variant,
            holds=holds,
            cause=cause,
            also=also,
        )
        self._session[id] = check
        return check

    def check_table(self, id: str, value: object, *, variant: str | None = None) -> TableChecks:
        """Compare the computed values of a whole printed table, cell by cell.

        Parameters
        ----------
        id : str
            The name of the table: that of its CSV file, which a TOML file lists under ``tables``,
            without the ending. If the folder has several TOML files, it is ``file/name``.
        value : DataFrame, or an object whose ``summary`` is one
            The computed values. Rows and columns must have the labels that are printed, in any
            order. Values are ignored where nothing is printed.
        variant : str, optional
            The variant of the definition that the values were computed under. It applies to the
            cells whose records name it.

        Returns
        -------
        TableChecks
            The comparison of each cell; the attribute ``verdicts`` is a frame of their verdicts.

        Raises
        ------
        InputError
            If there is no such table, if the labels are not those that are printed (the message
            shows both), if the variant is not recorded for any cell, or if a cell holds anything
            but a number or text.
        """
        figures = self._figures()
        printed = figures.tables[check_choice(id, "table", figures.tables)]
        frame = getattr(value, "summary", value)
        if not isinstance(frame, pd.DataFrame):
            rule = "be a frame, or have a `summary` that is one, such as an Evaluation"
            raise input_error("value", rule, shorten(value))
        _check_labels(frame.index, printed.index, "row")
        _check_labels(frame.columns, printed.columns, "column")
        frame = frame.rename(index=str, columns=str)
        checks = []
        verdicts = pd.DataFrame("", printed.index, printed.columns)
        variants = {None}
        for row, column in product(printed.index, printed.columns):
            if not printed.loc[row, column]:
                continue
            entry = figures.entries[f"{id}/{row}/{column}"]
            variants.add(entry.get("variant"))
            check = judge(
                f"{id}/{row}/{column}",
                entry,
                frame.loc[row, column] if compared_texts(entry) else None,
                variant=variant if variant == entry.get("variant") else None,
            )
            verdicts.loc[row, column] = check.verdict
            checks.append(check)
        check_that(variant in variants, "variant", f"be on record for a cell of {id}", variant)
        self._session.update({check.id: check for check in checks})
        result = TableChecks(checks)
        result.verdicts = verdicts
        return result

    def table(
        self,
        notebooks: str | Path | Iterable[str | Path] | None = None,
        *,
        document: str | None = None,
    ) -> LedgerTable:
        """Return every figure with the value and verdict of its check; nothing is executed.

        Parameters
        ----------
        notebooks : path or iterable of paths, optional
            Executed notebooks, or a folder of them (with its subfolders); only their checks count.
            Default: the notebooks directly in the folder of the ledger. If this object has checked
            a figure, its own check replaces the stored ones.
        document : str, optional
            Show the figures of this file only.

        Returns
        -------
        DataFrame
            One row per recorded figure, indexed by ``figure``, with the columns ``what``,
            ``where``, ``printed``, ``computed``, ``verdict``, ``expected``, ``reason`` and
            ``cell``, which leads to the notebook cell that shows it. The ledger prints within 100
            columns. In a notebook it is a table with links, in which long values are folded. A
            figure that several notebooks check has one row. If they show different values, the
            verdict is "notebooks disagree", and the reason says which notebook shows which value.
            The verdict of a figure that no notebook checks is "not checked". If the figure needs a
            file that is not available, its verdict is "data not here", which counts as expected.

        Raises
        ------
        InputError
            If there is no such file, or a notebook cannot be read.
        """
        figures = self._figures()
        documents = list(figures.files)
        if document is not None:
            documents = [check_choice(document, "document", documents)]
        if notebooks is None:
            checks = [asdict(check) | {"cell": ""} for check in self._session.values()]
            for path in self.notebooks():
                stored_checks = checks_in(path)
                checks += [check for check in stored_checks if check["id"] not in self._session]
        else:
            if isinstance(notebooks, (str, Path)):
                notebooks = [notebooks]
            checks = [check for path in notebooks for check in checks_in(Path(path))]
        table = build_table(figures.entries, checks)
        if len(documents) < len(figures.files):  # there are several files, so ids have prefixes
            table = table[table.index.str.startswith(f"{document}/")]
        table.attrs["sources"] = [
            line for name in documents for line in _source_lines(name, figures.files[name])
        ]
        return table

    def notebooks(self) -> list[Path]:
        """Return the notebooks directly in the folder, which ``receval reproduce`` runs."""
        return sorted(self.folder.glob("*.ipynb"))


def _check_labels(labels: pd.Index, printed: pd.Index, axis: str) -> None:
    """Raise unless the labels on an axis of a frame are those that are printed, in any order."""
    if sorted(map(str, labels)) != sorted(printed):
        raise input_error(
            "value",
            f"have the {axis}s as printed, {', '.join(map(repr, printed))}",
            ", ".join(map(repr, labels)),
        )


def _source_lines(document: str, content: Record) -> list[str]:
    """Return the lines that describe a file's source; no lines if the file states it as text.

    The first line names the paper, the second says where and when somebody saw the figures and
    whether the data may be copied.
    """
    source = content.get("source", "")
    if not isinstance(source, dict):
        return []
    parts = {"title": content.get("title"), **source}
    parts["authors"] = ", ".join(map(str, as_values(source.get("authors", []), "authors")))
    if "seen_on" in source:
        parts["seen"] = f"{source.get('seen', '')} on {source['seen_on']}"
    if "may_be_copied" in source:
        parts["may_be_copied"] = "may" if source["may_be_copied"] else "may not"
    citation, circumstances = (
        ". ".join(form.format(parts[key]) for key, form in forms.items() if parts.get(key))
        for forms in (CITATION, CIRCUMSTANCES)
    )
    return [line for line in (f"{document}: {citation}", circumstances) if line]


@lru_cache(maxsize=8)
def _read_files(
    folder: Path, paths: tuple[Path, ...], _stamps: tuple[tuple[int, int], ...]
) -> Figures:
    """Read and check files; the cache notices a change by the time and size of each file."""
    toml_paths = [path for path in paths if path.suffix == ".toml" and path.name != PROJECT_FILE]
    if not toml_paths:
        got = f"none in {shorten(str(folder))}"
        if not folder.is_dir():
            got += ", which does not exist"
        raise input_error("folder", "hold a TOML file with printed figures, figures.toml", got)
    figures = Figures({}, {}, {}, {path.name: path for path in paths if path.suffix == ".csv"})
    for path in toml_paths:
        number = NUMBERED_NAME.match(path.stem)
        document = path.stem if number is None else number[1]
        check_that(document not in figures.files, "folder", "hold each file id once", document)
        # If there is only one file, ids don't need its name, unless it is numbered as part of a
        # series.
        prefix = ""
        if number is not None or len(toml_paths) > 1:
            prefix = f"{document}/"
        place = path.name
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            check_keys(content, FILE_KEYS)
            if isinstance(content.get("source"), dict):
                check_keys(content["source"], (*CITATION, *CIRCUMSTANCES, "seen_on"))
            entries = dict(content.get("figures", {}))
            for csv_name in content.get("tables", []):
                place = csv_name
                csv_path = figures.csv_paths[check_choice(csv_name, "tables", figures.csv_paths)]
                table = _read_table(csv_path)
                figures.tables[prefix + csv_path.stem] = table
                for name, cell in _cells(csv_path.stem, table).items():
                    entries[name] = cell | entries.get(name, {})
            check_that(entries, "figures", "hold a figure, such as [figures.ease_ndcg]", entries)
            for name, entry in entries.items():
                place = f"{path.name}, figure {name!r}"
                check_entry(entry)
                figures.entries[prefix + name] = entry
        except (ValueError, TypeError) as error:  # of receval, TOML, pandas or UTF-8
            raise InputError(f"{place}: {error}") from None
        figures.files[document] = content
    _check_inputs(figures)
    return figures


def _check_inputs(figures: Figures) -> None:
    """Raise if an input of a figure is none of the names that `receval.ledger` lists."""
    from receval.datasets import sources

    tables = {path.stem for path in figures.csv_paths.values()}
    inputs = {name for content in figures.files.values() for name in content.get("inputs", {})}
    names = {*figures.entries, *tables, *inputs, *sources()}
    for figure_id, entry in figures.entries.items():
        for name in texts_of(entry, "inputs"):
            if name not in names:
                raise input_error(
                    f"inputs of {figure_id}",
                    "be keys of [inputs], tables, figures or files of receval.datasets",
                    repr(name),
                    did_you_mean(name, names),
                )


def _read_table(path: Path) -> pd.DataFrame:
    """Return a printed table as texts; the first column and the first row hold the labels."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, header=None).map(str.strip)
    rows, columns = frame.iloc[1:, 0].tolist(), frame.iloc[0, 1:].tolist()
    check_unique(rows, "the table", "row")
    check_unique(columns, "the table", "column")
    return frame.iloc[1:, 1:].set_axis(rows).set_axis(columns, axis="columns")


def _cells(name: str, table: pd.DataFrame) -> dict[str, Record]:
    """Return an entry for each cell with something printed in it, named ``table/row/column``."""
    return {
        f"{name}/{row}/{column}": {"where": name, "what": f"{column} of {row}", "printed": printed}
        for column in table.columns
        for row, printed in table[column].items()
        if printed
    }
