"""The published figures as their files record them."""

from __future__ import annotations

import tomllib
from typing import TypedDict

import numpy as np
import pandas as pd

from receval._checks import check_choice
from receval._downloads import sources
from receval._files import published_folder, read_toml
from receval._types import Record

__all__ = ["documents", "figure", "load", "table"]

VERDICTS: dict[str, str] = read_toml("ledger/verdicts.toml")["verdicts"]
CLAIMS: dict[str, str] = read_toml("ledger/verdicts.toml")["claims"]
VERDICT_KEYS = {*VERDICTS, "claim"}  # a figure has at most one of them
REASON_KEYS = ("not_computable", "variant", "transcribed", "consistent", "reason")  # sentences
# Keys with values that explain a difference, and the words before the values.
REASON_VALUES = {"step": "Step from the printed value", "stated": "As stated it is"}


class RecordedFigure(TypedDict):
    """The fields of a `Check` that the record of a figure states."""

    where: str
    what: str
    expected: str
    printed: tuple[str, ...]
    reason: str


def documents() -> list[str]:
    """Return the identifiers of the documents that have published figures here.

    Examples
    --------
    >>> "001" in documents()
    True
    """
    return sorted(path.name.split("_")[0] for path in published_folder().glob("*.toml"))


def load(document: str) -> Record:
    """Return the record of one document: source, inputs, figures.

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
    document, _, name = str(id).partition("/")
    figures = load(document)["figures"]
    return dict(figures[check_choice(name, f"figure of document {document}", figures)])


def table(name: str) -> pd.DataFrame:
    """Return a complete published table, every cell as the text that is printed.

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
    path_by_name = {path.stem: path for path in published_folder().glob("*.csv")}
    path = path_by_name[check_choice(name, "name", sorted(path_by_name))]
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def recorded_fields(entry: Record) -> RecordedFigure:
    """Return the fields of a `Check` that a figure's entry in its file states."""
    return {
        "where": entry["where"],
        "what": entry["what"],
        "expected": expected_verdict(entry),
        "printed": tuple(map(str, flatten(entry["printed"]))),
        "reason": recorded_reason(entry),
    }


def expected_verdict(entry: Record) -> str:
    """Return the verdict on record: a key such as "corrected" or "claim" in the entry decides it.

    Without such a key it is "reproduced".
    """
    if "claim" in entry:
        return CLAIMS[entry["claim"]]
    for key, verdict in VERDICTS.items():
        if key in entry:
            return verdict
    return "reproduced"


def recorded_reason(entry: Record) -> str:
    """Return the reason of the verdict on record; "" if the entry states none.

    It consists of the texts under `REASON_KEYS` and the labelled values under `REASON_VALUES`.
    """
    sentences = [entry[key] for key in REASON_KEYS if key in entry]
    for key, label in REASON_VALUES.items():
        if key in entry:
            values = " ".join(map(str, flatten(entry[key])))
            sentences.append(f"{label}: {values}.")
    return ". ".join(sentences).replace(".. ", ". ")  # some texts end in a full stop, some do not


def needed_files(id: str) -> list[str]:
    """Return the files of other authors that a figure needs, itself or through its inputs."""
    files = sources()
    names = [id]
    for name in names:  # the list grows with the inputs of inputs
        if name not in files:
            for input_name in figure(name).get("inputs", ()):
                # Names of files and ids of figures have a slash; tables and the document's own
                # inputs, which need no file, have none.
                if "/" in input_name and input_name not in names:
                    names.append(input_name)
    return sorted(files.keys() & set(names))


def flatten(value: object) -> list[object]:
    """Return a value, or the values of a sequence or of nested sequences, as a flat list."""
    array = np.asarray(value, dtype=object)
    if array.ndim == 0:
        return [array.item()]
    # NumPy leaves rows of different lengths as lists inside the array, so flatten each item.
    return [leaf for item in array.flat for leaf in flatten(item)]
