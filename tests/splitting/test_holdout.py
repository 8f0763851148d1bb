"""One split at a point in time, or user by user."""

import datetime
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

from receval import EvaluationWarning, InputError
from receval.splitting import (
    fixed_time,
    hold_out,
    hold_out_per_user,
    hold_out_users,
    k_fold,
    leave_last_out,
    rotation,
    time_series_folds,
)

DATES = pd.to_datetime(["2018-07-20", "2018-05-02", "2018-07-01"])


def the_split(splits):
    [(train, test)] = splits
    return train.tolist(), test.tolist()


@pytest.mark.parametrize(
    ("times", "options", "train", "test"),
    [
        *(
            (DATES, {"at": at}, [1], [0, 2])
            for at in ("2018-07-01", datetime.date(2018, 7, 1), pd.Timestamp("2018-07-01"))
        ),
        ([5, 1, 3, 3], {"at": 3}, [1], [0, 2, 3]),
        # As floats, the three numbers are equal.
        (np.array([2**60, 2**60 + 2], np.uint64), {"at": 2**60 + 1}, [0], [1]),
        # The moment of a share keeps rows of one moment together.
        ([1, 5, 5, 9], {"share": 0.25}, [0, 1, 2], [3]),
        *(([1, 5, 5, 9], {"share": share}, [0], [1, 2, 3]) for share in (0.5, 0.75, 0.99)),
    ],
)
def test_fixed_time_tests_from_the_moment_on(times, options, train, test):
    assert the_split(fixed_time(times, **options)) == (train, test)


rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40)


@given(rows, st.integers(1, 3))
def test_leave_last_out_by_a_slow_oracle(rows, n):
    rows = [*rows, *((9, time) for time in range(n + 1))]  # of a user with enough rows
    users, times = zip(*rows, strict=True)
    test, tied = [], 0
    for user in set(users):
        own = sorted((t, row) for row, (u, t) in enumerate(rows) if u == user)
        if len(own) > n:
            test += [row for _, row in own[-n:]]
            tied += own[-n][0] == own[-n - 1][0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        splits = leave_last_out(users, times, n)
    assert [str(one.message).split(" for ")[1].split()[0] for one in told] == [str(tied)][:tied]
    train = [row for row in range(len(rows)) if row not in test]
    assert the_split(splits) == (train, sorted(test))
    few = [row for row, user in enumerate(users) if users.count(user) <= n]
    assert_array_equal(*splits.report.changes.values(), few)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.sampled_from([None, 0, 7]))
def test_hold_out_takes_the_floor_of_each_users_share(users, rng):
    users = [*users, 4, 4, 4, 4]  # the last one has enough rows
    wanted = {user: users.count(user) * 3 // 10 for user in users}
    splits = hold_out_per_user(users, share=0.3, rng=rng)
    train, test = the_split(splits)
    assert sorted(train + test) == list(range(len(users)))
    assert {user: sum(users[row] == user for row in test) for user in users} == wanted
    if rng is None:
        for user in set(users):
            own = [row for row, other in enumerate(users) if other == user]
            assert [row for row in own if row in test] == own[len(own) - wanted[user] :]
    untested = [row for row, user in enumerate(users) if not wanted[user]]
    assert_array_equal(*splits.report.changes.values(), untested)


@pytest.mark.parametrize(
    ("n_rows", "share", "n_tested"),
    [
        (100, 0.29, 29),  # in floating point, 0.29 * 100 is 28.999999999999996
        (10_000, 1 / 3, 3333),
        (3, 1 / 3, 1),
        (3000, 2 / 3, 2000),
        (10, 0.9999999, 9),
        (10, 0.4999999, 4),
    ],
)
def test_a_share_is_the_number_that_is_written(n_rows, share, n_tested):
    assert len(hold_out(n_rows, share=share)[0][1]) == n_tested
    assert len(hold_out_per_user(np.zeros(n_rows, int), share=share)[0][1]) == n_tested


@pytest.mark.parametrize(
    "split",
    [lambda **rng: hold_out_per_user(np.repeat([0, 1], 20), **rng), partial(hold_out, 40)],
    ids=["of each user", "of all rows"],
)
def test_hold_out_at_random_is_seeded(split):
    first, again, other = (the_split(split(rng=rng)) for rng in (1, 1, 2))
    assert first == again != other
    assert first[1] != [*range(16, 20), *range(36, 40)]
    assert sorted(first[0] + first[1]) == list(range(40))


def test_the_rows_of_all_users_are_held_out_with_the_seed_0():
    assert the_split(hold_out(40)) == the_split(hold_out(40, rng=0))


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (lambda: leave_last_out(list("uuvvww"), [1, 1, 1, 2, 5, 5]), "for 2 of 3 tested users"),
        (
            lambda: hold_out_per_user(list("uuvv"), share=0.5, times=[1, 1, 1, 2]),
            "for 1 of 2 tested users",
        ),
    ],
)
def test_a_tie_that_decides_what_is_last_is_told_with_counts(split, message):
    with pytest.warns(EvaluationWarning, match=f"order of rows {message}") as told:
        split()
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        *(
            (splits, "; rows in no part: 0")
            for splits in (
                fixed_time([1, 5, 4, 2, 3, 1, 6], 3),
                leave_last_out(list("uuuv"), [1, 2, 3, 4]),
                hold_out_per_user(list("uuuv"), share=0.4, rng=1),
                hold_out(10),
                hold_out_users(list("uuvvwwxxyy")),
            )
        ),
        (k_fold(5, 2), "2 rounds, train/test rows 2/3, 3/2; rows in no part: 0, 0"),
        (k_fold(6, 6), "1, 5/1, …; rows in no part: 0, 0, 0, 0, 0, …"),
        (rotation(3), "3 rounds, train/test rows 2/1, 2/1, 2/1; rows in no part: 0, 0, 0"),
        (time_series_folds(range(9), 3), "train/test rows 3/3, 6/3; rows in no part: 3, 0"),
    ],
)
def test_the_repr_counts_the_rows_in_no_part(splits, words):
    assert repr(splits).endswith(f"{words})")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_the_latest_share_of_each_user_is_the_last_share_of_rows_in_time(share):
    rng = np.random.default_rng(5)
    users, times = rng.integers(0, 6, 60), rng.permutation(60)
    in_time = np.argsort(times)
    parts = hold_out_per_user(users, share=share, times=times)[0]
    parts_in_time = hold_out_per_user(users[in_time], share=share)[0]
    for rows, rows_in_time in zip(parts, parts_in_time, strict=True):
        assert_array_equal(rows, np.sort(in_time[rows_in_time]))


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(0, 3))
def test_held_out_users_are_whole(users, seed):
    users = [*users, 10, 11, 12, 13]
    train, test = the_split(hold_out_users(users, share=0.25, rng=seed))
    assert sorted(train + test) == list(range(len(users)))
    tested = {users[row] for row in test}
    assert len(tested) == len(set(users)) // 4
    assert tested.isdisjoint(users[row] for row in train)


