"""Commands on tables in files: evaluate, compare, explain, which, conventions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import check_choice, input_error
from receval._escape import for_terminal
from receval._files import check_writable
from receval.cli.files import evaluate_files, resolve_options
from receval.cli.parsing import accepted_options
from receval.evaluation import which as choices_that_print
from receval.evaluation.report import ComparisonTable, check_digits
from receval.measure import conventions as all_conventions
from receval.tables.formats import write_as

DATA = ("csv", "json")
GRADES = r"\d+(\.\d+)?(, ?\d+(\.\d+)?)*"


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
        Name of the column of grades in the truth; None if every row is simply relevant.
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
    result = evaluate_files(recommendations, truth, measures, options)
    if per_user:
        result.save(per_user)
    _print(result.table(digits=digits), result.summary, format)
    if methods:
        aside = sys.stderr if format in DATA else sys.stdout
        print(f"\n{for_terminal(result.methods())}", file=aside)
    return 0


def compare(
    recommendations: list[Path],
    truth: Path,
    *,
    measures: list[str] | None = None,
    baseline: list[str] | None = None,
    interval: str = "0.95",
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
    interval : str
        level of the bootstrap interval of a difference; "simultaneous" for intervals that hold all
        differences at once; 0 for none, which is faster

    Examples
    --------
    receval compare mine.csv baseline.csv truth.csv -m nDCG@10 --baseline baseline --test sign
    """
    result = evaluate_files(recommendations, truth, measures, options)
    level = _level(interval)
    found = result.compare(baseline, interval=level, **accepted_options(result.compare, options))
    return _print(found.to_frame(digits), found.results, format, found.notes())


def _level(interval: str) -> float | str | bool:
    """The ``interval=`` that a word or number on the command line stands for."""
    if interval == "simultaneous":
        return interval
    try:
        return float(interval) or False
    except ValueError:
        rule = "be a number in (0, 1), 0 or 'simultaneous'"
        raise input_error("interval", rule, repr(interval)) from None


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
    result = evaluate_files(recommendations, truth, [measure], options)
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
    grades = truth is None and re.fullmatch(GRADES, recommendations)
    given: Any = list(map(float, recommendations.split(","))) if grades else recommendations
    how = resolve_options([] if grades else [Path(recommendations)], truth, options)
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
        shown = ComparisonTable(shown, check_digits(digits), bold=False, notes=tuple(notes))
    if how in DATA:
        write_as(values.reset_index(), f".{how}", sys.stdout, empty_text=True)
        print(*map(for_terminal, shown.notes), sep="\n", file=sys.stderr)
    else:
        print({"markdown": shown.to_markdown, "latex": shown.to_latex}.get(how, shown.__repr__)())
    return 0
