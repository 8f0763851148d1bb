"""Evaluate Parquet files part by part."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from pathlib import Path

from receval._checks import HasChanged, InputError, input_error
from receval._progress import progress_bar
from receval._types import Id
from receval.engine.file import FileIdentity, identity_of
from receval.engine.large.parts import (
    part_bounds,
    probe_sort_order,
    split_by_spilling,
    split_sorted,
)
from receval.engine.large.sources import ParquetTable
from receval.engine.large.tables import PartedTables
from receval.engine.large.totals import Part, measure_part
from receval.engine.measured import MemoryResult
from receval.engine.measuring import PROGRESS_BAR_ROWS

PART_ROWS = 1 << 20
"""The number of rows of all tables together that one part should have."""


class ParquetTables(PartedTables[ParquetTable]):
    """The tables of an evaluation as Parquet files.

    Attributes
    ----------
    evaluated : list, optional
        The `identities` of the files at the time when they were evaluated.
    """

    evaluated: list[FileIdentity] | None = None

    @property
    def files(self) -> list[Path]:
        """Return the files of all tables."""
        return [path for source in self.sources.values() for path in source.files]

    def identities(self) -> list[FileIdentity]:
        """Return, for each file, numbers that change if the file is replaced or edited.

        Raises an error if a file can't be read any more.
        """
        try:
            return [identity_of(path.stat()) for path in self.files]
        except OSError as error:
            got = f"{error.filename} ({error.strerror})"
            raise HasChanged(f"files must stay where they are; got none at {got}") from None

    def of_user(self, user: Id, system: Hashable) -> MemoryResult | None:
        """Measure one user again from the files; raise an error if a file has changed."""
        # `parts` sets `evaluated` at its end, and nothing calls `of_user` before that.
        evaluated = self.evaluated or []
        for path, now, before in zip(self.files, self.identities(), evaluated, strict=True):
            if now != before:
                raise HasChanged(
                    f"{path.name} has changed since it was evaluated. Evaluate it again"
                )
        return super().of_user(user, system)

    def parts(self, path: Path, *, progress: bool | None) -> Generator[Part]:
        """Measure every part and yield its results by system.

        receval first reads the users of every table to choose the parts, and then all columns.
        ``path`` is the file in which the output will be saved. If a table isn't sorted by user,
        receval sorts its rows with a temporary file in the same folder. Raises an error if a file
        changes meanwhile.
        """
        if path.exists() and any(path.samefile(file) for file in self.files):
            raise InputError(f"output must not be one of the tables; got {path.name}")
        identities = self.identities()
        user_column = self.task.column_names.user
        n_rows = sum(source.n_rows for source in self.sources.values())
        with progress_bar(
            progress,
            shown_by_default=n_rows >= PROGRESS_BAR_ROWS,
            total=n_rows * 2,  # each row is read twice: first its user, then all columns
            unit="row",
            unit_scale=True,
            desc="evaluate",
        ) as bar:
            # `place` is the table's name in messages.
            sorted_sources = set()
            sample = []  # users of every table, evenly spaced by row
            for place, source in self.sources.items():
                is_sorted, sample_of_source = probe_sort_order(source, user_column, bar)
                sample += sample_of_source
                if is_sorted:
                    sorted_sources.add(place)
            bounds = part_bounds(sample, PART_ROWS)
            # Each table gets an iterator that yields its rows of every part. All tables have the
            # same parts.
            streams = []
            for place, source in self.sources.items():
                if place in sorted_sources:
                    streams.append(split_sorted(source, user_column, bounds, bar))
                else:
                    folder = path.parent
                    streams.append(split_by_spilling(source, user_column, bounds, bar, folder))
            part = None
            for tables_of_part in zip(*streams, strict=True):
                tables = dict(zip(self.sources, tables_of_part, strict=True))
                # `part` already has the facts about the tables as a whole, so pass it on.
                part = measure_part(self.task, tables, self.systems, part)
                yield part
        if self.identities() != identities:
            got = f"changes in {', '.join(self.sources)}"
            raise input_error("files", "stay as they are while they are evaluated", got)
        self.evaluated = identities
