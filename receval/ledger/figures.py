"""The figures that come with receval: the functions of `Ledger`, applied to the shipped folder."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from functools import lru_cache
from pathlib import Path

import pandas as pd

from receval._checks import Record, check_choice
from receval._files import notebooks_folder, published_folder
from receval.ledger.checking import Check
from receval.ledger.folder import Ledger
from receval.ledger.table import LedgerTable

__all__ = ["check", "documents", "figure", "ledger", "load", "table"]


@lru_cache(maxsize=1)
def shipped_ledger() -> Ledger:
    """Return the ledger of the figures that come with receval."""
    return Ledger(published_folder())


def documents() -> list[str]:
    """Return the identifiers of the documents whose figures come with receval.

    Examples
    --------
    >>> "001" in documents()
    True
    """
    return list(shipped_ledger()._figures().files)


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
    files = shipped_ledger()._figures().files
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
    paths = {Path(file).stem: path for file, path in shipped_ledger()._figures().csv_paths.items()}
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


def ledger(
    notebooks: str | Path | Iterable[str | Path] | None = None,
    *,
    document: str | None = None,
) -> LedgerTable:
    """Return every figure that comes with receval, with its value and verdict in the notebooks.

    Parameters
    ----------
    notebooks : path or iterable of paths, optional
        Executed notebooks, or a folder of them (with its subfolders). Default: those that come
        with receval, as they were last run; nothing is run.
    document : str, optional
        Show the figures of this document only.

    Returns
    -------
    DataFrame
        One row per figure, as `Ledger.table` returns it.

    Raises
    ------
    InputError
        If there is no such document.

    Examples
    --------
    >>> ledger(document="001").query("verdict == 'erratum'").index.tolist()
    ['001/cg_terms', '001/cg', '001/dcg_terms', '001/dcg', '001/ndcg']
    """
    if notebooks is None:
        notebooks = notebooks_folder()
    return shipped_ledger().table(notebooks, document=document)
