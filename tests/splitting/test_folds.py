"""k folds, the rotation, folds in time."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import KFold

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


def test_equal_times_keep_the_order_of_rows_and_a_cut_between_them_warns():
    with pytest.warns(EvaluationWarning, match="at 1 of 1 cut: .* time, such as 4, are") as told:
        assert pairs(time_series_folds([4, 4, 4, 4], 2)) == [([0, 1], [2, 3])]
    assert told[0].filename == __file__
    days = pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"])
    with pytest.warns(EvaluationWarning, match="at 1 of 4 cuts: .* such as 2020-01-02 00:00:00,"):
        time_series_folds(days, 5)


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
    for train, test in pairs(splits):
        assert (sorted(train), sorted(test)) == (train, test)
        assert sorted(train + test) == list(range(n))
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(n))


def test_each_seed_deals_rows_in_another_way():
    assert len({str(pairs(k_fold(30, 3, rng=rng))) for rng in (None, 1, 2)}) == 3


TIMES = st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=2, max_size=30)


@given(TIMES.filter(lambda times: any(time is not None for time in times)), st.data())
def test_time_series_folds_by_a_slow_oracle(times, data):
    known = sorted(t for t in times if t is not None)
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
        splits = time_series_folds(times, k)
    assert pairs(splits) == expected
    unknown = [row for row, time in enumerate(times) if time is None]
    assert_array_equal(np.concatenate([[], *splits.report.changes.values()]), unknown)
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


def test_a_round_may_be_changed_without_harm():
    for splits in (k_fold(4, 2), time_series_folds([1, 2, 3, 4], 2), rotation(3)):
        before = pairs(splits)
        for train, test in splits:
            train[:] = test[:] = -1
        assert pairs(splits) == before
        assert [part.tolist() for part in splits[-1]] == [*before[-1]]


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
