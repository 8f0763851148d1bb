"""The ledger: every figure on record beside what executed notebooks computed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError, check_choice
from receval._downloads import available
from receval._files import notebook_paths, notebooks_folder
from receval.published.checking import MIME, row
from receval.published.figures import documents, load, needed, recorded
from receval.published.reading import COLOURS, COLUMNS, LedgerTable

__all__ = ["ledger", "summary"]


def ledger(
    notebooks: str | Path | Iterable[str | Path] | None = None,
    *,
    document: str | None = None,
    verdict: str | None = None,
) -> LedgerTable:
    """Every published figure with the value and verdict that executed notebooks show for it.

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
        which leads to the notebook cell that shows it. It prints within 100 columns, and in a
        notebook as a table with links in which long values are folded. A figure
        that several notebooks check counts once; where they show different values, the verdict
        is "notebooks disagree", and the reason says which shows what. One that no notebook
        checks is "not checked", or, if it takes a downloaded file that is not to be had,
        "data not here" as expected.

    Raises
    ------
    InputError
        If there is no such document or verdict.

    Examples
    --------
    >>> ledger(document="001", verdict="erratum").index.tolist()
    ['001/cg_terms', '001/cg', '001/dcg_terms', '001/dcg', '001/ndcg']
    """
    notebooks = notebooks_folder() if notebooks is None else notebooks
    given = [notebooks] if isinstance(notebooks, (str, Path)) else notebooks
    wanted = documents() if document is None else [check_choice(document, "document", documents())]
    seen: dict[str, list[dict[str, Any]]] = {}
    for path in given:
        for check in _checks_shown(Path(path)):
            seen.setdefault(check["id"], []).append(check)
    rows = {
        (id := f"{one}/{name}"): _ledger_row(id, entry, seen.get(id, []))
        for one in wanted
        for name, entry in load(one)["figures"].items()
    }
    table = LedgerTable.from_dict(rows, orient="index").rename_axis("figure")
    if verdict is not None:
        check_choice(verdict, "verdict", sorted({*COLOURS, *table["verdict"]}))
        table = table[table["verdict"] == verdict]
    return table


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """How many figures of each document have each verdict.

    Parameters
    ----------
    table : DataFrame
        As `ledger` answers it.

    Returns
    -------
    DataFrame
        Verdicts in rows, documents in columns, and totals of both.
    """
    document = table.index.to_series().str.split("/").str[0].rename("document")
    return pd.crosstab(table["verdict"], document, margins=True, margins_name="all")


def _ledger_row(id: str, entry: dict[str, Any], shown: list[dict[str, Any]]) -> dict[str, str]:
    """A figure with the checks of it that notebooks show."""
    told = recorded(entry)
    result = dict.fromkeys(COLUMNS, "") | told | {"printed": " ".join(told["printed"])}
    result |= {"verdict": "not checked", "cell": shown[0]["cell"] if shown else ""}
    different = {(tuple(one["computed"]), one["verdict"]): Path(one["cell"]).stem for one in shown}
    if len(different) == 1:
        ((values, verdict),) = different
        result |= {"computed": " ".join(values), "verdict": verdict}
    elif different:
        each = "; ".join(f"{row(values)} in {name}" for (values, _), name in different.items())
        result |= {"verdict": "notebooks disagree", "reason": f"Notebooks show {each}."}
    elif lacking := [name for name in needed(id) if not _to_be_had(name)]:
        result |= dict.fromkeys(("verdict", "expected"), "data not here")
        result["reason"] = f"Takes {', '.join(lacking)}, downloaded; see `receval.datasets`."
    return result


def _to_be_had(name: str) -> bool:
    with suppress(InputError):  # a file is there, but a wrong one: no excuse
        return available(name)
    return True


def _checks_shown(path: Path) -> Iterator[dict[str, Any]]:
    """The checks in the outputs of an executed notebook, or of a folder, each with its cell."""
    for notebook in notebook_paths(path) if path.is_dir() else [path]:
        name = notebook.relative_to(path).as_posix() if path.is_dir() else notebook.name
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                for check in json.loads(output.get("data", {}).get(MIME, "[]")):
                    yield check | {"cell": f"{name}#cell-id={cell['id']}"}
