"""What equal scores leave open of a mean, as sums that can be added up over parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray, IntArray
from receval._exact import ExactSum

__all__ = ["TieSums"]

BOUNDS = ("pessimistic", "expected", "value", "optimistic")


@dataclass(frozen=True)
class TieSums:
    """Sums of all users' values under a measure, over the orders of equal scores.

    Attributes
    ----------
    pessimistic, expected, value, optimistic : ExactSum
        With the lowest, the mean, the own and the highest value of every user.
    users : int
        How many users' values an order can change.
    """

    pessimistic: ExactSum
    expected: ExactSum
    value: ExactSum
    optimistic: ExactSum
    users: int

    @classmethod
    def of(cls, own: FloatArray, places: IntArray, spread: FloatArray) -> TieSums:
        """The sums of the ``own`` values; those at ``places`` have ties and a spread.

        Where the bounds of some are not known (NaN), those of all together are not.
        """
        whole = np.repeat(own[np.newaxis], 3, axis=0)
        whole[:, places] = spread
        low, expected, high = map(ExactSum.of, whole)
        users = int(np.count_nonzero(spread[2] - spread[0] > 1e-12))
        return cls(low, expected, ExactSum.of(own), high, users)

    def __add__(self, other: TieSums) -> TieSums:
        sums = {name: getattr(self, name) + getattr(other, name) for name in BOUNDS}
        return TieSums(**sums, users=self.users + other.users)

    def row(self) -> dict[str, float]:
        """The means, and the number of users; NaN where bounds are not known of all."""
        sums = {name: getattr(self, name) for name in BOUNDS}
        whole = {name: one.mean() for name, one in sums.items() if one.count == self.value.count}
        return {**dict.fromkeys(BOUNDS, math.nan), **whole, "users": self.users}
