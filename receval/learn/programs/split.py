"""The programming task of lesson 12: the test rows of leave-last-out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.splitting import leave_last_out


def right(users: Sequence[str], days: Sequence[int]) -> list[int]:
    """Return the positions of the test rows of leave-last-out."""
    return sorted(leave_last_out(users, days)[0][1].tolist())


def single_rows_too(users: Sequence[str], days: Sequence[int]) -> list[int]:
    """Make a slip: also test users with a single row."""
    return sorted(pd.Series(days).groupby(list(users)).idxmax().tolist())


def last_place_of_all(users: Sequence[str], days: Sequence[int]) -> list[int]:
    """Make a slip: test the row at the last place, also for users with a single row."""
    return sorted(pd.Series(days).groupby(list(users)).tail(1).index.tolist())


def last_of_all(users: Sequence[str], days: Sequence[int]) -> list[int]:  # noqa: ARG001
    """Make a slip: test only the latest row of all."""
    return [days.index(max(days))]


def day_of_anybody(users: Sequence[str], days: Sequence[int]) -> list[int]:
    """Look up a user's latest day in the whole table, where others may have rows on that day."""
    return sorted(days.index(days[row]) for row in right(users, days))


INPUTS = [
    (["Ann", "Ben", "Ann"], [1, 2, 3]),
    (["Ann", "Ann", "Ben"], [6, 4, 9]),
    (["Ann", "Ben", "Ann", "Ben", "Ann", "Cem"], [1, 2, 3, 5, 6, 7]),
    (["Ann", "Ben", "Cem", "Cem"], [8, 7, 5, 2]),
    (["Ann", "Ben", "Ben", "Ann"], [4, 1, 4, 2]),
    (["Ann", "Ann", "Ann", "Ben", "Ben"], [2, 5, 3, 9, 1]),
    (["Ann", "Ben", "Ann", "Cem", "Ben", "Ann", "Dot", "Cem"], [3, 4, 2, 1, 7, 8, 6, 5]),
    (["Eve", "Ann", "Ann", "Ben", "Eve", "Ann", "Eve"], [4, 1, 2, 7, 5, 6, 3]),
]
"""Short tables first; in some the rows are not in the order of the days."""
