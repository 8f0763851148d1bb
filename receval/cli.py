"""The command line: ``receval reproduce`` and ``receval lab``."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from receval import __version__
from receval._checks import InputError
from receval._files import notebook_paths, notebooks_folder

START = "00_start_here.ipynb"
MANIFEST = ".receval.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answer the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except InputError as error:
        print(f"receval: {error}", file=sys.stderr)
        return 2


def reproduce(options: argparse.Namespace) -> int:
    """Run every notebook and print the ledger; 1 if a cell fails or a verdict is unexpected."""
    _need("nbclient", "ipykernel")
    import pandas as pd
    from tqdm import tqdm

    from receval import published
    from receval.notebooks import Failure, run

    source = notebooks_folder()
    failures: list[Failure] = []
    executed: list[Path] = []
    bar = tqdm(notebook_paths(source), unit="notebook", disable=options.quiet)
    for path in bar:
        bar.set_description(path.stem)
        target = options.output / path.relative_to(source)
        failures += run(path, target)
        executed.append(target)
    table = published.ledger(executed)
    if options.output.resolve() != source.resolve():
        (options.output / "ledger.csv").write_text(table.to_csv(), encoding="utf-8")

    with pd.option_context("display.max_colwidth", 44, "display.max_rows", None):
        columns = ["what", "printed", "computed", "verdict"]
        print(table[columns].to_string(justify="left"), end="\n\n")
    print(published.summary(table).to_string(), end="\n\n")
    explained = table[table["reason"] != ""]
    for figure, row in explained.iterrows():
        print(f"{figure} ({row['verdict']}): {row['reason']}")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    for failure in failures:
        print(f"FAILED {failure}")
    good = len(table) - len(unexpected)
    print(
        f"\n{len(executed)} notebooks run, {len(failures)} cells failed; "
        f"{good} of {len(table)} published figures as on record"
    )
    return 1 if failures or len(unexpected) else 0


def lab(options: argparse.Namespace) -> int:
    """Put the notebooks into a folder of the user's and open JupyterLab on the first one."""
    _need("jupyterlab")
    kept = copy_notebooks(notebooks_folder(), options.folder)
    print(f"The notebooks are in {options.folder}")
    for name in kept:
        print(f"  {name} is changed, and stays as it is")
    command = [sys.executable, "-m", "jupyterlab", str(options.folder / START)]
    if options.no_browser:
        command.append("--no-browser")
    return 0 if options.copy_only else subprocess.call(command)


def copy_notebooks(source: Path, folder: Path) -> list[str]:
    """Copy the notebooks, and answer the names of those that the user changed and that stay.

    A file is replaced only if it is still what an earlier copy wrote: the digests of what was
    written are kept beside the notebooks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / MANIFEST
    written = json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else {}
    kept = []
    for path in notebook_paths(source):
        name = path.relative_to(source).as_posix()
        target = folder / name
        if target.exists() and _digest(target) not in (written.get(name), _digest(path)):
            kept.append(name)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        written[name] = _digest(path)
    manifest.write_text(json.dumps(written, indent=1), encoding="utf-8")
    return kept


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _need(*modules: str) -> None:
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the packages {', '.join(missing)} are needed for this: "
            'pip install "receval[notebooks]"'
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="receval",
        description="Evaluation in which every number shows its definition, working and source.",
    )
    parser.add_argument("--version", action="version", version=f"receval {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")

    command = commands.add_parser(
        "reproduce",
        help="run every notebook and print published against computed figures",
        description="Run every notebook in a fresh kernel and print the ledger. The exit status "
        "is 1 if a cell fails or a verdict differs from the one on record.",
    )
    command.add_argument(
        "--output",
        type=Path,
        default=Path("build/notebooks"),
        help="folder for the executed notebooks and ledger.csv (default: build/notebooks)",
    )
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    command.set_defaults(run=reproduce)

    command = commands.add_parser(
        "lab",
        help="open the notebooks in JupyterLab",
        description="Put the notebooks into a folder of yours and open JupyterLab on the first. "
        "Files that you have changed are never overwritten.",
    )
    command.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path("my-notebooks"),
        help="where the notebooks go (default: my-notebooks)",
    )
    command.add_argument("--no-browser", action="store_true", help="only start the server")
    command.add_argument("--copy-only", action="store_true", help="only copy the notebooks")
    command.set_defaults(run=lab)
    return parser


if __name__ == "__main__":
    sys.exit(main())
