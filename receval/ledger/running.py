"""Run a notebook from the top in a fresh kernel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from receval._checks import input_error
from receval._files import check_writable, make_folder, write_atomically

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["Failure", "run"]

Result = TypeVar("Result")

Cell: TypeAlias = "NotebookNode"
"""A cell of a notebook; its keys are attributes too."""

CELL_TIMEOUT = 600  # seconds that a cell may take
SOLUTION = "solution"  # the tag of cells that answer an exercise
CLAIM = "claim"  # the tag of cells that prove a sentence of the text above
LEDGER = "ledger"  # the tag of the cell with the verdicts on a walk's figures
FOLDED_TAGS = (SOLUTION, CLAIM, LEDGER)
ALTERNATIVE_TEXT = "alt"  # the entry in a cell's metadata that describes its pictures
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Failure:
    """A code cell that raised an exception or did not end.

    Attributes
    ----------
    notebook : str
        The name of the notebook.
    cell : int
        The number of the code cell, from 1.
    source : str
        The code of the cell.
    error : str
        The name of the exception and its message.
    """

    notebook: str
    cell: int
    source: str
    error: str

    def __str__(self) -> str:
        source = "\n".join("    " + line for line in self.source.splitlines())
        return f"{self.notebook}, code cell {self.cell}:\n{source}\n  {self.error}"


def run(source: Path, target: Path) -> list[Failure]:
    """Execute a notebook from the top and write it with its outputs.

    Parameters
    ----------
    source, target : Path
        The notebook, and the path of the executed notebook; may be the same.

    Returns
    -------
    list of Failure
        The cells that raised an exception. The cells after them are executed anyway. A cell that
        takes longer than ``CELL_TIMEOUT`` or kills its kernel is the last one that runs: the cells
        after it have no outputs, and the outputs before it are written. Ctrl-C ends the kernel and
        the run, and nothing is written.

    Raises
    ------
    InputError
        If the target cannot be written, or changes while the notebook runs. Your changes are kept.
    """
    return wait_for(run_async(source, target))


class _EventLoop(asyncio.SelectorEventLoop):
    """An event loop that leaves Ctrl-C to asyncio, which ends all kernels.

    nbclient would handle Ctrl-C by ending only one of them.
    """

    def add_signal_handler(self, *_: object) -> None:
        raise RuntimeError("taken")


def wait_for(work: Coroutine[object, object, Result]) -> Result:
    """Run an asynchronous function and return its result."""
    with asyncio.Runner(loop_factory=_EventLoop) as runner:
        return runner.run(work)


async def run_async(source: Path, target: Path, *, normalise: bool = True) -> list[Failure]:
    """Execute a notebook as `run` does; several may run at the same time in one event loop.

    Notebooks of receval are normalised, so that a new run writes the same file. Without
    ``normalise``, everything but the outputs stays as it is.
    """
    import nbformat

    make_folder(target.parent)
    check_writable(target)
    content_before = _read(target)  # source and target may be the same file
    try:
        notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    except Exception:  # nbformat has many errors
        raise input_error(source.name, "be a notebook in format 4", "another file") from None
    code_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    await _execute(notebook, code_cells, target.parent)
    if normalise:
        _normalise(notebook)
    if _read(target) != content_before:
        raise input_error(
            str(target),
            "stay as it is while it runs",
            "changes, which are kept",
            "Save your changes under another name, and run it again",
        )
    write_atomically(target, partial(nbformat.write, notebook))
    return [
        Failure(source.name, number, cell.source, f"{output.ename}: {output.evalue}")
        for number, cell in enumerate(code_cells, start=1)
        for output in cell.outputs
        if output.output_type == "error"
    ]


async def _execute(notebook: NotebookNode, code_cells: list[Cell], folder: Path) -> None:
    """Execute a notebook in a fresh kernel in a folder, and put the outputs into its cells.

    If a cell takes too long or kills the kernel, the error becomes its last output.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_output

    for cell in code_cells:  # a run that is cut short must not show the outputs of an earlier one
        cell.outputs = []
        cell.execution_count = None
    # The cells that have started, in order. If the kernel dies before any cell starts, its error
    # goes to the first cell.
    started_cells = code_cells[:1]
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        # Only critical messages: kernels warn of local TCP at every start, and complain when Ctrl-C
        # ends them. Pictures have double resolution.
        extra_arguments=["--log-level=50", "--InlineBackend.figure_formats=retina"],
        allow_errors=True,  # the cells after an error run too
        coalesce_streams=True,  # printed text comes in pieces that differ from run to run
        record_timing=False,
        on_cell_execute=lambda cell, **_: started_cells.append(cell),
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        await client.async_execute()
    except (CellTimeoutError, DeadKernelError) as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            # Ctrl-C has ended the kernel, so no cell is to blame.
            raise asyncio.CancelledError from None
        if isinstance(error, CellTimeoutError):
            message = f"it took longer than {CELL_TIMEOUT} seconds"
        else:
            message = "the kernel died, perhaps because memory ran out"
        last_cell = started_cells[-1]
        # This error replaces the one that the interrupted cell itself shows.
        outputs = [output for output in last_cell.outputs if output.output_type != "error"]
        name = type(error).__name__
        outputs.append(new_output("error", ename=name, evalue=message))  # type: ignore[no-untyped-call]
        last_cell.outputs = outputs


