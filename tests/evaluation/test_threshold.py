"""A threshold in a measure's name: grades at or above it are relevant, all to the same degree."""

import re

import numpy as np
import pandas as pd
import pytest
from differential.peers import by_ir_measures
from differential.tables import lists_and_truth
from numpy.testing import assert_allclose

from receval import evaluate

THEIRS = {
    "Precision(rel=2)@5": "P(rel=2)@5",
    "Recall(rel=2)@5": "R(rel=2)@5",
    "MAP(rel=3)": "AP(rel=3)",
    "MRR(rel=2)": "RR(rel=2)",
    "R-Precision(rel=2)": "Rprec(rel=2)",
    "bpref(rel=2)": "Bpref(rel=2)",
    "HR(rel=4)@3": "Success(rel=4)@3",
}


@pytest.fixture(scope="module")
def tables():
    return lists_and_truth(np.random.default_rng(8), 300)


def test_as_ir_measures_has_it(tables):
    ours = evaluate(*tables, list(THEIRS), convention="ir_measures").per_user
    theirs = by_ir_measures(tables, THEIRS).reindex(index=ours.index, columns=ours.columns)
    there = theirs.notna().all(axis=1)
    assert there.mean() > 0.7
    assert_allclose(ours[there], theirs[there], atol=1e-12)


@pytest.mark.parametrize("ties", ["item", "average"])
def test_a_threshold_gives_the_values_of_binary_grades(tables, ties):
    recs, truth = tables
    truth = truth[truth["relevance"] >= 0]
    binary = truth.assign(relevance=(truth["relevance"] >= 2).astype(int))
    names = ["nDCG@5", "nDCG", "MAP", "DCG@3", "RBP@4", "F1@3", "bpref", "HR@1"]
    rel = [re.sub(r"^[^@]+", r"\g<0>(rel=2)", name) for name in names]
    own, plain = evaluate(recs, truth, rel, ties=ties), evaluate(recs, binary, names, ties=ties)
    assert_allclose(own.per_user.to_numpy(), plain.per_user.to_numpy(), atol=1e-12)
    columns = ["pessimistic", "expected", "optimistic"]
    assert_allclose(own.ties()[columns], plain.ties()[columns], atol=1e-12)


@pytest.mark.parametrize(("kind", "grade"), [("float32", 0.7), ("float16", 0.1), ("float64", 0.7)])
def test_a_grade_of_few_bits_reaches_its_own_threshold(kind, grade):
    truth = pd.DataFrame({"user": ["a"], "item": ["x"], "relevance": [grade]})
    names = ["Recall", "MRR", f"nDCG(rel={grade})"]
    result = evaluate(
        {"a": ["x", "y"]}, truth.astype({"relevance": kind}), names, relevant_from=grade
    )
    assert result.per_user.to_numpy().tolist() == [[1, 1, 1]]


def test_explain_and_methods_name_the_threshold(tables):
    recs, truth = tables
    result = evaluate(recs, truth[truth["relevance"] >= 0], ["nDCG(rel=2)@5", "RBP(p=0.5, rel=2)"])
    values = result.per_user["nDCG(rel=2)@5"]
    found = result.explain(values.idxmax(), "nDCG(rel=2)@5")
    assert found.choices["relevant"] == "a grade of 2 or more"
    assert "gain" not in found.choices
    assert found.table["gain"].isin([0, 1]).all()
    assert found.table.attrs["value"] == found.value == values.max()
    told = (
        "For nDCG(rel=2) a grade of 2 or more is relevant, and all relevant grades count the same, "
    )
    assert f"{told}with the gain 1." in result.methods()
    assert "The gain is" not in result.methods()
