"""The convention of an evaluation, and its data about items and users."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from receval._checks import AnyArray, BoolArray, FloatArray, IntArray, input_error
from receval.definitions.convention import Convention
from receval.tables.ids import Rows


@dataclass(frozen=True)
class History:
    """The items that users have seen before; call the object to ask whether users have seen items.

    Attributes
    ----------
    pairs : array of int
        The distinct pairs of a user and an item in the history, in ascending order. A pair is one
        number: the user code times the number of items, plus the item code.
    n_items : int
        The number of item codes.
    rows : array of int
        The number of rows of each item in the history.
    has_all_users : bool
        Whether this is the whole history; otherwise it lacks users, and so rows of items.
    """

    pairs: IntArray
    n_items: int
    rows: IntArray
    has_all_users: bool

    @classmethod
    def of(cls, history: Rows, n_items: int, *, has_all_users: bool) -> History:
        """Return the history in a table whose column "item" has item codes."""
        items = history.columns["item"]
        users = np.repeat(np.arange(history.size.size), history.size)
        pairs = np.unique(users * n_items + items)
        return cls(pairs, n_items, np.bincount(items, minlength=n_items), has_all_users)

    @cached_property
    def users(self) -> IntArray:
        """Return how many users have seen each item."""
        return np.bincount(self.pairs % self.n_items, minlength=self.n_items)

    @cached_property
    def user_codes(self) -> IntArray:
        """Return the codes of the users who have seen at least one item."""
        return np.unique(self.pairs // self.n_items)

    @cached_property
    def n_users(self) -> int:
        """Return the number of users who have seen at least one item; 1 if nobody has."""
        return max(self.user_codes.size, 1)

    def __call__(self, users: IntArray, items: IntArray) -> BoolArray:
        """Return whether users have seen items.

        ``users`` are user codes of shape (n,). ``items`` are item codes of shape (n, width), which
        is the shape of the result, too. For codes of -1, which mark empty ranks, the result is
        arbitrary.
        """
        # Convert each pair of user and item to a number, as in `self.pairs`.
        keys = users[:, np.newaxis] * self.n_items + items
        if not self.pairs.size:
            return np.zeros(keys.shape, bool)
        # A key is in the history if it equals the first pair that is not smaller. A key above all
        # pairs has no such pair, and is compared with the last one.
        nearest = np.minimum(np.searchsorted(self.pairs, keys), self.pairs.size - 1)
        return np.asarray(self.pairs[nearest] == keys)


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
    seen: History | None = None


@dataclass(frozen=True)
class ListsWithItems:
    """Ranked lists, together with what an evaluation knows about items and users.

    It also has all attributes of the lists. Methods return values by rank, of shape (lists, k);
    empty ranks are NaN, or -1 among item codes. The evaluation has the data that the measure
    ``needs``.

    Attributes
    ----------
    lists : the lists, usually a `UserLists`.
    context : the data about items and users, by item code.
    """

    lists: Any
    context: EvaluationContext

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lists, name)

    def top(self, k: int | None) -> IntArray:
        """Return the item codes of the first k ranks."""
        return np.asarray(self.lists.items[:, :k])

    def ages(self, k: int | None) -> FloatArray:
        """Return the ages of the items in days."""
        return self._by_rank(self.context.age, k)

    def similarity(self, k: int | None) -> FloatArray:
        """Return the cosine of the features of each pair of items; shape (lists, k, k)."""
        vectors = self._by_rank(self.context.features, k)
        # u is a list, i and j are ranks, and f is a feature.
        return np.asarray(np.einsum("uif,ujf->uij", vectors, vectors))

    def seen(self, k: int | None) -> FloatArray:
        """Return 1 for items that the user has seen before, and 0 for others."""
        items = self.top(k)
        assert self.context.seen is not None
        return np.where(items >= 0, self.context.seen(self.lists.users, items), np.nan)

    @property
    def past(self) -> History:
        """Return the history of all users; raise an error if it is not in memory."""
        history = self.context.seen
        assert history is not None
        if not history.has_all_users:
            rule = "be in memory for measures of popularity, which count all of it"
            raise input_error("history", rule, "files or Dask frames in parts")
        return history

    def users_of(self, k: int | None) -> FloatArray:
        """Return the number of users who have seen each item."""
        return self._by_rank(self.past.users, k)

    def interactions(self, k: int | None) -> FloatArray:
        """Return the number of history rows of each item."""
        return self._by_rank(self.past.rows, k)

    def _by_rank(self, values: AnyArray | None, k: int | None) -> FloatArray:
        """Return the values of the items at the first k ranks, NaN at empty ranks.

        ``values`` has a value for each item code, or a vector.
        """
        assert values is not None
        items = self.top(k)
        values_by_rank = values[items].astype(np.float64)
        values_by_rank[items < 0] = np.nan
        return values_by_rank
