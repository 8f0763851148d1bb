"""Matching recommendations to relevance: which grade each recommended item has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray
from receval.tables.codes import Ids

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits all over


@dataclass(frozen=True)
class Lines:
    """Rows of relevance and recommendations, side by side for each user, in the tables' order.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    owned, items : item codes of the relevance rows and of the recommendations, or the short texts
        themselves as words of 64 bits.
    not_owned, not_listed : where there is no such row; None: nowhere.
    grades : of the relevance rows, 0 where there is none.
    order : of the recommendations, ascending from the best one on; NaN where there is none.
    length : number of recommendations.
    user_ids, item_ids : what the codes stand for.
    coded : makes the codes of the recommended items where ``items`` are words.
    """

    users: IntArray
    owned: IntArray
    not_owned: BoolArray | None
    grades: FloatArray
    items: IntArray
    not_listed: BoolArray | None
    order: FloatArray
    length: IntArray
    user_ids: Ids
    item_ids: Ids
    coded: Callable[[], IntArray] | None = None

    @cached_property
    def item_codes(self) -> IntArray:
        """Codes of the recommended items."""
        return self.items if self.coded is None else self.coded()

    def item_id(self, key: Any) -> Any:
        """The id behind one of ``owned`` or ``items``."""
        if self.coded is None:
            return self.item_ids.one(key)
        return key.tobytes().rstrip(b"\0").decode()


def matched(lines: Lines, system: str, *, keep_first: bool) -> FloatArray:
    """The grade of each recommended item, 0 where it has no relevance row.

    Each line is sorted as a whole, an item's code above the place that it stands at, so that
    equal items come together: a relevance row with a recommendation is a match, two of the same
    table are a duplicate.
    """
    split = lines.owned.shape[1]
    gain = np.zeros(lines.items.shape[::-1]).T  # rank by rank in memory: metrics go along it
    line, before, after = _equal_neighbours(lines, _hashed if lines.coded else _coded)
    if lines.coded and _differ(lines, line, before, after):
        line, before, after = _equal_neighbours(lines, _numbered)
    _refuse(lines, "relevance", line, before, after, after < split)
    again = before >= split
    if not keep_first:
        _refuse(lines, f"recommendations{system}", line, before, after, again)
    match = ~again
    gain[line[match], after[match] - split] = lines.grades[line[match], before[match]]
    line, before, after = line[again], before[again] - split, after[again] - split
    while (gain[line, after] != gain[line, before]).any():  # the grade goes on to all repeats
        gain[line, after] = gain[line, before]
    return gain


Keys = tuple[npt.NDArray[Any], npt.NDArray[Any], int]


def _equal_neighbours(
    lines: Lines, numbers: Callable[[Lines, int], Keys]
) -> tuple[IntArray, IntArray, IntArray]:
    """Lines, and two places in each, where an item stands twice.

    ``numbers`` answers the items of both tables as numbers, and one that all are below.
    """
    n, split = lines.owned.shape
    width = split + lines.items.shape[1]
    bits = max(width - 1, 1).bit_length()
    owned, items, end = numbers(lines, bits)
    keys = np.empty((n, width), np.int32 if (end + 1) << bits < 1 << 31 else np.int64)
    keys[:, :split], keys[:, split:] = owned, items
    if lines.not_owned is not None:
        np.copyto(keys[:, :split], end, where=lines.not_owned)
    if lines.not_listed is not None:
        np.copyto(keys[:, split:], end, where=lines.not_listed)
    keys <<= bits
    keys |= np.arange(width, dtype=keys.dtype)
    keys.sort(axis=1)
    in_a_row = keys.ravel()  # all lines one after the other: much faster to compare
    same = np.zeros(keys.size, bool)
    np.less(in_a_row[1:] ^ in_a_row[:-1], 1 << bits, out=same[:-1])
    same[width - 1 :: width] = False  # the last of a line and the first of the next
    if lines.not_owned is not None or lines.not_listed is not None:
        same[:-1] &= in_a_row[1:] < end << bits
    at, place = np.flatnonzero(same), (1 << bits) - 1
    return at // width, in_a_row[at] & place, in_a_row[at + 1] & place


def _coded(lines: Lines, bits: int) -> Keys:
    """The codes, if they and a place fit into 64 bits."""
    size = lines.item_ids.size
    return (
        (lines.owned, lines.items, size) if (size + 1) << bits < 1 << 63 else _numbered(lines, bits)
    )


def _numbered(lines: Lines, _: int) -> Keys:
    """The items of these lines alone, numbered from 0."""
    distinct, codes = np.unique(np.hstack([lines.owned, lines.items]), return_inverse=True)
    split = lines.owned.shape[1]
    codes = codes.reshape(lines.owned.shape[0], -1)
    return codes[:, :split], codes[:, split:], distinct.size


def _hashed(lines: Lines, bits: int) -> Keys:
    """Words cut to what a key has room for; different ones may become equal, which is looked at."""
    return _cut(lines.owned, bits), _cut(lines.items, bits), 1 << 62 - bits


def _cut(words: npt.NDArray[Any], bits: int) -> npt.NDArray[Any]:
    """The upper bits of a product that every bit of a word changes."""
    return words * SPREAD >> np.uint64(bits + 2)


def _differ(lines: Lines, line: IntArray, before: IntArray, after: IntArray) -> bool:
    """Whether any two places with equal keys have different words."""
    words = np.hstack([lines.owned, lines.items])
    return bool((words[line, before] != words[line, after]).any())


def _refuse(
    lines: Lines,
    table: str,
    line: IntArray,
    before: IntArray,
    after: IntArray,
    wrong: BoolArray,
) -> None:
    """Raise if a line has an item twice in one table."""
    if not wrong.any():
        return
    line, before, after = line[wrong], before[wrong], after[wrong]
    split = lines.owned.shape[1]
    pairs = []
    for user, one, other in zip(line[:SHOWN], before[:SHOWN], after[:SHOWN], strict=True):
        if table == "relevance":
            item = lines.item_id(lines.owned[user, one])
            grades = f" (graded {lines.grades[user, one]:g} and {lines.grades[user, other]:g})"
        else:
            item, grades = lines.item_id(lines.items[user, one - split]), ""
        pairs.append(f"user {lines.user_ids.one(lines.users[user])!r} with item {item!r}{grades}")
    more = f" and {line.size - SHOWN} more" if line.size > SHOWN else ""
    raise InputError(
        f"{table} must hold each item of a user at most once; got twice "
        f"{', '.join(pairs)}{more}. Remove the duplicates, e.g. with drop_duplicates"
    )
