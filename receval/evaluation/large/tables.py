"""Evaluate tables in parts: read the needed columns, measure each part, and add up the parts."""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import pandas as pd

from receval._checks import check_unique, input_error
from receval._types import Id
from receval.evaluation.joining import (
    LoadedTable,
    names_systems,
    read_grades,
    read_scores_or_ranks,
    read_system_labels,
    system_name,
)
from receval.evaluation.large.totals import (
    Part,
    PartResult,
    Systems,
    SystemSource,
    measure_part_systems,
)
from receval.evaluation.measured import MemoryResult, ValuesOnlyResult
from receval.evaluation.task import EvaluationTask
from receval.tables.columns import read_column
from receval.tables.ids import shared_codes
from receval.tables.inputs import InputTables


@dataclass(frozen=True)
class ColumnRequest:
    """The columns of one table that an evaluation needs.

    Attributes
    ----------
    place : str
        The table's name in messages.
    id_columns, other_columns : tuple of str
        The names of the columns in the evaluation.
    check : callable
        Function that takes a table with these columns, and raises an error if a row is wrong.
    labels_by_name : dict of str
        The label in the table, for each column that has a different name there.
    """

    place: str
    id_columns: tuple[str, ...]
    other_columns: tuple[str, ...]
    check: Callable[[LoadedTable], object]
    labels_by_name: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return (*self.id_columns, *self.other_columns)

    @property
    def is_renamed(self) -> bool:
        """Return whether any column has a different name in the table."""
        return self.labels(self.columns) != list(self.columns)

    def labels(self, names: Iterable[str]) -> list[str]:
        """Return the labels that the columns ``names`` have in the table."""
        return [self.labels_by_name.get(name, name) for name in names]

    def select(self, table: LoadedTable) -> pd.DataFrame:
        """Return the columns of a table in memory."""
        series_by_name = {}
        for name, label in zip(self.columns, self.labels(self.columns), strict=True):
            series_by_name[name] = read_column(table, label, self.place)
        return pd.DataFrame(series_by_name)


def column_request(task: EvaluationTask, place: str) -> ColumnRequest:
    """Return the columns of a table that a task needs, and a check of its rows.

    ``place`` is the table's name in messages, such as "relevance", "history" or "recommendations of
    'A'".
    """
    names = task.column_names
    labels_by_name = names.by_place[place]
    check: Callable[[LoadedTable], object]
    if place == "relevance":
        check = partial(read_grades, task)
    elif place == "history":
        check = len  # accepts any table: there is nothing to check besides the ids
    else:
        check = partial(read_scores_or_ranks, task, place=place)
    id_columns = (names.user, names.item)
    return ColumnRequest(
        place,
        id_columns=id_columns,
        other_columns=tuple(name for name in labels_by_name if name not in id_columns),
        check=check,
        labels_by_name=labels_by_name,
    )


class ReadableTable(Protocol):
    """A table that doesn't have to fit into memory."""

    def head(self) -> pd.DataFrame:
        """Return some rows of the table, or made-up rows of the same types."""

    def rows_of(self, column: str, value: object) -> LoadedTable:
        """Return the rows that have this value in a column."""

    def distinct(self, column: str, rows: tuple[str, object] | None = None) -> list[Any]:
        """Return the distinct values of a column, in the order of the table.

        ``rows`` is a pair of another column and a value. If you pass it, only the rows that have
        this value in that column count.
        """


Table = TypeVar("Table", bound=ReadableTable)


