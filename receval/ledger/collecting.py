"""The table of a ledger: every recorded figure, with the values that checks computed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from receval._checks import InputError, Record, input_error
from receval._files import notebook_paths
from receval.ledger.checking import MIME, Check, format_values
from receval.ledger.entries import recorded_fields
from receval.ledger.files import FigureFolder
from receval.ledger.reading import COLUMNS, LedgerTable

__all__ = ["counts_sentence", "summary"]

# Figures with these verdicts were not recomputed, so `counts_sentence` counts them apart.
NOT_RECOMPUTED = (
    "transcribed",
    "not computable",
    "data not here",
    "package not here",
)


@dataclass(frozen=True)
class ShownCheck:
    """A check that a notebook shows.

    Attributes
    ----------
    id : str
        The figure.
    computed : tuple of str
        The computed values as text.
    verdict : str
        The verdict of the check when it ran.
    place : str
        The notebook, with the id of its cell, as a link relative to the ledger's folder.
    """

    id: str
    computed: tuple[str, ...]
    verdict: str
    place: str

    @classmethod
    def of(cls, record: Record, place: str) -> ShownCheck:
        """Return the check from its record in an output."""
        return cls(
            id=record["id"],
            computed=tuple(record["computed"]),
            verdict=record["verdict"],
            place=place,
        )


def build_table(folder: FigureFolder, checks: Iterable[ShownCheck]) -> LedgerTable:
    """Return the ledger of a folder, with a row for each figure; `Ledger.table` describes it."""
    checks_by_id: dict[str, list[ShownCheck]] = {}
    for check in checks:
        # A notebook may have run when the folder had a single file. Its ids then don't name the
        # file.
        full_id = folder.full_id(check.id)
        if full_id is not None:
            checks_by_id.setdefault(full_id, []).append(check)
    needed_by_id = _needed_files(folder)
    rows = {
        figure_id: _ledger_row(
            entry, checks_by_id.get(figure_id, []), needed_by_id.get(figure_id, {})
        )
        for figure_id, entry in folder.entries.items()
    }
    return LedgerTable.from_dict(rows, orient="index").rename_axis("figure")


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Count the figures of each document by verdict.

    Parameters
    ----------
    table : DataFrame
        A ledger that `ledger` or `Ledger.table` returned.

    Returns
    -------
    DataFrame
        Verdicts in rows, documents in columns, and totals of both. Figures whose ids name no
        document are in a single column.

    Examples
    --------
    >>> from receval import published
    >>> published.summary(published.ledger(document="001")).loc["erratum"].tolist()
    [5, 5]
    """
    has_document = table.index.str.contains("/", regex=False)
    document = table.index.to_series().str.split("/").str[0].where(has_document, "figures")
    return pd.crosstab(
        table["verdict"], document.rename("document"), margins=True, margins_name="all"
    )


def counts_sentence(table: pd.DataFrame) -> str:
    """Count the figures of a ledger in a sentence, apart from those that were not recomputed.

    Parameters
    ----------
    table : DataFrame
        A ledger that `ledger` or `Ledger.table` returned.

    Returns
    -------
    str
        The number of all figures; of those that were recomputed and have the verdict on record; of
        each verdict without a recomputed value; and of those whose verdict is not the one on
        record. Except for the first two, a number that is 0 is left out.

    Examples
    --------
    >>> from receval import published
    >>> published.counts_sentence(published.ledger(document="000"))
    '27 figures: 19 recomputed and as recorded; 3 transcribed; 5 not computable'
    """
    is_as_recorded = table["verdict"] == table["expected"]
    verdicts = table["verdict"][is_as_recorded]
    counts = {verdict: int((verdicts == verdict).sum()) for verdict in NOT_RECOMPUTED}
    n_recomputed = len(verdicts) - sum(counts.values())
    counts["not as recorded"] = int((~is_as_recorded).sum())
    parts = [f"{count} {words}" for words, count in counts.items() if count]
    return "; ".join([f"{len(table)} figures: {n_recomputed} recomputed and as recorded", *parts])


