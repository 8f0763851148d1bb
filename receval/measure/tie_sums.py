"""What equal scores leave open of a mean, as sums that can be added up over parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray, IntArray
from receval._exact import ExactSum

__all__ = ["TieTotals"]

BOUNDS = ("pessimistic", "expected", "value", "optimistic")


@dataclass(frozen=True)
class TieTotals:
    """Sums of all users' values under a measure, over the orders of equal scores.

    Attributes
    ----------
    sums : by `BOUNDS`, with the lowest, the mean, the own and the highest value of every user.
    users : how many users' values an order can change.
    """

    sums: dict[str, ExactSum]
    users: int

    @classmethod
    def of(cls, own: FloatArray, places: IntArray, of_orders: FloatArray) -> TieTotals:
        """The sums of the ``own`` values, of which those at ``places`` have ties.

        ``of_orders`` has the lowest, the mean and the highest of these. Where such bounds are not
        known (NaN), those of all together are not.
        """
        every = np.repeat(own[np.newaxis], 4, axis=0)
        every[np.array([[0], [1], [3]]), places] = of_orders
        users = int(np.count_nonzero(of_orders[2] - of_orders[0] > 1e-12))
        return cls(dict(zip(BOUNDS, map(ExactSum.of, every), strict=True)), users)

    def __add__(self, other: TieTotals) -> TieTotals:
        sums = {name: one + other.sums[name] for name, one in self.sums.items()}
        return TieTotals(sums, self.users + other.users)

    def row(self) -> dict[str, float]:
        """The means, and the number of users; NaN where bounds are not known of all."""
        count = self.sums["value"].count
        known = {name: one for name, one in self.sums.items() if one.count == count}
        means = {name: one.mean() for name, one in known.items()}
        return {**dict.fromkeys(BOUNDS, math.nan), **means, "users": self.users}
