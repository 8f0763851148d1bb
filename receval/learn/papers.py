"""A made-up paper, which a lesson checks."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from receval._files import PACKAGE

_folders: list[TemporaryDirectory[str]] = []  # Python removes them when it ends


def small_paper() -> Path:
    """Return a new folder with the printed figures of a made-up paper.

    The file ``table1.csv`` in it has the six cells of the paper's table, and ``figures.toml`` makes
    each of them a figure of the ledger. You may change it: the
    next call makes another folder. Python removes the folders when it exits.

    Returns
    -------
    Path

    Examples
    --------
    >>> from receval import Ledger, learn
    >>> Ledger(learn.small_paper()).check("table1/Popular/HR@3", 3 / 4)
    table1/Popular/HR@3: printed 75 %, computed 0.7500 -> reproduced
    """
    folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="receval-paper-")
    _folders.append(folder)
    return copytree(PACKAGE / "learn" / "small_paper", Path(folder.name), dirs_exist_ok=True)
