"""Rows by user equal those that pandas groups, for any order of the rows and any users."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval.tables.columns import Rows, stable_order

N_USERS = 7
USERS = {
    "in order": [1, 1, 3, 4, 4, 4],
    "each together": [4, 4, 1, 3, 3, 3],
    "in a few segments": [1, 1, 1, 4, 4, 4, 4, 1, 1, 0, 0, 0, 4, 4],
    "scattered": [3, 1, 3, 4, 1, 3, 0],
    "as many each": [2, 5, 5, 2],
    "the last code": [6, 0],
    "one row": [2],
    "nothing": [],
}


def test_rows_that_follow_one_another_are_not_copied():
    column = np.arange(6)
    rows = Rows.by_user(np.array([0, 0, 1, 1, 2, 2]), {"row": column}, n_users=3)
    assert rows.columns["row"] is column
    assert rows.rows_of(np.array([1, 2])) == slice(2, 6)
    [matrix] = rows.matrices(np.array([1, 2]), row=-1)
    assert np.shares_memory(matrix, column)


@pytest.mark.parametrize("user", USERS.values(), ids=USERS)
@pytest.mark.parametrize(
    "wanted", [[], [0], [1, 4], [2, 3, 5], [6], [0, 1, 2, 3, 4, 5, 6]], ids=str
)
def test_rows_of_users(user, wanted):
    columns = {"row": np.arange(len(user), dtype=np.int16)}
    rows = Rows.by_user(np.array(user, np.int64), columns, n_users=N_USERS)
    assert rows.size.tolist() == [user.count(code) for code in range(N_USERS)]
    assert rows.users.tolist() == sorted(set(user))
    users = np.array(wanted, np.int64)
    groups = pd.Series(user, dtype=np.int64).groupby(user).indices
    expected = [groups.get(code, np.empty(0, int)).tolist() for code in wanted]
    in_sequence = [row for own in expected for row in own]
    assert rows.columns["row"][rows.rows_of(users)].tolist() == in_sequence

    selected = rows.for_users(users)
    assert selected.columns["row"].tolist() == in_sequence
    assert selected.users.tolist() == sorted(set(user) & set(wanted))
    assert selected.size.tolist() == [
        user.count(code) if code in wanted else 0 for code in range(N_USERS)
    ]

    width = max(map(len, expected), default=0)
    [matrix] = rows.matrices(users, row=-1)
    assert matrix.tolist() == [own + [-1] * (width - len(own)) for own in expected]
    assert matrix.shape == (len(wanted), width)
    assert matrix.dtype == np.int16


@pytest.mark.parametrize("largest", [0, 1, 40, 100_000])
@pytest.mark.parametrize("n", [0, 1, 30])
def test_stable_order_is_that_of_pandas(largest, n):
    codes = np.random.default_rng(0).integers(largest, endpoint=True, size=max(n, 1))[:n]
    codes[n // 2 :] = codes[: n - n // 2]  # each code at least twice
    codes[-1:] = largest
    expected = pd.Series(codes).sort_values(kind="stable").index
    assert_array_equal(stable_order(codes, largest + 1), expected)
