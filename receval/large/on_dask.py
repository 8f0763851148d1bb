"""Evaluating Dask frames: Dask brings rows to whole users, parts are measured, sums are added.

Nothing is scheduled here, and no formula is here: a partition after Dask's shuffle is a part, as
those of files are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError
from receval.engine.file import Stored
from receval.engine.task import Tables, Task
from receval.large.frames import frame_of, needed, shuffled
from receval.large.tables import PartedTables, Wanted, by_system
from receval.large.totals import Part, measure_part


class Frames(PartedTables):
    """Dask frames as tables; the ``client`` of a cluster may do the work."""

    def __init__(self, task: Task, tables: Tables, *, client: Any) -> None:
        needed("dask.dataframe")
        if "input" in (task.convention.ties, *dict(task.convention.cut_ties).values()):
            raise InputError("ties must not be 'input' on Dask, which keeps no order of rows")
        self.client = client
        super().__init__(task, tables)
        ids, heads = [task.user, task.item], {}
        for where, one in self.all.items():
            heads[where] = pd.DataFrame("0", [0], ids).astype(one.dtypes[ids])
        self.check_kinds(heads)
        if task.system is not None:
            find = needed("dask").delayed(_labels)
            for where in self.names.values():
                parts = self.all[where].to_delayed()
                found = self.compute([find(part, task, where) for part in parts])
                self.systems.append(list(dict.fromkeys(chain.from_iterable(found))))

    def opened(self, table: Any, wanted: Wanted) -> Any:
        return frame_of(table, wanted)

    def compute(self, tasks: Any) -> Any:
        """What Dask makes of tasks or frames."""
        how = {} if self.client is None else {"scheduler": self.client}
        return needed("dask").compute(tasks, **how)[0]

    def evaluate(self, path: Path, progress: bool | None) -> dict[Hashable, Stored]:  # noqa: ARG002
        import pyarrow as pa

        known = {"int64": pa.int64(), "uint64": pa.uint64()}  # else text
        user_type = known.get(str(self.all["relevance"].dtypes[self.task.user]), pa.large_string())
        return self.evaluated(self.parts(), path, user_type)

    def rows_of_user(self, user: Any) -> dict[str, Any] | None:
        """The rows of a user in every table."""
        label = self.task.user
        found: dict[str, Any] = self.compute(
            {where: frame[frame[label] == user] for where, frame in self.all.items()}
        )
        return found

    def foreign(self, system: Hashable) -> int:
        """How many items a system recommends, if none of them is in relevance; else 0."""
        frames = self.split(self.all).recommendations[system], self.all["relevance"]
        items, judged = self.compute([one[self.task.item].drop_duplicates() for one in frames])
        return 0 if items.isin(judged).any() else len(items)

    def parts(self) -> Iterator[Part]:
        """Every part as soon as it is measured; what a worker loses, Dask computes again."""
        dask = needed("dask")
        frames = shuffled(self.all, self.task.user, self.client)
        how = dask.delayed(self.task), self.names, self.systems
        parts = [
            dask.delayed(_measure)(dict(zip(frames, tables, strict=True)), *how)
            for tables in zip(*frames.values(), strict=True)
        ]
        if self.client is None:
            yield from dask.compute(*parts)
            return
        for future in needed("distributed").as_completed(self.client.compute(parts)):
            yield future.result()


def _measure(
    tables: dict[str, Any], task: Task, names: Mapping[Hashable, str], systems: list[list[Any]]
) -> Part:
    """Measure the partitions of one number."""
    return measure_part(task, by_system(tables, names, systems, task.system))


def _labels(part: Any, task: Task, where: str) -> list[Any]:
    """The systems in a partition, in the order in which rows have them."""
    return list(dict.fromkeys(task.labels(part, where)))
