"""Lists joined with data about items and users, for measures that need more than relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from receval._checks import AnyArray, FloatArray, IntArray, input_error
from receval.definitions.context import EvaluationContext, UserHistory

__all__ = ["ListsWithItems"]

Value = TypeVar("Value")


@dataclass(frozen=True)
class ListsWithItems:
    """Ranked lists, together with what an evaluation knows about items and users.

    It also has all attributes of the lists. Methods return values by rank, of shape (lists, k);
    empty ranks are NaN, or -1 among item codes. If the evaluation does not have the data, the
    methods raise an `InputError` that says what the measure ``needs``.

    Attributes
    ----------
    lists : the lists, usually a `UserLists`.
    context : the data about items and users, by item code.
    """

    lists: Any
    context: EvaluationContext

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lists, name)

    @property
    def n_items(self) -> int:
        """Return the number of items in the catalogue."""
        return int(_require(self.context.n_items, "catalogue"))

    @property
    def auc_catalogue(self) -> int | None:
        """Return the number of candidates for AUC; None: only the listed items are candidates."""
        return self.context.auc_catalogue

    def top(self, k: int | None) -> IntArray:
        """Return the item codes of the first k ranks."""
        codes: IntArray = self.lists.items[:, :k]
        return codes

    def in_tail(self, k: int | None) -> FloatArray:
        """Return 1 for items outside the short head, and 0 for those in it."""
        in_head = _require(self.context.in_head, "awards")
        return self._at_filled_ranks(k, ~in_head[self.top(k)])

    def ages(self, k: int | None) -> FloatArray:
        """Return the ages of the items in days."""
        age = _require(self.context.age, "novelty_date")
        return self._at_filled_ranks(k, age[self.top(k)])

    def features(self, k: int | None) -> FloatArray:
        """Return the feature vectors of the items, of length 1; shape (lists, k, features)."""
        features = _require(self.context.features, "features")
        return self._at_filled_ranks(k, features[self.top(k)])

    def similarity(self, k: int | None) -> FloatArray:
        """Return the cosine of the features of each pair of items; shape (lists, k, k)."""
        vectors = self.features(k)
        # u is a list, i and j are ranks, and f is a feature.
        cosines: FloatArray = np.einsum("uif,ujf->uij", vectors, vectors)
        return cosines

    def seen(self, k: int | None) -> FloatArray:
        """Return 1 for items that the user has seen before, and 0 for others."""
        history = _require(self.context.seen, "history")
        return self._at_filled_ranks(k, history(self.lists.users, self.top(k)))

    @property
    def past(self) -> UserHistory:
        """Return the history of all users; raise an error if it is not in memory."""
        history = _require(self.context.seen, "history")
        if history.rows is None:
            rule = "be in memory for measures of popularity, which count all of it"
            raise input_error("history", rule, "files or Dask frames in parts")
        return history

    def users_of(self, k: int | None) -> FloatArray:
        """Return the number of users who have seen each item."""
        return self._at_filled_ranks(k, self.past.users[self.top(k)])

    def interactions(self, k: int | None) -> FloatArray:
        """Return the number of history rows of each item."""
        n_rows = self.past.rows
        assert n_rows is not None
        return self._at_filled_ranks(k, n_rows[self.top(k)])

    def _at_filled_ranks(self, k: int | None, values: AnyArray) -> FloatArray:
        """Return values by rank, with NaN at empty ranks.

        The first two axes of ``values`` are lists and ranks; there can be further axes.
        """
        is_filled = self.top(k) >= 0
        n_further_axes = values.ndim - 2
        return np.where(is_filled.reshape(*is_filled.shape, *[1] * n_further_axes), values, np.nan)


def _require(value: Value | None, need: str) -> Value:
    """Return the value; raise an error if it is None.

    The evaluation prepares only the data that a measure ``needs``, so the error says that the
    measure does not list ``need``.
    """
    if value is None:
        raise input_error("needs", f"name {need!r} for a measure that asks for it", "none")
    return value
