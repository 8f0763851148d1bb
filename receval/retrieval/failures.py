"""Record the exceptions of retrievers, warn about them, and decide whether to stop."""

from __future__ import annotations

from receval._checks import Id, InputError, input_error, warn
from receval.metrics.retrieval.ranking import Case
from receval.retrieval.answers import Failure, RetrievalTask, row_label

MESSAGE_WIDTH = 200
"""Largest number of characters of an exception's message to show; some are as long as a page."""

CONSEQUENCES = {
    "zero": "These queries count as silent answers (failed='zero')",
    "skip": "These queries are left out of its means (failed='skip')",
}


class Failures:
    """Failures of all retrievers.

    Attributes
    ----------
    task : RetrievalTask
        Decides how a failure counts.
    rows : list of tuple
        The retriever, the query and the error of each failure.
    first : dict
        The first failure of each retriever, with its query. Only the first exception is kept. An
        exception keeps alive the local variables of all functions that it passed through, and these
        may be large.
    n_failed : dict
        How often each retriever failed.
    """

    def __init__(self, task: RetrievalTask) -> None:
        self.task = task
        self.rows: list[tuple[object, ...]] = []
        self.first: dict[Id, tuple[Case, Failure]] = {}
        self.n_failed: dict[Id, int] = {}

    def add(self, retriever: Id, query: Case, failure: Failure) -> None:
        """Record a failure.

        Raises an `InputError` if the task allows no failure, or if the retriever has now failed
        on every query.
        """
        self.rows.append((*row_label(retriever, query), failure.text))
        self.first.setdefault(retriever, (query, failure))
        self.n_failed[retriever] = self.n_failed.get(retriever, 0) + 1
        if self.task.failed == "error":
            raise self._failure_error(retriever, "answer every query (failed='error')")
        if self.n_failed[retriever] == self.task.n_queries:
            raise self._failure_error(retriever, "answer at least one query")

    def _failure_error(self, retriever: Id, rule: str) -> InputError:
        """Return an error that quotes the retriever's first exception, and has it as its cause."""
        query, failure = self.first[retriever]
        n_failed = self.n_failed[retriever]
        got = f"{shorten_message(failure.text)} on query {query!r}"
        # With failed="error" the first failure ends the evaluation. If there are more, the
        # retriever failed on all queries.
        if n_failed > 1:
            got += f", the first of exceptions on all {n_failed} queries"
        error = input_error(f"retriever {retriever!r}", rule, got)
        error.__cause__ = failure.exception
        return error

    def warn(self, stacklevel: int) -> None:
        """Warn for each retriever that raised: how often, on which query first, and with what.

        ``stacklevel`` counts from the caller as in `warnings.warn`: 1 shows the caller's line.
        """
        for retriever, (query, failure) in self.first.items():
            frequency = f"{self.n_failed[retriever]} of {self.task.n_queries} queries"
            message = (
                f"retriever {retriever!r} raised on {frequency}, first on {query!r}: "
                f"{shorten_message(failure.text)}. {CONSEQUENCES[self.task.failed]}; see failures"
            )
            warn(message, stacklevel=stacklevel + 1)


def shorten_message(text: str) -> str:
    """Return the text of an exception, cut to `MESSAGE_WIDTH` characters."""
    if len(text) <= MESSAGE_WIDTH:
        return text
    return text[: MESSAGE_WIDTH - 1] + "…"
