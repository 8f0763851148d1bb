"""Ground truth of a retriever evaluation: compute it once, save it, read and check it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO, TypeAlias, Union

import numpy as np
import pandas as pd

from receval._checks import (
    InputError,
    check_callable,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._files import check_writable, write_atomically
from receval.metrics.retrieval import Ranking, RankingLike
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import (
    RetrievalTask,
    Retriever,
    RetrieverAnswer,
    run_timed,
    validate_ranking,
)
from receval.retrieval.cases import CaseCollection
from receval.tables.columns import read_column
from receval.tables.reading import read_csv_columns
from receval.tables.writing import write_as

__all__ = ["ground_truth", "read_ground_truth"]

COLUMNS = ["query", "case", "similarity"]

TruthLike: TypeAlias = Union[str, Path, Retriever, "pd.DataFrame", Mapping[Any, Any]]
"""Ground truth as users pass it."""

Row: TypeAlias = tuple[Case, Any]
"""A case and its similarity, as read from a table."""


def ground_truth(
    retriever: Retriever,
    queries: CaseCollection,
    case_base: CaseCollection,
    *,
    path: str | Path | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Compute the ground-truth ranking of every query and, on request, save it.

    Parameters
    ----------
    retriever : callable
        ``retriever(query, case_base)`` returns a ranking; usually the exact, slow one.
    queries, case_base : mapping, DataFrame, Series or sequence
        As in `evaluate_retrievers`.
    path : path, optional
        CSV file to write, with ids as text and similarities in full precision. If you change the
        case base, compute the ground truth again.
    progress
        As in `evaluate_retrievers`.

    Returns
    -------
    DataFrame
        Columns ``query``, ``case`` and ``similarity``; the cases of each query are sorted by
        descending similarity.

    Raises
    ------
    InputError
        If the retriever returns no proper ranking, or two ids are the same as text.

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
    task = RetrievalTask(queries, case_base, progress=progress)
    if path is not None:
        check_writable(path)  # before the work begins
    rankings = true_rankings(retriever, task)  # runs the retriever
    rows = [
        (query, case, similarity)
        for query, ranking in rankings.items()
        for case, similarity in ranking.items()
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    if path is not None:
        # A file holds ids as text, so these calls raise if two ids are the same as text.
        _id_by_text(task.query_by_id, "queries")
        _id_by_text(task.cases, "case_base")

        def write(file: TextIO) -> None:
            write_as(table, ".csv", file, empty_text=True)

        write_atomically(path, write)
    return table


def read_ground_truth(
    path: str | Path, queries: CaseCollection, case_base: CaseCollection
) -> pd.DataFrame:
    """Read ground truth from a CSV file; convert its ids to those of ``queries`` and ``case_base``.

    Parameters
    ----------
    path : path
        A file with the columns ``query``, ``case`` and ``similarity``, such as `ground_truth`
        writes; the cases of each query are sorted by descending similarity. Ids are compared as
        text, so ``"007"`` is not ``7``. The file may hold other queries too.
    queries, case_base : mapping, DataFrame, Series or sequence
        As in `evaluate_retrievers`.

    Returns
    -------
    DataFrame
        Columns ``query``, ``case`` and ``similarity``, for the ``queries`` only.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column or a query, holds an unknown case, a case twice
        or a similarity that is not a number, or is not sorted.
    """
    task = RetrievalTask(queries, case_base)
    table = _read(path, task)
    true_rankings(table, task)  # raises if a query has no proper ranking
    return table


def _read(path: str | Path, task: RetrievalTask) -> pd.DataFrame:
    """Read the ground truth of the task's queries from a CSV file, with the task's ids.

    Raises an `InputError` if the file cannot be read or holds a similarity that is not a number.
    Cases and order are not checked yet.
    """
    columns = read_csv_columns(path)  # texts, in which empty fields are missing
    table = pd.DataFrame({name: texts.fill_null("").to_pandas() for name, texts in columns.items()})
    for name in COLUMNS:
        read_column(table, name, "truth")  # raises if the table lacks the column
    # The file has ids as text. Leave out other queries, and replace each text by the task's id.
    query_by_text = _id_by_text(task.query_by_id, "queries")
    case_by_text = _id_by_text(task.cases, "case_base")
    is_query_of_task = table["query"].isin(query_by_text)
    table = table.loc[is_query_of_task, COLUMNS].reset_index(drop=True)
    similarities = [_as_float(*row) for row in table.itertuples(index=False)]
    queries = table["query"].map(query_by_text.__getitem__)
    # An unknown case keeps its text. `true_rankings` refuses it later and shows this text.
    cases = table["case"].map(lambda text: case_by_text.get(text, text))
    return table.assign(
        query=queries, case=cases, similarity=np.array(similarities, dtype=np.float64)
    )


def true_rankings(truth: TruthLike | None, task: RetrievalTask) -> dict[Case, Ranking]:
    """Return the checked ground truth of every query.

    ``truth`` is a retriever, which is run on all queries, the path of a CSV file, a table or a
    mapping of queries to rankings. Raises an `InputError` if it isn't one of them, if a query has
    no ranking, or if a ranking is not a proper one. The rows of a table or a file must be sorted.
    """
    if isinstance(truth, (str, Path)):
        truth = _read(truth, task)
    rows_by_query: dict[Case, list[Row]] | None = None
    ranking_by_query: Mapping[Any, RankingLike]
    if isinstance(truth, pd.DataFrame):
        rows_by_query = _rows_by_query(truth)
        ranking_by_query = rows_by_query
    elif callable(truth):
        # The task needs a retriever that also returns its times. They aren't used here.
        answers = task.answers({"truth": partial(run_timed, truth)})
        ranking_by_query = rankings_by_query(answers)
    elif isinstance(truth, Mapping):
        ranking_by_query = truth
    else:
        rule = "be a retriever, its name, a table, a mapping of queries to rankings or a path"
        raise input_error("truth", rule, shorten(truth))
    missing = [repr(query) for query in task.query_by_id if query not in ranking_by_query]
    if missing:
        got = f"none for {format_first(missing)}"
        raise input_error("truth", "have a ranking for every query", got)

    rankings = {}
    for query in task.query_by_id:
        truth_name = f"truth for query {query!r}"
        rankings[query] = validate_ranking(
            ranking_by_query[query],
            truth_name,
            task.cases,
            must_be_complete=task.complete != "none",
        )
        if rows_by_query is not None:
            # `validate_ranking` has sorted the ranking, so check the order of the rows themselves.
            _check_sorted(rows_by_query[query], truth_name)
    return rankings


def rankings_by_query(answers: Iterable[RetrieverAnswer]) -> dict[Case, Ranking]:
    """Return the rankings of the answers of one retriever as ground truth.

    Raises an `InputError` if the retriever failed on a query, because then there is no truth for
    it.
    """
    rankings = {}
    for answer in answers:
        if answer.failure is not None:
            raise InputError(
                "truth must be available for every query; its retriever raised on "
                f"{answer.query!r}: {answer.failure.text}"
            ) from answer.failure.exception
        rankings[answer.query] = answer.ranking
    return rankings


def _rows_by_query(table: pd.DataFrame) -> dict[Case, list[Row]]:
    """Return the pairs of case and similarity of each query, in the order of the table's rows."""
    queries, cases, similarities = (read_column(table, name, "truth") for name in COLUMNS)
    missing_rows = np.flatnonzero(queries.isna()).tolist()
    if missing_rows:
        got = f"none in row {format_first(missing_rows)}"
        raise input_error("truth", "have a query in every row", got)
    rows_by_query: dict[Case, list[Row]] = {}
    rows = zip(queries.tolist(), cases.tolist(), similarities.tolist(), strict=True)
    for query, case, similarity in rows:
        rows_by_query.setdefault(query, []).append((case, similarity))
    return rows_by_query


