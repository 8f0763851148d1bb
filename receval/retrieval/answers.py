"""Retrievers answer queries: timed, checked, one after the other or side by side."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product, repeat
from typing import Any, NamedTuple

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
from receval.metrics.retrieval import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.ranking import Case, unzipped
from receval.retrieval.cases import by_id, ids_of

Retriever = Callable[[Any, Any], RankingLike]
# A retriever that also answers the seconds of each of its phases; several of them by name.
Timed = Callable[[Any, Any], tuple[RankingLike, tuple[float, ...]]]
Named = Mapping[Any, Timed]
Workers = int | Executor

TASKS_EACH = 32  # parts that a retriever's queries are split into for processes


@dataclass(frozen=True)
class Failure:
    """The exception that a retriever raised, and its type and message as text."""

    exception: Exception
    text: str

    @classmethod
    def of(cls, exception: Exception) -> Failure:
        """The failure of an exception, even of one whose message cannot be written."""
        try:
            message = str(exception)
        except Exception:
            message = "(its message cannot be shown)"
        return cls(exception, f"{type(exception).__name__}: {message}")

    def __reduce__(self) -> tuple[Any, ...]:
        """What another process sends: only the text, if the exception does not survive the way.

        An exception whose ``__init__`` wants other arguments than it hands on is written without
        complaint and fails when it is read. That would break the whole pool of processes.
        """
        exception = self.exception
        try:
            pickle.loads(pickle.dumps(exception))
        except Exception:
            exception = RuntimeError(self.text)
        return Failure, (exception, self.text)


class RetrieverAnswer(NamedTuple):
    """What a retriever answers to a query: a ranking, which is empty if it raised."""

    retriever: Any
    query: Case
    ranking: Ranking
    seconds: tuple[float, ...]
    failure: Failure | None = None


def row_of(retriever: Any, query: Case) -> tuple[Any, ...]:
    """The label of an answer's row; MAC/FAC is told apart by a tuple."""
    return (*retriever, query) if isinstance(retriever, tuple) else (retriever, query)


def cutoff_of(retriever: Any, k: int | None) -> int | None:
    """The cut-off of all retrievers, or that of a MAC/FAC retrieval."""
    return retriever[-1] if isinstance(retriever, tuple) else k


@dataclass
class RetrievalTask:
    """What every retriever is asked, of which cases, and in what manner.

    Queries and case base may be given in any form that people have them; the queries are kept
    by their ids, and ``cases`` are the ids of the case base.
    """

    queries: Any
    case_base: Any
    k: int | None = None
    complete: str = "none"
    warm_up: int | None = None  # None: once, where times can be compared
    workers: Workers = 1
    progress: bool | None = None
    keep_rankings: bool = True
    missing: str | None = None
    failed: str = "zero"

    def __post_init__(self) -> None:
        self.queries = by_id(self.queries, "queries")
        self.cases = frozenset(ids_of(self.case_base, "case_base"))
        check_cutoff(self.k)
        check_choice(self.complete, "complete", ("all", "truth", "none"))
        if self.missing is not None:
            check_choice(self.missing, "missing", ("zero", "skip", "error"))
            if self.complete == "all":
                advice = "Say complete='truth' where answers may lack cases"
                raise input_error(
                    "missing", "be left out with complete='all'", self.missing, advice
                )
        check_choice(self.failed, "failed", ("zero", "skip", "error"))
        if self.warm_up is not None:
            rule = "be a whole number of at least 0"
            check_that(is_integer(self.warm_up), "warm_up", rule, self.warm_up)
        if not isinstance(self.workers, Executor) and not is_integer(self.workers, 1):
            rule = "be a positive integer (threads) or an executor, as of concurrent.futures"
            raise input_error("workers", rule, shorten(self.workers))
        self.one_by_one = self.workers == 1  # only then may times be compared
        rule = "be left out beside several workers, whose times cannot be compared"
        check_that(self.one_by_one or not self.warm_up, "warm_up", rule, self.warm_up)
        self.warm_ups = 1 if self.warm_up is None else self.warm_up
        self.zero = self.missing in (None, "zero")  # cases that an answer lacks count against it

    def answers(self, retrievers: Named) -> Iterator[RetrieverAnswer]:
        """Every retriever's answer to every query, in order whatever the number of workers."""
        whole, empty = self.complete == "all", self.missing != "error"
        check = partial(checked, cases=self.cases, complete=whole, empty=empty)
        answer = partial(answered, case_base=self.case_base, check=check)
        run = self._in_turn if self.one_by_one else self._side_by_side
        total, found = len(retrievers) * len(self.queries), run(retrievers, answer)
        yield from progress_bar(self.progress, found, total=total, desc="retrieval", unit="query")

    def _in_turn(
        self, retrievers: Named, answer: Callable[..., RetrieverAnswer]
    ) -> Iterator[RetrieverAnswer]:
        first = next(iter(self.queries.values()))
        for one in retrievers.items():
            with suppress(Exception):  # the timed run that follows reports it
                for _ in range(self.warm_ups):
                    one[1](first, self.case_base)
            yield from map(answer, repeat(one), self.queries.items())

    def _side_by_side(
        self, retrievers: Named, answer: Callable[..., RetrieverAnswer]
    ) -> Iterator[RetrieverAnswer]:
        workers, part = self.workers, math.ceil(len(self.queries) / TASKS_EACH)
        pool = workers if isinstance(workers, Executor) else ThreadPoolExecutor(workers)
        pairs = zip(*product(retrievers.items(), self.queries.items()), strict=True)
        try:
            # After an error or an interrupt nothing is begun, and nobody waits for the rest.
            yield from pool.map(answer, *pairs, chunksize=part)
        finally:
            if pool is not workers:
                pool.shutdown(wait=False)


