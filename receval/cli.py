"""The command line: ``receval reproduce | lab | evaluate | datasets``."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from receval import __version__
from receval._checks import InputError
from receval._files import notebook_paths, notebooks_folder

START = "00_start_here.ipynb"
MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"
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
    except OSError as error:  # data that cannot be had, a file that cannot be written
        print(f"receval: {error}", file=sys.stderr)
        return 3


def reproduce(options: argparse.Namespace) -> int:
    """Run every notebook and print the ledger; 1 if a cell fails or a verdict is unexpected."""
    _need("nbclient", "ipykernel")
    from tqdm import tqdm

    from receval import published
    from receval.notebooks import Failure, missing_data, run

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

    widths = {"figure": 28, "what": 48, "printed": 24, "computed": 24, "verdict": 0}
    rows = table.reset_index()[list(widths)]
    for cells in [list(widths), *rows.to_numpy().tolist()]:
        print("  ".join(map(_cut, cells, widths.values())))
    print()
    print(published.summary(table).to_string(), end="\n\n")
    explained = table[table["reason"] != ""]
    for figure, row in explained.iterrows():
        print(f"{figure} ({row['verdict']}): {row['reason']}")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    for path in executed:
        if names := missing_data(path):
            print(
                f"{path.stem}: without the real data ({', '.join(names)} can be neither found "
                "nor fetched; set RECEVAL_DATA to the folder that holds it)"
            )
    for _, group in groupby(failures, key=lambda failure: failure.notebook):
        first, *others = group
        print(f"FAILED {first}")
        if others:  # most often for want of the names that the first should have made
            print(f"  and {len(others)} more cells of it: {', '.join(str(f.cell) for f in others)}")
    good = len(table) - len(unexpected)
    print(
        f"\n{len(executed)} notebooks run, {len(failures)} cells failed; "
        f"{good} of {len(table)} published figures as on record"
    )
    return 1 if failures or len(unexpected) else 0


def _cut(text: str, width: int) -> str:
    """Text in a column of that width, cut with an ellipsis; 0 is any width."""
    if not width:
        return text
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)


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


def evaluate(options: argparse.Namespace) -> int:
    """Evaluate files and print the comparison table, with the methods sentence on request."""
    from receval.evaluation import evaluate as evaluate_tables
    from receval.evaluation.formats import read_any

    recommendations = {path.stem: read_any(path) for path in options.recommendations}
    if len(recommendations) < len(options.recommendations):
        raise InputError("recommendations must be files of different names, one per system")
    several = len(recommendations) > 1
    result = evaluate_tables(
        recommendations if several else next(iter(recommendations.values())),
        read_any(options.truth),
        [name.strip() for given in options.measures or [MEASURES] for name in given.split(",")],
        convention=options.convention,
        user=options.user,
        item=options.item,
        score=options.score,
        relevance_column=options.relevance or None,
    )
    print(result.table(digits=options.digits))
    if options.methods:
        print(f"\n{result.methods()}")
    if options.per_user:
        result.save(options.per_user)
    return 0


def datasets(options: argparse.Namespace) -> int:
    """List the files of others that receval can fetch, or fetch some."""
    from receval.datasets import fetch, sources

    for name, source in sources().items():
        if not options.names:
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
    for name in options.names:
        print(fetch(name))
    return 0


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

    command = commands.add_parser(
        "evaluate",
        help="evaluate recommendations in files against relevance in a file",
        description="Evaluate CSV, Parquet or TREC files (endings .csv, .tsv, .parquet; .run and "
        ".qrels for TREC). Several files of recommendations are several systems.",
    )
    command.add_argument("recommendations", type=Path, nargs="+", help="user, item, score")
    command.add_argument("truth", type=Path, help="user, item, relevance")
    command.add_argument(
        "-m",
        "--measures",
        action="append",
        help="names separated by commas, such as nDCG@10,MRR; may be repeated "
        f"(default: {MEASURES})",
    )
    command.add_argument("-c", "--convention", default="receval", help="default: receval")
    command.add_argument("--user", default="user", help="name of the user column")
    command.add_argument("--item", default="item", help="name of the item column")
    command.add_argument("--score", default="score", help="name of the score column")
    command.add_argument(
        "--relevance",
        default="relevance",
        help="name of the column of grades; empty if every row is simply relevant",
    )
    command.add_argument("--digits", type=int, default=4, help="decimals (default: 4)")
    command.add_argument("--methods", action="store_true", help="print the methods sentence")
    command.add_argument("--per-user", type=Path, help="write every user's values to this file")
    command.set_defaults(run=evaluate)

    command = commands.add_parser(
        "datasets",
        help="list or fetch the real data that studies use",
        description="Without names, list the files of others that studies use; with names, fetch "
        "and check them and print where they lie.",
    )
    command.add_argument("names", nargs="*", help="names from the list")
    command.set_defaults(run=datasets)
    return parser


if __name__ == "__main__":
    sys.exit(main())
