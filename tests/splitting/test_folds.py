"""k folds, the rotation, folds in time."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, TimeSeriesSplit, cross_val_score

from receval import EvaluationWarning, InputError
from receval import ledger as published
from receval.splitting import k_fold, rotation, time_series_folds

# Some tests below cut one moment in two on purpose; those that are about the warning expect it.
ignore_divided_times = pytest.mark.filterwarnings("ignore:which rows are tested is decided")


def pairs(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


# Published ---------------------------------------------------------------------------------


def test_rotation_is_the_table_of_document_001():
    rounds = [np.concatenate(pair) + 1 for pair in rotation(4)]
    check = published.check("001/rotation", np.concatenate(rounds).tolist())
    assert check.verdict == "reproduced"


# By hand -----------------------------------------------------------------------------------


def test_the_first_folds_are_longer():
    assert [len(test) for _, test in k_fold(11, 4)] == [3, 3, 3, 2]
    assert [len(test) for _, test in time_series_folds(range(11), 4)] == [3, 3, 2]


def test_time_series_folds_by_hand():
    # In order of time: rows 3, 1 | 0, 4 | 2; the first fold is never tested.
    assert pairs(time_series_folds([5, 2, 9, 1, 7], 3)) == [
        ([3, 1], [0, 4]),
        ([3, 1, 0, 4], [2]),
    ]


def test_equal_times_keep_the_order_of_rows_and_a_cut_between_them_warns():
    with pytest.warns(EvaluationWarning, match="at 1 of 1 cut: .* time, such as 4, are") as told:
        assert pairs(time_series_folds([4, 4, 4, 4], 2)) == [([0, 1], [2, 3])]
    assert told[0].filename == __file__
    days = pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"])
    with pytest.warns(EvaluationWarning, match="at 1 of 4 cuts: .* such as 2020-01-02 00:00:00,"):
        time_series_folds(days, 5)


def test_an_unknown_time_that_is_filled_in_counts_as_a_time_at_a_cut():
    # Row 2 gets 2013, the time of row 4, and the first cut lies between the two.
    with pytest.warns(EvaluationWarning, match="at 1 of 2 cuts"):
        time_series_folds([2016, 2012, None, 2014, 2013], 3)


@pytest.mark.parametrize("rng", [None, 3])
def test_folds_of_users_keep_the_rows_of_a_user_together(rng):
    users = np.random.default_rng(8).integers(0, 11, 70).astype(str)
    folds = k_fold(70, 4, users=users, rng=rng)
    tested = [test for _, test in folds]
    assert_array_equal(np.sort(np.concatenate(tested)), np.arange(70))
    users_of_folds = [set(users[test]) for test in tested]
    assert sorted(map(len, users_of_folds)) == [2, 3, 3, 3]
    assert len(set.union(*users_of_folds)) == 11
    for train, test in folds:
        assert_array_equal(np.sort(np.append(train, test)), np.arange(70))


@ignore_divided_times
def test_an_unknown_time_is_the_median_of_the_known_ones():
    splits = time_series_folds([1, 2, 6, 9, np.nan], 5)
    train, test = splits[-1]
    assert [*train, *test] == [0, 1, 4, 2, 3]  # of the known years 1, 2, 6, 9, row 4 goes to 2
    assert_array_equal(*splits.report.changes.values(), [4])


# Properties and oracles --------------------------------------------------------------------

sizes = st.integers(2, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(2, n)))


@given(sizes)
def test_k_fold_is_that_of_scikit_learn(size):
    n, k = size
    expected = [(a.tolist(), b.tolist()) for a, b in KFold(k).split(np.zeros(n))]
    assert pairs(k_fold(n, k)) == expected


@given(sizes, st.integers(0, 5))
def test_random_folds_part_the_rows(size, seed):
    n, k = size
    splits = k_fold(n, k, rng=seed)
    assert pairs(splits) == pairs(k_fold(n, k, rng=np.random.default_rng(seed)))
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(n))
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(n))


def test_rng_deals_rows_at_random():
    assert pairs(k_fold(30, 3, rng=1)) != pairs(k_fold(30, 3))
    assert pairs(k_fold(30, 3, rng=1)) != pairs(k_fold(30, 3, rng=2))


@given(st.integers(3, 6), st.integers(1, 5))
def test_time_series_folds_are_those_of_scikit_learn_where_rows_divide_evenly(k, length):
    # Otherwise scikit-learn gives the whole remainder to the first fold.
    rows = np.zeros(k * length)
    expected = [(a.tolist(), b.tolist()) for a, b in TimeSeriesSplit(k - 1).split(rows)]
    assert pairs(time_series_folds(np.arange(k * length), k)) == expected


@given(st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=2, max_size=30), st.data())
def test_time_series_folds_by_a_slow_oracle(times, data):
    known = sorted(t for t in times if t is not None)
    if not known:
        with pytest.raises(InputError, match="known"):
            time_series_folds(times, 2)
        return
    k = data.draw(st.integers(2, len(times)))
    median = known[(len(known) - 1) // 2]
    filled = [median if t is None else t for t in times]
    order = sorted(range(len(times)), key=lambda row: (filled[row], row))
    short, longer = divmod(len(times), k)
    folds, at = [], 0
    for j in range(k):
        length = short + (j < longer)
        folds.append(order[at : at + length])
        at += length
    expected = [([row for fold in folds[:j] for row in fold], folds[j]) for j in range(1, k)]
    n_divided = sum(filled[folds[j - 1][-1]] == filled[folds[j][0]] for j in range(1, k))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert pairs(time_series_folds(times, k)) == expected
    counts = [re.search("at (\\d+) of", str(warning.message)).group(1) for warning in told]
    assert counts == [str(n_divided)][:n_divided]


@ignore_divided_times
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda dates: dates, id="Series"),
        pytest.param(lambda dates: dates.to_numpy(), id="array"),
        pytest.param(lambda dates: dates.tolist(), id="list of Timestamp and NaT"),
        pytest.param(lambda dates: pd.DatetimeIndex(dates), id="index"),
        pytest.param(lambda dates: [None if d is pd.NaT else d.date() for d in dates], id="date"),
        pytest.param(lambda dates: dates.dt.tz_localize("Europe/Prague"), id="with a time zone"),
        pytest.param(lambda dates: dates.set_axis([0, 0, 7, 7, 1]), id="index ignored"),
    ],
)
def test_dates_of_every_kind(make):
    dates = pd.Series(
        pd.to_datetime(["2014-03-01", "2012-01-05", None, "2016-07-07", "2013-02-02"])
    )
    # The median of the four known is 2013-02-02, and row 2 stands before row 4.
    assert pairs(time_series_folds(make(dates), 5))[-1] == ([1, 2, 4, 0], [3])


def test_scikit_learn_takes_them_as_cv_again_and_again():
    x, y = np.zeros((12, 1)), np.tile([0, 1], 6)
    for splits in (k_fold(12, 3, rng=0), time_series_folds(np.arange(12), 4), rotation(12)):
        scores = [cross_val_score(DummyClassifier(), x, y, cv=splits) for _ in range(2)]
        assert len(scores[0]) == len(splits)
        assert_array_equal(scores[0], scores[1])


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        (k_fold(5, 2), "2 rounds, train/test rows 2/3, 3/2; rows in no part: 0, 0"),
        (k_fold(6, 6), "1, 5/1, …; rows in no part: 0, 0, 0, 0, 0, …"),
        (rotation(3), "3 rounds, train/test rows 2/1, 2/1, 2/1; rows in no part: 0, 0, 0"),
        (time_series_folds(range(9), 3), "2 rounds, .* rows 3/3, 6/3; rows in no part: 3, 0"),
    ],
)  # fmt: skip
def test_the_repr_counts_the_rows_in_no_part(splits, words):
    assert re.search(rf"{words}\)$", repr(splits))


def test_a_round_may_be_changed_without_harm():
    for splits in (k_fold(4, 2), time_series_folds([1, 2, 3, 4], 2), rotation(3)):
        before = pairs(splits)
        for train, test in splits:
            train[:] = test[:] = -1
        assert pairs(splits) == before
        assert [part.tolist() for part in splits[-1]] == [*before[-1]]


def test_times_stay_as_they_were():
    times = np.array([3.0, np.nan, 1.0, 2.0, 5.0])
    times.flags.writeable = False
    time_series_folds(times, 2)
    assert_array_equal(times, [3.0, np.nan, 1.0, 2.0, 5.0])


# Refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: k_fold(3, 4), "k must be at most the number of rows, 3; got 4"),
        pytest.param(lambda: k_fold(3, 1), "k must be a whole number from 2 .*; got 1"),
        pytest.param(lambda: k_fold(3, True), "k must be a whole number from 2 .*; got True"),
        pytest.param(lambda: k_fold(3, 2.0), "k must be a whole number from 2 .*; got 2.0"),
        pytest.param(lambda: k_fold(-1, 2), "n must be a whole number from 0 .*; got -1"),
        pytest.param(lambda: k_fold([1, 2], 2), "n must be a whole number from 0 .*; got"),
        pytest.param(lambda: k_fold(3, 2, rng="a"), "rng must be a .* or a seed; got 'a'"),
        pytest.param(lambda: k_fold(3, 2, rng=True), "rng must be a .* or a seed; got True"),
        pytest.param(
            lambda: k_fold(3, 3, users=["u", "u", "v"]), "k must be at most the number of users, 2"
        ),
        pytest.param(
            lambda: k_fold(4, 2, users=["u", "u", "v"]), "users must have an id for each of 4 rows"
        ),
        pytest.param(lambda: rotation(1), "k must be a whole number from 2"),
        pytest.param(lambda: time_series_folds([1, 2], 3), "k .* the number of rows, 2; got 3"),
        pytest.param(
            lambda: time_series_folds(np.ma.masked_array([1, 2], [0, 1]), 2),
            "times must be an ordinary array; got a masked array",
        ),
        pytest.param(lambda: time_series_folds([None, None], 2), "times must have a known one"),
        pytest.param(
            lambda: time_series_folds(["2012-01-01", "2013-01-01"], 2),
            "times must hold dates or numbers; got string such as '2012-01-01'. .*to_datetime",
        ),
        pytest.param(
            lambda: time_series_folds([1, np.inf], 2), "times must be finite; got inf in row 1"
        ),
        pytest.param(lambda: time_series_folds([[1, 2]], 2), "times must hold dates or numbers"),
        pytest.param(lambda: time_series_folds(np.ones((2, 2)), 2), "times must have one axis"),
        pytest.param(lambda: time_series_folds([True, False], 2), "times must hold .* boolean"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_options_are_keyword_only():
    with pytest.raises(TypeError):
        k_fold(4, 2, 0)
    with pytest.raises(TypeError):
        time_series_folds([1, 2], 2, "all")
