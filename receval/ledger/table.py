"""The table of a ledger: every recorded figure, with the values that checks computed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from textwrap import shorten, wrap
from urllib.parse import quote

import pandas as pd

from receval._checks import Record, input_error
from receval._escape import for_html, lines_for_terminal, without_mathematics
from receval._files import notebook_paths
from receval.ledger.checking import MIME, fingerprint, format_values, html_table, verdict_html
from receval.ledger.verdicts import Entry

WIDTH = 100  # columns of a terminal
MAX_LENGTH = 200  # characters of a value in a terminal
MAX_UNFOLDED = 90  # characters; a notebook folds longer values
COLUMNS = ["what", "where", "printed", "computed", "verdict", "expected", "reason", "cell"]


class LedgerTable(pd.DataFrame):
    """A table of figures, which is shown as a ledger if it has all columns of a ledger."""

    @property
    def _constructor(self) -> type[LedgerTable]:
        return LedgerTable

    def _is_ledger(self) -> bool:
        """Return whether the table has all columns of a ledger; a selection may lack some."""
        return set(COLUMNS) <= set(self.columns)

    def __repr__(self) -> str:
        """Return each published figure with its value and verdict, its description and the reason.

        If the table lacks a column of a ledger, it is shown as pandas shows it.
        """
        if not self._is_ledger():
            return lines_for_terminal(repr(pd.DataFrame(self)))
        lines = []
        for source in self.attrs.get("sources", []):
            lines += wrap(source, WIDTH)
        for figure, row in self.iterrows():
            printed = shorten(row["printed"], MAX_LENGTH, placeholder=" …")
            computed = shorten(row["computed"], MAX_LENGTH, placeholder=" …")
            values = f"{figure}: printed {printed}, computed {computed} -> {row['verdict']}"
            about = f"{row['what']} [{row['where']}] {row['reason']}"
            lines += wrap(values, WIDTH, subsequent_indent="    ")
            lines += wrap(about, WIDTH, initial_indent="    ", subsequent_indent="    ")
        return lines_for_terminal("\n".join(lines))

    def _repr_html_(self) -> str:
        """Return a table in HTML with links to the cells of the notebooks.

        If the table lacks a column of a ledger, it is shown as pandas shows it.
        """
        if not self._is_ledger():
            return without_mathematics(lines_for_terminal(pd.DataFrame(self)._repr_html_()))  # type: ignore[operator]
        rows = [_html_cells(figure, row) for figure, row in self.iterrows()]
        html = html_table(("figure", "verdict", "printed", "computed"), rows)
        sources = self.attrs.get("sources", [])
        if sources:
            lines = "<br>".join(map(for_html, sources))
            html = f"<details><summary>Sources</summary>{lines}</details>{html}"
        return html


def _html_cells(figure: Hashable, row: pd.Series) -> list[str]:
    """Return the cells of a figure's row in a table of HTML; ``figure`` is its id."""
    name = for_html(figure)
    if row["cell"]:
        link = quote(row["cell"], safe="/#=", errors="replace")
        name = f'<a href="{link}">{name}</a>'
    name += f"<br>{for_html(row['what'])}<br><small>{for_html(row['where'])}</small>"
    if row["reason"]:
        name += f"<br><small><i>{for_html(row['reason'])}</i></small>"
    return [name, verdict_html(row["verdict"]), _fold(row["printed"]), _fold(row["computed"])]


