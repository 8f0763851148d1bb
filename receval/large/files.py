"""Evaluating Parquet files part by part."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from receval._checks import InputError
from receval._progress import progress_bar
from receval.engine.file import Stored, Writer
from receval.engine.measuring import LONG
from receval.engine.task import Task
from receval.large.parts import bounds_of, by_part, scan
from receval.large.sources import Source, parquet_files
from receval.large.tables import PartedTables, Wanted
from receval.large.totals import Part, measure_part, merged, refuse_apart
from receval.tables.ids import code

PART_ROWS = 1 << 20  # rows of all tables together that one part should have


class Files(PartedTables):
    """Parquet files as tables."""

    all: dict[str, Source]

    def __init__(
        self, task: Task, recommendations: Mapping[Hashable, Any], relevance: Any, history: Any
    ) -> None:
        def opened(path: Any, wanted: Wanted) -> Source:
            return Source(wanted, parquet_files(path, wanted.where))

        super().__init__(task, recommendations, relevance, history, opened)

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(source.rows for source in self.all.values())

    def stamps(self) -> list[tuple[int, int]]:
        """What changes when a file does."""
        found = (path.stat() for source in self.all.values() for path in source.files)
        return [(one.st_size, one.st_mtime_ns) for one in found]

    def check(self, output: Path | None) -> None:
        """Refuse what shows before all rows are read: columns, types, kinds of ids, no rows."""
        files = [path for source in self.all.values() for path in source.files]
        if output is not None and output.exists() and any(map(output.samefile, files)):
            raise InputError(f"output must not be one of the tables; got {output.name}")
        heads = {}
        for where, source in self.all.items():
            first = next((table for _, table in source.checked()), source.schema.empty_table())
            heads[where] = first.to_pandas()
        if not self.all["relevance"].rows:
            raise InputError("relevance must hold at least one row; got none, so nobody is judged")
        task = self.task
        code({where: head[task.user] for where, head in heads.items()}, task.user)
        items = {where: head[task.item] for where, head in heads.items()}
        if task.items is not None:
            items["items"] = task.items.index.to_series().reset_index(drop=True)
        code(items, task.item)

    def rows_of_user(self, user: Any) -> dict[str, Any] | None:
        """The rows of a user in every table; None if the id is of another kind."""
        import pyarrow as pa

        try:
            return {where: one.rows_of(self.task.user, user) for where, one in self.all.items()}
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            return None

    def foreign(self, system: Hashable) -> int:
        """How many items a system recommends, if none of them is in relevance; else 0."""
        item, found, judged = self.task.item, set[Any](), set[Any]()
        for _, table in self.all["relevance"].batches([item]):
            judged.update(table[item].unique().to_pylist())
        empty = {where: source.schema.empty_table() for where, source in self.all.items()}
        for where in self.names.values():
            for _, table in self.all[where].batches():
                own = self.split({**empty, where: table})[system]
                found.update(own[item].unique().to_pylist())
        return 0 if found & judged else len(found)


def evaluate_files(
    files: Files, path: Path, *, output: Path | None, progress: bool | None
) -> dict[Hashable, Stored]:
    """Evaluate files part by part; values of users go to the file of a path."""
    files.check(output)
    stamps, kind = files.stamps(), files.all["relevance"].schema.field(files.task.user).type
    with (
        tempfile.TemporaryDirectory(prefix=".receval-", dir=path.parent) as aside,
        Writer(path, kind) as writer,
    ):
        whole = _measure(files, Path(aside), writer, progress)
        if files.stamps() != stamps:
            raise InputError(
                "files must stay as they are while they are evaluated; some of "
                f"{', '.join(files.all)} changed"
            )
        refuse_apart(whole)
        found = files.stored(whole, writer)
        writer.finish(files.task, files.task.context, found)
    return found


def _measure(files: Files, aside: Path, writer: Writer, progress: bool | None) -> Part:
    """Measure part after part: values go to the writer, all else is added up."""
    task, long = files.task, files.rows >= LONG
    how: dict[str, Any] = {"unit": "row", "unit_scale": True, "desc": "evaluate"}
    with progress_bar(progress, unasked=long, total=files.rows * 2, **how) as bar:
        own = files.names.values()
        scans = {
            where: scan(source, task.user, task.system if where in own else None, bar)
            for where, source in files.all.items()
        }
        files.systems = [scans[where].systems for where in own]
        bounds = bounds_of([user for one in scans.values() for user in one.sample], PART_ROWS)
        streams = []
        for number, (where, source) in enumerate(files.all.items()):
            folder = None if scans[where].ascending else aside / str(number)
            bar.total += 0 if folder is None else source.rows
            streams.append(by_part(source, task.user, bounds, folder, bar))
        whole, apart = None, replace(task, system=None)
        for rows in zip(*streams, strict=True):
            tables = dict(zip(files.all, rows, strict=True))
            part = measure_part(apart, files.split(tables), tables, whole)
            writer.add(part.values)
            whole = part if whole is None else merged([whole, part], task)
    assert whole is not None
    return whole
