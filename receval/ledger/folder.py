"""The ledger of a folder: check printed figures, and show every verdict."""

from __future__ import annotations

import os
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path

import pandas as pd

from receval._checks import (
    InputError,
    check_choice,
    did_you_mean,
    format_first,
    input_error,
    shorten,
)
from receval._escape import for_terminal
from receval._files import check_folder
from receval._types import Record
from receval.ledger.checking import Check, TableChecks
from receval.ledger.collecting import (
    ShownCheck,
    build_table,
    checks_in_notebook,
    checks_in_notebooks,
    shown_in_session,
)
from receval.ledger.entries import flatten
from receval.ledger.files import FigureFile, FigureFolder, read_folder
from receval.ledger.judging import Evidence, is_statement, judge
from receval.ledger.listing import (
    VARIABLE,
    append_check,
    listed_paths,
    name_of,
    shown_by_scripts,
)
from receval.ledger.printed_tables import SEPARATOR, label_text
from receval.ledger.reading import COLOURS, LedgerTable
from receval.ledger.source_records import source_lines
from receval.ledger.values import as_frame, as_values

__all__ = ["Ledger"]

MAX_NAMES = 60  # largest number of names that a message lists


class Ledger:
    r"""The printed figures of a paper, and the verdict on each.

    A ledger is a folder with TOML files that hold the figures exactly as printed; ``receval ledger
    new`` writes one from a table of a paper. Notebooks and scripts compute the figures and call
    `check`. The page "Check your own paper" of the documentation explains all steps, and
    `receval.ledger` describes the form of the files.

    Parameters
    ----------
    folder : path, default "."
        The folder. receval reads the TOML files directly in it, and those in its subfolder
        ``papers``. It reads them again when they change.

    Raises
    ------
    InputError
        If the folder is missing or has no TOML file, or if a file breaks the form: TOML that cannot
        be read, an unknown key, a duplicate id, a figure that depends on itself. The message names
        the file and the lines.

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
        self.folder: Path = check_folder(folder).absolute()  # a script may change its folder
        self._session: dict[str, Check] = {}  # the last check of each figure in this process
        self._read()

    def _read(self) -> FigureFolder:
        """Return the figures of the folder as they are now."""
        return read_folder(self.folder)

    def __repr__(self) -> str:
        figures = self._read()
        files = format_first([file.path.name for file in figures.files])
        name = for_terminal(self.folder.resolve().name)
        text = f"Ledger of {name}: {len(figures.entries)} figures in {for_terminal(files)}"
        if self._session:
            text += f"; {len(self._session)} checked in this session"
        return text

    @property
    def ids(self) -> list[str]:
        """Return the ids of all figures, in the order of the files."""
        return list(self._read().entries)

    def figure(self, id: str) -> Record:
        """Return a copy of what the file states about a figure.

        Parameters
        ----------
        id : str
            The name of the figure in its file. If the folder has several files, the id is
            ``file/name``; the name alone will do if only one file has it.

        Returns
        -------
        dict
            The entry. The entry of a cell also holds the keys that the cell takes from its table.

        Raises
        ------
        InputError
            If there is no such figure; the message has the nearest id.
        """
        _, entry = self._find(id)
        return deepcopy(entry)

    def _find(self, id: str) -> tuple[str, Record]:
        """Return the full id and the entry of a figure; the entry must not be changed.

        Raises if there is no such figure, with the nearest name.
        """
        figures = self._read()
        full_id = figures.full_id(id)
        if full_id is not None:
            return full_id, figures.entries[full_id]
        document, slash, name = str(id).partition("/")
        # The cells of a CSV file have slashes in their names, too.
        has_files = all(
            figure_id.startswith(f"{file.id}/") for figure_id, file in figures.file_by_id.items()
        )
        if not has_files or not slash:
            raise _no_such_name(id, "figure", list(figures.entries))
        files = [file.id for file in figures.files]
        check_choice(document, "document", files)
        prefix = f"{document}/"
        names = [
            figure_id.removeprefix(prefix)
            for figure_id in figures.entries
            if figure_id.startswith(prefix)
        ]
        raise _no_such_name(name, f"figure of document {document}", names)

    def file(self, name: str) -> Record:
        """Return a copy of the content of a TOML file: title, source, inputs, figures.

        Parameters
        ----------
        name : str
            The name of the file without ending. For a numbered file such as
            ``000_matchmaking.toml``, the number.

        Returns
        -------
        dict

        Raises
        ------
        InputError
            If there is no such file.
        """
        file_by_id = {file.id: file for file in self._read().files}
        return deepcopy(file_by_id[check_choice(name, "document", file_by_id)].content)

    def printed_table(self, name: str) -> pd.DataFrame:
        """Return a printed table, every cell as the text that is printed.

        Parameters
        ----------
        name : str
            The name of a table in a TOML file, or of a CSV file in the folder without its ending.

        Returns
        -------
        DataFrame
            Text in every cell, so that no digit is lost; "" where nothing is printed. Convert with
            `pandas.to_numeric` to compute.

        Raises
        ------
        InputError
            If there is no such table.
        """
        figures = self._read()
        full_ids = figures.tables_named(name)
        if name in figures.csv_paths and not full_ids:
            return pd.read_csv(figures.csv_paths[name], dtype=str, keep_default_na=False)
        if len(full_ids) != 1:
            check_choice(name, "name", sorted([*figures.csv_paths, *figures.cells_by_table]))
        cells = figures.cells_by_table[full_ids[0]]
        text_by_cell = {
            labels: " ".join(map(str, flatten(figures.entries[figure_id]["printed"])))
            for labels, figure_id in cells.items()
        }
        rows, columns = _labels_in_order(cells)
        texts = [[text_by_cell.get((row, column), "") for column in columns] for row in rows]
        return pd.DataFrame(texts, index=rows, columns=columns)

    def check(
        self,
        id: str,
        value: object = None,
        *,
        variant: str | None = None,
        holds: bool | str | None = None,
        cause: object = None,
        also: object = None,
        quiet: bool = False,
    ) -> Check:
        """Compare a computed value with the printed figure.

        Parameters
        ----------
        id : str
            The name of the figure in its file. If the folder has several files, the id is
            ``file/name``; the name alone will do if only one file has it.
        value : number, text, or several of them
            The computed value or values, as many as the figure has: a number, a text (for a label),
            a sequence, an array, a Series, a frame (in the order of its rows), or an object whose
            ``summary`` is a frame, such as an `Evaluation`. For "0.396 ± 0.002" give a pair of mean
            and spread, or the mean alone. If the figure is recorded as consistent with a random
            process, give two values for each printed number, the ends of its interval; with a
            ``bound``, give the two ends of the bound. For a claim, or a figure that is not
            computable, give the value to compare with the recorded ``expected_value``, or nothing
            if none is recorded.
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
        quiet : bool, default False
            Whether to leave out the reason, so that learners can find it themselves.

        Returns
        -------
        Check
            The comparison with its verdict. The ledger collects the checks that notebooks show. A
            figure without a recorded verdict is expected to be reproduced.

        Raises
        ------
        InputError
            If there is no such figure, or it is a statement without a number; if there is no value
            although one can be computed, or a value although none is recorded; if the value is of
            another kind, such as a truth value or a dict; if the number of values or the variant is
            not the recorded one; or if ``holds``, ``cause`` or ``also`` is missing, or is given
            although the figure doesn't take it.
        """
        full_id, entry = self._find(id)
        evidence = Evidence.of(value, variant=variant, holds=holds, cause=cause, also=also)
        check = judge(full_id, entry, evidence, quiet=quiet)
        self._remember(check)
        return check

    def check_table(
        self, id: str, value: object, *, variant: str | None = None, quiet: bool = False
    ) -> TableChecks:
        """Compare the computed values of a whole printed table, cell by cell.

        Parameters
        ----------
        id : str
            The name of the table; its cells state it under the key ``table``. If the folder has
            several files, it is ``file/name``; the name alone will do if only one file has it.
        value : DataFrame, or an object whose ``summary`` is one
            The computed values. Rows and columns must have the labels that are printed, in any
            order. The levels of a label are joined by " / "; the last level alone will do if all
            last levels differ. A cell may hold a pair of mean and spread. Values are ignored where
            nothing is printed, or only a statement such as "n.s.".
        variant : str, optional
            The variant of the definition that the values were computed under. It applies to the
            cells whose records name it.
        quiet : bool, default False
            Whether to leave out the reasons.

        Returns
        -------
        TableChecks
            The comparison of each cell, shown as one table in the colours of the verdicts.

        Raises
        ------
        InputError
            If there is no such table, if the labels are not those that are printed (the message
            shows both), if a label occurs twice, if the variant is not recorded for any cell, or if
            a cell holds anything but numbers or text.
        """
        figures = self._read()
        full_ids = figures.tables_named(id)
        if len(full_ids) != 1:
            check_choice(id, "table", sorted(figures.cells_by_table))
        cells = figures.cells_by_table[full_ids[0]]
        frame = as_frame(value, "value")
        rows, columns = _labels_in_order(cells)
        place_by_row = _places(frame.index, rows, "row", id)
        place_by_column = _places(frame.columns, columns, "column", id)
        values = frame.to_numpy(dtype=object)
        is_variant_used = variant is None
        checks: dict[tuple[str, str], Check] = {}
        statements: dict[tuple[str, str], str] = {}
        for (row, column), figure_id in cells.items():
            entry = figures.entries[figure_id]
            if is_statement(entry):
                statements[row, column] = str(entry["printed"])
                continue
            variant_of_cell = None
            if variant is not None and entry.get("variant") == variant:
                variant_of_cell = variant
                is_variant_used = True
            # A figure that cannot be computed has a value only if one is expected in its place.
            cell_values = None
            if "not_computable" not in entry or "expected_value" in entry:
                cell = values[place_by_row[row], place_by_column[column]]
                cell_values = as_values(cell, f"value in row {row!r}, column {column!r},")
            evidence = Evidence(values=cell_values, variant=variant_of_cell)
            checks[row, column] = judge(
                figure_id, entry, evidence, quiet=quiet, needs_companions=False
            )
        if not is_variant_used:
            rule = f"be on record for a cell of {id}"
            raise input_error("variant", rule, shorten(variant))
        for check in checks.values():
            self._remember(check)
        return TableChecks.of_cells(checks, rows, columns, statements)

    def _remember(self, check: Check) -> None:
        """Keep a check for `table`, and write it to a file if the environment names one."""
        self._session[check.id] = check
        path = os.environ.get(VARIABLE)
        if path:
            append_check(Path(path), self.folder, check.record())

    def table(
        self,
        notebooks: str | Path | Iterable[str | Path] | None = None,
        *,
        document: str | None = None,
        verdict: str | None = None,
    ) -> LedgerTable:
        """Return every figure with the value and verdict of its check; nothing is executed.

        Parameters
        ----------
        notebooks : path or iterable of paths, optional
            Executed notebooks, or a folder of them (with its subfolders); only their checks count.
            Default: the outputs of the notebooks that ``receval ledger run`` would execute, and the
            checks that scripts made when it last ran. If this object has checked a figure, its own
            check replaces the stored ones.
        document, verdict : str, optional
            Show the figures of this file only, or those with this verdict.

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
            file that is not available, its verdict is "data not here", which counts as expected. A
            statement without a number has the verdict "statement".

        Raises
        ------
        InputError
            If there is no such file or verdict, or a notebook cannot be read.
        """
        figures = self._read()
        if document is not None:
            check_choice(document, "document", [file.id for file in figures.files])
        if notebooks is None:
            checks = self._stored_checks(figures)
        else:
            if isinstance(notebooks, (str, Path)):
                notebooks = [notebooks]
            checks = [check for path in notebooks for check in checks_in_notebooks(Path(path))]
        table = build_table(figures, checks)
        files = figures.files
        if document is not None:
            files = [file for file in files if file.id == document]
            is_of_document = [file.id == document for file in figures.file_by_id.values()]
            table = table[is_of_document]
        if verdict is not None:
            # Rare verdicts such as "not checked" have no colour, so add those of the table.
            check_choice(verdict, "verdict", sorted({*COLOURS, *table["verdict"]}))
            table = table[table["verdict"] == verdict]
        table.attrs["sources"] = [line for file in files for line in source_lines(file)]
        return table

    def _stored_checks(self, figures: FigureFolder) -> list[ShownCheck]:
        """Return the checks of notebooks and scripts; checks of this session replace them."""
        paths = listed_paths(self.folder, figures)
        stored = [
            check
            for path in paths
            if path.suffix == ".ipynb"
            for check in checks_in_notebook(path, name_of(path, self.folder))
        ]
        stored += shown_by_scripts(self.folder, paths)
        remaining = [check for check in stored if check.id not in self._session]
        return [*remaining, *shown_in_session(self._session)]

    def listed_paths(self) -> list[Path]:
        """Return the notebooks and scripts that ``receval ledger run`` runs."""
        return listed_paths(self.folder, self._read())

    def files_in_order(self) -> list[FigureFile]:
        """Return the TOML files of the folder."""
        return list(self._read().files)


def _no_such_name(name: object, argument: str, names: list[str]) -> InputError:
    """Return the error for a name that is not among the names; it lists some of them."""
    rule = f"be one of {format_first(map(repr, names), MAX_NAMES)}"
    return input_error(argument, rule, shorten(name), did_you_mean(name, names))


def _labels_in_order(cells: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the labels of rows and columns of cells, in the order of their first cell."""
    labels = list(cells)
    rows = list(dict.fromkeys(row for row, _ in labels))
    columns = list(dict.fromkeys(column for _, column in labels))
    return rows, columns


