"""Lists with what is known of their items, by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import FloatArray, input_error

__all__ = ["ListsWithItems"]


@dataclass(frozen=True)
class ListsWithItems:
    """Lists as a measure sees them that needs more than relevance.

    What a list has on its own it has here too. Empty ranks are NaN, or -1 among item codes.
    """

    lists: Any
    known: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lists, name)

    @property
    def n_items(self) -> int:
        """Size of the catalogue."""
        return int(self._known("n_items", "catalogue"))

    @property
    def auc_catalogue(self) -> int | None:
        """How many items AUC is over; None: those listed."""
        return self.known.auc_catalogue  # type: ignore[no-any-return]

    def top(self, k: int | None) -> Any:
        """Item codes of the first k ranks."""
        return self.lists.items[:, :k]

    def in_tail(self, k: int | None) -> FloatArray:
        """Whether the items are outside the short head."""
        return self._there(k, ~self._known("in_head", "awards")[self.top(k)])

    def ages(self, k: int | None) -> FloatArray:
        """Ages of the items in days."""
        return self._there(k, self._known("age", "novelty_date")[self.top(k)])

    def features(self, k: int | None) -> FloatArray:
        """Feature vectors of length 1."""
        return self._there(k, self._known("features", "features")[self.top(k)])

    def similarity(self, k: int | None) -> Any:
        """Cosine of the features of each two items."""
        vectors = self.features(k)
        return np.einsum("uif,ujf->uij", vectors, vectors)

    def seen(self, k: int | None) -> FloatArray:
        """Whether the user has seen the items."""
        return self._there(k, self._known("seen", "history")(self.lists.users, self.top(k)))

    @property
    def past(self) -> Any:
        """The history of all users; that of some only is refused."""
        if self.known.seen.rows is None:
            rule = "be in memory for measures of popularity, which count all of it"
            raise input_error("history", rule, "files or Dask frames in parts")
        return self.known.seen

    def users_of(self, k: int | None) -> FloatArray:
        """How many users have seen the items."""
        return self._there(k, self.past.users[self.top(k)])

    def interactions(self, k: int | None) -> FloatArray:
        """In how many rows of the history the items are."""
        return self._there(k, self.past.rows[self.top(k)])

    def _known(self, name: str, need: str) -> Any:
        found = getattr(self.known, name)
        if found is None:
            raise input_error("needs", f"name {need!r} for a measure that asks for it", "none")
        return found

    def _there(self, k: int | None, values: Any) -> FloatArray:
        there = self.top(k) >= 0
        return np.where(there.reshape(*there.shape, *[1] * (values.ndim - 2)), values, np.nan)
