"""The command ``receval retrieve``: evaluate retrievers on files of cases and queries."""

from __future__ import annotations

import argparse
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from receval._checks import EvaluationWarning, InputError, check_unique, input_error
from receval._extras import import_extra
from receval._types import Options
from receval.cli.files import COMMA_BETWEEN_MEASURES, check_output_files
from receval.cli.options import Commands, add_command, add_digits, add_format
from receval.cli.tables import print_table
from receval.cli.user_code import load_function
from receval.retrieval import (
    AttributeSimilarity,
    RetrieverEvaluation,
    evaluate_macfac,
    evaluate_retrievers,
    ground_truth,
    linear_retriever,
)
from receval.retrieval.answers import Retriever
from receval.tables.columns import read_column
from receval.tables.reading import read_any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ATTRIBUTES = "attributes"
"""The word for the default similarity."""

SIMILARITY_IN_WORDS = (
    "FILE.py:FUNCTION, a function similarity(query, case) of two dicts that returns a number; or "
    "'attributes', the mean similarity of all attributes, or of some: attributes:price,year. A "
    "name may come first: fast=attributes:price"
)


def add_retrieve(commands: Commands) -> None:
    """Add the command ``receval retrieve``."""
    parser = add_command(
        commands,
        "retrieve",
        retrieve,
        summary="Evaluate the quality and speed of retrievers, including MAC/FAC retrieval.",
        description="""\
Compare the rankings of one or several similarities with a ground truth, query by query. Files of
cases and of queries have a column of ids, called case, and a column for each attribute. By
default a similarity is the mean over the attributes: numbers count by their distance, relative to
the range in the case base; other values count 1 if they are equal and 0 otherwise. The default
ground truth is this similarity over all attributes.""",
        example="receval retrieve cases.csv queries.csv --similarity mine.py:similarity"
        " --measures hits,mae --k 5",
    )
    parser.add_argument("cases", type=Path, help="the case base: a file of ids and attributes")
    parser.add_argument("queries", type=Path, help="the queries: a file with the same columns")
    parser.add_argument(
        "--id",
        default="case",
        metavar="NAME",
        help="name of the column of ids in both files (default: %(default)s)",
    )
    _add_similarity_options(parser)
    _add_truth_options(parser)
    parser.add_argument(
        "--measures",
        "-m",
        action="append",
        metavar="NAMES",
        help="names of retrieval measures separated by commas, such as hits,mae@10; may be "
        "repeated (default: all eleven)",
    )
    parser.add_argument(
        "--k",
        metavar="NUMBERS",
        help="cut-off of the measures (default: whole rankings); with --macfac, one number for all "
        "filter sizes, or one for each, separated by commas",
    )
    _add_output_options(parser)
    add_digits(parser)
    add_format(parser)


