"""Every public name has a documented contract, and importing it is fast."""

import importlib
import inspect
import pkgutil
import re

import numpydoc.docscrape
import pytest

import receval

SIGNATURES = {
    "ranking.hit": "(gains, *, k=None)",
    "ranking.reciprocal_rank": "(gains, *, k=None)",
    "ranking.precision": "(gains, *, k=None, denominator='cutoff', n_relevant=None)",
    "ranking.recall": "(gains, n_relevant, *, k=None, denominator='relevant')",
    "ranking.f1": "(precision, recall)",
    "ranking.r_precision": "(gains, n_relevant)",
    "ranking.average_precision": "(gains, n_relevant, *, k=None, denominator='relevant')",
    "ranking.cumulative_gain": "(gains, *, k=None)",
    "ranking.dcg": "(gains, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ranking.dcg_terms": "(gains, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ranking.ideal_dcg": "(relevance, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ranking.ideal_dcg_terms": "(relevance, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ranking.ndcg": "(gains, relevance, *, k=None, discount=shifted_log2, gain=linear_gain)",
    "ranking.auc": "(gains, *, scores=None)",
    "ranking.bpref": "(gains, judged, n_relevant, n_irrelevant)",
    "ranking.rbo": "(first, second, *, p=0.9, k=None)",
    "ranking.rbp": "(gains, *, k=None, p=0.8)",
    "ranking.err": "(gains, *, max_grade, k=None)",
    "retrieval.hits": "(truth, retrieved, *, k=None)",
    "retrieval.hits_normalized": "(truth, retrieved, *, k=None, denominator='cutoff')",
    "retrieval.mae": "(truth, retrieved, *, k=None, pairing='position')",
    "retrieval.mse": "(truth, retrieved, *, k=None, pairing='position')",
    "retrieval.quality_stromer": "(truth, retrieved, *, k=None, count='matches')",
    "retrieval.quality_mueller": "(truth, retrieved, *, k=None)",
    "retrieval.correctness": "(truth, retrieved, *, k=None)",
    "retrieval.completeness": "(truth, retrieved, *, k=None, pairs='all')",
    "retrieval.distance": "(truth, retrieved, *, k=None)",
    "retrieval.kendall": "(truth, retrieved, *, k=None, variant='a')",
    "retrieval.spearman": "(truth, retrieved, *, k=None)",
}


def public_functions():
    """Return each public function once; packages list the functions of their modules too."""
    functions = {}
    for found in pkgutil.walk_packages(receval.__path__, "receval."):
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", []) if "._" not in found.name else []:
            value = getattr(module, name)
            if inspect.isfunction(value):
                functions[f"{value.__module__}.{name}"] = value
    return functions


FUNCTIONS = public_functions()


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
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
def test_signatures_of_the_ranking_and_retrieval_metrics(name, expected):
    family, function = name.split(".")
    signature = inspect.signature(getattr(getattr(receval.metrics, family), function))
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    # Defaults that are functions are shown as <function shifted_log2 at 0x…>.
    shown = re.sub(r"<function (\w+) at \w+>", r"\1", str(inspect.Signature(parameters)))
    assert shown == expected


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "mae", "mse"])
def test_names_of_several_families_are_not_flat(name):
    assert not hasattr(receval, name)
    assert not hasattr(receval.metrics, name)
