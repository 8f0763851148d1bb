"""Evaluating Dask frames: Dask brings rows to whole users, parts are measured, sums are added.

Nothing is scheduled here, and no formula is here: a partition after Dask's shuffle is a part, as
those of files are.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pandas as pd

from receval._checks import InputError
from receval.engine.measuring import labels
from receval.engine.task import Task
from receval.large.frames import frame_of, needed, read_by_dask, shuffled
from receval.large.tables import PartedTables, System, Wanted, by_system, with_value
from receval.large.totals import Part, measure_part
from receval.tables.given import Tables


@dataclass(frozen=True)
class Frame:
    """A Dask frame of what is wanted of a table; the ``client`` of a cluster may do the work."""

    wanted: Wanted
    frame: Any
    client: Any

    def head(self) -> pd.DataFrame:
        """Ids of the types of the columns, without a look at any row."""
        ids = list(self.wanted.ids)
        return pd.DataFrame("0", [0], ids).astype(self.frame.dtypes[ids])

    def rows_of(self, column: str, value: object) -> Any:
        """All rows with a value."""
        return computed(with_value(self.frame, column, value), self.client)

    def distinct(self, column: str, rows: tuple[str, Any] | None) -> set[Any]:
        """The values of a column, in all rows or in those with a value in another column."""
        frame = self.frame if rows is None else with_value(self.frame, *rows)
        return set(computed(frame[column].drop_duplicates(), self.client))


class Frames(PartedTables):
    """Dask frames as tables."""

    def __init__(self, task: Task, tables: Tables, client: Any) -> None:
        needed("dask.dataframe")
        if "input" in (task.convention.ties, *dict(task.convention.cut_ties).values()):
            raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
        self.client, self.given = client, tables.by_place
        super().__init__(task, tables, lambda *own: Frame(own[1], frame_of(*own), client))

    def parts(self, *_: Any) -> Generator[Part]:
        """Every part as soon as it is measured; what a worker loses, Dask computes again."""
        dask, client, task = needed("dask"), self.client, self.task
        frames = {where: one.frame for where, one in self.all.items()}
        with read_by_dask(self.given):
            if task.given.system is not None:
                find, found = dask.delayed(_labels), {}
                for where in self.names.values():
                    each = [find(part, task, where) for part in frames[where].to_delayed()]
                    found[where] = dict.fromkeys(chain.from_iterable(computed(each, client)))
                self.tell_apart(found)
            whole = shuffled(frames, task.given.user, client)
            how = dask.delayed(task), self.systems
            parts = [
                dask.delayed(_measure)(dict(zip(whole, tables, strict=True)), *how)
                for tables in zip(*whole.values(), strict=True)
            ]
            if client is None:
                yield from dask.compute(*parts)
                return
            for future in needed("distributed").as_completed(client.compute(parts)):
                yield future.result()


def computed(tasks: Any, client: Any) -> Any:
    """What Dask makes of tasks or a frame."""
    how = {} if client is None else {"scheduler": client}
    return needed("dask").compute(tasks, **how)[0]


def _measure(tables: dict[str, Any], task: Task, systems: Mapping[Hashable, System]) -> Part:
    """Measure the partitions of one number."""
    return measure_part(task, by_system(tables, systems, task.given.system))


def _labels(part: Any, task: Task, where: str) -> list[Any]:
    """The systems in a partition, in the order in which rows have them."""
    return list(dict.fromkeys(labels(task, part, where)))