def answered(
    named: tuple[Any, Timed],
    case: tuple[Case, Any],
    case_base: Any,
    check: Callable[..., Ranking],
) -> RetrieverAnswer:
    """A retriever's answer to a query. Where it raises that is kept, a bad answer is refused."""
    (name, retriever), (query, content) = named, case
    try:
        given, seconds = retriever(content, case_base)
    except InputError as error:
        raise InputError(f"retriever {name!r} on query {query!r}: {error}") from error
    except Exception as error:
        return RetrieverAnswer(name, query, as_ranking({}), (), Failure.of(error))
    what = f"the answer of retriever {name!r} to query {query!r}"
    return RetrieverAnswer(name, query, check(given, what), seconds)


def timed(
    retriever: Retriever, query: Any, case_base: Any
) -> tuple[RankingLike, tuple[float, ...]]:
    """What a retriever answers and the seconds it took, by a clock that never steps back."""
    start = time.perf_counter()
    answer = retriever(query, case_base)
    if isinstance(answer, Iterator):  # a generator does its work when it is read
        answer = list(answer)
    return answer, (time.perf_counter() - start,)


def checked(
    ranking: RankingLike,
    what: str,
    cases: Collection[Case],
    *,
    complete: bool = False,
    empty: bool = True,
    whose: str = "the case base",
) -> Ranking:
    """A ranking of cases of the case base; of all of them, or of one at least, where asked."""
    found = as_ranking(ranking, what)
    if not (empty or len(found)):
        raise input_error(what, "hold a case (missing='error')", "none")
    if strangers := [repr(case) for case in found.cases if case not in cases]:
        raise input_error(what, f"hold cases of {whose} only", format_first(strangers))
    if complete and len(found) < len(cases):
        lacking = map(repr, sorted(set(cases).difference(found.cases), key=str))
        rule = f"{what} must hold all {len(cases)} cases of the case base"
        rule += f"; it lacks {format_first(lacking)}"
        advice = "Say complete='truth' where answers may lack cases, or 'none'"
        raise InputError(f"{rule}. {advice}")
    return found


def check_retrievers(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]], name: str
) -> dict[str, Retriever]:
    """Callables under names that are texts and differ."""
    names, functions = unzipped(retrievers, name, "names to functions")
    check_that(bool(names), name, "hold at least one retriever", retrievers)
    check_text(names, name)
    check_unique(names, name, "name")
    found = dict(zip(names, functions, strict=True))
    for label, retriever in found.items():
        named = isinstance(label, str) and callable(retriever)
        check_that(named, name, "be texts and functions (query, case_base)", {label: retriever})
    return found
