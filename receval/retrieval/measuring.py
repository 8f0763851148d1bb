"""Answers measured: what an evaluation of retrievers holds, from what they answered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import pandas as pd

from receval.metrics.retrieval import Ranking
from receval.retrieval.answers import Answer, Task, cutoff_of, row_of
from receval.retrieval.measures import Measure
from receval.retrieval.result import RetrieverEvaluation

Found = TypeVar("Found", bound=RetrieverEvaluation)


def measured(
    kind: type[Found],
    task: Task,
    retrievers: Iterable[Any],
    answers: Iterable[Answer],
    truth: Mapping[Any, Ranking],
    measures: list[Measure],
    keep_rankings: bool,
    k: int | None = None,
) -> Found:
    """The evaluation of all answers to a task, in the order of the retrievers."""
    values, seconds, failures, retrieved = {}, {}, [], {}
    for one in answers:
        row = row_of(one.retriever, one.query)
        values[row] = [_value(measure, truth, one, k) for measure in measures]
        seconds[row] = one.seconds or [math.nan] * len(kind._phases)
        if one.ranking is None:
            failures.append((*row, one.error))
        else:
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
        _k=k,
        _truth=truth if keep_rankings else {},
        _retrieved=retrieved if keep_rankings else {},
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
