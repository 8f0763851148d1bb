"""One split at a point in time, or user by user."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from receval import InputError
from receval.splitting import fixed_time, hold_out_per_user, leave_last_out

DATES = pd.to_datetime(["2018-07-20", "2018-05-02", "2018-07-01"])


def the_split(splits):
    [(train, test)] = splits
    return train.tolist(), test.tolist()


@pytest.mark.parametrize(
    "at", ["2018-07-01", datetime.date(2018, 7, 1), pd.Timestamp("2018-07-01")]
)
def test_fixed_time_tests_from_the_moment_on(at):
    assert the_split(fixed_time(DATES, at)) == ([1], [0, 2])


def test_fixed_time_of_numbers():
    assert the_split(fixed_time([5, 1, 3, 3], 3)) == ([1], [0, 2, 3])


rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40)


@given(rows, st.integers(1, 3))
def test_leave_last_out_by_a_slow_oracle(rows, n):
    users, times = zip(*rows, strict=True)
    test = []
    for user in set(users):
        own = sorted((t, row) for row, (u, t) in enumerate(rows) if u == user)
        if len(own) > n:
            test += [row for _, row in own[-n:]]
    if not test:
        with pytest.raises(InputError, match=f"more than {n} row"):
            leave_last_out(users, times, n)
        return
    splits = leave_last_out(users, times, n)
    train = [row for row in range(len(rows)) if row not in test]
    assert the_split(splits) == (train, sorted(test))
    few = [row for row, user in enumerate(users) if users.count(user) <= n]
    assert_array_equal(splits.report.changed, few)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.sampled_from([None, 0, 7]))
def test_hold_out_takes_the_floor_of_each_users_share(users, rng):
    wanted = {user: users.count(user) * 3 // 10 for user in users}
    if not any(wanted.values()):
        with pytest.raises(InputError, match="more than 3 rows"):
            hold_out_per_user(users, share=0.3, rng=rng)
        return
    splits = hold_out_per_user(users, share=0.3, rng=rng)
    train, test = the_split(splits)
    assert sorted(train + test) == list(range(len(users)))
    assert {user: sum(users[row] == user for row in test) for user in users} == wanted
    if rng is None:
        for user in set(users):
            own = [row for row, other in enumerate(users) if other == user]
            assert [row for row in own if row in test] == own[len(own) - wanted[user] :]
    assert set(splits.report.changed) == {r for r, user in enumerate(users) if not wanted[user]}


def test_the_share_is_the_decimal_that_is_written():
    # In floating point 0.29 * 100 is 28.999999999999996.
    assert len(hold_out_per_user([0] * 100, share=0.29)[0][1]) == 29


def test_hold_out_at_random_is_seeded():
    users = np.repeat([0, 1], 20)
    assert the_split(hold_out_per_user(users, rng=1)) == the_split(hold_out_per_user(users, rng=1))
    assert the_split(hold_out_per_user(users, rng=1)) != the_split(hold_out_per_user(users, rng=2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: fixed_time([1, 2], 1), "at must leave rows on both sides; got 1"),
        pytest.param(lambda: fixed_time([1, 2], 3), "at must .*2 rows before it and 0 from it"),
        pytest.param(lambda: fixed_time([1, 2], "2"), "at must be a number like the times"),
        pytest.param(lambda: fixed_time(DATES, 2018), "at must be a date like the times; got 2018"),
        pytest.param(lambda: fixed_time(DATES, "soon"), "at must be a date like the times"),
        pytest.param(lambda: fixed_time(DATES, pd.NaT), "at must be a date like the times"),
        pytest.param(
            lambda: fixed_time(DATES.tz_localize("UTC"), "2018-07-01"),
            "at must be a date with a time zone",
        ),
        pytest.param(
            lambda: fixed_time([1, None, 3], 2),
            "times must be known; got nan in row 1. See receval.splitting.fill_missing_dates",
        ),
        pytest.param(
            lambda: leave_last_out([1, 1], [1, 2, 3]),
            "users and times must have the same length; got 2 and 3",
        ),
        pytest.param(lambda: leave_last_out([1, 1], [1, None]), "times must be known"),
        pytest.param(
            lambda: leave_last_out([1, None], [1, 2]),
            "ids of users must not be missing; got nan in row 1",
        ),
        pytest.param(
            lambda: leave_last_out([1, "1"], [1, 2]),
            "ids of users must hold ids, all integers or all text",
        ),
        pytest.param(lambda: leave_last_out([1, 1], [1, 2], 0), "n must be a positive integer"),
        pytest.param(
            lambda: leave_last_out([True, False], [1, 2]),
            "ids of users must hold ids, all integers or all text",
        ),
        pytest.param(lambda: leave_last_out([1, 2], [1, 2]), "users must include one with more"),
        pytest.param(lambda: hold_out_per_user([1, 1], share=1), "share must be a number in"),
        pytest.param(lambda: hold_out_per_user([1, 1], share=0), "share must be a number in"),
        pytest.param(
            lambda: hold_out_per_user([1.5, 2]),
            "ids of users must hold ids, all integers or all text; got float64",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()
