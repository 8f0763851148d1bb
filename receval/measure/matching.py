"""Matching recommendations to relevance: which grade each recommended item has."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, InputError, IntArray, refusal, some
from receval.tables.codes import PaddedRows
from receval.tables.given import Given
from receval.tables.ids import Ids
from receval.tables.keys import ODD


class ListRules(NamedTuple):
    """How the rows of a system become lists.

    ``tie`` decides between equal scores, as `receval.measure.convention.TIES` says.
    """

    tie: str
    by_rank: bool = False
    depth: int | None = None  # ranks that the measures look at; None: all
    keep_first: bool = False  # of an item twice in a list, instead of refusing it
    seen: str = "note"  # what becomes of items that the user has seen: "note", "drop", "error"
    system: Any = ""
    names: Given = Given()  # what users and items are called, for messages

    @property
    def of_system(self) -> str:
        return f" of system {self.system!r}" if self.system != "" else ""


class Lines(NamedTuple):
    """Rows of relevance and recommendations, side by side for each user, in the tables' order.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    judged, recommended : relevance rows and recommendations, with their items.
    grades : of the relevance rows, 0 where there is none.
    ratings : the grades as they were given; where there is no row stands anything.
    order : of the recommendations, ascending from the best one on; NaN where there is none.
    length : number of recommendations.
    user_ids, item_ids : what the codes stand for.
    seen : whether the user has seen a recommended item; None where that is not known.
    """

    users: IntArray
    judged: PaddedRows
    grades: FloatArray
    ratings: npt.NDArray[Any]
    recommended: PaddedRows
    order: FloatArray
    length: IntArray
    user_ids: Ids
    item_ids: Ids
    seen: BoolArray | None = None

    def told(self, line: int, item: int) -> str:
        """A user and an item, for a message."""
        user = self.user_ids.one(self.users[line])
        return f"user {user!r} with item {self.item_ids.one(item)!r}"


Pairs = tuple[IntArray, IntArray, IntArray]  # lines, and two columns of each


class Matches(NamedTuple):
    """Where relevance rows are recommended, and which recommendations repeat others."""

    found: Pairs  # columns of relevance and of recommendations
    repeats: Pairs  # columns of recommendations, the later one second

    def carried(self, values: npt.NDArray[Any], shape: tuple[int, ...]) -> FloatArray:
        """The value of each recommended item's relevance row, 0 where it has none."""
        result = np.zeros(shape[::-1]).T  # rank by rank in memory: metrics go along it
        line, before, after = self.found
        result[line, after] = values[line, before]
        line, before, after = self.repeats
        while (result[line, after] != result[line, before]).any():  # it goes on to all repeats
            result[line, after] = result[line, before]
        return result


def matched(lines: Lines, how: ListRules) -> Matches:
    """Which relevance row each recommended item has.

    Items that stand twice are sought, where the columns go on from relevance rows to
    recommendations.
    """
    split = lines.judged.width
    bits = max(split + lines.recommended.width - 1, 1).bit_length()
    found = _equal_texts(lines, bits) if lines.item_ids.kind == "text" else None
    if found is None:
        # Codes are at most four times as many as rows, which leaves a column its bits.
        codes = lines.judged.codes, lines.recommended.codes
        found = _neighbours(lines, *codes, lines.item_ids.size, bits)
    line, before, after = found
    inside, again = after < split, before >= split
    if inside.any():
        raise _twice(lines, how, "relevance", line[inside], before[inside], after[inside])
    match = ~again
    repeats = line[again], before[again] - split, after[again] - split
    if again.any() and not how.keep_first:
        raise _twice(lines, how, f"recommendations{how.of_system}", *repeats)
    return Matches((line[match], before[match], after[match] - split), repeats)


def _equal_texts(lines: Lines, bits: int) -> Pairs | None:
    """Where a text stands twice, told by keys; None unless each is a match.

    They are compared by the upper bits of a product that every bit of a key changes, as many as
    there is room for. Unlike texts may be equal then, so that all pairs are looked at.
    """
    cut = np.uint64(bits + 2)
    keys = lines.judged.keys * ODD >> cut, lines.recommended.keys * ODD >> cut
    found = _neighbours(lines, *keys, 1 << 62 - bits, bits)
    return found if _all_match(lines, *found) else None


def _neighbours(
    lines: Lines, judged: npt.NDArray[Any], recommended: npt.NDArray[Any], end: int, bits: int
) -> Pairs:
    """Where a number stands twice; all are below ``end``, and a column takes so many ``bits``.

    Each line is sorted as a whole, a number above its column, so that equal ones come together.
    """
    n, split = judged.shape
    width = split + recommended.shape[1]
    keys = np.empty((n, width), np.int32 if (end + 1) << bits < 1 << 31 else np.int64)
    keys[:, :split], keys[:, split:] = judged, recommended
    if lines.judged.padding is not None:
        keys[:, :split][lines.judged.padding] = end
    if lines.recommended.padding is not None:
        keys[:, split:][lines.recommended.padding] = end
    keys <<= bits
    keys |= np.arange(width, dtype=keys.dtype)
    keys.sort(axis=1)
    in_a_row = keys.ravel()  # all lines one after the other: much faster to compare
    same = np.zeros(keys.size, bool)
    np.less(in_a_row[1:] ^ in_a_row[:-1], 1 << bits, out=same[:-1])
    same[width - 1 :: width] = False  # the last of a line and the first of the next
    same &= in_a_row < end << bits
    at, column = np.flatnonzero(same), (1 << bits) - 1
    return at // width, in_a_row[at] & column, in_a_row[at + 1] & column


def _all_match(lines: Lines, line: IntArray, before: IntArray, after: IntArray) -> bool:
    """Whether each pair is a relevance row and a recommendation of one and the same text."""
    import pyarrow.compute as pc

    split = lines.judged.width
    if ((before >= split) | (after < split)).any():
        return False
    if lines.item_ids.keys_suffice:
        keys = lines.judged.keys[line, before], lines.recommended.keys[line, after - split]
        return bool((keys[0] == keys[1]).all())
    texts = lines.judged.texts(line, before), lines.recommended.texts(line, after - split)
    return bool(pc.all(pc.equal(*texts), min_count=0).as_py())


def _twice(
    lines: Lines, how: ListRules, table: str, line: IntArray, before: IntArray, after: IntArray
) -> InputError:
    """What to raise for items that stand twice in one table."""
    graded = table == "relevance"
    items = (lines.judged if graded else lines.recommended).codes

    def told(pair: Any) -> str:
        user, one, other = pair
        both = "{:g} and {:g}".format(*lines.grades[user, [one, other]]) if graded else ""
        return lines.told(user, items[user, one]) + (both and f" (graded {both})")

    got = f"twice {some(zip(line, before, after, strict=True), told=told)}"
    keep = f"drop_duplicates({[*how.names.labels(table)]})"
    which = f"Decide which grade counts, then {keep}"
    advice = which if graded else f"{keep}, or duplicates='first'"
    return refusal(table, "hold each item of a user at most once", got, advice)
