"""Run retrievers on queries, and compute, save and read the ground truth."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from receval._arrays import check_exact
from receval._checks import (
    Id,
    as_ids,
    check_callable,
    check_not_empty,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._files import check_writable
from receval.metrics.case_ranking import Ranking, RankingLike, as_ranking, id_kinds
from receval.tables.columns import check_no_rows, is_numbered, read_column, read_numbers
from receval.tables.reading import read_table
from receval.tables.writing import write_table

Retriever: TypeAlias = Callable[[Any, Any], RankingLike]
"""Takes a query and the case base, in the user's types, and returns a ranking."""

CaseCollection: TypeAlias = Any
"""Queries or cases as users pass them: a mapping, a frame, a Series or a list of ids."""


def select_cases(case_base: CaseCollection, kept: Collection[Id]) -> CaseCollection:
    """Return the part of a case base with the ids ``kept``, in the form and order it has."""
    if isinstance(case_base, (pd.DataFrame, pd.Series)):
        return case_base[case_base.index.isin(list(kept))]
    if isinstance(case_base, Mapping):
        return {case: content for case, content in case_base.items() if case in kept}
    return [case for case in case_base if case in kept]


# Ground truth -------------------------------------------------------------------------------------

COLUMNS = ["query", "case", "similarity"]

Truth: TypeAlias = pd.DataFrame | Mapping[Id, RankingLike]
"""Ground truth as users pass it: a table, or rankings by query."""


def ground_truth(
    retriever: Retriever,
    queries: CaseCollection,
    case_base: CaseCollection,
    *,
    path: str | Path | None = None,
) -> pd.DataFrame:
    """Compute the ground-truth ranking of every query and, on request, save it.

    Parameters
    ----------
    retriever : callable
        ``retriever(query, case_base)`` returns a ranking; usually the exact, slow one.
    queries, case_base : mapping, DataFrame, Series or list of ids
        As in `evaluate_retrievers`.
    path : path, optional
        CSV file to write, with similarities in full precision. If you change the case base, compute
        the ground truth again.

    Returns
    -------
    DataFrame
        Columns ``query``, ``case`` and ``similarity``; the cases of each query are sorted by
        descending similarity.

    Raises
    ------
    InputError
        If an answer isn't a ranking of all cases, or the file cannot be written. An exception of
        the retriever passes through.

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
    if path is not None:
        check_writable(path)  # before the work begins
    rankings, _ = run(retriever, "ground truth", queries, case_base)
    rows = [
        (query, case, similarity)
        for query, ranking in rankings.items()
        for case, similarity in ranking.items()
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    if path is not None:
        write_table(table, path)
    return table


def read_ground_truth(
    path: str | Path, queries: CaseCollection, case_base: CaseCollection
) -> pd.DataFrame:
    """Read ground truth from a file; convert its ids to those of ``queries`` and ``case_base``.

    Parameters
    ----------
    path : path
        A file with the columns ``query``, ``case`` and ``similarity``, such as `ground_truth`
        writes; the cases of each query are sorted by descending similarity. Ids are compared as
        text, so ``"007"`` is not ``7``. The file may hold other queries too.
    queries, case_base : mapping, DataFrame, Series or list of ids
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
    table = read_table(path, ids=["query", "case"])
    check_not_empty(table, "truth")
    table = _check_columns(table)
    # Ids of a file are texts, or whole numbers if all in the column are.
    query_by_text = _id_by_text(list_ids(queries, "queries"), "queries")
    case_by_text = _id_by_text(list_ids(case_base, "case_base"), "case_base")
    table = table[table["query"].astype(str).isin(query_by_text)].reset_index(drop=True)
    # An unknown case stays as it is, so that the error below shows it.
    cases = [case_by_text.get(str(case), case) for case in table["case"]]
    table = table.assign(query=table["query"].astype(str).map(query_by_text), case=cases)
    true_rankings(table, queries, case_base)  # raises if a query has no proper ranking
    return table


def true_rankings(
    truth: Truth, queries: CaseCollection, case_base: CaseCollection
) -> dict[Id, Ranking]:
    """Return the ground truth of every query as rankings.

    Raises an `InputError` if a query has no ranking, or its ranking lacks cases or has others. The
    rows of a table must be sorted.
    """
    if isinstance(truth, pd.DataFrame):
        rows_by_query = _check_columns(truth).groupby("query", sort=False)
        pairs_by_query: Mapping[Id, RankingLike] = {
            query: list(zip(rows["case"], rows["similarity"], strict=True))
            for query, rows in rows_by_query
        }
    elif isinstance(truth, Mapping):
        pairs_by_query = truth
    else:
        rule = "be a table, or a mapping of queries to rankings"
        advice = "Compute it with ground_truth, or read it with read_ground_truth"
        raise input_error("truth", rule, shorten(truth), advice)
    query_ids = list_ids(queries, "queries")
    missing = [repr(query) for query in query_ids if query not in pairs_by_query]
    if missing:
        got = f"none for {format_first(missing)}"
        raise input_error("truth", "have a ranking for every query", got)
    cases = set(list_ids(case_base, "case_base"))
    return {
        query: check_answer(pairs_by_query[query], f"truth for query {query!r}", cases)
        for query in query_ids
    }


