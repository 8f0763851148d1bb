"""The notebooks: copied for the user, run from the top in fresh kernels, opened in JupyterLab."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from receval import published
from receval._checks import check_count
from receval._downloads import available, sources
from receval._files import check_writable, notebook_paths, write_atomically
from receval._progress import progress_bar

__all__ = [
    "Failure",
    "Reproduction",
    "copy",
    "missing_data",
    "missing_package",
    "reproduce",
    "run",
    "serve",
]

T = TypeVar("T")
START = "learn/00_start_here.ipynb"
CELL_TIMEOUT = 600  # seconds
HEAD = "# solution\n"
SOLUTION = "solution"  # the tag of cells that answer an exercise
LIVE = "application/vnd.jupyter.widget-view+json"
EXTRAS = dict.fromkeys(("networkx", "ipywidgets", "sklearn"), "notebooks") | {"gensim": "study"}


@dataclass(frozen=True)
class Failure:
    """A cell that raised, or never ended: which, in which notebook, and what it said.

    Cells are counted from 1; 0 means that the notebook stopped outside its cells.
    """

    notebook: str
    cell: int
    source: str
    error: str

    def __str__(self) -> str:
        if not self.cell:
            return f"{self.notebook}:\n  {self.error}"
        source = "\n".join("    " + line for line in self.source.splitlines())
        return f"{self.notebook}, code cell {self.cell}:\n{source}\n  {self.error}"


class Reproduction(NamedTuple):
    """What came of running all notebooks: the ledger, cells that failed, and what was left out."""

    ledger: pd.DataFrame
    executed: list[Path]
    failures: list[Failure]
    left_out: list[str]


def reproduce(source: Path, output: Path, *, jobs: int = 2, quiet: bool = False) -> Reproduction:
    """Run every notebook of a folder into another, and collect their checks.

    Parameters
    ----------
    source, output : Path
        The folder of the notebooks, and where the executed ones go; may be the same.
    jobs : int, default 2
        How many notebooks run at a time; the last, which collects what the others showed, runs
        after them.
    quiet : bool, default False
        Whether to show no progress bar.

    Returns
    -------
    Reproduction
    """
    paths = notebook_paths(source)
    executed = [output / path.relative_to(source) for path in paths]
    with progress_bar(not quiet, total=len(paths), unit="notebook") as bar:
        found = _at_once(_run_all(paths, executed, check_count(jobs, "jobs"), bar))
    failed = dict(zip(paths, found, strict=True))
    lacking = {path: one for path, cells in failed.items() if (one := missing_package(cells))}
    failures = [cell for path, cells in failed.items() if path not in lacking for cell in cells]
    table = published.ledger(executed)
    if lacking:  # as shipped, these notebooks show which figures they would have checked
        theirs = published.ledger(lacking)["verdict"] != "not checked"
        unchecked = theirs & (table["verdict"] == "not checked")
        table.loc[unchecked, ["verdict", "expected"]] = "package not here"
    left_out = [
        f"{path.stem}: without the real data ({', '.join(names)} can be neither found "
        "nor fetched; set RECEVAL_DATA to the folder that holds it)"
        for path in executed
        if (names := missing_data(path))
    ]
    left_out += [
        f"{path.stem}: left out from where it needs {one}" for path, one in lacking.items()
    ]
    return Reproduction(table, executed, failures, left_out)


async def _run_all(
    paths: Sequence[Path], targets: Sequence[Path], jobs: int, bar: Any
) -> list[list[Failure]]:
    """What failed in each notebook, so many of them at a time and the last by itself."""
    free = asyncio.Semaphore(jobs)

    async def run_one(path: Path, target: Path) -> list[Failure]:
        async with free:
            bar.set_description(path.stem)
            failed = await _run(path, target)
            bar.update()
            return failed

    *others, last = zip(paths, targets, strict=True)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_one(*one)) for one in others]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [*(task.result() for task in tasks), await run_one(*last)]


def copy(source: Path, folder: Path, *, edition: str = "") -> list[str]:
    """Copy the notebooks, and the pages beside them, that a folder lacks; what is there stays.

    Parameters
    ----------
    source, folder : Path
        The folder of the notebooks, and the user's.
    edition : {"", "student", "solutions"}
        As shipped, with solutions folded; without outputs and solutions, to predict first and run
        then; or with solutions unfolded.

    Returns
    -------
    list of str
        Names of those that were there and differ: changed by the user, or of another version.
    """
    kept = []
    pages = sorted(source.rglob("*.md"))
    for path in [*notebook_paths(source), *pages]:
        name, target = path.relative_to(source), folder / path.relative_to(source)
        content = _edited(path, edition) if edition and path not in pages else path.read_bytes()
        if not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, partial(_put, content))
        elif not target.is_file() or target.read_bytes() != content:
            kept.append(name.as_posix())
    return kept


def _edited(path: Path, edition: str) -> bytes:
    """A notebook for students or for their teacher."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    if edition == "student":
        notebook.cells = [c for c in notebook.cells if SOLUTION not in c.metadata.get("tags", [])]
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
    for cell in notebook.cells:
        cell.metadata.pop("jupyter", None)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return f"{text.rstrip()}\n".encode()


