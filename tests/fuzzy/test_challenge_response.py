"""Situations and reductions: the document's three, cases by hand, properties, refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from receval import InputError, datasets
from receval.fuzzy import (
    Reduction,
    Situation,
    dcg_scaling,
    goedel,
    implication_matrix,
    linear_score,
    lukasiewicz,
    product,
)


def list_of(k, responded):
    """Return the click (or visit) situation: object p is at place p."""
    place = list(range(1, k + 1))
    weight = dcg_scaling(k)(linear_score(place, k))
    model = Situation(place, place, np.where(np.eye(k), weight, np.nan))
    real = Situation(place, place, [[float(o in responded)] * k for o in place])
    return Reduction(real, model)


WEIGHT = 1 / np.log2(np.arange(2, 8))


@pytest.mark.parametrize(
    ("implicator", "expected"),
    [
        (goedel, 1 / 6),  # the click-through rate
        (lukasiewicz, 1 - (WEIGHT.sum() - WEIGHT[1]) / 6),
    ],
)
def test_click_situation(implicator, expected):
    clicks = list_of(6, responded={2})
    assert clicks.degree(implicator) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert clicks.implications(implicator).isna().sum(axis=None) == 30


@pytest.mark.parametrize("measure", ["IGc", "ILv"])
@pytest.mark.parametrize("implicator", [goedel, product, lukasiewicz])
def test_offline_to_online_situation_is_a_column_of_the_matrix(implicator, measure):
    offline, online = datasets.fuzzy_unit_vectors()
    matrix = implication_matrix(offline, online, implicator, normalize=None)
    outcomes = np.tile(online[[measure]], offline.shape[1])
    real = Situation(online.index, offline.columns, outcomes)
    reduction = Reduction(real, Situation.from_table(offline))
    by_metric = reduction.implications(implicator).mean()
    pd.testing.assert_series_equal(by_metric, matrix[measure], check_names=False, rtol=1e-14)


def test_maps_are_followed():
    """Real tours are mapped to their country, and "like" counts as a click."""
    model = Situation(["Italy", "Norway"], ["like"], [[0.9], [0.2]])
    real = Situation(["Rome", "Oslo", "Pisa"], ["click", "order"], [[1, 0], [0, 0], [0.5, 0]])
    country = {"Rome": "Italy", "Pisa": "Italy", "Oslo": "Norway"}
    reduction = Reduction(real, model, country, {"like": "click"})
    columns = ["model challenge", "real response", "model", "real", "implication"]
    assert reduction.table(lukasiewicz)[columns].round(12).values.tolist() == [
        ["Italy", "click", 0.9, 1, 1],
        ["Norway", "click", 0.2, 0, 0.8],
        ["Italy", "click", 0.9, 0.5, 0.6],
    ]


def test_a_table_keeps_the_labels_of_its_frame_and_is_a_copy():
    frame = pd.DataFrame({"x": [0.1, 0.2], "y": [0.3, 0.4]}, index=["a", "b"])
    table = Situation.from_table(frame).table
    pd.testing.assert_frame_equal(table, frame, check_names=False)
    table.loc["b", "y"] = 0.9
    assert frame.loc["b", "y"] == 0.4


SILENT, LOUD = Situation(["a"], ["x"], [[np.nan]]), Situation(["a"], ["x"], [[1.0]])


@pytest.mark.parametrize("reduction", [Reduction(SILENT, LOUD), Reduction(LOUD, SILENT)])
def test_nothing_said_is_nothing_known(reduction):
    assert np.isnan(reduction.degree(goedel))
    assert reduction.table(goedel).empty


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_the_degree_is_a_mean(pairs):
    model, real = (
        Situation(range(len(pairs)), ["r"], [[degree] for degree in side])
        for side in zip(*pairs, strict=True)
    )
    expected = np.mean([float(lukasiewicz(b, h)) for b, h in pairs])
    assert_allclose(Reduction(real, model).degree(lukasiewicz), expected, rtol=1e-14)


ONE = Situation(["a"], ["x"], [[0.5]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: Situation(["a"], ["x"], [[1.5]]), r"in \[0, 1\], or NaN; got 1.5", id="above 1"
        ),
        pytest.param(
            lambda: Situation(["a", "b"], ["x"], [[1], [0], [1]]),
            r"acceptability must have the shape \(2, 1\); got \(3, 1\)",
            id="shape",
        ),
        pytest.param(
            lambda: Situation(["a", "a"], ["x"], [[1], [0]]),
            "challenges must hold each id once; got 'a' 2 times",
            id="twice",
        ),
        pytest.param(lambda: Situation([], ["x"], []), "challenges must not be empty", id="none"),
        pytest.param(lambda: Situation("ab", ["x"], []), "challenges must be a collect", id="text"),
        pytest.param(
            lambda: Situation(["a"], ["x"], pd.DataFrame({"x": [1.0]}, index=["a"])),
            "acceptability must be passed to Situation.from_table",
            id="frame",
        ),
        pytest.param(
            lambda: Reduction(ONE, ONE, {"a": "b"}),
            "challenge_map must lead to a challenge of the other situation; got 'b'",
            id="f- leaves the model",
        ),
        pytest.param(
            lambda: Reduction(ONE, ONE, {"a": ["a"]}),
            r"challenge_map must lead to a challenge of the other situation; got \['a'\]",
            id="f- gives lists",
        ),
        pytest.param(
            lambda: Reduction(ONE, ONE, {}),
            "challenge_map must be defined everywhere; got no entry for 'a'",
            id="f- is partial",
        ),
        pytest.param(
            lambda: Reduction(ONE, Situation(["a"], ["z"], [[0.5]])),
            "response_map must lead to a response of the other situation; got 'z'",
            id="f+ leaves reality",
        ),
        pytest.param(lambda: Reduction(ONE, ONE, 5), "must be a mapping", id="map"),
        pytest.param(lambda: Reduction(ONE, "model"), "model must be a Situation", id="model"),
        pytest.param(
            lambda: Reduction(ONE, ONE).degree(lambda b, h: b + h + 1),
            r"value of implicator must be in \[0, 1\]; got 2.0",
            id="implicator",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
