"""Tables that are prepared for a split, and leakage in a split."""

from statistics import median_low

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal

from receval import InputError
from receval.splitting import (
    fill_missing_dates,
    leakage,
    single_winner,
    warm_users,
)

BIG = 2**63


def frame(**columns):
    return pd.DataFrame(columns)


# Dates -------------------------------------------------------------------------------------


def test_the_median_of_an_even_number_of_dates():
    dates = pd.Series(pd.to_datetime(["2014-01-01", None, "2012-01-03"]), index=[5, 5, 1])
    filled, report = fill_missing_dates(dates)
    expected = dates.mask(dates.isna(), pd.Timestamp("2012-01-03"))
    assert_series_equal(filled, expected)
    assert_array_equal(*report.changes.values(), [1])
    assert dates.isna().sum() == 1


@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6))), st.floats(-1e6, 1e6))
def test_the_median_is_the_lower_one_of_the_standard_library(values, another):
    values = [another, *values]
    known = [value for value in values if value is not None]
    filled, report = fill_missing_dates(values)
    assert report.given == report.kept == len(values)
    missing = [row for row, value in enumerate(values) if value is None]
    assert_array_equal(np.concatenate([[], *report.changes.values()]), missing)
    assert filled.iloc[missing].tolist() == [median_low(known)] * len(missing)


def test_whole_numbers_stay_whole():
    filled, _ = fill_missing_dates(pd.Series([BIG - 1, BIG - 3, None], dtype="Int64"))
    assert filled.tolist() == [BIG - 1, BIG - 3, BIG - 3]


# Winners and warm users --------------------------------------------------------------------


def test_single_winner_by_hand():
    awards = frame(lot=["a", "b", "b", "c", "c", "a"], won=[1, 1, 2, 3, 3, 1])
    awards.index = [9, 8, 7, 6, 5, 4]
    before = awards.copy()
    kept, report = single_winner(awards, contract="lot", winner="won")
    assert_frame_equal(kept, awards.iloc[[0, 3]])
    assert {what: rows.tolist() for what, rows in report.changes.items()} == {
        "removed: contract with several winners": [1, 2],
        "removed: award listed again": [4, 5],
    }
    assert_frame_equal(awards, before)


@pytest.mark.parametrize(
    ("trained", "tested", "kept"),
    [
        ([4, 2, 2], [2, 5, 4, 2], [2, 4, 2]),
        ([], [2], []),
        ([BIG - 1], np.array([BIG - 1, BIG], np.uint64), [BIG - 1]),
        (["7", "é"], pd.Categorical(["07", " 7", "7", "e\u0301"]), ["7"]),
    ],
)
def test_warm_users_by_hand(trained, tested, kept):
    found, report = warm_users(frame(user=trained), frame(user=tested))
    assert found["user"].tolist() == kept
    assert report.kept == len(kept)


# Leaks -------------------------------------------------------------------------------------

TRAIN = frame(user=list("uvvx"), item=[1, 1, 2, 1], year=[1, 2, 5, None])
TEST = frame(user=list("uvwu"), item=[2, 1, 3, 2], year=[4, 6, 3, None])


@pytest.mark.parametrize(
    ("years", "counts", "examples"),
    [
        ([1, 2, 5, None], [1, 1, 1, 1, 0, 0, 0, 2], [[1], ["w"], [3], [2], [], [], [], [3, 7]]),
        # u trains in 5 and is tested in 4; v tests in 6; x is not tested.
        (
            [5, 2, 5, 9],
            [1, 1, 1, 3, 1, 0, 0, 1],
            [[1], ["w"], [3], [0, 2, 3], [0], [], [], [7]],
        ),
        # The first test rows are in 3. Two rows of training are at that moment, and v trains in 6.
        (
            [3, 6, 3, 2],
            [1, 1, 1, 1, 0, 2, 1, 1],
            [[1], ["w"], [3], [1], [], [0, 2], [1], [7]],
        ),
    ],
)
def test_leakage_by_hand(years, counts, examples):
    found = leakage(TRAIN.assign(year=years), TEST, time="year")
    assert found["count"].tolist() == counts
    assert found["examples"].tolist() == examples
    assert found["of"].tolist() == [4, 3, 3, 4, 4, 4, 4, 8]
    assert_array_equal(found["share"], found["count"] / found["of"])


