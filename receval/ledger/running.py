"""Run notebooks from the top, each in a fresh kernel, and collect their checks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, TypeAlias

from receval._checks import check_count, format_first, input_error
from receval._files import (
    check_folder,
    check_writable,
    make_folder,
    notebook_paths,
    write_atomically,
)
from receval._threads import progress_bar
from receval.ledger.folder import ledger
from receval.ledger.table import LedgerTable

if TYPE_CHECKING:
    from nbformat import NotebookNode

Cell: TypeAlias = "NotebookNode"
"""A cell of a notebook; its keys are attributes too."""

RAISES = "raises-exception"  # Jupyter's tag of cells that shall fail
ALTERNATIVE_TEXT = "alt"  # the entry in a cell's metadata that describes its pictures
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
# Words for the command that starts a kernel of IPython. Only critical messages: kernels warn of
# local TCP at every start, and complain when Ctrl-C ends them. Pictures have double resolution.
IPYTHON_OPTIONS = ["--log-level=50", "--InlineBackend.figure_formats=retina"]


def reproduce(
    source: Path, output: Path, *, jobs: int = 2, timeout: int | None = None, quiet: bool = False
) -> tuple[LedgerTable, list[list[str]]]:
    """Run every notebook of a folder, write the results to another, and collect their checks.

    Parameters
    ----------
    source, output : Path
        The folder of the notebooks, and the folder for the executed ones; may be the same.
    jobs : int, default 2
        Number of notebooks that run at a time. The last notebook, which collects the checks of
        the others, runs after them.
    timeout : int, optional
        The seconds that a cell may take. Default: no limit.
    quiet : bool, default False
        Whether to hide the progress bar.

    Returns
    -------
    ledger : DataFrame
        All printed figures with the values that were computed.
    failures : list of list of str
        For each notebook, texts about its cells that failed, as `run` returns them.

    Raises
    ------
    InputError
        If the output folder holds a notebook whose cells (kind, text or tags) differ from those of
        the source. Either you have changed it, or it belongs to another version. To keep it, the
        function runs no notebook at all. It overwrites notebooks that differ only in their
        outputs. If both folders are the same, it overwrites all notebooks. The error is also
        raised if a notebook changes while it runs.
    """
    sources = notebook_paths(source)
    output = check_folder(output, "output")
    targets = [output / path.relative_to(source) for path in sources]
    changed = [
        target
        for path, target in zip(sources, targets, strict=True)
        if target.exists() and not target.samefile(path) and _contents(target) != _contents(path)
    ]
    if changed:
        raise input_error(
            "output",
            "hold no notebook that you have changed, or that is of another version",
            format_first(changed),
            "Choose another folder, or move them away",
        )
    failures = run(sources, targets, jobs=jobs, timeout=timeout, quiet=quiet)
    return ledger(targets), failures


class _EventLoop(asyncio.SelectorEventLoop):
    """An event loop that leaves Ctrl-C to asyncio, which ends all kernels.

    nbclient would handle Ctrl-C by ending only one of them.
    """

    def add_signal_handler(self, *_: object) -> None:
        raise RuntimeError("taken")


def run(
    sources: Sequence[Path],
    targets: Sequence[Path],
    *,
    jobs: int = 1,
    timeout: int | None = None,
    quiet: bool = True,
) -> list[list[str]]:
    """Execute notebooks from the top in their kernels and write them with their outputs.

    Parameters
    ----------
    sources, targets : sequence of Path
        The notebooks, and the paths of the executed notebooks; may be the same.
    jobs : int, default 1
        How many notebooks run at a time. The last one runs alone, because it may collect the
        checks of the others.
    timeout : int, optional
        The seconds that a cell may take. Default: no limit.
    quiet : bool, default True
        Whether to hide the progress bar.

    Returns
    -------
    list of list of str
        For each notebook, a text about each cell that raised an exception, except those with the
        tag ``raises-exception``: the place of the cell, its code and the error. The cells after it
        are executed anyway. A cell that takes longer than ``timeout`` or kills its kernel is the
        last one that runs: the cells after it have no outputs, and the outputs before it are
        written. Ctrl-C ends all kernels and the run, and no unfinished notebook is written.

    Raises
    ------
    InputError
        If a target cannot be written, a notebook's kernel is not installed, or a target changes
        while its notebook runs. Your changes are kept.
    """
    if timeout is not None:
        check_count(timeout, "timeout")
    semaphore = asyncio.Semaphore(check_count(jobs, "jobs"))
    pairs = list(zip(sources, targets, strict=True))
    with progress_bar(not quiet, total=len(pairs), unit="file") as bar:

        async def run_in_turn(source: Path, target: Path) -> list[str]:
            """Run a notebook as soon as fewer than ``jobs`` are running, and move the bar."""
            async with semaphore:
                failures = await _run(source, target, timeout=timeout)
                bar.update()
                return failures

        async def run_in_order() -> list[list[str]]:
            """Run all notebooks, the last one after the others."""
            try:
                # After Ctrl-C, the group waits until each notebook has ended its kernel.
                async with asyncio.TaskGroup() as group:
                    tasks = [group.create_task(run_in_turn(*pair)) for pair in pairs[:-1]]
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from None  # callers expect an InputError, not a group
            results = [task.result() for task in tasks]
            for source, target in pairs[-1:]:  # none if there is no notebook at all
                results.append(await run_in_turn(source, target))
            return results

        with asyncio.Runner(loop_factory=_EventLoop) as runner:
            return runner.run(run_in_order())


async def _run(source: Path, target: Path, *, timeout: int | None) -> list[str]:
    """Execute a notebook and write it; everything but the outputs stays as it is."""
    import nbformat

    make_folder(target.parent)
    check_writable(target)
    content_before = target.exists() and target.read_bytes()  # False if there is no such file
    notebook = _read(source)
    metadata = deepcopy(notebook.metadata)
    code_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    await _execute(notebook, code_cells, target.parent, timeout=timeout)
    notebook.metadata = metadata  # a kernel adds its version and the state of widgets
    _describe_pictures(notebook)
    if (target.exists() and target.read_bytes()) != content_before:
        raise input_error(
            str(target),
            "stay as it is while it runs",
            "changes, which are kept",
            "Save your changes under another name, and run it again",
        )
    write_atomically(target, partial(nbformat.write, notebook))
    failures = []
    for number, cell in enumerate(code_cells, start=1):
        errors = [output for output in cell.outputs if output.output_type == "error"]
        if errors and RAISES not in cell.metadata.get("tags", []):
            code = indent(cell.source, "    ")
            error = f"{errors[0].ename}: {errors[0].evalue}"
            failures.append(f"{source.name}, code cell {number}:\n{code}\n  {error}")
    return failures


async def _execute(
    notebook: NotebookNode,
    code_cells: list[Cell],
    folder: Path,
    *,
    timeout: int | None,
) -> None:
    """Execute a notebook in a fresh kernel in a folder, and put the outputs into its cells.

    If a cell takes too long or kills the kernel, the error becomes its last output.
    """
    from jupyter_client.kernelspec import NoSuchKernel, get_kernel_spec
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_output

    for cell in code_cells:  # a run that is cut short must not show the outputs of an earlier one
        cell.outputs = []
        cell.execution_count = None
    # The cells that have started, in order. If the kernel dies before any cell starts, its error
    # goes to the first cell.
    started_cells = code_cells[:1]
    kernel = notebook.metadata.get("kernelspec", {}).get("name", "python3")
    try:
        command = get_kernel_spec(kernel).argv
    except NoSuchKernel:
        raise input_error("kernel", "be installed", repr(kernel)) from None
    options = []
    if any("ipykernel" in word for word in command):
        options = IPYTHON_OPTIONS
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name=kernel,
        extra_arguments=options,
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
        message = "the kernel died, perhaps because memory ran out"
        if isinstance(error, CellTimeoutError):
            message = f"it took longer than {timeout} seconds"
        # This error replaces the one that the interrupted cell itself shows.
        cell = started_cells[-1]
        cell.outputs = [output for output in cell.outputs if output.output_type != "error"]
        cell.outputs.append(new_output("error", ename=type(error).__name__, evalue=message))  # type: ignore[no-untyped-call]


def _read(path: Path) -> NotebookNode:
    """Return a notebook; raise if the file isn't one."""
    import nbformat

    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    except Exception:  # nbformat has many errors
        raise input_error(path.name, "be a notebook in format 4", "another file") from None
    return notebook


def _contents(path: Path) -> list[tuple[str, str, list[str]]]:
    """Return the parts of each cell that people write: its kind, text and tags.

    A run writes the outputs anew, so they don't count as changes of the user.
    """
    return [
        (cell.cell_type, cell.source, cell.metadata.get("tags", [])) for cell in _read(path).cells
    ]


def _describe_pictures(notebook: NotebookNode) -> None:
    """Give each picture a text for readers who cannot see it, and drop views of widgets.

    The text is that of the picture itself, or else the one in the cell's metadata, the titles in
    the code, or the heading of the section. nbconvert and the documentation show it; JupyterLab 4
    has no place for it. A view of a widget is of no use when its kernel no longer runs.
    """
    headings = [""]  # of all sections so far
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings += re.findall(r"^#+ (.+)$", cell.source, flags=re.MULTILINE)
        titles = re.findall(r'title(?:=|\()"([^"]+)"', cell.source)  # title="…" or title("…")
        text = cell.metadata.get(ALTERNATIVE_TEXT) or "; ".join(titles) or headings[-1]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            data.pop(WIDGET_VIEW, None)
            if "image/png" in data:
                output.metadata.setdefault("image/png", {}).setdefault("alt", text)
