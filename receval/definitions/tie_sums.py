"""Sums of a measure's values under the orders of equal scores; you can add several of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray, IntArray
from receval._exact import ExactSum

__all__ = ["TieTotals"]

BOUNDS = ("pessimistic", "expected", "value", "optimistic")
"""The lowest value over all orders, the mean, the value in the list's order, and the highest."""

MIN_DIFFERENCE = 1e-12
"""A smaller difference between the lowest and the highest value is a rounding error."""


@dataclass(frozen=True)
class TieTotals:
    """Sums of all users' values of a measure, under the orders of equal scores.

    Attributes
    ----------
    sums : for each of `BOUNDS` the sum over users.
    users : number of users whose value depends on the order.
    """

    sums: dict[str, ExactSum]
    users: int

    @classmethod
    def of(cls, values: FloatArray, tied: IntArray, of_orders: FloatArray) -> TieTotals:
        """Add up the values of all users; the users at the positions ``tied`` have ties.

        ``values`` are the values that the result shows. ``of_orders`` has the shape (3, tied
        users): the lowest, the mean and the highest value of each of these users over all orders.
        NaN means unknown, and makes that bound of the sum unknown too (see `row`).
        """
        # A user without ties has the same value under every order, so every row begins as `values`.
        by_bound = np.repeat(values[np.newaxis], len(BOUNDS), axis=0)
        pessimistic, expected, optimistic = of_orders
        by_bound[BOUNDS.index("pessimistic"), tied] = pessimistic
        by_bound[BOUNDS.index("expected"), tied] = expected
        by_bound[BOUNDS.index("optimistic"), tied] = optimistic
        # Smaller differences are rounding errors. A comparison with NaN is False.
        n_users = int(np.count_nonzero(optimistic - pessimistic > MIN_DIFFERENCE))
        sums = {bound: ExactSum.of(row) for bound, row in zip(BOUNDS, by_bound, strict=True)}
        return cls(sums, n_users)

    def __add__(self, other: TieTotals) -> TieTotals:
        sums = {bound: total + other.sums[bound] for bound, total in self.sums.items()}
        return TieTotals(sums, self.users + other.users)

    def row(self) -> dict[str, float]:
        """Return the mean for each of `BOUNDS`, and the number of users as "users".

        A mean is NaN if the bound is unknown for at least one user. "users" counts the users whose
        value depends on the order.
        """
        n_users_with_value = self.sums["value"].count
        row = dict.fromkeys(BOUNDS, math.nan)
        for bound, total in self.sums.items():
            # A sum leaves out NaN, so its count is lower if a user's bound is unknown.
            if total.count == n_users_with_value:
                row[bound] = total.mean()
        row["users"] = self.users
        return row
