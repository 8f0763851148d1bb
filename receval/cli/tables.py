"""Commands on tables in files: evaluate, compare, explain, which, conventions."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from receval._checks import check_choice
from receval._escape import for_terminal
from receval._files import check_writable
from receval.cli.files import (
    evaluate_files,
    evaluation_options,
    open_recommendations,
    open_truth,
)
from receval.cli.options import (
    Commands,
    add_command,
    add_comparison_options,
    add_digits,
    add_evaluation_options,
    add_files,
    add_format,
    add_measures,
    changed_options,
)
from receval.cli.words import in_shell_words
from receval.definitions import conventions as all_conventions
from receval.evaluation import Evaluation
from receval.evaluation import which as find_choices
from receval.evaluation.report import ComparisonTable, check_digits
from receval.tables.reading import READ_IN_WORDS
from receval.tables.writing import WRITTEN_IN_WORDS, write_as

FORMATS_FOR_PROGRAMS = ("csv", "json")
GRADES = r"\d+(\.\d+)?(, ?\d+(\.\d+)?)*"  # numbers with commas between them: 3,2,0,1


def add_evaluate(commands: Commands) -> None:
    """Add the command ``receval evaluate``."""
    parser = add_command(
        commands,
        "evaluate",
        evaluate,
        summary="Evaluate recommendations against relevance grades, both read from files.",
        description=f"""\
Compare what was recommended with what is relevant, and print a table of means.
Files may be CSV, Parquet or TREC ({READ_IN_WORDS}; .run and .qrels). If you give
several files of recommendations, each is a system with the name of its file.""",
        example="receval evaluate mine.csv baseline.csv truth.csv -m nDCG@10,MRR --user customer",
    )
    add_files(parser)
    add_measures(parser)
    add_digits(parser)
    add_format(parser, reads_files=True)
    parser.add_argument(
        "--methods",
        action="store_true",
        help="also print a paragraph for the methods section of a paper",
    )
    parser.add_argument(
        "--per-user",
        type=Path,
        metavar="FILE",
        help=f"write the values of every user to this file (.receval, {WRITTEN_IN_WORDS})",
    )
    add_evaluation_options(parser)


def evaluate(arguments: argparse.Namespace) -> int:
    """Run ``receval evaluate`` and return its exit status."""
    if arguments.per_user:
        check_writable(arguments.per_user)  # check before the work, not after it
    result = evaluate_files(arguments, arguments.measures)
    if arguments.per_user:
        result.save(arguments.per_user)
    table = result.table(digits=arguments.digits)
    print_table(table, result.summary, arguments)
    if arguments.methods:
        if arguments.format in FORMATS_FOR_PROGRAMS:
            stream = sys.stderr  # programs read stdout, and expect only the table there
        else:
            stream = sys.stdout
        text = result.methods(latex=arguments.format == "latex")
        for paragraph in text.split("\n"):
            print(f"\n{for_terminal(paragraph)}", file=stream)
    return 0


def add_compare(commands: Commands) -> None:
    """Add the command ``receval compare``."""
    parser = add_command(
        commands,
        "compare",
        compare,
        summary="Compare systems user by user: difference, interval, test, effect size.",
        description="""\
Evaluate files of recommendations as `receval evaluate` does, and test which systems differ.""",
        example="receval compare mine.csv baseline.csv truth.csv -m nDCG@10 --baseline baseline"
        " --test sign",
    )
    add_files(parser)
    add_measures(parser)
    add_digits(parser, default=3)
    add_format(parser, reads_files=True)
    add_comparison_options(parser)
    add_evaluation_options(parser)


def compare(arguments: argparse.Namespace) -> int:
    """Run ``receval compare`` and return its exit status."""
    result = evaluate_files(arguments, arguments.measures)
    options = changed_options(result.compare, vars(arguments))
    options.pop("measures", None)  # the result has only the measures that were asked for
    comparison = result.compare(arguments.baseline, **options)
    table = with_notes(comparison.to_frame(arguments.digits), comparison.notes())
    print_table(table, comparison.results, arguments)
    return 0


def add_explain(commands: Commands) -> None:
    """Add the command ``receval explain``."""
    parser = add_command(
        commands,
        "explain",
        explain,
        summary="Explain one user's number: the list, the terms, and the choices in words.",
        description="""\
Evaluate files as `receval evaluate` does, and print how one user's number is computed.""",
        example="receval explain ann nDCG@10 mine.csv truth.csv --convention trec_eval",
    )
    parser.add_argument("who", help="the id of a judged user")
    parser.add_argument("measure", help="the name of a measure that has a value for each user")
    add_files(parser)
    add_format(parser, reads_files=True)
    add_evaluation_options(parser)


