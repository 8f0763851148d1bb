"""Copies of files for users: the notebooks, which JupyterLab opens, and a made-up paper."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from receval._files import PACKAGE, check_folder, make_folder, notebook_paths, write_atomically

START = "00_start_here.ipynb"  # with pictures of the walks
EXAM = "lessons/exam_questions.md"  # with answers
# Cells with these tags answer an exercise, prove a sentence of the text above, or have the verdicts
# on a walk's figures. They would give away what a student is asked to predict.
TAGS_OF_ANSWERS = {"solution", "claim", "ledger"}

_folders: list[TemporaryDirectory[str]] = []  # Python removes them when it ends


def copy(source: Path, folder: Path, *, solved: bool = False) -> list[str]:
    """Copy the notebooks and pages that are missing from a folder; never overwrite a file.

    Parameters
    ----------
    source, folder : Path
        The folder of the notebooks, and the user's folder.
    solved : bool, default False
        False copies the edition for students, who predict first and then run: it has no outputs, no
        solutions, no claims and no questions of an exam. True copies everything as it is.

    Returns
    -------
    list of str
        Names of the files in the folder that differ from the copies that the function would write:
        the user has changed them, or they are of another version.

    Raises
    ------
    InputError
        If ``source`` holds no notebooks, or ``folder`` is a file or cannot be made.
    """
    folder = check_folder(folder)
    source = Path(source)
    names_of_kept_files = []
    for path in [*notebook_paths(source), *sorted(source.rglob("*.md"))]:
        name = path.relative_to(source).as_posix()
        if name == EXAM and not solved:
            continue
        content = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb" and not solved:
            content = _student_edition(content)
        target = folder / name
        if not os.path.lexists(target):  # a broken link is kept too
            make_folder(target.parent)
            _write(target, content)
        elif not target.is_file() or target.read_bytes() != content.encode():
            names_of_kept_files.append(name)
    return names_of_kept_files


def _write(target: Path, content: str) -> None:
    """Write a text file."""
    write_atomically(target, lambda file: file.write(content))


def _student_edition(text: str) -> str:
    """Return a notebook without outputs, and without the cells that hold answers."""
    import nbformat

    notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    notebook.cells = [
        cell for cell in notebook.cells if TAGS_OF_ANSWERS.isdisjoint(cell.metadata.get("tags", []))
    ]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    edition: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return f"{edition.rstrip()}\n"


def serve(folder: Path, options: Sequence[str]) -> None:
    """Open JupyterLab on the first notebook of a folder.

    Parameters
    ----------
    folder : Path
        The folder of the notebooks.
    options : sequence of str
        Further options of JupyterLab.
    """
    from jupyterlab.labapp import main

    # JupyterLab serves the folder of all notebooks, because they link to one another.
    command = [str(folder), f"--LabApp.default_url=/lab/tree/{START}"]
    # With receval's configuration, JupyterLab asks no questions at its first start. The user's own
    # configuration still applies, because its folders stay in the path.
    config_paths = [str(PACKAGE / "jupyter")]
    users_config_path = os.environ.get("JUPYTER_CONFIG_PATH")
    if users_config_path:
        config_paths.append(users_config_path)
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(config_paths)
    # Jupyter's server refuses to start as root without this option. In a container, users are root.
    chooses = any("allow-root" in option or "allow_root" in option for option in options)
    if hasattr(os, "geteuid") and os.geteuid() == 0 and not chooses:  # Windows has no such function
        command.append("--allow-root")
        print("You are root, so receval adds --allow-root: without it, Jupyter refuses to start")
    sys.stdout.flush()  # JupyterLab prints to stderr, which must not overtake these words
    main([*command, *options])  # in this process, so that Ctrl-C ends the server too


def small_paper() -> Path:
    """Return a new folder with the printed figures of a made-up paper.

    The file ``table1.csv`` in it has the six cells of the paper's table, and ``figures.toml`` makes
    each of them a figure of the ledger. You may change it: the next call makes another folder.
    Python removes the folders when it exits.

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