def _places(axis: pd.Index, printed: list[str], axis_name: str, id: str) -> dict[str, int]:
    """Return the position of each printed label on an axis of a frame.

    ``axis_name`` is "row" or "column". Raises unless the axis has the labels that are printed, each
    once; the message shows both sets.
    """
    labels = [label_text(label) for label in axis]
    repeated = sorted({label for label in labels if labels.count(label) > 1})
    if repeated:
        rule = f"have each {axis_name} once"
        raise input_error("value", rule, f"{format_first(map(repr, repeated))} twice")
    # The last level of a printed label is enough, if no two labels have the same one.
    last_levels = [label.rpartition(SEPARATOR)[2] for label in printed]
    if set(labels) == set(last_levels) and len(set(last_levels)) == len(printed):
        places = {label: place for place, label in enumerate(labels)}
        return {label: places[last] for label, last in zip(printed, last_levels, strict=True)}
    if set(labels) != set(printed):
        only_in_frame = [label for label in labels if label not in printed]
        only_printed = [label for label in printed if label not in labels]
        raise InputError(
            f"value must have the {axis_name}s of {id} as printed; "
            f"got {format_first(map(repr, labels), 12)}; "
            f"printed are {format_first(map(repr, printed), 12)}. "
            f"Only in value: {format_first(map(repr, only_in_frame), 12) or 'none'}; "
            f"only printed: {format_first(map(repr, only_printed), 12) or 'none'}"
        )
    return {label: place for place, label in enumerate(labels)}
