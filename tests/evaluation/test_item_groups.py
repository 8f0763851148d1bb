"""Groups of items: shares, disparities and calibration, against sums in plain Python."""

import math
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from receval import InputError, evaluate
from receval.metrics.discounts import reciprocal

N_USERS = 30
N_ITEMS = 12
K = 4


@pytest.fixture(scope="module")
def data():
    """Tables, and the genres of each item, one or two."""
    rng = np.random.default_rng(3)
    lists = {
        name: {user: rng.permutation(N_ITEMS)[:6].tolist() for user in range(N_USERS)}
        for name in "AB"
    }
    truth = {
        user: dict(zip(rng.permutation(N_ITEMS)[:5].tolist(), [1, 2, 3, 4, 5], strict=True))
        for user in range(N_USERS)
    }
    history = {user: rng.permutation(N_ITEMS)[: rng.integers(1, 5)].tolist() for user in range(25)}
    genres = {item: ["abc"[item % 3]] + ["c"] * (item % 4 == 0 and item % 3 != 2)
              for item in range(N_ITEMS)}  # fmt: skip
    return lists, truth, history, genres


@pytest.fixture(scope="module")
def result(data):
    lists, truth, history, _ = data
    rows = [(user, item) for user, items in history.items() for item in items]
    past = pd.DataFrame(rows, columns=["user", "item"])
    return evaluate(lists, truth, f"Recall@{K}", relevant_from=3, history=past)


def shares(weight_by_group):
    total = sum(weight_by_group.values())
    return {group: weight / total for group, weight in weight_by_group.items()}


def counted(pairs, genres):
    """Return the share of each genre; ``pairs`` are items with weights."""
    sums = Counter(dict.fromkeys("abc", 0.0))
    for item, weight in pairs:
        for genre in genres[item]:
            sums[genre] += weight / len(genres[item])
    return shares(sums)


@pytest.mark.parametrize("discount", [None, reciprocal])
def test_shares_are_those_of_plain_sums(data, result, discount):
    lists, truth, _, genres = data
    options = {} if discount is None else {"discount": discount}
    table = result.by_items(pd.Series(genres), n_resamples=100, **options).table
    weight = (lambda rank: 1 / rank) if discount else (lambda rank: 1 / math.log2(rank + 1))
    relevant = {(u, i) for u, grades in truth.items() for i, grade in grades.items() if grade >= 3}
    for system, by_user in lists.items():
        listed = [
            (u, i, rank) for u, items in by_user.items() for rank, i in enumerate(items[:K], 1)
        ]
        expected = {
            "catalogue": counted([(item, 1) for item in genres], genres),
            "relevance": counted([(item, 1) for _, item in relevant], genres),
            "exposure": counted([(item, weight(rank)) for _, item, rank in listed], genres),
            "hits": counted([(i, 1) for u, i, _ in listed if (u, i) in relevant], genres),
        }
        for column, by_group in expected.items():
            np.testing.assert_allclose(table.loc[system, column], list(by_group.values()))
        for column, share in [("vs_relevance", "relevance"), ("vs_catalogue", "catalogue")]:
            ratio = np.divide([*expected["exposure"].values()], [*expected[share].values()])
            np.testing.assert_allclose(table.loc[system, column], ratio)
    assert (table["vs_relevance_low"] < table["vs_relevance"]).all()
    assert (table["vs_relevance"] < table["vs_relevance_high"]).all()


def test_intervals_are_percentiles_over_drawn_users(data, result):
    lists, truth, _, genres = data
    found = result.by_items(pd.Series(genres), n_resamples=4000).table.loc["A"]
    exposure, relevance = np.zeros((2, N_USERS, 3))
    for user in range(N_USERS):
        for rank, item in enumerate(lists["A"][user][:K], 1):
            for genre in genres[item]:
                exposure[user, "abc".index(genre)] += 1 / math.log2(rank + 1) / len(genres[item])
        for item, grade in truth[user].items():
            for genre in genres[item] if grade >= 3 else []:
                relevance[user, "abc".index(genre)] += 1 / len(genres[item])
    rng = np.random.default_rng(11)
    drawn = []
    for _ in range(4000):
        users = rng.integers(N_USERS, size=N_USERS)
        e, r = exposure[users].sum(axis=0), relevance[users].sum(axis=0)
        drawn.append((e / e.sum()) / (r / r.sum()))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    # Both are simulations; their ends differ by a fraction of the interval's length.
    assert (abs(found["vs_relevance_low"] - low) < 0.07 * (high - low)).all()
    assert (abs(found["vs_relevance_high"] - high) < 0.07 * (high - low)).all()


def test_calibration_is_the_divergence_of_steck(data, result):
    lists, _, history, genres = data
    found = result.by_items(pd.Series(genres), n_resamples=100).calibration()
    assert found.loc[25:].isna().all(axis=None)  # users without a history
    for system in "AB":
        for user in (0, 3, 24):
            p = counted([(item, 1) for item in history[user]], genres)
            ranked = enumerate(lists[system][user][:K], 1)
            q = counted([(item, 1 / math.log2(rank + 1)) for rank, item in ranked], genres)
            terms = [p[g] * math.log(p[g] / (0.99 * q[g] + 0.01 * p[g])) for g in "abc" if p[g] > 0]
            assert found.loc[user, system] == pytest.approx(sum(terms), abs=1e-14)


