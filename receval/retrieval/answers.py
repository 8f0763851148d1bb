"""Run retrievers on queries; time and check the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from receval._arrays import check_cutoff
from receval._checks import (
    Id,
    InputError,
    check_choice,
    check_that,
    check_unique,
    format_first,
    input_error,
)
from receval._threads import progress_bar
from receval.metrics.retrieval import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.ranking import Case, unzip
from receval.retrieval.cases import list_ids, read_contents

Retriever: TypeAlias = Callable[[Any, Any], RankingLike]
"""Takes a query and the case base, in the user's types, and returns a ranking."""

TimedRetriever: TypeAlias = Callable[[Any, Any], tuple[RankingLike, tuple[float, ...]]]
"""A retriever that also returns the seconds of each of its phases."""

TimedRetrievers: TypeAlias = Mapping[Any, TimedRetriever]
"""Retrievers by name; those of MAC/FAC by the tuple (name, filter size, k)."""


@dataclass(frozen=True)
class Failure:
    """An exception that a retriever raised.

    Attributes
    ----------
    exception : Exception
    text : str
        Type and message of the exception.
    """

    exception: Exception
    text: str

    @classmethod
    def of(cls, exception: Exception) -> Failure:
        """Return the failure for an exception, even if the exception has no readable message."""
        try:
            message = str(exception)
        except Exception:
            message = "(its message cannot be shown)"
        return cls(exception, f"{type(exception).__name__}: {message}")


class RetrieverAnswer(NamedTuple):
    """Answer of a retriever to a query.

    Attributes
    ----------
    retriever : str or tuple
        Name of the retriever; for MAC/FAC (name, filter size, k).
    query : hashable
        Id of the query.
    ranking : Ranking
        Empty if the retriever raised.
    seconds : tuple of float
        Seconds of each phase; empty if the retriever raised.
    failure : Failure or None
        The exception that the retriever raised.
    """

    retriever: Id
    query: Case
    ranking: Ranking
    seconds: tuple[float, ...]
    failure: Failure | None = None


def row_label(retriever: Id, query: Case) -> tuple[Any, ...]:
    """Return the label of an answer's row: the retriever, then the query.

    A MAC/FAC retriever is the tuple (name, filter size, k), so its label has four entries.
    """
    if isinstance(retriever, tuple):
        return (*retriever, query)
    return (retriever, query)


def cutoff_for(retriever: Id, k: int | None) -> int | None:
    """Return the cut-off of a retriever, or None for whole rankings.

    A MAC/FAC retriever is the tuple (name, filter size, k) and has that k. All others have ``k``,
    the cut-off of the evaluation.
    """
    if isinstance(retriever, tuple):
        k_of_macfac: int = retriever[-1]
        return k_of_macfac
    return k


@dataclass
class RetrievalTask:
    """Queries, case base and options of an evaluation of retrievers.

    Attributes
    ----------
    queries, case_base : object
        As in `evaluate_retrievers`. The other parameters are its options.
    query_by_id : dict
        The content of each query by its id.
    cases : frozenset
        Ids of the case base.
    """

    queries: object
    case_base: object
    k: int | None = None
    complete: str = "none"
    progress: bool | None = None
    missing: str | None = None
    failed: str = "zero"
    query_by_id: dict[Case, object] = field(init=False)
    cases: frozenset[Case] = field(init=False)

    def __post_init__(self) -> None:
        """Read ids and contents, and check all options."""
        self.query_by_id = read_contents(self.queries, "queries")
        self.cases = frozenset(list_ids(self.case_base, "case_base"))
        check_cutoff(self.k)
        check_choice(self.complete, "complete", ("all", "truth", "none"))
        if self.missing is not None:
            check_choice(self.missing, "missing", ("zero", "skip", "error"))
            if self.complete == "all":  # then no answer lacks a case
                rule = "be left out with complete='all'"
                advice = "Pass complete='truth' if answers may lack cases"
                raise input_error("missing", rule, self.missing, advice)
        check_choice(self.failed, "failed", ("zero", "skip", "error"))

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_by_id)

    @property
    def counts_missing_cases(self) -> bool:
        """Whether cases that an answer lacks count against it (``missing="zero"``)."""
        return self.missing in (None, "zero")

    def answers(self, retrievers: TimedRetrievers) -> Iterator[RetrieverAnswer]:
        """Run every retriever on every query and yield the answers, in this order.

        Raises an `InputError` if a ranking is not valid. If a retriever raises another exception,
        the answer holds it.
        """
        validate = partial(
            validate_ranking,
            cases=self.cases,
            must_be_complete=self.complete == "all",
            may_be_empty=self.missing != "error",
        )
        answers = (
            answer_query(retriever, query, self.case_base, validate)
            for retriever in retrievers.items()
            for query in self.query_by_id.items()
        )
        n_answers = len(retrievers) * self.n_queries
        yield from progress_bar(
            self.progress, answers, total=n_answers, desc="retrieval", unit="query"
        )