def explain(arguments: argparse.Namespace) -> int:
    """Run ``receval explain`` and return its exit status."""
    result = evaluate_files(arguments, [arguments.measure])
    user = _user_with_text(result, arguments.who)
    explanations = [
        result.explain(user, arguments.measure, system=system) for system in result.systems
    ]
    if arguments.format == "table":
        print(*explanations, sep="\n\n")
        return 0
    table_by_system = {explanation.system: explanation.table for explanation in explanations}
    terms = pd.concat(table_by_system, names=["system"]).droplevel(1)  # drops the row numbers
    # Use a dict to remove duplicates, because the notes of several systems are mostly the same.
    notes = dict.fromkeys(note for explanation in explanations for note in explanation.notes())
    print_table(with_notes(terms, notes), terms, arguments)
    return 0


def _user_with_text(result: Evaluation, text: str) -> str | int:
    """Return the id of a user that a command line names.

    The command line has text, but ids may be numbers. For an unknown user, the function returns the
    text, and the caller's method refuses it.
    """
    user_by_text: dict[str, str | int] = {
        str(user): user for user in result.values(result.systems[0]).index
    }
    return user_by_text.get(text, text)


def add_which(commands: Commands) -> None:
    """Add the command ``receval which``."""
    parser = add_command(
        commands,
        "which",
        which,
        summary="Find which conventions and single choices lead to a number, nearest first.",
        example="receval which 0.88 3,2,3,0,0,1,2,2,3,0 --measure nDCG@10",
    )
    parser.add_argument("value", help="the number as it is printed")
    parser.add_argument(
        "recommendations",
        help="a file, as for receval evaluate; or the grades of a list, best rank first: 3,2,0,1",
    )
    parser.add_argument(
        "truth",
        nargs="?",
        type=Path,
        help="a file with the relevant items; leave it out if you give grades: receval then "
        "assumes that no other item is relevant",
    )
    parser.add_argument(
        "--measure",
        "-m",
        default="nDCG",
        metavar="NAME",
        help="the name of one measure (default: %(default)s)",
    )
    add_digits(parser)
    add_format(parser, reads_files=True)
    add_evaluation_options(parser)


def which(arguments: argparse.Namespace) -> int:
    """Run ``receval which`` and return its exit status."""
    text: str = arguments.recommendations  # the name of a file, or grades
    recommendations: Path | pd.DataFrame | list[float]
    if arguments.truth is None and re.fullmatch(GRADES, text):
        recommendations = [float(grade) for grade in text.split(",")]
    else:
        recommendations = open_recommendations(Path(text), arguments)
    options = evaluation_options(arguments)
    truth = None
    if arguments.truth is not None:
        truth = open_truth(arguments)
    choices = find_choices(arguments.value, recommendations, truth, arguments.measure, **options)
    table = choices.set_index("convention")
    print_table(with_notes(table, digits=arguments.digits), table, arguments)
    return 0


def add_conventions(commands: Commands) -> None:
    """Add the command ``receval conventions``."""
    parser = add_command(
        commands,
        "conventions",
        conventions,
        summary="List the conventions: their choices and sources, and how each was verified.",
        example="receval conventions trec_eval ranx --format markdown",
    )
    parser.add_argument("names", nargs="*", help="names of conventions (default: all)")
    add_format(parser)


def conventions(arguments: argparse.Namespace) -> int:
    """Run ``receval conventions`` and return its exit status."""
    table = all_conventions()
    names = [check_choice(name, "names", table.index) for name in arguments.names]
    if names:
        table = table.loc[names]
    if arguments.format != "table":
        # For people, the conventions are columns next to each other.
        print_table(with_notes(table.T), table, arguments)
        return 0
    for name, text_by_choice in table.iterrows():
        print(name)
        for choice, text in text_by_choice.items():
            if text:
                print(f"  {choice}: {text}")
    return 0


def with_notes(
    frame: pd.DataFrame, notes: Iterable[str] = (), *, digits: int = 4
) -> ComparisonTable:
    """Build a table that is printed with ``digits`` decimals and with notes below it."""
    return ComparisonTable(frame, check_digits(digits), marked=0, notes=tuple(notes))


def print_table(
    table: ComparisonTable, values: pd.DataFrame, arguments: argparse.Namespace
) -> None:
    """Print a table in the format that ``--format`` names.

    ``table`` is for people. ``values`` has the same numbers unrounded, for programs. For them, the
    notes go to stderr, so that only the table is on stdout.
    """
    table = replace(table, notes=tuple(in_shell_words(note, arguments) for note in table.notes))
    if arguments.format in FORMATS_FOR_PROGRAMS:
        write_as(values.reset_index(), f".{arguments.format}", sys.stdout, empty_text=True)
        print(*map(for_terminal, table.notes), sep="\n", file=sys.stderr)
    elif arguments.format == "markdown":
        print(table.to_markdown())
    elif arguments.format == "latex":
        print(table.to_latex())
    else:
        print(repr(table))
