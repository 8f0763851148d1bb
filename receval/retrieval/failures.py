"""Retrievers that raise: what is kept of it, who is told, and when it is an error."""

from __future__ import annotations

import warnings
from typing import Any

from receval._checks import EvaluationWarning, InputError, input_error
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import Failure, RetrievalTask, row_of

MESSAGE_WIDTH = 200  # of an exception's message, which may be as long as a page
CONSEQUENCES = {
    "zero": "These queries count as silent answers (failed='zero')",
    "skip": "These queries are left out of its means (failed='skip')",
}


class Failures:
    """Which retrievers raised on which queries, and the first exception of each."""

    def __init__(self, task: RetrievalTask) -> None:
        self.task = task
        self.rows: list[tuple[Any, ...]] = []
        # Only the first exception of a retriever is kept: each holds on to the local variables of
        # the functions that it came through, which may be large.
        self.first: dict[Any, tuple[Case, Failure]] = {}
        self.n_failed: dict[Any, int] = {}

    def add(self, retriever: Any, query: Case, failure: Failure) -> None:
        """Keep a failure; raise if none is allowed, or if the retriever failed on every query."""
        self.rows.append((*row_of(retriever, query), failure.text))
        self.first.setdefault(retriever, (query, failure))
        self.n_failed[retriever] = self.n_failed.get(retriever, 0) + 1
        if self.task.failed == "error":
            raise self._refusal(retriever, "answer every query (failed='error')")
        if self.n_failed[retriever] == len(self.task.queries):
            raise self._refusal(retriever, "answer at least one query")

    def _refusal(self, retriever: Any, rule: str) -> InputError:
        """The error, which says what the first exception was and has it as its cause."""
        query, failure = self.first[retriever]
        got = f"{shortened(failure.text)} on query {query!r}"
        if self.n_failed[retriever] > 1:
            got += f", the first of exceptions on all {self.n_failed[retriever]} queries"
        error = input_error(f"retriever {retriever!r}", rule, got)
        error.__cause__ = failure.exception
        return error

    def warn(self, stacklevel: int) -> None:
        """Warn for each retriever that raised: how often, on which query first, and with what."""
        for retriever, (query, failure) in self.first.items():
            times = f"{self.n_failed[retriever]} of {len(self.task.queries)} queries"
            message = (
                f"retriever {retriever!r} raised on {times}, first on {query!r}: "
                f"{shortened(failure.text)}. {CONSEQUENCES[self.task.failed]}; see failures"
            )
            warnings.warn(message, EvaluationWarning, stacklevel=stacklevel + 1)


def shortened(text: str) -> str:
    """The text of an exception as it stands in a message."""
    return text if len(text) <= MESSAGE_WIDTH else text[: MESSAGE_WIDTH - 1] + "…"
