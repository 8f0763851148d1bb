"""Running retrievers: timed, checked, one after the other or side by side."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from receval._checks import SHOWN, InputError, check_cutoff, check_flag, shorten
from receval.metrics.retrieval import Ranking, RankingLike, as_ranking
from receval.metrics.retrieval.ranking import Case

Retriever = Callable[[Any, Any], RankingLike]
# What the runner calls: a retriever that also answers the seconds of each of its phases.
Timed = Callable[[Any, Any], tuple[RankingLike, tuple[float, ...]]]
Workers = int | Executor

TASKS_EACH = 32  # parts that a retriever's queries are split into when they run side by side


@dataclass(frozen=True)
class Run:
    """One retriever's answer to one query; without a ranking where the retriever raised."""

    query: Case
    ranking: Ranking | None
    seconds: tuple[float, ...]
    error: str = ""


@dataclass(frozen=True)
class OnePhase:
    """A plain retriever as the runner calls it."""

    retriever: Retriever

    def __call__(self, query: Any, case_base: Any) -> tuple[RankingLike, tuple[float, ...]]:
        ranking, seconds = timed(self.retriever, query, case_base)
        return ranking, (seconds,)


def timed(retriever: Retriever, query: Any, case_base: Any) -> tuple[RankingLike, float]:
    """What a retriever answers and the seconds it took, by a clock that never steps back."""
    start = time.perf_counter()
    answer = retriever(query, case_base)
    if isinstance(answer, Iterator):  # a generator does its work when it is read
        answer = list(answer)
    return answer, time.perf_counter() - start


def run(
    retrievers: Mapping[Any, Timed],
    queries: Mapping[Case, Any],
    case_base: Any,
    *,
    known: Collection[Case],
    complete: bool = False,
    warm_up: int = 1,
    workers: Workers = 1,
    progress: bool | None = None,
) -> Iterator[tuple[Any, Run]]:
    """Every retriever on every query, in the given order whatever the number of workers."""
    from tqdm.auto import tqdm

    total = len(retrievers) * len(queries)
    checks = (frozenset(known), complete)
    wanted = check_flag(progress, "progress", optional=True)
    shown = on_a_terminal() if wanted is None else wanted
    with tqdm(total=total, desc="retrieval", unit="query", disable=not shown) as bar:
        if is_serial(workers):
            for name, retriever in retrievers.items():
                _warm_up(retriever, queries, case_base, warm_up)
                for query in queries.items():
                    yield name, answer(name, retriever, query, case_base, *checks)
                    bar.update()
            return
        for name, runs in _side_by_side(retrievers, queries, case_base, checks, workers):
            for one in runs:
                yield name, one
            bar.update(len(runs))


def answer(
    name: Any,
    retriever: Timed,
    query: tuple[Case, Any],
    case_base: Any,
    known: frozenset[Case],
    complete: bool,
) -> Run:
    """One retrieval. A retriever that raises is kept as a failure, a bad answer is refused."""
    id, content = query
    try:
        ranking, seconds = retriever(content, case_base)
    except InputError as error:
        raise InputError(f"retriever {name!r} on query {id!r}: {error}") from error
    except Exception as error:
        return Run(id, None, (math.nan,), f"{type(error).__name__}: {error}")
    what = f"the answer of retriever {name!r} to query {id!r}"
    return Run(id, checked(ranking, what, known, complete=complete), seconds)


def checked(
    ranking: RankingLike,
    what: str,
    known: Collection[Case],
    *,
    complete: bool = False,
    whose: str = "the case base",
) -> Ranking:
    """A ranking of cases of the case base; of all of them where that is asked."""
    answered = as_ranking(ranking, what)
    strangers = [case for case in answered.cases if case not in known]
    if strangers:
        raise InputError(f"{what} must hold cases of {whose} only; got {named(strangers)}")
    if complete and len(answered) < len(known):
        lacking = [case for case in known if case not in answered.place]
        raise InputError(
            f"{what} must hold all {len(known)} cases of the case base; it lacks "
            f"{named(sorted(lacking, key=str))}. Where that is meant, say so with complete="
        )
    return answered


def named(ids: list[Any]) -> str:
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return ", ".join(map(repr, ids[:SHOWN])) + more


def is_serial(workers: Workers) -> bool:
    return isinstance(workers, int) and workers == 1


def check_workers(workers: object) -> Workers:
    """A number of threads, or an executor of the standard library."""
    if isinstance(workers, Executor):
        return workers
    try:
        return check_cutoff(workers, "workers", optional=False) or 1
    except InputError:
        raise InputError(
            "workers must be a positive integer (threads) or an executor such as "
            f"concurrent.futures.ProcessPoolExecutor(); got {shorten(workers)}"
        ) from None


def on_a_terminal() -> bool:
    """Whether somebody watches: a notebook calls itself a terminal, but keeps what is shown."""
    return sys.stderr.isatty() and "ipykernel" not in sys.modules


def _warm_up(retriever: Timed, queries: Mapping[Case, Any], case_base: Any, times: int) -> None:
    first = next(iter(queries.values()))
    for _ in range(times):
        try:
            retriever(first, case_base)
        except Exception:  # the timed run that follows reports it
            return


def _side_by_side(
    retrievers: Mapping[Any, Timed],
    queries: Mapping[Case, Any],
    case_base: Any,
    checks: tuple[frozenset[Case], bool],
    workers: Workers,
) -> Iterator[tuple[Any, list[Run]]]:
    pool = workers if isinstance(workers, Executor) else ThreadPoolExecutor(workers)
    listed = list(queries.items())
    step = math.ceil(len(listed) / TASKS_EACH)
    tasks: list[tuple[Any, Future[list[Run]]]] = []
    try:
        for name, retriever in retrievers.items():
            for start in range(0, len(listed), step):
                part = listed[start : start + step]
                tasks.append(
                    (name, pool.submit(_answers, name, retriever, part, case_base, *checks))
                )
        for name, task in tasks:
            yield name, task.result()
    finally:
        # After an error or an interrupt nothing further is begun, and nobody waits for the rest.
        for _, task in tasks:
            task.cancel()
        if pool is not workers:
            pool.shutdown(wait=False)


def _answers(
    name: Any,
    retriever: Timed,
    queries: list[tuple[Case, Any]],
    case_base: Any,
    known: frozenset[Case],
    complete: bool,
) -> list[Run]:
    return [answer(name, retriever, query, case_base, known, complete) for query in queries]
