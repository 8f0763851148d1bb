"""The ledger of a folder: read its files, check printed figures, and show every verdict.

The functions below the class do the same for the folder of the figures that come with receval.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from itertools import product
from pathlib import Path

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
from receval._files import check_folder, notebooks_folder, published_folder
from receval.ledger.checking import Check, Checks, record_of
from receval.ledger.table import LedgerTable, build_table, checks_in
from receval.ledger.verdicts import Entry, as_values, check_keys, judge, read_entry

NUMBERED_NAME = re.compile(r"(\d+[a-z]?)_")  # of a file such as 000_matchmaking.toml
PROJECT_FILE = "pyproject.toml"  # the folder may also hold a project's settings
MAX_NAMES = 12  # largest number of names that a message lists
FILE_KEYS = ("title", "source", "inputs", "figures", "tables")


class Ledger:
    r"""The printed figures of a paper, and the verdict on each.

    A ledger is a folder with TOML files that hold the figures exactly as printed. Notebooks in the
    folder compute the figures and call `check`, and ``receval reproduce FOLDER`` runs them. The
    page "Check your own paper" of the documentation explains all steps, and `receval.ledger`
    describes the form of the files.

    Parameters
    ----------
    folder : path, default "."
        The folder. receval reads the TOML files directly in it. After you edit a file, make the
        ledger again.

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
        # What the TOML files state, by the names of the files.
        self._documents: dict[str, Record] = {}
        self._entries: dict[str, Entry] = {}
        self._tables: dict[str, pd.DataFrame] = {}  # the printed tables whose cells are figures
        self._csv_paths = {path.name: path for path in sorted(self.folder.glob("*.csv"))}
        toml_paths = sorted(
            path for path in self.folder.glob("*.toml") if path.name != PROJECT_FILE
        )
        if not toml_paths:
            rule = "exist and hold a TOML file with printed figures, such as figures.toml"
            raise input_error("folder", rule, repr(str(self.folder)))
        for path in toml_paths:
            self._read_file(path, is_only_file=len(toml_paths) == 1)

    def _read_file(self, path: Path, *, is_only_file: bool) -> None:
        """Read the figures of a TOML file, and the printed tables that it names."""
        document = path.stem
        number = NUMBERED_NAME.match(path.stem)
        if number is not None:
            document = number[1]
        check_that(document not in self._documents, "folder", "hold each file id once", document)
        prefix = f"{document}/"
        if is_only_file and number is None:  # a number says that the file is part of a series
            prefix = ""
        with _errors_in(path.name):
            content = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows adds a mark
            check_keys(content, FILE_KEYS)
            records = dict(content.get("figures", {}))
            cells = self._read_tables(content, prefix)
            for name, cell in cells.items():
                records[name] = cell | records.get(name, {})
            check_that(records, "figures", "hold a figure, such as [figures.ease_ndcg]", records)
        for name, record in records.items():
            with _errors_in(f"{path.name}, figure {name!r}"):
                if cells and "printed" not in record:
                    rule = "have 'printed', the figure as printed, or be the id of a printed cell"
                    raise input_error("a figure", rule, repr(name), did_you_mean(name, cells))
                self._entries[prefix + name] = read_entry(prefix + name, record)
        self._documents[document] = content

    def _read_tables(self, content: Record, prefix: str) -> dict[str, Record]:
        """Read the printed tables that a file names, and return an entry for each cell, by name."""
        cells = {}
        for csv_name in content.get("tables", []):
            csv_path = self._csv_paths[check_choice(csv_name, "tables", self._csv_paths)]
            with _errors_in(csv_path.name):
                table = _read_table(csv_path)
                cells.update(_cells(csv_path.stem, table))
            self._tables[prefix + csv_path.stem] = table
        return cells

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
        return deepcopy(self._find(id).unchecked.entry)

    def _find(self, id: str) -> Entry:
        """Return the entry of a figure; the error for an unknown id has the nearest one."""
        if not isinstance(id, str) or id not in self._entries:
            first_ids = format_first(map(repr, self._entries), MAX_NAMES)
            advice = did_you_mean(id, self._entries)
            raise input_error("figure", f"be one of {first_ids}", shorten(id, 200), advice)
        return self._entries[id]

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
            interval; with a ``bound``, give the two ends of the bound. Each end must agree with the
            recorded end, if there is one. For a claim, or a figure that is not computable, give the
            value to compare with the recorded ``expected_value``, or nothing if none is recorded.
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
        entry = self._find(id)
        check = judge(entry, value, variant=variant, holds=holds, cause=cause, also=also)
        self._session[id] = check
        return check

    def check_table(self, id: str, value: object, *, variant: str | None = None) -> Checks:
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
        Checks
            The comparison of each cell, row by row.

        Raises
        ------
        InputError
            If there is no such table, if the labels are not those that are printed (the message
            shows both), if the variant is not recorded for any cell, or if a cell holds anything
            but a number or text.
        """
        printed = self._tables[check_choice(id, "table", self._tables)]
        frame = value
        if not isinstance(frame, pd.DataFrame):  # a frame may have a column "summary"
            frame = getattr(value, "summary", value)
        if not isinstance(frame, pd.DataFrame):
            rule = "be a frame, or have a `summary` that is one, such as an Evaluation"
            raise input_error("value", rule, shorten(value))
        _check_labels(frame.index, printed.index, "row")
        _check_labels(frame.columns, printed.columns, "column")
        frame = frame.rename(index=str, columns=str)
        recorded_variants = []
        checks = []
        for row, column in product(printed.index, printed.columns):
            if not printed.loc[row, column]:
                continue
            entry = self._entries[f"{id}/{row}/{column}"]
            recorded_variant = entry.unchecked.entry.get("variant")
            if recorded_variant is not None and recorded_variant not in recorded_variants:
                recorded_variants.append(recorded_variant)
            cell_value = frame.loc[row, column]
            if not entry.compared:  # nothing can be computed for this cell
                cell_value = None
            cell_variant = variant if variant == recorded_variant else None
            checks.append(judge(entry, cell_value, variant=cell_variant))
        if variant is not None and variant not in recorded_variants:
            on_record = ", ".join(map(repr, recorded_variants)) or "none is"
            rule = f"be on record for a cell of {id} ({on_record})"
            raise input_error("variant", rule, repr(variant))
        self._session.update({check.id: check for check in checks})
        return Checks(checks)

    def table(self, notebooks: str | Path | Iterable[str | Path] | None = None) -> LedgerTable:
        """Return every figure with the value and verdict of its check; nothing is executed.

        Parameters
        ----------
        notebooks : path or iterable of paths, optional
            Executed notebooks, or a folder of them (with its subfolders); only their checks count.
            Default: the notebooks directly in the folder of the ledger. If this object has checked
            a figure, its own check replaces the stored ones.

        Returns
        -------
        DataFrame
            One row per recorded figure, indexed by ``figure``, with the columns ``what``,
            ``where``, ``printed``, ``computed``, ``verdict``, ``expected``, ``reason`` and
            ``cell``, which leads to the notebook cell that shows it. The ledger prints within 100
            columns. In a notebook it is a table with links, in which long values are folded. A
            figure that several notebooks check has one row. If they show different values, the
            verdict is "notebooks disagree", and the reason says which notebook shows which value.
            The verdict of a figure that no notebook checks, or that was edited after its check, is
            "not checked". If the figure needs a file that is not available, its verdict is "data
            not here", which counts as expected.

        Raises
        ------
        InputError
            If a notebook cannot be read.
        """
        checks = []
        if notebooks is None:
            notebooks = self.notebooks()
            checks = [record_of(check) | {"cell": ""} for check in self._session.values()]
        elif isinstance(notebooks, (str, Path)):
            notebooks = [notebooks]
        checked_here = {check["id"] for check in checks}
        for path in notebooks:
            checks += [check for check in checks_in(Path(path)) if check["id"] not in checked_here]
        table = build_table(self._entries, checks)
        table.attrs["sources"] = [
            f"{document}: {_source_text(content)}"
            for document, content in self._documents.items()
            if "source" in content
        ]
        return table

    def notebooks(self) -> list[Path]:
        """Return the notebooks directly in the folder, which ``receval reproduce`` runs."""
        return sorted(self.folder.glob("*.ipynb"))


# The figures that come with receval ---------------------------------------------------------------


@lru_cache(maxsize=1)
def shipped_ledger() -> Ledger:
    """Return the ledger of the figures that come with receval."""
    return Ledger(published_folder())


def load(document: str) -> Record:
    """Return the record of one document: source, inputs, figures.

    Parameters
    ----------
    document : str
        Identifier such as ``"001"``, with which the ids of its figures begin.

    Returns
    -------
    dict
        Keys ``title``, ``source``, ``inputs`` (the document's own example data) and
        ``figures``.

    Raises
    ------
    InputError
        If there is no such document.

    Examples
    --------
    >>> load("001")["figures"]["cg"]["printed"]
    '31'
    """
    files = shipped_ledger()._documents
    return deepcopy(files[check_choice(document, "document", files)])


def figure(id: str) -> Record:
    """Return one figure as recorded, by its identifier ``document/name``.

    Parameters
    ----------
    id : str
        For example ``"001/cg"``.

    Returns
    -------
    dict
        The entry of the file, as the module describes it.

    Raises
    ------
    InputError
        If there is no such figure.

    Examples
    --------
    >>> figure("001/cg")["corrected"]
    '28'
    """
    return shipped_ledger().figure(id)


def table(name: str) -> pd.DataFrame:
    """Return a complete published table, every cell as the text that is printed.

    Parameters
    ----------
    name : str
        Name of the file in ``data/published`` without its extension, such as ``"000_results"``.

    Returns
    -------
    DataFrame
        Text in every cell, so that no digit is lost; "" where nothing is printed. Convert with
        `pandas.to_numeric` to compute.

    Raises
    ------
    InputError
        If there is no such table.

    Examples
    --------
    >>> table("000_results").query("configuration == 'Random'")["hr10"].tolist()
    ['0.001', '0.002']
    """
    paths = {Path(file).stem: path for file, path in shipped_ledger()._csv_paths.items()}
    path = paths[check_choice(name, "name", paths)]
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def check(
    id: str,
    value: object = None,
    *,
    variant: str | None = None,
    holds: bool | str | None = None,
    cause: object = None,
    also: object = None,
) -> Check:
    """Compare a computed value with a figure that comes with receval, as `Ledger.check` does.

    Parameters
    ----------
    id : str
        Identifier of the figure, ``document/name``.
    value : float, str, or a sequence of them
        The computed value or values, as many as the figure has. `Ledger.check` lists the other
        types that are accepted.
    variant : str, optional
        The variant of the definition that the value was computed under, if it is not the document's
        stated one. It must be the recorded variant.
    holds : bool or {"not established", "by construction", "under a variant"}, optional
        Needed for a claim, and only for a claim: whether it holds on the document's data. Pass
        ``"not established"`` if these data or the test cannot decide it, and include the power of
        the test among the values. Pass ``"by construction"`` if the data were made up so that the
        claim is true, and ``"under a variant"`` if it is true in one reading and false in another.
    cause : value, optional
        The value that the author's slip leads to; needed if the record names the cause of an
        erratum.
    also : value, optional
        The value under the other definition; needed if the record says that the figure does not
        distinguish two definitions.

    Returns
    -------
    Check
        The comparison with its verdict. `ledger` collects the checks that notebooks show.

    Raises
    ------
    InputError
        If there is no such figure, or the figure needs other arguments; `Ledger.check` lists the
        cases.

    Examples
    --------
    >>> check("001/cg", 28)
    001/cg: printed 31, computed 28 -> erratum
      The example takes 7 as U1's rating of M2, but the table says 4 (7 is the rating of M7).
    >>> check("001/cg", 31).as_expected
    False
    """
    return shipped_ledger().check(id, value, variant=variant, holds=holds, cause=cause, also=also)


def ledger(notebooks: str | Path | Iterable[str | Path] | None = None) -> LedgerTable:
    """Return every figure that comes with receval, with its value and verdict in the notebooks.

    Parameters
    ----------
    notebooks : path or iterable of paths, optional
        Executed notebooks, or a folder of them (with its subfolders). Default: those that come
        with receval, as they were last run; nothing is run.

    Returns
    -------
    DataFrame
        One row per figure, as `Ledger.table` returns it.

    Examples
    --------
    >>> table = ledger()
    >>> is_of_001 = table.index.str.startswith("001/")
    >>> table[is_of_001].query("verdict == 'erratum'").index.tolist()
    ['001/cg_terms', '001/cg', '001/dcg_terms', '001/dcg', '001/ndcg']
    """
    if notebooks is None:
        notebooks = notebooks_folder()
    return shipped_ledger().table(notebooks)


# Helpers of the class -----------------------------------------------------------------------------


def _check_labels(labels: pd.Index, printed: pd.Index, axis: str) -> None:
    """Raise unless the labels on an axis of a frame are those that are printed, in any order."""
    if sorted(map(str, labels)) != sorted(printed):
        raise input_error(
            "value",
            f"have the {axis}s as printed, {', '.join(map(repr, printed))}",
            ", ".join(map(repr, labels)),
        )


def _source_text(content: Record) -> str:
    """Return what a file states about its source, in one line."""
    source = content["source"]
    if not isinstance(source, dict):
        return str(source)
    source = {"title": content.get("title", "")} | source
    source["authors"] = ", ".join(as_values(source.get("authors", ""), "authors"))
    parts = [f"{key.replace('_', ' ')}: {value}" for key, value in source.items() if value != ""]
    return "; ".join(parts)


@contextmanager
def _errors_in(place: str) -> Iterator[None]:
    """Put the place, such as the name of a file, before the message of an error."""
    try:
        yield
    except (ValueError, TypeError) as error:  # of receval, TOML, pandas or UTF-8
        raise InputError(f"{place}: {error}") from None


def _read_table(path: Path) -> pd.DataFrame:
    """Return a printed table as texts; the first column and the first row hold the labels."""
    # If pandas read the labels itself, it would rename those that occur twice.
    cells = pd.read_csv(path, dtype=str, keep_default_na=False, header=None).map(str.strip)
    rows = cells.iloc[1:, 0].tolist()
    columns = cells.iloc[0, 1:].tolist()
    check_unique(rows, "the table", "row")
    check_unique(columns, "the table", "column")
    return pd.DataFrame(cells.iloc[1:, 1:].to_numpy(), rows, columns)


def _cells(name: str, table: pd.DataFrame) -> dict[str, Record]:
    """Return an entry for each cell in which something is printed, by its id.

    ``name`` is that of the table. The id of a cell is ``table/row/column``.
    """
    entries = {}
    for column in table.columns:
        for row, printed in table[column].items():
            if printed:
                figure_id = f"{name}/{row}/{column}"
                # Labels may contain slashes, too.
                check_that(figure_id not in entries, name, "hold each cell's name once", figure_id)
                what = f"{column} of {row}"
                entries[figure_id] = {"where": name, "what": what, "printed": printed}
    return entries
