"""Run the notebooks of a ledger and collect their checks."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from receval._checks import check_count, format_first, input_error
from receval._files import check_folder, check_writable, notebook_paths
from receval._threads import progress_bar
from receval.ledger.figures import ledger
from receval.ledger.folder import Ledger
from receval.ledger.reading import LedgerTable
from receval.ledger.running import Failure, is_changed, run_async, wait_for

__all__ = ["Reproduction", "missing_data", "missing_package", "reproduce", "run_ledger"]

EXTRAS = {
    "networkx": "notebooks",
    "ipywidgets": "notebooks",
    "sklearn": "notebooks",
    "gensim": "study",
    "statsmodels": "study",
}
"""The extra of receval that installs a module."""


class Reproduction(NamedTuple):
    """The result of running the notebooks of a ledger.

    Attributes
    ----------
    ledger : DataFrame
        All printed figures with the values that were computed.
    executed : list of Path
        The executed notebooks.
    failures : list of Failure
        The cells that failed, except those of notebooks that lack a package.
    left_out : list of str
        Sentences about the notebooks that lack real data or a package.
    """

    ledger: LedgerTable
    executed: list[Path]
    failures: list[Failure]
    left_out: list[str]


def reproduce(source: Path, output: Path, *, jobs: int = 2, quiet: bool = False) -> Reproduction:
    """Run every notebook of a folder, write the results to another, and collect their checks.

    Parameters
    ----------
    source, output : Path
        The folder of the notebooks, and the folder for the executed ones; may be the same.
    jobs : int, default 2
        Number of notebooks that run at a time. The last notebook, which collects the checks of
        the others, runs after them.
    quiet : bool, default False
        Whether to hide the progress bar.

    Returns
    -------
    Reproduction

    Raises
    ------
    InputError
        If the output folder holds a notebook whose cells (kind, text, tags or attached files)
        differ from those of the source. Either you have changed it, or it belongs to another
        version. To keep it, the function runs no notebook at all. It overwrites notebooks that
        differ only in their outputs. If both folders are the same, it overwrites all notebooks.
        The error is also raised if a notebook changes while it runs.
    """
    paths = notebook_paths(source)
    output = check_folder(output, "output")
    executed = [output / path.relative_to(source) for path in paths]
    _check_unchanged(paths, executed)
    failures_by_path = _execute(paths, executed, jobs=jobs, quiet=quiet)
    missing_packages: dict[Path, str] = {}
    failures: list[Failure] = []
    for path, failures_of_path in failures_by_path.items():
        package = missing_package(failures_of_path)
        if package:
            missing_packages[path] = package
        else:
            failures += failures_of_path
    table = _ledger(executed, without_package=list(missing_packages))
    return Reproduction(table, executed, failures, _left_out(executed, missing_packages))


def run_ledger(ledger: Ledger, *, jobs: int = 1, quiet: bool = False) -> Reproduction:
    """Run the notebooks in the folder of a ledger in place, and return its table.

    Parameters
    ----------
    ledger : Ledger
        The ledger.
    jobs : int, default 1
        How many notebooks run at a time. The last one, which may show the ledger, runs after all
        others.
    quiet : bool, default False
        Whether to hide the progress bar.

    Returns
    -------
    Reproduction

    Raises
    ------
    InputError
        If a notebook cannot be written, or changes while it runs.
    """
    paths = ledger.notebooks()
    failures_by_path = _execute(paths, paths, jobs=jobs, quiet=quiet, normalise=False)
    failures = [failure for of_path in failures_by_path.values() for failure in of_path]
    return Reproduction(ledger.table(), paths, failures, [])


def _execute(
    paths: Sequence[Path],
    targets: Sequence[Path],
    *,
    jobs: int,
    quiet: bool,
    normalise: bool = True,
) -> dict[Path, list[Failure]]:
    """Run notebooks under a progress bar, and return the failures of each by path.

    Parameters
    ----------
    paths, targets : sequence of Path
        The notebooks, and the paths that executed notebooks are written to.
    jobs : int
        How many of them run at a time. The last notebook runs alone, because it may collect the
        checks of the others.
    quiet : bool
        Whether to hide the progress bar.
    normalise : bool, default True
        Whether notebooks get the same metadata on every machine.

    Returns
    -------
    dict
        In the order of ``paths``.
    """
    semaphore = asyncio.Semaphore(check_count(jobs, "jobs"))
    failures_by_path: dict[Path, list[Failure]] = {path: [] for path in paths}
    with progress_bar(not quiet, total=len(paths), unit="file") as bar:

        async def run_in_turn(path: Path, target: Path) -> None:
            """Run a notebook as soon as fewer than ``jobs`` are running, and move the bar."""
            async with semaphore:
                bar.set_description(path.stem)
                failures_by_path[path] = await run_async(path, target, normalise=normalise)
                bar.update()

        async def run_all() -> None:
            """Run all notebooks, the last one after the others."""
            pairs = list(zip(paths, targets, strict=True))
            try:
                async with asyncio.TaskGroup() as group:
                    for path, target in pairs[:-1]:
                        group.create_task(run_in_turn(path, target))
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from None  # callers expect an InputError, not a group
            for path, target in pairs[-1:]:
                await run_in_turn(path, target)

        wait_for(run_all())
    return failures_by_path


def _ledger(executed: list[Path], *, without_package: list[Path]) -> LedgerTable:
    """Return the ledger of executed notebooks.

    ``without_package`` are those notebooks of the source folder that need a package that is not
    installed. Their stored outputs show which figures they would have checked. If no other notebook
    checks such a figure, its verdict is "package not here", and so is the expected verdict.
    """
    table = ledger(executed)
    if without_package:
        is_in_stored_outputs = ledger(without_package)["verdict"] != "not checked"
        lacks_package = is_in_stored_outputs & (table["verdict"] == "not checked")
        table.loc[lacks_package, ["verdict", "expected"]] = "package not here"
    return table


def _left_out(executed: list[Path], missing_packages: dict[Path, str]) -> list[str]:
    """Return a sentence for each notebook that lacks real data or a package.

    For each notebook, ``missing_packages`` says which package is missing and how to install it.
    """
    sentences = []
    for path in executed:
        names = missing_data(path)
        if names:
            sentences.append(
                f"{path.stem}: without the real data ({', '.join(names)} can be neither found "
                "nor fetched; set RECEVAL_DATA to the folder that holds it)"
            )
    for path, package in missing_packages.items():
        sentences.append(f"{path.stem}: left out from the first cell that needs {package}")
    return sentences


def _check_unchanged(paths: Sequence[Path], targets: Sequence[Path]) -> None:
    """Raise if the user has changed a target, which running the notebooks would overwrite.

    ``targets`` are the paths of the executed notebooks; some or all may not exist yet.
    """
    changed = []
    for path, target in zip(paths, targets, strict=True):
        if not os.path.lexists(target):
            continue
        check_writable(target, "output")
        # A broken link has no content to lose, and a notebook that runs in place is its own source.
        if target.exists() and not target.samefile(path) and is_changed(target, path):
            changed.append(target)
    if changed:
        rule = "hold no notebook that you have changed, or that is of another version"
        advice = "Choose another folder, or move them away"
        raise input_error("output", rule, format_first(changed), advice)


def missing_data(notebook: Path) -> list[str]:
    """Return the files of other authors that a notebook names and that are not available.

    Parameters
    ----------
    notebook : Path
        The notebook.

    Returns
    -------
    list of str
        Names of `receval.datasets.sources`.
    """
    from receval.datasets import available, sources

    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    text = "".join(line for cell in cells for line in cell["source"])  # without the outputs
    return [name for name in sources() if name in text and not available(name)]


def missing_package(failures: list[Failure]) -> str:
    """Return the missing package that made a notebook fail, and how to install it.

    Parameters
    ----------
    failures : list of Failure
        The cells that failed, as `run` returns them.

    Returns
    -------
    str
        The package and the command that installs it; "" unless the first failure comes from a
        missing package of an extra.

    Examples
    --------
    >>> missing_package([Failure("a.ipynb", 1, "1 / 0", "ZeroDivisionError: division by zero")])
    ''
    """
    if not failures:
        return ""
    # Python's message, or that of `receval._checks.import_extra`.
    match = re.match(r"\w+Error: (?:No module named '|.* needs )(\w+)", failures[0].error)
    if match is None:
        return ""
    module = match[1]
    # If the module is installed, the notebook failed for another reason.
    if module not in EXTRAS or find_spec(module) is not None:
        return ""
    return f'{module}: pip install "receval[{EXTRAS[module]}]"'
