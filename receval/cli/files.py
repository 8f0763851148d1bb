"""Turn the files and options of a command line into the arguments of `receval.evaluate`."""

from __future__ import annotations

import argparse
import re
import warnings
from pathlib import Path
from typing import TypeAlias

import pandas as pd
import pyarrow as pa

from receval._checks import EvaluationWarning, Id, InputError, Options
from receval._files import PARQUET
from receval.cli.options import DEFAULT_MEASURES, changed_options
from receval.evaluation import Evaluation
from receval.evaluation import evaluate as evaluate_tables
from receval.tables.columns import read_column
from receval.tables.reading import (
    SEPARATORS,
    TREC,
    as_integers,
    kind_of,
    read_qrels,
    read_run,
    read_table,
    without_compression_suffix,
)

Table: TypeAlias = Path | pd.DataFrame
"""A file that `receval.evaluate` reads, or the table in a file."""

# This matches a comma between two measures. It does not match a comma in parentheses, which
# separates the parameters of one measure.
COMMA_BETWEEN_MEASURES = r",(?![^()]*\))"


def evaluate_files(arguments: argparse.Namespace, measures: list[str] | None) -> Evaluation:
    """Evaluate the files of a command line and return the result of `receval.evaluate`.

    Each string in ``measures`` names one measure, or several separated by commas; None means the
    default measures. If there are several files, each is a system, and its name is the file's name.
    Raises `InputError` if two files have the same name, and in the cases that `receval.evaluate`
    lists.
    """
    paths: list[Path] = arguments.recommendations
    path_by_system = {without_compression_suffix(path).stem: path for path in paths}
    if len(path_by_system) < len(paths):
        raise InputError("recommendations must be files of different names, one per system")
    recommendations: Table | dict[str, Table]
    if len(paths) == 1:  # `evaluate` names it, or reads the names from a column
        recommendations = open_recommendations(paths[0], arguments)
    else:
        recommendations = {
            system: open_recommendations(path, arguments) for system, path in path_by_system.items()
        }
    # Join all names to one string and split it, because each -m may have several names.
    joined_names = ",".join(measures or [DEFAULT_MEASURES])
    names = re.split(COMMA_BETWEEN_MEASURES, joined_names)
    options = evaluation_options(arguments)
    # The notes below the printed table say the same as the warnings.
    with warnings.catch_warnings(action="ignore", category=EvaluationWarning):
        return evaluate_tables(recommendations, open_truth(arguments), names, **options)


def open_recommendations(path: Path, arguments: argparse.Namespace) -> Table:
    """Return a file of recommendations, or its table if it is a TREC file by ``--format`` alone."""
    return read_run(path) if _is_trec_by_format(path, arguments) else path


def open_truth(arguments: argparse.Namespace) -> Table:
    """Return the file of the truth, or its table if it is a TREC file by ``--format`` alone."""
    path: Path = arguments.truth
    if _is_trec_by_format(path, arguments):
        return read_qrels(path)
    return path


def _is_trec_by_format(path: Path, arguments: argparse.Namespace) -> bool:
    """Return whether ``--format trec`` says that a file is a TREC file, but its name doesn't."""
    return arguments.reads_trec and kind_of(path) not in (*TREC, *SEPARATORS, *PARQUET)


def _is_trec(path: Path, arguments: argparse.Namespace) -> bool:
    """Return whether a file is a TREC file, by its name or by ``--format trec``."""
    return kind_of(path) in TREC or _is_trec_by_format(path, arguments)


def evaluation_options(arguments: argparse.Namespace) -> Options:
    """Return the keyword arguments of `receval.evaluate` that a command line states.

    The function returns only options that differ from their defaults. It splits lists of names and
    ids at commas, and reads the table of items from its file.
    """
    options = changed_options(evaluate_tables, vars(arguments))
    for name in ("user", "item"):
        if "," in options.get(name, ""):
            options[name] = tuple(options[name].split(","))
    if "," in options.get("users", ""):
        has_text_ids = arguments.truth is not None and _is_trec(arguments.truth, arguments)
        options["users"] = _parse_ids(options["users"], has_text_ids=has_text_ids)
    if options.get("relevance_column") in ("", "None"):  # both stand for the argument None
        options["relevance_column"] = None
    if "items" in options:
        *_, item = arguments.item.split(",")  # the name in all tables but the recommendations
        options["items"] = _read_catalogue(options["items"], item)
    return options


def _parse_ids(text: str, *, has_text_ids: bool) -> list[Id]:
    """Return the ids that a text lists, separated by commas.

    If receval would read the ids as whole numbers from a CSV file, the function returns whole
    numbers, so that they equal the ids in the files. ``has_text_ids`` says that the files are TREC
    files, in which every id is text.
    """
    ids: list[Id] = [part.strip() for part in text.split(",")]
    integers = as_integers(pa.chunked_array([ids], pa.large_string()))
    if integers is not None and not has_text_ids:
        ids = integers.tolist()
    return ids


def _read_catalogue(path: str, item: str) -> pd.DataFrame:
    """Read the file of the catalogue: a row per item, indexed by the column that ``item`` names.

    If there is a column ``novelty_date``, the function converts it to dates.
    """
    table = read_table(path, ids=[item])
    file_name = Path(path).name
    item_ids = read_column(table, item, file_name).to_numpy()
    items: pd.DataFrame = table.set_index(item_ids).drop(columns=item)
    if "novelty_date" in items and not pd.api.types.is_datetime64_any_dtype(items["novelty_date"]):
        try:
            items["novelty_date"] = pd.to_datetime(items["novelty_date"], format="ISO8601")
        except (ValueError, TypeError) as error:
            rule = f"novelty_date of {file_name} must hold dates such as 2020-12-31"
            raise InputError(f"{rule}; {error}") from None
    return items
