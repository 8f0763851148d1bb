"""Answers measured: what an evaluation of retrievers holds, from what they answered."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    values, seconds, failures, retrieved = {}, {}, [], {}
    for one in chain(answered, task.answers(silent)):
        row = row_of(one.retriever, one.query)
        values[row] = [_value(measure, rankings, one, task.k) for measure in measures]
        seconds[row] = one.seconds or [math.nan] * len(kind._phases)
        if one.ranking is None:
            failures.append((*row, one.error))
        elif task.keep_rankings:
            retrieved[row] = one.ranking
    rows = [row_of(name, query) for name in retrievers for query in task.queries]
    index = pd.MultiIndex.from_tuples(rows, names=[*kind._levels, "query"])
    names = [measure.name for measure in measures]
    return kind(
        per_query=pd.DataFrame([values[row] for row in rows], index, names, float),
        phases=pd.DataFrame([seconds[row] for row in rows], index, kind._phases, float),
        failures=pd.DataFrame(failures, columns=[*index.names, "error"]),
        comparable_times=task.one_by_one,
        measures=tuple(measures),
        _k=task.k,
        _truth=rankings,
        _retrieved=retrieved,
    )


def _value(measure: Measure, truth: Mapping[Any, Ranking], answer: Answer, k: int | None) -> float:
    """The measure of an answer; NaN where there is none."""
    if answer.ranking is None:
        return math.nan
    try:
        return measure(truth[answer.query], answer.ranking, cutoff_of(answer.retriever, k))
    except Exception as error:
        error.add_note(
            f"measure {measure.name!r} of retriever {answer.retriever!r} on query {answer.query!r}"
        )
        raise
