"""Group recommendation: printed values, cases by hand, properties, refusals."""

from math import nan

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, datasets, working
from receval import ledger as published
from receval.metrics import (
    aggregate,
    borda_count,
    borda_points,
    group_ranking,
    rank_items,
    satisfaction,
    shifted_log2,
)
from receval.metrics.group import STRATEGIES, terms_and_scores

POINTS = datasets.borda_example()
SUMS = ("average", "additive", "multiplicative")


def first_four(order):
    return POINTS.columns[order][:4].tolist()


@pytest.mark.parametrize(
    ("id", "value"),
    [
        ("001/totals", lambda: borda_count(POINTS)),
        ("001/group_ranking", lambda: first_four(group_ranking(POINTS))),
        (
            "001/own_ranking",
            lambda: first_four(rank_items(POINTS.loc["U1"], tie_break=borda_count(POINTS))),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_totals_and_rankings_of_document_001(id, value):
    found = published.check(id, value(), variant=published.figure(id).get("variant"))
    assert found.as_expected, found


def test_satisfaction_of_every_member_of_document_001():
    # The document works out U1 only, with a slip; these are the values of its table.
    expected = [0.8960, 0.8137, 0.7143, 0.6740, 0.7956]
    assert_allclose(satisfaction(group_ranking(POINTS), POINTS, k=4), expected, atol=5e-5)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [3, 3, 2.5]),  # the average, as the document says
        ({"strategy": "additive"}, [6, 6, 5]),
        ({"strategy": "multiplicative"}, [5, 9, 4]),
        ({"strategy": "least_misery"}, [1, 3, 1]),
        ({"strategy": "most_pleasure"}, [5, 3, 4]),
        ({"strategy": "approval", "threshold": 3}, [1, 2, 1]),
        ({"strategy": "approval", "threshold": 4}, [1, 0, 1]),
        ({"strategy": "borda"}, [4, 4, 4]),
    ],
)
def test_strategies_by_hand(options, expected):
    assert_array_equal(aggregate([[5, 3, 1], [1, 3, 4]], **options), expected)


# Masthoff's example: John, Adam and Mary rate the films A to J.
FILMS = np.array(
    [
        [10, 4, 3, 6, 10, 9, 6, 8, 10, 8],
        [1, 9, 8, 9, 7, 9, 6, 9, 3, 8],
        [10, 5, 2, 7, 9, 8, 5, 6, 7, 6],
    ]
)


@pytest.mark.parametrize(
    ("strategy", "options", "films"),
    [
        ("additive", {}, "EFHDJAIBGC"),
        ("multiplicative", {}, "FEHJDIBGAC"),
        ("least_misery", {}, "FEDHJGBICA"),
        ("average_without_misery", {"threshold": 4}, "EFHDJBG"),
        ("approval", {"threshold": 6}, "DEFHJAGIBC"),
        # Rounds 1 to 4: A 4/3 votes, E 3/2, F 5/4, I 3/2; in round 8 B and G have 3/2 each.
        ("plurality", {}, "AEFIDHJBGC"),
        # John's A, E, I tie: Adam likes E best. Adam's B, D, F, H: Mary likes F. Mary takes A.
        # Later Adam has gathered least when Mary hesitates between H and J.
        ("fairness", {}, "EFAIDHJBGC"),
        ("most_respected", {"trust": [[9, 1, 0], [0, 9, 0], [0, 1, 0]]}, "BDFHCJEGIA"),
        ("most_respected", {"trust": [[0, 1, 0], [1, 0, 0], [0, 0, 9]]}, "AEIFHJDGBC"),
    ],
)
def test_strategies_on_masthoffs_example(strategy, options, films):
    order = rank_items(aggregate(FILMS, strategy=strategy, **options))
    assert "".join("ABCDEFGHIJ"[film] for film in order if film >= 0) == films


def test_a_vote_shared_by_many_is_a_whole_one():
    ratings = np.full((50, 50), np.nan)
    ratings[:49, :49] = 5  # each of 49 members shares her vote among 49 items
    ratings[49, 49] = 5
    assert rank_items(aggregate(ratings, strategy="plurality"))[0] == 0


