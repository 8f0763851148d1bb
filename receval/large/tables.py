"""The files of an evaluation: systems by name, relevance, and perhaps history."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from receval._checks import SHOWN, InputError
from receval.large.sources import Source, digest
from receval.large.task import Task, refuse_strangers
from receval.large.totals import Totals
from receval.tables.ids import code


class Tables:
    """The files of an evaluation: systems by name, relevance, and perhaps history.

    Parameters
    ----------
    systems : dict of Source
        By the name that a table was given, "" for the only one.
    relevance : Source
    history : Source, optional
    system : str, optional
        The column that tells systems in one table apart.
    """

    def __init__(
        self,
        systems: Mapping[Hashable, Source],
        relevance: Source,
        history: Source | None,
        system: str | None,
    ) -> None:
        self.systems = dict(systems)
        self.relevance = relevance
        self.history = history
        self.system = system

    @property
    def all(self) -> list[Source]:
        """All tables, recommendations first."""
        return [*self.systems.values(), self.relevance, *([self.history] if self.history else [])]

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(source.rows for source in self.all)

    def identity(self) -> dict[str, str]:
        """The content of each file, by the name of its table and its own."""
        return {
            f"{source.where}, file {number} ({path.name})": digest(path)
            for source in self.all
            for number, path in enumerate(source.files)
        }

    def watch(self) -> Callable[[], None]:
        """A function that raises once a file is no longer as it is now."""

        def stamps() -> list[tuple[int, int]]:
            found = (path.stat() for source in self.all for path in source.files)
            return [(one.st_size, one.st_mtime_ns) for one in found]

        known = stamps()

        def unchanged() -> None:
            if stamps() != known:
                raise InputError(
                    "files must stay as they are while they are evaluated; some of "
                    f"{', '.join(source.where for source in self.all)} changed"
                )

        return unchanged

    def check(self, task: Task) -> None:
        """Refuse what shows before all rows are read: columns, types, kinds of ids, no rows."""
        heads = {}
        for source in self.all:
            heads[source.where] = next(
                (table for _, table in source.checked()), source.schema.empty_table()
            ).to_pandas()
        if not self.relevance.rows:
            raise InputError("relevance must hold at least one row; got none, so nobody is judged")
        code({where: head[task.user] for where, head in heads.items()}, task.user)
        items = {where: head[task.item] for where, head in heads.items()}
        if task.items is not None:
            items["items"] = task.items.index.to_series().reset_index(drop=True)
        code(items, task.item)

    def named(self, labels: Sequence[Sequence[Any]]) -> list[Hashable]:
        """Names of all systems, those of each table given its ``labels``."""
        return names_of(list(self.systems), labels, self.system)

    def split(self, tables: Sequence[Any], labels: Sequence[Sequence[Any]]) -> dict[Hashable, Any]:
        """The rows of every system in one part."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.system is None:
            return dict(zip(self.systems, tables, strict=True))
        found = [
            table.filter(pc.equal(table[self.system], pa.scalar(label, table[self.system].type)))
            for table, own in zip(tables, labels, strict=True)
            for label in own
        ]
        return dict(zip(self.named(labels), found, strict=True))

    def refuse_disjoint(self, task: Task, totals: Mapping[Hashable, Totals], history: int) -> None:
        """Tables that share no user at all were probably given other ids.

        ``history`` is the number of judged users that have one.
        """
        some = {
            "recommendations": _some(next(iter(self.systems.values())), task.user),
            "relevance": _some(self.relevance, task.user),
        }
        refuse_strangers(totals, some)
        if self.history is not None and self.history.rows and not history:
            raise InputError(
                "history must have users that are judged; got none in relevance of such as "
                f"{_some(self.history, task.user)}"
            )


@dataclass(frozen=True)
class Reader:
    """What a finished evaluation reads from its files again; ``labels`` are those of each table."""

    tables: Tables
    task: Task
    labels: Sequence[Sequence[Any]]

    def of_user(self, user: Any, system: Hashable) -> tuple[Any, Any, Any]:
        """The rows of one user: of a system, relevance and history."""
        import pyarrow as pa

        label, tables = self.task.user, self.tables
        try:
            relevance = tables.relevance.where_user(label, user)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # an id of another kind
            return None, (), None
        own = [source.where_user(label, user) for source in tables.systems.values()]
        history = None if tables.history is None else tables.history.where_user(label, user)
        return tables.split(own, self.labels)[system], relevance, history

    def items(self, system: Hashable) -> pd.Index[Any]:
        """The distinct items that a system recommends."""
        columns = [self.task.item, *([self.tables.system] if self.tables.system else [])]
        found = pd.Index([])
        for place, source in enumerate(self.tables.systems.values()):
            for _, table in source.batches(columns):
                whole = [one.schema.empty_table().select(columns) for one in self.tables.all]
                whole[place] = table
                own = self.tables.split(whole[: len(self.labels)], self.labels)[system]
                found = found.union(own[self.task.item].unique().to_pandas())
        return found

    def judged_items(self) -> pd.Index[Any]:
        """The distinct items in relevance."""
        found = pd.Index([])
        for _, table in self.tables.relevance.batches([self.task.item]):
            found = found.union(table[self.task.item].unique().to_pandas())
        return found

    def kind_of_items(self) -> str:
        """Whether item ids are "integer" or "text"."""
        import pyarrow as pa

        kind = self.tables.relevance.schema.field(self.task.item).type
        return "integer" if pa.types.is_integer(kind) else "text"


def names_of(
    tables: Sequence[Hashable], labels: Sequence[Sequence[Any]], system: str | None
) -> list[Hashable]:
    """Names of all systems: of the tables, or of the labels in their columns."""
    if system is None:
        return list(tables)
    names: list[Hashable] = [
        f"{name}/{label}" if name != "" else label
        for name, own in zip(tables, labels, strict=True)
        for label in own
    ]
    if len(set(names)) < len(names):
        raise InputError(f"recommendations must hold each system once; got {names}")
    return names


def _some(source: Source, user: str) -> list[Any]:
    """A few users of a table."""
    heads = (table for _, table in source.batches([user]))
    users = next(heads, source.schema.empty_table())[user]
    return list(pd.unique(users.slice(0, 1000).to_pandas())[:SHOWN].tolist())
