"""The command ``reproduce``, for receval's own ledger and that of any folder."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from receval import ledger as published
from receval._checks import InputError
from receval._escape import for_terminal
from receval._files import notebooks_folder
from receval.cli.options import Commands, add_command
from receval.ledger import Ledger, Reproduction

ADVICE = """\
Correct the computation, or put the verdict on record in the TOML file: corrected and reason for a
slip in print, variant for another definition. `help(receval.ledger)` lists all keys."""
DEFAULT_OUTPUT = Path("build/notebooks")


def add_reproduce(commands: Commands) -> None:
    """Add the command ``receval reproduce``."""
    parser = add_command(
        commands,
        "reproduce",
        reproduce,
        summary="Run notebooks and compare published with computed figures.",
        description="""\
Run every notebook from the top and print the ledger: each published figure, the value that
was computed for it, and the verdict. Without FOLDER, these are the notebooks and figures that
come with receval. If the output folder holds a notebook whose cells you have changed, the
command stops before it runs any notebook, so that nothing of yours is overwritten. With
FOLDER, these are the notebooks and TOML files directly in your folder, and the notebooks run
in place. The exit status is 1 if a cell fails or a verdict is not the one on record, and 0
otherwise.""",
        example="receval reproduce my-paper",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="FOLDER",
        help="the folder of a ledger (default: the figures that come with receval)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help=f"folder for the executed notebooks of receval (default: {DEFAULT_OUTPUT})",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=2,
        metavar="N",
        help="number of notebooks to run at a time; the last one runs after the others "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--timeout",
        type=int,
        metavar="SECONDS",
        help="time limit for a cell; one that takes longer counts as failed (default: no limit)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def reproduce(arguments: argparse.Namespace) -> int:
    """Run ``receval reproduce`` and return its exit status."""
    check_installed("nbclient", "ipykernel")
    options = {name: getattr(arguments, name) for name in ("jobs", "timeout", "quiet")}
    if arguments.folder is None:
        output = arguments.output or DEFAULT_OUTPUT
        result = published.reproduce(notebooks_folder(), output, **options)
    else:
        if arguments.output is not None:
            raise InputError("output must be left out with a folder, whose notebooks run in place")
        result = published.run_ledger(Ledger(arguments.folder), **options)
    return _print_reproduction(result)


def _print_reproduction(result: Reproduction) -> int:
    """Print the ledger and unexpected results, and return the exit status.

    If a notebook failed, the function prints its first failure in full. The last line counts
    notebooks and figures.
    """
    table = result.ledger
    print(table, published.summary(table).to_string(), sep="\n\n", end="\n\n")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, verdict, expected in zip(
        unexpected.index, unexpected["verdict"], unexpected["expected"], strict=True
    ):
        print(f"UNEXPECTED {for_terminal(figure)}: {verdict}, on record {expected}")
    if len(unexpected):
        print(ADVICE)
    for reason in result.left_out:
        print(reason)
    for _, failures in groupby(result.failures, key=lambda failure: failure.notebook):
        first, *others = failures
        print(f"FAILED {first}")
        if others:  # mostly because they need names that the failed cell did not define
            cells = ", ".join(str(failure.cell) for failure in others)
            print(f"  and {len(others)} more cells of it: {cells}")
    n_notebooks, n_failed_cells = len(result.executed), len(result.failures)
    print(f"\n{n_notebooks} notebooks run, {n_failed_cells} cells failed", end="; ")
    print(published.counts_sentence(table))
    if result.failures or len(unexpected):
        return 1
    return 0


def check_installed(*modules: str) -> None:
    """Raise `InputError` if a module of the extra ``receval[notebooks]`` is not installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the packages {', '.join(missing)} are needed for this: "
            'pip install "receval[notebooks]"'
        )
