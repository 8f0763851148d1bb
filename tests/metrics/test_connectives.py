"""Implicators, conjunctors, residuation, axioms: by hand, properties, refusals."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError
from receval import ledger as published
from receval.fuzzy import (
    conjunctor,
    goedel,
    goedel_conjunctor,
    implicator,
    lukasiewicz,
    lukasiewicz_conjunctor,
    modus_ponens,
    product,
    residuation_gaps,
    violations,
)
from receval.metrics import connectives as implicators
from receval.metrics.connectives import formulas

TEXTBOOK = [
    implicators.lukasiewicz,
    implicators.goedel,
    implicators.product,
    implicators.kleene_dienes,
    implicators.reichenbach,
    implicators.rescher,
    implicators.fodor,
]
each = pytest.mark.parametrize("function", TEXTBOOK, ids=lambda f: f.__name__)


def yager(b, h):
    return h**b


def weber(b, h):
    return np.where(b < 1, 1.0, h)


# Values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "b", "h", "expected"),
    [
        pytest.param("lukasiewicz", 0.9, 0.5, 0.6, id="Łukasiewicz: the difference"),
        pytest.param("goedel", 0.9, 0.5, 0.5, id="Gödel: the head"),
        pytest.param("goedel", 0.5, 0.5, 1.0, id="Gödel: kept exactly"),
        pytest.param("product", 0.8, 0.2, 0.25, id="product: the share"),
        pytest.param("product", 0.0, 0.0, 1.0, id="product: nothing claimed"),
        pytest.param("product", 5e-324, 0.0, 0.0, id="product: a little claimed, nothing kept"),
        pytest.param("kleene_dienes", 0.75, 0.5, 0.5, id="Kleene-Dienes: the head"),
        pytest.param("kleene_dienes", 0.25, 0.5, 0.75, id="Kleene-Dienes: not the body"),
        pytest.param("reichenbach", 0.5, 0.5, 0.75, id="Reichenbach"),
        pytest.param("rescher", 0.5, 0.25, 0.0, id="Rescher: nothing"),
        pytest.param("rescher", 0.25, 0.5, 1.0, id="Rescher: all"),
        pytest.param("fodor", 0.25, 0.5, 1.0, id="Fodor: kept"),
        pytest.param("fodor", 0.75, 0.5, 0.5, id="Fodor: the head"),
        pytest.param("fodor", 0.625, 0.25, 0.375, id="Fodor: not the body"),
        pytest.param("lukasiewicz_conjunctor", 0.75, 0.5, 0.25, id="bounded difference"),
        pytest.param("goedel_conjunctor", 0.75, 0.5, 0.5, id="minimum"),
        pytest.param("product_conjunctor", 0.75, 0.5, 0.375, id="product"),
        pytest.param("kleene_dienes_conjunctor", 0.75, 0.5, 0.5, id="Kleene-Dienes: rule"),
        pytest.param("kleene_dienes_conjunctor", 0.75, 0.25, 0.0, id="Kleene-Dienes: nothing"),
        pytest.param("reichenbach_conjunctor", 0.5, 0.75, 0.5, id="Reichenbach: rest"),
        pytest.param("reichenbach_conjunctor", 0.0, 1.0, 0.0, id="Reichenbach: no body"),
        pytest.param("rescher_conjunctor", 0.75, 0.25, 0.75, id="Rescher: body"),
        pytest.param("rescher_conjunctor", 0.75, 0.0, 0.0, id="Rescher: no rule"),
        pytest.param("fodor_conjunctor", 0.75, 0.5, 0.5, id="nilpotent minimum"),
        pytest.param("fodor_conjunctor", 0.75, 0.25, 0.0, id="nilpotent minimum: nothing"),
    ],
)
def test_implicators_by_hand(name, b, h, expected):
    assert_allclose(getattr(formulas, name)(b, h), expected, rtol=1e-12)


@each
def test_arrays_broadcast(function):
    b, h = [0.2, 0.9], [0.5, 0.1, 0.9]
    one_by_one = [[float(function(x, y)) for y in h] for x in b]
    assert_array_equal(function(np.array(b)[:, np.newaxis], h), one_by_one)


def test_examples_of_the_authors_notebook():
    example = published.load("002")["inputs"]["examples"]
    b, h = np.array(example["bodies"])[:, np.newaxis], np.array(example["heads"])
    means = np.stack([f(b, h).mean(axis=1) for f in (goedel, product, lukasiewicz)], axis=1)
    assert published.check("002/examples", means).verdict == "reproduced"


# Residuation ----------------------------------------------------------------------------------


@each
def test_residuation_on_every_dyadic_triple(function):
    b, r, h = np.indices((65, 65, 65)) / 64
    assert_array_equal(conjunctor(function)(b, r) <= h, r <= function(b, h))


@each
def test_numeric_residua_reach_the_closed_forms(function):
    """In a lambda, receval does not recognise the implicator, so it can't use its closed form.

    At the dyadic points, bisection has to choose the right side of a jump.
    """
    dyadic = np.indices((17, 17)).reshape(2, -1) / 16
    b, x = np.append(dyadic, np.random.default_rng(7).random((2, 500)), axis=1)
    closed = conjunctor(function)
    assert_allclose(conjunctor(lambda b, h: function(b, h))(b, x), closed(b, x), atol=1e-14)
    assert_allclose(implicator(lambda b, r: closed(b, r))(b, x), function(b, x), atol=1e-14)


def test_any_callable_will_do_also_one_that_cannot_be_hashed():
    class Yager:
        __hash__ = None

        def __call__(self, b, h):
            return h**b

    own = Yager()
    assert violations(own) == {}
    assert modus_ponens(0.5, 0.5, conjunctor(own)) == 0.25


def test_a_conjunctor_that_bisection_finds_is_no_implicator():
    """Bisection may miss C(1, 1) = 1 by the last bit."""

    def frank(b, h, s=1.5):
        share = (s**h - 1) / np.where(b > 0, s**b - 1, 1)
        return np.where(b <= h, 1.0, np.log1p((s - 1) * share) / np.log(s))

    assert modus_ponens(0.75, 0.5, conjunctor(frank)) == pytest.approx(0.3655, abs=5e-5)


def test_numeric_residua_of_functions_without_closed_form():
    b, r = np.random.default_rng(8).random((2, 500))
    b = 0.1 + 0.9 * b
    assert_allclose(conjunctor(yager)(b, r), r ** (1 / b), rtol=1e-13, atol=1e-15)
    hamacher = implicator(lambda b, r: b * r / np.where(b + r > 0, b + r - b * r, 1))
    exact = np.where(b <= r, 1, b * r / np.where(b > r, b - r + b * r, 1))
    assert_allclose(hamacher(b, r), exact, atol=1e-13)


@each
def test_there_and_back_is_the_same_function(function):
    assert implicator(conjunctor(function)) is function


@pytest.mark.parametrize(
    ("conjunction", "implication", "broken"),
    [
        (goedel_conjunctor, lukasiewicz, ["sound"]),
        (lukasiewicz_conjunctor, goedel, ["complete"]),
        *((conjunctor(function), function, []) for function in [*TEXTBOOK, yager, weber]),
    ],
)
def test_pairs_that_do_not_belong_together(conjunction, implication, broken):
    gaps = residuation_gaps(conjunction, implication)
    assert list(gaps) == broken
    for gap in gaps.values():  # of C(b, r) <= h and r <= I(b, h), only one holds
        degrees = dict(re.findall(r"\b([brh]) = ([\d.]+)", gap))
        b, r, h = (float(degrees[name]) for name in "brh")
        holds = {"complete": conjunction(b, r) <= h, "sound": r <= implication(b, h)}
        assert [name for name in holds if holds[name]] == broken


# Axioms and boundaries ------------------------------------------------------------------------


@each
def test_the_textbook_breaks_no_axiom(function):
    assert violations(function) == {}
    assert violations(conjunctor(function)) == {}


WITNESS = "C(1, 0.015625) = 0.015625, but 0 approaching b from below"


@pytest.mark.parametrize(
    ("function", "kind", "broken"),
    [
        pytest.param(lambda b, h: 1 - b + 0 * h, "implicator", ["i1"], id="never mind the head"),
        pytest.param(
            lambda b, h: np.where(b + h > 0, goedel(b, h), 0.9), None, ["i1", "i3"], id="0.9 at 0"
        ),
        pytest.param(
            lambda b, h: np.maximum(1 - b, np.minimum(b, h)), None, ["i2"], id="Zadeh rises in b"
        ),
        pytest.param(
            lambda b, h: np.maximum(1 - b, h * (h != 0.5)), None, ["i2", "i3"], id="a hole in h"
        ),
        pytest.param(
            lambda b, h: 1.0 * ((b < h) | (h == 1) | (b == 0)), None, ["i3"], id="strict Rescher"
        ),
        pytest.param(
            lambda b, h: np.minimum(1, 1 - b + 2 * h),
            None,
            {"i4": "I(1, 0.5) = 1"},
            id="too generous",
        ),
        pytest.param(yager, None, [], id="Yager, steep at 0"),
        pytest.param(weber, None, [], id="Weber"),
        pytest.param(
            conjunctor(weber), "conjunctor", {"c3": WITNESS}, id="Weber's conjunctor jumps in b"
        ),
        pytest.param(lambda b, r: b * (r == 1), None, [], id="C may jump in r"),
        pytest.param(lambda b, r: r * (b == 1), None, ["c3"], id="but not in b"),
        pytest.param(lambda b, r: np.maximum(b, r), "conjunctor", ["c1"], id="a disjunction"),
        pytest.param(lambda b, r: b * r * (r != 0.5), None, ["c2"], id="falls in r"),
        pytest.param(lambda b, r: r * (b > 0.5), None, [], id="left-continuous step in b"),
        pytest.param(lambda b, r: r * (b >= 0.5), None, ["c3"], id="right-continuous step in b"),
    ],
)
def test_violations(function, kind, broken):
    """Each broken axiom is named, with a place where it breaks if the case gives one."""
    found = violations(function, kind=kind)
    assert (found if isinstance(broken, dict) else list(found)) == broken


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: goedel(1.5, 0), r"b must be in \[0, 1\]; got 1.5$", id="above 1"),
        pytest.param(
            lambda: product([0.5, -0.1], 0.5),
            r"b must be in \[0, 1\]; got -0.1 at index 1",
            id="below 0",
        ),
        pytest.param(
            lambda: lukasiewicz(0.5, float("nan")), r"h must be in \[0, 1\]; got nan", id="NaN"
        ),
        pytest.param(
            lambda: goedel_conjunctor([0.1, 0.2], [0.1, 0.2, 0.3]),
            r"b and r must agree in their leading axes.*\(2,\) and \(3,\)",
            id="shapes",
        ),
        pytest.param(lambda: goedel("0.5", 0.5), "b must hold numbers", id="text"),
        pytest.param(
            lambda: modus_ponens(0.5, 0.5, goedel),
            r"conjunctor must be near 0 if the body is 0.*; got \[1.0, 1.0\]",
            id="an implicator for its conjunctor",
        ),
        pytest.param(
            lambda: modus_ponens(0.5, 0.5, yager),
            "conjunctor must be near 0 if the body is 0",
            id="one's own implicator for its conjunctor",
        ),
        pytest.param(
            lambda: conjunctor(lambda b, h: 1 - b + 0 * h),
            r"implicator must satisfy i1; got I\(1, 1\) = 0, classically 1",
            id="nothing to bisect",
        ),
        pytest.param(
            lambda: implicator(lambda b, r: b * r * (r != 0.5)),
            "conjunctor must satisfy c2; got falls in r",
            id="nothing to bisect, back",
        ),
        pytest.param(
            lambda: violations(lambda b, h: b - h),
            r"value of connective must be in \[0, 1\]; got -1.0",
            id="not a degree",
        ),
        pytest.param(
            lambda: violations(lambda b, h: 1.0 if b <= h else h),
            "connective must take two arrays.*numpy.vectorize",
            id="not vectorised",
        ),
        pytest.param(
            lambda: violations(lambda b, h: 0.5),
            r"have the shape .*; got \(\)",
            id="one number",
        ),
        pytest.param(
            lambda: violations(goedel, kind="implication"),
            "kind must be one of 'implicator', 'conjunctor'.*Did you mean 'implicator'",
            id="kind",
        ),
        pytest.param(lambda: violations("goedel"), "connective must be a function", id="a name"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
