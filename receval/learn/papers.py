"""A made-up paper, which a lesson checks."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from receval._files import read_shared_text

__all__ = ["small_paper"]

_folders: list[TemporaryDirectory[str]] = []  # Python removes them when it ends


def small_paper() -> Path:
    """Return a new folder with the printed figures of a made-up paper.

    The file ``figures.toml`` in it has the six cells of the paper's table. You may change it: the
    next call makes another folder. Python removes the folders when it exits.

    Returns
    -------
    Path

    Examples
    --------
    >>> from receval import Ledger, learn
    >>> Ledger(learn.small_paper()).printed_table("table1")
              HR@3 MRR@3 nDCG@3
    Popular   75 %  0.64   0.51
    Personal  100 %  1.00   0.86
    """
    folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="receval-paper-")
    _folders.append(folder)
    path = Path(folder.name)
    (path / "figures.toml").write_text(read_shared_text("learn/small_paper.toml"), encoding="utf-8")
    return path
