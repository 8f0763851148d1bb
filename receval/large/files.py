"""Evaluating Parquet files part by part."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from pathlib import Path
from typing import Any

from receval._checks import HasChanged, InputError, input_error
from receval._progress import progress_bar
from receval.engine.file import identity_of
from receval.engine.measured import MemoryResult
from receval.engine.measuring import PROGRESS_BAR_ROWS
from receval.large.parts import bounds_of, in_order, probe_sort_order, spilled
from receval.large.sources import ParquetTable
from receval.large.tables import PartedTables
from receval.large.totals import Part, measure_part

PART_ROWS = 1 << 20  # rows of all tables together that one part should have


class ParquetTables(PartedTables):
    """Parquet files as tables."""

    all: dict[str, ParquetTable]

    evaluated: list[tuple[int, ...]] | None = None

    def stamps(self) -> list[tuple[int, ...]]:
        """What changes when a file does; refused if a file can't be read any more."""
        paths = [path for source in self.all.values() for path in source.files]
        try:
            return [identity_of(path.stat()) for path in paths]
        except OSError as error:
            got = f"{error.filename} ({error.strerror})"
            raise HasChanged(f"files must stay where they are; got none at {got}") from None

    def of_user(self, user: Any, system: Hashable) -> MemoryResult | None:
        """One user measured again from the files; refused if one of these has changed."""
        names = [path.name for source in self.all.values() for path in source.files]
        for name, now, then in zip(names, self.stamps(), self.evaluated or [], strict=True):
            if now != then:
                raise HasChanged(f"{name} has changed since it was evaluated. Evaluate it again")
        return super().of_user(user, system)

    def parts(self, path: Path, progress: bool | None) -> Generator[Part]:
        """Every part, measured; rows that are not sorted go to a file beside the output."""
        files = [file for source in self.all.values() for file in source.files]
        if path.exists() and any(map(path.samefile, files)):
            raise InputError(f"output must not be one of the tables; got {path.name}")
        stamps, user = self.stamps(), self.task.given.user
        rows = sum(source.rows for source in self.all.values())
        how: dict[str, Any] = {"unit": "row", "unit_scale": True, "desc": "evaluate"}
        with progress_bar(
            progress, unasked=rows >= PROGRESS_BAR_ROWS, total=rows * 2, **how
        ) as bar:
            scans = [probe_sort_order(source, user, bar) for source in self.all.values()]
            bounds = bounds_of([one for _, sample in scans for one in sample], PART_ROWS)
            streams = [
                in_order(source, user, bounds, bar)
                if ascending
                else spilled(source, user, bounds, bar, path.parent)
                for source, (ascending, _) in zip(self.all.values(), scans, strict=True)
            ]
            part = None
            for found in zip(*streams, strict=True):
                tables = dict(zip(self.all, found, strict=True))
                part = measure_part(self.task, tables, self.systems, part)
                yield part
        if self.stamps() != stamps:
            got = f"changes in {', '.join(self.all)}"
            raise input_error("files", "stay as they are while they are evaluated", got)
        self.evaluated = stamps
