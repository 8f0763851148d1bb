"""The command line: ``receval reproduce | lab | evaluate | datasets``.

A command is a function: its parameters are the arguments, its docstring is the help.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from receval import datasets as data
from receval import notebooks, published
from receval._checks import EvaluationWarning, InputError, refusal
from receval._command_line import handed_on, parser
from receval._files import check_writable, notebooks_folder, write_atomically
from receval.evaluation import Evaluation
from receval.evaluation import evaluate as evaluate_tables
from receval.tables.columns import column
from receval.tables.formats import TREC, open_table
from receval.tables.given import ALIKE, Given
from receval.tables.text import kind_of

MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"
FLAGS = ("copy-only", "browser", "student", "solutions")
LAB = ("-h", "--help", *(f"--{no}{flag}" for flag in FLAGS for no in ("", "no-")))
COMMA = r",(?![^()]*\))"  # between measures, not between the parameters of one


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answer the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    known, others = handed_on(given, LAB) if given[:1] == ["lab"] else (given, [])
    parsed = parser([reproduce, lab, evaluate, datasets], evaluate_tables).parse_args(known)
    options = vars(parsed) | ({"others": others} if others else {})
    try:
        return int(options.pop("run")(**options))
    except (InputError, OSError) as error:
        print(f"receval: {error}", file=sys.stderr)
        # Data that cannot be had and a file that cannot be written are no fault of what was asked.
        return 2 if isinstance(error, InputError) else 3
    except KeyboardInterrupt:
        return 130  # as a shell calls what Ctrl-C has ended


def reproduce(*, output: Path = Path("build/notebooks"), jobs: int = 2, quiet: bool = False) -> int:
    """Run every notebook and print published against computed figures.

    Run every notebook from the top and print the ledger: each published figure beside the
    value computed for it, and what to make of the two. The exit status is 1 if a cell
    fails or a figure does not come out as on record, and 0 otherwise.

    Parameters
    ----------
    output : path
        folder for the executed notebooks and ledger.csv
    jobs : int
        how many notebooks run at a time; the ledger comes after them
    quiet : bool
        no progress bar

    Examples
    --------
    receval reproduce --output ledger
    """
    _need("nbclient", "ipykernel")
    source = notebooks_folder()
    found = notebooks.reproduce(source, output, jobs=jobs, quiet=quiet)
    if output.resolve() != source.resolve():
        write_atomically(output / "ledger.csv", lambda file: found.ledger.to_csv(file))
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
    print(table, published.summary(table).to_string(), sep="\n\n", end="\n\n")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    return len(unexpected)


def lab(
    folder: Path = Path("my-notebooks"),
    *,
    browser: bool = True,
    copy_only: bool = False,
    student: bool = False,
    solutions: bool = False,
    others: Sequence[str] = (),
) -> int:
    """Open the notebooks in JupyterLab.

    Put a copy of the notebooks into a folder of yours and open JupyterLab on the first.
    What you have changed there is never overwritten. From the first option that is not
    below on, everything is handed to JupyterLab.

    Parameters
    ----------
    folder : path
        where the notebooks go
    browser : bool
        open a browser, or only start the server and print the address to open
    copy_only : bool
        copy the notebooks and start nothing
    student : bool
        copy them without outputs and solutions: predict first, then run
    solutions : bool
        copy them with their solutions unfolded

    Examples
    --------
    receval lab my-notebooks --no-browser --port 8890
    """
    _need("jupyterlab")
    edition = "student" if student else "solutions" if solutions else ""
    kept = notebooks.copy(notebooks_folder(), folder, edition=edition)
    print(f"The notebooks are in {folder}")
    for name in kept:
        print(f"  {name} differs from the one shipped, and stays as it is")
    if not copy_only:
        handed_on = [one for one in others if one != "--no-browser"]
        notebooks.serve(folder, handed_on, browser=browser and handed_on == list(others))
    return 0


def evaluate(
    recommendations: list[Path],
    truth: Path,
    *,
    measures: list[str] | None = None,
    digits: int = 4,
    methods: bool = False,
    per_user: Path | None = None,
    **options: Any,
) -> int:
    """Evaluate recommendations in files against relevance in a file.

    Compare what was recommended with what is relevant, and print a table of means.
    Files may be CSV, Parquet or TREC (.csv, .tsv, .parquet; .run and .qrels). Several files
    of recommendations are several systems, named after their files.

    Parameters
    ----------
    recommendations : paths
        what was recommended: user, item, score
    truth : path
        what is relevant: user, item, relevance
    measures : list of str
        names separated by commas, such as nDCG@10,MRR; may be repeated
        (default: nDCG@10,MAP@10,MRR@10,HR@10)
    user, item, score : str
        Name of the column in all files but TREC files, which have none.
    relevance_column : str
        Name of the column of grades in the truth; '' if every row is simply relevant.
    convention : str
        Whose choices to follow: receval, trec_eval, ranx, …; see receval.conventions().
    items : path
        The whole catalogue, a row per item, for CC; with awards for LTP, novelty_date for
        nov_t, and all other columns as features for ILD.
    history : path
        Users and the items they have seen, for nov_u.
    digits : int
        decimals
    methods : bool
        print the paragraph for a paper's methods section
    per_user : path
        write every user's values to this .csv, .parquet or .json

    Examples
    --------
    receval evaluate mine.csv baseline.csv truth.csv -m nDCG@10,MRR --user customer
    """
    if per_user:
        check_writable(per_user)  # before the work, not after it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvaluationWarning)  # they stand under the table
        result = _evaluated(recommendations, truth, measures, options)
    print(result.table(digits=digits))
    if methods:
        print(f"\n{result.methods()}")
    if per_user:
        result.save(per_user)
    return 0


def _evaluated(
    recommendations: list[Path], truth: Path, measures: list[str] | None, options: dict[str, Any]
) -> Evaluation:
    """What `receval.evaluate` answers to files, with its options as they stand on a line."""
    systems = {path.stem: path for path in recommendations}
    if len(systems) < len(recommendations):
        raise InputError("recommendations must be files of different names, one per system")
    if options["names"] is not None:
        given = Given.named(options["names"], *(options[name] for name in ALIKE))
        options |= {name: getattr(given, name) for name in ALIKE} | {"names": None}
    _check_trec(recommendations, truth, options)
    items = options["items"]
    options["relevance_column"] = options["relevance_column"] or None
    options["items"] = items and _catalogue(items, options["item"], Path(items).name)
    return evaluate_tables(
        systems if len(systems) > 1 else recommendations[0],
        truth,
        [name.strip() for given in measures or [MEASURES] for name in re.split(COMMA, given)],
        **options,
    )


def _check_trec(recommendations: list[Path], truth: Path, options: dict[str, Any]) -> None:
    """Columns of TREC files are known by their place, without names; all ids are text then."""
    every = [*recommendations, truth, *filter(None, [options["history"]])]
    of = {"user": every, "item": every, "score": recommendations, "relevance_column": [truth]}
    for name, paths in of.items():
        given, own = options[name], name.removesuffix("_column")
        trec = [Path(path).name for path in paths if kind_of(path) in TREC]
        if trec and given != own:
            rule = "be left out with TREC files, whose columns have no names"
            advice = f"In other files beside them, call the column {own!r}"
            got = f"{given!r} with {', '.join(trec)}"
            raise refusal(f"--{name.replace('_', '-')}", rule, got, advice)
    if any(kind_of(path) in TREC for path in every):
        options["ids"] = "text"


def _catalogue(given: Any, item: str, name: str) -> pd.DataFrame:
    """The catalogue by item, its dates as dates."""
    table = open_table(given, name)
    items: pd.DataFrame = table.set_index(column(table, item, name).to_numpy()).drop(columns=item)
    if "novelty_date" in items and not pd.api.types.is_datetime64_any_dtype(items["novelty_date"]):
        try:
            items["novelty_date"] = pd.to_datetime(items["novelty_date"], format="ISO8601")
        except (ValueError, TypeError) as error:
            what = f"novelty_date of {name} must hold dates such as 2020-12-31"
            raise InputError(f"{what}; {error}") from None
    return items


def datasets(names: list[str] | None = None) -> int:
    """List or fetch the real data that studies use.

    Without names, list the files of others that the studies use. With names, fetch these,
    check them, and print where they lie.

    Parameters
    ----------
    names : list of str
        names from the list

    Examples
    --------
    receval datasets cars/cars-1k.csv
    """
    for name in names or ():
        print(data.fetch(name))
    if not names:
        for name, source in data.sources().items():
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
    return 0


def _need(*modules: str) -> None:
    if missing := [name for name in modules if find_spec(name) is None]:
        named, how = ", ".join(missing), 'pip install "receval[notebooks]"'
        raise InputError(f"the packages {named} are needed for this: {how}")


if __name__ == "__main__":
    sys.exit(main())
