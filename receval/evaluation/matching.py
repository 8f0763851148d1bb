"""Matching recommendations to relevance: which grade each recommended item has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray
from receval.evaluation.ids import Ids


@dataclass(frozen=True)
class Lines:
    """Rows of relevance and recommendations, side by side for each user, in the tables' order.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    owned, items : item codes of the relevance rows and of the recommendations.
    not_owned, not_listed : where there is no such row; None: nowhere.
    grades : of the relevance rows, 0 where there is none.
    order : of the recommendations, ascending from the best one on; NaN where there is none.
    length : number of recommendations.
    user_ids, item_ids : what the codes stand for.
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


def matched(lines: Lines, system: str, *, keep_first: bool) -> FloatArray:
    """The grade of each recommended item, 0 where it has no relevance row.

    Each line is sorted as a whole, an item's code above the place that it stands at, so that
    equal items come together: a relevance row with a recommendation is a match, two of the same
    table are a duplicate.
    """
    split = lines.owned.shape[1]
    gain = np.zeros(lines.items.shape[::-1]).T  # rank by rank in memory: metrics go along it
    keys, bits, end = _keys(lines)
    keys.sort(axis=1)
    same = (keys[:, 1:] ^ keys[:, :-1]) < (1 << bits)
    if lines.not_owned is not None or lines.not_listed is not None:
        same &= keys[:, 1:] < end
    line, column = np.divmod(np.flatnonzero(same), max(keys.shape[1] - 1, 1))
    place = (1 << bits) - 1
    before, after = keys[line, column] & place, keys[line, column + 1] & place
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


def _keys(lines: Lines) -> tuple[IntArray, int, int]:
    """Item and place of every row in one number, and how many bits the place has.

    The third number is the first key beyond all items; empty places have such keys.
    """
    n, split = lines.owned.shape
    width = split + lines.items.shape[1]
    bits, size = max(width - 1, 1).bit_length(), lines.item_ids.size
    owned, items = lines.owned, lines.items
    if (size + 1) << bits >= 1 << 63:  # number the items of these lines alone
        distinct, codes = np.unique(np.hstack([owned, items]), return_inverse=True)
        size, codes = distinct.size, codes.reshape(n, width)
        owned, items = codes[:, :split], codes[:, split:]
    keys = np.empty((n, width), np.int32 if (size + 1) << bits < 1 << 31 else np.int64)
    keys[:, :split], keys[:, split:] = owned, items
    if lines.not_owned is not None:
        np.copyto(keys[:, :split], size, where=lines.not_owned)
    if lines.not_listed is not None:
        np.copyto(keys[:, split:], size, where=lines.not_listed)
    keys <<= bits
    keys |= np.arange(width, dtype=keys.dtype)
    return keys, bits, size << bits


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
            item = lines.owned[user, one]
            grades = f" (graded {lines.grades[user, one]:g} and {lines.grades[user, other]:g})"
        else:
            item, grades = lines.items[user, one - split], ""
        pairs.append(
            f"user {lines.user_ids.one(lines.users[user])!r} with item "
            f"{lines.item_ids.one(item)!r}{grades}"
        )
    more = f" and {line.size - SHOWN} more" if line.size > SHOWN else ""
    raise InputError(
        f"{table} must hold each item of a user at most once; got twice "
        f"{', '.join(pairs)}{more}. Remove the duplicates, e.g. with drop_duplicates"
    )