GAPS = st.lists(
    st.lists(st.sampled_from([np.nan, 1, 2, 3]), min_size=4, max_size=4), min_size=1, max_size=4
).map(np.array)


@pytest.mark.parametrize(
    ("strategy", "options", "expected"),
    [
        ("average", {}, [2.5, 2.5, 2, nan]),
        ("additive", {}, [5, 5, 4, nan]),
        ("multiplicative", {}, [4, 6, 4, nan]),
        ("least_misery", {}, [1, 2, 2, nan]),
        ("most_pleasure", {}, [4, 3, 2, nan]),
        # Two rated items have 2 and 4 of 4 points; the third member rates hers alike: 2 each.
        ("borda", {}, [4 + 2, 4 + 2, 2 + 2, nan]),
        ("borda", {"ties": "mean"}, [4 + 2, 4 + 3, 2 + 3, nan]),
        # No pair was rated by two of three.
        ("copeland", {}, [0, 0, 0, nan]),
        # Round 1: A 1, B 1 + 1/2, C 1/2; then A 2, C 1; then C.
        ("plurality", {}, [3, 4, 2, nan]),
        ("fairness", {}, [4, 3, 2, nan]),
        ("approval", {"threshold": 3}, [1, 1, 0, nan]),
        ("average_without_misery", {"threshold": 2}, [nan, 2.5, 2, nan]),
        ("most_respected", {"trust": [[0, 1, 0], [0, 0, 0], [0, 1, 0]]}, [1, 3, nan, nan]),
    ],
)
def test_without_a_rating_a_member_neither_votes_nor_averages(strategy, options, expected):
    ratings = [[4, nan, 2, nan], [1, 3, nan, nan], [nan, 2, 2, nan]]
    assert_array_equal(aggregate(ratings, strategy=strategy, **options), expected)


@pytest.mark.parametrize(("ties", "method"), [("lowest", "min"), ("mean", "average")])
@given(ratings=GAPS)
def test_borda_points_are_ranks_among_the_items_that_a_member_rated(ties, method, ratings):
    points = borda_points(ratings, ties=ties)
    for row, own in zip(ratings, points, strict=True):
        rated = ~np.isnan(row)
        places = scipy.stats.rankdata(row[rated], method=method)
        assert_array_equal(own[rated], 4 * places / max(rated.sum(), 1))
        assert np.isnan(own[~rated]).all()
    terms, _ = terms_and_scores(ratings, strategy="borda", ties=ties)
    assert_array_equal(terms, points)


WHOLE = [[2**51 + 0.5, 2**51 + 0.5], [2**51, 0.5], [0.5, 2**51]]
THIRDS = [[1 / 3, 1], [2 / 3, 2 / 3], [1, 1 / 3]]
TENTHS = np.array([[0.3, 0.1], [0.2, 0.2], [0.1, 0.3]])
FEW_RATED = [[nan] * (100 - n_rated) + [*range(n_rated)] for n_rated in (3, 7, 49, 98)]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(lambda: borda_points(POINTS), POINTS, id="points of points"),
        pytest.param(
            # not the list that is printed
            lambda: first_four(rank_items(aggregate(POINTS, strategy="borda", ties="mean"))),
            ["M8", "M4", "M2", "M10"],
            id="document 001 by means",
        ),
        pytest.param(
            lambda: np.nanmax(borda_points(FEW_RATED), axis=1), [100] * 4, id="n points exactly"
        ),
        pytest.param(lambda: rank_items([nan, 2, nan, 3]), [3, 1, -1, -1], id="without scores"),
        pytest.param(
            lambda: rank_items([nan, 2, 2, 3], tie_break=[9, 0, 1, 0]),
            [3, 2, 1, -1],
            id="without a score, tied",
        ),
        pytest.param(
            lambda: group_ranking([[nan, 1, 2], [nan, 2, nan]]), [1, 2, -1], id="not rated"
        ),
        *(
            pytest.param(
                lambda ratings=ratings: np.ptp(aggregate(ratings, strategy="additive")), 0, id=id
            )
            for id, ratings in (("whole numbers, exactly", WHOLE), ("thirds, exactly", THIRDS))
        ),
        pytest.param(
            lambda: aggregate([[0, 2], [3, 2]], strategy="multiplicative"), [0, 4], id="0 times 3"
        ),
        # Two of three prefer A to B. All who rated both prefer A and B to C.
        pytest.param(
            lambda: aggregate(
                [[3, 2, 1, nan], [2, 3, 1, nan], [3, 1, nan, nan]], strategy="copeland"
            ),
            [2, 0, -2, nan],
            id="pairs that the majority rated",
        ),
        pytest.param(
            lambda: aggregate([[3, 1, 1], [nan, 2, 1]], strategy="copeland"),
            [0, 1, -1],
            id="a pair that half of the members rated",
        ),
        pytest.param(
            lambda: aggregate([[0]] + [[1e308]] * 20, strategy="multiplicative"), [0], id="0 of all"
        ),
        *(
            pytest.param(
                lambda strategy=strategy: np.ptp(
                    aggregate([TENTHS, TENTHS[:, ::-1]], strategy=strategy)
                ),
                0,
                id=f"the same ratings, {strategy}",
            )
            for strategy in SUMS
        ),
        pytest.param(
            lambda: [group_ranking(TENTHS), group_ranking(TENTHS[:, ::-1])],
            [[0, 1]] * 2,
            id="the same ratings, ranked",
        ),
        *(
            pytest.param(
                lambda strategy=strategy: aggregate(np.ones((0, 2, 3)), strategy=strategy),
                np.empty((0, 3)),
                id=f"no group, {strategy}",
            )
            for strategy in SUMS
        ),
    ],
)
def test_to_the_last_bit(call, expected):
    value = call()
    assert np.shape(value) == np.shape(expected)
    assert_array_equal(value, expected)


