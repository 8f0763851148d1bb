"""What an evaluation of retrievers answers: values and times per query, means as a view."""

from __future__ import annotations

import inspect
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TextIO, cast

import numpy as np
import pandas as pd

from receval._checks import check_choice, check_that, input_error, select_names
from receval._files import write_atomically
from receval._references import described
from receval._snapshots import hands_out_copies
from receval._version import __version__
from receval.evaluation.base import Result
from receval.evaluation.notes import on_users
from receval.evaluation.report import Explanation, ending_in
from receval.metrics.retrieval import Ranking, as_ranking
from receval.retrieval.answers import cutoff_of, row_of
from receval.retrieval.measures import SOURCES, RetrieverMetric
from receval.tables.csv_text import write_csv
from receval.working import retrieval as workings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PARALLEL = "times were taken while several queries ran side by side: do not compare them"
FAILED = {
    "zero": "these queries count as silent (failed='zero')",
    "skip": "its means omit them (failed='skip')",
}
PHASE = "seconds of "  # before the name of a phase, in a file


@hands_out_copies("per_query", "phases", "failures")
@dataclass(frozen=True, repr=False, eq=False)
class RetrieverEvaluation(Result):
    """Values and times of every retriever on every query.

    Attributes
    ----------
    per_query : DataFrame
        Index (retriever, query), one column per measure. NaN where a measure is undefined, or
        where the retriever failed and ``failed="skip"`` leaves the query out.
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
    measures: tuple[RetrieverMetric, ...] = ()
    version: str = __version__
    notes: tuple[str, ...] = ()
    _levels: tuple[str, ...] = ("retriever",)  # that tell retrievers apart
    _k: int | None = None
    _zero: bool = True
    _failed: str = "zero"
    _truth: Mapping[Any, Ranking] = field(default_factory=dict)
    _retrieved: Mapping[Any, Ranking] = field(default_factory=dict)
    _places: Mapping[Any, int] = field(default_factory=dict)

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
        """Mean of each measure over the queries where it is defined.

        `n` is a frame of the same shape with the number of queries behind each mean. `table` and
        the display show it beside the means, and `to_csv` writes it beside each value.
        """
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

    @property
    def _n_of_costs(self) -> pd.DataFrame:
        """How many queries each of the costs is over: those that were answered, and timed."""
        costs = self._costs
        is_known = costs.notna().astype("int64")
        return is_known.mul(self.counts["answered"], axis=0)

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
            ``k``), with ``per_query`` the ``query``, then ``metric`` and ``value``, and for
            means ``queries``, the number of queries behind the value. Times stand among the
            metrics, in seconds, and the speed-up of MAC/FAC. An undefined value is an empty cell.
        """
        if per_query:
            long = _stacked(self.per_query.assign(seconds=self.seconds)).to_frame("value")
        else:
            long = _stacked(self.summary.join(self._costs)).to_frame("value")
            long["queries"] = _stacked(self.n.join(self._n_of_costs))
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
            "failed": self._failed,
        }

    @classmethod
    def _of(cls, rows: pd.DataFrame, record: dict[str, Any]) -> Self:
        rows = rows.set_index([*cls._levels, "query"])
        measures = tuple(RetrieverMetric.kept(**told) for told in record["measures"])
        check_that(bool(measures), "measures", "name at least one", record["measures"])
        values = rows[[one.name for one in measures]]
        phases = rows[[PHASE + name for name in cls._phases]].set_axis(cls._phases, axis=1)
        failures = pd.DataFrame(**record["failures"])
        return cls(
            values,
            phases,
            failures,
            record["comparable_times"],
            measures,
            version=record["receval"],
            notes=tuple(record["notes"]),
            _k=record["k"],
            _failed=record.get("failed", "skip"),  # as it was before there was a choice
        )

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
            raise input_error("query and retriever", "name a ranking that was kept", got)
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
        documented = {one.name: one for one in self.measures if one.is_documented}
        chosen = documented[check_choice(measure, "measure of document 003", documented)]
        key = self._system(retriever, "retriever")
        k = chosen.k or cutoff_of(key, self._k)
        if self._is_silent_failure(query, key):
            true, answer, silence = self._truth[query], as_ranking({}), "the retriever raised"
        else:
            true, answer = self.rankings(query, retriever=key)
            silence = self._silence(chosen, true, answer, k, query)
        value = float(self.per_query.loc[row_of(key, query), measure])
        choices = {"k": str(k or "the whole rankings"), **chosen.reading}
        if silence:
            answer = chosen.filled(true, answer) if len(answer) else answer
            places = self._places[query]
            table = workings.silence(
                chosen.metric, true, answer, k=k, places=places, **chosen.reading
            )
            choices["silence"] = f"{silence}, which {table.attrs['rule']}"
        else:
            working = getattr(workings, chosen.metric.__name__)
            was_answered = len(answer) > 0
            answer = chosen.filled(true, answer) if self._zero else answer
            table = working(true, answer, k=k, **chosen.reading)
            if was_answered:  # an empty answer has the value that the options say
                _refuse_other_value(value, table.attrs["value"], f"{measure} of {query!r}")
        table = ending_in(table, value, table.attrs["metric"])
        title = str(inspect.getdoc(chosen.metric)).partition("\n")[0].rstrip(".")
        return Explanation(
            user=query,
            measure=measure,
            title=title,
            source=described(f"{SOURCES.get(chosen.metric, '')}document 003"),
            choices=choices,
            table=table,
            value=value,
            system=key,
            each="query",
        )

    def _is_silent_failure(self, query: Any, retriever: Any) -> bool:
        """Whether the retriever raised on this query, and that counts as silence."""
        if self._failed != "zero" or not pd.api.types.is_hashable(query):
            return False
        raised = self.failures.drop(columns="error").itertuples(index=False, name=None)
        return row_of(retriever, query) in set(raised) and query in self._truth

    def _silence(
        self,
        measure: RetrieverMetric,
        truth: Ranking,
        answer: Ranking,
        k: int | None,
        query: Any,
    ) -> str:
        """Why an answer counts as silent in a measure; nothing if it does not."""
        if not self._zero:
            return ""
        if not len(answer):
            return "the answer is empty"
        if measure.tells_nothing(k, self._places[query]):
            return "there is only one place"
        if math.isnan(measure.with_zeros(truth, answer, k)):
            return "the answer leaves the measure without a value"
        return ""

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
        consequence = FAILED[self._failed]
        failed = [
            f"{name!r} failed on {failed} of {judged}, see failures; {consequence}"
            for name, judged, _, failed in counts.itertuples()
            if failed
        ]
        return [*on_users(self.n, counts, self._each), *failed, *self.notes, *unfair]

    def _aside(self) -> pd.DataFrame:
        """The number of queries behind the means, and the costs in three significant digits."""
        fewest, most = self.n.min(axis=1), self.n.max(axis=1)
        n_queries = fewest.astype(str).where(
            fewest == most, fewest.astype(str) + "–" + most.astype(str)
        )
        costs = self._costs.map("{:.3g}".format)
        costs.insert(0, "queries", n_queries)
        return costs

    def _names(self, measures: str | Iterable[str] | None) -> list[str]:
        wanted = [measures] if isinstance(measures, str) else measures
        check_that(
            wanted is None or np.iterable(wanted), "measures", "be names of columns", measures
        )
        return select_names(wanted, self.per_query.columns.tolist())


def _refuse_other_value(stored: float, value_now: float, what: str) -> None:
    """Refuse rankings that no longer give the value that was evaluated."""
    is_same = value_now == stored or (math.isnan(value_now) and math.isnan(stored))
    if not is_same:
        rule = f"give {what} as it was evaluated, {stored!r}"
        raise input_error("rankings", rule, repr(value_now), "Evaluate the retrievers again")


def _stacked(wide: pd.DataFrame) -> pd.Series[Any]:
    """One row per key and metric, in this order, which melt() would turn round."""
    return cast("pd.Series[Any]", wide.rename_axis(columns="metric").stack(future_stack=True))  # noqa: PD013
