"""Means of a measure's values under the orders of equal scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from receval._arrays import mean
from receval._checks import FloatArray, IntArray

__all__ = ["TieTotals"]

BOUNDS = ("pessimistic", "expected", "value", "optimistic")
"""The lowest value over all orders, the mean, the value in the list's order, and the highest."""

MIN_DIFFERENCE = 1e-12
"""A smaller difference between the lowest and the highest value is a rounding error."""


@dataclass(frozen=True)
class TieTotals:
    """All users' values of a measure, under the orders of equal scores.

    Each list has an array for each part of the users.

    Attributes
    ----------
    untied : list of array
        The values of the users without ties.
    tied : list of array
        The values of the users with ties, with a row for each of `BOUNDS`.
    """

    untied: list[FloatArray]
    tied: list[FloatArray]

    @classmethod
    def of(cls, values: FloatArray, tied: IntArray, of_orders: FloatArray) -> TieTotals:
        """Take the values of all users; the users at the positions ``tied`` have ties.

        ``values`` are the values that the result shows. ``of_orders`` has the shape (3, tied
        users): the lowest, the mean and the highest value of each of these users over all orders.
        NaN means unknown, and makes that bound of the mean unknown too (see `row`).
        """
        pessimistic, expected, optimistic = of_orders
        by_bound = np.stack([pessimistic, expected, values[tied], optimistic])
        return cls([np.delete(values, tied)], [by_bound])

    def __add__(self, other: TieTotals) -> TieTotals:
        return TieTotals(self.untied + other.untied, self.tied + other.tied)

    def row(self) -> dict[str, float]:
        """Return the mean for each of `BOUNDS`, and the number of users as "users".

        A mean is NaN if the bound is unknown for at least one user. "users" counts the users whose
        value depends on the order.
        """
        untied = np.concatenate(self.untied)
        tied = np.concatenate(self.tied, axis=1)
        if tied.size == 0:
            return {**dict.fromkeys(BOUNDS, mean(untied)), "users": 0}
        pessimistic, _, shown, optimistic = tied
        row = dict.fromkeys(BOUNDS, math.nan)
        for bound, values in zip(BOUNDS, tied, strict=True):
            # A user without a value, such as one without relevant items, has no bounds either.
            if np.count_nonzero(np.isnan(values)) == np.count_nonzero(np.isnan(shown)):
                row[bound] = mean(np.concatenate([untied, values]))
        # Smaller differences are rounding errors. A comparison with NaN is False.
        row["users"] = int(np.count_nonzero(optimistic - pessimistic > MIN_DIFFERENCE))
        return row
