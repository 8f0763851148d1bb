"""Commands on ledgers: ``ledger new``, ``ledger run``, and ``reproduce`` for receval's ledger."""

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
from receval.ledger import Ledger, exporting, listing, reproducing, source_records
from receval.ledger.new_ledgers import new_ledger
from receval.ledger.printed_tables import read_table
from receval.ledger.reproducing import Reproduction

ADVICE = """\
Correct the computation, or put the verdict on record in the TOML file: corrected and reason for a
slip in print, variant for another definition. `help(receval.ledger)` lists all keys."""


def add_ledger(commands: Commands) -> None:
    """Add the commands ``receval ledger new`` and ``receval ledger run``."""
    parser = commands.add_parser(
        "ledger",
        help="Keep a ledger of the printed figures of any paper.",
        description="Make a ledger from a printed table, or run it.",
        epilog="example:\n  receval ledger new my-paper --table table2.tex\n"
        "  receval ledger run my-paper\n\n"
        "receval ledger COMMAND --help describes the arguments.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ledger_commands = parser.add_subparsers(required=True, metavar="command")
    _add_new(ledger_commands)
    _add_run(ledger_commands)


def _add_new(commands: Commands) -> None:
    """Add the command ``receval ledger new``."""
    parser = add_command(
        commands,
        "new",
        new,
        summary="Make a ledger from a printed table.",
        description="""\
Read a table in LaTeX, Markdown or CSV and write a folder with a TOML file, which has an
entry for each cell, and a first notebook, which checks one of them. Nothing is
overwritten. To add a further table to a ledger, name its folder again.""",
        example="receval ledger new my-paper --table table2.tex",
    )
    parser.add_argument("folder", type=Path, help="the folder to make")
    parser.add_argument(
        "--table",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help="a table in a file that ends in .tex, .md or .csv; may be repeated",
    )
    parser.add_argument("--title", default="", help="title of the paper")
    parser.add_argument(
        "--number",
        type=int,
        metavar="N",
        help="which table of the file to read, from 1, if it has several",
    )
    parser.add_argument(
        "--label-columns",
        type=int,
        metavar="N",
        help="number of columns at the left that hold labels (default: guessed from the cells)",
    )
    parser.add_argument(
        "--header-rows",
        type=int,
        metavar="N",
        help="number of rows at the top that hold labels (default: guessed from the cells)",
    )
    parser.add_argument(
        "--decimal-comma", action="store_true", help='the table prints 0.396 as "0,396"'
    )
    parser.add_argument(
        "--percent",
        action="store_true",
        help="the table prints 0.396 as 39.6 without a percent sign",
    )


def new(arguments: argparse.Namespace) -> int:
    """Run ``receval ledger new`` and return its exit status."""
    # Read all tables first, so that no folder is made if a table cannot be read.
    try:
        tables = [
            read_table(
                path,
                number=arguments.number,
                label_columns=arguments.label_columns,
                header_rows=arguments.header_rows,
                decimal_comma=arguments.decimal_comma,
            )
            for path in arguments.table
        ]
    except ImportError as error:  # the reader of LaTeX is in an extra
        raise InputError(str(error)) from None
    for table in tables:
        made = new_ledger(
            arguments.folder,
            table,
            title=arguments.title,
            decimal_comma=arguments.decimal_comma,
            percent=arguments.percent,
        )
        print(made)
    return 0


def _add_run(commands: Commands) -> None:
    """Add the command ``receval ledger run``."""
    parser = add_command(
        commands,
        "run",
        run,
        summary="Run a ledger's notebooks and scripts and print every verdict.",
        description="""\
List the notebooks directly in the folder and the scripts there that mention "Ledger(",
run them, print the ledger, and write ledger.csv, ledger.md and ledger.html into the folder.
The key run in a TOML file of the folder lists other notebooks and scripts. The exit status
is 1 if a notebook or script fails or a verdict is not the one on record, and 0 otherwise.""",
        example="receval ledger run my-paper --only 01_first_check",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), help="the folder (default: this one)"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="run only this notebook or script, such as 01_first_check or 01_*; may be repeated. "
        "For the others, the checks of their last run count",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="number of notebooks and scripts to run at a time; the last notebook runs after the "
        "others (default: %(default)s)",
    )
    parser.add_argument(
        "--no-execute",
        action="store_true",
        help="run nothing; use the outputs of the notebooks and the checks of the last run",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def run(arguments: argparse.Namespace) -> int:
    """Run ``receval ledger run`` and return its exit status."""
    folder: Path = arguments.folder
    ledger = Ledger(folder)
    paths = ledger.listed_paths()
    if arguments.only:
        if arguments.no_execute:
            raise InputError("only must be left out with --no-execute, which runs nothing")
        paths = listing.select_paths(paths, arguments.only)
    exporting.check_files_writable(folder, "folder")  # before the work, not after it
    if arguments.no_execute:
        paths = []
    else:
        _print_list(ledger, paths, folder)
    if any(path.suffix == ".ipynb" for path in paths):
        check_installed("nbclient", "ipykernel")
    is_quiet = arguments.quiet or not paths
    result = reproducing.run_ledger(ledger, paths, jobs=arguments.jobs, quiet=is_quiet)
    title = f"Ledger of {folder.resolve().name}"
    exporting.write_files(result.ledger, folder, title=title)
    status = _print_reproduction(result)
    changed = [
        f"{file.path.name}: {name}"
        for file in ledger.files_in_order()
        for name in source_records.changed_inputs(file)
    ]
    if (result.ledger["verdict"] != result.ledger["expected"]).any():
        print(ADVICE)
    for name in changed:
        print(f"UNEXPECTED {for_terminal(name)} has another SHA-256 than the one on record")
    print(f"Written to {for_terminal(folder)}: {', '.join(exporting.FILES)}")
    if changed:
        return 1
    return status


def _print_list(ledger: Ledger, paths: list[Path], folder: Path) -> None:
    """Print the notebooks and scripts that the command is going to run, and the folder."""
    name = for_terminal(folder)
    if not paths:
        print(f"No notebook in {name}, and no script that mentions Ledger(\n")
        return
    print(f"Runs in {name}:")
    for path in paths:
        kind = "notebook"
        if path.suffix == ".py":
            kind = "script"
        print(f"  {kind:8} {for_terminal(listing.name_of(path, ledger.folder))}")
    print(flush=True)


def add_reproduce(commands: Commands) -> None:
    """Add the command ``receval reproduce``."""
    parser = add_command(
        commands,
        "reproduce",
        reproduce,
        summary="Run every notebook and compare published with computed figures.",
        description="""\
Run every notebook from the top and print the ledger that comes with receval, as `receval
ledger run` does for your own folder: each published figure, the value that was computed
for it, and the verdict. If the output folder holds a notebook whose cells you have changed,
the command stops before it runs any notebook, so that nothing of yours is overwritten. The
exit status is 1 if a cell fails or a verdict is not the one on record, and 0 otherwise.""",
        example="receval reproduce --output ledger",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("build/notebooks"),
        metavar="FOLDER",
        help="folder for the executed notebooks, ledger.csv, ledger.md and ledger.html "
        "(default: %(default)s)",
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
    check_installed("nbclient", "ipykernel")
    output: Path = arguments.output
    source = notebooks_folder()
    # If the notebooks are executed in their own folder, no files are written next to them.
    is_in_place = output.resolve() == source.resolve()
    if not is_in_place and output.is_dir():
        exporting.check_files_writable(output, "output")  # before the work, not after it
    result = reproducing.reproduce(source, output, jobs=arguments.jobs, quiet=arguments.quiet)
    if not is_in_place:
        exporting.write_files(result.ledger, output, title="Ledger of receval")
    return _print_reproduction(result)


def _print_reproduction(result: Reproduction) -> int:
    """Print the ledger and unexpected results, and return the exit status.

    If a notebook failed, the function prints its first failure in full. The last line counts
    notebooks, scripts and figures.
    """
    table = result.ledger
    print(table, published.summary(table).to_string(), sep="\n\n", end="\n\n")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, verdict, expected in zip(
        unexpected.index, unexpected["verdict"], unexpected["expected"], strict=True
    ):
        print(f"UNEXPECTED {for_terminal(figure)}: {verdict}, on record {expected}")
    for reason in result.left_out:
        print(reason)
    for _, failures in groupby(result.failures, key=lambda failure: failure.notebook):
        first, *others = failures
        print(f"FAILED {first}")
        if others:  # mostly because they need names that the failed cell did not define
            cells = ", ".join(str(failure.cell) for failure in others)
            print(f"  and {len(others)} more cells of it: {cells}")
    n_failed_scripts = sum(failure.cell == 0 for failure in result.failures)
    n_failed_cells = len(result.failures) - n_failed_scripts
    n_scripts = sum(path.suffix == ".py" for path in result.executed)
    n_notebooks = len(result.executed) - n_scripts
    counts = []
    if n_notebooks:
        counts.append(f"{n_notebooks} notebooks run, {n_failed_cells} cells failed")
    if n_scripts:
        counts.append(f"{n_scripts} scripts run, {n_failed_scripts} failed")
    counts.append(published.counts_sentence(table))
    print(f"\n{'; '.join(counts)}")
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
