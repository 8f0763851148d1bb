"""Options that several commands share, and helpers to add a command to the parser."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from inspect import signature
from pathlib import Path
from typing import TypeAlias

from receval._checks import Options

TREC_FORMAT = "trec"  # the format of files, unlike the others
FORMATS = ("table", "markdown", "latex", "csv", "json")
DEFAULT_MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The commands of a parser; `add_command` adds a command to them."""


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str = "",
    example: str,
) -> argparse.ArgumentParser:
    """Add a command to the parser and return the parser of its arguments.

    ``run`` takes the parsed arguments and returns the exit status. The list of commands shows the
    summary; the help of the command shows the summary, the description and the example.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary}\n\n{description}".rstrip(),
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_files(parser: argparse.ArgumentParser) -> None:
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


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--measures``; it may be repeated, so its value is a list of strings."""
    parser.add_argument(
        "--measures",
        "-m",
        action="append",
        metavar="NAMES",
        help="names separated by commas, such as nDCG@10,MRR; may be repeated "
        f"(default: {DEFAULT_MEASURES})",
    )


def add_digits(parser: argparse.ArgumentParser, default: int = 4) -> None:
    """Add the option ``--digits``, the number of decimals."""
    parser.add_argument(
        "--digits",
        type=int,
        default=default,
        metavar="N",
        help="number of decimals; csv and json always have all digits (default: %(default)s)",
    )


class _FormatAction(argparse.Action):
    """Store a format of the printed table, or that files are TREC files."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        if values == TREC_FORMAT:
            namespace.reads_trec = True
        else:
            namespace.format = values


def add_format(parser: argparse.ArgumentParser, *, reads_files: bool = False) -> None:
    """Add the option ``--format``, the format of the printed table.

    If the command ``reads_files``, the format may also be that of the files.
    """
    formats: tuple[str, ...] = FORMATS
    help_text = (
        "format of the table; with csv and json, the notes below the table go to standard error "
        "(default: %(default)s)"
    )
    if reads_files:
        formats = (*FORMATS, TREC_FORMAT)
        help_text += (
            ". trec is a format of the files: it reads those as TREC files whose names don't end "
            "as CSV or Parquet files do. You can give both: --format trec --format csv"
        )
    parser.set_defaults(reads_trec=False)
    parser.add_argument(
        "--format", choices=formats, default="table", action=_FormatAction, help=help_text
    )


def add_evaluation_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `receval.evaluate` that a command line can state, as options."""
    _add_column_options(parser)
    _add_rule_options(parser)
    _add_table_options(parser)