def test_signed_and_unsigned_times_are_compared_as_whole_numbers():
    train = frame(user=[1], item=[1], t=[2**62 + 1])
    test = frame(user=[1], item=[2], t=np.array([2**62], np.uint64))
    found = leakage(train, test, time="t")["count"]
    assert found["training rows after the first test row"] == 1


def test_leakage_without_time_or_rows():
    found = leakage(TRAIN.iloc[:0], TEST.iloc[:0])
    assert found["count"].tolist() == [0, 0, 0]
    assert found["share"].isna().all()


def test_one_moment_in_two_time_zones_is_the_same_time():
    noon = pd.Timestamp("2020-01-01 12:00", tz="UTC")
    train = frame(user=[1], item=[1], when=[noon])
    test = frame(user=[1], item=[2], when=[noon.tz_convert("Asia/Tokyo")])
    found = leakage(train, test, time="when")["count"]
    assert found[found > 0].index.tolist() == [
        "test items without training",
        "training rows at the first test time",
        "training rows at the user's own first test time",
    ]


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), max_size=12)


@given(pairs, pairs)
def test_leakage_by_a_slow_oracle(trained, tested):
    names = ["user", "item", "t"]
    train = pd.DataFrame(trained, columns=names, dtype="int64")
    test = pd.DataFrame(tested, columns=names, dtype="int64")
    found = leakage(train, test, time="t")["count"].tolist()
    first = min((t for *_, t in tested), default=99)
    own = {u: min(t for v, _, t in tested if v == u) for u, *_ in tested}
    assert found == [
        sum((u, i) in {pair[:2] for pair in trained} for u, i, _ in tested),
        len({u for u, *_ in tested} - {u for u, *_ in trained}),
        len({i for _, i, _ in tested} - {i for _, i, _ in trained}),
        sum(t > first for *_, t in trained),
        sum(t > own.get(u, 99) for u, _, t in trained),
        sum(t == first for *_, t in trained),
        sum(t == own.get(u, 99) for u, _, t in trained),
        0,
    ]


# Refusals ----------------------------------------------------------------------------------

ONE = frame(user=[1], item=[1], t=[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: fill_missing_dates([None]), "dates must have a known one; got 1"),
        pytest.param(lambda: fill_missing_dates(["a"]), "dates must hold dates or numbers"),
        pytest.param(
            lambda: fill_missing_dates(pd.Series([2**62 + 1, None], dtype=object)),
            r"dates must hold whole numbers of at most 2\*\*53; got",
        ),
        pytest.param(
            lambda: single_winner(ONE),
            "awards must have one column 'contract'; got the columns .'user', 'item', 't'",
        ),
        pytest.param(lambda: single_winner([1]), "awards must be a pandas DataFrame; got list"),
        pytest.param(
            lambda: single_winner(frame(contract=[1, None], bidder=[1, 1])),
            "awards.'contract'. must not be missing; got nan in row 1",
        ),
        pytest.param(
            lambda: warm_users(pd.DataFrame([[1, 2]], columns=["user", "user"]), ONE),
            "train must have one column 'user'; got the columns",
        ),
        pytest.param(
            lambda: warm_users(ONE, ONE.assign(user="1")),
            "user of train and of test must be ids of one kind; got int64 .integer. and (str|obj)",
        ),
        pytest.param(
            lambda: warm_users(ONE, ONE.astype({"user": float})),
            "user of test must hold ids, all integers or all text; got float",
        ),
        pytest.param(
            lambda: warm_users(ONE, ONE.astype({"user": object}).assign(user=[True])),
            "user of test must hold ids, all integers or all text; got boolean",
        ),
        pytest.param(
            lambda: leakage(ONE, ONE.assign(t=pd.Timestamp("2012-01-01")), time="t"),
            "t must be of one kind in train.* and test.*; got int64 and datetime64",
        ),
        pytest.param(
            lambda: leakage(
                ONE.assign(t=pd.Timestamp("2012-01-01", tz="UTC")),
                ONE.assign(t=pd.Timestamp("2012-01-01")),
                time="t",
            ),
            "t must be of one kind in",
        ),
        pytest.param(lambda: leakage(ONE, ONE, time="date"), "train must have one column 'date'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()
