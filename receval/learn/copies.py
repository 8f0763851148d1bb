"""Copies of the notebooks for users, and JupyterLab to open them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from receval._checks import check_choice
from receval._files import PACKAGE, check_folder, make_folder, notebook_paths, write_atomically
from receval.learn import memory
from receval.ledger.running import CLAIM, FOLDED_TAGS, SOLUTION, Cell, tags_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["copy", "serve"]

LESSONS = "learn"
START = f"{LESSONS}/00_start_here.ipynb"


def copy(source: Path, folder: Path, *, edition: str = "") -> list[str]:
    """Copy the notebooks and their pages that a folder lacks; never overwrite a file.

    Parameters
    ----------
    source, folder : Path
        The folder of the notebooks, and the user's folder.
    edition : {"", "student", "solutions"}
        "" copies the notebooks without solutions. "student" also leaves out outputs and claims, to
        predict first and then run. "solutions" keeps the solutions, and unfolds them.

    Returns
    -------
    list of str
        Names of the files in the folder that differ from the copy that would have been made: the
        user has changed them, or they are of another version.

    Raises
    ------
    InputError
        If ``source`` holds no notebooks, or ``folder`` is a file or cannot be made.
    """
    check_choice(edition, "edition", ("", "student", "solutions"))
    folder = check_folder(folder)
    notebooks = notebook_paths(source)
    pages = sorted(Path(source).rglob("*.md"))
    names_of_kept_files = []
    for path in [*notebooks, *pages]:
        name = path.relative_to(source)
        target = folder / name
        content = _edit(path, edition)
        if not os.path.lexists(target):  # a broken link is kept too
            make_folder(target.parent)
            _write(target, content)
        elif not target.is_file() or target.read_bytes() != content.encode():
            names_of_kept_files.append(name.as_posix())
    if edition != "solutions" and (folder / LESSONS).is_dir():
        progress = folder / LESSONS / memory.FILE
        if not os.path.lexists(progress):
            _write(progress, "{}\n")  # with this file, the lessons remember what the reader did
    return names_of_kept_files


def serve(folder: Path, others: Sequence[str], *, browser: bool = True) -> None:
    """Open JupyterLab on the first notebook of a folder.

    Parameters
    ----------
    folder : Path
        The folder of the notebooks.
    others : sequence of str
        Further options of JupyterLab.
    browser : bool, default True
        Whether to open a browser; if not, the address is printed.
    """
    from jupyterlab.labapp import main

    # JupyterLab serves the folder of all notebooks, because they link to one another.
    command = [str(folder), f"--LabApp.default_url=/lab/tree/{START}"]
    # With receval's configuration, JupyterLab asks no questions at its first start. The
    # configuration of the user still counts, because its folders follow in the path.
    config_paths = [str(PACKAGE / "jupyter")]
    users_config_path = os.environ.get("JUPYTER_CONFIG_PATH")
    if users_config_path:
        config_paths.append(users_config_path)
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(config_paths)
    if not browser:
        command.append("--no-browser")
        print(f"Open the address that JupyterLab prints below, which has /lab/tree/{START} in it")
    sys.stdout.flush()  # JupyterLab prints to stderr, which must not overtake these lines
    main([*command, *others])  # in this process, so that Ctrl-C ends the server too


def _write(target: Path, content: str) -> None:
    """Write a text file."""
    write_atomically(target, lambda file: file.write(content))


def _edit(path: Path, edition: str) -> str:
    """Return the text of a file to be copied: a notebook in this edition, or a page.

    The edition "" takes out solutions. "student" takes out solutions, claims and outputs.
    "solutions" unfolds the cells with solutions. Pages are the same in all editions, and so are
    notebooks without solutions in the edition "".
    """
    import nbformat

    text: str = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    if edition == "":
        cells = [cell for cell in notebook.cells if not _has_tag(cell, SOLUTION)]
        if len(cells) == len(notebook.cells):
            return text
        notebook.cells = cells
        return _to_text(notebook)
    if edition == "student":
        # Leave out solutions and claims: a claim would give away what the student is asked to
        # predict.
        notebook.cells = [cell for cell in notebook.cells if not _has_tag(cell, *FOLDED_TAGS)]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
                cell.execution_count = None
    for cell in notebook.cells:
        if not _has_tag(cell, CLAIM):
            cell.metadata.pop("jupyter", None)  # this entry folds the cell; claims stay folded
    return _to_text(notebook)


def _to_text(notebook: NotebookNode) -> str:
    """Return a notebook as the text of its file."""
    import nbformat

    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return f"{text.rstrip()}\n"


def _has_tag(cell: Cell, *tags: str) -> bool:
    """Return whether a cell has one of these tags."""
    return not set(tags).isdisjoint(tags_of(cell))
