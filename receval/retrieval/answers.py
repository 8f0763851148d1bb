"""Retrievers answer queries: timed, checked, one after the other or side by side."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import product
from numbers import Integral
from typing import Any

from receval._checks import InputError, shorten, some
from receval._progress import progress_bar
from receval.metrics.retrieval import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.ranking import Case, check_once
from receval.retrieval.cases import by_id, ids_of

Retriever = Callable[[Any, Any], RankingLike]
# A retriever that also answers the seconds of each of its phases.
Timed = Callable[[Any, Any], tuple[RankingLike, tuple[float, ...]]]
Workers = int | Executor

TASKS_EACH = 32  # parts that a retriever's queries are split into when they run side by side


@dataclass(frozen=True)
class Answer:
    """What a retriever answers to a query: no ranking where it raised ``error``."""

    retriever: Any
    query: Case
    ranking: Ranking | None
    seconds: tuple[float, ...]
    error: str = ""


def row_of(retriever: Any, query: Case) -> tuple[Any, ...]:
    """The label of an answer's row; MAC/FAC is told apart by a tuple."""
    return (*retriever, query) if isinstance(retriever, tuple) else (retriever, query)


def cutoff_of(retriever: Any, k: int | None) -> int | None:
    """The cut-off of all retrievers, or that of a MAC/FAC retrieval."""
    return retriever[-1] if isinstance(retriever, tuple) else k


@dataclass
class Task:
    """What every retriever is asked, of which cases, and in what manner.

    Queries and case base may be given in any form that people have them; the queries are kept
    by their ids, and ``cases`` are the ids of the case base.
    """

    queries: Any
    case_base: Any
    _: KW_ONLY
    warm_up: int = 0
    workers: Workers = 1
    progress: bool | None = None

    def __post_init__(self) -> None:
        self.queries = by_id(self.queries, "queries")
        self.cases = frozenset(ids_of(self.case_base, "case_base"))
        if not _whole(self.warm_up, least=0):
            raise InputError(
                f"warm_up must be a whole number of at least 0; got {shorten(self.warm_up)}"
            )
        if not isinstance(self.workers, Executor) and not _whole(self.workers, least=1):
            raise InputError(
                "workers must be a positive integer (threads) or an executor such as "
                f"concurrent.futures.ProcessPoolExecutor(); got {shorten(self.workers)}"
            )

    @property
    def one_by_one(self) -> bool:
        """Whether queries run one after the other, so that times may be compared."""
        return self.workers == 1

    def answers(
        self, retrievers: Mapping[Any, Timed], *, complete: bool = False
    ) -> Iterator[Answer]:
        """Every retriever's answer to every query, in order whatever the number of workers."""
        answer = partial(answered, case_base=self.case_base, cases=self.cases, complete=complete)
        parts = self._in_turn if self.one_by_one else self._side_by_side
        total = len(retrievers) * len(self.queries)
        with progress_bar(self.progress, total=total, desc="retrieval", unit="query") as bar:
            for answers in parts(retrievers, answer):
                yield from answers
                bar.update(len(answers))

    def _in_turn(
        self, retrievers: Mapping[Any, Timed], answer: Callable[..., list[Answer]]
    ) -> Iterator[list[Answer]]:
        first = next(iter(self.queries.values()))
        for name, retriever in retrievers.items():
            with suppress(Exception):  # the timed run that follows reports it
                for _ in range(self.warm_up):
                    retriever(first, self.case_base)
            for query in self.queries.items():
                yield answer(name, retriever, [query])

    def _side_by_side(
        self, retrievers: Mapping[Any, Timed], answer: Callable[..., list[Answer]]
    ) -> Iterator[list[Answer]]:
        workers, queries = self.workers, list(self.queries.items())
        pool = workers if isinstance(workers, Executor) else ThreadPoolExecutor(workers)
        step = math.ceil(len(queries) / TASKS_EACH)
        parts = [queries[start : start + step] for start in range(0, len(queries), step)]
        tasks: list[Future[list[Answer]]] = []
        try:
            asked = product(retrievers.items(), parts)
            tasks += (pool.submit(answer, *pair, part) for pair, part in asked)
            yield from (task.result() for task in tasks)
        finally:
            # After an error or an interrupt nothing is begun, and nobody waits for the rest.
            for task in tasks:
                task.cancel()
            if pool is not workers:
                pool.shutdown(wait=False)


def answered(
    name: Any,
    retriever: Timed,
    queries: Iterable[tuple[Case, Any]],
    *,
    case_base: Any,
    cases: frozenset[Case],
    complete: bool,
) -> list[Answer]:
    """One retriever's answers. Where it raises that is kept, a bad answer is refused."""
    answers = []
    for query, content in queries:
        try:
            given, seconds = retriever(content, case_base)
        except InputError as error:
            raise InputError(f"retriever {name!r} on query {query!r}: {error}") from error
        except Exception as error:
            answers.append(Answer(name, query, None, (), f"{type(error).__name__}: {error}"))
        else:
            what = f"the answer of retriever {name!r} to query {query!r}"
            ranking = checked(given, what, cases, complete=complete)
            answers.append(Answer(name, query, ranking, seconds))
    return answers


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
    whose: str = "the case base",
) -> Ranking:
    """A ranking of cases of the case base; of all of them where that is asked."""
    found = as_ranking(ranking, what)
    if strangers := [repr(case) for case in found.cases if case not in cases]:
        raise InputError(f"{what} must hold cases of {whose} only; got {some(strangers)}")
    if complete and len(found) < len(cases):
        lacking = map(repr, sorted((case for case in cases if case not in found.place), key=str))
        raise InputError(
            f"{what} must hold all {len(cases)} cases of the case base; it lacks "
            f"{some(lacking)}. Where that is meant, say so with complete="
        )
    return found


def check_retrievers(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]], name: str
) -> dict[str, Retriever]:
    """Callables under names that are texts and differ."""
    try:
        pairs = list(retrievers.items() if isinstance(retrievers, Mapping) else retrievers)
        names = [label for label, _ in pairs]
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be a mapping of names to functions; got {shorten(retrievers)}"
        ) from None
    if not names:
        raise InputError(f"{name} must hold at least one retriever; got none")
    check_once(names, name, "name")
    for label, retriever in pairs:
        if not isinstance(label, str) or not callable(retriever):
            raise InputError(
                f"{name} must be texts and functions (query, case_base); "
                f"got {shorten(label)}: {shorten(retriever)}"
            )
    return dict(pairs)


def _whole(value: object, *, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
