"""The command line: ``receval evaluate | compare | explain | which | conventions | …``.

A command is a function: its parameters are the arguments, its docstring is the help.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from receval import datasets as data
from receval import notebooks, published
from receval._checks import EvaluationWarning, InputError, check_choice, refusal
from receval._command_line import handed_on, parser, taken
from receval._files import check_writable, notebooks_folder, write_atomically
from receval.evaluation import Evaluation
from receval.evaluation import evaluate as evaluate_tables
from receval.evaluation import which as choices_that_print
from receval.evaluation.report import Table
from receval.measure import conventions as all_conventions
from receval.tables.columns import column
from receval.tables.formats import TREC, read_any, write_as
from receval.tables.given import ALIKE, Given
from receval.tables.text import kind_of
from receval.tables.written import as_written

MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"
FLAGS = ("copy-only", "browser", "student", "solutions")
LAB = ("-h", "--help", *(f"--{no}{flag}" for flag in FLAGS for no in ("", "no-")))
COMMA = r",(?![^()]*\))"  # between measures, not between the parameters of one
DATA = ("csv", "json")
GRADES = r"\d+(\.\d+)?(, ?\d+(\.\d+)?)*"
CLOSED = 141  # what a shell says of a program whose reader went away, as ``head`` does


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answer the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    known, others = handed_on(given, LAB) if given[:1] == ["lab"] else (given, [])
    options = vars(parser(COMMANDS).parse_args(known)) | ({"others": others} if others else {})
    try:
        status = int(options.pop("run")(**options))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # flushed again at the end
        return CLOSED
    except (InputError, OSError) as error:
        print(f"receval: {error}", file=sys.stderr)
        # What cannot be had, read or written is no fault of what was asked.
        return 3 if isinstance(error, OSError) else 2
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
    print("".join(f"{told}\n" for told in found.left_out), end="")
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
    format: str = "table",
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
    score : str
        Name of the column in all files but TREC files, which have none.
    user, item : str
        Name of the column, as that of the score; two with a comma between, recommendations
        first, where the truth has another.
    relevance_column : str
        Name of the column of grades in the truth; '' if every row is simply relevant.
    convention : str
        Whose choices to follow: receval, trec_eval, ranx, …; see receval conventions.
    users : str
        Over whom means go: judged, answered, both, or ids separated by commas.
    items : path
        The whole catalogue, a row per item, for CC; with awards for LTP, novelty_date for
        nov_t, and all other columns as features for ILD.
    history : path
        Users and the items they have seen, for nov_u.
    systems : path
        Parameters of each system, which the first column names, to stand beside its means.
    digits : int
        decimals; csv and json have all
    format : str
        how the table is printed; the notes of csv and json are printed to standard error
    methods : bool
        print the paragraph for a paper's methods section
    per_user : path
        write every user's values to this .csv, .parquet, .json or .receval

    Examples
    --------
    receval evaluate mine.csv baseline.csv truth.csv -m nDCG@10,MRR --user customer
    """
    if per_user:
        check_writable(per_user)  # before the work, not after it
    result = _evaluated(recommendations, truth, measures, options)
    if per_user:
        result.save(per_user)
    _print(result.table(digits=digits), result.summary, format)
    if methods:
        print(f"\n{result.methods()}", file=sys.stderr if format in DATA else sys.stdout)
    return 0


def compare(
    recommendations: list[Path],
    truth: Path,
    *,
    measures: list[str] | None = None,
    baseline: list[str] | None = None,
    interval: float = 0.95,
    digits: int = 3,
    format: str = "table",
    **options: Any,
) -> int:
    """Compare systems user by user: difference, interval, test, effect size.

    Evaluate files of recommendations as `receval evaluate` does, and test which differ.

    Parameters
    ----------
    baseline : list of str
        a system that all others are compared with; may be repeated (default: all pairs)
    interval : float
        level of the bootstrap interval of a difference; 0 for none, which is faster

    Examples
    --------
    receval compare mine.csv baseline.csv truth.csv -m nDCG@10 --baseline baseline --test t
    """
    result = _evaluated(recommendations, truth, measures, options)
    found = result.compare(baseline, interval=interval or False, **taken(result.compare, options))
    return _print(found.to_frame(digits), found.results, format, found.notes())


def explain(
    who: str,
    measure: str,
    recommendations: list[Path],
    truth: Path,
    *,
    format: str = "table",
    **options: Any,
) -> int:
    """Explain one user's number: the list, the terms, the choices in words.

    Evaluate files as `receval evaluate` does, and print the working of a number.

    Parameters
    ----------
    who : str
        a judged user
    measure : str
        a measure that has a value for each user

    Examples
    --------
    receval explain ann nDCG@10 mine.csv truth.csv --convention trec_eval
    """
    result = _evaluated(recommendations, truth, [measure], options)
    own = {str(one): one for one in result.values(result.systems[0]).index}
    found = [result.explain(own.get(who, who), measure, system=one) for one in result.systems]
    if format == "table":
        print(*found, sep="\n\n")
        return 0
    terms = pd.concat({one.system: one.table for one in found}, names=["system"]).droplevel(1)
    return _print(terms, terms, format, dict.fromkeys(chain(*(one.notes() for one in found))))


