"""The terms of a measure, and gains and losses between two systems, against definitions by hand."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scale_data

import receval
from receval import InputError, evaluate

MEASURES = ["nDCG@5", "MAP@5", "MRR", "R-Precision", "F1@5", "ERR@5", "HR@3", "RBP", "AUC", "bpref"]


@pytest.fixture(scope="module")
def tables():
    recs, truth, _, _ = scale_data.tables(users=40)
    return {"A": recs, "B": recs.assign(score=-recs["score"])}, truth


@pytest.fixture(scope="module")
def result(tables):
    return evaluate(*tables, MEASURES)


def grades_of(tables, system, user):
    """Return the items of a user's list, and the user's grades by item."""
    lists, truth = tables
    of_user = lists[system][lists[system]["user"] == user]
    of_user = of_user.sort_values(["score", "item"], ascending=[False, True])
    grades = truth[truth["user"] == user].set_index("item")["relevance"]
    return of_user["item"].tolist(), grades[grades > 0].to_dict()


def ndcg_terms(items, grades):
    ideal = sum(
        grade / math.log2(i + 2) for i, grade in enumerate(sorted(grades.values())[::-1][:5])
    )
    return [grades.get(item, 0) / math.log2(i + 2) / ideal for i, item in enumerate(items[:5])]


def precision_terms(items, grades):
    hits = [item in grades for item in items[:5]]
    return [hit * sum(hits[: i + 1]) / (i + 1) / len(grades) for i, hit in enumerate(hits)]


def first_hit_terms(items, grades):
    hits = [item in grades for item in items]
    return [1 / (i + 1) if hit and not any(hits[:i]) else 0.0 for i, hit in enumerate(hits)]


BY_HAND = {"nDCG@5": ndcg_terms, "MAP@5": precision_terms, "MRR": first_hit_terms}


@pytest.mark.parametrize("measure", BY_HAND)
def test_terms_are_those_of_the_definition(tables, result, measure):
    terms = result.terms(measure).set_index(["system", "user"])
    for user, system in product((0, 7), "AB"):
        items, grades = grades_of(tables, system, user)
        expected = BY_HAND[measure](items, grades)
        found = terms.loc[(system, user)].reset_index(drop=True)
        assert found["rank"].tolist() == [*range(1, len(expected) + 1)]
        assert found["item"].tolist() == items[: len(expected)]
        np.testing.assert_allclose(found["term"], expected, atol=1e-15)
        alone = result.terms(measure, user=user, system=system)
        pd.testing.assert_frame_equal(found, alone[found.columns])


@pytest.mark.parametrize("measure", MEASURES[:-2])
@pytest.mark.parametrize("convention", ["receval", "ranksys", "lenskit", "replay"])
def test_terms_add_up_to_the_values_and_gains_and_losses_to_the_difference(
    tables, measure, convention
):
    result = evaluate(*tables, measure, convention=convention)
    sums = result.terms().groupby(["system", "user"])["term"].sum()
    np.testing.assert_allclose(sums, result.per_user.loc[sums.index, measure], atol=1e-14)
    found = result.diff("A", "B").dropna()  # LensKit leaves out users without an answer
    np.testing.assert_allclose(found["gains"] + found["losses"], found["difference"], atol=1e-14)
    assert found["gains"].min() >= 0 >= found["losses"].max()
    assert found["gains"].sum() > 0 > found["losses"].sum()


def test_an_item_that_moves_gains_what_its_term_grows():
    lists = {"old": {1: ["x", "y", "z"]}, "new": {1: ["y", "x", "w"]}}
    result = evaluate(lists, {1: {"y": 2, "z": 1}}, "DCG@3")
    found = result.diff("old", "new").loc[1]
    gain = 2 - 2 / math.log2(3)
    expected = {"gains": gain, "losses": -1 / 2, "difference": gain - 1 / 2}
    assert found[[*expected]].to_dict() == pytest.approx(expected)


def test_users_without_items_have_no_terms_but_a_difference():
    result = evaluate({"A": {1: ["x"]}, "B": {1: [], 2: ["y"]}}, {1: {"x"}, 2: {"y"}}, "MRR")
    found = result.diff("A", "B")
    assert found[["A", "B", "gains", "losses"]].to_numpy().tolist() == [[1, 0, 0, -1], [0, 1, 1, 0]]


@pytest.fixture
def results(result, tables, tmp_path):
    """Return results of memory, of a file, and of means over all orders of equal scores."""
    lists, truth = tables
    result.save(tmp_path / "saved.receval")
    tied = {"A": lists["A"].assign(score=1), "B": lists["B"]}
    return {
        "memory": result,
        "file": receval.load(tmp_path / "saved.receval"),
        "average": evaluate(tied, truth, "nDCG@5", ties="average"),
    }


OF_ONE_ORDER = r"^measure must be a sum over the ranks of a list.*; got {!r}$"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda results: results["memory"].diff("A", "A", "MRR"),
            r"^b must be another system than a; got 'A'$",
        ),
        (
            lambda results: results["memory"].diff("A", "C", "MRR"),
            r"^b must be one of \['A', 'B'\]; got 'C'$",
        ),
        (
            lambda results: results["memory"].diff("A", "B"),
            r"^measure must be given, as one of \['nDCG@5', ",
        ),
        (lambda results: results["memory"].diff("A", "B", "AUC"), OF_ONE_ORDER.format("AUC")),
        (lambda results: results["memory"].diff("A", "B", "bpref"), OF_ONE_ORDER.format("bpref")),
        (
            lambda results: results["memory"].terms("MRR", user=99),
            r"^user must be a judged user.*; got 99$",
        ),
        (
            lambda results: results["average"].diff("A", "B"),
            r"^measure must have values of one order of equal s",
        ),
        (
            lambda results: results["file"].terms("MRR"),
            r"^evaluation must have its lists in memory",
        ),
    ],
)
def test_refuses(results, call, message):
    with pytest.raises(InputError, match=message):
        call(results)
