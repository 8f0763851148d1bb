"""Ground truth of a retriever evaluation: computed once, saved, read back and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, shorten, some
from receval._files import check_writable, write_atomically
from receval.metrics.retrieval import Ranking
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import Answer, Retriever, Task, Workers, checked, timed
from receval.tables.text import read_fields

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
    task = Task(queries, case_base, workers=workers, progress=progress)
    if path is not None:
        check_writable(path)  # before the work, not after it
    rankings = by_query(task.answers({"truth": partial(timed, retriever)}))
    rows = [(query, *pair) for query, ranking in rankings.items() for pair in ranking.items()]
    table = pd.DataFrame(rows, columns=COLUMNS)
    if path is not None:
        _by_text(task.queries, "queries")
        _by_text(task.cases, "case_base")
        written = table.assign(case_base=fingerprint(task.cases))
        write_atomically(path, lambda file: written.to_csv(file, index=False, lineterminator="\n"))
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
    task = Task(queries, case_base)
    table = _read(path, task)
    true_rankings(table, task, complete=False)
    return table


def _read(path: str | Path, task: Task) -> pd.DataFrame:
    try:
        text = read_fields(path)
    except MemoryError:
        raise
    except Exception as error:  # whatever pandas and decompressors stumble over
        raise InputError(
            f"truth must be a readable CSV file; got {type(error).__name__} for {str(path)!r}"
        ) from error
    _check_columns(text)
    if not isinstance(text.index, pd.RangeIndex):  # pandas took the surplus for an index
        raise InputError(
            f"truth must have as many fields in a row as in its header; got {Path(path).name!r} "
            "with more of them. Is there a decimal comma?"
        )
    if "case_base" in text and set(text["case_base"]) != {fingerprint(task.cases)}:
        raise InputError(
            f"truth must be of this case base; the file {Path(path).name!r} was made for one "
            "with other case ids. Compute it again with ground_truth()"
        )
    query_ids, case_ids = _by_text(task.queries, "queries"), _by_text(task.cases, "case_base")
    text = text[text["query"].isin(query_ids)].reset_index()
    if len(unknown := text[~text["case"].isin(case_ids)]):
        shown = unknown["case"].map(repr) + " for query " + unknown["query"].map(repr)
        raise InputError(f"truth must hold cases of the case base only; got {some(shown)}")
    return pd.DataFrame(
        {
            "query": text["query"].map(query_ids),
            "case": text["case"].map(case_ids),
            "similarity": [_as_float(*row) for row in text[COLUMNS].itertuples(index=False)],
        }
    )


def true_rankings(
    truth: Any, task: Task, *, complete: bool, forms: str = ""
) -> dict[Case, Ranking]:
    """The checked ground truth of every query, from a path, a table or a mapping."""
    given = _read(truth, task) if isinstance(truth, (str, Path)) else truth
    if isinstance(given, pd.DataFrame):
        given = _rows_by_query(given)
    elif not isinstance(given, Mapping):
        raise InputError(f"truth must be {forms}; got {shorten(truth)}")
    if lacking := [repr(query) for query in task.queries if query not in given]:
        raise InputError(f"truth must have a ranking for every query; got none for {some(lacking)}")
    return {
        query: checked(given[query], f"truth for query {query!r}", task.cases, complete=complete)
        for query in task.queries
    }


def by_query(answers: Iterable[Answer]) -> dict[Case, Ranking]:
    """The ground truth that a retriever answers: without it nothing can be compared."""
    rankings = {}
    for one in answers:
        if one.ranking is None:
            raise InputError(
                "truth must be available for every query; its retriever raised on "
                f"{one.query!r}: {one.error}"
            )
        rankings[one.query] = one.ranking
    return rankings


def fingerprint(cases: Collection[Case]) -> str:
    """A short hash of the case ids, whatever their order."""
    text = "\n".join(sorted(map(str, cases)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rows_by_query(table: pd.DataFrame) -> dict[Case, list[tuple[Case, Any]]]:
    _check_columns(table)
    if missing := np.flatnonzero(table["query"].isna()).tolist():
        raise InputError(f"truth must have a query in every row; got none in row {some(missing)}")
    given: dict[Case, list[tuple[Case, Any]]] = {}
    for query, case, similarity in zip(*(table[name].tolist() for name in COLUMNS), strict=True):
        ranking = given.setdefault(query, [])
        if ranking and _rises(ranking[-1][1], similarity):
            raise InputError(
                "truth must be sorted by falling similarity within each query; got "
                f"{similarity} for case {case!r} of query {query!r} after {ranking[-1][1]}. "
                "Sort it if that is all; a wrong column would look the same"
            )
        ranking.append((case, similarity))
    return given


def _rises(before: Any, after: Any) -> bool:
    try:
        return bool(after > before)
    except TypeError:  # not numbers: refused, with the case's name, when the ranking is made
        return False


def _check_columns(table: pd.DataFrame) -> None:
    lacking = [column for column in COLUMNS if column not in table.columns]
    if lacking or table.columns.has_duplicates:
        raise InputError(
            f"truth must have the columns {', '.join(COLUMNS)}, each once; "
            f"got {', '.join(map(str, table.columns[:10]))}"
        )


def _by_text(ids: Collection[Case], name: str) -> dict[str, Case]:
    by_text = {str(id): id for id in ids}
    if len(by_text) < len(ids):
        raise InputError(f"{name} must have ids that differ as text, to be found in a file")
    return by_text


def _as_float(query: str, case: str, written: str) -> float:
    """Exactly the number that was written, which pandas' own fast parser does not promise."""
    try:
        return float(written if "_" not in written else "not a number")
    except ValueError:
        raise InputError(
            "truth must have numbers with a decimal point as similarities; "
            f"got {written!r} for case {case!r} of query {query!r}"
        ) from None
