"""The result of an evaluation of retrievers: values and times per query, and their means."""

from __future__ import annotations

import inspect
import io
import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TextIO, cast

import numpy as np
import pandas as pd

from receval._checks import Id, Record, check_choice, check_that, input_error, select_names
from receval._files import write_atomically
from receval._references import describe_references
from receval._version import __version__
from receval.evaluation.notes import on_users
from receval.evaluation.report import Explanation, end_with_value
from receval.metrics.retrieval import Ranking, as_ranking
from receval.retrieval.answers import cutoff_for, row_label
from receval.retrieval.base import Result
from receval.retrieval.measures import SOURCES, RetrieverMetric
from receval.tables.writing import write_as
from receval.working import retrieval as workings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAILURE_RULES = {
    "zero": "these queries count as silent (failed='zero')",
    "skip": "its means omit them (failed='skip')",
}
"""Sentences on the consequence of a failure, by the argument ``failed``."""

PHASE_PREFIX = "seconds of "
"""Text before the name of a phase in the columns of a file."""


@dataclass(frozen=True, repr=False, eq=False)
class RetrieverEvaluation(Result):
    """Values and times of every retriever on every query.

    Attributes
    ----------
    per_query : DataFrame
        Index (retriever, query), one column per measure. NaN if a measure is undefined, or if the
        retriever failed and ``failed="skip"`` leaves the query out.
    phases : DataFrame
        Same index; the seconds of each phase of a retrieval. A plain retriever has one phase. NaN
        if the retriever failed.
    failures : DataFrame
        Columns ``retriever``, ``query`` and ``error``: the exceptions that retrievers raised.
    measures : tuple
        The measures, one for each column of ``per_query``.
    notes : tuple of str
        Facts about the answers that a reader of the means has to know.
    version : str
        The version of receval that computed the result.
    """

    _per_query: pd.DataFrame
    _seconds_by_phase: pd.DataFrame
    _failures: pd.DataFrame
    _row_name: ClassVar[str] = "queries"
    _phases: ClassVar[list[str]] = ["seconds"]
    measures: tuple[RetrieverMetric, ...] = ()
    version: str = __version__
    notes: tuple[str, ...] = ()
    _levels: tuple[str, ...] = ("retriever",)  # levels of the index that name a retriever
    _k: int | None = None
    _zero: bool = True
    _failed: str = "zero"
    _truth: Mapping[Id, Ranking] = field(default_factory=dict)
    _retrieved: Mapping[tuple[Id, ...], Ranking] = field(default_factory=dict)
    _places: Mapping[Id, int] = field(default_factory=dict)

    # Data -----------------------------------------------------------------------------------------

    @property
    def per_query(self) -> pd.DataFrame:
        """Return a copy of the values by retriever and query."""
        return self._per_query.copy()

    @property
    def phases(self) -> pd.DataFrame:
        """Return a copy of the seconds of each phase."""
        return self._seconds_by_phase.copy()

    @property
    def failures(self) -> pd.DataFrame:
        """Return a copy of the exceptions that retrievers raised."""
        return self._failures.copy()

    @property
    def seconds(self) -> pd.Series[float]:
        """Return the time of every retrieval, indexed as `per_query`; NaN if it failed."""
        return self.phases.sum(axis=1, skipna=False).rename("seconds")

    @property
    def systems(self) -> list[Id]:
        """Return the names of the retrievers; for MAC/FAC (retriever, filter size, k)."""
        return list(self.summary.index)

    def values(
        self, retriever: Hashable = None, measures: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Return the values of one retriever, indexed by query.

        Parameters
        ----------
        retriever : str or tuple, optional
            Its name; for MAC/FAC (retriever, filter size, k). Needed if there are several.
        measures : iterable of str, optional
            Names of the columns wanted. Default: all.

        Raises
        ------
        InputError
            If there is no such retriever, or there are several and none is named.
        """
        name: Any = self._system_name(retriever, "retriever")  # .loc takes no Hashable
        values = cast("pd.DataFrame", self.per_query.loc[name])
        return values[self._measure_names(measures)]

    @property
    def summary(self) -> pd.DataFrame:
        """Return the mean of each measure over the queries on which it is defined.

        `n` is a frame of the same shape with the number of queries behind each mean. `table` and
        the display show it after the means, and `to_csv` writes it after each value.
        """
        return self.per_query.groupby(level=self._levels, sort=False).mean()

    @property
    def n(self) -> pd.DataFrame:
        """Return the number of queries behind each mean of `summary`."""
        return self.per_query.groupby(level=self._levels, sort=False).count()

    @property
    def counts(self) -> pd.DataFrame:
        """Return, for each retriever, how many queries are ``judged``, ``answered`` and ``failed``.

        Every query is judged, because each has a ground truth.
        """
        times = self.seconds.groupby(level=self._levels, sort=False)
        judged = times.size()
        answered = times.count()
        return pd.DataFrame({"judged": judged, "answered": answered, "failed": judged - answered})

    @property
    def times(self) -> pd.DataFrame:
        """Return the median and the mean of the retrieval times, in seconds."""
        times = self.seconds.groupby(level=self._levels, sort=False).agg(["median", "mean"])
        return times.add_suffix(" seconds")

    @property
    def _costs(self) -> pd.DataFrame:
        """Return the columns with times, which come after the metrics in files and tables."""
        return self.times

    @property
    def _n_of_costs(self) -> pd.DataFrame:
        """Return the number of queries behind each of the `_costs`, in a frame of the same shape.

        All answered queries were timed. If a cost is not known (NaN), the number is 0.
        """
        is_known = self._costs.notna().astype("int64")
        return is_known.mul(self.counts["answered"], axis=0)

    def to_csv(
        self, path: str | Path | TextIO | None = None, *, per_query: bool = False
    ) -> str | None:
        """Write the results as CSV: one row for each key and metric, as in document 003.

        Parameters
        ----------
        path : path or text stream, optional
            File to write, or an object with a method ``write``, such as `io.StringIO`. A file is
            never left half-written. If None, the function returns the text.
        per_query : bool, default False
            Whether to write the value of every query instead of the means.

        Returns
        -------
        str or None
            The columns are the key (``retriever``, for MAC/FAC also ``filter_size`` and ``k``),
            then ``metric`` and ``value``. With ``per_query``, the column ``query`` comes before the
            metric. Without it, the last column, ``queries``, has the number of queries behind the
            mean. The metrics include the times, in seconds, and the speed-up of MAC/FAC. An
            undefined value is an empty cell.
        """
        # `_stack_metrics` makes a row for each key and metric of a table with a column per metric.
        if per_query:
            values = self.per_query.assign(seconds=self.seconds)
            rows = _stack_metrics(values).to_frame("value").reset_index()
        else:
            table = _stack_metrics(self.summary.join(self._costs)).to_frame("value")
            table["queries"] = _stack_metrics(self.n.join(self._n_of_costs))
            rows = table.reset_index()

        def write(file: TextIO) -> None:
            write_as(rows, ".csv", file)

        if path is None:
            text = io.StringIO()
            write(text)
            return text.getvalue()
        if isinstance(path, (str, Path)):
            write_atomically(path, write)
        else:
            write(path)
        return None

    # Files ----------------------------------------------------------------------------------------

    def _to_frame(self) -> pd.DataFrame:
        """Return the rows of a file: a row per retriever and query, values and seconds."""
        return self.per_query.join(self.phases.add_prefix(PHASE_PREFIX)).reset_index()

    def _to_record(self) -> Record:
        """Return the entries that a file stores besides its rows, as values that JSON can hold."""
        return {
            "kind": type(self).__name__,
            "receval": self.version,
            "measures": [measure.to_record() for measure in self.measures],
            "failures": self.failures.to_dict("split", index=False),
            "notes": list(self.notes),
            "k": self._k,
            "failed": self._failed,
        }

    @classmethod
    def _from_saved(cls, rows: pd.DataFrame, record: Record) -> Self:
        """Return the result from what `_to_frame` and `_to_record` returned for it.

        Rankings are not saved, so the result has none.
        """
        rows = rows.set_index([*cls._levels, "query"])
        measures = tuple(RetrieverMetric.from_record(**fields) for fields in record["measures"])
        check_that(bool(measures), "measures", "name at least one", record["measures"])
        values = rows[[measure.name for measure in measures]]
        # Files have a prefix before the names of the phases, so that no measure has such a name.
        phases = rows[[PHASE_PREFIX + name for name in cls._phases]].set_axis(cls._phases, axis=1)
        failures = pd.DataFrame(**record["failures"])  # holds the arguments data and columns
        return cls(
            _per_query=values,
            _seconds_by_phase=phases,
            _failures=failures,
            measures=measures,
            version=record["receval"],
            notes=tuple(record["notes"]),
            _k=record["k"],
            _failed=record["failed"],
        )

    # Views of one query ---------------------------------------------------------------------------

    def rankings(self, query: Id, *, retriever: Hashable = None) -> tuple[Ranking, Ranking]:
        """Return the ground-truth ranking of a query and the answer of a retriever.

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
            If there is no such ranking: a name is unknown, the query failed, or the result
            was loaded from a file.
        """
        # A row is a tuple of a retriever and a query. If the query can't be hashed, neither can the
        # tuple.
        row = row_label(self._system_name(retriever, "retriever"), query)
        if not pd.api.types.is_hashable(row) or row not in self._retrieved:
            names = ", ".join(map(repr, row))
            got = f"none for {names} (failed, unknown, or loaded from a file)"
            raise input_error("query and retriever", "name a ranking that was kept", got)
        return self._truth[query], self._retrieved[row]

    def explain(self, query: Id, measure: str, *, retriever: Hashable = None) -> Explanation:
        """Return the working of one value: the terms that the metric sums.

        Parameters
        ----------
        query, retriever
            As in `rankings`.
        measure : str
            A column of `per_query`; it must be one of document 003's metrics.

        Returns
        -------
        Explanation
            It has ``table``, ``choices`` and ``value``. The table is what the function of the same
            name as the metric in `receval.working.retrieval` returns.

        Raises
        ------
        InputError
            If there is no such ranking, or the measure has no working.
        """
        documented = {metric.name: metric for metric in self.measures if metric.is_documented}
        metric = documented[check_choice(measure, "measure of document 003", documented)]
        name = self._system_name(retriever, "retriever")
        k = metric.k or cutoff_for(name, self._k)
        # A failed retriever left no ranking. With failed="zero", this counts as an empty answer;
        # otherwise `rankings` raises.
        if self._is_silent_failure(query, name):
            truth = self._truth[query]
            answer = as_ranking({})
            reason_of_silence = "the retriever raised"
        else:
            truth, answer = self.rankings(query, retriever=name)
            reason_of_silence = self._reason_of_silence(metric, truth, answer, k, query)
        value = float(self.per_query.loc[row_label(name, query), measure])

        choices = {"k": str(k or "the whole rankings"), **metric.parameters}
        if reason_of_silence:
            table = self._working_of_silence(metric, truth, answer, k, query)
            choices["silence"] = f"{reason_of_silence}, which {table.attrs['rule']}"
        else:
            table = self._working_of_answer(metric, truth, answer, k)
            # Raise if the working gives another value. With missing="skip" an empty answer is left
            # out: its value is NaN, whatever the working of the metric returns.
            if len(answer) > 0:
                _refuse_other_value(value, table.attrs["value"], f"{measure} of {query!r}")
        table = end_with_value(table, value, table.attrs["metric"])
        title = str(inspect.getdoc(metric.metric)).partition("\n")[0].rstrip(".")
        return Explanation(
            user=query,
            measure=measure,
            title=title,
            source=describe_references(f"{SOURCES.get(metric.metric, '')}document 003"),
            _choices=choices,
            _table=table,
            value=value,
            system=name,
            each="query",
        )

    def _working_of_silence(
        self, metric: RetrieverMetric, truth: Ranking, answer: Ranking, k: int | None, query: Id
    ) -> pd.DataFrame:
        """Return the working of an answer that counts as silent.

        If the answer has cases (but no value in the measure), missing cases are appended.
        """
        if len(answer) > 0:
            answer = metric.append_missing_cases(truth, answer)
        return workings.silence(
            metric.metric, truth, answer, k=k, places=self._places[query], **metric.parameters
        )

    def _working_of_answer(
        self, metric: RetrieverMetric, truth: Ranking, answer: Ranking, k: int | None
    ) -> pd.DataFrame:
        """Return the working of an answer, from the function with the name of the metric."""
        if self._zero:
            answer = metric.append_missing_cases(truth, answer)
        working = getattr(workings, metric.metric.__name__)
        return cast("pd.DataFrame", working(truth, answer, k=k, **metric.parameters))

    def _is_silent_failure(self, query: Id, retriever: Id) -> bool:
        """Return whether the retriever raised on this query, and the failure counts as silence."""
        if self._failed != "zero" or not pd.api.types.is_hashable(query):
            return False
        failed_rows = self.failures.drop(columns="error").itertuples(index=False, name=None)
        return row_label(retriever, query) in set(failed_rows) and query in self._truth

    def _reason_of_silence(
        self, metric: RetrieverMetric, truth: Ranking, answer: Ranking, k: int | None, query: Id
    ) -> str:
        """Return why an answer counts as silent in a metric although its retriever did not raise.

        Return "" if it does not count as silent. ``k`` is the cut-off of the metric.
        """
        if not self._zero:  # answers count as silent only with missing="zero"
            return ""
        if len(answer) == 0:
            return "the answer is empty"
        if metric.has_only_one_place(k, self._places[query]):
            return "there is only one place"
        if math.isnan(metric.value_with_zeros(truth, answer, k)):
            return "the answer leaves the measure without a value"
        return ""

    def plot(self, measure: str, *, ax: Axes | None = None) -> Axes:
        """Draw quality against retrieval time; see `receval.plots.quality_time`.

        Parameters
        ----------
        measure : str
            A column of `per_query`.
        ax : Axes, optional
            Where to draw. Default: a new figure.
        """
        from receval.plots import quality_time

        return quality_time(self.per_query, self.seconds, measure, ax=ax)

    # Tables ---------------------------------------------------------------------------------------

    def _table_notes(self, digits: int) -> list[str]:  # noqa: ARG002
        """Return the notes under the table of means; they have no numbers to round."""
        counts = self.counts
        # Find measures whose means are over fewer queries than those of other measures.
        notes = on_users(self.n, counts, self._row_name)
        for name, n_judged, _n_answered, n_failed in counts.itertuples():
            if n_failed:
                consequence = FAILURE_RULES[self._failed]
                failed = f"{name!r} failed on {n_failed} of {n_judged}"
                notes.append(f"{failed}, see failures; {consequence}")
        notes += self.notes
        return notes

    def _system_columns(self) -> pd.DataFrame:
        """Return the columns after the means, as text: the number of queries, and the costs.

        If measures of a retriever have means over different numbers of queries, the column shows
        the smallest and the largest number. Costs have three significant digits.
        """
        fewest = self.n.min(axis=1)
        most = self.n.max(axis=1)
        ranges = fewest.astype(str) + "–" + most.astype(str)
        n_queries = fewest.astype(str).where(fewest == most, ranges)
        columns = self._costs.map("{:.3g}".format)
        columns.insert(0, "queries", n_queries)
        return columns

    def _measure_names(self, measures: str | Iterable[str] | None) -> list[str]:
        """Return the named columns, or all if ``measures`` is None; raise for an unknown name."""
        names = [measures] if isinstance(measures, str) else measures
        is_iterable = names is None or np.iterable(names)
        check_that(is_iterable, "measures", "be names of columns", measures)
        return select_names(names, self.per_query.columns.tolist())


def _refuse_other_value(stored: float, value_now: float, name: str) -> None:
    """Refuse rankings that no longer give the stored value, for example because they were edited.

    ``name`` names the measure and the query in error messages.
    """
    is_same = value_now == stored or (math.isnan(value_now) and math.isnan(stored))
    if not is_same:
        rule = f"give {name} as it was evaluated, {stored!r}"
        raise input_error("rankings", rule, repr(value_now), "Evaluate the retrievers again")


def _stack_metrics(wide: pd.DataFrame) -> pd.Series[float]:
    """Return the values of a wide table with one row per key and metric.

    All metrics of a key follow one another; melt() would put all keys of a metric together.
    """
    return cast("pd.Series[float]", wide.rename_axis(columns="metric").stack(future_stack=True))  # noqa: PD013