def _add_column_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the names of columns."""
    columns = parser.add_argument_group("columns of the files")
    two_names = (
        "name of the {} column in all files except TREC files, whose columns have no names; "
        "if the truth uses another name, give both names, separated by a comma, with the "
        "recommendations' name first (default: %(default)s)"
    )
    columns.add_argument("--user", default="user", metavar="NAME", help=two_names.format("user"))
    columns.add_argument("--item", default="item", metavar="NAME", help=two_names.format("item"))
    columns.add_argument(
        "--score",
        default="score",
        metavar="NAME",
        help="name of the score column in all files except TREC files (default: %(default)s)",
    )
    columns.add_argument(
        "--rank",
        metavar="NAME",
        help="name of a column with ranks 1, 2, 3, …, which then replace the scores",
    )
    columns.add_argument(
        "--relevance-column",
        default="relevance",
        metavar="NAME",
        help="name of the column with grades in the truth; None if every row is simply relevant "
        "(default: %(default)s)",
    )
    columns.add_argument(
        "--system",
        default="system",
        metavar="NAME",
        help="name of the column that says which system made a recommendation, if a file holds "
        "several systems; in a TREC run it is the tag (default: %(default)s)",
    )


def _add_rule_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--convention``, and the options that replace single rules of the convention."""
    rules = parser.add_argument_group("rules of the evaluation")
    rules.add_argument(
        "--convention",
        "-c",
        default="receval",
        metavar="NAME",
        help="the tool whose choices to follow: receval, trec_eval, ranx, …; `receval "
        "conventions` lists them (default: %(default)s)",
    )
    rules.add_argument(
        "--ties",
        metavar="RULE",
        help="order of items with equal scores: item, item_descending, text, trec_eval, input, "
        "optimistic, pessimistic, or average over all orders (default: the convention's rule)",
    )
    rules.add_argument(
        "--users",
        default="judged",
        metavar="USERS",
        help="users over whom means are taken: judged, answered, both, or ids separated by commas "
        "(default: %(default)s)",
    )
    rules.add_argument(
        "--relevant-from",
        type=float,
        metavar="GRADE",
        help="lowest grade of a relevant item, for example 4 for ratings from 1 to 5. Measures "
        "that only ask whether an item is relevant (HR, MRR, MAP, precision, AUC, …) use it. "
        "Graded gains (nDCG, DCG, CG, ERR) and your own measures see all grades. It does not "
        "change which users are judged, whereas leaving out the lower grades would (default: the "
        "convention's grade; in most conventions, any grade above 0)",
    )
    rules.add_argument(
        "--duplicates",
        default="error",
        metavar="RULE",
        help="what to do if a list holds an item twice: error; or first, which keeps the first "
        "rank and counts the other rows as repeated (default: %(default)s)",
    )


def _add_table_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the files of the catalogue and of the history."""
    tables = parser.add_argument_group("further files")
    tables.add_argument(
        "--items",
        metavar="FILE",
        help="the whole catalogue with a row per item, for CC; LTP uses its column awards, nov_t "
        "its column novelty_date, and ILD all other columns as features",
    )
    tables.add_argument(
        "--history",
        metavar="FILE",
        help="users and the items that they have seen, for nov_u, MIUF and ARP",
    )
    tables.add_argument(
        "--seen",
        default="note",
        metavar="RULE",
        help="treatment of recommended items that are in the user's history: note adds a note "
        "below the table, drop leaves them out of the lists and counts them as seen, error "
        "refuses them (default: %(default)s)",
    )


def add_comparison_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for arguments of `Evaluation.compare`."""
    comparison = parser.add_argument_group("comparison")
    comparison.add_argument(
        "--baseline",
        action="append",
        metavar="SYSTEM",
        help="a system to compare all others with; may be repeated (default: compare all pairs)",
    )
    comparison.add_argument(
        "--test",
        default="t",
        help="paired test: t, wilcoxon, sign or permutation; see receval.significance. The t-test "
        "and the permutation test are about the mean difference, which is the number that is "
        "printed (default: %(default)s)",
    )
    comparison.add_argument(
        "--correction",
        default="holm",
        metavar="METHOD",
        help="correction of p-values for the number of comparisons: holm, bh "
        "(Benjamini–Hochberg) or none (default: %(default)s)",
    )
    comparison.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="P",
        help='largest corrected p-value for the verdict "better" or "worse" (default: %(default)s)',
    )
    comparison.add_argument(
        "--interval",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="show the interval of each difference",
    )


def changed_options(function: Callable[..., object], options: Options) -> Options:
    """Return the options that are keywords of a function and differ from its defaults.

    ``options`` has all options of a command line, including options that the function doesn't have.
    """
    changed: Options = {}
    for parameter in signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name in options:
            value = options[parameter.name]
            if value != parameter.default:
                changed[parameter.name] = value
    return changed


def split_passed_on(arguments: list[str], options: Collection[str]) -> tuple[list[str], list[str]]:
    """Split the words of a command line before the first option that is not in ``options``.

    The first list has the words before this option. The second list has this option and everything
    after it, to be passed on to another program.
    """
    for position, argument in enumerate(arguments):
        if argument.startswith("-") and argument not in options:
            return arguments[:position], arguments[position:]
    return arguments, []