def _ledger_row(
    entry: Record, checks: list[ShownCheck], is_here_by_file: dict[str, bool]
) -> dict[str, str]:
    """Return the row of a figure by column; columns without a value hold "".

    Parameters
    ----------
    entry : dict
        The entry of the figure in the file of its document.
    checks : list of ShownCheck
        The checks of this figure.
    is_here_by_file : dict
        For each file that the figure needs, by name, whether it is available.

    Returns
    -------
    dict
    """
    fields = recorded_fields(entry)
    row = dict.fromkeys(COLUMNS, "")
    row["what"] = fields["what"]
    row["where"] = fields["where"]
    row["printed"] = " ".join(fields["printed"])
    row["expected"] = fields["expected"]
    row["reason"] = fields["reason"]
    if checks:
        row["cell"] = checks[0].place
        # If several notebooks show the same values and verdict, only the last of them is kept.
        name_by_outcome = {
            (check.computed, check.verdict): Path(check.place).stem for check in checks
        }
        if len(name_by_outcome) == 1:
            row["computed"] = " ".join(checks[0].computed)
            row["verdict"] = checks[0].verdict
        else:
            values_by_name = "; ".join(
                f"{format_values(values)} in {name}"
                for (values, _), name in name_by_outcome.items()
            )
            row["verdict"] = "notebooks disagree"
            row["reason"] = f"Notebooks show {values_by_name}."
    else:
        missing_files = [name for name, is_here in is_here_by_file.items() if not is_here]
        if missing_files:
            # Without its data a figure cannot be checked, so this verdict is as expected.
            row["verdict"] = row["expected"] = "data not here"
            files = ", ".join(missing_files)
            row["reason"] = f"Takes {files}, downloaded; see `receval.datasets`."
        else:
            row["verdict"] = "not checked"
    return row


def _needed_files(folder: FigureFolder) -> dict[str, dict[str, bool]]:
    """Return the files that each figure needs, directly or through its inputs, by the figure's id.

    These are files of other authors that `receval.datasets` fetches. For each file, the value says
    whether it is available.
    """
    from receval.datasets import sources

    downloads = sources()
    is_here_by_path: dict[str, bool] = {}  # each file is looked for once
    needed: dict[str, dict[str, bool]] = {}
    for figure_id, entry in folder.entries.items():
        if not entry.get("inputs"):
            continue
        files: dict[str, bool] = {}
        for name in _with_inputs_of_inputs(figure_id, folder):
            if name in downloads:
                if name not in is_here_by_path:
                    is_here_by_path[name] = _is_available(name)
                files[name] = is_here_by_path[name]
        needed[figure_id] = dict(sorted(files.items()))
    return needed


def _with_inputs_of_inputs(figure_id: str, folder: FigureFolder) -> list[str]:
    """Return a figure and everything that it depends on, directly or through other figures."""
    names = [figure_id]
    for name in names:  # the list grows with the inputs of inputs
        if name in folder.entries:
            inputs = folder.entries[name].get("inputs", ())
            names += [input_name for input_name in inputs if input_name not in names]
    return names


def _is_available(name: str) -> bool:
    """Return whether a file of other authors is here or can be fetched.

    A file with wrong content counts as available, because it doesn't excuse a missing check.
    """
    from receval.datasets import available

    with suppress(InputError):
        return available(name)
    return True


def checks_in_notebooks(path: Path) -> Iterator[ShownCheck]:
    """Yield the checks in the outputs of an executed notebook, or of a folder of notebooks.

    `Ledger.check` adds them to the output of a cell as JSON, under a MIME type of receval.
    """
    if path.is_dir():
        for notebook in notebook_paths(path):
            yield from checks_in_notebook(notebook, notebook.relative_to(path).as_posix())
    else:
        yield from checks_in_notebook(path, path.name)


def checks_in_notebook(path: Path, name: str) -> Iterator[ShownCheck]:
    """Yield the checks in the outputs of a notebook, which the ledger calls ``name``."""
    for number, cell in enumerate(_cells(path), start=1):
        for output in cell.get("outputs", []):
            # Notebooks in an older format have no ids of cells.
            place = f"{name}#cell-id={cell.get('id', number)}"
            try:
                records = json.loads(output.get("data", {}).get(MIME, "[]"))
                checks = [ShownCheck.of(record, place) for record in records]
            except (ValueError, KeyError, TypeError):
                rule = "hold checks as `Ledger.check` shows them"
                advice = "Run the notebook again"
                raise input_error(name, rule, f"others in cell {number}", advice) from None
            yield from checks


def _cells(path: Path) -> list[Record]:
    """Return the cells of a notebook; raise if the file isn't a notebook."""
    try:
        cells: list[Record] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (ValueError, KeyError, TypeError):
        raise input_error(path.name, "be a notebook in format 4", "another file") from None
    return cells


def shown_in_session(checks: dict[str, Check]) -> Iterator[ShownCheck]:
    """Yield the checks that this process made, given by id of the figure; they have no place."""
    for check in checks.values():
        yield ShownCheck(check.id, check.computed, check.verdict, "")
