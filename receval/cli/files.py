"""Files and options of the command line as `receval.evaluate` takes them."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from receval._checks import EvaluationWarning, InputError, input_error
from receval.cli.parsing import accepted_options
from receval.evaluation import Evaluation
from receval.evaluation import evaluate as evaluate_tables
from receval.tables.columns import column
from receval.tables.formats import TREC, read_any
from receval.tables.inputs import ALIKE, ColumnNames
from receval.tables.number_parsing import parse_numbers
from receval.tables.text import kind_of, without_compression_suffix

MEASURES = "nDCG@10,MAP@10,MRR@10,HR@10"
COMMA = r",(?![^()]*\))"  # between measures, not between the parameters of one


def evaluate_files(
    recommendations: list[Path], truth: Path, measures: list[str] | None, options: dict[str, Any]
) -> Evaluation:
    """What `receval.evaluate` answers to files, with its options as they stand on a line."""
    systems = {without_compression_suffix(path).stem: path for path in recommendations}
    if len(systems) < len(recommendations):
        raise InputError("recommendations must be files of different names, one per system")
    given = systems if len(systems) > 1 else recommendations[0]
    names = re.split(COMMA, ",".join(measures or [MEASURES]))
    # Warnings stand under the table.
    with warnings.catch_warnings(action="ignore", category=EvaluationWarning):
        return evaluate_tables(
            given, truth, names, **resolve_options(recommendations, truth, options)
        )


def resolve_options(
    files: list[Path], truth: Path | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Options of `receval.evaluate` as it takes them: those given, lists apart, files opened."""
    own = accepted_options(evaluate_tables, options)
    named = ColumnNames.from_arguments(options["names"], *(options[name] for name in ALIKE))
    _check_trec(files, [truth] if truth else [], options["history"], named, own)
    pairs = {name: tuple(own.get(name, "").split(",")) for name in ("user", "item")}
    own |= {name: pair for name, pair in pairs.items() if len(pair) > 1}
    if "," in own.get("users", ""):  # ids are numbers where a CSV file would have numbers
        ids = [one.strip() for one in own["users"].split(",")]
        own["users"] = parse_numbers(pa.array(ids, pa.large_string())).tolist()
    if own.get("relevance_column") in ("", "None"):
        own["relevance_column"] = None
    if "items" in own:
        own["items"] = _catalogue(own["items"], named.item.rpartition(",")[2])
    if "systems" in own:
        own["systems"] = (table := read_any(own["systems"])).set_index(table.columns[0])
        own["systems"] = own["systems"].rename(index=str)  # as files are named
    return own


def _check_trec(
    recommendations: list[Path],
    truth: list[Path],
    history: Any,
    named: ColumnNames,
    own: dict[str, Any],
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
            option = f"--{name.replace('_', '-')}"
            raise input_error(option, rule, f"{given!r} with {', '.join(trec)}", advice)
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