def _put(content: bytes, file: Any) -> None:
    file.buffer.write(content)


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
    ours, theirs = str(Path(__file__).with_name("jupyter")), os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, (ours, theirs)))
    if not browser:
        command.append("--no-browser")
        print(f"Open the address that JupyterLab prints below, which has /lab/tree/{START} in it")
    sys.stdout.flush()
    main([*command, *others])  # in this process: what ends receval ends the server


def missing_data(notebook: Path) -> list[str]:
    """The files of others that a notebook names and that are not to be had.

    Parameters
    ----------
    notebook : Path
        The notebook.

    Returns
    -------
    list of str
        Names of `receval.datasets.sources`.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "".join(line for cell in cells for line in cell["source"])  # outputs may name others
    return [name for name in sources() if name in text and not available(name)]


def missing_package(failures: list[Failure]) -> str:
    """The package of an extra for want of which a notebook came to nothing, and how to get it.

    Parameters
    ----------
    failures : list of Failure
        As `run` answers them.

    Returns
    -------
    str
        Empty unless the first cell that failed did so because the package is not installed.

    Examples
    --------
    >>> missing_package([Failure("a.ipynb", 1, "1 / 0", "ZeroDivisionError: division by zero")])
    ''
    """
    error = failures[0].error if failures else ""
    found = re.match(r"\w+Error: (?:No module named '|this needs )(\w+)", error)
    if found is None or found[1] not in EXTRAS or find_spec(found[1]) is not None:
        return ""
    return f'{found[1]}: pip install "receval[{EXTRAS[found[1]]}]"'


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
    """
    return _at_once(_run(source, target))


class _Loop(asyncio.SelectorEventLoop):
    """Leaves Ctrl-C to asyncio, which ends all that runs; nbclient would end one kernel of many."""

    def add_signal_handler(self, *_: Any) -> None:  # type: ignore[override]
        raise RuntimeError("taken")


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


async def _run(source: Path, target: Path) -> list[Failure]:
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    notebook = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:  # a run that is cut short must not show the outputs of an earlier one
        cell.outputs, cell.execution_count = [], None
    begun: list[Any] = []
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        # kernels warn of local TCP at every start; pictures have double resolution
        extra_arguments=["--log-level=40", "--InlineBackend.figure_formats=retina"],
        allow_errors=True,
        coalesce_streams=True,  # how print is cut into pieces differs from run to run
        record_timing=False,
        on_cell_execute=lambda cell, **_: begun.append(cell),
        resources={"metadata": {"path": str(target.parent)}},
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    check_writable(target)
    stopped = ""
    try:
        await client.async_execute()
    except CellTimeoutError:
        stopped = f"CellTimeoutError: it took longer than {CELL_TIMEOUT} seconds"
    except DeadKernelError:
        if (task := asyncio.current_task()) and task.cancelling():  # by Ctrl-C
            raise asyncio.CancelledError from None
        stopped = "DeadKernelError: the kernel died, perhaps for want of memory"
    _normalise(notebook)
    text = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    write_atomically(target, lambda file: file.write(f"{text.rstrip()}\n"))
    failures = _failures(source.name, code)
    if stopped:
        last = [cell for cell in begun if cell.cell_type == "code"][-1:]
        number = next((n for n, cell in enumerate(code, 1) if last and cell is last[0]), 0)
        # an interrupted cell shows its interruption too
        failures = [failure for failure in failures if failure.cell != number]
        failures.append(Failure(source.name, number, last[0].source if last else "", stopped))
    return failures


def _failures(name: str, code: list[Any]) -> list[Failure]:
    return [
        Failure(name, number, cell.source, f"{output.ename}: {output.evalue}")
        for number, cell in enumerate(code, start=1)
        for output in cell.outputs
        if output.output_type == "error"
    ]


def _normalise(notebook: Any) -> None:
    """Keep only what is the same on every machine, so that a new run leaves no trace in git."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        if SOLUTION in cell.metadata.get("tags", []):
            cell.metadata["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
            if not cell.source.startswith(HEAD):  # the line that stands for a folded cell
                cell.source = HEAD + cell.source
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(LIVE, None)  # names a widget of a kernel that is gone
