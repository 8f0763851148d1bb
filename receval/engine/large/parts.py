"""Cut tables into parts, each with all rows of its users; the users of the parts ascend.

A table that is sorted by user is read straight through. The rows of any other table go through the
disk once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np

from receval._checks import IntArray
from receval._files import name_file_in_errors
from receval._types import AnyArray
from receval.engine.large.sources import ParquetTable

if TYPE_CHECKING:
    import pyarrow as pa
    from tqdm import tqdm

EVERY = 4093
"""The bounds of parts are chosen from the users of every 4093rd row.

The number is prime, so that it has no factor in common with a period in the order of the rows.
"""

SPILL_ROWS = 1 << 21
"""The number of rows that are held in memory and sorted at once."""

Users: TypeAlias = list[Any]
"""User ids, all numbers or all texts, so that they can be sorted."""


def probe_sort_order(source: ParquetTable, user_column: str, bar: tqdm[Any]) -> tuple[bool, Users]:
    """Read the users of a table once; return whether they ascend, and a sample of them.

    The sample has the user of every row whose number is a multiple of `EVERY`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_ascending = True
    sample: Users = []
    last_user = pa.array([], source.schema.field(user_column).type)
    for first_row, table in source.batches([user_column]):
        users = table[user_column].combine_chunks()
        if is_ascending:
            # The last user of the batch before is compared with the first one of this batch.
            with_last_user = pa.concat_arrays([last_user, users])
            is_in_order = pc.less_equal(with_last_user[:-1], with_last_user[1:])
            # With `min_count=0` this is True for the single user of a first batch of one row.
            is_ascending = pc.all(is_in_order, min_count=0).as_py()
        last_user = users[-1:]
        # `-first_row % EVERY` is the first row of the batch whose number in the table is a multiple
        # of `EVERY`. A short batch may have no such row. Missing users are left out here; the
        # reading of all columns refuses them.
        sample_rows = np.arange(-first_row % EVERY, len(users), EVERY)
        sample += users.take(sample_rows).drop_null().to_pylist()
        bar.update(table.num_rows)
    return is_ascending, sample


def part_bounds(sample: Users, rows_in_part: int) -> Users:
    """Return the users with whom a new part begins, in ascending order.

    A part is some of the users with all their rows. ``sample`` has a user for every `EVERY` rows of
    all tables. Each part has about ``rows_in_part`` rows, or more if a single user has more. All
    users below the first bound are the first part.
    """
    step = max(rows_in_part // EVERY, 1)  # number of sampled users in a part
    # Every `step`-th user of the sorted sample begins a part, except the first. A user with many
    # rows can be several bounds, of which one is kept.
    return list(dict.fromkeys(sorted(sample)[step::step]))


def split_sorted(
    source: ParquetTable, user_column: str, bounds: Users, bar: tqdm[Any]
) -> Iterator[pa.Table]:
    """Yield the rows of each part of a table that is sorted by user.

    A part is some of the users with all their rows. If it has no row in the table, it is an empty
    table. See `part_bounds` for the ``bounds``. ``bar`` is a progress bar that counts rows.
    """
    import pyarrow as pa

    empty = source.schema.empty_table()
    current_part = 0
    tables = [empty]  # the rows of the current part, so far
    for _, table in source.checked_batches():
        for part, rows in _split_by_part(table, user_column, bounds):
            # Rows of a later part complete the current one, and parts between have no row.
            while current_part < part:
                yield pa.concat_tables(tables)
                current_part += 1
                tables = [empty]
            tables.append(rows)
        bar.update(table.num_rows)
    # Now the current part is complete too. The parts behind it have no row.
    for _ in range(current_part, len(bounds) + 1):
        yield pa.concat_tables(tables)
        tables = [empty]


def split_by_spilling(
    source: ParquetTable, user_column: str, bounds: Users, bar: tqdm[Any], folder: Path
) -> Iterator[pa.Table]:
    """Yield the rows of each part of a table whose rows are in any order.

    A part is some of the users with all their rows. The rows first go to a temporary file in
    ``folder``, in batches that belong to one part each. ``bar`` is a progress bar that counts rows.
    A part that has no row in the table is an empty table. See `part_bounds` for the ``bounds``.
    """
    import pyarrow as pa

    assert bar.total is not None
    bar.total += source.n_rows  # the rows are read a second time, from the temporary file
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed below)
    try:
        with name_file_in_errors(f"the temporary file in {folder}"):
            batches_of_parts = _spill(source, user_column, bounds, bar, file)
            file.flush()  # if the disk is full, fail here, where the error names the file
        spill = pa.ipc.open_file(file)
        for batch_numbers in batches_of_parts:
            batches = (spill.get_batch(number) for number in batch_numbers)
            table = pa.Table.from_batches(batches, source.schema)
            bar.update(table.num_rows)
            yield table
    finally:
        with suppress(OSError):  # a full disk has no room for what the file's buffer still holds
            file.close()


