"""The rows of each part of the users: streamed where they are sorted, else through the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from receval.large.journal import Journal
from receval.large.ranges import EVERY, part_of
from receval.large.sources import Source

SPILL_ROWS = 1 << 21  # rows that are held and sorted at once


def streamed(
    source: Source, user: str, bounds: Sequence[Any], first: int, sample: Sequence[Any], bar: Any
) -> Iterator[Any]:
    """Tables of the parts from ``first`` on, of rows that are sorted by user.

    ``sample`` is the user of one row in `EVERY`, by which the reading begins near the first part.
    """
    import pyarrow as pa

    empty = source.schema.empty_table()
    before = sum(one < bounds[first - 1] for one in sample) if first else 0
    part, waiting = first, [empty]
    for _, table in source.checked(max(before - 1, 0) * EVERY):
        parts = part_of(table[user].combine_chunks(), bounds)
        edges = np.searchsorted(parts, np.arange(part, parts[-1] + 2))
        for low, high in pairwise(edges):
            waiting.append(table.slice(low, high - low))
            if high < table.num_rows:
                yield pa.concat_tables(waiting)
                part, waiting = part + 1, [empty]
        bar.update(table.num_rows)
    for _ in range(part, len(bounds) + 1):
        yield pa.concat_tables(waiting)
        waiting = [empty]


def spill(
    source: Source, user: str, bounds: Sequence[Any], journal: Journal, name: str, bar: Any
) -> None:
    """Write the rows aside in files of so many rows each, in which every part lies together."""
    import pyarrow as pa

    count = -(-source.rows // SPILL_ROWS)
    ready = sum(f"{name}-{number:05d}" in journal.done for number in range(count))
    bar.update(min(ready * SPILL_ROWS, source.rows))
    waiting: list[Any] = []
    if ready == count:
        return
    for row, table in source.checked(ready * SPILL_ROWS):
        waiting.append(table)
        bar.update(table.num_rows)
        end = row + table.num_rows
        while end >= (ready + 1) * SPILL_ROWS or end == source.rows:
            rest = max(end - (ready + 1) * SPILL_ROWS, 0)
            whole = pa.concat_tables(waiting)
            waiting = [whole.slice(whole.num_rows - rest)] if rest else []
            _write(
                whole.slice(0, whole.num_rows - rest), user, bounds, journal, f"{name}-{ready:05d}"
            )
            ready += 1
            if ready == count:
                return


def spilled(
    source: Source, bounds: Sequence[Any], first: int, journal: Journal, name: str, bar: Any
) -> Iterator[Any]:
    """Tables of the parts from ``first`` on, of rows that `spill` has written aside."""
    import pyarrow as pa

    names = sorted(step for step in journal.done if step.startswith(f"{name}-"))
    for part in range(first, len(bounds) + 1):
        found = [source.schema.empty_table()]
        for step in names:
            (path,) = journal.done[step]["files"]
            places = journal.done[step]["parts"]
            if str(part) in places:
                with pa.OSFile(str(journal.folder / path)) as file:
                    batch = pa.ipc.open_file(file).get_batch(places[str(part)])
                    found.append(pa.Table.from_batches([batch]))
        table = pa.concat_tables(found)
        bar.update(table.num_rows)
        yield table


def _write(table: Any, user: str, bounds: Sequence[Any], journal: Journal, step: str) -> None:
    """Write one file, the rows of each part as one batch, in the order they came in."""
    import pyarrow as pa

    parts = part_of(table[user].combine_chunks(), bounds)
    small = parts.astype(np.uint16) if len(bounds) < 1 << 16 else parts  # sorted by radix
    table = table.take(np.argsort(small, kind="stable"))
    numbers, sizes = np.unique(parts, return_counts=True)
    ends = np.cumsum(sizes)
    options = pa.ipc.IpcWriteOptions(compression="lz4" if pa.Codec.is_available("lz4") else None)

    def fill(file: Any) -> None:
        with pa.ipc.new_file(file, table.schema, options=options) as writer:
            for end, size in zip(ends, sizes, strict=True):
                (batch,) = table.slice(end - size, size).combine_chunks().to_batches()
                writer.write_batch(batch)

    places = {str(number): place for place, number in enumerate(numbers.tolist())}
    journal.record(step, {f"work/{step}.arrow": fill}, {"parts": places})
