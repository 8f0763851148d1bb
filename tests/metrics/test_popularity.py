"""Popularity, inverse user frequency and Gini: RecTools' examples, other formulas, parts."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scale_data import evaluate_in_parts

from receval import InputError, evaluate, working
from receval.metrics.beyond_accuracy import (
    average_popularity,
    exposure_gini,
    inverse_user_frequency,
)

RNG = np.random.default_rng(6)
SHOWN = [[0, 1], [0, 2], [0, -1]]
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 2], "relevance": 1})


def lists(**items):
    """Return recommendations, the best first: u1=[7, 3] for user 1."""
    rows = [(int(u[1:]), i, -rank) for u, own in items.items() for rank, i in enumerate(own)]
    return pd.DataFrame(rows, columns=["user", "item", "score"])


def history(*pairs):
    return pd.DataFrame(pairs, columns=["user", "item"])


@pytest.mark.parametrize(
    ("recs", "past", "expected"),
    [
        # The docstring of RecTools 0.19.0, `AvgRecPopularity`.
        (
            lists(u1=[1, 2], u2=[3, 1, 2], u3=[3, 2]),
            history((1, 1), (1, 2), (2, 1), (2, 3), (3, 1), (3, 2)),
            {"ARP@1": [3, 1, 1], "ARP@3": [2.5, 2, 1.5]},
        ),
        # The docstring of RecTools 0.19.0, `MeanInvUserFreq`; item 3 is in no history.
        (
            lists(u1=[3], u2=[2, 3], u3=[1, 2]),
            history((1, 1), (1, 2), (2, 1), (3, 1)),
            {
                "MIUF@1": [np.log2(3), np.log2(3), 0],
                "MIUF@3": [np.log2(3), np.log2(3), np.log2(3) / 2],
            },
        ),
        # Rows count for popularity, and users for frequency. Users 2 and 3 have no list.
        (
            lists(u1=[1, 2]),
            history((1, 1), (1, 1), (1, 1), (2, 2), (9, 7)),
            {
                "ARP": [2, np.nan, np.nan],
                "MIUF": [np.log2(3), np.nan, np.nan],
                "ARP@1": [3, np.nan, np.nan],
            },
        ),
    ],
)
def test_popularity_by_hand(recs, past, expected):
    result = evaluate(recs, TRUTH, [*expected], history=past)
    per_user = result.per_user
    assert_allclose(per_user, pd.DataFrame(expected), rtol=0, atol=1e-15)
    n_users = result.interval()["users"]
    assert n_users.droplevel("system").to_dict() == per_user.notna().sum().to_dict()


def explained_frequency():
    past = history((1, 1), (1, 1), (1, 1), (2, 2), (9, 7))
    return evaluate(lists(u1=[1, 2]), TRUTH, "MIUF", history=past).explain(1, "MIUF").table


@pytest.mark.parametrize(("n_items", "shape"), [(5, (4, 3)), (40, (30, 6)), (3, (9, 1))])
def test_gini_is_half_the_relative_mean_difference(n_items, shape):
    n_lists, n_ranks = shape
    catalogues = np.tile(np.arange(n_items), (n_lists, 1))
    items = RNG.permuted(catalogues, axis=1)[:, :n_ranks]
    items[RNG.random(shape) < 0.2] = -1
    shown = np.array([(items == item).sum() for item in range(n_items)])
    pairs = np.abs(shown[:, np.newaxis] - shown).mean()
    assert exposure_gini(items, n_items) == pytest.approx(pairs / (2 * shown.mean()), rel=1e-14)


def evaluated_gini(name):
    recs = lists(u1=[0, 1], u2=[0, 2], u3=[0])
    return evaluate(recs, TRUTH, name, items=pd.DataFrame(index=range(4))).summary.iloc[0, 0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *(
            pytest.param(lambda items=items: exposure_gini(items, 4), expected, id=str(items))
            for items, expected in (
                ([[0, 1], [2, 3]], 0),
                ([[2], [2]], 0.75),
                ([[-1]], np.nan),
                (SHOWN, 0.45),
            )
        ),
        pytest.param(lambda: evaluated_gini("Gini"), 0.45, id="of tables"),
        pytest.param(lambda: evaluated_gini("Gini@1"), 0.75, id="of tables, above the cut"),
        pytest.param(
            lambda: working.exposure_gini(SHOWN, 4)["lists"], [0, 1, 1, 3], id="lists in a working"
        ),
        pytest.param(
            lambda: working.exposure_gini(SHOWN, 4)["term"].sum() / (4 * 5), 0.45, id="terms"
        ),
        pytest.param(lambda: working.exposure_gini(SHOWN, 4)["Gini"].iloc[-1], 0.45, id="total"),
        pytest.param(lambda: working.exposure_gini(SHOWN, 4).attrs["value"], 0.45, id="value"),
        pytest.param(
            lambda: explained_frequency()["users"], [1, 1], id="users, not rows, in a working"
        ),
        pytest.param(lambda: explained_frequency()["MIUF"].iloc[-1], np.log2(3), id="MIUF"),
    ],
)
def test_gini_and_workings_by_hand(value, expected):
    assert_array_equal(value(), expected)


def test_a_history_in_parts_is_refused(tmp_path):
    recs, truth, past = (tmp_path / f"{number}.parquet" for number in range(3))
    lists(u1=[1, 2], u2=[2]).to_parquet(recs, index=False)
    TRUTH.to_parquet(truth, index=False)
    history((1, 1), (2, 1)).to_parquet(past, index=False)
    with pytest.raises(InputError, match=r"^history must be in memory for measures of popularity"):
        evaluate_in_parts(recs, truth, "ARP", history=past)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_popularity([-1]), r"^interactions must be at least 0; got -1\.0"),
        (lambda: inverse_user_frequency([4], 3), r"^users must be at most n_users, 3; got 4\.0"),
        (lambda: exposure_gini([4], 4), r"^items must lie in the catalogue of 4 items"),
        (lambda: exposure_gini([[1, 1]], 4), r"^items must hold each item at most once"),
        (lambda: working.exposure_gini([[1, 1]], 4), r"^items must hold each item at most once"),
        (lambda: evaluate(lists(u1=[1]), TRUTH, "ARP"), r"^history must be given for ARP"),
        (lambda: evaluate(lists(u1=[1]), TRUTH, "Gini@2"), r"^items must be given for Gini@2"),
    ],
)
def test_rejects(call, message):
    with pytest.raises(InputError, match=message):
        call()
