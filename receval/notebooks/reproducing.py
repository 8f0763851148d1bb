"""All notebooks run, and what came of it."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from receval import published
from receval._checks import check_count, format_first, input_error
from receval._downloads import available, sources
from receval._files import check_folder, check_writable, notebook_paths
from receval._progress import progress_bar
from receval.notebooks.running import Failure, at_once, is_changed, run_beside

__all__ = ["Reproduction", "missing_data", "missing_package", "reproduce"]

EXTRAS = dict.fromkeys(("networkx", "ipywidgets", "sklearn"), "notebooks") | {"gensim": "study"}


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

    Raises
    ------
    InputError
        Before anything runs, if the output folder holds a notebook whose cells (kind, text, tags
        or attached files) differ from those of the source: it is yours or of another version,
        and stays as it is. One that differs in its outputs only is written anew, and so is each
        notebook that is the source itself. Also if a notebook changes while it runs.
    """
    paths, output = notebook_paths(source), check_folder(output, "output")
    executed = [output / path.relative_to(source) for path in paths]
    _refuse_changed(paths, executed)
    with progress_bar(not quiet, total=len(paths), unit="notebook") as bar:
        found = at_once(_run_all(paths, executed, check_count(jobs, "jobs"), bar))
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


def _refuse_changed(paths: Sequence[Path], targets: Sequence[Path]) -> None:
    """Refuse to overwrite notebooks that hold something of the user's."""
    changed = []
    for path, target in zip(paths, targets, strict=True):
        if not os.path.lexists(target):
            continue
        check_writable(target, "output")
        if target.exists() and not target.samefile(path) and is_changed(target, path):
            changed.append(target)
    if changed:
        rule = "hold no notebook that you have changed, or that is of another version"
        raise input_error(
            "output", rule, format_first(changed), "Take another folder, or move them away"
        )


async def _run_all(
    paths: Sequence[Path], targets: Sequence[Path], jobs: int, bar: Any
) -> list[list[Failure]]:
    """What failed in each notebook, so many of them at a time and the last by itself."""
    free = asyncio.Semaphore(jobs)

    async def run_one(path: Path, target: Path) -> list[Failure]:
        async with free:
            bar.set_description(path.stem)
            failed = await run_beside(path, target)
            bar.update()
            return failed

    *others, last = zip(paths, targets, strict=True)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_one(*one)) for one in others]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [*(task.result() for task in tasks), await run_one(*last)]


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
