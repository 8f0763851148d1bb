"""Answers measured: what an evaluation of retrievers holds, from what they answered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, TypeVar

import pandas as pd

from receval.metrics.retrieval import Ranking
from receval.retrieval.answers import Answer, Task, Timed, cutoff_of, row_of
from receval.retrieval.measures import Measure
from receval.retrieval.result import RetrieverEvaluation
from receval.retrieval.truth import by_query, true_rankings

Found = TypeVar("Found", bound=RetrieverEvaluation)


def measured(
    kind: type[Found],
    task: Task,
    retrievers: Mapping[Any, Timed],
    measures: list[Measure],
    truth: Any,
    exact: list[Answer],
) -> Found:
    """The evaluation of the answers of all retrievers, in their order.

    The ground truth is in ``exact``, answered before, perhaps by one of the retrievers, or is made
    of ``truth``.
    """
    rankings = true_rankings(by_query(exact) if exact else truth, task)
    answered = [one for one in exact if one.retriever in retrievers]
    silent = {name: retrievers[name] for name in retrievers if not answered or name != truth}
    found, failures, retrieved = {}, [], {}
    ends = [0.0, 1.0, *chain.from_iterable(map(_ends, rankings.values()))]
    for one in chain(answered, task.answers(silent)):
        row = row_of(one.retriever, one.query)
        numbers = [_value(measure, rankings[one.query], one, task) for measure in measures]
        found[row] = [*numbers, *(one.seconds or [math.nan] * len(kind._phases))]
        if one.ranking is None:
            failures.append((*row, one.error))
            continue
        ends += _ends(one.ranking)
        if task.keep_rankings:
            retrieved[row] = one.ranking
    rows = [row_of(name, query) for name in retrievers for query in task.queries]
    index = pd.MultiIndex.from_tuples(rows, names=[*kind._levels, "query"])
    names, n = [*(measure.name for measure in measures), *kind._phases], len(measures)
    table = pd.DataFrame([found[row] for row in rows], index, names, float)
    values, phases = table.iloc[:, :n], table.iloc[:, n:]
    failed = pd.DataFrame(failures, columns=[*index.names, "error"])
    notes = tuple(_notes(ends, task))
    kept: Any = {"_k": task.k, "_zero": task.zero, "_truth": rankings, "_retrieved": retrieved}
    return kind(values, phases, failed, task.one_by_one, tuple(measures), notes=notes, **kept)


def _ends(ranking: Ranking) -> list[float]:
    """The highest and the lowest similarity."""
    return [*ranking.similarities[:1].tolist(), *ranking.similarities[-1:].tolist()]


def _notes(ends: list[float], task: Task) -> Iterator[str]:
    """What a reader of the means has to know of the answers."""
    lowest, highest = min(ends), max(ends)
    if lowest < 0 or highest > 1:
        told = f"similarities leave [0, 1]: {lowest:g} to {highest:g}; "
        yield told + "MAE, MSE and Müller's quality are then on no scale from 0 to 1"
    if task.missing == "skip":
        yield "cases that answers lack are left out, and queries with an empty one (missing='skip')"


def _value(measure: Measure, truth: Ranking, answer: Answer, task: Task) -> float:
    """The measure of an answer; NaN where there is none, or an empty one is left out."""
    if answer.ranking is None or (task.missing == "skip" and not len(answer.ranking)):
        return math.nan
    of = measure.with_zeros if task.zero else measure
    try:
        return of(truth, answer.ranking, cutoff_of(answer.retriever, task.k))
    except Exception as error:
        of_whom = f"retriever {answer.retriever!r} on query {answer.query!r}"
        error.add_note(f"measure {measure.name!r} of {of_whom}")
        raise
