"""The command line: ``receval evaluate | compare | explain | which | conventions | …``.

`build_parser` adds the arguments of each command, and a function with the name of the command runs
it.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pandas as pd

import receval.evaluation
from receval import datasets as shipped_data
from receval import ledger as published
from receval._checks import (
    EvaluationWarning,
    InputError,
    Options,
    check_choice,
    check_that,
    format_first,
    import_extra,
    input_error,
)
from receval._escape import for_terminal, lines_for_terminal
from receval._files import PARQUET, notebooks_folder, read_toml
from receval._version import __version__
from receval.definitions import conventions as all_conventions
from receval.evaluation import Evaluation
from receval.evaluation.report import ComparisonTable
from receval.learn import copies
from receval.ledger import Ledger, running
from receval.tables.reading import (
    READ_IN_WORDS,
    SEPARATORS,
    TREC,
    kind_of,
    read_qrels,
    read_run,
    without_compression_suffix,
)
from receval.tables.writing import write_as

EXIT_BAD_INPUT = 2
EXIT_NO_FILE = 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report Ctrl-C
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE, as shells report it if a reader such as ``head`` ends

FORMATS = ("table", "markdown", "latex", "csv", "json")
FORMATS_FOR_PROGRAMS = ("csv", "json")
DIGITS = 4  # decimals of means in tables for people
DEFAULT_MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"
LAB_OPTIONS = {"-h", "--help", "--copy-only", "--solved"}
"""The options of ``receval lab``; the command passes all other options on to JupyterLab."""

EVALUATE_OPTIONS = {
    "user": "name of the user column in all files except TREC files, whose columns have no names; "
    "if the truth uses another name, give both names, separated by a comma, with the "
    "recommendations' name first (default: user)",
    "item": "name of the item column, or both names, as for --user (default: item)",
    "score": "name of the score column in all files except TREC files (default: score)",
    "rank": "name of a column with ranks 1, 2, 3, …, which then replace the scores",
    "relevance_column": "name of the column with grades in the truth; None if every row is simply "
    "relevant (default: relevance)",
    "system": "name of the column that says which system made a recommendation, if a file holds "
    "several systems; in a TREC run it is the tag (default: system)",
    "convention": "the tool whose choices to follow: receval, trec_eval, ranx, …; `receval "
    "conventions` lists them (default: receval)",
    "ties": "order of items with equal scores: item, item_descending, text, trec_eval, input, "
    "optimistic, pessimistic, or average over all orders (default: the convention's rule)",
    "users": "users over whom means are taken: judged, answered or both (default: judged)",
    "duplicates": "what to do if a list holds an item twice: error; or first, which keeps the "
    "first rank and counts the other rows as repeated (default: error)",
    "history": "file of users and the items that they have seen, for nov_u, MIUF and ARP",
    "seen": "treatment of recommended items that are in the user's history: note adds a note "
    "below the table, drop leaves them out of the lists and counts them as seen, error "
    "refuses them (default: note)",
}
"""The arguments of `receval.evaluate` that a command line can state as text, and their help."""

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The commands of a parser; `_add_command` adds a command to them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``receval``. Default: the arguments of this process.

    Returns
    -------
    int
        The exit status: 0 for success, 1 if a verdict differs from the recorded verdict, 2 for a
        wrong table or option, 3 if a file cannot be read or written, 130 after Ctrl-C, and 141 if
        the program that reads the output through a pipe has ended.

    Examples
    --------
    >>> main(["which", "1", "1,0", "--measure", "HR@1", "--format", "csv"])  # doctest: +ELLIPSIS
    convention,changes,value,distance
    receval,,1.0,0.0
    ...
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a notebook has other streams
            stream.reconfigure(errors="backslashreplace")  # if an encoding lacks a letter
    words, for_jupyterlab = _split_for_lab(words)
    parsed = build_parser().parse_args(words)
    parsed.for_jupyterlab = for_jupyterlab
    try:
        status = int(parsed.run(parsed) or 0)
        # Flush stdout here, so that a closed pipe raises its error here. If there is no stdout,
        # sys.stdout is None, which print() accepts, but which has no flush().
        print(end="", flush=True)
        return status
    except BrokenPipeError:
        # Python flushes stdout again when it exits. Without a reader, this would be an error, so
        # send further output to the null device.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_CLOSED_PIPE
    except (InputError, OSError, ImportError) as error:
        message = in_shell_words(error, parsed)
        print(f"receval: {lines_for_terminal(message)}", file=sys.stderr)
        if isinstance(error, OSError):  # an InputError about a missing file is an OSError, too
            return EXIT_NO_FILE
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _split_for_lab(words: list[str]) -> tuple[list[str], list[str]]:
    """Split the words of ``receval lab`` before the first option that isn't one of its own.

    Only this command passes words on to another program. A value that follows the option must not
    become the folder, so everything after it is passed on, too.
    """
    if words[:1] == ["lab"]:
        for position, word in enumerate(words):
            if word.startswith("-") and word not in LAB_OPTIONS:
                return words[:position], words[position:]
    return words, []


# The parser ---------------------------------------------------------------------------------------


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands.

    The parsed arguments have an attribute ``run``, the function that runs the chosen command.
    """
    parser = argparse.ArgumentParser(
        prog="receval",
        description="Evaluation in which each number shows its definition, working and source.",
        epilog="receval COMMAND --help describes the arguments of a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"receval {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    for add in (
        _add_evaluate,
        _add_explain,
        _add_which,
        _add_compare,
        _add_conventions,
        _add_reproduce,
        _add_lab,
        _add_datasets,
    ):
        add(commands)
    return parser


def _add_command(
    commands: Commands,
    run: Callable[[argparse.Namespace], int | None],
    *,
    summary: str,
    description: str = "",
    example: str,
) -> argparse.ArgumentParser:
    """Add a command to the parser and return the parser of its arguments.

    ``run`` has the name of the command, takes the parsed arguments and returns the exit status, if
    it may differ from 0. The list of commands shows the summary; the help of the command shows the
    summary, the description and the example.
    """
    parser = commands.add_parser(
        run.__name__,
        help=summary,
        description=f"{summary}\n\n{description}".rstrip(),
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def _add_evaluate(commands: Commands) -> None:
    """Add the command ``receval evaluate``."""
    parser = _add_command(
        commands,
        evaluate,
        summary="Evaluate recommendations against relevance grades, both read from files.",
        description=f"""\
Compare what was recommended with what is relevant, and print a table of means.
Files may be CSV, Parquet or TREC ({READ_IN_WORDS}; .run and .qrels). If you give
several files of recommendations, each is a system with the name of its file.""",
        example="receval evaluate mine.csv baseline.csv truth.csv -m nDCG@10,MRR --user customer",
    )
    _add_evaluation(parser)
    parser.add_argument(
        "--methods",
        action="store_true",
        help="also print a paragraph for the methods section of a paper",
    )


def _add_explain(commands: Commands) -> None:
    """Add the command ``receval explain``."""
    parser = _add_command(
        commands,
        explain,
        summary="Explain one user's number: the list, the terms, and the choices in words.",
        description="""\
Evaluate files as `receval evaluate` does, and print how one user's number is computed.""",
        example="receval explain ann nDCG@10 mine.csv truth.csv --convention trec_eval",
    )
    parser.add_argument("who", help="the id of a judged user")
    parser.add_argument("measure", help="the name of a measure that has a value for each user")
    _add_files(parser)


def _add_which(commands: Commands) -> None:
    """Add the command ``receval which``."""
    parser = _add_command(
        commands,
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
    _add_format(parser)
    _add_evaluation_options(parser, left_out=["convention", "ties"])  # the search tries them all


def _add_compare(commands: Commands) -> None:
    """Add the command ``receval compare``."""
    parser = _add_command(
        commands,
        compare,
        summary="Compare systems user by user: difference, interval, test, effect size.",
        description="""\
Evaluate files of recommendations as `receval evaluate` does, and test which systems differ.""",
        example="receval compare mine.csv baseline.csv truth.csv -m nDCG@10 --baseline baseline"
        " --test sign",
    )
    _add_evaluation(parser)
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        action="append",
        help="the system to compare all others with (default: compare all pairs)",
    )
    parser.add_argument(
        "--test",
        default="t",
        help="paired test: t, wilcoxon, sign or permutation; see receval.significance. The t-test "
        "and the permutation test are about the mean difference, which is the number that is "
        "printed (default: %(default)s)",
    )
    parser.add_argument(
        "--correction",
        default="holm",
        metavar="METHOD",
        help="correction of p-values for the number of comparisons: holm, bh "
        "(Benjamini–Hochberg) or none (default: %(default)s)",
    )
    parser.add_argument(
        "--means",
        action="store_true",
        help="print the means, in which marks show what differs from the --baseline",
    )


def _add_conventions(commands: Commands) -> None:
    """Add the command ``receval conventions``."""
    parser = _add_command(
        commands,
        conventions,
        summary="List the conventions: their choices and sources, and how each was verified.",
        example="receval conventions trec_eval ranx",
    )
    parser.add_argument("names", nargs="*", help="names of conventions (default: all)")


def _add_reproduce(commands: Commands) -> None:
    """Add the command ``receval reproduce``."""
    parser = _add_command(
        commands,
        reproduce,
        summary="Run notebooks and compare published with computed figures.",
        description="""\
Run every notebook from the top and print the ledger: each published figure, the value that
was computed for it, and the verdict. Without FOLDER, these are the notebooks and figures that
come with receval. If the output folder holds a notebook whose cells you have changed, the
command stops before it runs any notebook, so that nothing of yours is overwritten. With
FOLDER, these are the notebooks and TOML files directly in your folder, and the notebooks run
in place. The exit status is 0 if all is as recorded, 1 if a cell fails or a verdict is not the
one on record, and 2 if a file is wrong.""",
        example="receval reproduce my-paper",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="FOLDER",
        help="the folder of a ledger (default: the figures that come with receval)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="folder for the executed notebooks of receval (default: build/notebooks)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=2,
        metavar="N",
        help="number of notebooks to run at a time; the last one runs after the others "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--timeout",
        type=int,
        metavar="SECONDS",
        help="time limit for a cell; one that takes longer counts as failed (default: no limit)",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def _add_lab(commands: Commands) -> None:
    """Add the command ``receval lab``."""
    parser = _add_command(
        commands,
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
        help="folder to copy the notebooks to (default: my-notebooks, or solved-notebooks if "
        "--solved)",
    )
    parser.add_argument(
        "--copy-only", action="store_true", help="copy the notebooks, but do not start JupyterLab"
    )
    parser.add_argument(
        "--solved", action="store_true", help="copy the notebooks with outputs and solutions"
    )


def _add_datasets(commands: Commands) -> None:
    """Add the command ``receval datasets``."""
    parser = _add_command(
        commands,
        datasets,
        summary="List or fetch the real data that studies use.",
        description="""\
Without names, list other authors' files that the studies use. With names, fetch these
files, check them, and print their paths.""",
        example="receval datasets cars/cars-1k.csv",
    )
    parser.add_argument("names", nargs="*", help="names from the list")


# Options of several commands ----------------------------------------------------------------------


def _add_files(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the files of recommendations and the file of relevant items."""
    parser.add_argument(
        "recommendations",
        nargs="+",
        type=Path,
        help="a file per system with its recommendations: user, item, score",
    )
    parser.add_argument(
        "truth", type=Path, help="a file with the relevant items: user, item, relevance"
    )
    _add_evaluation_options(parser)


def _add_evaluation(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of an evaluation with several measures, and of the table that it prints.

    The option ``--measures`` may be repeated, so its value is a list of strings.
    """
    _add_files(parser)
    parser.add_argument(
        "--measures",
        "-m",
        action="append",
        metavar="NAMES",
        help="names separated by commas, such as nDCG@10,MRR; may be repeated "
        f"(default: {DEFAULT_MEASURES})",
    )
    _add_format(parser)


def _add_format(parser: argparse.ArgumentParser) -> None:
    """Add the option for the format of the printed table."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="table",
        help="format of the table; with csv and json, the notes below the table go to standard "
        "error (default: table)",
    )


def _add_evaluation_options(parser: argparse.ArgumentParser, left_out: Sequence[str] = ()) -> None:
    """Add options about the evaluation; those that aren't given have no attribute.

    ``left_out`` has the arguments of `receval.evaluate` that a command does not take.
    """
    options = parser.add_argument_group("options of the evaluation")
    for name, text in EVALUATE_OPTIONS.items():
        if name not in left_out:
            options.add_argument(
                f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, help=text
            )
    options.add_argument(
        "--relevant-from",
        type=float,
        default=argparse.SUPPRESS,
        metavar="GRADE",
        help="lowest grade of a relevant item, for example 4 for ratings from 1 to 5. Measures "
        "that only ask whether an item is relevant (HR, MRR, MAP, precision, AUC, …) use it. "
        "Graded gains (nDCG, DCG, CG, ERR) and your own measures see all grades. It does not "
        "change which users are judged, whereas leaving out the lower grades would (default: the "
        "convention's grade; in most conventions, any grade above 0)",
    )
    options.add_argument(
        "--trec",
        action="store_true",
        help="read files as TREC files if their names don't end as those of CSV or Parquet files",
    )


# Commands on tables -------------------------------------------------------------------------------


def evaluate(arguments: argparse.Namespace) -> None:
    """Run ``receval evaluate``."""
    result = _evaluate_files(arguments, arguments.measures)
    _print_table(result.table(digits=DIGITS), result.summary, arguments)
    if arguments.methods:
        # Programs read stdout, and expect only the table there.
        stream = sys.stderr if arguments.format in FORMATS_FOR_PROGRAMS else sys.stdout
        for paragraph in result.methods(latex=arguments.format == "latex").split("\n"):
            print(f"\n{for_terminal(paragraph)}", file=stream)


def compare(arguments: argparse.Namespace) -> None:
    """Run ``receval compare``."""
    baselines = arguments.baseline or [None]
    check_that(len(baselines) == 1, "--baseline", "name one system", baselines)
    comparison = _evaluate_files(arguments, arguments.measures).compare(
        baselines[0], test=arguments.test, correction=arguments.correction
    )
    if arguments.means:
        _print_table(comparison.table(), comparison.evaluation.summary, arguments)
    else:
        table = ComparisonTable(comparison.to_frame(), {}, 0, tuple(comparison.notes()))
        _print_table(table, comparison.results, arguments)


def explain(arguments: argparse.Namespace) -> None:
    """Run ``receval explain``."""
    result = _evaluate_files(arguments, [arguments.measure])
    # The command line has text, but ids may be numbers.
    users = result.per_user.index.get_level_values("user")
    user_by_text = {str(user): user for user in users}
    if arguments.who not in user_by_text:
        rule = f"be a judged user, such as {format_first(user_by_text)}"
        raise input_error("who", rule, repr(arguments.who))
    user = user_by_text[arguments.who]
    print(
        *(result.explain(user, arguments.measure, system=system) for system in result.systems),
        sep="\n\n",
    )


def which(arguments: argparse.Namespace) -> None:
    """Run ``receval which``."""
    text: str = arguments.recommendations  # the name of a file, or grades
    recommendations: Path | pd.DataFrame | list[float]
    # Grades are numbers with commas between them: 3,2,0,1.
    if arguments.truth is None and re.fullmatch(r"\d+(\.\d+)?(, ?\d+(\.\d+)?)*", text):
        recommendations = [float(grade) for grade in text.split(",")]
    else:
        recommendations = _open_file(Path(text), read_run, arguments)
    truth = None
    if arguments.truth is not None:
        truth = _open_file(arguments.truth, read_qrels, arguments)
    with warnings.catch_warnings(record=True, category=EvaluationWarning) as caught:
        choices = receval.evaluation.which(
            arguments.value,
            recommendations,
            truth,
            arguments.measure,
            **_evaluation_options(arguments),
        )
    notes = tuple(str(warning.message) for warning in caught)
    table = choices.set_index("convention")
    _print_table(
        ComparisonTable(table, dict.fromkeys(map(str, table), DIGITS), marked=0, notes=notes),
        table,
        arguments,
    )


def conventions(arguments: argparse.Namespace) -> None:
    """Run ``receval conventions``."""
    table = all_conventions()
    names = [check_choice(name, "names", table.index) for name in arguments.names]
    for name in names or table.index:
        print(name)
        for choice, text in table.loc[name].items():
            if text:
                print(f"  {choice}: {text}")


def _evaluate_files(arguments: argparse.Namespace, measures: list[str] | None) -> Evaluation:
    """Evaluate the files of a command line and return the result of `receval.evaluate`.

    Each string in ``measures`` names one measure, or several separated by commas; None means the
    default measures. If there are several files, each is a system, and its name is the file's name.
    Raises `InputError` if two files have the same name, and in the cases that `receval.evaluate`
    lists.
    """
    paths: list[Path] = arguments.recommendations
    table_by_system = {
        without_compression_suffix(path).stem: _open_file(path, read_run, arguments)
        for path in paths
    }
    if len(table_by_system) < len(paths):
        raise InputError("recommendations must be files of different names, one per system")
    recommendations: Path | pd.DataFrame | dict[str, Path | pd.DataFrame] = table_by_system
    if len(paths) == 1:  # `evaluate` names it, or reads the names from a column
        [recommendations] = table_by_system.values()
    truth = _open_file(arguments.truth, read_qrels, arguments)
    # Join all names to one string, because each -m may have several, and split it at the commas
    # that aren't in parentheses, between the parameters of a measure.
    names = re.split(r",(?![^()]*\))", ",".join(measures or [DEFAULT_MEASURES]))
    # The notes below the printed table say the same as the warnings.
    with warnings.catch_warnings(action="ignore", category=EvaluationWarning):
        return receval.evaluation.evaluate(
            recommendations, truth, names, **_evaluation_options(arguments)
        )


def _open_file(
    path: Path, read: Callable[[Path], pd.DataFrame], arguments: argparse.Namespace
) -> Path | pd.DataFrame:
    """Return the path of a file, or the table that ``read`` reads from it.

    `receval.evaluate` opens files itself, unless a file is a TREC file by ``--trec`` alone.
    """
    if arguments.trec and kind_of(path) not in (*TREC, *SEPARATORS, *PARQUET):
        return read(path)
    return path


def _evaluation_options(arguments: argparse.Namespace) -> Options:
    """Return the keyword arguments of `receval.evaluate` that a command line states.

    The function splits pairs of names at the comma.
    """
    names = (*EVALUATE_OPTIONS, "relevant_from")
    options = {name: value for name, value in vars(arguments).items() if name in names}
    for name in ("user", "item"):
        if "," in options.get(name, ""):
            options[name] = tuple(options[name].split(","))
    if options.get("relevance_column") == "None":
        options["relevance_column"] = None
    return options


# Printed tables -----------------------------------------------------------------------------------


def _print_table(
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
    else:
        forms = {"table": table.__repr__, "markdown": table.to_markdown, "latex": table.to_latex}
        print(forms[arguments.format]())


# Messages -----------------------------------------------------------------------------------------

ARGUMENT = re.compile(r"^\w+(?= must )|(?<=eave out )\w+")
"""An argument in the words of a message: "ties must be one of …", "Leave out user"."""

KEYWORD = re.compile(
    r"""(?:(?<![-\w.(])|(?<=\s\())  # not in a call such as set_index(names='user')
    (\w+)=
    (None | True | False | [\d.]+ | '[^']*' | "[^"]*" | \((?:'[^']*'(?:,\s)?)+\))?""",
    re.VERBOSE,
)
"""An argument with its value, as in "Pass user=('uid', 'user')"."""

PHRASES = {
    ", or lists of items, best first: {user: [item, …]}": "",
    "evaluate({'A': first, 'B': second}, truth, …)": "give several files of recommendations",
    "a frame of the whole catalogue, indexed by item id": "a catalogue, which only Python takes",
    "read_run and read_qrels read them by any name": "--trec reads them by any name",
}
"""Advice that is about Python alone, and what the shell says instead."""


def in_shell_words(message: object, arguments: argparse.Namespace) -> str:
    """Return a message in which the options of a command replace the arguments of Python.

    ``arguments`` are the parsed arguments of the command line, which have its ``parser``.
    """
    text = str(message)
    for phrase, shell_phrase in PHRASES.items():
        text = text.replace(phrase, shell_phrase)
    options = set(re.findall(r"--[a-z][a-z-]*", arguments.parser.format_usage()))

    def name_option(argument: str) -> str:
        """Return the option of an argument, or the argument itself if there is none."""
        option = f"--{argument.replace('_', '-')}"
        return option if option in options else argument

    def write_keyword(match: re.Match[str]) -> str:
        """Return an option and its value, or the matched text if there is no such option."""
        option = name_option(match[1])
        if option == match[1]:
            return match[0]
        if match[2] is None:
            return option
        value = ast.literal_eval(match[2])  # written in Python
        if isinstance(value, tuple):
            value = ",".join(map(str, value))
        return f"{option} {shlex.quote(str(value))}"

    return KEYWORD.sub(write_keyword, ARGUMENT.sub(lambda match: name_option(match[0]), text))


# Ledger, notebooks and data -----------------------------------------------------------------------

ADVICE = read_toml("ledger/verdicts.toml")["advice"]  # by verdict


def reproduce(arguments: argparse.Namespace) -> int:
    """Run ``receval reproduce`` and return its exit status."""
    for module in ("nbclient", "ipykernel"):
        import_extra(module, "notebooks", "receval reproduce")
    options = {name: getattr(arguments, name) for name in ("jobs", "timeout", "quiet")}
    if arguments.folder is None:
        table, failures = running.reproduce(
            notebooks_folder(), arguments.output or Path("build/notebooks"), **options
        )
    elif arguments.output is not None:
        raise InputError("output must be left out with a folder, whose notebooks run in place")
    else:
        ledger = Ledger(arguments.folder)
        paths = ledger.notebooks()
        failures = running.run(paths, paths, **options)
        table = ledger.table()
    return _print_reproduction(table, failures)


def _print_reproduction(table: pd.DataFrame, failures: list[list[str]]) -> int:
    """Print the ledger and unexpected results, and return the exit status.

    ``failures`` has texts about the failed cells of each notebook. The function prints the first
    text of each. The last line counts notebooks, failed cells and figures.
    """
    print(table, published.summary(table).to_string(), sep="\n\n", end="\n\n")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {for_terminal(figure)}: {row['verdict']}, on record {row['expected']}")
    for verdict in unexpected["verdict"].unique():
        print(f"{verdict}: {ADVICE.get(verdict, ADVICE['other'])}")
    for texts in filter(None, failures):
        # The later ones mostly need names that the first failed cell did not define.
        print(f"FAILED {texts[0]}")
    print(
        f"\n{len(failures)} notebooks run, {sum(map(len, failures))} cells failed; "
        f"{len(table)} figures, {len(unexpected)} not as recorded, "
        f"{(table['verdict'] == 'data not here').sum()} without data"
    )
    return int(any(failures) or len(unexpected) > 0)


def lab(arguments: argparse.Namespace) -> None:
    """Run ``receval lab``."""
    import_extra("jupyterlab", "notebooks", "receval lab")
    # Each edition has a folder of its own, because no copy overwrites a file of another.
    folder: Path | None = arguments.folder
    if folder is None:
        folder = Path("solved-notebooks" if arguments.solved else "my-notebooks")
    kept_notebooks = copies.copy(notebooks_folder(), folder, solved=arguments.solved)
    print(f"The notebooks are in {folder}")
    for name in kept_notebooks:
        print(f"  {name} differs from the one shipped, and stays as it is")
    if not arguments.copy_only:
        copies.serve(folder, arguments.for_jupyterlab)


def datasets(arguments: argparse.Namespace) -> None:
    """Run ``receval datasets``."""
    for name in arguments.names:
        print(shipped_data.fetch(name))
    if not arguments.names:
        for name, source in shipped_data.sources().items():
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
