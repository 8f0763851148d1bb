"""Cutting tables into parts of whole users, which follow one another in ascending order.

Where a table is sorted by user it is read straight through; else its rows go through the disk once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from receval._checks import IntArray
from receval.engine.measuring import labels
from receval.engine.task import Task
from receval.large.sources import Source

EVERY = 4093  # one row in so many is looked at to cut parts; a prime, so that no period meets it
SPILL_ROWS = 1 << 21  # rows that are held and sorted at once


@dataclass
class Scan:
    """What one reading of the user column tells.

    Attributes
    ----------
    ascending : bool
        Whether the rows are sorted by user.
    sample : list
        The user of one row in `EVERY`.
    systems : list
        Names in the column of systems, in order of appearance.
    """

    ascending: bool = True
    sample: list[Any] = field(default_factory=list)
    systems: list[Any] = field(default_factory=list)


def scan(source: Source, task: Task, bar: Any) -> Scan:
    """Read the columns of users and systems once."""
    import pyarrow.compute as pc

    found, last, user = Scan(), None, task.given.user
    wanted = [name for name in source.schema.names if name in (user, task.given.system)]
    for row, table in source.batches(wanted):
        users = table[user].combine_chunks()
        if last is not None and users[0].is_valid:
            found.ascending &= last <= users[0].as_py()
        if found.ascending:
            rising = pc.less_equal(users.slice(0, len(users) - 1), users.slice(1))
            found.ascending = pc.all(rising, min_count=0).as_py() is not False
        last = users[-1].as_py()
        # Missing users are refused where all columns are read, with their row.
        sample = users.take(np.arange(-row % EVERY, len(users), EVERY))
        found.sample += sample.drop_null().to_pylist()
        if len(wanted) > 1:
            own = labels(task, table, source.wanted.where)
            found.systems = list(dict.fromkeys([*found.systems, *own]))
        bar.update(table.num_rows)
        found.ascending &= last is not None
    return found


def bounds_of(samples: Sequence[Any], rows_in_part: int) -> list[Any]:
    """Users that begin a part, so that parts have about so many rows.

    All users before the first bound are the first part; a user with more rows is a part alone.
    """
    step = max(rows_in_part // EVERY, 1)
    return list(dict.fromkeys(sorted(samples)[step::step]))


def in_order(source: Source, user: str, bounds: Sequence[Any], bar: Any) -> Iterator[Any]:
    """The rows of each part of a table that is sorted by user."""
    import pyarrow as pa

    empty = source.schema.empty_table()
    part, waiting = 0, [empty]
    for _, table in source.checked():
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


def spilled(
    source: Source, user: str, bounds: Sequence[Any], aside: Path, bar: Any
) -> Iterator[Any]:
    """The rows of each part; they go to files aside first, in which every part is a batch."""
    import pyarrow as pa

    spills: list[tuple[Path, dict[int, int]]] = []
    waiting: list[Any] = []
    rows = 0
    for first, table in source.checked():
        waiting.append(table)
        rows += table.num_rows
        bar.update(table.num_rows)
        if rows >= SPILL_ROWS or first + table.num_rows == source.rows:
            path = aside / f"{len(spills)}.arrow"
            spills.append((path, _spill(pa.concat_tables(waiting), user, bounds, path)))
            waiting, rows = [], 0
    for part in range(len(bounds) + 1):
        found = [source.schema.empty_table()]
        for path, batches in spills:
            if part in batches:
                with pa.OSFile(str(path)) as file:
                    batch = pa.ipc.open_file(file).get_batch(batches[part])
                    found.append(pa.Table.from_batches([batch]))
        table = pa.concat_tables(found)
        bar.update(table.num_rows)
        yield table


def _spill(table: Any, user: str, bounds: Sequence[Any], path: Path) -> dict[int, int]:
    """Write rows by part, in the order they came in; answer the batch of each part."""
    import pyarrow as pa

    parts = part_of(table[user].combine_chunks(), bounds)
    small = parts.astype(np.uint16) if len(bounds) < 1 << 16 else parts  # sorted by radix
    table = table.take(np.argsort(small, kind="stable"))
    numbers, sizes = np.unique(parts, return_counts=True)
    options = pa.ipc.IpcWriteOptions(compression="lz4" if pa.Codec.is_available("lz4") else None)
    path.parent.mkdir(exist_ok=True)
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_file(file, table.schema, options=options) as writer,
    ):
        for end, size in zip(np.cumsum(sizes), sizes, strict=True):
            (batch,) = table.slice(end - size, size).combine_chunks().to_batches()
            writer.write_batch(batch)
    return {number: batch for batch, number in enumerate(numbers.tolist())}


def part_of(users: Any, bounds: Sequence[Any]) -> IntArray:
    """For each user of an Arrow array the number of bounds that are at most it."""
    coded = users.dictionary_encode()
    # As objects, since bounds of another table may lie outside what the type of this one can hold.
    distinct = coded.dictionary.to_numpy(zero_copy_only=False).astype(object)
    parts = np.searchsorted(np.array(bounds, object), distinct, side="right")
    return np.asarray(parts[coded.indices.to_numpy(zero_copy_only=False)], np.int64)
