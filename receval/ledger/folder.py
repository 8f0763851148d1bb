"""The ledger of a folder: check printed figures, and show every verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path

import pandas as pd

from receval._checks import (
    Record,
    check_choice,
    check_flag,
    did_you_mean,
    format_first,
    input_error,
    shorten,
)
from receval._escape import for_terminal
from receval._files import check_folder
from receval.ledger.checking import Check, TableChecks
from receval.ledger.collecting import (
    ShownCheck,
    build_table,
    checks_in_notebook,
    checks_in_notebooks,
    shown_in_session,
)
from receval.ledger.files import FigureFile, FigureFolder, read_folder
from receval.ledger.judging import judge
from receval.ledger.reading import COLOURS, LedgerTable
from receval.ledger.source_records import source_lines
from receval.ledger.values import as_frame, as_values

__all__ = ["Ledger"]

MAX_NAMES = 12  # largest number of names that a message lists


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
        be read, an unknown key, a duplicate id, a figure that depends on itself. The message names
        the file and the figure.

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
            The entry.

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
        if full_id is None or full_id not in figures.entries:
            names = list(figures.entries)
            rule = f"be one of {format_first(map(repr, names), MAX_NAMES)}"
            raise input_error("figure", rule, shorten(id), did_you_mean(id, names))
        return full_id, figures.entries[full_id]

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
            The name of a CSV file in the folder without its ending.

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
        paths = self._read().csv_paths
        return pd.read_csv(
            paths[check_choice(name, "name", paths)], dtype=str, keep_default_na=False
        )

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
            If there is no such figure; if there is no value although one can be computed, or a
            value although none is recorded; if the value is of another kind, such as a truth value
            or a dict; if the number of values or the variant is not the recorded one; or if
            ``holds``, ``cause`` or ``also`` is missing, or is given although the figure doesn't
            take it.
        """
        full_id, entry = self._find(id)
        if holds is not None and not isinstance(holds, str):
            holds = check_flag(holds, "holds")  # a NumPy truth value becomes Python's
        check = judge(
            full_id,
            entry,
            _values_or_none(value, "value"),
            variant=variant,
            holds=holds,
            cause=_values_or_none(cause, "cause"),
            also=_values_or_none(also, "also"),
            quiet=quiet,
        )
        self._session[check.id] = check
        return check

    def check_table(
        self, id: str, value: object, *, variant: str | None = None, quiet: bool = False
    ) -> TableChecks:
        """Compare the computed values of a whole printed table, cell by cell.

        Parameters
        ----------
        id : str
            The name of the table: that of its CSV file, which a TOML file lists under ``tables``,
            without the ending. If the folder has several TOML files, it is ``file/name``; the name
            alone will do if only one file has it.
        value : DataFrame, or an object whose ``summary`` is one
            The computed values. Rows and columns must have the labels that are printed, in any
            order. Values are ignored where nothing is printed.
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
            shows both), if the variant is not recorded for any cell, or if a cell holds anything
            but a number or text.
        """
        figures = self._read()
        full_id = figures.full_id(id)
        if full_id is None or full_id not in figures.tables:
            check_choice(id, "table", sorted(figures.tables))
        printed = figures.tables[str(full_id)]
        frame = as_frame(value, "value")
        _check_labels(frame.index, printed.index, "row")
        _check_labels(frame.columns, printed.columns, "column")
        frame = frame.rename(index=str, columns=str)
        is_variant_used = variant is None
        rows: list[list[Check | None]] = []
        for row in printed.index:
            checks: list[Check | None] = []
            for column in printed.columns:
                cell_id = f"{full_id}/{row}/{column}"
                if cell_id not in figures.entries:
                    checks.append(None)
                    continue
                entry = figures.entries[cell_id]
                variant_of_cell = None
                if variant is not None and entry.get("variant") == variant:
                    variant_of_cell = variant
                    is_variant_used = True
                # A figure that cannot be computed has a value only if one is expected in its place.
                values = None
                if "not_computable" not in entry or "expected_value" in entry:
                    name = f"value in row {row!r}, column {column!r},"
                    values = as_values(frame.loc[row, column], name)
                checks.append(judge(cell_id, entry, values, variant=variant_of_cell, quiet=quiet))
            rows.append(checks)
        if not is_variant_used:
            raise input_error("variant", f"be on record for a cell of {id}", shorten(variant))
        cells = pd.DataFrame(rows, printed.index, printed.columns, dtype=object)
        result = TableChecks.of_cells(cells)
        for check in result:
            self._session[check.id] = check
        return result

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
            Default: the notebooks directly in the folder of the ledger. If this object has checked
            a figure, its own check replaces the stored ones.
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
            file that is not available, its verdict is "data not here", which counts as expected.

        Raises
        ------
        InputError
            If there is no such file or verdict, or a notebook cannot be read.
        """
        figures = self._read()
        if document is not None:
            check_choice(document, "document", [file.id for file in figures.files])
        if notebooks is None:
            checks = list(self._stored_checks())
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

    def _stored_checks(self) -> Iterator[ShownCheck]:
        """Yield the checks of the folder's notebooks; checks of this session replace them."""
        for path in self.notebooks():
            for check in checks_in_notebook(path, path.name):
                if check.id not in self._session:
                    yield check
        yield from shown_in_session(self._session)

    def notebooks(self) -> list[Path]:
        """Return the notebooks directly in the folder, which ``receval reproduce`` runs."""
        return sorted(self.folder.glob("*.ipynb"))

    def files_in_order(self) -> list[FigureFile]:
        """Return the TOML files of the folder."""
        return list(self._read().files)


def _values_or_none(value: object, name: str) -> list[object] | None:
    """Return an argument as a flat list of values, or None if it was not given."""
    if value is None:
        return None
    return as_values(value, name)


def _check_labels(labels: pd.Index, printed: pd.Index, axis: str) -> None:
    """Raise unless the labels on an axis of a frame are those that are printed, in any order."""
    if sorted(map(str, labels)) != sorted(printed):
        rule = f"have the {axis}s as printed, {', '.join(map(repr, printed))}"
        raise input_error("value", rule, ", ".join(map(repr, labels)))
