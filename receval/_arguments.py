"""What the command line takes: the commands, their options, and a line of help for each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from receval._version import __version__

MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"

Run = Callable[[argparse.Namespace], int]
Command = Callable[..., Any]  # makes the parser of one command


def parser(*, reproduce: Run, lab: Run, evaluate: Run, datasets: Run) -> argparse.ArgumentParser:
    """The parser of the whole line; it leaves the command's function in ``run``."""
    whole = argparse.ArgumentParser(
        prog="receval",
        description="Evaluation in which every number shows its definition, working and source.",
        epilog="receval COMMAND --help says what a command takes, with an example.",
    )
    whole.add_argument("--version", action="version", version=f"receval {__version__}")
    commands = whole.add_subparsers(required=True, metavar="command")

    def command(name: str, run: Run, summary: str, about: str, example: str) -> Any:
        made = commands.add_parser(
            name,
            help=summary,
            description=about,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(run=run)
        return made

    _reproduce(command, reproduce)
    _lab(command, lab)
    _evaluate(command, evaluate)
    _datasets(command, datasets)
    return whole


def _reproduce(command: Command, run: Run) -> None:
    made = command(
        "reproduce",
        run,
        "run every notebook and print published against computed figures",
        "Run every notebook from the top and print the ledger: each published figure beside the\n"
        "value computed for it, and what to make of the two. The exit status is 1 if a cell\n"
        "fails or a figure does not come out as on record, and 0 otherwise.",
        "receval reproduce --output ledger",
    )
    made.add_argument(
        "--output",
        type=Path,
        default=Path("build/notebooks"),
        help="folder for the executed notebooks and ledger.csv (default: build/notebooks)",
    )
    made.add_argument("--quiet", action="store_true", help="no progress bar")


def _lab(command: Command, run: Run) -> None:
    made = command(
        "lab",
        run,
        "open the notebooks in JupyterLab",
        "Put a copy of the notebooks into a folder of yours and open JupyterLab on the first.\n"
        "What you have changed there is never overwritten. From the first option that is not\n"
        "below on, everything is handed to JupyterLab.",
        "receval lab my-notebooks --no-browser --port 8890",
    )
    made.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path("my-notebooks"),
        help="where the notebooks go (default: my-notebooks)",
    )
    made.add_argument(
        "--no-browser",
        action="store_true",
        help="only start the server, and print the address to open",
    )
    made.add_argument(
        "--copy-only", action="store_true", help="copy the notebooks and start nothing"
    )


def _evaluate(command: Command, run: Run) -> None:
    made = command(
        "evaluate",
        run,
        "evaluate recommendations in files against relevance in a file",
        "Compare what was recommended with what is relevant, and print a table of means.\n"
        "Files may be CSV, Parquet or TREC (.csv, .tsv, .parquet; .run and .qrels). Several files\n"
        "of recommendations are several systems, named after their files.",
        "receval evaluate mine.csv baseline.csv truth.csv -m nDCG@10,MRR --user customer",
    )
    made.add_argument(
        "recommendations", type=Path, nargs="+", help="what was recommended: user, item, score"
    )
    made.add_argument("truth", type=Path, help="what is relevant: user, item, relevance")
    made.add_argument(
        "-m",
        "--measures",
        action="append",
        help="names separated by commas, such as nDCG@10,MRR; may be repeated "
        f"(default: {MEASURES})",
    )

    names = made.add_argument_group("names of columns (not for TREC files, which have none)")
    names.add_argument("--user", default="user", help="the user (default: user)")
    names.add_argument("--item", default="item", help="the item (default: item)")
    names.add_argument(
        "--score", default="score", help="the score, higher is better (default: score)"
    )
    names.add_argument("--rank", help="ranks 1, 2, 3, … to be used in place of the score")
    names.add_argument(
        "--relevance-column",
        "--relevance",
        default="relevance",
        help="the grade in the truth (default: relevance); '' if every row is simply relevant",
    )
    names.add_argument(
        "--system", help="the system, where one file of recommendations holds several"
    )

    rules = made.add_argument_group("rules")
    rules.add_argument(
        "-c",
        "--convention",
        default="receval",
        help="whose choices to follow: receval, trec_eval, ranx, … (default: receval)",
    )
    rules.add_argument(
        "--ties",
        help="how equal scores are ordered: item, item_descending, text, trec_eval, input, "
        "optimistic, pessimistic, or average over all orders (default: as the convention has it)",
    )
    rules.add_argument(
        "--missing",
        help="what a judged user without recommendations is: zero, skip or error "
        "(default: as the convention has it)",
    )
    rules.add_argument(
        "--duplicates",
        default="error",
        help="what an item twice in one list is: error, or first to keep its first place "
        "(default: error)",
    )

    more = made.add_argument_group("more files")
    more.add_argument(
        "--items",
        type=Path,
        help="the whole catalogue, a row per item, for CC; with awards for LTP, novelty_date for "
        "nov_t, and all other columns as features for ILD",
    )
    more.add_argument("--history", type=Path, help="what users had seen: user, item; for nov_u")

    output = made.add_argument_group("output")
    output.add_argument("--digits", type=int, default=4, help="decimals (default: 4)")
    output.add_argument(
        "--methods", action="store_true", help="print the paragraph for a paper's methods section"
    )
    output.add_argument(
        "--per-user", type=Path, help="write every user's values to this .csv, .parquet or .json"
    )


def _datasets(command: Command, run: Run) -> None:
    made = command(
        "datasets",
        run,
        "list or fetch the real data that studies use",
        "Without names, list the files of others that the studies use. With names, fetch these,\n"
        "check them, and print where they lie.",
        "receval datasets cars/cars-1k.csv",
    )
    made.add_argument("names", nargs="*", help="names from the list")