def _check_sorted(rows: list[Row], name: str) -> None:
    """Raise if similarities rise in the rows of a query; the error calls the rows ``name``."""
    for (_, previous_similarity), (case, similarity) in pairwise(rows):
        if similarity > previous_similarity:
            got = f"{similarity} for case {case!r} after {previous_similarity}"
            advice = "Sort it if that is all; a wrong column would look the same"
            raise input_error(name, "be sorted by falling similarity", got, advice)


def _id_by_text(ids: Collection[Case], name: str) -> dict[str, Case]:
    """Return the ids by their text; raise an `InputError` if two ids have the same text."""
    check_unique([str(identifier) for identifier in ids], name, "id as text")
    return {str(identifier): identifier for identifier in ids}


def _as_float(query: str, case: str, text: str) -> float:
    """Return a similarity as the float64 that is nearest to the number in ``text``.

    The fast parser of pandas may return a neighbouring float64. If the text is not a number, raises
    an `InputError` that names the query and the case.
    """
    try:
        if "_" in text:  # Python's float accepts 1_000, but no CSV file means that
            raise ValueError
        return float(text)
    except ValueError:
        rule = "have numbers with a decimal point as similarities"
        got = f"{text!r} for case {case!r} of query {query!r}"
        raise input_error("truth", rule, got) from None
