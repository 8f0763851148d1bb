"""The figures as the files record them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, check_choice
from receval._files import published_folder
from receval.published.agreement import KINDS

__all__ = ["documents", "figure", "load", "table"]

FIGURE_KEYS = {
    "where", "what", "printed", "kind", "input_digits", "corrected", "reason", "variant",
    "not_computable", "expected_value", "needs", "decimals",
}  # fmt: skip


def documents() -> list[str]:
    """Identifiers of the documents that have published figures here.

    Examples
    --------
    >>> "001" in documents()
    True
    """
    return sorted(path.name.split("_")[0] for path in published_folder().glob("*.toml"))


def load(document: str) -> dict[str, Any]:
    """What is recorded of one document: source, inputs, figures.

    Parameters
    ----------
    document : str
        Identifier such as ``"001"``; see `documents`.

    Returns
    -------
    dict
        Keys ``title``, ``source``, ``inputs`` (the document's own example data) and
        ``figures``.

    Raises
    ------
    InputError
        If there is no such document, or its file breaks the form above.

    Examples
    --------
    >>> load("001")["figures"]["cg"]["printed"]
    '31'
    """
    found = sorted(published_folder().glob(f"{document}_*.toml"))
    if len(found) != 1:
        check_choice(document, "document", documents())
    return _read(found[0])


def figure(id: str) -> dict[str, Any]:
    """One figure as recorded, by its identifier ``document/name``.

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
    document, _, name = str(id).partition("/")
    figures = load(document)["figures"]
    check_choice(name, f"figure of document {document}", figures)
    entry: dict[str, Any] = figures[name]
    return entry


def table(name: str) -> pd.DataFrame:
    """A published table whole, every cell as the text that is printed.

    Parameters
    ----------
    name : str
        Name of the file in ``data/published`` without its ending, such as ``"000_results"``.

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
    tables = {path.stem: path for path in published_folder().glob("*.csv")}
    path = tables[check_choice(name, "name", sorted(tables))]
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def expected(entry: dict[str, Any]) -> str:
    if "not_computable" in entry:
        return "not computable"
    if "corrected" in entry:
        return "erratum"
    return "reproduced under a variant" if "variant" in entry else "reproduced"


def reason(entry: dict[str, Any]) -> str:
    return str(entry.get("not_computable") or entry.get("reason") or entry.get("variant") or "")


def _read(path: Path) -> dict[str, Any]:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    for name, entry in content.get("figures", {}).items():
        which = f"figure {name!r} in {path.name}"
        missing = {"where", "what", "printed"} - entry.keys()
        unknown = entry.keys() - FIGURE_KEYS
        if missing or unknown:
            raise InputError(
                f"{which} must have where, what and printed, and no "
                f"unknown key; got missing {sorted(missing)}, unknown {sorted(unknown)}"
            )
        if "corrected" in entry and "reason" not in entry:
            raise InputError(f"{which} must say the reason of its erratum")
        if "expected_value" in entry and "not_computable" not in entry:
            raise InputError(f"{which} must be not_computable to have an expected_value")
        check_choice(entry.get("kind", "rounded"), f"kind of {name}", KINDS)
        wanted = len(flat(entry["printed"]))
        for key in {"corrected", "expected_value"} & entry.keys():
            if (given := len(flat(entry[key]))) != wanted:
                raise InputError(
                    f"{key} of {name!r} in {path.name} must hold {wanted} values, as many as are "
                    f"printed; got {given}"
                )
    return content


def flat(value: object) -> list[Any]:
    """A value, a sequence or a nested one as a flat list."""
    if isinstance(value, (str, bytes)) or np.ndim(np.asarray(value, dtype=object)) == 0:
        return [value.item() if isinstance(value, np.ndarray) else value]
    items: Sequence[Any] = np.asarray(value, dtype=object).ravel().tolist()
    return [leaf for item in items for leaf in flat(item)]
