"""Commands on what comes with receval: reproduce, lab, datasets."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from receval import datasets as shipped_data
from receval import ledger as published
from receval._checks import InputError
from receval._files import check_writable, notebooks_folder, write_atomically
from receval.cli.options import Commands, add_command
from receval.learn import copies
from receval.ledger import reproducing
from receval.ledger.reproducing import Reproduction


def add_reproduce(commands: Commands) -> None:
    """Add the command ``receval reproduce``."""
    parser = add_command(
        commands,
        "reproduce",
        reproduce,
        summary="Run every notebook and print published against computed figures.",
        description="""\
Run every notebook from the top and print the ledger: each published figure, the value that
was computed for it, and the verdict. If the output folder holds a notebook whose cells you
have changed, the command stops before it runs any notebook, so that nothing of yours is
overwritten. The exit status is 1 if a cell fails or a verdict is not the one on record, and
0 otherwise.""",
        example="receval reproduce --output ledger",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("build/notebooks"),
        metavar="FOLDER",
        help="folder for the executed notebooks and ledger.csv (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=2,
        metavar="N",
        help="number of notebooks to run at a time; the ledger runs after the others "
        "(default: %(default)s)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def reproduce(arguments: argparse.Namespace) -> int:
    """Run ``receval reproduce`` and return its exit status."""
    _check_installed("nbclient", "ipykernel")
    output: Path = arguments.output
    source = notebooks_folder()
    # If the notebooks are executed in their own folder, no ledger.csv is written next to them.
    is_in_place = output.resolve() == source.resolve()
    if not is_in_place and output.is_dir():
        check_writable(output / "ledger.csv", "output")  # before the work, not after it
    result = reproducing.reproduce(source, output, jobs=arguments.jobs, quiet=arguments.quiet)
    if not is_in_place:
        write_atomically(output / "ledger.csv", result.ledger.to_csv)
    is_on_record = result.ledger["verdict"] == result.ledger["expected"]
    _print_reproduction(result)
    print(
        f"\n{len(result.executed)} notebooks run, {len(result.failures)} cells failed; "
        f"{is_on_record.sum()} of {len(result.ledger)} published figures as on record"
    )
    if result.failures or not is_on_record.all():
        return 1
    return 0


def _print_reproduction(result: Reproduction) -> None:
    """Print the ledger, then every unexpected verdict, left-out notebook and failed notebook.

    Of a failed notebook, the first failure is printed in full.
    """
    ledger = result.ledger
    print(ledger, published.summary(ledger).to_string(), sep="\n\n", end="\n\n")
    unexpected = ledger[ledger["verdict"] != ledger["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    for reason in result.left_out:
        print(reason)
    # The failures of a notebook follow one another, in the order of its cells.
    for _, failures in groupby(result.failures, key=lambda failure: failure.notebook):
        first, *others = failures
        print(f"FAILED {first}")
        if others:  # most often because they need names that the first cell did not define
            cells = ", ".join(str(failure.cell) for failure in others)
            print(f"  and {len(others)} more cells of it: {cells}")


LAB_SWITCHES = ("copy-only", "browser", "student", "solutions")
LAB_OPTIONS = (
    "-h",
    "--help",
    *(f"--{name}" for name in LAB_SWITCHES),
    *(f"--no-{name}" for name in LAB_SWITCHES),
)
"""The options of ``receval lab`` itself; it passes all others on to JupyterLab."""


def add_lab(commands: Commands) -> None:
    """Add the command ``receval lab``."""
    parser = add_command(
        commands,
        "lab",
        lab,
        summary="Open the notebooks in JupyterLab.",
        description="""\
Copy the notebooks into a folder of yours and open the first one in JupyterLab. Notebooks
that you have changed there are never overwritten. The first option that is not listed
below, and everything after it, is passed on to JupyterLab.""",
        example="receval lab my-notebooks --no-browser --port 8890",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path("my-notebooks"),
        help="folder to copy the notebooks to (default: %(default)s)",
    )
    parser.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="open a browser, or only start the server and print the address to open",
    )
    parser.add_argument(
        "--copy-only", action="store_true", help="copy the notebooks, but do not start JupyterLab"
    )
    editions = parser.add_mutually_exclusive_group()
    editions.add_argument(
        "--student",
        action="store_true",
        help="copy the notebooks without outputs and solutions: predict first, then run",
    )
    editions.add_argument(
        "--solutions", action="store_true", help="copy the notebooks with unfolded solutions"
    )


def lab(arguments: argparse.Namespace) -> int:
    """Run ``receval lab`` and return its exit status.

    ``arguments.passed_on`` holds the arguments for JupyterLab.
    """
    _check_installed("jupyterlab")
    folder: Path = arguments.folder
    passed_on: list[str] = arguments.passed_on
    # The parser refuses both options at once.
    if arguments.student:
        edition = "student"
    elif arguments.solutions:
        edition = "solutions"
    else:
        edition = ""
    kept_notebooks = copies.copy(notebooks_folder(), folder, edition=edition)
    print(f"The notebooks are in {folder}")
    for name in kept_notebooks:
        print(f"  {name} differs from the one shipped, and stays as it is")
    if not arguments.copy_only:
        # --no-browser after an option of JupyterLab was passed on. `serve` adds the option itself,
        # and prints the address to open.
        opens_browser = arguments.browser and "--no-browser" not in passed_on
        for_jupyterlab = [argument for argument in passed_on if argument != "--no-browser"]
        copies.serve(folder, for_jupyterlab, browser=opens_browser)
    return 0


def add_datasets(commands: Commands) -> None:
    """Add the command ``receval datasets``."""
    parser = add_command(
        commands,
        "datasets",
        datasets,
        summary="List or fetch the real data that studies use.",
        description="""\
Without names, list the files of other authors that the studies use. With names, fetch these
files, check them, and print their paths.""",
        example="receval datasets cars/cars-1k.csv",
    )
    parser.add_argument("names", nargs="*", help="names from the list")


def datasets(arguments: argparse.Namespace) -> int:
    """Run ``receval datasets`` and return its exit status."""
    for name in arguments.names:
        print(shipped_data.fetch(name))
    if not arguments.names:
        for name, source in shipped_data.sources().items():
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
    return 0


def _check_installed(*modules: str) -> None:
    """Raise `InputError` if a module of the extra ``receval[notebooks]`` is not installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the packages {', '.join(missing)} are needed for this: "
            'pip install "receval[notebooks]"'
        )