def which(
    value: str,
    recommendations: str,
    truth: Path | None = None,
    *,
    measure: str = "nDCG",
    digits: int = 4,
    format: str = "table",
    **options: Any,
) -> int:
    """Find which conventions and single choices print a number, nearest first.

    Parameters
    ----------
    value : str
        the number as it is printed
    recommendations : str
        a file, as for receval evaluate; or the grades of one list, best rank first: 3,2,0,1
    truth : path
        a file of what is relevant; none beside grades, which are then all there are
    measure : str
        name of one measure

    Examples
    --------
    receval which 0.88 3,2,3,0,0,1,2,2,3,0 --measure nDCG@10
    """
    given: Any = recommendations
    files = [Path(recommendations)]
    if truth is None and re.fullmatch(GRADES, recommendations):
        files, given = [], [float(grade) for grade in recommendations.split(",")]
    how = _settled(files, truth, options)
    table = choices_that_print(value, given, truth, measure, **how).set_index("convention")
    return _print(table, table, format, digits=digits)


def conventions(names: list[str] | None = None, *, format: str = "table") -> int:
    """List the conventions with their choices, sources, and how each was verified.

    Parameters
    ----------
    names : list of str
        some of them (default: all)

    Examples
    --------
    receval conventions trec_eval ranx --format markdown
    """
    known = all_conventions()
    table = known.loc[[check_choice(name, "names", known.index) for name in names or known.index]]
    if format != "table":
        return _print(table.T, table, format)
    for name, own in table.iterrows():
        print(name, *(f"  {choice}: {how}" for choice, how in own.items() if how), sep="\n")
    return 0


def _print(
    shown: Any, values: pd.DataFrame, how: str, notes: Iterable[str] = (), *, digits: int = 4
) -> int:
    """Print a table as people read it, or its values with every digit as programs do."""
    if isinstance(shown, pd.DataFrame):
        shown = Table(shown, digits, bold=False, notes=tuple(notes))
    if how in DATA:
        write_as(values.reset_index(), f".{how}", sys.stdout)
        print(*shown.notes, sep="\n", file=sys.stderr)
    else:
        print({"markdown": shown.to_markdown, "latex": shown.to_latex}.get(how, shown.__repr__)())
    return 0


def _evaluated(
    recommendations: list[Path], truth: Path, measures: list[str] | None, options: dict[str, Any]
) -> Evaluation:
    """What `receval.evaluate` answers to files, with its options as they stand on a line."""
    systems = {path.stem: path for path in recommendations}
    if len(systems) < len(recommendations):
        raise InputError("recommendations must be files of different names, one per system")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvaluationWarning)  # they stand under the table
        return evaluate_tables(
            systems if len(systems) > 1 else recommendations[0],
            truth,
            [name.strip() for given in measures or [MEASURES] for name in re.split(COMMA, given)],
            **_settled(recommendations, truth, options),
        )


def _settled(files: list[Path], truth: Path | None, options: dict[str, Any]) -> dict[str, Any]:
    """Options of `receval.evaluate` as it takes them: those given, lists apart, files opened."""
    own = taken(evaluate_tables, options)
    named = Given.named(options["names"], *(options[name] for name in ALIKE))
    _check_trec(files, [truth] if truth else [], options["history"], named, own)
    pairs = {name: tuple(own.get(name, "").split(",")) for name in ("user", "item")}
    own |= {name: pair for name, pair in pairs.items() if len(pair) > 1}
    if "," in own.get("users", ""):  # ids are numbers where a CSV file would have numbers
        own["users"] = as_written(pa.array(own["users"].split(","), pa.large_string())).tolist()
    if own.get("relevance_column") == "":
        own["relevance_column"] = None
    if "items" in own:
        own["items"] = _catalogue(own["items"], named.item.rpartition(",")[2])
    if "systems" in own:
        own["systems"] = (table := read_any(own["systems"])).set_index(table.columns[0])
    return own


def _check_trec(
    recommendations: list[Path], truth: list[Path], history: Any, named: Given, own: dict[str, Any]
) -> None:
    """Columns of TREC files are known by their place, without names; all ids are text then."""
    every = [*recommendations, *truth, *filter(None, [history])]
    of = {"user": every, "item": every, "score": recommendations, "relevance_column": truth}
    for name, paths in of.items():
        given, usual = getattr(named, name), name.removesuffix("_column")
        trec = [Path(path).name for path in paths if kind_of(path) in TREC]
        if trec and given != usual:
            rule = "be left out with TREC files, whose columns have no names"
            advice = f"In other files beside them, call the column {usual!r}"
            got = f"{given!r} with {', '.join(trec)}"
            raise refusal(f"--{name.replace('_', '-')}", rule, got, advice)
    if any(kind_of(path) in TREC for path in every):
        own["ids"] = "text"


def _catalogue(path: str, item: str) -> pd.DataFrame:
    """The catalogue by item, its dates as dates."""
    table, name = read_any(path), Path(path).name
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


COMMANDS: dict[Any, Any] = {
    **dict.fromkeys((evaluate, explain, which), (evaluate_tables,)),
    compare: (evaluate_tables, Evaluation.compare),
    **dict.fromkeys((conventions, reproduce, lab, datasets), ()),
}
"""What there is, each with the functions whose options it takes besides its own."""

if __name__ == "__main__":
    sys.exit(main())