def _add_similarity_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for retrievers and MAC/FAC."""
    parser.add_argument(
        "--similarity",
        "-s",
        action="append",
        metavar="SIMILARITY",
        help=f"{SIMILARITY_IN_WORDS}. May be repeated: each is a retriever (default: attributes)",
    )
    parser.add_argument(
        "--macfac",
        metavar="SIZES",
        help="evaluate MAC/FAC with these filter sizes, separated by commas: the retriever --mac "
        "lets that many cases through, and --similarity ranks them. Without --truth, the ranking "
        "of the whole case base by --similarity is the ground truth. Needs --k and --mac",
    )
    parser.add_argument(
        "--mac",
        action="append",
        metavar="SIMILARITY",
        help="with --macfac, the similarity of the first phase, given as for --similarity; may be "
        "repeated",
    )


def _add_truth_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the ground truth."""
    parser.add_argument(
        "--truth",
        metavar="TRUTH",
        help="the ground truth: a CSV file with the columns query, case and similarity, or a "
        "similarity as for --similarity (default: attributes)",
    )
    parser.add_argument(
        "--save-truth",
        type=Path,
        metavar="FILE",
        help="write the computed ground truth to this CSV file, and evaluate against the file; "
        "next time, give the file as --truth",
    )


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for files to write."""
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="write the means and times to this CSV file"
    )
    parser.add_argument(
        "--per-query", type=Path, metavar="FILE", help="write the values of every query as CSV"
    )
    parser.add_argument(
        "--figure",
        type=Path,
        metavar="FILE",
        help="plot the first measure and the time, or the speed-up of MAC/FAC, in this file: "
        ".png, .svg or .pdf",
    )


def retrieve(arguments: argparse.Namespace) -> int:
    """Run ``receval retrieve`` and return its exit status."""
    _check_outputs(arguments)
    case_base = _read_cases(arguments.cases, arguments.id, "cases")
    queries = _read_cases(arguments.queries, arguments.id, "queries")
    missing = [label for label in case_base.columns if label not in queries]
    if missing:
        rule = f"have the column {missing[0]!r} of the cases"
        raise input_error(arguments.queries.name, rule, ", ".join(map(str, queries.columns)))

    measures = None
    if arguments.measures:
        measures = re.split(COMMA_BETWEEN_MEASURES, ",".join(arguments.measures))
    options: Options = {"measures": measures, "keep_rankings": False}
    # The notes below the printed table say the same as the warnings.
    with warnings.catch_warnings(action="ignore", category=EvaluationWarning):
        if arguments.macfac is None:
            result = _evaluate_similarities(arguments, queries, case_base, options)
        else:
            result = _evaluate_macfac(arguments, queries, case_base, options)
    _write_files(result, arguments)
    print_table(result.table(digits=arguments.digits), result.summary, arguments)
    return 0


def _evaluate_similarities(
    arguments: argparse.Namespace, queries: pd.DataFrame, case_base: pd.DataFrame, options: Options
) -> RetrieverEvaluation:
    """Evaluate every similarity of the command line against the ground truth."""
    if arguments.mac:
        raise input_error("--mac", "be used with --macfac", "only --mac")
    cutoffs = _parse_numbers(arguments.k, "--k")
    if len(cutoffs) > 1:
        raise input_error("--k", "be one number without --macfac", arguments.k)
    retrievers = _retrievers(arguments.similarity or [ATTRIBUTES], case_base, "--similarity")
    truth = _truth(arguments, queries, case_base)
    if truth is None:
        truth = _retriever(ATTRIBUTES, case_base)
    return evaluate_retrievers(
        retrievers, queries, case_base, truth=truth, k=cutoffs[0] if cutoffs else None, **options
    )


def _evaluate_macfac(
    arguments: argparse.Namespace, queries: pd.DataFrame, case_base: pd.DataFrame, options: Options
) -> RetrieverEvaluation:
    """Evaluate MAC/FAC retrieval with the filter sizes of the command line."""
    similarities = arguments.similarity or [ATTRIBUTES]
    if len(similarities) > 1:
        rule = "be one similarity with --macfac, that of the FAC phase"
        raise input_error("--similarity", rule, ", ".join(similarities))
    if not arguments.mac:
        raise input_error("--mac", "be the similarity of the MAC phase", "none")
    filter_sizes = _parse_numbers(arguments.macfac, "--macfac")
    cutoffs = _parse_numbers(arguments.k, "--k")
    if len(cutoffs) == 1:
        cutoffs *= len(filter_sizes)
    if len(cutoffs) != len(filter_sizes):
        rule = "be one number, or one for each filter size"
        raise input_error("--k", rule, arguments.k or "none")
    macs = _retrievers(arguments.mac, case_base, "--mac")
    (fac,) = _retrievers(similarities, case_base, "--similarity").values()
    truth = _truth(arguments, queries, case_base, default=fac)
    return evaluate_macfac(
        macs,
        fac,
        queries,
        case_base,
        filter_sizes=filter_sizes,
        ks=cutoffs,
        truth=truth,
        **options,
    )


def _truth(
    arguments: argparse.Namespace,
    queries: pd.DataFrame,
    case_base: pd.DataFrame,
    default: Retriever | None = None,
) -> Path | Retriever | None:
    """Return the ground truth of a command line: the path of a file, a retriever, or None.

    With ``--save-truth``, the function computes the truth, writes it to a file and returns the
    file's path. It computes the truth from ``--truth``, or otherwise with the retriever
    ``default``, or, if this is None, with the default similarity. Without both options, the
    function returns None.
    """
    text = arguments.truth
    if text is not None and _is_file_of_truth(text):
        if arguments.save_truth is not None:
            rule = "be left out if --truth is a file"
            raise input_error("--save-truth", rule, str(arguments.save_truth))
        return Path(text)
    retriever = None
    if text is not None:
        retriever = _retriever(text, case_base)
    if arguments.save_truth is None:
        return retriever
    if retriever is None:
        retriever = default or _retriever(ATTRIBUTES, case_base)
    path: Path = arguments.save_truth
    ground_truth(retriever, queries, case_base, path=path)
    return path


def _is_file_of_truth(text: str) -> bool:
    """Return whether the value of ``--truth`` is the name of a file, and not a similarity."""
    return text.lower().endswith((".csv", ".csv.gz"))


def _retrievers(texts: list[str], case_base: pd.DataFrame, option: str) -> dict[str, Retriever]:
    """Return a retriever for each similarity of an option, by name.

    The name is the part before "=", or the text itself.
    """
    names: list[str] = []
    retrievers: list[Retriever] = []
    for text in texts:
        name, separator, place = text.partition("=")
        if not separator:
            place = text
        if not name:
            raise input_error(option, "have a name before '='", repr(text))
        names.append(name)
        retrievers.append(_retriever(place, case_base))
    check_unique(names, option, "name")
    return dict(zip(names, retrievers, strict=True))


def _retriever(place: str, case_base: pd.DataFrame) -> Retriever:
    """Return the retriever of a similarity: "attributes", "attributes:a,b" or "FILE.py:NAME"."""
    word, separator, attributes = place.partition(":")
    if word != ATTRIBUTES:
        return linear_retriever(load_function(place))
    if separator:
        return AttributeSimilarity.from_cases(case_base, attributes.split(","))
    return AttributeSimilarity.from_cases(case_base)


def _read_cases(path: Path, id_column: str, name: str) -> pd.DataFrame:
    """Read a file of cases: a row per case, indexed by the column of ids."""
    table = read_any(path, ids=[id_column])
    ids = read_column(table, id_column, path.name)
    cases = table.drop(columns=id_column).set_index(ids.rename(None))
    if cases.columns.empty:
        raise input_error(name, "have a column for at least one attribute", path.name)
    return cases


def _parse_numbers(text: str | None, option: str) -> list[int]:
    """Return the whole numbers in a text, separated by commas; an empty list for None."""
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"\d+", part, re.ASCII) for part in parts):
        raise input_error(option, "be whole numbers separated by commas", repr(text))
    return [int(part) for part in parts]


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Raise `InputError` if an output file can't be written; commands call this before the work."""
    inputs: list[Path] = [arguments.cases, arguments.queries]
    if arguments.truth is not None and _is_file_of_truth(arguments.truth):
        inputs.append(Path(arguments.truth))
    outputs = {
        "--csv": arguments.csv,
        "--per-query": arguments.per_query,
        "--figure": arguments.figure,
        "--save-truth": arguments.save_truth,
    }
    check_output_files(outputs, inputs)
    if arguments.figure is not None:
        endings = (".png", ".svg", ".pdf")
        if arguments.figure.suffix.lower() not in endings:
            rule = f"end in one of {', '.join(endings)}"
            raise input_error("--figure", rule, str(arguments.figure))
        _check_matplotlib()


def _check_matplotlib() -> None:
    """Raise `InputError` if matplotlib, which draws figures, is not installed."""
    try:
        import_extra("matplotlib", "plots", "--figure")
    except ImportError as error:
        raise InputError(str(error)) from None


def _write_files(result: RetrieverEvaluation, arguments: argparse.Namespace) -> None:
    """Write the files that the options name: means, values of queries and a figure."""
    if arguments.csv is not None:
        result.to_csv(arguments.csv)
    if arguments.per_query is not None:
        result.to_csv(arguments.per_query, per_query=True)
    if arguments.figure is not None:
        first_measure = str(result.per_query.columns[0])
        drawn: Axes | list[Axes] = result.plot(first_measure)
        axes = drawn[0] if isinstance(drawn, list) else drawn
        figure = axes.get_figure(root=True)
        assert figure is not None  # the figure was drawn above
        figure.savefig(arguments.figure)
