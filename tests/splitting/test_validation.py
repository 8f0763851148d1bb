"""Three-way splits: training, validation and test rows of every splitter."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.splitting import (
    fixed_time,
    hold_out,
    hold_out_per_user,
    hold_out_users,
    k_fold,
    leakage,
    leave_last_out,
    rotation,
    time_series_folds,
)

RNG = np.random.default_rng(0)
USERS = RNG.integers(0, 12, 90)
TIMES = RNG.permutation(90)
SPLITS = {
    "k_fold": (k_fold(90, 4), None),
    "k_fold at random": (k_fold(90, 4, rng=1), None),
    "rotation": (rotation(5, rows=90), None),
    "time_series_folds": (time_series_folds(TIMES, 5), None),
    "fixed_time": (fixed_time(TIMES, 70), 50),
    "fixed_time, last row": (fixed_time(TIMES, 70, users=USERS), 50),
    "leave_last_out": (leave_last_out(USERS, TIMES), None),
    "leave_last_out, 2 and 3": (leave_last_out(USERS, TIMES, 2), 3),
    "hold_out": (hold_out(90, share=0.3), None),
    "hold_out_users": (hold_out_users(USERS, share=0.25), 0.5),
    "hold_out_per_user": (hold_out_per_user(USERS, share=0.2), None),
    "hold_out_per_user at random": (hold_out_per_user(USERS, share=0.2, rng=3), 0.4),
}


@pytest.mark.parametrize("name", SPLITS)
def test_validation_takes_rows_from_training_alone(name):
    splits, validation = SPLITS[name]
    three_way = splits.with_validation(validation)
    two_way = list(splits)[-len(three_way) :]  # time_series_folds has one round less
    assert len(three_way) >= 1
    for (train, validated, test), (all_train, same_test) in zip(three_way, two_way, strict=True):
        assert test.tolist() == same_test.tolist()
        assert len(train)
        assert len(validated)
        assert not set(train) & set(validated)
        assert set(train) | set(validated) <= set(all_train)
        if name != "fixed_time, last row":  # which leaves out a user's other rows
            assert set(train) | set(validated) == set(all_train)


def test_validation_lies_between_training_and_test_in_time():
    times, users = pd.Series(TIMES), pd.Series(USERS)
    for name in ("time_series_folds", "fixed_time"):
        splits, validation = SPLITS[name]
        for train, validated, test in splits.with_validation(validation):
            assert times[train].max() < times[validated].min()
            assert times[validated].max() < times[test].min()
    [(train, validated, test)] = SPLITS["leave_last_out, 2 and 3"][0].with_validation(3)
    for user in np.unique(USERS[validated]):
        of_user = users == user
        ordered = times[of_user].sort_values().index
        assert set(ordered[-2:]) == set(test) & set(ordered)
        assert set(ordered[-5:-2]) == set(validated) & set(ordered)


def test_sizes_of_shares():
    sizes = [[len(part) for part in parts] for parts in hold_out(100).with_validation(0.1)]
    assert sizes == [[70, 10, 20]]
    [(train, validated, test)] = hold_out_per_user(list("uuuuuuuuuu"), share=0.2).with_validation()
    assert [train.tolist(), validated.tolist(), test.tolist()] == [
        [0, 1, 2, 3, 4, 5],
        [6, 7],
        [8, 9],
    ]
    [(_, validated, test)] = hold_out_users(USERS, share=0.25).with_validation()
    assert not set(USERS[validated]) & set(USERS[test])


def test_a_user_with_too_few_rows_is_not_validated():
    splits = leave_last_out(["u", "u", "v", "v", "v"], [1, 2, 1, 2, 3])
    [(train, validated, test)] = splits.with_validation()
    assert [train.tolist(), validated.tolist(), test.tolist()] == [[0, 2], [3], [1, 4]]


def test_a_three_way_split_is_a_sequence():
    three_way = k_fold(6, 3).with_validation()
    assert len(three_way[1:]) == 2
    assert repr(three_way) == (
        "ThreeWaySplits(3 rounds, train/validation/test rows 2/2/2, 2/2/2, 2/2/2; "
        "rows in no part: 0, 0, 0)"
    )


@pytest.mark.parametrize(
    ("splits", "validation", "message"),
    [
        (k_fold(4, 2), None, "k must be at least 3, one fold each"),
        (k_fold(9, 3), 0.2, "validation must be left out with folds"),
        (fixed_time([1, 2, 3], 2), None, "validation must be the first moment of validation"),
        (fixed_time([1, 2, 3], 2), 3, "validation must have rows between it and the first tested moment; got 3, with none"),
        (fixed_time([1, 2, 3], 2), 1, "validation must leave a row to train on"),
        (fixed_time([1, 2, 3], 2), "2020-01-01", "validation must be a number like the times"),
        (hold_out(10, share=0.5), None, "validation must leave a share to train on, besides the tested 0.5; got 0.5"),
        (hold_out(10, share=0.5), 3, "validation must be a share in"),
        (hold_out(10, share=0.5), 0.01, "share must make at least one row of n; got 0.01 of 10"),
        (leave_last_out(["u", "u"], [1, 2]), None, "validation must leave a user a row to train on"),
        (leave_last_out(["u", "u"], [1, 2]), 0, "validation must be a positive integer"),
    ],
)  # fmt: skip
def test_wrong_validation_is_refused(splits, validation, message):
    with pytest.raises(InputError, match=message):
        splits.with_validation(validation)


@pytest.mark.parametrize(("unit", "factor"), [("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)])
def test_numbers_beside_a_date_get_the_line_that_makes_dates(unit, factor):
    dates = pd.Series(pd.to_datetime(["2019-03-01", "2020-03-01", "2021-03-01"]))
    numbers = (dates - pd.Timestamp(0)) // pd.Timedelta(seconds=1) * factor
    line = rf"pd\.to_datetime\(times, unit='{unit}'\)$"
    for at in ("2020-01-01", pd.Timestamp("2020-01-01"), np.datetime64("2020-01-01")):
        with pytest.raises(InputError, match=f"at must be a number like the times; got .*{line}"):
            fixed_time(numbers, at)
    converted = pd.to_datetime(numbers, unit=unit)  # the line works
    assert fixed_time(converted, "2020-01-01")[0][1].tolist() == [1, 2]
    with pytest.raises(InputError, match=rf"at must be a date.*to_datetime\(at, unit='{unit}'\)"):
        fixed_time(dates, int(numbers[1]))
    tables = [pd.DataFrame({"user": 1, "item": 1, "time": values}) for values in (numbers, dates)]
    with pytest.raises(InputError, match=rf"to_datetime\(train\['time'\], unit='{unit}'\)"):
        leakage(*tables, time="time")


def test_small_numbers_are_no_times_since_1970():
    with pytest.raises(InputError, match=r"at must be a number like the times; got '2020-01-01'$"):
        fixed_time([1, 2, 3], "2020-01-01")