def answer_query(
    named_retriever: tuple[Id, TimedRetriever],
    query: tuple[Case, object],
    case_base: object,
    validate: Callable[..., Ranking],
) -> RetrieverAnswer:
    """Run a retriever on a query and validate the ranking.

    ``named_retriever`` holds a name and a function, ``query`` an id and a content. ``validate`` is
    `validate_ranking` with its arguments filled in, except for the ranking and its name in error
    messages.

    If the retriever raises, the answer holds the exception. An `InputError` is raised again
    with the names of retriever and query, because it says that receval was used wrongly.
    """
    name, retriever = named_retriever
    query_id, content = query
    try:
        ranking, seconds = retriever(content, case_base)
    except InputError as error:
        raise InputError(f"retriever {name!r} on query {query_id!r}: {error}") from error
    except Exception as error:
        return RetrieverAnswer(
            name, query_id, ranking=as_ranking({}), seconds=(), failure=Failure.of(error)
        )
    description = f"the answer of retriever {name!r} to query {query_id!r}"
    return RetrieverAnswer(name, query_id, validate(ranking, description), seconds)


def run_timed(
    retriever: Retriever, query: object, case_base: object
) -> tuple[RankingLike, tuple[float, ...]]:
    """Run a retriever and return its ranking and a tuple with the seconds that it took.

    The tuple has one entry, because a plain retriever has one phase. MAC/FAC has two.
    """
    start = time.perf_counter()  # a clock that never steps back
    ranking = retriever(query, case_base)
    if isinstance(ranking, Iterator):  # a generator does its work when it is read
        ranking = list(ranking)
    return ranking, (time.perf_counter() - start,)


def validate_ranking(
    values: RankingLike,
    name: str,
    cases: Collection[Case],
    *,
    must_be_complete: bool = False,
    may_be_empty: bool = True,
    whose: str = "the case base",
) -> Ranking:
    """Return a ranking of cases after checking it.

    Parameters
    ----------
    values : mapping, Series, Ranking or iterable of (case, similarity)
        The ranking as a retriever returned it.
    name : str
        The name of the ranking in error messages.
    cases : collection of ids
        The cases that the ranking may hold.
    must_be_complete : bool, default False
        Whether it must hold all of these cases.
    may_be_empty : bool, default True
        Whether it may hold no case.
    whose : str
        The owner of the ``cases``, which error messages name after "cases of".

    Raises
    ------
    InputError
        If it is not a ranking, holds a case that isn't in ``cases``, or holds too few cases or
        none.
    """
    ranking = as_ranking(values, name)
    if not may_be_empty and len(ranking) == 0:
        raise input_error(name, "hold a case (missing='error')", "none")
    unknown = [repr(case) for case in ranking.cases if case not in cases]
    if unknown:
        raise input_error(name, f"hold cases of {whose} only", format_first(unknown))
    if must_be_complete and len(ranking) < len(cases):
        missing = sorted(set(cases).difference(ranking.cases), key=str)
        raise InputError(
            f"{name} must hold all {len(cases)} cases of the case base; it lacks "
            f"{format_first(map(repr, missing))}. Pass complete='truth' or "
            "complete='none' if answers may lack cases"
        )
    return ranking


def check_retrievers(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]], name: str
) -> dict[str, Retriever]:
    """Return the retrievers by name.

    Raises an `InputError` if there is none, a name is not a text or occurs twice, or a retriever is
    not callable. The error calls the retrievers ``name``.
    """
    # A mapping, or pairs of a name and a function; `unzip` raises for anything else.
    labels, functions = unzip(retrievers, name, "names to functions")
    check_that(bool(labels), name, "hold at least one retriever", retrievers)
    check_unique(labels, name, "name")
    result = dict(zip(labels, functions, strict=True))
    for label, retriever in result.items():
        is_valid = isinstance(label, str) and callable(retriever)
        rule = "be texts and functions (query, case_base)"
        check_that(is_valid, name, rule, {label: retriever})
    return result