def test_every_splitter_is_taken_as_cv():
    users, times, target = np.repeat([0, 1, 2, 3], 3), np.arange(12), np.tile([0, 1], 6)
    for splits in (
        k_fold(12, 3),
        rotation(12),
        time_series_folds(times, 3),
        fixed_time(times, 6),
        leave_last_out(users, times),
        hold_out_per_user(users, share=0.4),
        hold_out(12),
        hold_out_users(users, share=0.5),
    ):
        scores = cross_val_score(DummyClassifier(), times[:, None], target, cv=splits)
        assert len(scores) == len(splits)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: fixed_time([1, 2], 1), "at must leave rows on both sides; got 1"),
        pytest.param(
            lambda: fixed_time([5, 5, 5, 9], share=0.9), "at must leave rows on both sides"
        ),
        pytest.param(
            lambda: fixed_time([1, 2], share=0.1), "share must make at least one row of times"
        ),
        pytest.param(lambda: fixed_time([1, 2, 3]), "at must be given without share"),
        pytest.param(lambda: fixed_time([1, 2, 3], 2, share=0.5), "at must be given without share"),
        pytest.param(
            lambda: hold_out_per_user([1, 1], share=0.5, times=[1, 2], rng=0),
            "rng must be left out with times",
        ),
        pytest.param(
            lambda: hold_out_per_user([0] * 10, share=5e-20),
            "a number in .0, 1., not within 9e-13 of either; got 5e-20",
        ),
        pytest.param(
            lambda: fixed_time([1, 2], 3), "at must .*2 rows before it and 0 at or after it"
        ),
        pytest.param(
            lambda: fixed_time([1, 2], "2012-01-01"),
            "at must be of one kind in times and at; got int64 and datetime64",
        ),
        pytest.param(
            lambda: fixed_time([1551398400, 1583020800], "2020-01-01"),
            r"at must be of one kind .* by pd.to_datetime\(times, unit='s'\)",
        ),
        pytest.param(
            lambda: fixed_time(
                DATES.as_unit("s").append(pd.DatetimeIndex(["3000-01-01"])), DATES.as_unit("ns")[0]
            ),
            r"at must be of one kind .* and datetime64\[ns\]\. .*dt.as_unit\('us'\)",
        ),
        pytest.param(
            lambda: fixed_time([2**53 + 1, 2**53 + 4], 2.0**53 + 2),
            r"times must hold whole numbers of at most 2\*\*53",
        ),
        pytest.param(lambda: fixed_time(DATES, 2018), "at must be of one kind in times and at"),
        pytest.param(
            lambda: fixed_time(DATES, pd.NaT), "at must be a date or a number like the times"
        ),
        pytest.param(
            lambda: fixed_time(DATES, "07/01/2018"),
            "at must be a date .*; got '07/01/2018'. Write a date as 2026-03-04",
        ),
        pytest.param(
            lambda: fixed_time(DATES.tz_localize("UTC"), "2018-07-01"),
            r"at must be of one kind in times and at; got .*UTC\] and datetime64",
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
        pytest.param(
            lambda: leave_last_out([1, 2, 2], [1, 2, 3], 2),
            "users must include one with more than 2 rows",
        ),
        pytest.param(
            lambda: leave_last_out([1], [1, 2]),
            "users and times must have the same length; got 1 and 2",
        ),
        pytest.param(lambda: hold_out(4), "share must make at least one row of n; got 0.2 of 4"),
        pytest.param(lambda: hold_out(9, rng=None), "rng must be"),
        pytest.param(lambda: hold_out_users([]), "share must make at least one user of users"),
        pytest.param(
            lambda: hold_out_users([1, 1, 2], share=0.3),
            "share must make at least one user of users",
        ),
        pytest.param(
            lambda: hold_out_per_user([1, 1, 1], share=0.3), "users must .* more than 3 rows"
        ),
        pytest.param(lambda: hold_out_per_user([1, 1], share=1), "share must be a number in"),
        pytest.param(lambda: hold_out_per_user([1, 1], share=0), "share must be a number in"),
        pytest.param(
            lambda: hold_out_per_user([1.5, 2]),
            "ids of users must hold ids, all integers or all text; got float",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()
