"""The programming task of lesson 11: the test rows of leave-last-out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.splitting import leave_last_out

__all__ = ["CODE"]

Users = Sequence[str]
Days = Sequence[int]


def right(users: Users, days: Days) -> list[int]:
    """Return the positions of the test rows of leave-last-out."""
    return sorted(leave_last_out(users, days)[0][1].tolist())


def _rows_of(users: Users) -> list[list[int]]:
    """Return the rows of each user."""
    rows: dict[str, list[int]] = {}
    for row, user in enumerate(users):
        rows.setdefault(user, []).append(row)
    return list(rows.values())


def single_rows_too(users: Users, days: Days) -> list[int]:
    """Make a slip: also test users with a single row."""
    return sorted(max(rows, key=lambda row: days[row]) for rows in _rows_of(users))


def last_place(users: Users, days: Days) -> list[int]:  # noqa: ARG001
    """Make a slip: test the row at the last place instead of the latest day."""
    return sorted(rows[-1] for rows in _rows_of(users) if len(rows) > 1)


def last_place_of_all(users: Users, days: Days) -> list[int]:  # noqa: ARG001
    """Make a slip: test the row at the last place, also for users with a single row."""
    return sorted(rows[-1] for rows in _rows_of(users))


def first_day(users: Users, days: Days) -> list[int]:
    """Make a slip: test the first row of each user."""
    several = [rows for rows in _rows_of(users) if len(rows) > 1]
    return sorted(min(rows, key=lambda row: days[row]) for rows in several)


def training_rows(users: Users, days: Days) -> list[int]:
    """Make a slip: return the training rows."""
    tested = right(users, days)
    return [row for row in range(len(users)) if row not in tested]


def all_but_first(users: Users, days: Days) -> list[int]:
    """Make a slip: test all rows but the first of each user."""
    firsts = [min(rows, key=lambda row: days[row]) for rows in _rows_of(users)]
    return [row for row in range(len(users)) if row not in firsts]


def last_of_all(users: Users, days: Days) -> list[int]:  # noqa: ARG001
    """Make a slip: test only the latest row of all."""
    return [days.index(max(days))]


def day_of_anybody(users: Users, days: Days) -> list[int]:
    """Look up a user's latest day in the whole table, where others may have rows on that day."""
    return sorted(days.index(days[row]) for row in right(users, days))


def in_order_of_users(users: Users, days: Days) -> list[int]:
    """Make a slip: return the rows in the order in which the users first appear."""
    several = [rows for rows in _rows_of(users) if len(rows) > 1]
    return [max(rows, key=lambda row: days[row]) for rows in several]


def counted_from_one(users: Users, days: Days) -> list[int]:
    """Make a slip: count the rows from 1."""
    return [row + 1 for row in right(users, days)]


def the_days(users: Users, days: Days) -> list[int]:
    """Make a slip: return the days in place of the numbers of the rows."""
    return [days[row] for row in right(users, days)]


def inputs(rng: np.random.Generator) -> Inputs:
    """Return short tables first; in some the rows are not in the order of the days."""
    days = rng.permutation(np.arange(1, 9)).tolist()
    more_days = rng.permutation(np.arange(1, 8)).tolist()
    return [
        (["Ann", "Ben", "Ann"], [1, 2, 3]),
        (["Ann", "Ann", "Ben"], [6, 4, 9]),  # not in the order of the days
        (["Ann", "Ben", "Ann", "Ben", "Ann", "Cem"], [1, 2, 3, 5, 6, 7]),
        (["Ann", "Ben", "Cem", "Cem"], [8, 7, 5, 2]),
        (["Ann", "Ben", "Ben", "Ann"], [4, 1, 4, 2]),  # two users with rows on one day
        (["Ann", "Ann", "Ann", "Ben", "Ben"], [2, 5, 3, 9, 1]),
        (["Ann", "Ben", "Ann", "Cem", "Ben", "Ann", "Dot", "Cem"], days),
        (["Eve", "Ann", "Ann", "Ben", "Eve", "Ann", "Eve"], more_days),
    ]


CODE = Program(
    right,
    inputs,
    {
        "single_rows_too": single_rows_too,
        "last_place": last_place,
        "last_place_of_all": last_place_of_all,
        "first_day": first_day,
        "training_rows": training_rows,
        "all_but_first": all_but_first,
        "last_of_all": last_of_all,
        "day_of_anybody": day_of_anybody,
        "in_order_of_users": in_order_of_users,
        "counted_from_one": counted_from_one,
        "the_days": the_days,
    },
)
"""The task "split.code"."""
