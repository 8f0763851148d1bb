"""Evaluating Parquet files part by part."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from receval._checks import InputError, refusal
from receval._progress import progress_bar
from receval.engine.file import Stored
from receval.engine.measured import LONG
from receval.engine.task import Task
from receval.large.parts import bounds_of, in_order, scan, spilled
from receval.large.sources import Source, parquet_files
from receval.large.tables import PartedTables, by_system
from receval.large.totals import Part, measure_part
from receval.tables.given import Tables

PART_ROWS = 1 << 20  # rows of all tables together that one part should have


class Files(PartedTables):
    """Parquet files as tables."""

    all: dict[str, Source]

    def __init__(self, task: Task, tables: Tables) -> None:
        super().__init__(
            task, tables, lambda table, wanted: Source(wanted, parquet_files(table, wanted.where))
        )

    def stamps(self) -> list[tuple[int, int]]:
        """What changes when a file does."""
        found = (path.stat() for source in self.all.values() for path in source.files)
        return [(one.st_size, one.st_mtime_ns) for one in found]

    def evaluate(self, path: Path, progress: bool | None) -> dict[Hashable, Stored]:
        """Evaluate in parts; values of users go to the file of a path."""
        self.check(path)
        kind = self.all["relevance"].schema.field(self.task.given.user).type
        with tempfile.TemporaryDirectory(prefix=".receval-", dir=path.parent) as aside:
            return self.evaluated(self.parts(Path(aside), progress), path, kind)

    def check(self, output: Path) -> None:
        """Refuse what shows before all rows are read: columns, types, kinds of ids, no rows."""
        files = [path for source in self.all.values() for path in source.files]
        if output.exists() and any(map(output.samefile, files)):
            raise InputError(f"output must not be one of the tables; got {output.name}")
        heads = {}
        for where, source in self.all.items():
            first = next((table for _, table in source.checked()), source.schema.empty_table())
            heads[where] = first.to_pandas()
        if not self.all["relevance"].rows:
            raise InputError("relevance must hold at least one row; got none, so nobody is judged")
        self.check_kinds(heads)

    def parts(self, aside: Path, progress: bool | None) -> Iterator[Part]:
        """Every part, measured; rows that are not sorted go to a folder ``aside``."""
        task, stamps, user = self.task, self.stamps(), self.task.given.user
        rows = sum(source.rows for source in self.all.values())
        how: dict[str, Any] = {"unit": "row", "unit_scale": True, "desc": "evaluate"}
        with progress_bar(progress, unasked=rows >= LONG, total=rows * 2, **how) as bar:
            scans = {where: scan(one, task, bar) for where, one in self.all.items()}
            if task.given.system is not None:
                self.tell_apart({where: one.systems for where, one in scans.items()})
            bounds = bounds_of([user for one in scans.values() for user in one.sample], PART_ROWS)
            streams = []
            for number, (where, source) in enumerate(self.all.items()):
                if scans[where].ascending:
                    streams.append(in_order(source, user, bounds, bar))
                else:
                    bar.total += source.rows
                    folder = aside / str(number)
                    streams.append(spilled(source, user, bounds, folder, bar))
            part = None
            for found in zip(*streams, strict=True):
                own = dict(zip(self.all, found, strict=True))
                tables = by_system(own, self.systems, task.given.system)
                part = measure_part(task, tables, part)
                yield part
        if self.stamps() != stamps:
            got = f"changes in {', '.join(self.all)}"
            raise refusal("files", "stay as they are while they are evaluated", got)
