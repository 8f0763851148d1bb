"""Commands on the notebooks and data of receval: lab, datasets."""

from __future__ import annotations

import argparse
from pathlib import Path

from receval import datasets as shipped_data
from receval._files import notebooks_folder
from receval.cli.ledgers import check_installed
from receval.cli.options import Commands, add_command
from receval.learn import copies

FOLDER = "my-notebooks"
SOLVED_FOLDER = "solved-notebooks"
LAB_SWITCHES = ("copy-only", "browser", "solved")
LAB_OPTIONS = (
    "-h",
    "--help",
    "--lesson",
    *(f"--{name}" for name in LAB_SWITCHES),
    *(f"--no-{name}" for name in LAB_SWITCHES),
)
"""The options of ``receval lab``; the command passes all other options on to JupyterLab."""


def add_lab(commands: Commands) -> None:
    """Add the command ``receval lab``."""
    parser = add_command(
        commands,
        "lab",
        lab,
        summary="Open the notebooks in JupyterLab.",
        description="""\
Copy the notebooks into your own folder and open the first one in JupyterLab. Notebooks
that you have changed there are never overwritten. The copies are for students: they
have neither outputs nor solutions, so that you predict first and then run. --solved
copies the executed notebooks with the solutions. The first option that is not listed
below, and everything after it, is passed on to JupyterLab.""",
        example="receval lab my-notebooks --no-browser --port 8890",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        help=f"folder to copy the notebooks to (default: {FOLDER}, or {SOLVED_FOLDER} if --solved)",
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
    parser.add_argument(
        "--lesson",
        default="",
        metavar="NAME",
        help="copy one lesson, such as 07, with the lessons that it needs, and open it",
    )
    parser.add_argument(
        "--solved", action="store_true", help="copy the notebooks with outputs and solutions"
    )


def lab(arguments: argparse.Namespace) -> int:
    """Run ``receval lab`` and return its exit status.

    ``arguments.passed_on`` has the arguments for JupyterLab.
    """
    check_installed("jupyterlab")
    passed_on: list[str] = arguments.passed_on
    # Each edition has a folder of its own, because no copy overwrites a file of another.
    folder: Path | None = arguments.folder
    if folder is None:
        folder = Path(SOLVED_FOLDER if arguments.solved else FOLDER)
    source = notebooks_folder()
    start = copies.START
    if arguments.lesson:
        start = copies.find_lesson(source, arguments.lesson)
    kept_notebooks = copies.copy(source, folder, solved=arguments.solved, lesson=arguments.lesson)
    print(f"The notebooks are in {folder}")
    for name in kept_notebooks:
        print(f"  {name} differs from the one shipped, and stays as it is")
    if not arguments.copy_only:
        # If --no-browser follows an option of JupyterLab, it is in `passed_on`. `serve` adds the
        # option itself, and prints the address to open.
        opens_browser = arguments.browser and "--no-browser" not in passed_on
        for_jupyterlab = [argument for argument in passed_on if argument != "--no-browser"]
        copies.serve(folder, for_jupyterlab, browser=opens_browser, start=start)
    return 0


def add_datasets(commands: Commands) -> None:
    """Add the command ``receval datasets``."""
    parser = add_command(
        commands,
        "datasets",
        datasets,
        summary="List or fetch the real data that studies use.",
        description="""\
Without names, list other authors' files that the studies use. With names, fetch these
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
