"""Answers measured: what an evaluation of retrievers holds, from what they answered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, TypeVar

import pandas as pd

from receval.metrics.retrieval import Ranking
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import RetrievalTask, RetrieverAnswer, Timed, cutoff_of, row_of
from receval.retrieval.failures import Failures
from receval.retrieval.measures import RetrieverMetric
from receval.retrieval.result import RetrieverEvaluation
from receval.retrieval.truth import by_query, true_rankings

Found = TypeVar("Found", bound=RetrieverEvaluation)
Values = dict[tuple[Any, ...], list[float]]


def measured(
    kind: type[Found],
    task: RetrievalTask,
    retrievers: Mapping[Any, Timed],
    measures: list[RetrieverMetric],
    truth: Any,
    exact: list[RetrieverAnswer],
) -> Found:
    """The evaluation of the answers of all retrievers, in their order.

    The ground truth is in ``exact``, answered before, perhaps by one of the retrievers, or is made
    of ``truth``.
    """
    rankings = true_rankings(by_query(exact) if exact else truth, task)
    answered = [answer for answer in exact if answer.retriever in retrievers]
    not_yet_run = {name: retrievers[name] for name in retrievers if not answered or name != truth}
    values: Values = {}
    seconds: Values = {}
    retrieved: dict[tuple[Any, ...], Ranking] = {}
    # Silent answers, which get their values when the number of places of every answer is known.
    silent: list[tuple[Any, Case]] = []
    places = {query: len(ranking) for query, ranking in rankings.items()}
    ends = [0.0, 1.0, *chain.from_iterable(map(_ends, rankings.values()))]
    failures = Failures(task)
    for answer in chain(answered, task.answers(not_yet_run)):
        row, true_ranking = row_of(answer.retriever, answer.query), rankings[answer.query]
        if answer.failure is not None:
            failures.add(answer.retriever, answer.query, answer.failure)
        values[row] = [_value(measure, true_ranking, answer, task) for measure in measures]
        seconds[row] = [*answer.seconds] or [math.nan] * len(kind._phases)
        if _may_be_silent(answer, task):
            silent.append((answer.retriever, answer.query))
        lacking = sum(case not in answer.ranking.place for case in true_ranking.cases)
        places[answer.query] = max(places[answer.query], len(answer.ranking) + lacking)
        ends += _ends(answer.ranking)
        if task.keep_rankings and answer.failure is None:
            retrieved[row] = answer.ranking
    _count_silence(values, silent, measures, rankings, places, task)
    failures.warn(stacklevel=3)
    rows = [row_of(name, query) for name in retrievers for query in task.queries]
    index = pd.MultiIndex.from_tuples(rows, names=[*kind._levels, "query"])
    names = [measure.name for measure in measures]
    return kind(
        pd.DataFrame([values[row] for row in rows], index, names, float),
        pd.DataFrame([seconds[row] for row in rows], index, kind._phases, float),
        pd.DataFrame(failures.rows, columns=[*index.names, "error"]),
        task.one_by_one,
        tuple(measures),
        notes=tuple(_notes(ends, task)),
        _k=task.k,
        _zero=task.zero,
        _failed=task.failed,
        _truth=rankings,
        _retrieved=retrieved,
        _places=places,
    )


def _may_be_silent(answer: RetrieverAnswer, task: RetrievalTask) -> bool:
    """Whether the answer counts as silent in the measures that it leaves without a value."""
    if answer.failure is not None:
        return task.failed == "zero"
    return task.zero


def _count_silence(
    values: Values,
    silent: list[tuple[Any, Case]],
    measures: list[RetrieverMetric],
    truth: Mapping[Case, Ranking],
    places: Mapping[Case, int],
    task: RetrievalTask,
) -> None:
    """Put what silence counts where an answer has no value, and NaN where a distance says nothing.

    All answers to a query with the same cut-off share these values, so that each is computed once.
    """
    by_cutoff: dict[tuple[Case, int | None], list[float]] = {}
    for retriever, query in silent:
        row, k = values[row_of(retriever, query)], cutoff_of(retriever, task.k)
        for column, measure in enumerate(measures):
            if task.zero and measure.tells_nothing(k, places[query]):
                row[column] = math.nan
        if not any(map(math.isnan, row)):
            continue
        if (query, k) not in by_cutoff:
            by_cutoff[query, k] = [
                measure.silence(truth[query], k, places[query]) for measure in measures
            ]
        for column, counted in enumerate(by_cutoff[query, k]):
            if math.isnan(row[column]):
                row[column] = counted


def _ends(ranking: Ranking) -> list[float]:
    """The highest and the lowest similarity."""
    return [*ranking.similarities[:1].tolist(), *ranking.similarities[-1:].tolist()]


def _notes(ends: list[float], task: RetrievalTask) -> Iterator[str]:
    """What a reader of the means has to know of the answers."""
    lowest, highest = min(ends), max(ends)
    if lowest < 0 or highest > 1:
        note = (
            f"similarities leave [0, 1]: {lowest:g} to {highest:g}; "
            "MAE, MSE and Müller's quality are then on no scale from 0 to 1"
        )
        if task.zero:
            note += ", and the law that an empty answer is never better does not apply"
        yield note
    if task.missing == "skip":
        yield "cases that answers lack are left out, and queries with an empty one (missing='skip')"


def _value(
    measure: RetrieverMetric, truth: Ranking, answer: RetrieverAnswer, task: RetrievalTask
) -> float:
    """The measure of an answer; NaN where it has none, or where the answer is left out."""
    is_failed = answer.failure is not None
    if is_failed and task.failed == "skip":
        return math.nan
    if not is_failed and task.missing == "skip" and not len(answer.ranking):
        return math.nan
    compute = measure.with_zeros if task.zero or is_failed else measure
    try:
        return compute(truth, answer.ranking, cutoff_of(answer.retriever, task.k))
    except Exception as error:
        of_whom = f"retriever {answer.retriever!r} on query {answer.query!r}"
        error.add_note(f"measure {measure.name!r} of {of_whom}")
        if is_failed:
            error.add_note("It was given an empty ranking, because this retriever raised there")
        raise
