"""Evaluate Parquet files part by part."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from pathlib import Path

from receval._checks import InputError
from receval._threads import progress_bar
from receval.evaluation.large.parts import (
    part_bounds,
    probe_sort_order,
    split_by_spilling,
    split_sorted,
)
from receval.evaluation.large.sources import ParquetTable
from receval.evaluation.large.tables import PartedTables
from receval.evaluation.large.totals import Part, measure_part
from receval.evaluation.measured import ValuesOnlyResult
from receval.evaluation.measuring import PROGRESS_BAR_ROWS

PART_ROWS = 1 << 20
"""The number of rows of all tables together that one part should have."""


class ParquetTables(PartedTables[ParquetTable]):
    """The tables of an evaluation as Parquet files."""

    def evaluate(
        self, output: Path | None, *, progress: bool | None
    ) -> dict[Hashable, ValuesOnlyResult]:
        """Measure all parts and return the results by system; ``output`` must be another file."""
        files = [path for source in self.sources.values() for path in source.files]
        if output is not None and output.exists() and any(map(output.samefile, files)):
            raise InputError(f"output must not be one of the tables; got {output.name}")
        return super().evaluate(output, progress=progress)

    def parts(self, folder: Path, *, progress: bool | None) -> Generator[Part]:
        """Measure every part and yield its results by system.

        receval first reads the users of every table to choose the parts, and then all columns. If a
        table isn't sorted by user, receval sorts its rows with a temporary file in ``folder``.
        """
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
                    streams.append(split_by_spilling(source, user_column, bounds, bar, folder))
            part = None
            for tables_of_part in zip(*streams, strict=True):
                tables = dict(zip(self.sources, tables_of_part, strict=True))
                # `part` already has the facts about the tables as a whole, so pass it on.
                part = measure_part(self.task, tables, self.systems, part)
                yield part
