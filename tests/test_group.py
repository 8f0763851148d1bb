"""Group recommendation: printed values, cases by hand, properties, refusals."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, datasets, published
from receval.metrics import (
    aggregate,
    borda_count,
    borda_points,
    clipped_log2,
    group_ranking,
    ndcg,
    rank_items,
    satisfaction,
    shifted_log2,
    spread,
)

POINTS = datasets.borda_example()
RATINGS = st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1, max_size=4).map(
    np.array
)


def test_totals_and_rankings_of_document_001():
    order = group_ranking(POINTS)
    own = rank_items(POINTS.loc["U1"], tie_break=borda_count(POINTS))
    for id, value in (
        ("001/totals", borda_count(POINTS)),
        ("001/group_ranking", POINTS.columns[order][:4].tolist()),
        ("001/own_ranking", POINTS.columns[own][:4].tolist()),
    ):
        found = published.check(id, value, variant=published.figure(id).get("variant"))
        assert found.as_expected, found


def test_satisfaction_of_every_member_of_document_001():
    # The document works out U1 only, with a slip; these are the values of its table.
    expected = [0.8960, 0.8137, 0.7143, 0.6740, 0.7956]
    assert_allclose(satisfaction(group_ranking(POINTS), POINTS, k=4), expected, atol=5e-5)


@pytest.mark.parametrize(
    ("strategy", "options", "expected"),
    [
        ("average", {}, [3, 3, 2.5]),
        ("additive", {}, [6, 6, 5]),
        ("multiplicative", {}, [5, 9, 4]),
        ("least_misery", {}, [1, 3, 1]),
        ("most_pleasure", {}, [5, 3, 4]),
        ("approval", {"threshold": 3}, [1, 2, 1]),
        ("approval", {"threshold": 4}, [1, 0, 1]),
        ("borda", {}, [4, 4, 4]),
    ],
)
def test_strategies_by_hand(strategy, options, expected):
    ratings = [[5, 3, 1], [1, 3, 4]]
    assert_array_equal(aggregate(ratings, strategy=strategy, **options), expected)
    many = aggregate([ratings, ratings], strategy=strategy, **options)
    assert_array_equal(many, [expected, expected])


def test_the_average_is_the_default_as_the_document_says():
    assert_array_equal(aggregate(POINTS), POINTS.mean())


@given(RATINGS)
def test_borda_points_are_average_ranks(ratings):
    assert_array_equal(borda_points(ratings), scipy.stats.rankdata(ratings, axis=-1))


@given(RATINGS)
def test_ties_stay_in_column_order(ratings):
    totals = borda_count(ratings)
    expected = sorted(range(4), key=lambda item: -totals[item])
    assert_array_equal(group_ranking(ratings), expected)
    reverse = sorted(range(4), key=lambda item: (-totals[item], -item))
    assert_array_equal(group_ranking(ratings, tie_break=[0, 1, 2, 3]), reverse)


@given(RATINGS, st.permutations(range(4)), st.integers(1, 4))
def test_satisfaction_is_the_ndcg_by_each_members_ratings(ratings, order, k):
    by_member = [ndcg(own[order], own, k=k, discount=clipped_log2) for own in ratings]
    assert_allclose(satisfaction(order, ratings, k=k), by_member, rtol=1e-12)
    both = satisfaction([order, order], ratings, k=k)
    assert_allclose(both, [by_member, by_member], rtol=1e-12)


def test_satisfaction_by_hand():
    ratings = [[5, 3, 1], [1, 3, 4], [0, 0, 0]]
    assert_allclose(satisfaction([0, 1, 2], ratings, k=2), [1, 4 / 7, np.nan])
    expected = (1 + 3 / np.log2(3)) / (4 + 3 / np.log2(3))
    assert_allclose(satisfaction([0, 1], ratings, k=2, discount=shifted_log2)[1], expected)
    assert_allclose(satisfaction([0], ratings, k=None)[0], 5 / (5 + 3 + 1 / np.log2(3)))


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("range", [1, 0.75, 0.5], 0.5),
        ("deviation", [1, 0.5], 0.25),
        ("ratio", [1, 0.75, 0.5], 0.5),
        ("ratio", [0, 0], np.nan),
        ("range", [], np.nan),
        ("range", np.empty((2, 3, 0)), np.full((2, 3), np.nan)),
        ("range", [[1, 1], [1, 0]], [0, 1]),
        ("ratio", [-2, -1], np.nan),
    ],
)
def test_spread(kind, values, expected):
    assert_allclose(spread(values, kind=kind), expected)


def test_spread_is_the_range_unless_said_otherwise():
    assert spread([1, 0.5, 0.25]) == 0.75


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: borda_count([1, 2, 3]), r"points must have the axes \(members, items\)"),
        (
            lambda: borda_count(np.empty((0, 3))),
            r"points must have the axes \(members, items\), neither empty; got shape \(0, 3\)",
        ),
        (lambda: borda_points([[1, np.nan]]), r"ratings must be finite; got nan at \[0, 1\]"),
        (lambda: aggregate([[1]], strategy="mean"), r"strategy must be one of 'average', "),
        (
            lambda: aggregate([[1]], strategy="least misery"),
            r".* got 'least misery'. Did you mean 'least_misery'\?$",
        ),
        (
            lambda: aggregate([[1]], strategy="approval"),
            r"threshold must be a number when strategy is 'approval'; got None$",
        ),
        (
            lambda: aggregate([[1]], threshold=3),
            r"threshold must be left out when strategy is 'average'$",
        ),
        (
            lambda: aggregate([[-1]], strategy="multiplicative"),
            r"ratings must be at least 0 when strategy is 'multiplicative'; got -1.0 at \[0, 0\]$",
        ),
        (lambda: rank_items([1, np.nan]), r"scores must be finite; got nan at 1"),
        (lambda: rank_items([1, 2], tie_break=[1]), r"scores and tie_break must have the same"),
        (lambda: satisfaction([0, 0], [[1, 2]], k=2), r"group_order must hold each item at most"),
        (
            lambda: satisfaction([0, 1, 1], [[1, 2]], k=2),
            r"group_order must hold each item at most once; got 1 at 2$",
        ),
        (
            lambda: satisfaction([2], [[1, 2]], k=1),
            r"group_order must hold column indices of ratings \(0 to 1\); got 2",
        ),
        (
            lambda: satisfaction([-1], [[1, 2]], k=1),
            r"group_order must hold column indices of ratings",
        ),
        (
            lambda: satisfaction(0, [[1, 2]], k=1),
            r"group_order must be a list of column indices; got 0$",
        ),
        (lambda: satisfaction([0.5], [[1, 2]], k=1), r"group_order must hold whole numbers"),
        (lambda: satisfaction([0], [[1, -2]], k=1), r"ratings must be at least 0; got -2.0"),
        (lambda: satisfaction([0], [[1, 2]], k=0), r"k must be a positive integer or None"),
        (lambda: spread([1, np.nan]), r"satisfaction must be finite"),
        (lambda: spread([1], kind="gini"), r"kind must be one of 'range', "),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()


def test_long_ties_stay_in_column_order():
    scores = np.arange(60) % 3
    in_order = sorted(range(60), key=lambda item: -scores[item])
    assert rank_items(scores).tolist() == in_order
    assert rank_items(np.zeros(60), tie_break=scores).tolist() == in_order
    assert rank_items(scores, tie_break=np.zeros(60)).tolist() == in_order


def test_totals_that_only_exact_summing_gets_right():
    whole = [[2**51 + 0.5, 2**51 + 0.5], [2**51, 0.5], [0.5, 2**51]]
    thirds = [[1 / 3, 1], [2 / 3, 2 / 3], [1, 1 / 3]]
    for ratings in (whole, thirds):
        totals = aggregate(ratings, strategy="additive")
        assert totals[0] == totals[1]
    assert totals.tolist() == [2, 2]
    assert aggregate([[0, 2], [3, 2]], strategy="multiplicative").tolist() == [0, 4]
    assert aggregate([[0]] + [[1e308]] * 20, strategy="multiplicative").tolist() == [0]


def test_no_group_at_all():
    assert aggregate(np.ones((0, 2, 3)), strategy="additive").shape == (0, 3)
    assert aggregate(np.ones((0, 2, 3)), strategy="multiplicative").shape == (0, 3)


@pytest.mark.parametrize("strategy", ["average", "additive", "multiplicative"])
def test_items_with_the_same_ratings_tie_in_whatever_order(strategy):
    ratings = [[0.3, 0.1], [0.2, 0.2], [0.1, 0.3]]
    for swapped in (1, -1):
        columns = np.array(ratings)[:, ::swapped]
        assert rank_items(aggregate(columns, strategy=strategy)).tolist() == [0, 1]
    assert group_ranking(ratings).tolist() == [0, 1]
    scores = aggregate(np.stack([ratings, ratings]), strategy=strategy)
    assert scores.shape == (2, 2)
    assert len(np.unique(scores)) == 1


@pytest.mark.parametrize("strategy", ["average", "additive", "multiplicative"])
def test_refuses_ratings_whose_total_overflows(strategy):
    with pytest.raises(InputError, match=r"^ratings must be small enough .*; got an overflow"):
        aggregate([[1.5e308, 1], [1.5e308, 1]], strategy=strategy)


def test_refuses_points_whose_total_overflows():
    with pytest.raises(InputError, match=r"^points must be small enough"):
        borda_count([[1.5e308], [1.5e308]])
