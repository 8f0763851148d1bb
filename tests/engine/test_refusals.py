"""Results on their way out: Markdown, flat names, Arrow, and a scorer for scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer, ndcg_score
from sklearn.model_selection import GroupKFold, cross_val_score

import receval
from receval import InputError, evaluate, ndcg

RECS = pd.DataFrame({"user": list("aab"), "item": list("pqq"), "score": [2.0, 1.0, 2.0]})
TRUTH = pd.DataFrame({"user": list("ab"), "item": list("qp"), "relevance": [1, 2]})
BOTH = evaluate({"A|1": RECS, "B": RECS.iloc[::2]}, TRUTH, ["nDCG@10", "HR(rel=2)@5"])


def test_markdown_has_every_value_and_escapes_names():
    lines = BOTH.to_markdown().splitlines()
    assert lines[:3] == [
        "| system | nDCG@10 | HR(rel=2)@5 |",
        "| --- | ---: | ---: |",
        r"| A\|1 | **0.32** | **0.00** |",
    ]
    assert "2 judged, 2 answered" in lines[-1]
    assert lines[-2] == ""


def test_flat_names_of_means():
    means = BOTH.summary.loc["B"].tolist()
    found = BOTH.to_dict()
    assert list(found) == ["A|1/ndcg_at_10", "A|1/hr_rel_2_at_5", "B/ndcg_at_10", "B/hr_rel_2_at_5"]
    assert list(found.values())[2:] == means
    one = evaluate(RECS, TRUTH, ["R-Precision", "RBP(p=0.9)@10"]).to_dict()
    assert list(one) == ["r_precision", "rbp_p_0.9_at_10"]
    assert {type(value) for value in one.values()} == {float}


# scikit-learn ----------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = pd.DataFrame({"query": np.repeat(np.arange(20), 10), "x": RNG.random(200)})[::-1]
Y = np.round(3 * X["x"] + RNG.random(200)).to_numpy()
MODEL = LinearRegression()
CV = GroupKFold(4)


def test_the_scorer_is_the_mean_of_scikit_learns_own_over_queries():
    score = receval.scorer("nDCG", groups="query", ties="average")
    found = cross_val_score(MODEL, X, Y, groups=X["query"], cv=CV, scoring=score)
    wanted = []
    for train, test in CV.split(X, Y, X["query"]):
        predicted = MODEL.fit(X.iloc[train], Y[train]).predict(X.iloc[test])
        part = pd.DataFrame({"query": X["query"].iloc[test], "y": Y[test], "score": predicted})
        each = [ndcg_score([one["y"]], [one["score"]]) for _, one in part.groupby("query")]
        wanted.append(np.mean(each))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    wrong = cross_val_score(MODEL, X, Y, groups=X["query"], cv=CV, scoring=make_scorer(ndcg))
    assert (np.abs(wrong - found) > 0.01).all()


def test_groups_may_be_a_series_or_a_function():
    model = MODEL.fit(X, Y)
    wanted = receval.scorer("MRR", groups="query")(model, X, Y)
    series = receval.scorer("MRR", groups=X["query"].sort_index())
    assert series(model, X, Y) == wanted
    assert receval.scorer("MRR", groups=lambda frame: frame["query"] + 1)(model, X, Y) == wanted
    assert receval.scorer("RMSE", groups="query")(model, X, Y) < 0


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("user", "groups must be a column of the frame X.* got 'user'"),
        (X["query"].iloc[1:], "user of .* missing"),
        (lambda _: [1, 2], r"groups must be one for each row.* shapes \(2,\), \(200,\)"),
    ],
)
def test_refuses_groups(groups, message):
    with pytest.raises(InputError, match=message):
        receval.scorer("MRR", groups=groups)(MODEL.fit(X, Y), X, Y)


@pytest.mark.parametrize("name", ["alpha-nDCG@5", "CC@5", "ILD@5", "LTP@5", "nov_t@5"])
def test_a_scorer_refuses_measures_that_need_more_than_grades_and_scores(name):
    with pytest.raises(InputError, match=rf"measure must need only grades.*; got {name} \("):
        receval.scorer(name, groups="query")
