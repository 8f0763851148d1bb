"""Comparison with other tools, user by user, on thousands of random lists."""

from dataclasses import replace

import amount
import numpy as np
import pytest

from receval.definitions import convention
from receval.definitions.convention import CONVENTIONS

from .compare import TOLERANCE, apart, compare
from .peers import COMPARISONS

CASES = amount.of(500, 100_000)
pytestmark = pytest.mark.usefixtures("interpreted_ranx")
LIVE = {one.convention.name for one in COMPARISONS.values()}


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_user_has_the_tools_value(name):
    table = compare(name, CASES)
    assert (table["cases"] == CASES).all()
    assert (table["largest difference"] <= TOLERANCE).all(), table.to_string()


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("ranx", {"ties": "item"}),
        ("pytrec_eval", {"ties": "item"}),
        ("pytrec_eval", {"missing": "zero"}),
        ("trec_eval -c", {"ties": "text"}),
        ("ir_measures", {"cut_ties": ()}),
        ("ranx, gain of Burges", {"gain": convention("ranx").gain}),
        ("scikit-learn, 12 items", {"ties": "item"}),
    ],
)
def test_the_comparison_detects_a_changed_convention(name, choice, monkeypatch):
    """The cases can detect a choice that differs from the convention's."""
    one = COMPARISONS[name]
    other = replace(one, convention=replace(one.convention, **choice))
    monkeypatch.setitem(COMPARISONS, name, other)
    table = compare(name, 500)
    assert table["disagreements"].max() >= 10
    assert table["largest difference"].max() > 1e-3


def test_every_convention_verified_live_is_compared():
    """If a convention is verified live, the comparison has every measure that it names."""
    live = {name for name, one in CONVENTIONS.items() if one.verified.startswith("live")}
    assert live - {"receval"} == LIVE
    for name in LIVE:
        compared = {
            measure.split("@")[0]
            for one in COMPARISONS.values()
            if one.convention.name == name
            for measure in one.names
        }
        assert set(CONVENTIONS[name].measures.split()) <= compared


def test_a_difference_is_a_difference():
    ours = np.array([[1.0, np.nan, np.nan, np.inf, 1e6, 0.5]])
    theirs = np.array([[1.0, np.nan, 0.0, np.inf, 1e6 + 1e-7, 0.25]])
    gap = apart(ours, theirs)[0]
    assert gap[:4].tolist() == [0, 0, np.inf, 0]
    assert 0 < gap[4] < TOLERANCE < gap[5] == 0.25
