"""Cut tables into parts, each with all rows of its users.

Parts are in ascending order of their users. If a table is sorted by user, receval simply reads it
from beginning to end. Otherwise, it writes the rows to a temporary file and reads them part by
part.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np

from receval._checks import AnyArray, IntArray
from receval._files import name_file_in_errors
from receval.evaluation.large.sources import ParquetTable

if TYPE_CHECKING:
    import pyarrow as pa
    from tqdm import tqdm

EVERY = 4093
"""receval chooses the bounds of the parts from the users of every 4093rd row.

The number is prime, so it has no factor in common with any smaller period in the order of the rows.
"""

SPILL_ROWS = 1 << 21
"""The number of rows that receval holds in memory and sorts at a time."""

Users: TypeAlias = list[Any]
"""User ids, all numbers or all texts, so that they can be sorted."""


def probe_sort_order(source: ParquetTable, user_column: str, bar: tqdm[Any]) -> tuple[bool, Users]:
    """Read the users of a table. Return whether they are in ascending order, and a sample of them.

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
            # Compare the last user of the previous batch with the first user of this batch, too.
            with_last_user = pa.concat_arrays([last_user, users])
            is_in_order = pc.less_equal(with_last_user[:-1], with_last_user[1:])
            # If the first batch has a single row, it has no pairs. `min_count=0` makes this True.
            is_ascending = pc.all(is_in_order, min_count=0).as_py()
        last_user = users[-1:]
        # The sample has the rows whose number in the table is a multiple of `EVERY`. The first of
        # them in this batch is at position `-first_row % EVERY`. A short batch may have no
        # such row. Leave out missing users here; receval raises an error about them later, when it
        # reads all columns.
        sample_rows = np.arange(-first_row % EVERY, len(users), EVERY)
        sample += users.take(sample_rows).drop_null().to_pylist()
        bar.update(table.num_rows)
    return is_ascending, sample


def part_bounds(sample: Users, rows_in_part: int) -> Users:
    """Return the bounds: the users with whom a new part begins, in ascending order.

    A part is some of the users with all their rows. ``sample`` has a user for every `EVERY` rows of
    all tables. Each part has about ``rows_in_part`` rows, or more if a single user has more. The
    first part has all users below the first bound.
    """
    step = max(rows_in_part // EVERY, 1)  # number of sampled users in a part
    # Every `step`-th user of the sorted sample begins a part, except the first user. A user with
    # many rows may be there several times, but is only one bound.
    return list(dict.fromkeys(sorted(sample)[step::step]))


def split_sorted(
    source: ParquetTable, user_column: str, bounds: Users, bar: tqdm[Any]
) -> Iterator[pa.Table]:
    """Yield the rows of each part of a table that is sorted by user.

    A part is some of the users with all their rows. If the table has no rows of a part, the
    function yields an empty table. See `part_bounds` for the ``bounds``. ``bar`` is a progress bar
    that counts rows.
    """
    import pyarrow as pa

    empty = source.schema.empty_table()
    current_part = 0
    tables = [empty]  # the rows of the current part, so far
    for _, table in source.checked_batches():
        for part, rows in _split_by_part(table, user_column, bounds):
            # If there are rows of a later part, the current part is complete. Parts in between have
            # no rows.
            while current_part < part:
                yield pa.concat_tables(tables)
                current_part += 1
                tables = [empty]
            tables.append(rows)
        bar.update(table.num_rows)
    # Now the current part is complete, too. The parts after it have no rows.
    for _ in range(current_part, len(bounds) + 1):
        yield pa.concat_tables(tables)
        tables = [empty]


def split_by_spilling(
    source: ParquetTable, user_column: str, bounds: Users, bar: tqdm[Any], folder: Path
) -> Iterator[pa.Table]:
    """Yield the rows of each part of a table whose rows are in any order.

    A part is some of the users with all their rows. The function first writes the rows to a
    temporary file in ``folder``, in batches; each batch belongs to one part. ``bar`` is a progress
    bar that counts rows. If the table has no rows of a part, the function yields an empty table.
    See `part_bounds` for the ``bounds``.
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
        with suppress(OSError):  # a full disk may have no room for the rest of the file's buffer
            file.close()


def _spill(
    source: ParquetTable, user_column: str, bounds: Users, bar: tqdm[Any], file: IO[bytes]
) -> list[list[int]]:
    """Write the rows of a table to a file, in batches; each batch belongs to one part.

    The rows of a part stay in the order of the table. Returns a list for each part, with the
    numbers of its batches in the file. See `part_bounds` for the ``bounds``.
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
            is_last = first_row + table.num_rows == source.n_rows  # if so, write all waiting rows
            if n_waiting >= SPILL_ROWS or is_last:
                for part, rows in _split_by_part(pa.concat_tables(waiting), user_column, bounds):
                    writer.write_table(rows.combine_chunks())
                    batches_of_parts[part].append(next(batch_numbers))
                waiting.clear()
                del rows  # otherwise this reference would keep the rows in memory
    return batches_of_parts


def _split_by_part(
    table: pa.Table, user_column: str, bounds: Users
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number and the rows of each part that has rows in a table.

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
    # Now the rows of each part are adjacent, so each part is a slice. `parts` is still in the old
    # order, but the numbers and counts of parts do not depend on the order.
    numbers, sizes = np.unique(parts, return_counts=True)
    for number, size, end in zip(numbers.tolist(), sizes, np.cumsum(sizes), strict=True):
        yield number, table.slice(end - size, size)


def part_index(users: pa.Array, bounds: Sequence[Any]) -> IntArray:
    """Return the number (from 0) of the part to which each user of an Arrow array belongs.

    It equals the number of bounds that are not greater than the user.
    """
    encoded = users.dictionary_encode()  # so that each user is looked up once
    # Compare objects, because the type of this table may not hold a bound from another table.
    distinct = encoded.dictionary.to_numpy(zero_copy_only=False).astype(object)
    parts = np.searchsorted(np.array(bounds, object), distinct, side="right")
    return np.asarray(parts[encoded.indices.to_numpy(zero_copy_only=False)], np.int64)