def test_a_list_like_the_history_is_calibrated():
    history = pd.DataFrame({"user": 1, "item": ["x", "y"]})
    lists = {"same": {1: ["v", "w"]}, "other": {1: ["v"]}}
    result = evaluate(lists, {1: {"v"}}, "HR", history=history)
    kind = pd.Series({"x": "a", "v": "a", "y": "b", "w": "b"})
    shares = result.by_items(kind, discount=lambda rank: np.ones_like(rank), n_resamples=100)
    assert shares.calibration().loc[1, "same"] == 0
    expected = 0.5 * math.log(0.5 / 0.995) + 0.5 * math.log(0.5 / 0.005)
    assert shares.calibration().loc[1, "other"] == pytest.approx(expected)


def test_all_forms_of_groups_are_alike(data, result):
    genres = data[3]
    rows = [(item, genre) for item, own in genres.items() for genre in own]
    long = pd.DataFrame(rows, columns=["item", "genre"])
    flags = pd.crosstab(long["item"], long["genre"])
    expected = result.by_items(pd.Series(genres), n_resamples=100).table
    arrays = pd.Series({item: np.array(own) for item, own in genres.items()})  # as of Parquet
    arrow = pd.Series(pa.array(list(genres.values())), dtype=pd.ArrowDtype(pa.list_(pa.string())))
    by_item = long.set_index("item")["genre"]
    for groups in (genres.get, long, by_item, flags, flags.astype(bool), arrays, arrow):
        pd.testing.assert_frame_equal(
            result.by_items(groups, n_resamples=100).table, expected, check_names=False
        )


def test_the_catalogue_can_hold_items_that_nobody_lists():
    kind = pd.Series(["a", "b", "b", "b"], ["x", "y", "v", "w"])
    result = evaluate({1: ["x"]}, {1: {"x"}}, "HR")
    table = result.by_items(kind, n_resamples=100).table
    assert table["catalogue"].tolist() == [0.25, 0.75]
    assert table["vs_catalogue"].tolist() == [4, 0]
    assert np.isnan(table.loc["b", "vs_relevance"])


def test_groups_keep_the_order_of_categories():
    kind = pd.Series(pd.Categorical(["b", "a"], ["b", "a", "z"]), ["x", "y"])
    table = evaluate({1: ["x", "y"]}, {1: {"x"}}, "HR").by_items(kind, n_resamples=100).table
    assert table.index.tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (3, r"^groups must be a Series or a frame indexed by item, or a function of an id; got 3$"),
        (pd.Series({0: "a"}), r"^groups must name a group of each item that is listed.* none for"),
        (pd.Series({"0": "a"}), r"^groups must name a group of each item that is listed"),
        (pd.Series([None] * 12), r"^groups must name a group of each item; got none for 0, 1"),
        (pd.Series(["a", "a"], [0, 0]), r"^groups must name each group of an item once; got 'a'"),
        (pd.DataFrame({"a": [2] * 12, "b": 1}), r"^groups must have one column of labels, or a co"),
        (pd.DataFrame({"a": [1] * 11 + [np.nan], "b": 0}), r"for each group; got nan in 'a'$"),
        (pd.DataFrame({"a": [0] * 12, "b": 0}), r"^groups must name a group of each item; got non"),
    ],
)
def test_groups_are_checked(result, groups, message):
    with pytest.raises(InputError, match=message):
        result.by_items(groups, n_resamples=100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1}, "^level must be a number in"),
        ({"n_resamples": 0}, "^n_resamples must"),
        ({"discount": "log"}, "^discount must"),
        ({"discount": lambda rank: 1.0}, "^discount must"),
        ({"discount": lambda rank: np.ones(1)}, "^discount must"),
        ({"discount": lambda rank: rank * np.nan}, "^discount must"),
        (
            {"discount": lambda rank: 2 - rank},
            r"^discount must return no negative weight; got -1.0",
        ),
    ],
)
def test_options_are_checked(result, options, message):
    with pytest.raises(InputError, match=message):
        result.by_items(lambda item: "a", **options)


def test_calibration_needs_a_history():
    shares = evaluate({1: ["x"]}, {1: {"x"}}, "HR").by_items(lambda item: "a", n_resamples=100)
    with pytest.raises(InputError, match=r"^history must be given for calibration; got none"):
        shares.calibration()


def test_what_is_shown(data, result):
    shares = result.by_items(pd.Series(data[3]), n_resamples=100)
    assert "discount shifted_log2" in repr(shares)
    assert "popularity bias" in shares._repr_html_()
    assert "the first 4 ranks" in repr(shares)
    assert "steck2018" in shares.methods(bibtex=True)
    left, right = shares.plot()
    assert [text.get_text() for text in left.get_yticklabels()] == ["a", "b", "c"]
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["A", "B"]
    plt.close("all")
