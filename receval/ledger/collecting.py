"""The ledger: every figure on record with the value that executed notebooks computed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

import pandas as pd

from receval._checks import InputError, check_choice
from receval._downloads import available
from receval._files import notebook_paths, notebooks_folder
from receval._types import Record
from receval.ledger.checking import MIME, format_values
from receval.ledger.figures import documents, load, needed_files, recorded_fields
from receval.ledger.reading import COLOURS, COLUMNS, LedgerTable

__all__ = ["ledger", "summary"]


class ShownCheck(TypedDict):
    """The fields of a `Check` that the ledger takes from a notebook, and a link to its cell."""

    id: str
    computed: list[str]
    verdict: str
    cell: str


def ledger(
    notebooks: str | Path | Iterable[str | Path] | None = None,
    *,
    document: str | None = None,
    verdict: str | None = None,
) -> LedgerTable:
    """Return every published figure with the value and verdict that executed notebooks show.

    Parameters
    ----------
    notebooks : path or iterable of paths, optional
        Executed notebooks, or a folder of them (with its subfolders). Default: those that come
        with receval, as they were last run; nothing is run.
    document, verdict : str, optional
        Show the figures of this document only, or those with this verdict.

    Returns
    -------
    DataFrame
        One row per figure on record, indexed by ``figure``, with the columns ``what``,
        ``where``, ``printed``, ``computed``, ``verdict``, ``expected``, ``reason`` and ``cell``,
        which leads to the notebook cell that shows it. The ledger prints within 100 columns. In a
        notebook it is a table with links, in which long values are folded. A figure that several
        notebooks check has one row. If they show different values, the verdict is "notebooks
        disagree", and the reason says which notebook shows which value. The verdict of a figure
        that no notebook checks is "not checked", or "data not here", as expected, if it needs a
        downloaded file that is not available.

    Raises
    ------
    InputError
        If there is no such document or verdict.

    Examples
    --------
    >>> ledger(document="001", verdict="erratum").index.tolist()
    ['001/cg_terms', '001/cg', '001/dcg_terms', '001/dcg', '001/ndcg']
    """
    if notebooks is None:
        notebooks = notebooks_folder()
    if isinstance(notebooks, (str, Path)):
        notebooks = [notebooks]
    selected_documents = documents()
    if document is not None:
        selected_documents = [check_choice(document, "document", selected_documents)]
    checks_by_id: dict[str, list[ShownCheck]] = {}
    for path in notebooks:
        for check in _checks_in(Path(path)):
            checks_by_id.setdefault(check["id"], []).append(check)
    rows = {}
    for name_of_document in selected_documents:
        for name, entry in load(name_of_document)["figures"].items():
            figure_id = f"{name_of_document}/{name}"
            checks = checks_by_id.get(figure_id, [])
            rows[figure_id] = _ledger_row(figure_id, entry, checks)
    table = LedgerTable.from_dict(rows, orient="index").rename_axis("figure")
    if verdict is not None:
        # Rare verdicts such as "not checked" have no colour, so add those of the table.
        check_choice(verdict, "verdict", sorted({*COLOURS, *table["verdict"]}))
        table = table[table["verdict"] == verdict]
    return table


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Count the figures of each document by verdict.

    Parameters
    ----------
    table : DataFrame
        A ledger that `ledger` returned.

    Returns
    -------
    DataFrame
        Verdicts in rows, documents in columns, and totals of both.
    """
    document = table.index.to_series().str.split("/").str[0].rename("document")
    return pd.crosstab(table["verdict"], document, margins=True, margins_name="all")


def _ledger_row(id: str, entry: Record, checks: list[ShownCheck]) -> dict[str, str]:
    """Return the row of a figure by column; columns without a value hold "".

    ``entry`` is the figure's entry in the file of its document, and ``checks`` are the checks of
    this figure that notebooks show.
    """
    fields = recorded_fields(entry)
    row = dict.fromkeys(COLUMNS, "")
    row["what"] = fields["what"]
    row["where"] = fields["where"]
    row["printed"] = " ".join(fields["printed"])
    row["expected"] = fields["expected"]
    row["reason"] = fields["reason"]
    if not checks:
        missing_files = [name for name in needed_files(id) if not _is_available(name)]
        if missing_files:
            # Without its data a figure cannot be checked, so this verdict is as expected.
            row["verdict"] = row["expected"] = "data not here"
            files = ", ".join(missing_files)
            row["reason"] = f"Takes {files}, downloaded; see `receval.datasets`."
        else:
            row["verdict"] = "not checked"
        return row
    row["cell"] = checks[0]["cell"]
    # An outcome is a pair of values and verdict. Of notebooks with the same one, the last remains.
    notebook_by_outcome = {
        (tuple(check["computed"]), check["verdict"]): Path(check["cell"]).stem for check in checks
    }
    if len(notebook_by_outcome) == 1:
        row["computed"] = " ".join(checks[0]["computed"])
        row["verdict"] = checks[0]["verdict"]
    else:
        values_by_notebook = "; ".join(
            f"{format_values(values)} in {notebook}"
            for (values, _), notebook in notebook_by_outcome.items()
        )
        row["verdict"] = "notebooks disagree"
        row["reason"] = f"Notebooks show {values_by_notebook}."
    return row


def _is_available(name: str) -> bool:
    """Return whether a file of other authors is here or can be fetched.

    A wrong file counts as available, because it is not an excuse for a figure that is not checked.
    """
    with suppress(InputError):
        return available(name)
    return True


def _checks_in(path: Path) -> Iterator[ShownCheck]:
    """Yield the checks in the outputs of an executed notebook, or of a folder of notebooks.

    `check` adds them to the output of a cell as JSON, under a MIME type of receval.
    """
    if path.is_dir():
        name_by_notebook = {
            notebook: notebook.relative_to(path).as_posix() for notebook in notebook_paths(path)
        }
    else:
        name_by_notebook = {path: path.name}
    for notebook, name in name_by_notebook.items():
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                checks = json.loads(output.get("data", {}).get(MIME, "[]"))
                for check in checks:
                    yield check | {"cell": f"{name}#cell-id={cell['id']}"}
