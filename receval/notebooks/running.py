"""A notebook run from the top in a fresh kernel."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from receval._checks import input_error
from receval._files import check_writable, make_folder, write_atomically

__all__ = ["Failure", "run"]

T = TypeVar("T")
CELL_TIMEOUT = 600  # seconds
SOLUTION = "solution"  # the tag of cells that answer an exercise
CLAIM = "claim"  # the tag of cells that prove a sentence beside them
FOLDED_TAGS = (SOLUTION, CLAIM)
LIVE = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Failure:
    """A code cell that raised, or never ended: in which notebook, which from 1 on, what it said."""

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
        The notebook, and where the executed one goes; may be the same.

    Returns
    -------
    list of Failure
        Empty, or the cells that raised; the others are executed all the same. A cell that takes
        longer than ``CELL_TIMEOUT`` or kills its kernel is the last: those after it stay without
        outputs, and what was computed before it is written. Ctrl-C ends the kernel and the run,
        and nothing is written.

    Raises
    ------
    InputError
        If the target cannot be written, or changes while the notebook runs: what you edit in the
        meantime stays.
    """
    return at_once(run_beside(source, target))


class _Loop(asyncio.SelectorEventLoop):
    """Leaves Ctrl-C to asyncio, which ends all that runs; nbclient would end one kernel of many."""

    def add_signal_handler(self, *_: Any) -> None:  # type: ignore[override]
        raise RuntimeError("taken")


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """What an asynchronous function answers, run here and now."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


async def run_beside(source: Path, target: Path) -> list[Failure]:
    """`run`, beside others."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_output

    make_folder(target.parent)
    check_writable(target)
    before = _content(target)
    notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:  # a run that is cut short must not show the outputs of an earlier one
        cell.outputs, cell.execution_count = [], None
    begun = code[:1]  # blamed if the kernel dies before any
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        # kernels warn of local TCP at every start, and complain when Ctrl-C ends them;
        # pictures have double resolution
        extra_arguments=["--log-level=50", "--InlineBackend.figure_formats=retina"],
        allow_errors=True,
        coalesce_streams=True,  # how print is cut into pieces differs from run to run
        record_timing=False,
        on_cell_execute=lambda cell, **_: begun.append(cell),
        resources={"metadata": {"path": str(target.parent)}},
    )
    try:
        await client.async_execute()
    except (CellTimeoutError, DeadKernelError) as error:
        if (task := asyncio.current_task()) and task.cancelling():  # by Ctrl-C
            raise asyncio.CancelledError from None
        why = "the kernel died, perhaps for want of memory"
        if isinstance(error, CellTimeoutError):
            why = f"it took longer than {CELL_TIMEOUT} seconds"
        said = new_output("error", ename=type(error).__name__, evalue=why)  # type: ignore[no-untyped-call]
        # in place of what an interrupted cell says of its interruption
        others = [one for one in begun[-1].outputs if one.output_type != "error"]
        begun[-1].outputs = [*others, said]
    _normalise(notebook)
    if _content(target) != before:
        advice = "Save your changes under another name, and run it again"
        raise input_error(
            str(target), "stay as it is while it runs", "changes, which are kept", advice
        )
    write_atomically(target, partial(nbformat.write, notebook))
    return [
        Failure(source.name, number, cell.source, f"{output.ename}: {output.evalue}")
        for number, cell in enumerate(code, start=1)
        for output in cell.outputs
        if output.output_type == "error"
    ]


def is_changed(target: Path, source: Path) -> bool:
    """Whether a file holds other cells than a notebook: the user's, or another version's.

    Outputs do not count, nor does metadata other than tags: running the notebook writes them anew.
    """
    import nbformat

    try:
        cells = nbformat.read(target, as_version=4).cells  # type: ignore[no-untyped-call]
        return _written_by_people(cells) != _written_by_people(
            nbformat.read(source, as_version=4).cells  # type: ignore[no-untyped-call]
        )
    except Exception:  # whatever stops nbformat: this is no notebook that receval wrote
        return True


def _written_by_people(cells: Sequence[Any]) -> list[Any]:
    """Kind, text, tags and attached files of each cell."""
    return [
        (
            cell.cell_type,
            _without_first_line(cell),
            cell.metadata.get("tags", []),
            cell.get("attachments", {}),
        )
        for cell in cells
    ]


def _without_first_line(cell: Any) -> str:
    """The text of a cell without the line that a run puts above a folded one."""
    source: str = cell.source
    for tag in FOLDED_TAGS:
        source = source.removeprefix(f"# {tag}\n")
    return source


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _normalise(notebook: Any) -> None:
    """Keep only what is the same on every machine, so that a new run leaves no trace in git."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        for tag in FOLDED_TAGS:
            if tag in cell.metadata.get("tags", []):
                cell.metadata["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
                # JupyterLab shows the first line of a folded cell.
                first_line = f"# {tag}\n"
                cell.source = first_line + cell.source.removeprefix(first_line)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(LIVE, None)  # names a widget of a kernel that is gone
    _describe_pictures(notebook)


def _describe_pictures(notebook: Any) -> None:
    """Give each picture a text for those who cannot see it: what it says, its title, its section.

    nbconvert and the documentation show this text; JupyterLab 4 has no place for it.
    """
    section = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            section = [section, *re.findall(r"^#+ (.+)$", cell.source, flags=re.M)][-1]
        title = "; ".join(re.findall(r'title(?:=|\()"([^"]+)"', cell.source)) or section
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                said = output.data["text/plain"].strip()
                alt = title if said.startswith("<Figure") else said
                output.metadata.setdefault("image/png", {})["alt"] = alt
