"""What an evaluation of retrievers answers: values and times per query, means as a view."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pandas as pd

from receval._checks import InputError
from receval._files import write_atomically
from receval.metrics.retrieval import Ranking
from receval.retrieval.answers import Answer, Task
from receval.retrieval.measures import METRICS, Measure
from receval.working import retrieval as workings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARALLEL = "Times were taken while several queries ran side by side: do not compare them."


@dataclass(frozen=True, repr=False, eq=False)
class RetrieverEvaluation:
    """Values and times of every retriever on every query.

    Attributes
    ----------
    per_query : DataFrame
        Index (retriever, query), one column per measure. NaN where a measure is undefined or
        the retriever failed.
    phases : DataFrame
        Same index; the seconds of each phase of a retrieval, a plain retriever has one. NaN
        where the retriever failed.
    failures : DataFrame
        Columns ``retriever``, ``query`` and ``error``: the exceptions that retrievers raised.
    comparable_times : bool
        Whether queries ran one after the other, so that times may be compared.
    """

    per_query: pd.DataFrame
    phases: pd.DataFrame
    failures: pd.DataFrame
    comparable_times: bool
    _names: ClassVar[list[str]] = ["retriever"]
    _phases: ClassVar[list[str]] = ["seconds"]
    _measures: tuple[Measure, ...] = ()
    _k: int | None = None
    _truth: Mapping[Any, Ranking] = field(default_factory=dict)
    _retrieved: Mapping[Any, Ranking] = field(default_factory=dict)

    @classmethod
    def _of(
        cls,
        task: Task,
        keys: Iterable[Any],
        answers: Iterable[Answer],
        truth: Mapping[Any, Ranking],
        measures: list[Measure],
        *,
        keep_rankings: bool,
        k: int | None = None,
        **more: Any,
    ) -> Self:
        """The answers to the task measured, in the order of the keys of the retrievers."""
        values, seconds, failures, retrieved = {}, {}, [], {}
        for one in answers:
            row = _row(one.retriever, one.query)
            values[row] = [_value(measure, truth, one, k) for measure in measures]
            seconds[row] = one.seconds or [math.nan] * len(cls._phases)
            if one.ranking is None:
                failures.append((*row, one.error))
            else:
                retrieved[row] = one.ranking
        rows = [_row(key, query) for key in keys for query in task.queries]
        index = pd.MultiIndex.from_tuples(rows, names=[*cls._names, "query"])
        names = [measure.name for measure in measures]
        return cls(
            per_query=pd.DataFrame([values[row] for row in rows], index, names, float),
            phases=pd.DataFrame([seconds[row] for row in rows], index, cls._phases, float),
            failures=pd.DataFrame(failures, columns=[*index.names, "error"]),
            comparable_times=task.one_by_one,
            _measures=tuple(measures),
            _k=k,
            _truth=truth if keep_rankings else {},
            _retrieved=retrieved if keep_rankings else {},
            **more,
        )

    @property
    def _keys(self) -> str | list[str]:
        """What tells the rows of a summary apart: all index levels but the query."""
        return self._names[0] if len(self._names) == 1 else self._names

    @property
    def seconds(self) -> pd.Series[float]:
        """Time of every retrieval, indexed as `per_query`; NaN where the retriever failed."""
        return self.phases.sum(axis=1, skipna=False).rename("seconds")

    @property
    def summary(self) -> pd.DataFrame:
        """Mean of each measure over the queries where it is defined; see `counts`.

        Returns
        -------
        DataFrame
            Retrievers in rows, measures in columns.
        """
        return self.per_query.groupby(level=self._keys, sort=False).mean()

    @property
    def counts(self) -> pd.DataFrame:
        """How many queries each mean of `summary` is over, and how many there were.

        Returns
        -------
        DataFrame
            Retrievers in rows; the measures, ``failed`` and ``queries`` in columns.
        """
        grouped = self.per_query.groupby(level=self._keys, sort=False)
        failed = self.seconds.isna().groupby(level=self._keys, sort=False).sum()
        return grouped.count().assign(failed=failed, queries=grouped.size())

    @property
    def times(self) -> pd.DataFrame:
        """Median and mean of the retrieval times, in seconds.

        Returns
        -------
        DataFrame
            Retrievers in rows; ``median seconds`` and ``mean seconds`` in columns.
        """
        grouped = self.seconds.groupby(level=self._keys, sort=False)
        return pd.DataFrame({"median seconds": grouped.median(), "mean seconds": grouped.mean()})

    def to_csv(self, path: str | Path | None = None, *, per_query: bool = False) -> str | None:
        """The results as CSV: one row for each key and metric, as in document 003.

        Parameters
        ----------
        path : path, optional
            File to write, whole or not at all. Without it the text is returned.
        per_query : bool, default False
            Write the value of every query instead of the means.

        Returns
        -------
        str or None
            The columns are the key (``retriever``, for MAC/FAC also ``filter_size`` and
            ``k``), with ``per_query`` the ``query``, then ``metric`` and ``value``. Times
            stand among the metrics, in seconds. An undefined value is an empty cell.
        """
        wide = (
            self.per_query.assign(seconds=self.seconds)
            if per_query
            else self.summary.join(self.times)
        )
        # One row per key and metric, in this order, which melt() would turn round.
        long: Any = wide.rename_axis(columns="metric").stack(future_stack=True)  # noqa: PD013
        text = str(long.to_frame("value").to_csv(lineterminator="\n"))
        if path is None:
            return text
        write_atomically(path, lambda file: file.write(text))
        return None

    def rankings(self, key: Any, query: Any) -> tuple[Ranking, Ranking]:
        """The ground-truth ranking of a query and what a retriever answered.

        Parameters
        ----------
        key : str or tuple
            Name of the retriever; for MAC/FAC (retriever, filter size, k).
        query : hashable
            Id of the query.

        Returns
        -------
        tuple of Ranking
            Truth and retrieved.

        Raises
        ------
        InputError
            If there is none: an unknown name, a failed query, or rankings were not kept.
        """
        row = _row(key, query)
        if row not in self._retrieved:
            raise InputError(
                "key and query must name a ranking that was kept; got none for "
                f"{', '.join(map(repr, row))} (failed, unknown, or keep_rankings=False)"
            )
        return self._truth[query], self._retrieved[row]

    def explain(self, key: Any, query: Any, measure: str) -> pd.DataFrame:
        """The working of one value: the terms that the metric sums.

        Parameters
        ----------
        key, query
            As in `rankings`.
        measure : str
            A column of `per_query`; it must be one of document 003's metrics.

        Returns
        -------
        DataFrame
            As the function of that name in `receval.working.retrieval` answers it.

        Raises
        ------
        InputError
            If there is no such ranking, or the measure is not one that has a working.
        """
        by_name = {one.name: one for one in self._measures}
        found = by_name.get(measure)
        if found is None or found.metric not in METRICS.values():
            raise InputError(
                "measure must be a computed metric of document 003; "
                f"got {measure!r}, computed were {', '.join(by_name)}"
            )
        k = found.k or _cutoff(key, self._k)
        working = getattr(workings, found.metric.__name__)
        table: pd.DataFrame = working(*self.rankings(key, query), k=k, **found.reading)
        return table

    def plot(self, measure: str, *, ax: Axes | None = None) -> Axes:
        """Quality against retrieval time; see `receval.plots.quality_time`.

        Parameters
        ----------
        measure : str
            A column of `per_query`.
        ax : Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from receval.plots import quality_time

        return quality_time(
            self.per_query, self.seconds, measure, comparable=self.comparable_times, ax=ax
        )

    def _notes(self) -> list[str]:
        """What has to be said with every mean."""
        counts = self.counts
        asked = int(counts["queries"].iloc[0])
        notes = [f"Means over {asked} {'query' if asked == 1 else 'queries'}."]
        undefined = counts.drop(columns=["failed", "queries"]).lt(
            counts["queries"] - counts["failed"], axis=0
        )
        if undefined.to_numpy().any():
            names = ", ".join(undefined.columns[undefined.any()])
            notes.append(f"Undefined for some queries, which their means leave out: {names}.")
        for name, failed in counts["failed"][counts["failed"] > 0].items():
            notes.append(
                f"{name!r} failed on {failed} of {asked}, see failures; its means omit them."
            )
        if not self.comparable_times:
            notes.append(PARALLEL)
        return notes

    def _table(self) -> pd.DataFrame:
        """What is displayed: means, and times in three significant digits."""
        times = self.times.map(lambda seconds: float(f"{seconds:.3g}"))
        return self.summary.round(4).join(times)

    def __repr__(self) -> str:
        return "\n".join([type(self).__name__, self._table().to_string(), *self._notes()])

    def _repr_html_(self) -> str:
        from html import escape

        html = str(self._table().to_html(border=0))
        return html + "".join(f"<p>{escape(note)}</p>" for note in self._notes())


def _row(key: Any, query: Any) -> tuple[Any, ...]:
    """The label of a query's row; the key of MAC/FAC is a tuple."""
    return (*key, query) if isinstance(key, tuple) else (key, query)


def _cutoff(key: Any, k: int | None) -> int | None:
    """That of all retrievers, or for MAC/FAC that of the key."""
    return key[-1] if isinstance(key, tuple) else k


def _value(measure: Measure, truth: Mapping[Any, Ranking], answer: Answer, k: int | None) -> float:
    """The measure of an answer; NaN where there is none."""
    if answer.ranking is None:
        return math.nan
    try:
        return measure(truth[answer.query], answer.ranking, _cutoff(answer.retriever, k))
    except Exception as error:
        error.add_note(
            f"measure {measure.name!r} of retriever {answer.retriever!r} on query {answer.query!r}"
        )
        raise
