"""Ranges of user ids: a part holds whole users, and parts follow one another in ascending order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import InputError, IntArray
from receval.large.sources import Source
from receval.tables.columns import column

EVERY = 4093  # one row in so many is looked at to cut ranges; a prime, so that no period meets it


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


def scan(source: Source, user: str, system: str | None, progress: Any) -> Scan:
    """Read the columns of users and systems once."""
    import pyarrow.compute as pc

    found, last = Scan(), None
    known: dict[Any, None] = {}
    for row, table in source.batches([user] if system is None else [user, system]):
        users = table[user].combine_chunks()
        if last is not None and users[0].is_valid:
            found.ascending &= last <= users[0].as_py()
        if found.ascending:
            rising = pc.less_equal(users.slice(0, len(users) - 1), users.slice(1))
            found.ascending = pc.all(rising, min_count=0).as_py() is not False
        last = users[-1].as_py()
        # Missing users are refused where all columns are read, with their row.
        found.sample += (
            users.take(np.arange(-row % EVERY, len(users), EVERY)).drop_null().to_pylist()
        )
        if system is not None:
            labels = column(table, system, source.where)
            if labels.isna().any():
                raise InputError(
                    f"{system} of {source.where} must not be missing; a row belongs to no system"
                )
            known.update(dict.fromkeys(labels.unique().tolist()))
        progress.update(table.num_rows)
        if last is None:
            found.ascending = False
    found.systems = list(known)
    return found


def bounds_of(samples: Sequence[Any], rows_in_part: int) -> list[Any]:
    """Users that begin a part, so that parts have about so many rows.

    All users before the first bound are the first part; a user with more rows is a part alone.
    """
    step = max(rows_in_part // EVERY, 1)
    return list(dict.fromkeys(sorted(samples)[step::step]))


def part_of(users: Any, bounds: Sequence[Any]) -> IntArray:
    """For each user of an Arrow array the number of bounds that are at most it."""
    import pyarrow as pa

    if pa.types.is_integer(users.type):
        own: npt.NDArray[Any] = users.to_numpy(zero_copy_only=False)
        limits = np.iinfo(own.dtype)
        # Bounds of another table may lie outside what this one's type can hold.
        inside = [bound for bound in bounds if limits.min <= bound <= limits.max]
        below = int(sum(bound < limits.min for bound in bounds))
        after = np.searchsorted(np.array(inside, own.dtype), own, side="right")
        return np.asarray(after + below, np.int64)
    coded = users.dictionary_encode()
    by_text = _text_places(coded.dictionary, pa.array(bounds, users.type))
    places: IntArray = by_text[coded.indices.to_numpy(zero_copy_only=False)]
    return places


def _text_places(users: Any, bounds: Any) -> IntArray:
    """As ``searchsorted(side="right")`` of texts by code point: a binary search of all at once."""
    import pyarrow.compute as pc

    low, high = np.zeros(len(users), np.int64), np.full(len(users), len(bounds), np.int64)
    for _ in range(len(bounds).bit_length()):
        unsure = low < high
        middle = (low + high) // 2
        at = bounds.take(np.minimum(middle, len(bounds) - 1))
        above = pc.greater_equal(users, at).to_numpy(zero_copy_only=False)
        low = np.where(unsure & above, middle + 1, low)
        high = np.where(unsure & ~above, middle, high)
    return low
