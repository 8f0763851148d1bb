"""The command line: ``receval reproduce | lab | evaluate | datasets``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval import notebooks, published
from receval._checks import InputError
from receval._files import check_writable, notebooks_folder, write_atomically
from receval._version import __version__

if TYPE_CHECKING:
    import pandas as pd

MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"
LAB = ("-h", "--help", "--copy-only", "--no-browser")  # options of lab that are receval's own

Options = argparse.Namespace
Run = Callable[[Options], int]
COMMANDS: dict[str, Callable[[Any], None]] = {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answer the exit status."""
    known, others = _split(list(sys.argv[1:] if arguments is None else arguments))
    options = _parser().parse_args(known, argparse.Namespace(others=others))
    try:
        return int(options.run(options))
    except InputError as error:
        print(f"receval: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # data that cannot be had, a file that cannot be written
        print(f"receval: {error}", file=sys.stderr)
        return 3


def _parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(
        prog="receval",
        description="Evaluation in which every number shows its definition, working and source.",
        epilog="receval COMMAND --help says what a command takes, with an example.",
    )
    whole.add_argument("--version", action="version", version=f"receval {__version__}")
    commands = whole.add_subparsers(required=True, metavar="command")
    for add in COMMANDS.values():
        add(commands)
    return whole


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What is receval's own, and what ``lab`` hands on: all from the first other option on."""
    if arguments[:1] == ["lab"]:
        for place, argument in enumerate(arguments):
            if argument.startswith("-") and argument not in LAB:
                return arguments[:place], arguments[place:]
    return arguments, []


def command(summary: str, about: str, example: str, *options: Any) -> Callable[[Run], Run]:
    """Make a function the command of its name; a text among its options is a title for the next."""

    def register(run: Run) -> Run:
        def add(commands: Any) -> None:
            made = group = commands.add_parser(
                run.__name__,
                help=summary,
                description=about,
                epilog=f"example:\n  receval {run.__name__} {example}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            made.set_defaults(run=run)
            for one in options:
                if isinstance(one, str):
                    group = made.add_argument_group(one)
                else:
                    names, how = one
                    group.add_argument(*names, **how)

        COMMANDS[run.__name__] = add
        return run

    return register


def option(*names: str, help: str, **how: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """An argument of a command as argparse takes it, its default in its help."""
    if "default" in how and "default" not in help:
        help += " (default: %(default)s)"
    return names, {"help": help, **how}


def flag(name: str, help: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    return (name,), {"help": help, "action": "store_true"}


@command(
    "run every notebook and print published against computed figures",
    "Run every notebook from the top and print the ledger: each published figure beside the\n"
    "value computed for it, and what to make of the two. The exit status is 1 if a cell\n"
    "fails or a figure does not come out as on record, and 0 otherwise.",
    "--output ledger",
    option(
        "--output",
        help="folder for the executed notebooks and ledger.csv",
        type=Path,
        default=Path("build/notebooks"),
    ),
    flag("--quiet", "no progress bar"),
)
def reproduce(options: Options) -> int:
    """Run every notebook and print the ledger; 1 if a cell fails or a verdict is unexpected."""
    _need("nbclient", "ipykernel")
    source = notebooks_folder()
    found = notebooks.reproduce(source, options.output, quiet=options.quiet)
    if options.output.resolve() != source.resolve():
        write_atomically(options.output / "ledger.csv", lambda file: found.ledger.to_csv(file))
    unexpected = _print_ledger(found.ledger)
    print(*found.left_out, sep="\n", end="\n" if found.left_out else "")
    for _, group in groupby(found.failures, key=lambda failure: failure.notebook):
        first, *others = group
        print(f"FAILED {first}")
        if others:  # most often for want of the names that the first should have made
            print(f"  and {len(others)} more cells of it: {', '.join(str(f.cell) for f in others)}")
    print(
        f"\n{len(found.executed)} notebooks run, {len(found.failures)} cells failed; "
        f"{len(found.ledger) - unexpected} of {len(found.ledger)} published figures as on record"
    )
    return 1 if found.failures or unexpected else 0


def _print_ledger(table: pd.DataFrame) -> int:
    """Print the ledger; answer how many of its verdicts are not those on record."""
    widths = {"figure": 28, "what": 48, "printed": 24, "computed": 24, "verdict": 0}
    rows = table.reset_index()[list(widths)]
    for cells in [list(widths), *rows.to_numpy().tolist()]:
        print("  ".join(map(_cut, cells, widths.values())))
    print()
    print(published.summary(table).to_string(), end="\n\n")
    for figure, row in table[table["reason"] != ""].iterrows():
        print(f"{figure} ({row['verdict']}): {row['reason']}")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    return len(unexpected)


def _cut(text: str, width: int) -> str:
    """Text in a column of that width, cut with an ellipsis; 0 is any width."""
    if not width:
        return text
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)


@command(
    "open the notebooks in JupyterLab",
    "Put a copy of the notebooks into a folder of yours and open JupyterLab on the first.\n"
    "What you have changed there is never overwritten. From the first option that is not\n"
    "below on, everything is handed to JupyterLab.",
    "my-notebooks --no-browser --port 8890",
    option(
        "folder",
        help="where the notebooks go",
        type=Path,
        nargs="?",
        default=Path("my-notebooks"),
    ),
    flag("--no-browser", "only start the server, and print the address to open"),
    flag("--copy-only", "copy the notebooks and start nothing"),
)
def lab(options: Options) -> int:
    """Put the notebooks into a folder of the user's and open JupyterLab on the first one."""
    _need("jupyterlab")
    kept = notebooks.copy(notebooks_folder(), options.folder)
    print(f"The notebooks are in {options.folder}")
    for name in kept:
        print(f"  {name} differs from the one shipped, and stays as it is")
    if not options.copy_only:
        others = [one for one in options.others if one != "--no-browser"]
        browser = not options.no_browser and others == options.others
        notebooks.serve(options.folder, others, browser=browser)
    return 0


@command(
    "evaluate recommendations in files against relevance in a file",
    "Compare what was recommended with what is relevant, and print a table of means.\n"
    "Files may be CSV, Parquet or TREC (.csv, .tsv, .parquet; .run and .qrels). Several files\n"
    "of recommendations are several systems, named after their files.",
    "mine.csv baseline.csv truth.csv -m nDCG@10,MRR --user customer",
    option("recommendations", help="what was recommended: user, item, score", type=Path, nargs="+"),
    option("truth", help="what is relevant: user, item, relevance", type=Path),
    option(
        "-m",
        "--measures",
        help="names separated by commas, such as nDCG@10,MRR; may be repeated "
        f"(default: {MEASURES})",
        action="append",
    ),
    "names of columns (not for TREC files, which have none)",
    option("--user", help="the user", default="user"),
    option("--item", help="the item", default="item"),
    option("--score", help="the score, higher is better", default="score"),
    option("--rank", help="ranks 1, 2, 3, … to be used in place of the score"),
    option(
        "--relevance-column",
        "--relevance",
        help="the grade in the truth (default: relevance); '' if every row is simply relevant",
        default="relevance",
    ),
    option("--system", help="the system, where one file of recommendations holds several"),
    "rules",
    option(
        "-c",
        "--convention",
        help="whose choices to follow: receval, trec_eval, ranx, …",
        default="receval",
    ),
    option(
        "--ties",
        help="how equal scores are ordered: item, item_descending, text, trec_eval, input, "
        "optimistic, pessimistic, or average over all orders (default: as the convention has it)",
    ),
    option(
        "--missing",
        help="what a judged user without recommendations is: zero, skip or error "
        "(default: as the convention has it)",
    ),
    option(
        "--duplicates",
        help="what an item twice in one list is: error, or first to keep its first place",
        default="error",
    ),
    "more files",
    option(
        "--items",
        help="the whole catalogue, a row per item, for CC; with awards for LTP, novelty_date for "
        "nov_t, and all other columns as features for ILD",
        type=Path,
    ),
    option("--history", help="what users had seen: user, item; for nov_u", type=Path),
    "output",
    option("--digits", help="decimals", type=int, default=4),
    flag("--methods", "print the paragraph for a paper's methods section"),
    option(
        "--per-user", help="write every user's values to this .csv, .parquet or .json", type=Path
    ),
)
def evaluate(options: Options) -> int:
    """Evaluate files and print the comparison table, with the methods paragraph on request."""
    from receval.evaluation import evaluate as evaluate_tables

    if options.per_user:
        check_writable(options.per_user)  # before the work, not after it
    _refuse_names_in_trec(options)
    if len({path.stem for path in options.recommendations}) < len(options.recommendations):
        raise InputError("recommendations must be files of different names, one per system")
    read = _reader(options)
    recommendations = {path.stem: read(path) for path in options.recommendations}
    several = len(recommendations) > 1
    handed_on = (
        "convention", "user", "item", "score", "rank", "system", "ties", "missing", "duplicates"
    )  # fmt: skip
    result = evaluate_tables(
        recommendations if several else next(iter(recommendations.values())),
        read(options.truth),
        [name.strip() for given in options.measures or [MEASURES] for name in given.split(",")],
        relevance_column=options.relevance_column or None,
        items=_catalogue(read(options.items), options) if options.items else None,
        history=read(options.history) if options.history else None,
        **{name: getattr(options, name) for name in handed_on},
    )
    print(result.table(digits=options.digits))
    if options.methods:
        print(f"\n{result.methods()}")
    if options.per_user:
        result.save(options.per_user)
    return 0


def _refuse_names_in_trec(options: Options) -> None:
    """The columns of TREC files are known by their place, and have no other names."""
    every = _files(options)
    of = {
        "user": every,
        "item": every,
        "score": options.recommendations,
        "relevance_column": [options.truth],
    }
    for name, paths in of.items():
        given, own = getattr(options, name), name.removesuffix("_column")
        trec = [path.name for path in paths if _is_trec(path)]
        if trec and given != own:
            raise InputError(
                f"--{name.replace('_', '-')} must be left out with TREC files, whose columns have "
                f"no names; got {given!r} with {', '.join(trec)}. In other files beside them, call "
                f"the column {own!r}"
            )


def _reader(options: Options) -> Callable[[Path], pd.DataFrame]:
    """Reads a table; whole numbers as ids become text beside TREC files, where all ids are."""
    import pandas as pd

    from receval.tables.formats import read_any

    def as_text(path: Path) -> pd.DataFrame:
        table = read_any(path)
        ids = [name for name in (options.user, options.item) if name in table]
        whole = [name for name in ids if pd.api.types.is_integer_dtype(table[name])]
        return table.astype(dict.fromkeys(whole, str))

    return as_text if any(map(_is_trec, _files(options))) else read_any


def _files(options: Options) -> list[Path]:
    return [*options.recommendations, options.truth, *filter(None, [options.history])]


def _is_trec(path: Path) -> bool:
    return path.suffix.lower() in (".run", ".qrels", ".qrel")


def _catalogue(table: pd.DataFrame, options: Options) -> pd.DataFrame:
    """The catalogue by item, its dates as dates."""
    import pandas as pd

    from receval.tables.columns import column

    name, item = options.items.name, options.item
    items: pd.DataFrame = table.set_index(column(table, item, name).to_numpy()).drop(columns=item)
    if "novelty_date" in items and not pd.api.types.is_datetime64_any_dtype(items["novelty_date"]):
        try:
            items["novelty_date"] = pd.to_datetime(items["novelty_date"], format="ISO8601")
        except (ValueError, TypeError) as error:
            raise InputError(
                f"novelty_date of {name} must hold dates such as 2020-12-31; {error}"
            ) from None
    return items


@command(
    "list or fetch the real data that studies use",
    "Without names, list the files of others that the studies use. With names, fetch these,\n"
    "check them, and print where they lie.",
    "cars/cars-1k.csv",
    option("names", help="names from the list", nargs="*"),
)
def datasets(options: Options) -> int:
    """List the files of others that receval can fetch, or fetch some."""
    from receval.datasets import fetch, sources

    for name in options.names:
        print(fetch(name))
    if not options.names:
        for name, source in sources().items():
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
    return 0


def _need(*modules: str) -> None:
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the packages {', '.join(missing)} are needed for this: "
            'pip install "receval[notebooks]"'
        )


if __name__ == "__main__":
    sys.exit(main())
