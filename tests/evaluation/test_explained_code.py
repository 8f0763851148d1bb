"""`explain` names the functions that compute a number, by module and name."""

import importlib

import numpy as np
import pandas as pd
import pytest
from scipy import special

from receval import Measure, Terms, conventions, evaluate, measures
from receval.definitions import convention, measure
from receval.definitions.convention import function_name
from receval.metrics import discounts, ranking

RECS = pd.DataFrame(
    {"user": ["ann", "ann", "bob", "bob"], "item": list("xyyz"), "score": [2.0, 1.0, 2.0, 1.0]}
)
TRUTH = pd.DataFrame({"user": ["ann", "bob"], "item": ["y", "y"], "relevance": 1})
ITEMS = pd.DataFrame(
    {"awards": [2, 1, 0], "novelty_date": pd.Timestamp("2026-01-01"), "colour": [1, 2, 2]},
    index=list("xyz"),
)
PARTS = {
    "gain",
    "discount",
    "not stopped above",
    "precision so far",
    "divisor",
    "divisor of precision",
    "divisor of recall",
    "value",
    "mean",
    "all users",
}


def explained(name, **options):
    """Return the explanation of Ann's value under a measure."""
    result = evaluate(RECS, TRUTH, name, items=ITEMS, history=RECS, **options)
    return result.explain("ann", result.measures[0].name)


def function_of(name):
    """Import a function by the name that an explanation shows."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("rules", conventions().index)
def test_each_name_can_be_imported_and_called(rules):
    refused = dict(convention(rules).refused)
    names = [name for name in measures().index if measure(name).per_user and name not in refused]
    result = evaluate(RECS, TRUTH, names, items=ITEMS, history=RECS, convention=rules)
    for name in names:
        code = result.explain("ann", name).code
        assert set(code) <= PARTS
        assert {"mean", "all users"} & set(code)
        assert all(callable(function_of(function)) for function in code.values())


@pytest.mark.parametrize("rules", conventions().index)
def test_the_code_of_ndcg_is_that_of_the_convention(rules):
    code = explained("nDCG@2", convention=rules).code
    choices = convention(rules)
    for part in ("gain", "discount"):
        name, _, _ = function_name(getattr(choices, part)).partition("(")
        assert function_of(code[part]) is getattr(discounts, name)
    assert (function_of(code["divisor"]) is ranking.ideal_dcg) == (choices.ideal == "relevant")


@pytest.mark.parametrize(
    ("name", "rules", "divisors"),
    [
        ("MAP@2", "receval", {"divisor": "relevant_divisor"}),
        ("MAP@2", "replay", {"divisor": "reachable_divisor"}),
        ("MAP@2", "lenskit", {"divisor": "listed_divisor"}),
        ("MAP@2", "fuzzy", {"divisor": "found_divisor"}),
        (
            "F1@2",
            "lenskit",
            {
                "divisor of precision": "retrieved_divisor",
                "divisor of recall": "reachable_divisor",
            },
        ),
    ],
)
def test_the_divisors_of_conventions_differ(name, rules, divisors):
    code = explained(name, convention=rules).code
    assert {part: code[part].rpartition(".")[2] for part in divisors} == divisors


def test_the_named_functions_give_the_number():
    found = explained("nDCG@2", convention="fuzzy")
    gain, discount, divisor, mean = map(function_of, found.code.values())
    grades, relevance = np.array([0.0, 1.0]), [1.0]
    dcg = (gain(grades) * discount(np.array([1.0, 2.0]))).sum()
    assert dcg / divisor(relevance, k=2, discount=discount, gain=gain) == found.value
    assert mean([found.value, np.nan]) == found.value


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("MRR", {"gain", "discount", "not stopped above", "mean"}),
        ("MAP", {"gain", "precision so far", "divisor", "mean"}),
        ("AUC", {"value", "mean"}),
        ("RMSE", {"value", "all users"}),
    ],
)
def test_a_measure_has_only_the_parts_that_it_uses(name, parts):
    assert set(explained(name).code) == parts


@pytest.mark.parametrize(("name", "error"), [("MAE", 2), ("MSE", 4), ("RMSE", 2)])
def test_the_code_of_an_error_of_all_users_computes_it(name, error):
    state = np.array([3.0, 3 * 2.0 if name == "MAE" else 3 * 4.0])  # three errors of 2
    assert function_of(explained(name).code["all users"])(state, None) == error


def test_the_text_ends_with_a_line_for_each_part():
    found = explained("MRR")
    lines = [f"{part}: {name}" for part, name in found.code.items()]
    assert repr(found).splitlines()[-5:] == ["computed by", *(f"  {line}" for line in lines)]
    html = found._repr_mimebundle_()["text/html"]
    for part, name in found.code.items():
        assert f"<li>{part}: <code>{name}</code></li>" in html


def half_life(rank):
    """Return a weight that halves with each rank."""
    return 0.5 ** (rank - 1)


def n_relevant(lists, _k):
    """Return the number of relevant items of each list."""
    return lists.n_relevant


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        (
            {"terms": Terms(np.sqrt, half_life)},
            {
                "gain": "numpy.sqrt",
                "discount": f"{__name__}.half_life",
                "mean": "receval._arrays.mean",
            },
        ),
        ({"terms": Terms(special.expm1, half_life)}, {"gain": "expm1"}),  # not numpy.expm1
        ({"per_list": n_relevant}, {"value": f"{__name__}.n_relevant"}),
        (
            {"terms": Terms(discounts.binary_gain, above="unstopped"), "divisor": "ideal"},
            {"divisor": "receval.metrics.formula.RankFormula"},
        ),
    ],
)
def test_the_functions_of_a_custom_measure_are_named(definition, code):
    found = explained(Measure("own", source="this test", **definition)).code
    assert {part: found[part] for part in code} == code