def _fold(text: str) -> str:
    """Return a text as HTML; a long one shows its beginning until the reader unfolds it."""
    if len(text) <= MAX_UNFOLDED:
        return for_html(text)
    beginning = for_html(shorten(text, MAX_UNFOLDED // 2, placeholder=""))
    return f"<details><summary>{beginning} …</summary>{for_html(text)}</details>"


def build_table(entries: dict[str, Entry], checks: Iterable[Record]) -> LedgerTable:
    """Return a ledger, with a row for each figure; `Ledger.table` describes it.

    Parameters
    ----------
    entries : dict
        What the files state about each figure, by id.
    checks : iterable of dict
        The checks that notebooks show, as `checks_in` returns them.

    Returns
    -------
    LedgerTable
    """
    from receval.datasets import available, sources

    checks_by_id: dict[str, list[Record]] = defaultdict(list)
    for check in checks:
        checks_by_id[check["id"]].append(check)
    downloads = sources().keys()
    is_available = cache(available)  # looks for each file once
    rows = []
    for figure_id, entry in entries.items():
        texts = {"printed": " ".join(entry.unchecked.printed), "computed": "", "cell": ""}
        row = asdict(entry.unchecked) | texts
        rows.append(row)
        checks_of_figure = checks_by_id[figure_id]
        # An entry that was edited after a check may lead to another verdict. Notebooks that an
        # earlier version ran don't say which entry they checked.
        stated = fingerprint(entry.unchecked.entry)
        current_checks = [check for check in checks_of_figure if check["entry"] in (None, stated)]
        if current_checks:
            row.update(_outcome(current_checks))
            continue
        if checks_of_figure:
            row["reason"] = "Its entry was edited after the check. Run the notebook again."
        needed = _with_inputs_of_inputs(figure_id, entries) & downloads
        missing = sorted(name for name in needed if not is_available(name))
        if missing:
            # Without its data a figure cannot be checked, so this verdict is as expected.
            row["verdict"] = row["expected"] = "data not here"
            row["reason"] = (
                f"Takes {', '.join(missing)}, which can be neither found nor fetched. Set "
                "RECEVAL_DATA to the folder that holds it."
            )
    return LedgerTable(rows, index=pd.Index(entries, name="figure"), columns=COLUMNS)


def _outcome(checks: list[Record]) -> dict[str, str]:
    """Return what the checks of a figure show, by column of the ledger.

    If notebooks show different values or verdicts, the reason says which notebook shows which.
    """
    name_by_outcome: dict[tuple[tuple[str, ...], str], str] = {}
    for check in checks:
        # If several notebooks show the same values and verdict, the first of them is named, because
        # the link leads to the first check.
        outcome = (tuple(check["computed"]), check["verdict"])
        name_by_outcome.setdefault(outcome, Path(check["cell"]).stem)
    cell = checks[0]["cell"]
    if len(name_by_outcome) == 1:
        computed = " ".join(checks[0]["computed"])
        return {"computed": computed, "verdict": checks[0]["verdict"], "cell": cell}
    shown = [f"{format_values(values)} in {name}" for (values, _), name in name_by_outcome.items()]
    reason = f"Notebooks show {'; '.join(shown)}."
    return {"verdict": "notebooks disagree", "reason": reason, "cell": cell}


def _with_inputs_of_inputs(figure_id: str, entries: dict[str, Entry]) -> set[str]:
    """Return a figure and everything that it depends on, directly or through other figures."""
    names = [figure_id]
    for name in names:  # the list grows with the inputs of inputs
        if name in entries:
            names += [input_name for input_name in entries[name].inputs if input_name not in names]
    return set(names)


def checks_in(path: Path) -> list[Record]:
    """Return the checks in the outputs of an executed notebook, or of a folder of notebooks.

    `Ledger.check` adds them to the output of a cell as JSON, under a MIME type of receval.
    """
    if path.is_dir():
        folder, notebooks = path, notebook_paths(path)
    else:
        folder, notebooks = path.parent, [path]
    checks = []
    for notebook in notebooks:
        name = notebook.relative_to(folder).as_posix()
        try:
            cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
            for number, cell in enumerate(cells, start=1):
                # Notebooks in an older format have no ids of cells.
                place = f"{name}#cell-id={cell.get('id', number)}"
                for output in cell.get("outputs", []):
                    checks += [check | {"cell": place} for check in _checks_of_output(output)]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise input_error(
                name,
                "be a notebook in format 4, with checks as `Ledger.check` shows them",
                "another file",
                "Run the notebook again",
            ) from None
    return checks


def _checks_of_output(output: Record) -> list[Record]:
    """Return the checks in an output of a cell, each with the fingerprint of its figure's entry.

    The fingerprint is None if an earlier version of receval ran the notebook.
    """
    records = json.loads(output.get("data", {}).get(MIME, "[]"))
    metadata = output.get("metadata", {}).get(MIME, {})
    entries = metadata.get("entries", [None] * len(records))
    return [
        {key: record[key] for key in ("id", "computed", "verdict")} | {"entry": entry}
        for record, entry in zip(records, entries, strict=True)
    ]


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
    >>> published.summary(published.ledger()).loc["erratum", "001"].item()
    5
    """
    before_slash = table.index.to_series().str.extract("^([^/]*)/", expand=False)
    document = before_slash.fillna("figures").rename("document")
    return pd.crosstab(table["verdict"], document, margins=True, margins_name="all")
