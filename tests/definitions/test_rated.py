"""Errors of predicted ratings in tables: over all rows with both numbers, and of each user."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from scale_data import evaluate_in_parts
from sklearn.metrics import mean_absolute_error, mean_squared_error, root_mean_squared_error

from receval import InputError, Measure, evaluate, load
from receval.evaluation import pooled

RNG = np.random.default_rng(3)
SKLEARN = {"MAE": mean_absolute_error, "MSE": mean_squared_error, "RMSE": root_mean_squared_error}


def tables(users=40):
    """Return predictions and ratings, including 0; only some items have both."""
    user, item = (place.ravel() for place in np.indices((users, 9)))
    rows = pd.DataFrame({"user": user, "item": item})
    predicted = rows.assign(score=RNG.integers(0, 9, len(rows)) / 2 + 1e-9)
    rated = rows.assign(relevance=RNG.integers(0, 6, len(rows)))
    return predicted[RNG.random(len(rows)) < 0.6], rated[RNG.random(len(rows)) < 0.4]


def written(folder, recs, truth):
    """Write both tables as Parquet files and return their paths."""
    paths = [folder / "recs.parquet", folder / "truth.parquet"]
    for path, table in zip(paths, (recs, truth), strict=True):
        table.to_parquet(path, index=False)
    return paths


@pytest.mark.parametrize("convention", ["receval", "trec_eval"])
@pytest.mark.parametrize("name", SKLEARN)
def test_as_scikit_learn_has_it_over_all_rows_and_of_each_user(name, convention):
    recs, truth = tables()
    result = evaluate(recs, truth, [name, "MRR"], convention=convention)

    def theirs(rows):
        return SKLEARN[name](rows["relevance"], rows["score"])

    both = recs.merge(truth)
    assert result.summary[name].iloc[0] == pytest.approx(theirs(both), rel=1e-14)
    own = both.groupby("user")[["relevance", "score"]].apply(theirs)
    per_user = result.per_user[name].dropna()
    pd.testing.assert_series_equal(per_user, own, check_names=False, rtol=1e-14)
    assert result.interval().loc[name, "users"].item() == len(own)
    table = result.explain(own.index[0], name).table
    assert set(table["item"]) == set(both.loc[both["user"] == own.index[0], "item"])
    assert table["term"].mean() == pytest.approx(own.iloc[0] ** (2 if name == "RMSE" else 1))


def test_no_row_with_both_numbers_has_no_error():
    result = evaluate({1: {"a": 2.0}}, {1: {"b": 2}}, [*SKLEARN, "MRR"])
    assert result.summary.loc[""].isna().tolist() == [True, True, True, False]


@pytest.mark.parametrize("kind", [int, str])
def test_no_order_part_or_fold_changes_a_bit(tmp_path, kind):
    """Gini finds items that both folds show by their ids, whatever their type."""
    recs, truth = (table.astype({"item": kind}) for table in tables(60))
    asked = {
        "measures": [*SKLEARN, "Gini@3"],
        "items": pd.DataFrame(index=[kind(item) for item in range(12)]),
    }
    expected = evaluate(recs, truth, **asked).summary
    mixed = [table.sample(frac=1, random_state=1) for table in (recs, truth)]
    paths = written(tmp_path, recs, truth)
    for same in (evaluate(*mixed, **asked), evaluate_in_parts(*paths, **asked)):
        pd.testing.assert_frame_equal(same.summary, expected, check_exact=True)
    folds = [
        evaluate(*(table[table["user"] % 2 == half] for table in (recs, truth)), **asked)
        for half in (0, 1)
    ]
    for half, result in enumerate(folds):
        result.save(tmp_path / f"{half}.receval")
    loaded = [load(tmp_path / f"{half}.receval") for half in (0, 1)]
    for results in (folds, loaded):
        union = pooled(dict(enumerate(results)), set_level="union").summary
        assert union.loc[""].tolist() == expected.loc[""].tolist()


RECS, TRUTH = tables()


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        (
            {"place": RECS.groupby("user").cumcount() + 1},
            {"rank": "place"},
            r"^score must be given for RMSE, which compares it with",
        ),
        ({"score": np.inf}, {}, r"^predicted must be finite; got inf"),
        (
            {"score": 2**60 + np.arange(len(RECS))},  # float64 would round them
            {"measures": ["MRR", "MAE"]},
            r"^score of recommendations must hold whole numbers of",
        ),
    ],
)
def test_ranks_and_infinite_scores_are_refused(changes, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(RECS.assign(**changes), TRUTH, **{"measures": "RMSE", **options})


def test_the_interval_of_another_value_is_not_drawn_beside_an_error_of_all_users():
    """Users with few rows have small errors: the mean over users is far below the total error."""
    users = np.repeat(np.arange(60), [40] * 5 + [2] * 55)
    noise = 0.1 * np.random.default_rng(0).random((2, users.size))
    rows = pd.DataFrame({"user": users, "item": np.arange(users.size), "relevance": 3})
    few = rows.assign(score=3 + np.where(users < 5, 3, 0.5) + noise[0])
    many = rows.assign(score=3 + np.where(users < 5, 2, 1.5) + noise[1])
    result = evaluate({"few": few, "many": many}, rows, ["RMSE", "MRR"])
    assert f"textbf{{{result.summary['RMSE'].min():.2f}}}" in result.table().to_latex()
    error, reciprocal = result.plot()
    drawn, bars = (panel.containers[0].lines[2][0].get_segments() for panel in (error, reciprocal))
    assert [np.size(one) for one in (drawn, bars)] == [0, 8]
    found = result.compare("few")
    difference = found.results["difference"].iloc[0]
    assert difference * result.summary["RMSE"].diff().iloc[1] < 0
    told = "these are compared by the values of single users: RMSE; tables show the value of all"
    assert any(note.startswith(told) for note in found.notes())
    assert f"T{told[1:]}" in found.methods()


# Ratings below 0, as in Jester --------------------------------------------------------------

JESTER = pd.DataFrame(
    {"user": [1, 1, 2, 2], "item": ["a", "b", "a", "b"], "relevance": [-9.5, -2.0, 8.0, -10.0]}
)
JOKES = JESTER.rename(columns={"relevance": "score"}).assign(score=[-8.5, -2.0, 8.0, -8.0])


@pytest.mark.parametrize("convention", ["receval", "lenskit", "trec_eval"])
def test_errors_accept_ratings_below_0(convention, tmp_path):
    names, errors = ["RMSE", "MAE", "MSE"], [math.sqrt(5 / 4), 3 / 4, 5 / 4]  # of 1, 0, 0 and 2
    items = pd.DataFrame({"action": [1, 0], "drama": [0, 1]}, index=["a", "b"])
    result = evaluate(JOKES, JESTER, [*names, "ILD", "PC"], convention=convention, items=items)
    assert result.summary.iloc[0].tolist() == [*errors, 1, 1]
    assert result.explain(1, "MAE").table["actual"].tolist() == [-2.0, -9.5]
    parted = evaluate_in_parts(*written(tmp_path, JOKES, JESTER), names, convention=convention)
    assert parted.summary.iloc[0].tolist() == errors


MINE = Measure("mine", per_list=lambda lists, _: lists.grades.sum(axis=1), source="this test")
RANKINGS = ["nDCG@10", "HR@1", "AUC", "bpref", "ERR(max_grade=10)", MINE]


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_rankings_with_ratings_below_0_say_what_they_are_refused_for(ranking):
    rule = r"relevance must be at least 0; got -9.5 in row 0, .*\. 0 is not relevant for "
    advice = "; convention='trec_eval' counts negative grades as 0, .* need a call of their own$"
    name = getattr(ranking, "name", ranking)
    for measures in ([ranking], ["RMSE", ranking, "MAE"]):
        with pytest.raises(InputError, match=rf"{rule}{re.escape(name)}{advice}"):
            evaluate(JOKES, JESTER, measures)
