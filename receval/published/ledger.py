"""The ledger: every figure on record beside what executed notebooks computed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError
from receval._downloads import available
from receval._files import notebook_paths
from receval.published.checking import MIME, Check, row
from receval.published.figures import documents, expected, flat, load, needed, reason

__all__ = ["ledger", "summary"]


def ledger(notebooks: str | Path | Iterable[str | Path]) -> pd.DataFrame:
    """Every published figure with the value and verdict that executed notebooks show for it.

    Parameters
    ----------
    notebooks : path or iterable of paths
        Executed notebooks, or a folder of them (with its subfolders).

    Returns
    -------
    DataFrame
        One row per figure on record, indexed by ``figure``, with the columns ``what``,
        ``where``, ``printed``, ``computed``, ``verdict``, ``expected`` and ``reason``. A figure
        that several notebooks check counts once; where they show different values, the verdict
        is "notebooks disagree", and the reason says which shows what. One that no notebook
        checks is "not checked", or, if it takes a downloaded file that is not to be had,
        "data not here" as expected.
    """
    given = [notebooks] if isinstance(notebooks, (str, Path)) else notebooks
    seen: dict[str, list[tuple[str, Check]]] = {}
    for path in map(Path, given):
        for notebook in notebook_paths(path) if path.is_dir() else [path]:
            for found in _checks_shown(notebook):
                seen.setdefault(found.id, []).append((notebook.stem, found))
    rows = {
        (id := f"{document}/{name}"): _ledger_row(entry, seen.get(id, []))
        for document in documents()
        for name, entry in load(document)["figures"].items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("figure")


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """How many figures of each document have each verdict.

    Parameters
    ----------
    table : DataFrame
        As `ledger` answers it.

    Returns
    -------
    DataFrame
        Documents in rows, verdicts in columns, and a row of totals.
    """
    document = table.index.to_series().str.split("/").str[0].rename("document")
    return pd.crosstab(document, table["verdict"], margins=True, margins_name="all")


def _ledger_row(entry: dict[str, Any], shown: list[tuple[str, Check]]) -> dict[str, str]:
    """A figure with what notebooks, named, show for it."""
    result = {
        "what": entry["what"],
        "where": entry["where"],
        "printed": row(tuple(map(str, flat(entry["printed"])))),
        "computed": "",
        "verdict": "not checked",
        "expected": expected(entry),
        "reason": reason(entry),
    }
    different: dict[tuple[tuple[str, ...], str], str] = {}
    for name, found in shown:
        different.setdefault((found.computed, found.verdict), name)
    if len(different) == 1:
        ((values, verdict),) = different
        result |= {"computed": row(values), "verdict": verdict}
    elif different:
        each = "; ".join(f"{row(values)} in {name}" for (values, _), name in different.items())
        result |= {"verdict": "notebooks disagree", "reason": f"Notebooks show {each}."}
    elif lacking := [name for name in needed(entry) if not _to_be_had(name)]:
        result |= dict.fromkeys(("verdict", "expected"), "data not here")
        result["reason"] = f"Takes {', '.join(lacking)}, downloaded; see `receval.datasets`."
    return result


def _to_be_had(name: str) -> bool:
    try:
        return available(name)
    except InputError:  # a file is there, but a wrong one: no excuse
        return True


def _checks_shown(path: Path) -> Iterable[Check]:
    """The checks in the outputs of an executed notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(MIME)
            if record is not None:
                found = json.loads(record if isinstance(record, str) else "".join(record))
                for fields in found if isinstance(found, list) else [found]:
                    several = {key: tuple(fields[key]) for key in ("printed", "computed")}
                    yield Check(**fields | several)
