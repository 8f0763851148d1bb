"""The convention of an evaluation, together with its data about items and users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from receval._checks import BoolArray, FloatArray, IntArray
from receval.definitions.convention import Convention

__all__ = ["EvaluationContext", "UserHistory"]


class UserHistory(Protocol):
    """The items that users have seen before.

    Calling it with user codes and a matrix of item codes, one line per user, returns a mask of the
    items that the user has seen.

    Attributes
    ----------
    rows : number of history rows of each item; None if this is the history of some users only.
    users : number of users who have seen each item.
    n_users : number of users who have seen anything, at least 1.
    """

    @property
    def rows(self) -> IntArray | None: ...

    @property
    def users(self) -> IntArray: ...

    @property
    def n_users(self) -> int: ...

    def __call__(self, users: IntArray, items: IntArray) -> BoolArray: ...


@dataclass(frozen=True)
class EvaluationContext:
    """The convention of an evaluation, and its data about items and users.

    Attributes
    ----------
    convention : Convention
    n_items : size of the catalogue; None: no catalogue was passed.
    max_grade : largest grade of the whole truth; None: not known.
    in_head : for each item code, whether the item is in the short head.
    age : for each item code, the age of the item in days.
    features : for each item code, a vector of length 1, or a vector of zeros if all its features
        are 0.
    seen : the items that users have seen before.
    """

    convention: Convention
    n_items: int | None = None
    max_grade: float | None = None
    in_head: BoolArray | None = None
    age: FloatArray | None = None
    features: FloatArray | None = None
    seen: UserHistory | None = None