def _check_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a ground truth.

    Raises an `InputError` if one is missing, a row has no query or no number, or similarities rise.
    """
    queries, cases, similarities = (read_column(table, name, "truth") for name in COLUMNS)
    check_no_rows(queries, queries.isna().to_numpy(), "query of truth", "be in every row")
    numbers = read_numbers(similarities, "similarity of truth")
    # A table that isn't sorted may have distances instead of similarities.
    is_above_last = pd.Series(numbers).groupby(queries, sort=False).diff().to_numpy() > 0
    check_no_rows(similarities, is_above_last, "truth", "be sorted by falling similarity")
    return pd.DataFrame({"query": queries, "case": cases, "similarity": numbers})


def _id_by_text(ids: Iterable[Id], name: str) -> dict[str, Id]:
    """Return the ids by their text; raise an `InputError` if two ids have the same text."""
    texts = [str(identifier) for identifier in ids]
    check_unique(texts, name, "id as text")
    return dict(zip(texts, ids, strict=True))


# Queries, cases and answers -----------------------------------------------------------------------

ID_COLUMNS = {"queries": "query", "case_base": "case"}
"""The column of ids that a table of queries or cases may have, by the name of the argument."""


def list_ids(collection: CaseCollection, name: str) -> list[Id]:
    """Return the ids of queries or cases, in their order.

    They are the keys of a mapping, the index labels of a frame or Series, or the entries of a list.
    Raises an `InputError` if there is none, or if an id is missing, occurs twice, or has another
    type than the others. The error calls the collection ``name``.
    """
    if isinstance(collection, pd.DataFrame):
        # Retrievers get the user's frame as it is, so receval can't move ids into the index.
        id_column = ID_COLUMNS[name]
        if id_column in collection and is_numbered(collection.index):
            got = f"row numbers and a column {id_column!r}"
            advice = f"Pass {name}.set_index({id_column!r})"
            raise input_error(name, "have its ids in its index", got, advice)
    if isinstance(collection, (pd.DataFrame, pd.Series)):
        ids = collection.index.tolist()
    elif isinstance(collection, Mapping):
        ids = list(collection)
    else:
        ids = as_ids(collection, name, "be a mapping, a frame (its index has the ids) or a list")
    check_not_empty(ids, name, "hold at least one entry")
    id_kinds(ids, name)
    check_unique(ids, name, "id")
    return ids


def contents_by_id(queries: CaseCollection) -> dict[Id, Any]:
    """Return the content of each query: a row of a frame, a value of a mapping, or its id."""
    ids = list_ids(queries, "queries")
    has_tuples = any(isinstance(query, tuple) for query in ids)
    check_that(not has_tuples, "queries", "have single ids, not tuples", ids)
    if isinstance(queries, pd.DataFrame):
        if queries.to_numpy().dtype.kind == "f":  # the type of the rows
            for label, column in queries.items():
                check_exact(column.to_numpy(), f"queries[{label!r}]")
        return dict(queries.iterrows())
    if isinstance(queries, (pd.Series, Mapping)):
        return dict(queries.items())
    return {query: query for query in ids}


def run(
    retriever: Retriever,
    name: object,
    queries: CaseCollection,
    case_base: CaseCollection,
    *,
    kept: Mapping[Id, set[Id]] | None = None,
    may_lack: bool = False,
) -> tuple[dict[Id, Ranking], pd.Series[float]]:
    """Run a retriever on every query; return its rankings by query, and the seconds of each.

    Parameters
    ----------
    retriever : callable
        The retriever. An exception passes through, with a note that has its name and the query.
    name : str or tuple
        Its name in messages.
    queries, case_base : mapping, DataFrame, Series or list of ids
        As in `evaluate_retrievers`.
    kept : mapping of queries to sets of cases, optional
        The cases that a filter lets through. The retriever gets these instead of the whole case
        base. Selecting them is part of the time.
    may_lack : bool, default False
        Whether answers may lack cases.

    Raises
    ------
    InputError
        If an answer isn't a ranking of the cases, or lacks one although it must not.
    """
    cases = set(list_ids(case_base, "case_base"))
    rankings: dict[Id, Ranking] = {}
    seconds: dict[Id, float] = {}
    for query, content in contents_by_id(queries).items():
        start = time.perf_counter()  # a clock that never steps back
        part = case_base
        if kept is not None:
            cases = kept[query]
            part = select_cases(case_base, cases)
        try:
            answer = retriever(content, part)
            if isinstance(answer, Iterator):  # a generator does its work when it is read
                answer = list(answer)
        except Exception as error:
            error.add_note(f"retriever {name!r} on query {query!r}")
            raise
        seconds[query] = time.perf_counter() - start
        label = f"the answer of retriever {name!r} to query {query!r}"
        rankings[query] = check_answer(answer, label, cases, may_lack=may_lack)
    return rankings, pd.Series(seconds, name="seconds", dtype=float).rename_axis("query")


def check_answer(
    answer: RankingLike, name: str, cases: Collection[Id], *, may_lack: bool = False
) -> Ranking:
    """Return an answer as a ranking of the ``cases``.

    Raises an `InputError` if it holds another case or, unless it ``may_lack`` cases, not all of
    them. The error calls the answer ``name``.
    """
    ranking = as_ranking(answer, name)
    unknown = [repr(case) for case in ranking.cases if case not in cases]
    if unknown:
        raise input_error(name, "hold cases of the case base only", format_first(unknown))
    if len(ranking) < len(cases) and not may_lack:
        lacking = sorted(repr(case) for case in cases if case not in ranking.place)
        rule = f"hold all {len(cases)} cases of the case base"
        raise input_error(name, rule, f"one without {format_first(lacking)}")
    return ranking