def _spill(
    source: ParquetTable, user_column: str, bounds: Users, bar: tqdm[Any], file: IO[bytes]
) -> list[list[int]]:
    """Write the rows of a table to a file, in batches that belong to one part each.

    The rows of a part stay in the order of the table. Returns for each part the numbers of its
    batches in the file, none if it has no row. See `part_bounds` for the ``bounds``.
    """
    import pyarrow as pa

    batches_of_parts: list[list[int]] = [[] for _ in range(len(bounds) + 1)]
    batch_numbers = count()  # 0, 1, 2, … in the order of writing
    waiting: list[pa.Table] = []  # tables that have been read but not written
    options = pa.ipc.IpcWriteOptions()
    if pa.Codec.is_available("lz4"):
        options.compression = "lz4"
    with pa.ipc.new_file(file, source.schema, options=options) as writer:
        for first_row, table in source.checked_batches():
            waiting.append(table)
            bar.update(table.num_rows)
            n_waiting = sum(len(waiting_table) for waiting_table in waiting)
            is_last = first_row + table.num_rows == source.n_rows  # then nothing may wait any more
            if n_waiting >= SPILL_ROWS or is_last:
                for part, rows in _split_by_part(pa.concat_tables(waiting), user_column, bounds):
                    writer.write_table(rows.combine_chunks())
                    batches_of_parts[part].append(next(batch_numbers))
                waiting.clear()
                del rows  # it would keep all the rows that waited in memory
    return batches_of_parts


def _split_by_part(
    table: pa.Table, user_column: str, bounds: Users
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number of a part and its rows, for each part that has rows in a table.

    Parts come in ascending order, and the rows of a part in the order of the table. See
    `part_bounds` for the ``bounds``.
    """
    # The number of the part of each row.
    parts = part_index(table[user_column].combine_chunks(), bounds)
    if (parts[1:] < parts[:-1]).any():  # the rows of a part are scattered
        # NumPy sorts integers of 16 bits in linear time.
        sort_keys: AnyArray = parts
        if len(bounds) < 1 << 16:
            sort_keys = parts.astype(np.uint16)
        table = table.take(np.argsort(sort_keys, kind="stable"))
    # Now the rows of each part are adjacent, so that it is a slice. `parts` is still in the old
    # order, but the numbers and counts of parts do not depend on it.
    numbers, sizes = np.unique(parts, return_counts=True)
    for number, size, end in zip(numbers.tolist(), sizes, np.cumsum(sizes), strict=True):
        yield number, table.slice(end - size, size)


def part_index(users: pa.Array, bounds: Sequence[Any]) -> IntArray:
    """Return the number of the part to which each user of an Arrow array belongs, from 0.

    That is the number of bounds that are not above the user.
    """
    encoded = users.dictionary_encode()  # so that each user is looked up once
    # As objects, because a bound from another table may be outside the type of this one.
    distinct = encoded.dictionary.to_numpy(zero_copy_only=False).astype(object)
    parts = np.searchsorted(np.array(bounds, object), distinct, side="right")
    return np.asarray(parts[encoded.indices.to_numpy(zero_copy_only=False)], np.int64)
