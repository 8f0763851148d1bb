"""The user's own copy of the notebooks, and JupyterLab on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from operator import methodcaller
from pathlib import Path
from typing import Any

from receval._checks import check_choice
from receval._files import PACKAGE, check_folder, make_folder, notebook_paths, write_atomically
from receval.notebooks.running import CLAIM, FOLDED_TAGS

__all__ = ["copy", "serve"]

START = "learn/00_start_here.ipynb"


def copy(source: Path, folder: Path, *, edition: str = "") -> list[str]:
    """Copy the notebooks, and the pages beside them, that a folder lacks; what is there stays.

    Parameters
    ----------
    source, folder : Path
        The folder of the notebooks, and the user's.
    edition : {"", "student", "solutions"}
        As shipped, with solutions folded; without outputs, solutions and claims, to predict first
        and run then; or with solutions unfolded.

    Returns
    -------
    list of str
        Names of those that were there and differ: changed by the user, or of another version.

    Raises
    ------
    InputError
        If ``source`` holds no notebooks, or ``folder`` is a file or cannot be made.
    """
    check_choice(edition, "edition", ("", "student", "solutions"))
    folder, paths = check_folder(folder), notebook_paths(source)
    kept = []
    for path in [*paths, *sorted(Path(source).rglob("*.md"))]:
        name = path.relative_to(source)
        target, content = folder / name, _edited(path, edition)
        if not os.path.lexists(target):
            make_folder(target.parent)
            write_atomically(target, methodcaller("write", content))
        elif not target.is_file() or target.read_bytes() != content.encode():
            kept.append(name.as_posix())
    return kept


def serve(folder: Path, others: Sequence[str], *, browser: bool = True) -> None:
    """Open JupyterLab on the first notebook of a folder.

    Parameters
    ----------
    folder : Path
        Where the notebooks are.
    others : sequence of str
        More options of JupyterLab.
    browser : bool, default True
        Whether to open a browser; otherwise the address is said.
    """
    from jupyterlab.labapp import main

    # The folder of all notebooks, not that of the first: they link to one another.
    command = [str(folder), f"--LabApp.default_url=/lab/tree/{START}"]
    # which has JupyterLab ask nothing at its first start
    ours, theirs = str(PACKAGE / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, (ours, theirs)))
    if not browser:
        command.append("--no-browser")
        print(f"Open the address that JupyterLab prints below, which has /lab/tree/{START} in it")
    sys.stdout.flush()
    main([*command, *others])  # in this process: what ends receval ends the server


def _edited(path: Path, edition: str) -> str:
    """A page or a notebook as shipped, or a notebook for students or for their teacher."""
    import nbformat

    if not edition or path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    if edition == "student":
        # A claim would give away what the student is asked to predict.
        notebook.cells = [cell for cell in notebook.cells if not _has_tag(cell, *FOLDED_TAGS)]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
    for cell in notebook.cells:
        if not _has_tag(cell, CLAIM):
            cell.metadata.pop("jupyter", None)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return f"{text.rstrip()}\n"


def _has_tag(cell: Any, *tags: str) -> bool:
    """Whether a cell has one of these tags."""
    return not set(tags).isdisjoint(cell.metadata.get("tags", []))
