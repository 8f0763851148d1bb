"""What equal scores leave open of a mean, as sums that can be added up over parts."""

from __future__ import annotations

import math
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

        def instead(values: FloatArray | None) -> ExactSum:
            if values is None:  # not known of these, so not of all together
                return ExactSum.of(np.full_like(own, np.nan))
            whole = own.copy()
            whole[places] = values
            return ExactSum.of(whole)

        low, high = spread.pessimistic, spread.optimistic
        open_ones = 0 if low is None or high is None else np.count_nonzero(high - low > 1e-12)

        return cls(
            pessimistic=instead(low),
            expected=instead(spread.expected),
            value=ExactSum.of(own),
            optimistic=instead(high),
            users=int(open_ones),
        )

    def __add__(self, other: TieSums) -> TieSums:
        sums = {name: getattr(self, name) + getattr(other, name) for name in BOUNDS}
        return TieSums(**sums, users=self.users + other.users)

    def row(self) -> dict[str, float]:
        """The means, and the number of users; NaN where bounds are not known of all."""
        sums = {name: getattr(self, name) for name in BOUNDS}
        whole = {name: one.mean() for name, one in sums.items() if one.count == self.value.count}
        return {**dict.fromkeys(BOUNDS, math.nan), **whole, "users": self.users}
