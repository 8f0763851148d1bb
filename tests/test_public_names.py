"""Every public name has a documented contract, and importing it is fast."""

import importlib
import inspect
import pkgutil
import re

import numpydoc.docscrape
import pytest

import receval

SIGNATURES = {
    "hit": "(gains, *, k=None)",
    "reciprocal_rank": "(gains, *, k=None)",
    "precision": "(gains, *, k=None, denominator='cutoff', n_relevant=None)",
    "recall": "(gains, n_relevant, *, k=None, denominator='relevant')",
    "f1": "(precision, recall)",
    "r_precision": "(gains, n_relevant)",
    "average_precision": "(gains, n_relevant, *, k=None, denominator='relevant')",
    "cumulative_gain": "(gains, *, k=None)",
    "dcg": "(gains, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "dcg_terms": "(gains, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ideal_dcg": "(relevance, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ideal_dcg_terms": "(relevance, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ndcg": "(gains, relevance, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "auc": "(gains, *, scores=None)",
    "bpref": "(gains, judged, n_relevant, n_irrelevant)",
    "rbo": "(first, second, *, p=0.9, k=None)",
    "rbp": "(gains, *, k=None, p=0.8)",
    "err": "(gains, *, max_grade, k=None)",
}


def modules():
    for found in pkgutil.walk_packages(receval.__path__, "receval."):
        yield importlib.import_module(found.name)


def public_functions():
    """Return each public function once; packages list the functions of their modules too."""
    functions = {}
    for module in modules():
        for name in getattr(module, "__all__", []) if "._" not in module.__name__ else []:
            value = getattr(module, name)
            if inspect.isfunction(value):
                functions[f"{value.__module__}.{name}"] = value
    for id, value in functions.items():
        yield pytest.param(value, id=id)


@pytest.mark.parametrize("function", list(public_functions()))
def test_every_public_function_is_documented_with_an_example(function):
    doc = numpydoc.docscrape.FunctionDoc(function)
    assert doc["Summary"], "a first line"
    name, module = function.__name__, function.__module__
    if name.endswith("_terms") or module.startswith("receval.working"):
        assert doc["Examples"]
        return
    if module.startswith(("receval.metrics", "receval.fuzzy")):
        assert doc["Examples"]
        assert doc["Raises"]
    arguments = [p for p in inspect.signature(function).parameters if not p.startswith("_")]
    documented = {
        part.strip().lstrip("*") for entry in doc["Parameters"] for part in entry.name.split(",")
    }
    assert set(arguments) <= documented | {"options"}, set(arguments) - documented


@pytest.mark.parametrize(("name", "expected"), SIGNATURES.items())
def test_signatures_of_the_ranking_metrics(name, expected):
    signature = inspect.signature(getattr(receval.metrics.ranking, name))
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    # Defaults that are functions are shown as <function shifted_log2 at 0x…>.
    shown = re.sub(r"<function (\w+) at \w+>", r"\1", str(inspect.Signature(parameters)))
    assert shown == expected


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "mae", "mse"])
def test_names_of_several_families_are_not_flat(name):
    assert not hasattr(receval, name)
    assert not hasattr(receval.metrics, name)


def test_all_lists_are_true():
    for module in modules():
        missing = [name for name in getattr(module, "__all__", []) if not hasattr(module, name)]
        assert missing == [], module.__name__
    for name in ("lists_from_items", "lists_from_scores"):
        assert name in receval.__all__
        assert getattr(receval, name) is getattr(receval.tables, name)
