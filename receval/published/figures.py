"""The figures as the files record them."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import check_choice
from receval._downloads import sources
from receval._files import published_folder, read_toml

__all__ = ["documents", "figure", "load", "table"]

VERDICTS: dict[str, str] = read_toml("published/verdicts.toml")["verdicts"]
CLAIMS: dict[str, str] = read_toml("published/verdicts.toml")["claims"]
VERDICT_KEYS = {*VERDICTS, "claim"}  # a figure has at most one of them


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
        If there is no such document.

    Examples
    --------
    >>> load("001")["figures"]["cg"]["printed"]
    '31'
    """
    check_choice(document, "document", documents())
    [path] = published_folder().glob(f"{document}_*.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


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
    return dict(figures[check_choice(name, f"figure of document {document}", figures)])


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


def recorded(entry: dict[str, Any]) -> dict[str, Any]:
    """What is on record of a figure, in the words of a `Check`."""
    told = {"where": entry["where"], "what": entry["what"], "expected": expected(entry)}
    return {**told, "printed": tuple(map(str, flat(entry["printed"]))), "reason": reason(entry)}


def expected(entry: dict[str, Any]) -> str:
    """The verdict on record."""
    if "claim" in entry:
        return CLAIMS[entry["claim"]]
    for key, verdict in VERDICTS.items():
        if key in entry:
            return verdict
    return "reproduced"


def reason(entry: dict[str, Any]) -> str:
    """What stands beside the verdict: the variant, process or source, and why they differ."""
    keys = ("not_computable", "variant", "transcribed", "consistent", "reason")
    parts = [entry[key] for key in keys if key in entry]
    told = {"step": "Step from the printed value", "stated": "As stated it is"}
    parts += [
        f"{told[key]}: {' '.join(map(str, flat(entry[key])))}." for key in told if key in entry
    ]
    return ". ".join(parts).replace(".. ", ". ")


def needed(id: str) -> list[str]:
    """The files of others that a figure takes, by itself or through figures among its inputs."""
    known, seen = sources(), [id]
    for name in seen:  # which grows
        if name not in known:
            inputs = figure(name).get("inputs", ())
            seen += [one for one in inputs if "/" in one and one not in seen]
    return sorted(known.keys() & {*seen})


def flat(value: object) -> list[Any]:
    """A value, a sequence or a nested one as a flat list."""
    array = np.asarray(value, dtype=object)
    return [leaf for item in array.flat for leaf in flat(item)] if array.ndim else [array.item()]
