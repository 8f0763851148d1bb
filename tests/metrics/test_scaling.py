"""Linear score, step functions, scaled implicators: printed, by hand, properties, refusals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from receval import InputError
from receval import ledger as published
from receval.fuzzy import (
    dcg_scaling,
    fodor,
    goedel,
    kleene_dienes,
    linear_score,
    lukasiewicz,
    product,
    scaled,
    violations,
)
from receval.metrics import shifted_log2

F6, F20 = dcg_scaling(6), dcg_scaling(20)
BY_LUKASIEWICZ, BY_GOEDEL = scaled(lukasiewicz, f=F6), scaled(goedel, f=F6)
LAST, FIRST = linear_score(6, 6), linear_score(1, 6)
CASES = [BY_LUKASIEWICZ(LAST, 1), BY_GOEDEL(LAST, 1)]
CASES += [i(FIRST, h) for h in (1, 0) for i in (BY_LUKASIEWICZ, BY_GOEDEL)]


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        ("s20_of_3", linear_score(3, 20)),
        ("f20_of_0_9", F20(0.9)),
        (
            "scores_of_place_6",
            [str(Fraction(LAST).limit_denominator(99)), linear_score(6, 20)],
        ),
        ("acceptability", F6(1 / 6)),
        ("acceptability", F20(0.75)),
        ("no_response", BY_LUKASIEWICZ(LAST, 0)),
        ("no_response", scaled(lukasiewicz, f=F20)(0.75, 0)),
        ("responses", CASES),
    ],
)
def test_worked_values_of_document_002(figure, value):
    checked = published.check(f"002/{figure}", value)
    assert checked.verdict == "reproduced", checked


@pytest.mark.parametrize(
    ("score", "place"),
    [
        pytest.param(1.0, 1, id="top"),
        pytest.param(0.9, 3, id="a place's own score"),
        pytest.param(np.nextafter(0.9, 1), 3, id="a rounding error above it"),
        pytest.param(np.nextafter(0.9, 0), 3, id="a rounding error below it"),
        pytest.param(0.9 + 1e-9, 2, id="above it"),
        pytest.param(0.9 - 1e-9, 3, id="below it: the step goes down to the next score"),
        pytest.param(0.93, 2, id="between two"),
        pytest.param(0.05, 20, id="end of the list"),
        pytest.param(1e-300, 20, id="below the end"),
        pytest.param(0, math.inf, id="nothing is worth nothing"),
    ],
)
def test_steps_by_hand(score, place):
    assert dcg_scaling(20)(score) == 1 / math.log2(place + 1)


@given(st.integers(1, 400))
def test_every_place_of_every_length_has_its_own_weight(k):
    """Rounding must not matter: products such as 20 * 0.9 must not reach the next step."""
    place = np.arange(1, k + 1)
    f = dcg_scaling(k)
    assert (repr(f), f) == (f"StepScaling(k={k})", dcg_scaling(k))
    for score in (
        linear_score(place, k),
        1 - (place - 1) / k,
        np.cumsum(np.full(k, 1 / k)).clip(max=1)[::-1],
        (k - place + 1) * (1 / k),
    ):
        assert_allclose(f(score), shifted_log2(place), rtol=1e-15)


@pytest.mark.parametrize("implicator", [lukasiewicz, goedel, product, kleene_dienes, fodor])
def test_a_scaled_implicator_is_an_implicator(implicator):
    assert violations(scaled(implicator, f=dcg_scaling(12)), kind="implicator") == {}


@given(st.floats(0, 1), st.floats(0, 1))
def test_scaled_is_the_composition(b, h):
    f, g = dcg_scaling(6), np.square
    judged = scaled(lukasiewicz, f=f, g=g)
    assert judged(b, h) == lukasiewicz(f(b), np.square(h))
    assert scaled(lukasiewicz)(b, h) == lukasiewicz(b, h)
    assert scaled(goedel, g=g)(b, h) == goedel(b, np.square(h))
    # A step function that is right-continuous may be g.
    assert scaled(goedel, g=lambda x: np.floor(4 * x) / 4)(1, h) == np.floor(4 * h) / 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda: linear_score([1, 7, 6], 6),
            r"position must be from 1 to k = 6; got 7 at index 1. Places beyond k",
            id="place beyond k",
        ),
        pytest.param(lambda: linear_score(0, 6), "position must be from 1 to k = 6", id="place 0"),
        pytest.param(lambda: linear_score(1.5, 6), "position must hold whole numbers", id="place"),
        pytest.param(lambda: linear_score(1, 0), "k must be a positive integer; got 0", id="k"),
        pytest.param(
            lambda: dcg_scaling(None), "k must be a whole number from 1 to .*; got None", id="no k"
        ),
        pytest.param(
            lambda: dcg_scaling(6)(1.1), r"score must be in \[0, 1\]; got 1.1", id="score"
        ),
        pytest.param(
            lambda: scaled(goedel, f=lambda x: 1 - x), "f must be 0 at 0; got 1", id="f(0)"
        ),
        pytest.param(
            lambda: scaled(goedel, g=lambda x: x / 2), "g must be 1 at 1; got 0.5", id="1"
        ),
        pytest.param(
            lambda: scaled(goedel, f=lambda x: 2 * x), r"f must stay in \[0, 1\]; got", id="range"
        ),
        pytest.param(
            lambda: scaled(goedel, f=lambda x: np.where(x == 0.5, 0, x)),
            "f must never fall; got .*, then 0",
            id="f falls",
        ),
        pytest.param(
            lambda: scaled(goedel, f=lambda x: np.where(x < 0.5, x / 2, x)),
            "f must be left-continuous; got 0.5 at 0.5, but 0.25 just below it",
            id="f jumps",
        ),
        pytest.param(
            lambda: scaled(goedel, g=dcg_scaling(4)),
            "g must be right-continuous; got 0 at 0, but 0.430677 just above it",
            id="g jumps",
        ),
        pytest.param(
            lambda: scaled(goedel, g=lambda x: np.where(x < 0.75, x, 1)),
            "g must be below 1 at degrees below 1; got 1 at 0.75",
            id="g reaches 1",
        ),
        pytest.param(
            lambda: scaled(lambda b, h: np.minimum(1, 1 - b + 2 * h)),
            r"implicator must satisfy i4; got I\(1, 0.5\) = 1",
            id="implicator",
        ),
        pytest.param(lambda: scaled(goedel, f=0.5), "f must be a function", id="f is a number"),
        pytest.param(lambda: scaled(goedel)(2, 0), r"b must be in \[0, 1\]", id="b"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