@pytest.mark.parametrize(
    ("strategy", "turns", "scores"),
    [
        (
            "fairness",  # in the fourth turn, the first member has nothing left
            [[4, nan, nan, nan], [nan, 5, 3, 2], [nan, nan, 4, 5], [nan, nan, 3, nan]],
            [4, 3, 1, 2],
        ),
        (
            "plurality",  # from the second round on, the first member has no vote
            [[1, 1, 0, 1], [nan, 1, 0, 1], [nan, nan, 1, 1], [nan, nan, nan, 2]],
            [4, 3, 2, 1],
        ),
    ],
)
def test_a_member_with_no_item_left_has_no_turn_and_no_vote(strategy, turns, scores):
    ratings = np.array([[4, nan, nan, nan], [1, 5, 3, 2], [1, 2, 4, 5]])
    terms, scores_of_items = terms_and_scores(ratings, strategy=strategy)
    assert_array_equal(terms, turns)
    assert_array_equal(scores_of_items, scores)


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (np.arange(60) % 3, {}),
        (np.zeros(60), {"tie_break": np.arange(60) % 3}),
        (np.arange(60) % 3, {"tie_break": np.zeros(60)}),
        (np.arange(60) % 3 == 2, {"tie_break": np.arange(60) % 3}),
    ],
)
def test_long_ties_stay_in_column_order(scores, options):
    found = rank_items(scores, **options)
    assert found.tolist() == sorted(range(60), key=lambda item: -(item % 3))


