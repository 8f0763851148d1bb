"""The rows of a block of users, and the rules for turning them into lists."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from receval._checks import AnyArray, BoolArray, FloatArray, Id, IntArray
from receval.tables.ids import Ids
from receval.tables.inputs import ColumnNames


class ListRules(NamedTuple):
    """Rules for turning the rows of a system into lists.

    Attributes
    ----------
    tie : which of two equal scores comes first, a key of `receval.definitions.convention.TIES`.
    compares_float32 : whether scores that round to the same 32-bit float are equal.
    by_rank : whether rows come with ranks instead of scores.
    depth : number of ranks that the measures look at.
    keep_first : whether to keep the first of equal items in a list, instead of raising an error.
    seen : what to do with items that the user has seen before: "note", "drop" or "error".
    system : name of the system, for messages; "" if it has none.
    place : name of the system's table, for messages.
    names : column names, for messages.
    """

    tie: str
    compares_float32: bool = False
    by_rank: bool = False
    depth: float = math.inf
    keep_first: bool = False
    seen: str = "note"
    system: Id = ""
    place: str = "recommendations"
    names: ColumnNames = ColumnNames()

    @property
    def of_system(self) -> str:
        """Return " of system 'A'" for messages, or "" if the system has no name."""
        return f" of system {self.system!r}" if self.system != "" else ""


class BlockRows(NamedTuple):
    """Relevance rows and recommendations of some users, in the order of the tables.

    Matrices have one line per user. Lines differ in length, so a shorter one has padding after its
    last row.

    Attributes
    ----------
    users : codes of the users, shape (n,).
    judged, recommended : item codes of the relevance rows and recommendations, -1 in the padding.
    ratings : grades of the relevance rows as the user passed them, 0 in the padding.
    grades : the same, but 0 where the convention counts a rating as irrelevant.
    order : sort keys of the recommendations, the smallest is best; NaN in the padding.
    length : number of recommendations of each user.
    seen : whether the user has seen each recommended item before; None: there is no history.
    user_ids, item_ids : the ids that the codes stand for.
    """

    users: IntArray
    judged: IntArray
    recommended: IntArray
    ratings: AnyArray
    grades: AnyArray
    order: FloatArray
    length: IntArray
    seen: BoolArray | None
    user_ids: Ids
    item_ids: Ids

    def format_pair(self, line: int, item: int) -> str:
        """Return text for a message: the user at ``line``, and the item whose code is ``item``."""
        user = self.user_ids.take_one(self.users[line])
        return f"user {user!r} with item {self.item_ids.take_one(item)!r}"


def take_columns(values: AnyArray, columns: IntArray | None) -> AnyArray:
    """Return the values of each line in the order of ``columns``, or unchanged if it is None.

    ``columns`` is a matrix that holds, for each rank of a line, the column of the value.
    """
    if columns is None:
        return values
    return np.take_along_axis(values, columns, axis=1)