def is_changed(target: Path, source: Path) -> bool:
    """Return whether the cells of the notebook ``target`` differ from those of ``source``.

    If they do, the user has changed the target, or another version of receval wrote it. Outputs and
    metadata other than tags don't count, because running a notebook writes them anew. A target that
    is not a notebook counts as changed.
    """
    import nbformat

    try:
        target_cells = nbformat.read(target, as_version=4).cells  # type: ignore[no-untyped-call]
        source_cells = nbformat.read(source, as_version=4).cells  # type: ignore[no-untyped-call]
        return _contents(target_cells) != _contents(source_cells)
    except Exception:  # nbformat has many errors; in any case receval did not write this notebook
        return True


def _contents(cells: Sequence[Cell]) -> list[tuple[object, ...]]:
    """Return the parts of each cell that people write: its kind, text, tags and attached files."""
    return [
        (
            cell.cell_type,
            _without_first_line(cell),
            tags_of(cell),
            cell.get("attachments", {}),
        )
        for cell in cells
    ]


def tags_of(cell: Cell) -> list[str]:
    """Return the tags of a cell."""
    tags: list[str] = cell.metadata.get("tags", [])
    return tags


def _without_first_line(cell: Cell) -> str:
    """Return the text of a cell without the line that `_fold` puts above it, if there is one."""
    source: str = cell.source
    for tag in FOLDED_TAGS:
        source = source.removeprefix(_first_line(tag))
    return source


def _first_line(tag: str) -> str:
    """Return the line above the code of a folded cell: JupyterLab shows only this line."""
    return f"# {tag}\n"


def _read(path: Path) -> bytes | None:
    """Return the content of a file, or None if there is no such file."""
    if path.exists():
        return path.read_bytes()
    return None


def _normalise(notebook: NotebookNode) -> None:
    """Give a notebook the same metadata and cell ids on every machine.

    So a new run with the same outputs writes the same file, and git sees no change. Also fold
    solutions, claims and the ledger, and give pictures a text.
    """
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        kept_keys = ("tags", ALTERNATIVE_TEXT)
        cell.metadata = {key: cell.metadata[key] for key in kept_keys if key in cell.metadata}
        _fold(cell)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)  # its kernel no longer runs
    _describe_pictures(notebook)


def _fold(cell: Cell) -> None:
    """Fold a cell with a solution, a claim or the ledger, and put its tag above its code.

    Other cells stay as they are.
    """
    for tag in FOLDED_TAGS:
        if tag in tags_of(cell):
            cell.metadata["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
            cell.source = _first_line(tag) + cell.source.removeprefix(_first_line(tag))


def _describe_pictures(notebook: NotebookNode) -> None:
    """Give each picture a text for readers who cannot see it.

    The text is the one in the cell's metadata, or else the output's own text, the titles in the
    code, or the heading of the section. nbconvert and the documentation show it; JupyterLab 4 has
    no place for it.
    """
    section = ""  # the last heading so far
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ (.+)$", cell.source, flags=re.MULTILINE)
            if headings:
                section = headings[-1]
        titles = re.findall(r'title(?:=|\()"([^"]+)"', cell.source)  # title="…" or title("…")
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                text = output.data["text/plain"].strip()
                if text.startswith("<Figure"):  # matplotlib's default text describes nothing
                    text = "; ".join(titles) or section
                text = cell.metadata.get(ALTERNATIVE_TEXT, text)
                output.metadata.setdefault("image/png", {})["alt"] = text
