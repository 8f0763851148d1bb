"""The tables of an evaluation in parts: recommendations by name, relevance, history."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError
from receval.engine.file import KNOWN, Stored, Writer, record
from receval.engine.measured import Measured
from receval.engine.measuring import measure_tables
from receval.engine.task import Tables, Task, system_name
from receval.large.totals import Part
from receval.tables.columns import as_text, column
from receval.tables.given import called
from receval.tables.ids import code


@dataclass(frozen=True)
class Wanted:
    """What is wanted of one table: columns of ids, others, and a check of its rows.

    ``own`` are the table's own names of columns that are called otherwise here; ids become text
    where ``text`` says so.
    """

    where: str
    ids: tuple[str, ...]
    others: tuple[str, ...]
    check: Callable[[Any], object]
    own: Mapping[str, str] = field(default_factory=dict)
    text: bool = False

    def labels(self, names: Iterable[str]) -> list[str]:
        """What the table calls columns."""
        return [self.own.get(name, name) for name in names]

    def of(self, table: Any) -> Any:
        """A table in memory as it is, or what is wanted of it by its name here."""
        if not self.own and not self.text:
            return table
        names = *self.ids, *self.others
        found = {
            name: column(table, label, self.where)
            for name, label in zip(names, self.labels(names), strict=True)
        }
        for name in self.ids if self.text else ():
            found[name] = as_text(found[name], f"{name} of {self.where}")
        return pd.DataFrame(found)


def wanted_of(task: Task, tables: Tables) -> dict[str, Wanted]:
    """What is wanted of each table, by what messages call it."""
    ids = task.user, task.item
    own = (task.order,) if task.system is None else (task.order, task.system)
    grade = () if task.relevance_column is None else (task.relevance_column,)
    found = {"relevance": Wanted("relevance", ids, grade, task.grades)}
    found["history"] = Wanted("history", ids, (), len)
    for where in map(called, tables.recommendations):
        found[where] = Wanted(where, ids, own, partial(task.ordering, where=where))
    text, own_of = task.ids == "text", task.given.own_of
    return {where: replace(one, text=text, own=own_of(where)) for where, one in found.items()}


class PartedTables:
    """The tables of an evaluation, each `opened` with the columns that are wanted.

    ``systems`` are the labels in the column of systems of each table of recommendations.
    """

    def __init__(self, task: Task, tables: Tables) -> None:
        wanted = wanted_of(task, tables)
        self.task = task
        self.names = {name: called(name) for name in tables.recommendations}
        self.all: dict[str, Any] = {
            where: self.opened(table, wanted[where]) for where, table in tables.by_place.items()
        }
        self.systems: list[list[Any]] = []

    def opened(self, table: Any, wanted: Wanted) -> Any:
        """What is wanted of a table."""
        raise NotImplementedError

    def evaluate(self, path: Path, progress: bool | None) -> dict[Hashable, Stored]:
        """Evaluate in parts; values of users go to the file of a path."""
        raise NotImplementedError

    def rows_of_user(self, user: Any) -> dict[str, Any] | None:
        """The rows of a user in every table; None if the id is of another kind."""
        raise NotImplementedError

    def foreign(self, system: Hashable) -> int:
        """How many items a system recommends, if none of them is in relevance; else 0."""
        raise NotImplementedError

    def check_kinds(self, heads: Mapping[str, pd.DataFrame]) -> None:
        """Ids must be of one kind in all tables, of which some rows are given."""
        task = self.task
        code({where: head[task.user] for where, head in heads.items()}, task.user)
        items = {where: head[task.item] for where, head in heads.items()}
        if task.items is not None:
            items["items"] = task.items.index.to_series().reset_index(drop=True)
        code(items, task.item)

    def of_user(self, user: Any, system: Hashable) -> Measured | None:
        """One user measured again under a system; None if the user is not judged."""
        rows = self.rows_of_user(user)
        if rows is None or not len(rows["relevance"]):
            return None
        tables = self.split(rows)
        tables = tables._replace(recommendations={system: tables.recommendations[system]})
        return measure_tables(replace(self.task, system=None), tables, whole=False)[system]

    def split(self, tables: Mapping[str, Any]) -> Tables:
        """Every system's recommendations apart, of tables by what messages call them."""
        return by_system(tables, self.names, self.systems, self.task.system)

    def evaluated(
        self, parts: Iterable[Part], path: Path, user_type: Any
    ) -> dict[Hashable, Stored]:
        """The systems as all parts together give them; values of users go to a file."""
        whole = None
        with Writer(path, user_type) as writer:
            for part in parts:
                writer.add(part.values)
                whole = part if whole is None else whole.merged(part, self.task)
            assert whole is not None
            whole.refuse_apart()
            found = {
                name: Stored(
                    path=path,
                    groups=[place for place, one in enumerate(writer.groups) if one == name],
                    foreign=0 if totals.signs.shares else self.foreign(name),
                    states=totals.states,
                    tables=partial(self.of_user, system=name),
                    **{what: getattr(totals, what) for what in KNOWN if what != "foreign"},
                )
                for name, totals in whole.totals.items()
            }
            writer.finish(record(self.task, found), found)
        return found


def by_system(
    tables: Mapping[str, Any],
    names: Mapping[Hashable, str],
    systems: list[list[Any]],
    column: str | None,
) -> Tables:
    """Every system's recommendations apart; those of one table are told apart by a column."""
    own = [(name, tables[where]) for name, where in names.items()]
    if column is not None:
        own = [
            (system_name(name, label), _rows(table, column, label))
            for (name, table), labels in zip(own, systems, strict=True)
            for label in labels
        ]
    found = dict(own)
    if len(found) < len(own):
        twice = [name for name, _ in own]
        raise InputError(f"recommendations must hold each system once; got {twice}")
    return Tables(found, tables["relevance"], tables.get("history"))


def _rows(table: Any, column: str, label: Any) -> Any:
    """The rows of a pandas, Dask or Arrow table that have a label."""
    if hasattr(table, "dtypes"):
        return table[table[column] == label]
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.equal(table[column], pa.scalar(label, table[column].type)))
