"""The tables of an evaluation in parts: what is wanted of each, and what all parts give."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import check_unique, input_error
from receval.engine.file import SYSTEM_KEYS, FileResult, SourceFile, Writer, to_record
from receval.engine.measured import MemoryResult
from receval.engine.measuring import grades, labels, ordering, system_name
from receval.engine.task import EvaluationTask
from receval.large.totals import Part, Systems, measure_part_systems
from receval.tables.codes import shared_codes
from receval.tables.columns import column, ids_as_text
from receval.tables.inputs import InputTables


@dataclass(frozen=True)
class ColumnRequest:
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

    def of(self, table: Any) -> pd.DataFrame:
        """What is wanted of a table in memory, by its names here."""
        found = {
            name: column(table, self.own.get(name, name), self.where)
            for name in (*self.ids, *self.others)
        }
        for name in self.ids if self.text else ():
            found[name] = ids_as_text(found[name], f"{name} of {self.where}")
        return pd.DataFrame(found)


def column_request(task: EvaluationTask, where: str) -> ColumnRequest:
    """What is wanted of a table, by what messages call it."""
    names = task.given
    check: Callable[[Any], object] = partial(ordering, task, where=where)
    others = [names.score if names.rank is None else names.rank, names.system]
    if where == "relevance":
        others, check = [names.relevance_column], partial(grades, task)
    elif where == "history":
        others, check = [], len
    more = tuple(label for label in others if label is not None)
    own = names.own_of(where)
    return ColumnRequest(where, (names.user, names.item), more, check, own, task.ids == "text")


class PartedTables:
    """The tables of an evaluation, each ``opened`` with the columns that are wanted.

    A table has a ``head()``, some rows; ``rows_of(column, value)``, those rows; and
    ``distinct(column, rows)``, the values of a column in all or such rows as they come.
    """

    def __init__(
        self, task: EvaluationTask, tables: InputTables, opened: Callable[[ColumnRequest, Any], Any]
    ) -> None:
        if task.users in ("answered", "named"):
            rule = "be 'judged' or 'both' of Dask frames and of tables that are read in parts"
            got = "ids" if task.users == "named" else "'answered'"
            advice = "If they fit in memory, read them with pandas first; the mean over some of the"
            raise input_error(
                "users", rule, got, f"{advice} judged users is evaluate(…).where(ids)"
            )
        self.task, self.names = task, tables.systems
        self.all: dict[str, Any] = {
            where: opened(column_request(task, where), table)
            for where, table in tables.by_place.items()
        }
        self.systems: Systems = {name: (where, None) for name, where in tables.systems.items()}

    def tell_apart(self, column: str) -> None:
        """The systems of each table of recommendations, by what a column calls them."""
        found: list[tuple[Hashable, tuple[str, Any]]] = []
        for name, where in self.names.items():
            each = pd.DataFrame({column: self.all[where].distinct(column)})
            own = labels(self.task, each, where)
            found += [(system_name(name, label), (where, label)) for label in own]
        check_unique([name for name, _ in found], "recommendations", "system")
        self.systems = dict(found)

    def of_user(self, user: Any, system: Hashable) -> MemoryResult | None:
        """One user measured again under a system; None if the user is not judged."""
        rows = {where: one.rows_of(self.task.given.user, user) for where, one in self.all.items()}
        if rows["relevance"] is None or not len(rows["relevance"]):
            return None
        return measure_part_systems(self.task, rows, {system: self.systems[system]})[system]

    def foreign(self, system: Hashable) -> int:
        """How many items a system recommends, if none of them is in relevance; else 0."""
        where, label = self.systems[system]
        names = self.task.given
        rows = None if names.system is None else (names.system, label)
        items = self.all[where].distinct(names.item, rows)
        theirs = self.all["relevance"].distinct(names.item)
        return len(items) if set(items).isdisjoint(theirs) else 0

    def evaluate(self, path: Path | None, progress: bool | None) -> dict[Hashable, FileResult]:
        """The systems as all parts together give them; values of users go to the file of a path.

        By default to one that is there as long as a result is.
        """
        user_type, whole = self._user_type(), Part()
        if self.task.given.system is not None:
            self.tell_apart(self.task.given.system)
        if path is None:
            folder = tempfile.mkdtemp(prefix="receval-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            path = Path(folder, "values.receval")
        with Writer(path, user_type) as writer, closing(self.parts(path, progress)) as parts:
            for part in parts:
                writer.add({name: one.frame for name, one in part.items() if len(one.frame)})
                whole = {
                    name: whole[name].merged(one, self.task) if whole else one
                    for name, one in part.items()
                }
            for name, totals in whole.items():
                totals.refuse_apart(name)
            found = {
                name: FileResult(
                    file=SourceFile(path, ()),  # not written yet
                    groups=[place for place, one in enumerate(writer.groups) if one == name],
                    foreign=0 if totals.signs.shares else self.foreign(name),
                    states=totals.states,
                    tables=partial(self.of_user, system=name),
                    **{what: getattr(totals, what) for what in SYSTEM_KEYS if what != "foreign"},
                )
                for name, totals in whole.items()
            }
            written = writer.finish(to_record(self.task, found), found)
        return {name: replace(system, file=written) for name, system in found.items()}

    def parts(self, path: Path, progress: bool | None) -> Generator[Part]:
        """Every part, measured; what does not fit into memory goes to the folder of a path."""
        raise NotImplementedError

    def _user_type(self) -> Any:
        """Arrow's type of the users; ids must be of one kind in the heads of all tables."""
        import pyarrow as pa

        names = self.task.given
        heads = {where: one.head() for where, one in self.all.items()}
        shared_codes({where: head[names.user] for where, head in heads.items()}, names.user)
        items = {where: head[names.item] for where, head in heads.items()}
        if self.task.items is not None:
            items["items"] = self.task.items.index.to_series().reset_index(drop=True)
        shared_codes(items, names.item)
        kind = heads["relevance"].dtypes[names.user]
        return pa.from_numpy_dtype(kind) if kind.kind in "iu" else pa.large_string()