class PartedTables(ABC, Generic[Table]):
    """The tables of an evaluation in parts; each part has all rows of its users.

    Attributes
    ----------
    task : EvaluationTask
        The arguments of the evaluation.
    sources : dict of table
        Each table, under its name in messages.
    systems : dict of SystemSource
        The rows of each system.
    """

    def __init__(
        self,
        task: EvaluationTask,
        tables: InputTables,
        open_source: Callable[[ColumnRequest, Any], Table],
    ) -> None:
        """Open each table with ``open_source``, a function of the needed columns and the table.

        ``tables`` holds the tables by the names that messages use. Raises an error if the means go
        over users who are not judged, because then the tables must be in memory.
        """
        if task.users in ("answered", "named"):
            got = "'answered'"
            if task.users == "named":
                got = "ids"
            raise input_error(
                "users",
                "be 'judged' or 'both' for Dask frames and for tables that are read in parts",
                got,
                "If they fit in memory, read them with pandas first; the mean over some of the "
                "judged users is evaluate(…).where(ids)",
            )
        self.task = task
        self.sources: dict[str, Table] = {}
        for place, table in tables.by_place.items():
            self.sources[place] = open_source(column_request(task, place), table)
        self.systems: Systems = {
            name: SystemSource(place, label=None) for name, place in tables.systems.items()
        }

    @abstractmethod
    def parts(self, folder: Path, *, progress: bool | None) -> Generator[Part]:
        """Measure every part and yield its results by system.

        Temporary files go to ``folder``. ``progress`` says whether to show a progress bar; None
        shows one if there are many rows.
        """

    def evaluate(
        self, output: Path | None, *, progress: bool | None
    ) -> dict[Hashable, ValuesOnlyResult]:
        """Measure all parts and return the results by system.

        Temporary files go to the folder of ``output``, the file in which the caller will save the
        result, because this folder has room.
        """
        self._check_kinds_of_ids()
        self._find_systems()
        folder = Path(tempfile.gettempdir()) if output is None else output.parent
        totals: Part = {}  # the sums of all parts so far, by system
        with closing(self.parts(folder, progress=progress)) as parts:
            for part in parts:
                totals = self._merge(totals, part)
        for name, total in totals.items():
            total.check_users_match(name)
        return {name: self._build_result(name, total) for name, total in totals.items()}

    def _merge(self, totals: Part, part: Part) -> Part:
        """Add a part to the sums of the parts before it; for the first part, these are empty."""
        if not totals:
            return part
        return {name: total.merge(part[name], self.task) for name, total in totals.items()}

    def _build_result(self, name: Hashable, total: PartResult) -> ValuesOnlyResult:
        """Return the result of a system; ``total`` is the sum of all parts."""
        n_foreign = 0
        if not total.signs.shares_items:  # no recommended item has been found in relevance
            n_foreign = self._count_foreign_items(name)
        return ValuesOnlyResult(
            pd.concat(total.frames).sort_index(),
            counts=total.counts,
            ties={measure: tie_totals.row() for measure, tie_totals in total.tie_sums.items()},
            foreign=n_foreign,
            like_ranks=total.signs.like_ranks,
            item_kind=total.item_kind,
            states=total.states,
            facts=total.facts,
            measure_user=partial(self.of_user, system=name),
        )

    def of_user(self, user: Id, system: Hashable) -> MemoryResult:
        """Measure one judged user again under a system.

        The function searches all tables for the rows of this user.
        """
        rows = {
            place: source.rows_of(self.task.column_names.user, user)
            for place, source in self.sources.items()
        }
        if not len(rows["relevance"]):
            rule = f"hold user {user!r}, who was judged"
            raise input_error("relevance", rule, "no row", "Evaluate the changed tables again")
        return measure_part_systems(self.task, rows, {system: self.systems[system]})[system]

    def _find_systems(self) -> None:
        """Split each table of recommendations in which a column names the systems.

        Before the call, `systems` has an entry for each table of recommendations, under the name
        with which the user passed the table. Raises an error if two systems have the same name.
        """
        names = self.task.column_names
        column = names.system
        sources: list[tuple[Hashable, SystemSource]] = []
        for table_name, source in self.systems.items():
            # `source.place` is the table's name in messages, and its key in `sources`.
            if column is None or column not in names.by_place[source.place]:
                sources.append((table_name, source))
                continue
            # `read_system_labels` needs a table, so make one of the distinct labels.
            column_values = pd.DataFrame({column: self.sources[source.place].distinct(column)})
            labels = read_system_labels(self.task, column_values, source.place)
            if not names_systems(self.task, has_several=len(labels) > 1):
                sources.append((table_name, source))
                continue
            for label in labels:
                name = system_name(table_name, label)
                sources.append((name, SystemSource(source.place, label)))
        check_unique([name for name, _ in sources], "recommendations", "system")
        self.systems = dict(sources)

    def _count_foreign_items(self, system: Hashable) -> int:
        """Return the number of items that a system recommends; 0 if relevance has any of them."""
        source = self.systems[system]
        names = self.task.column_names
        rows = None  # all rows of the table belong to the system
        if names.system is not None and source.label is not None:
            rows = (names.system, source.label)
        recommended = self.sources[source.place].distinct(names.item, rows)
        judged = self.sources["relevance"].distinct(names.item)
        if set(recommended).isdisjoint(judged):
            return len(recommended)
        return 0

    def _check_kinds_of_ids(self) -> None:
        """Raise an error unless users, and also items, are of one kind in all tables.

        The kinds are integers and text.
        """
        names = self.task.column_names
        heads = {place: source.head() for place, source in self.sources.items()}  # a few rows
        # The codes are not needed; making them raises the error.
        shared_codes({place: head[names.user] for place, head in heads.items()}, names.user)
        items = {place: head[names.item] for place, head in heads.items()}
        if self.task.items is not None:
            items["items"] = self.task.items.index.to_series().reset_index(drop=True)
        shared_codes(items, names.item)
