"""Run all notebooks and collect their checks."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from receval._checks import check_count, format_first, input_error
from receval._downloads import available, sources
from receval._files import check_folder, check_writable, notebook_paths
from receval._progress import progress_bar
from receval.ledger.collecting import ledger
from receval.ledger.running import Failure, is_changed, run_async, wait_for

if TYPE_CHECKING:
    from tqdm import tqdm

__all__ = ["Reproduction", "missing_data", "missing_package", "reproduce"]

EXTRAS = {
    "networkx": "notebooks",
    "ipywidgets": "notebooks",
    "sklearn": "notebooks",
    "gensim": "study",
}
"""The extra of receval that installs a module."""


class Reproduction(NamedTuple):
    """The result of running all notebooks.

    Attributes
    ----------
    ledger : DataFrame
        All published figures with the values that the notebooks computed.
    executed : list of Path
        The executed notebooks.
    failures : list of Failure
        The cells that failed, except those of notebooks that lack a package.
    left_out : list of str
        Sentences on notebooks that lack real data or a package.
    """

    ledger: pd.DataFrame
    executed: list[Path]
    failures: list[Failure]
    left_out: list[str]


def reproduce(source: Path, output: Path, *, jobs: int = 2, quiet: bool = False) -> Reproduction:
    """Run every notebook of a folder into another, and collect their checks.

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
        differ from those of the source. You have changed it, or it is of another version, so it
        is kept, and no notebook runs. Notebooks that differ only in their outputs are overwritten,
        and so are the notebooks of ``source`` if both folders are the same. Also if a notebook
        changes while it runs.
    """
    paths = notebook_paths(source)
    output = check_folder(output, "output")
    executed = [output / path.relative_to(source) for path in paths]
    _check_unchanged(paths, executed)
    with progress_bar(not quiet, total=len(paths), unit="notebook") as bar:
        work = _run_all(paths, executed, check_count(jobs, "jobs"), bar)
        failures_by_path = dict(zip(paths, wait_for(work), strict=True))

    missing_packages: dict[Path, str] = {}
    failures: list[Failure] = []
    for path, failures_of_path in failures_by_path.items():
        package = missing_package(failures_of_path)
        if package:
            missing_packages[path] = package
        else:
            failures += failures_of_path
    ledger = _ledger(executed, without_package=list(missing_packages))
    return Reproduction(ledger, executed, failures, _left_out(executed, missing_packages))


def _ledger(executed: list[Path], *, without_package: list[Path]) -> pd.DataFrame:
    """Return the ledger of executed notebooks.

    ``without_package`` are those notebooks of the source folder that need a package that is not
    installed. Their stored outputs show which figures they would have checked. If no other notebook
    checks such a figure, its verdict is "package not here", as expected.
    """
    table = ledger(executed)
    if without_package:
        is_in_stored_outputs = ledger(without_package)["verdict"] != "not checked"
        lacks_package = is_in_stored_outputs & (table["verdict"] == "not checked")
        table.loc[lacks_package, ["verdict", "expected"]] = "package not here"
    return table


def _left_out(executed: list[Path], missing_packages: dict[Path, str]) -> list[str]:
    """Return a sentence for each notebook that lacks real data or a package.

    ``missing_packages`` holds the package and how to install it, by notebook.
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
        sentences.append(f"{path.stem}: left out from where it needs {package}")
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
        # A broken link holds nothing, and a notebook that runs in place is its own source.
        if target.exists() and not target.samefile(path) and is_changed(target, path):
            changed.append(target)
    if changed:
        rule = "hold no notebook that you have changed, or that is of another version"
        advice = "Take another folder, or move them away"
        raise input_error("output", rule, format_first(changed), advice)


async def _run_all(
    paths: Sequence[Path], targets: Sequence[Path], jobs: int, bar: tqdm[Any]
) -> list[list[Failure]]:
    """Run the notebooks and return the failures of each, in the order of ``paths``.

    ``jobs`` notebooks run at a time. The last one runs alone, because it collects the checks of the
    others from ``targets``, where the executed notebooks are written.
    """
    semaphore = asyncio.Semaphore(jobs)

    async def run_in_turn(path: Path, target: Path) -> list[Failure]:
        """Run a notebook as soon as fewer than ``jobs`` are running."""
        async with semaphore:
            bar.set_description(path.stem)
            failures = await run_async(path, target)
            bar.update()
            return failures

    *others, (last_path, last_target) = zip(paths, targets, strict=True)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_in_turn(path, target)) for path, target in others]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None  # callers expect an InputError, not a group
    failures_of_last = await run_in_turn(last_path, last_target)
    return [*(task.result() for task in tasks), failures_of_last]


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
        "" unless the first failure is that a package of an extra is not installed.

    Examples
    --------
    >>> missing_package([Failure("a.ipynb", 1, "1 / 0", "ZeroDivisionError: division by zero")])
    ''
    """
    if not failures:
        return ""
    # Python's message, or that of `receval._extras.import_extra`.
    match = re.match(r"\w+Error: (?:No module named '|.* needs )(\w+)", failures[0].error)
    if match is None:
        return ""
    module = match[1]
    # If the module is installed, the notebook failed for another reason.
    if module not in EXTRAS or find_spec(module) is not None:
        return ""
    return f'{module}: pip install "receval[{EXTRAS[module]}]"'
