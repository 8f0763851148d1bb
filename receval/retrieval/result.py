"""What an evaluation of retrievers answers: values and times per query, means as a view."""

from __future__ import annotations

import inspect
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TextIO

import numpy as np
import pandas as pd

from receval._checks import among, check_choice, refusal, require
from receval._files import write_atomically
from receval._references import described
from receval._snapshots import hands_out_copies
from receval._version import __version__
from receval.evaluation.notes import on_users
from receval.evaluation.report import Explanation, ending_in
from receval.evaluation.shape import Result
from receval.metrics.retrieval import Ranking
from receval.retrieval.answers import cutoff_of, row_of
from receval.retrieval.measures import METRICS, SOURCES, Measure
from receval.tables.csv_text import write_csv
from receval.working import retrieval as workings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARALLEL = "times were taken while several queries ran side by side: do not compare them"
PHASE = "seconds of "  # before the name of a phase, in a file


@hands_out_copies("per_query", "phases", "failures")
@dataclass(frozen=True, repr=False, eq=False)
class RetrieverEvaluation(Result):
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
    measures : tuple
        What was measured.
    notes : tuple of str
        What a reader of the means has to know of the answers.
    version : str
        That of receval which measured it.
    """

    per_query: pd.DataFrame
    phases: pd.DataFrame
    failures: pd.DataFrame
    comparable_times: bool
    _each: ClassVar[str] = "queries"
    _phases: ClassVar[list[str]] = ["seconds"]
    measures: tuple[Measure, ...] = ()
    version: str = __version__
    notes: tuple[str, ...] = ()
    _levels: tuple[str, ...] = ("retriever",)  # that tell retrievers apart
    _k: int | None = None
    _zero: bool = True
    _truth: Mapping[Any, Ranking] = field(default_factory=dict)
    _retrieved: Mapping[Any, Ranking] = field(default_factory=dict)

    @property
    def seconds(self) -> pd.Series[float]:
        """Time of every retrieval, indexed as `per_query`; NaN where the retriever failed."""
        return self.phases.sum(axis=1, skipna=False).rename("seconds")

    @property
    def systems(self) -> list[Any]:
        """Names of the retrievers; for MAC/FAC (retriever, filter size, k)."""
        return list(self.summary.index)

    def values(self, retriever: Any = None, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """The values of one retriever, indexed by query.

        Parameters
        ----------
        retriever : str or tuple, optional
            Its name; for MAC/FAC (retriever, filter size, k). Needed where there are several.
        measures : iterable of str, optional
            Names of the columns wanted. Default: all.

        Raises
        ------
        InputError
            If there is no such retriever, or there are several and none is named.
        """
        found: pd.DataFrame = self.per_query.loc[self._system(retriever, "retriever")]
        return found[self._names(measures)]

    @property
    def summary(self) -> pd.DataFrame:
        """Mean of each measure over the queries where it is defined, which `n` counts."""
        return self.per_query.groupby(level=self._levels, sort=False).mean()

    @property
    def n(self) -> pd.DataFrame:
        """How many queries each mean of `summary` is over."""
        return self.per_query.groupby(level=self._levels, sort=False).count()

    @property
    def counts(self) -> pd.DataFrame:
        """For each retriever the number of queries ``judged``, ``answered`` and ``failed``.

        Every query is judged, for each has a ground truth.
        """
        times = self.seconds.groupby(level=self._levels, sort=False)
        judged, answered = times.size(), times.count()
        return pd.DataFrame({"judged": judged, "answered": answered, "failed": judged - answered})

    @property
    def times(self) -> pd.DataFrame:
        """Median and mean of the retrieval times, in seconds."""
        found = self.seconds.groupby(level=self._levels, sort=False).agg(["median", "mean"])
        return found.add_suffix(" seconds")

    @property
    def _costs(self) -> pd.DataFrame:
        """What stands among the metrics in a file, and beside them in a table."""
        return self.times

    def to_csv(
        self, path: str | Path | TextIO | None = None, *, per_query: bool = False
    ) -> str | None:
        """The results as CSV: one row for each key and metric, as in document 003.

        Parameters
        ----------
        path : path or text stream, optional
            File to write, whole or not at all, or what has a ``write``, such as `io.StringIO`.
            Without it the text is returned.
        per_query : bool, default False
            Write the value of every query instead of the means.

        Returns
        -------
        str or None
            The columns are the key (``retriever``, for MAC/FAC also ``filter_size`` and
            ``k``), with ``per_query`` the ``query``, then ``metric`` and ``value``. Times
            stand among the metrics, in seconds, and the speed-up of MAC/FAC. An undefined value
            is an empty cell.
        """
        every = self.per_query.assign(seconds=self.seconds)
        wide: Any = every if per_query else self.summary.join(self._costs)
        # One row per key and metric, in this order, which melt() would turn round.
        long = wide.rename_axis(columns="metric").stack(future_stack=True).to_frame("value")  # noqa: PD013
        rows = long.reset_index()
        if isinstance(path, (str, Path)):
            write = partial(write_csv, rows, as_digits=repr)
            write_atomically(path, lambda file: write(file=file), stream=True)
            return None
        file = io.StringIO() if path is None else path
        write_csv(rows, file, as_digits=repr)
        return file.getvalue() if isinstance(file, io.StringIO) and path is None else None

    @property
    def _rows(self) -> pd.DataFrame:
        return self.per_query.join(self.phases.add_prefix(PHASE)).reset_index()

    @property
    def _record(self) -> dict[str, Any]:
        return {
            "kind": type(self).__name__,
            "receval": self.version,
            "measures": [one.record() for one in self.measures],
            "failures": self.failures.to_dict("split", index=False),
            "comparable_times": self.comparable_times,
            "notes": list(self.notes),
            "k": self._k,
        }

    @classmethod
    def _of(cls, rows: pd.DataFrame, record: dict[str, Any]) -> Self:
        rows = rows.set_index([*cls._levels, "query"])
        measures = tuple(Measure.kept(**told) for told in record["measures"])
        require(bool(measures), "measures", "name at least one", record["measures"])
        values = rows[[one.name for one in measures]]
        phases = rows[[PHASE + name for name in cls._phases]].set_axis(cls._phases, axis=1)
        failures = pd.DataFrame(**record["failures"])
        told = {"version": record["receval"], "notes": tuple(record["notes"]), "_k": record["k"]}
        return cls(values, phases, failures, record["comparable_times"], measures, **told)

    def rankings(self, query: Any, *, retriever: Any = None) -> tuple[Ranking, Ranking]:
        """The ground-truth ranking of a query and what a retriever answered.

        Parameters
        ----------
        query : hashable
            Id of the query.
        retriever : str or tuple, optional
            As in `values`.

        Returns
        -------
        tuple of Ranking
            Truth and retrieved.

        Raises
        ------
        InputError
            If there is none: an unknown name, a failed query, or rankings were not kept.
        """
        row = row_of(self._system(retriever, "retriever"), query)
        if not pd.api.types.is_hashable(row) or row not in self._retrieved:
            got = f"none for {', '.join(map(repr, row))} (failed, unknown, or keep_rankings=False)"
            raise refusal("query and retriever", "name a ranking that was kept", got)
        return self._truth[query], self._retrieved[row]

    def explain(self, query: Any, measure: str, *, retriever: Any = None) -> Explanation:
        """The working of one value: the terms that the metric sums.

        Parameters
        ----------
        query, retriever
            As in `rankings`.
        measure : str
            A column of `per_query`; it must be one of document 003's metrics.

        Returns
        -------
        Explanation
            With ``table``, as the function of that name in `receval.working.retrieval` answers
            it, ``choices`` and ``value``.

        Raises
        ------
        InputError
            If there is no such ranking, or the measure is not one that has a working.
        """
        measures = {one.name: one for one in self.measures if one.metric in METRICS.values()}
        explained = measures[check_choice(measure, "measure of document 003", measures)]
        key = self._system(retriever, "retriever")
        k = explained.k or cutoff_of(key, self._k)
        working = getattr(workings, explained.metric.__name__)
        true, answer = self.rankings(query, retriever=key)
        value = float(self.per_query.loc[row_of(key, query), measure])
        metric = explained.with_zeros if self._zero else explained
        value_now = metric(true, answer, k)
        is_same = value_now == value or (np.isnan(value_now) and np.isnan(value))
        if len(answer) and not is_same:  # an empty answer has the value that the convention says
            rule = f"give {measure} of {query!r} as it was evaluated, {value!r}"
            raise refusal("rankings", rule, repr(value_now), "Evaluate the retrievers again")
        if self._zero:
            answer = explained.filled(true, answer)
        table = working(true, answer, k=k, **explained.reading)
        table = ending_in(table, value, table.attrs["metric"])
        title = str(inspect.getdoc(explained.metric)).partition("\n")[0].rstrip(".")
        return Explanation(
            user=query,
            measure=measure,
            title=title,
            source=described(f"{SOURCES.get(explained.metric, '')}document 003"),
            choices={"k": str(k or "the whole rankings"), **explained.reading},
            table=table,
            value=value,
            system=key,
            each="query",
        )

    def plot(self, measure: str, *, ax: Axes | None = None) -> Axes:
        """Quality against retrieval time; see `receval.plots.quality_time`.

        Parameters
        ----------
        measure : str
            A column of `per_query`.
        ax : Axes, optional
            Where to draw. Default: a new figure.
        """
        from receval.plots import quality_time

        how: Any = {"comparable": self.comparable_times, "ax": ax}
        return quality_time(self.per_query, self.seconds, measure, **how)

    def _notes(self, _: int) -> list[str]:
        counts, unfair = self.counts, [] if self.comparable_times else [PARALLEL]
        failed = [
            f"{name!r} failed on {failed} of {judged}, see failures; its means omit them"
            for name, judged, _, failed in counts.itertuples()
            if failed
        ]
        return [*on_users(self.n, counts, self._each), *failed, *self.notes, *unfair]

    def _aside(self) -> pd.DataFrame:
        """In three significant digits."""
        return self._costs.map("{:.3g}".format)

    def _names(self, measures: str | Iterable[str] | None) -> list[str]:
        wanted = [measures] if isinstance(measures, str) else measures
        require(wanted is None or np.iterable(wanted), "measures", "be names of columns", measures)
        return among(wanted, self.per_query.columns.tolist())
