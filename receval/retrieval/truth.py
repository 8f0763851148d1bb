"""Ground truth of a retriever evaluation: computed once, saved, read back and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import (
    InputError,
    check_callable,
    check_that,
    check_unique,
    format_first,
    input_error,
)
from receval._files import check_writable, write_atomically
from receval._rounding import check_not_merged
from receval.metrics.retrieval import Ranking
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import (
    RetrievalTask,
    Retriever,
    RetrieverAnswer,
    Workers,
    checked,
    timed,
)
from receval.tables.columns import column, with_all_digits
from receval.tables.csv_text import write_csv
from receval.tables.fields import csv_columns

__all__ = ["ground_truth", "read_ground_truth"]

COLUMNS = ["query", "case", "similarity"]


def ground_truth(
    retriever: Retriever,
    queries: Any,
    case_base: Any,
    *,
    path: str | Path | None = None,
    workers: Workers = 1,
    progress: bool | None = None,
) -> pd.DataFrame:
    """The ground-truth ranking of every query, computed once and, on request, saved.

    Parameters
    ----------
    retriever : callable
        ``retriever(query, case_base)`` answers a ranking; usually the exact, slow one.
    queries, case_base : mapping, DataFrame, Series or sequence
        As in `evaluate_retrievers`.
    path : path, optional
        CSV file to write. It holds ids as text, similarities in full precision and, in the
        column ``case_base``, a fingerprint of the case base's ids, so that
        `read_ground_truth` can tell a file of another case base.
    workers, progress
        As in `evaluate_retrievers`.

    Returns
    -------
    DataFrame
        Columns ``query``, ``case`` and ``similarity``; each query's cases by falling similarity.

    Raises
    ------
    InputError
        If the retriever answers no proper ranking, or two ids are the same as text.

    Examples
    --------
    >>> sizes = {"a": 4, "b": 7}
    >>> def nearest(query, case_base):
    ...     return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}
    >>> ground_truth(nearest, {"q": 6}, sizes).round(2)
      query case  similarity
    0     q    b        0.50
    1     q    a        0.33
    """
    check_callable(retriever, "retriever", "retriever(query, case_base)")
    task = RetrievalTask(queries, case_base, workers=workers, progress=progress)
    if path is not None:
        check_writable(path, stream=True)  # before the work, not after it
    rankings = true_rankings(retriever, task)
    rows = [(query, *pair) for query, ranking in rankings.items() for pair in ranking.items()]
    table = pd.DataFrame(rows, columns=COLUMNS)
    if path is not None:
        _by_text(task.queries, "queries")
        _by_text(task.cases, "case_base")
        written = table.assign(case_base=fingerprint(task.cases))
        write_atomically(
            path,
            lambda file: write_csv(written, file, as_digits=repr, empty_text=True),
            stream=True,
        )
    return table


def read_ground_truth(path: str | Path, queries: Any, case_base: Any) -> pd.DataFrame:
    """Ground truth from a CSV file, with its ids as they are in ``queries`` and ``case_base``.

    Parameters
    ----------
    path : path
        A file with the columns ``query``, ``case`` and ``similarity``, such as `ground_truth`
        writes; each query's cases by falling similarity. Ids are compared as text, so
        ``"007"`` is not ``7``. It may hold further queries.
    queries, case_base : mapping, DataFrame, Series or sequence
        As in `evaluate_retrievers`.

    Returns
    -------
    DataFrame
        Columns ``query``, ``case`` and ``similarity``, for the ``queries`` only.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column, belongs to another case base, lacks a
        query, holds an unknown case, a case twice or a similarity that is not a number, or is
        not sorted.
    """
    task = RetrievalTask(queries, case_base)
    table = _read(path, task)
    true_rankings(table, task)
    return table


def _read(path: str | Path, task: RetrievalTask) -> pd.DataFrame:
    columns = csv_columns(path)
    text = pd.DataFrame({name: texts.fill_null("").to_pandas() for name, texts in columns.items()})
    for name in COLUMNS:
        column(text, name, "truth")
    if "case_base" in text and set(text["case_base"]) != {fingerprint(task.cases)}:
        got = f"{Path(path).name!r}, which was made for one with other case ids"
        raise input_error(
            "truth", "be of this case base", got, "Compute it again with ground_truth()"
        )
    ids = {"query": _by_text(task.queries, "queries"), "case": _by_text(task.cases, "case_base")}
    text = text.loc[text["query"].isin(ids["query"]), COLUMNS].reset_index(drop=True)
    numbers = [_as_float(*row) for row in text.itertuples(index=False)]
    # An unknown case keeps its text, and is refused by its name when the ranking is made.
    named = {one: text[one].map(lambda id, of=ids[one]: of.get(id, id)) for one in ids}
    _refuse_merged_similarities(named["query"], text["similarity"], numbers)
    return text.assign(**named, similarity=np.array(numbers, dtype=np.float64))


def true_rankings(truth: Any, task: RetrievalTask) -> dict[Case, Ranking]:
    """The checked ground truth of every query: of a retriever, a path, a table or a mapping."""
    if callable(truth):
        truth = by_query(replace(task, warm_up=0).answers({"truth": partial(timed, truth)}))
    elif isinstance(truth, (str, Path)):
        truth = _read(truth, task)
    table = isinstance(truth, pd.DataFrame)
    if table:
        truth = _rows_by_query(truth)
    else:
        rule = "be a retriever, its name, a table, a mapping of queries to rankings or a path"
        check_that(isinstance(truth, Mapping), "truth", rule, truth)
    if lacking := [repr(query) for query in task.queries if query not in truth]:
        raise input_error(
            "truth", "have a ranking for every query", f"none for {format_first(lacking)}"
        )
    found, whole = {}, task.complete != "none"
    for query in task.queries:
        what = f"truth for query {query!r}"
        found[query] = checked(truth[query], what, task.cases, complete=whole)
        if table:
            _check_sorted(truth[query], what)
    return found


def by_query(answers: Iterable[RetrieverAnswer]) -> dict[Case, Ranking]:
    """The ground truth that a retriever answers: without it nothing can be compared."""
    rankings = {}
    for answer in answers:
        if answer.failure is not None:
            rule = "truth must be available for every query; its retriever raised on"
            message = f"{rule} {answer.query!r}: {answer.failure.text}"
            raise InputError(message) from answer.failure.exception
        rankings[answer.query] = answer.ranking
    return rankings


def fingerprint(cases: Collection[Case]) -> str:
    """A short hash of the case ids, whatever their order."""
    text = "\n".join(sorted(map(str, cases)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rows_by_query(table: pd.DataFrame) -> dict[Case, list[Any]]:
    columns = {name: column(table, name, "truth") for name in COLUMNS}
    if missing := np.flatnonzero(columns["query"].isna()).tolist():
        raise input_error(
            "truth", "have a query in every row", f"none in row {format_first(missing)}"
        )
    given: dict[Case, list[Any]] = {}
    for query, *pair in zip(*(values.tolist() for values in columns.values()), strict=True):
        given.setdefault(query, []).append(pair)
    return given


def _check_sorted(rows: list[Any], what: str) -> None:
    """Refuse rows that a ranking would put into another order."""
    for (_, before), (case, similarity) in pairwise(rows):
        if similarity > before:
            got = f"{similarity} for case {case!r} after {before}"
            advice = "Sort it if that is all; a wrong column would look the same"
            raise input_error(what, "be sorted by falling similarity", got, advice)


def _by_text(ids: Collection[Case], name: str) -> dict[str, Case]:
    check_unique([str(id) for id in ids], name, "id as text")
    return {str(id): id for id in ids}


def _as_float(query: str, case: str, written: str) -> float:
    """The float64 that is nearest to a number, which pandas' own fast parser does not promise."""
    try:
        return float(written if "_" not in written else "not a number")
    except ValueError:
        rule = "have numbers with a decimal point as similarities"
        got = f"{written!r} for case {case!r} of query {query!r}"
        raise input_error("truth", rule, got) from None


def _refuse_merged_similarities(queries: pd.Series, texts: pd.Series, numbers: list[float]) -> None:
    """Refuse a file whose numbers differ within a query, and are equal as float64.

    Only what float64 makes equal is read again with all its digits.
    """
    read = pd.DataFrame({"query": queries, "text": texts, "number": numbers})
    equal = read[read.duplicated(["query", "number"], keep=False) | (read["number"] == 0)]
    for query, rows in equal[np.isfinite(equal["number"])].groupby(
        "query", sort=False, dropna=False
    ):
        check_not_merged(
            f"the similarities of truth for query {query!r}", with_all_digits(rows["text"])
        )
