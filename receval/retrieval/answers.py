"""Run retrievers on queries, one after the other or several at once; time and check the answers."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from receval._checks import (
    InputError,
    check_choice,
    check_text,
    check_that,
    check_unique,
    format_first,
    input_error,
    is_integer,
    shorten,
)
from receval._lists import check_cutoff
from receval._progress import progress_bar
from receval._types import Id
from receval.metrics.retrieval import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.ranking import Case, unzip
from receval.retrieval.cases import list_ids, read_contents

Retriever: TypeAlias = Callable[[Any, Any], RankingLike]
"""Takes a query and the case base, in the user's types, and returns a ranking."""

TimedRetriever: TypeAlias = Callable[[Any, Any], tuple[RankingLike, tuple[float, ...]]]
"""A retriever that also returns the seconds of each of its phases."""

TimedRetrievers: TypeAlias = Mapping[Any, TimedRetriever]
"""Retrievers by name; those of MAC/FAC by the tuple (name, filter size, k)."""

Workers: TypeAlias = int | Executor

CHUNKS_PER_RETRIEVER = 32
"""Number of chunks into which the queries of a retriever are split for processes."""


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

    def __reduce__(self) -> tuple[type[Failure], tuple[Exception, str]]:
        """Return the class and its arguments, which pickle sends to another process.

        Some exceptions can be pickled but not unpickled, because their ``__init__`` takes arguments
        that pickle doesn't have. That would break the whole pool of processes, so a `RuntimeError`
        with the text takes their place.
        """
        exception = self.exception
        try:
            pickle.loads(pickle.dumps(exception))  # a trial run; the result isn't needed
        except Exception:
            exception = RuntimeError(self.text)
        return Failure, (exception, self.text)


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
    warm_up: int | None = None
    workers: Workers = 1
    progress: bool | None = None
    keep_rankings: bool = True
    missing: str | None = None
    failed: str = "zero"
    query_by_id: dict[Case, object] = field(init=False)
    cases: frozenset[Case] = field(init=False)

    def __post_init__(self) -> None:
        """Read ids and contents, and check all options."""
        self.query_by_id = read_contents(self.queries, "queries")
        self.cases = frozenset(list_ids(self.case_base, "case_base"))
        check_cutoff(self.k)
        self._check_choices()
        self._check_running()

    def _check_choices(self) -> None:
        """Check ``complete``, ``missing`` and ``failed``."""
        check_choice(self.complete, "complete", ("all", "truth", "none"))
        if self.missing is not None:
            check_choice(self.missing, "missing", ("zero", "skip", "error"))
            if self.complete == "all":  # then no answer lacks a case
                rule = "be left out with complete='all'"
                advice = "Pass complete='truth' if answers may lack cases"
                raise input_error("missing", rule, self.missing, advice)
        check_choice(self.failed, "failed", ("zero", "skip", "error"))

    def _check_running(self) -> None:
        """Check ``warm_up`` and ``workers``, and that they fit together."""
        if self.warm_up is not None:
            rule = "be a whole number of at least 0"
            check_that(is_integer(self.warm_up), "warm_up", rule, self.warm_up)
        if not isinstance(self.workers, Executor) and not is_integer(self.workers, 1):
            rule = "be a positive integer (threads) or an executor, as of concurrent.futures"
            raise input_error("workers", rule, shorten(self.workers))
        # A warm-up only makes the times fairer. With several workers, it must be None or 0.
        is_warmed_up = self.warm_up not in (None, 0)
        rule = "be left out with several workers, whose times cannot be compared"
        check_that(self.is_serial or not is_warmed_up, "warm_up", rule, self.warm_up)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_by_id)

    @property
    def is_serial(self) -> bool:
        """Whether queries run one after the other, so that times may be compared."""
        return self.workers == 1

    @property
    def counts_missing_cases(self) -> bool:
        """Whether cases that an answer lacks count against it (``missing="zero"``)."""
        return self.missing in (None, "zero")

    def answers(
        self, retrievers: TimedRetrievers, *, warm_ups: int | None = None
    ) -> Iterator[RetrieverAnswer]:
        """Run every retriever on every query and yield the answers.

        The answers come in order of retrievers and queries, whatever the number of workers.
        ``warm_ups`` is the number of untimed runs of each retriever. Its default is the ``warm_up``
        of the task or, if that is None, 1. With several workers there are no untimed runs.

        Raises an `InputError` if a ranking is not valid. If a retriever raises another exception,
        the answer holds it.
        """
        if warm_ups is None:
            warm_ups = 1 if self.warm_up is None else self.warm_up
        validate = partial(
            validate_ranking,
            cases=self.cases,
            must_be_complete=self.complete == "all",
            may_be_empty=self.missing != "error",
        )
        run_query = partial(answer_query, case_base=self.case_base, validate=validate)
        if self.is_serial:
            answers = self._run_serially(retrievers, run_query, warm_ups)
        else:
            answers = self._run_in_parallel(retrievers, run_query)
        n_answers = len(retrievers) * self.n_queries
        yield from progress_bar(
            self.progress, answers, total=n_answers, desc="retrieval", unit="query"
        )

    def _run_serially(
        self,
        retrievers: TimedRetrievers,
        run_query: Callable[..., RetrieverAnswer],
        warm_ups: int,
    ) -> Iterator[RetrieverAnswer]:
        """Warm up each retriever on the first query, then run it on all queries.

        ``run_query`` takes the pairs (name, retriever) and (id, content of the query): it is
        `answer_query` with the other arguments filled in.
        """
        first_content = next(iter(self.query_by_id.values()))
        for name, retriever in retrievers.items():
            # If a warm-up raises, the timed run of the same query raises too and is recorded.
            with suppress(Exception):
                for _ in range(warm_ups):
                    retriever(first_content, self.case_base)
            for query_id, content in self.query_by_id.items():
                yield run_query((name, retriever), (query_id, content))

    def _run_in_parallel(
        self, retrievers: TimedRetrievers, run_query: Callable[..., RetrieverAnswer]
    ) -> Iterator[RetrieverAnswer]:
        """Run the retrievers on the queries in threads or in the user's executor.

        The answers come in order of retrievers and queries. ``run_query`` takes the pairs (name,
        retriever) and (id, content of the query).
        """
        if isinstance(self.workers, Executor):
            pool = self.workers
        else:
            pool = ThreadPoolExecutor(self.workers)
        # A run consists of a (name, retriever) pair and an (id, content) pair.
        runs = list(product(retrievers.items(), self.query_by_id.items()))
        # Processes receive several runs at a time, which saves messages. Threads ignore this.
        chunk_size = math.ceil(self.n_queries / CHUNKS_PER_RETRIEVER)
        try:
            yield from pool.map(
                run_query,
                [retriever for retriever, _ in runs],
                [query for _, query in runs],
                chunksize=chunk_size,
            )
        finally:
            # Without an error, all runs are done here. After an error or an interrupt, pool.map
            # cancels the runs that have not begun, and we don't wait for those that have.
            is_our_pool = pool is not self.workers
            if is_our_pool:
                pool.shutdown(wait=False)


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
    check_text(labels, name)
    check_unique(labels, name, "name")
    result = dict(zip(labels, functions, strict=True))
    for label, retriever in result.items():
        is_valid = isinstance(label, str) and callable(retriever)
        rule = "be texts and functions (query, case_base)"
        check_that(is_valid, name, rule, {label: retriever})
    return result
