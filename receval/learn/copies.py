"""Copies of the notebooks for users, and JupyterLab to open them."""

from __future__ import annotations

import os
import posixpath
import re
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from receval._checks import did_you_mean, input_error, shorten
from receval._files import PACKAGE, check_folder, make_folder, notebook_paths, write_atomically
from receval.ledger.running import Cell, tags_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["copy", "find_lesson", "serve"]

LESSONS = "lessons"
START = "00_start_here.ipynb"  # with pictures of the walks
FOR_TEACHERS = (f"{LESSONS}/teaching.md", f"{LESSONS}/exam_questions.md")
SOLUTION = "solution"  # the tag of cells that answer an exercise
CLAIM = "claim"  # the tag of cells that prove a sentence of the text above
LEDGER = "ledger"  # the tag of the cell with the verdicts on a walk's figures
FOLDED_TAGS = (SOLUTION, CLAIM, LEDGER)
GOALS = "goals"  # the tag of the cell that says which lessons come before
# A link to a notebook or a page, perhaps to a heading there. The parts are the text and the file.
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+\.(?:ipynb|md))(?:#[^)\s]*)?\)")


def copy(source: Path, folder: Path, *, solved: bool = False, lesson: str = "") -> list[str]:
    """Copy the notebooks and pages that are missing from a folder; never overwrite a file.

    Links to notebooks and pages that are not copied become plain text.

    Parameters
    ----------
    source, folder : Path
        The folder of the notebooks, and the user's folder.
    solved : bool, default False
        False copies the edition for students, who predict first and then run: it has no outputs, no
        solutions, no claims and no pages for lecturers. True copies the executed notebooks with
        their solutions, unfolded, and the pages for lecturers, and marks the slides for
        ``jupyter nbconvert --to slides``.
    lesson : str, default ""
        A lesson as in `find_lesson`. Only this lesson, the lessons that it needs, and the pages of
        the lessons are copied. "" copies everything.

    Returns
    -------
    list of str
        Names of the files in the folder that differ from the copies that the function would write:
        the user has changed them, or they are of another version.

    Raises
    ------
    InputError
        If ``source`` holds no notebooks, ``folder`` is a file or cannot be made, or there is no
        such lesson.
    """
    folder = check_folder(folder)
    source = Path(source)
    names = _select(source, lesson, solved=solved)
    names_of_kept_files = []
    for name in names:
        target = folder / name
        content = _edit(source / name, name, names, solved=solved)
        if not os.path.lexists(target):  # a broken link is kept too
            make_folder(target.parent)
            _write(target, content)
        elif not target.is_file() or target.read_bytes() != content.encode():
            names_of_kept_files.append(name)
    return names_of_kept_files


def find_lesson(source: Path, lesson: str) -> str:
    """Return the name of a lesson's notebook, such as "lessons/07_gain_and_discount.ipynb".

    Parameters
    ----------
    source : Path
        The folder of the notebooks.
    lesson : str
        The number of the lesson, such as "07" or "7", or its name, "07_gain_and_discount".

    Raises
    ------
    InputError
        If there is no such lesson.
    """
    stems = [path.stem for path in notebook_paths(source) if path.parent.name == LESSONS]
    for stem in stems:
        number = stem.partition("_")[0]
        is_number = lesson.isdecimal() and number.isdecimal() and int(lesson) == int(number)
        if is_number or lesson == stem:
            return f"{LESSONS}/{stem}.ipynb"
    advice = did_you_mean(lesson, stems) or f"The lessons are {', '.join(stems)}"
    raise input_error("lesson", "be the number or the name of a lesson", shorten(lesson), advice)


def serve(
    folder: Path, options: Sequence[str], *, browser: bool = True, start: str = START
) -> None:
    """Open JupyterLab on one of the notebooks of a folder.

    Parameters
    ----------
    folder : Path
        The folder of the notebooks.
    options : sequence of str
        Further options of JupyterLab.
    browser : bool, default True
        Whether to open a browser; if not, the address is printed.
    start : str
        The notebook to open. Default: the first one.
    """
    from jupyterlab.labapp import main

    # JupyterLab serves the folder of all notebooks, because they link to one another.
    command = [str(folder), f"--LabApp.default_url=/lab/tree/{start}"]
    # With receval's configuration, JupyterLab asks no questions at its first start. The user's own
    # configuration still applies, because its folders stay in the path.
    config_paths = [str(PACKAGE / "jupyter")]
    users_config_path = os.environ.get("JUPYTER_CONFIG_PATH")
    if users_config_path:
        config_paths.append(users_config_path)
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(config_paths)
    if not browser:
        command.append("--no-browser")
        print(f"Open the address that JupyterLab prints below, which has /lab/tree/{start} in it")
    # Jupyter's server refuses to start as root without this option. In a container, users are root.
    chooses = any("allow-root" in option or "allow_root" in option for option in options)
    if hasattr(os, "geteuid") and os.geteuid() == 0 and not chooses:  # Windows has no such function
        command.append("--allow-root")
        print("You are root, so receval adds --allow-root: without it, Jupyter refuses to start")
    sys.stdout.flush()  # JupyterLab prints to stderr, which must not overtake these lines
    main([*command, *options])  # in this process, so that Ctrl-C ends the server too


def _select(source: Path, lesson: str, *, solved: bool) -> list[str]:
    """Return the names of the notebooks and pages to copy, relative to their folder.

    See `copy` for the arguments.
    """
    paths = [*notebook_paths(source), *sorted(source.rglob("*.md"))]
    names = [path.relative_to(source).as_posix() for path in paths]
    if not solved:
        names = [name for name in names if name not in FOR_TEACHERS]
    if lesson:
        first = find_lesson(source, lesson)
        notebooks = [first, *_needed_lessons(source, first)]
        pages = [name for name in names if name.startswith(f"{LESSONS}/") and name.endswith(".md")]
        names = [name for name in names if name in notebooks or name in pages]
    return names


def _needed_lessons(source: Path, lesson: str) -> list[str]:
    """Return the names of the lessons that the goals of a lesson link to."""
    import nbformat

    notebook = nbformat.read(source / lesson, as_version=4)  # type: ignore[no-untyped-call]
    goals = [cell.source for cell in notebook.cells if _has_tag(cell, GOALS)]
    return [_target(lesson, match[2]) for match in LINK.finditer("\n".join(goals))]


def _target(name: str, link: str) -> str:
    """Return the name of the file that a link in a notebook or page leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), link))


def _drop_dead_links(text: str, name: str, names: Collection[str]) -> str:
    """Return the Markdown of a notebook or page, with plain text for links to missing files.

    ``names`` are the files that links may lead to.
    """

    def replace(match: re.Match[str]) -> str:
        """Return the link as it is, or its text if the file is not there."""
        if _target(name, match[2]) in names:
            return match[0]
        return match[1]

    return LINK.sub(replace, text)


def _write(target: Path, content: str) -> None:
    """Write a text file."""
    write_atomically(target, lambda file: file.write(content))


def _edit(path: Path, name: str, names: Collection[str], *, solved: bool) -> str:
    """Return the text of a file to be copied: a notebook in one of the editions, or a page.

    See `copy` for the editions. Links to files that are not among ``names`` become plain text.
    """
    import nbformat

    text: str = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return _drop_dead_links(text, name, names)
    notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    if not solved:
        # Leave out solutions and claims: a claim would give away what the student is asked to
        # predict.
        notebook.cells = [cell for cell in notebook.cells if not _has_tag(cell, *FOLDED_TAGS)]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _drop_dead_links(cell.source, name, names)
        elif not solved and cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
        if not _has_tag(cell, CLAIM, LEDGER):
            cell.metadata.pop("jupyter", None)  # this entry folds the cell; others stay folded
    if solved and name.startswith(f"{LESSONS}/"):
        _mark_slides(notebook.cells)
    return _to_text(notebook)


def _mark_slides(cells: Sequence[Cell]) -> None:
    """Mark where ``jupyter nbconvert --to slides`` begins a new slide.

    Without marks, all cells are on one slide. A heading begins a slide, and any other text a slide
    below it. A code cell is on the slide of the text above it. Solutions and claims are on no
    slide.
    """
    for cell in cells:
        if _has_tag(cell, *FOLDED_TAGS):
            slide_type = "skip"
        elif cell.cell_type == "code":
            slide_type = "-"
        elif cell.source.startswith(("# ", "## ")):
            slide_type = "slide"
        else:
            slide_type = "subslide"
        cell.metadata["slideshow"] = {"slide_type": slide_type}


def _to_text(notebook: NotebookNode) -> str:
    """Return a notebook as the text of its file."""
    import nbformat

    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return f"{text.rstrip()}\n"


def _has_tag(cell: Cell, *tags: str) -> bool:
    """Return whether a cell has one of these tags."""
    return not set(tags).isdisjoint(tags_of(cell))
