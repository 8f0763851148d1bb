"""What equal scores leave open of a mean, as sums that can be added up over parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray, IntArray
from receval._exact import ExactSum
from receval.measure.ties import Spread

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
    def of(cls, own: FloatArray, places: IntArray, spread: Spread) -> TieSums:
        """The sums of the ``own`` values; those at ``places`` have ties."""

        def instead(values: FloatArray) -> ExactSum:
            whole = own.copy()
            whole[places] = values
            return ExactSum.of(whole)

        return cls(
            pessimistic=instead(spread.pessimistic),
            expected=instead(spread.expected),
            value=ExactSum.of(own),
            optimistic=instead(spread.optimistic),
            users=int(np.count_nonzero(spread.optimistic - spread.pessimistic > 1e-12)),
        )

    def __add__(self, other: TieSums) -> TieSums:
        sums = {name: getattr(self, name) + getattr(other, name) for name in BOUNDS}
        return TieSums(**sums, users=self.users + other.users)

    def row(self) -> dict[str, float]:
        """The means, and the number of users."""
        return {**{name: getattr(self, name).mean() for name in BOUNDS}, "users": self.users}
