"""Measure the answers of retrievers and make the result of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import TypeAlias, TypeVar

import pandas as pd

from receval._checks import Id
from receval.metrics.retrieval import Ranking
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import (
    RetrievalTask,
    RetrieverAnswer,
    TimedRetrievers,
    cutoff_for,
    row_label,
)
from receval.retrieval.failures import Failures
from receval.retrieval.measures import RetrieverMetric
from receval.retrieval.result import RetrieverEvaluation
from receval.retrieval.truth import TruthLike, rankings_by_query, true_rankings

ResultT = TypeVar("ResultT", bound=RetrieverEvaluation)

RowLabel: TypeAlias = tuple[Id, ...]
"""Retriever and query of a row; for MAC/FAC name, filter size, k and query."""


def measure_retrievers(
    kind: type[ResultT],
    task: RetrievalTask,
    retrievers: TimedRetrievers,
    measures: list[RetrieverMetric],
    truth: TruthLike | None,
    true_answers: list[RetrieverAnswer],
) -> ResultT:
    """Run the retrievers, measure their answers and return the result.

    Parameters
    ----------
    kind : type
        Class of the result.
    task : RetrievalTask
        Queries, case base and options.
    retrievers : mapping
        The retrievers by name, in the order of the result's rows.
    measures : list of RetrieverMetric
        The metrics, one column each.
    truth : str, path, callable, DataFrame or mapping
        The ground truth, as in `evaluate_retrievers`, if ``true_answers`` is empty.
    true_answers : list of RetrieverAnswer
        Answers that are the ground truth. If they are from one of the ``retrievers``, this
        retriever is not run again.

    Raises
    ------
    InputError
        If the ground truth or an answer is not valid, or a failure is not allowed.
    """
    rankings = rankings_by_query(true_answers) if true_answers else true_rankings(truth, task)
    # The retriever that gave the ground truth may be one of those to measure.
    earlier_answers = [answer for answer in true_answers if answer.retriever in retrievers]
    already_run = {answer.retriever for answer in earlier_answers}
    to_run = {name: retriever for name, retriever in retrievers.items() if name not in already_run}

    measurements = Measurements(task, measures, rankings)
    for answer in chain(earlier_answers, task.answers(to_run)):
        measurements.add(answer)
    measurements.fill_in_silence()
    measurements.failures.warn(stacklevel=3)  # shows the line of the user's call

    # Put all values and times into tables with a row per retriever and query. The class of the
    # result has two lists of names: of the levels that label a retriever, and of the phases.
    rows = [row_label(name, query) for name in retrievers for query in task.query_by_id]
    index = pd.MultiIndex.from_tuples(rows, names=[*kind._levels, "query"])
    values = [measurements.values[row] for row in rows]
    # A retriever that raised has an empty list of seconds.
    no_seconds = [math.nan] * len(kind._phases)
    seconds = [measurements.seconds[row] or no_seconds for row in rows]
    return kind(
        _per_query=pd.DataFrame(values, index, [measure.name for measure in measures], float),
        _seconds_by_phase=pd.DataFrame(seconds, index, kind._phases, float),
        _failures=pd.DataFrame(measurements.failures.rows, columns=[*index.names, "error"]),
        measures=tuple(measures),
        notes=tuple(measurements.notes()),
        _k=task.k,
        _zero=task.counts_missing_cases,
        _failed=task.failed,
        _truth=rankings,
        _retrieved=measurements.retrieved,
        _places=measurements.n_places,
    )


class Measurements:
    """Values, times and failures of the answers so far.

    Attributes
    ----------
    task : RetrievalTask
    measures : list of RetrieverMetric
    truth : mapping of queries to Ranking
    values : dict
        For each row, a list with a value per measure; NaN if there is none.
    seconds : dict
        For each row, the seconds of each phase; empty if the retriever raised.
    retrieved : dict
        The rankings by row.
    failures : Failures
    n_places : dict
        For each query, the largest number of places in the truth or in any answer so far. An answer
        has one place for each case in it, plus one for each case that is only in the truth.
    lowest, highest : float
        The range of all similarities, which includes [0, 1].
    """

    def __init__(
        self,
        task: RetrievalTask,
        measures: list[RetrieverMetric],
        truth: Mapping[Case, Ranking],
    ) -> None:
        """Start with the places and the similarities of the truth, but no answers."""
        self.task = task
        self.measures = measures
        self.truth = truth
        self.values: dict[RowLabel, list[float]] = {}
        self.seconds: dict[RowLabel, list[float]] = {}
        self.retrieved: dict[RowLabel, Ranking] = {}
        self.failures: Failures = Failures(task)
        self.n_places: dict[Case, int] = {query: len(ranking) for query, ranking in truth.items()}
        self.lowest: float = 0.0
        self.highest: float = 1.0
        for ranking in truth.values():
            self._widen_range(ranking)
        # Silent answers get their values when the number of places of every answer is known.
        self._maybe_silent: list[tuple[Id, Case]] = []

    def add(self, answer: RetrieverAnswer) -> None:
        """Measure an answer and record it; raise if it is a failure and the task allows none.

        A value is NaN for now if the answer may be silent; `fill_in_silence` sets it later.
        """
        row = row_label(answer.retriever, answer.query)
        truth = self.truth[answer.query]
        if answer.failure is not None:
            self.failures.add(answer.retriever, answer.query, answer.failure)
        self.values[row] = [_value(measure, truth, answer, self.task) for measure in self.measures]
        self.seconds[row] = list(answer.seconds)
        if _may_be_silent(answer, self.task):
            self._maybe_silent.append((answer.retriever, answer.query))
        # Cases that the answer lacks are appended to it, so they take places too.
        n_missing = sum(case not in answer.ranking.place for case in truth.cases)
        n_places = len(answer.ranking) + n_missing
        self.n_places[answer.query] = max(self.n_places[answer.query], n_places)
        self._widen_range(answer.ranking)
        # The ranking of a failed answer is only a substitute, so it is not kept.
        if answer.failure is None:
            self.retrieved[row] = answer.ranking

    def _widen_range(self, ranking: Ranking) -> None:
        """Widen the range of similarities so that it includes those of a ranking."""
        if len(ranking) > 0:
            # Similarities are in falling order, so the last one is the lowest.
            self.lowest = min(self.lowest, float(ranking.similarities[-1]))
            self.highest = max(self.highest, float(ranking.similarities[0]))

    def fill_in_silence(self) -> None:
        """Give the value of silence to answers that count as silent.

        Call this after the last answer. An answer counts as silent in a measure if its value there
        is NaN. For example, an answer without any case has no value. `add` has collected the
        answers that may be silent. If a query has only one place, a distance between places is NaN
        for all its answers. It stays NaN, because silence has no distance there either.
        """
        # All answers to a query with the same cut-off share these values; compute them once.
        values_of_silence: dict[tuple[Case, int | None], list[float]] = {}
        for retriever, query in self._maybe_silent:
            values = self.values[row_label(retriever, query)]
            k = cutoff_for(retriever, self.task.k)
            n_places = self.n_places[query]
            for column, measure in enumerate(self.measures):
                if self.task.counts_missing_cases and measure.has_only_one_place(k, n_places):
                    values[column] = math.nan
            if not any(math.isnan(value) for value in values):
                continue
            if (query, k) not in values_of_silence:
                truth = self.truth[query]
                values_of_silence[query, k] = [
                    measure.value_of_silence(truth, k, n_places) for measure in self.measures
                ]
            # The list in `self.values` is changed in place.
            for column, value_of_silence in enumerate(values_of_silence[query, k]):
                if math.isnan(values[column]):
                    values[column] = value_of_silence

    def notes(self) -> list[str]:
        """Return facts that a reader of the means must know, one sentence each."""
        notes = []
        if self.lowest < 0 or self.highest > 1:
            note = (
                f"similarities are outside [0, 1], from {self.lowest:g} to {self.highest:g}; "
                "MAE, MSE and Müller's quality can then lie outside [0, 1] too"
            )
            if self.task.counts_missing_cases:
                note += ", and the law that an empty answer is never better does not apply"
            notes.append(note)
        if self.task.missing == "skip":
            notes.append(
                "cases that an answer lacks are left out, and so are queries with an empty answer "
                "(missing='skip')"
            )
        return notes


def _may_be_silent(answer: RetrieverAnswer, task: RetrievalTask) -> bool:
    """Return whether an answer counts as silent in the measures that give it no value.

    This depends on the task's option ``failed`` for failures, and on ``missing`` for other answers.
    """
    if answer.failure is not None:
        return task.failed == "zero"
    return task.counts_missing_cases


def _value(
    measure: RetrieverMetric, truth: Ranking, answer: RetrieverAnswer, task: RetrievalTask
) -> float:
    """Return the value of an answer, or NaN if it has none or the task leaves the answer out.

    The ranking of a failed answer is empty. If the measure is a user-defined function that raises,
    the exception gets notes that name the measure, the retriever and the query.
    """
    is_failed = answer.failure is not None
    if is_failed and task.failed == "skip":
        return math.nan
    if not is_failed and task.missing == "skip" and len(answer.ranking) == 0:
        return math.nan
    k = cutoff_for(answer.retriever, task.k)
    try:
        # Unless failures are skipped, a failure counts as an empty answer, whatever ``missing`` is.
        if task.counts_missing_cases or is_failed:
            return measure.value_with_zeros(truth, answer.ranking, k)
        return measure(truth, answer.ranking, k)
    except Exception as error:
        error.add_note(
            f"measure {measure.name!r} of retriever {answer.retriever!r} on query {answer.query!r}"
        )
        if is_failed:
            error.add_note("It was given an empty ranking, because this retriever raised there")
        raise