@pytest.mark.parametrize(
    ("order", "ratings", "options", "expected"),
    [
        ([0, 1, 2], [[5, 3, 1], [1, 3, 4], [0, 0, 0]], {"k": 2}, [1, 4 / 7, nan]),
        (
            [0, 1],
            [[1, 3, 4]],
            {"k": 2, "discount": shifted_log2},
            [(1 + 3 / np.log2(3)) / (4 + 3 / np.log2(3))],
        ),
        ([0], [[5, 3, 1]], {"k": None}, [5 / (5 + 3 + 1 / np.log2(3))]),
        # Members without ratings have NaN.
        ([1, 0, -1], [[4, 2, 0], [nan, 3, 1], [nan] * 3], {"k": 2}, [1, nan, nan]),
        (
            [1, -1, -1],
            [[4, 2, 0], [nan, 3, 1], [nan] * 3],
            {"k": 3},
            [2 / 6, 3 / (3 + 1), nan],
        ),
        ([1, 0, 2], [[4, 2, 0], [nan, 3, 1], [nan] * 3], {"k": 1}, [2 / 4, 1, nan]),
        ([-1, -1], [[4, 2, 0], [nan, 3, 1]], {"k": 2}, [0, 0]),
    ],
)
def test_satisfaction_by_hand(order, ratings, options, expected):
    assert_allclose(satisfaction(order, ratings, **options), expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: borda_count([1, 2, 3]), r"points must have the axes \(members, items\)"),
        (lambda: borda_count([[1.5e308], [1.5e308]]), r"points must be small enough"),
        (
            lambda: borda_count(np.empty((0, 3))),
            r"points must have the axes \(members, items\), neither empty; got \(0, 3\)",
        ),
        (
            lambda: borda_points([[1, np.inf]]),
            r"ratings must be finite, or NaN where .*; got inf at index \[0, 1\]$",
        ),
        (
            lambda: borda_points([[1, 2]], ties="low"),
            r"ties must be one of 'lowest', 'mean'; got 'low'",
        ),
        (lambda: borda_points([[1, 2]], ties=None), r"ties must be one of .*; got None$"),
        (
            lambda: aggregate([[1, 2]], strategy="borda", ties="highest"),
            r"ties must be one of 'lowest', 'mean'; got 'highest'",
        ),
        (
            lambda: aggregate([[1]], strategy="borda", threshold=3),
            r"threshold must be left out when strategy is 'borda'$",
        ),
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
            r"ratings must be at least 0 when strategy is 'multiplicative'; got -1.0 at index",
        ),
        (lambda: rank_items([1, np.inf]), r"scores must be finite, or NaN .*; got inf at index 1$"),
        (lambda: rank_items([1, 2], tie_break=[1]), r"scores and tie_break must have the same"),
        (lambda: satisfaction([0, 0], [[1, 2]], k=2), r"group_order must hold each item at most"),
        (
            lambda: satisfaction([0, 1, 1], [[1, 2]], k=2),
            r"group_order must hold each item at most once; got 1 at index 2$",
        ),
        (
            lambda: satisfaction([2], [[1, 2]], k=1),
            r"group_order must hold column indices of ratings \(0 to 1\); got 2",
        ),
        (
            lambda: satisfaction([-2], [[1, 2]], k=1),
            r"group_order must be at least 0, or -1 for an empty rank; got -2 at index 0$",
        ),
        (
            lambda: satisfaction([-1, 0], [[1, 2]], k=1),
            r"group_order must have -1 at the tail only, after the last item; got -1 at index 0$",
        ),
        (
            lambda: aggregate([[1]], strategy="most_respected"),
            r"trust must be given when strategy is 'most_respected'; got None$",
        ),
        (
            lambda: aggregate([[1]], trust=[[0]]),
            r"trust must be left out when strategy is 'average'$",
        ),
        (
            lambda: aggregate([[0.1, 0]] * 400, strategy="multiplicative"),
            r"products of ratings must be large enough .* got .* at index \[307, 0\]",
        ),
        (
            lambda: aggregate([[1], [2]], strategy="most_respected", trust=[[0]]),
            r"trust must have the shape \(..., 2, 2\); got \(1, 1\)$",
        ),
        (
            lambda: satisfaction(0, [[1, 2]], k=1),
            r"group_order must be a list or an array; got 0$",
        ),
        (lambda: satisfaction([0.5], [[1, 2]], k=1), r"group_order must hold whole numbers"),
        (lambda: satisfaction([0], [[1, -2]], k=1), r"ratings must be at least 0; got -2.0"),
        (lambda: satisfaction([0], [[1, 2]], k=0), r"k must be a positive integer or None"),
        *(
            (
                lambda function=function, strategy=strategy: function(
                    [[1, 2]], strategy=strategy, ties="lowest"
                ),
                rf"ties must be left out when strategy is '{strategy}'$",
            )
            for strategy in STRATEGIES
            if strategy != "borda"
            for function in (aggregate, working.aggregate)
        ),
        *(
            (
                lambda strategy=strategy: aggregate([[1.5e308, 1]] * 2, strategy=strategy),
                r"ratings must be small enough .*; got an overflow",
            )
            for strategy in SUMS
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
