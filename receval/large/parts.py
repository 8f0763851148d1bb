"""Cutting tables into parts of whole users, which follow one another in ascending order.

Where a table is sorted by user it is read straight through; else its rows go through the disk once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from receval._checks import IntArray
from receval._files import write_errors
from receval.large.sources import ParquetTable

EVERY = 4093  # one row in so many is looked at to cut parts; a prime, so that no period meets it
SPILL_ROWS = 1 << 21  # rows that are held and sorted at once


def probe_sort_order(source: ParquetTable, user: str, bar: Any) -> tuple[bool, list[Any]]:
    """Whether the rows are sorted by user, and the user of one row in `EVERY`, by one reading."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ascending, sample = True, list[Any]()
    last = pa.array([], source.schema.field(user).type)
    for row, table in source.batches([user]):
        users = table[user].combine_chunks()
        if ascending:
            following = pa.concat_arrays([last, users])
            rising = pc.less_equal(following[:-1], following[1:])
            ascending = pc.all(rising, min_count=0).as_py()
        last = users[-1:]
        # Missing users are refused where all columns are read, with their row.
        places = np.arange(-row % EVERY, len(users), EVERY)
        sample += users.take(places).drop_null().to_pylist()
        bar.update(table.num_rows)
    return ascending, sample


def bounds_of(samples: Sequence[Any], rows_in_part: int) -> list[Any]:
    """Users that begin a part, so that parts have about so many rows.

    All users before the first bound are the first part; a user with more rows is a part alone.
    """
    step = max(rows_in_part // EVERY, 1)
    return list(dict.fromkeys(sorted(samples)[step::step]))


def in_order(source: ParquetTable, user: str, bounds: Sequence[Any], bar: Any) -> Iterator[Any]:
    """The rows of each part of a table that is sorted by user."""
    import pyarrow as pa

    empty = source.schema.empty_table()
    part, waiting = 0, [empty]
    for _, table in source.checked():
        for number, rows in _by_part(table, user, bounds):
            for _ in range(part, number):
                yield pa.concat_tables(waiting)
                part, waiting = part + 1, [empty]
            waiting.append(rows)
        bar.update(table.num_rows)
    for _ in range(part, len(bounds) + 1):
        yield pa.concat_tables(waiting)
        waiting = [empty]


def spilled(
    source: ParquetTable, user: str, bounds: Sequence[Any], bar: Any, folder: Path
) -> Iterator[Any]:
    """The rows of each part; they go to a file first, in which a batch has rows of one part."""
    import pyarrow as pa

    bar.total += source.rows
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed below)
    try:
        with write_errors(f"the temporary file in {folder}"):
            batches = _spill(source, user, bounds, bar, file)
        spill = pa.ipc.open_file(file)
        for batch_numbers in batches:
            table = pa.Table.from_batches(map(spill.get_batch, batch_numbers), source.schema)
            bar.update(table.num_rows)
            yield table
    finally:
        with suppress(OSError):  # what its buffer still holds finds no room on a full disk
            file.close()


def _spill(
    source: ParquetTable, user: str, bounds: Sequence[Any], bar: Any, file: Any
) -> list[list[int]]:
    """Write rows by part, in the order they came in; answer the batches of each part."""
    import pyarrow as pa

    batches: list[list[int]] = [[] for _ in range(len(bounds) + 1)]
    number, waiting = count(), list[Any]()
    options = pa.ipc.IpcWriteOptions(compression="lz4" if pa.Codec.is_available("lz4") else None)
    with pa.ipc.new_file(file, source.schema, options=options) as writer:
        for first, table in source.checked():
            waiting.append(table)
            bar.update(table.num_rows)
            if sum(map(len, waiting)) >= SPILL_ROWS or first + table.num_rows == source.rows:
                for part, rows in _by_part(pa.concat_tables(waiting), user, bounds):
                    writer.write_table(rows.combine_chunks())
                    batches[part].append(next(number))
                waiting.clear()
                del rows  # of which memory holds the whole table
    return batches


def _by_part(table: Any, user: str, bounds: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """The rows of each part that a table has any of, in the order they came in."""
    parts = part_index(table[user].combine_chunks(), bounds)
    if (parts[1:] < parts[:-1]).any():
        small = parts.astype(np.uint16) if len(bounds) < 1 << 16 else parts  # sorted by radix
        table = table.take(np.argsort(small, kind="stable"))
    numbers, sizes = np.unique(parts, return_counts=True)
    for number, size, end in zip(numbers.tolist(), sizes, np.cumsum(sizes), strict=True):
        yield number, table.slice(end - size, size)


def part_index(users: Any, bounds: Sequence[Any]) -> IntArray:
    """For each user of an Arrow array the number of bounds that are at most it."""
    coded = users.dictionary_encode()
    # As objects, since bounds of another table may lie outside what the type of this one can hold.
    distinct = coded.dictionary.to_numpy(zero_copy_only=False).astype(object)
    parts = np.searchsorted(np.array(bounds, object), distinct, side="right")
    return np.asarray(parts[coded.indices.to_numpy(zero_copy_only=False)], np.int64)
