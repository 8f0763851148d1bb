"""The lists behind the values, from memory and from a file that gets its tables again."""

import numpy as np
import pandas as pd
import pytest
from scale_data import evaluate_in_parts

import receval
from receval import InputError, evaluate

RECS = pd.DataFrame(
    [(1, 5, 0.9), (1, 6, 0.8), (1, 7, 0.1), (2, 7, 0.7), (9, 5, 0.1)],
    columns=["user", "item", "score"],
)
TRUTH = pd.DataFrame(
    [(1, 6, 3), (1, 9, 5), (2, 7, 5), (3, 1, 2)], columns=["user", "item", "relevance"]
)
FLIPPED = RECS.assign(item=[7, 6, 5, 5, 5])
OTHER = RECS.assign(score=[0.1, 0.5, 0.9, 0.7, 0.1])


@pytest.fixture(scope="module")
def result():
    return evaluate({"A": RECS, "B": OTHER}, TRUTH, ["nDCG@2", "MRR"], relevant_from=4)


def test_a_list_has_original_grades_and_tells_unjudged_from_irrelevant(result):
    lists = result.lists(1, system="A")
    expected = {
        "system": None,
        "user": [1, 1, 1],
        "rank": [1, 2, 3],
        "item": [5, 6, 7],
        "score": [0.9, 0.8, 0.1],
        "grade": [np.nan, 3.0, np.nan],
        "relevant": [False, False, False],
        "judged": [False, True, False],
    }
    del expected["system"]
    pd.testing.assert_frame_equal(lists, pd.DataFrame(expected))
    assert result.lists(2, system="A")["relevant"].tolist() == [True]


def test_all_lists_of_all_systems_are_below_one_another(result):
    lists = result.lists()
    assert lists.columns[0] == "system"
    assert lists.groupby("system")["item"].agg(list).to_dict() == {
        "A": [5, 6, 7, 7],
        "B": [7, 6, 5, 7],
    }
    assert set(lists["user"]) == {1, 2}  # user 9 is not judged, user 3 has no list


def test_a_judged_user_without_a_list_has_no_rows(result):
    assert result.lists(3).empty


def test_lists_of_users_of_very_different_lengths_are_in_the_order_of_the_users():
    lengths = np.r_[1, 700, np.ones(30, int)]
    user = np.repeat(np.arange(lengths.size), lengths)
    recs = pd.DataFrame(
        {"user": user, "item": np.arange(user.size), "score": -np.arange(user.size)}
    )
    truth = pd.DataFrame({"user": np.arange(lengths.size), "item": 0, "relevance": 1})
    lists = evaluate(recs, truth, "MRR").lists()
    assert lists["user"].tolist() == user.tolist()
    assert lists["item"].tolist() == recs["item"].tolist()


def test_a_history_adds_what_the_user_has_seen():
    history = pd.DataFrame({"user": [1], "item": [5]})
    seen = evaluate(RECS, TRUTH, "MRR", history=history).lists(1)["seen"]
    assert seen.tolist() == [True, False, False]
    dropped = evaluate(RECS, TRUTH, "MRR", history=history, seen="drop").lists(1)
    assert dropped["item"].tolist() == [6, 7]


def test_lists_by_rank_have_no_scores():
    ranked = RECS.assign(rank=[2, 1, 3, 1, 1]).drop(columns="score")
    lists = evaluate(ranked, TRUTH, "MRR", rank="rank").lists(1)
    assert lists["item"].tolist() == [6, 5, 7]
    assert "score" not in lists


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"user": 9}, r"^user must be a judged user, such as \[1, 2, 3\]; got 9$"),
        ({"system": "C"}, r"^system must be one of \['A', 'B'\]; got 'C'$"),
    ],
)
def test_lists_reject(result, arguments, message):
    with pytest.raises(InputError, match=message):
        result.lists(**arguments)


# Files --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("lists") / "values.receval"
    result.save(path)
    return path


def test_a_loaded_result_has_lists_if_it_gets_the_tables(result, path):
    loaded = receval.load(path, recommendations={"A": RECS, "B": OTHER}, relevance=TRUTH)
    assert loaded == result
    pd.testing.assert_frame_equal(loaded.lists(), result.lists())
    pd.testing.assert_frame_equal(loaded.lists(1), result.lists(1))
    explained = loaded.explain(1, "nDCG@2", system="A")
    pd.testing.assert_frame_equal(explained.table, result.explain(1, "nDCG@2", system="A").table)


def test_without_tables_a_loaded_result_refuses_lists(path):
    with pytest.raises(InputError, match=r"^lists must have the .* receval\.load\(path, recomm"):
        receval.load(path).lists(1)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"relevance": TRUTH}, r"^recommendations and relevance must be given together"),
        (
            {"recommendations": {"A": FLIPPED, "B": OTHER}, "relevance": TRUTH},
            r"must be the tables that were evaluated; got nDCG@2 of user 2 of system 'A' 0, in",
        ),
        (
            {"recommendations": RECS, "relevance": TRUTH},
            r"^recommendations must be of the systems \['A', 'B'\]",
        ),
        (
            {"recommendations": {"A": RECS, "B": OTHER}, "relevance": TRUTH[:3]},
            r"^relevance must be the tables that were evaluated; got 2 judged users, not 3$",
        ),
    ],
)
def test_load_rejects_other_tables(path, tables, message):
    with pytest.raises(InputError, match=message):
        receval.load(path, **tables)


def test_measures_that_need_more_keep_the_values_of_the_file(tmp_path):
    catalogue = pd.DataFrame(index=[1, 5, 6, 7, 9])
    result = evaluate(RECS, TRUTH, ["MRR", "CC@1"], items=catalogue)
    result.save(tmp_path / "x.receval")
    loaded = receval.load(tmp_path / "x.receval", recommendations=RECS, relevance=TRUTH)
    assert loaded.summary.equals(result.summary)
    assert loaded.lists().equals(result.lists())


def test_part_by_part_one_user_has_a_list_and_all_have_none(tmp_path):
    RECS.to_parquet(tmp_path / "recs.parquet")
    TRUTH.to_parquet(tmp_path / "truth.parquet")
    result = evaluate_in_parts(tmp_path / "recs.parquet", tmp_path / "truth.parquet", "MRR")
    assert result.lists(1)["item"].tolist() == [5, 6, 7]
    with pytest.raises(InputError, match=r"^lists must be for one user, because the tables were"):
        result.lists()


def test_dicts_of_users_with_lists_are_taken_again_after_load(tmp_path):
    # receval itself gave these lists a rank column, so the file has a name for it.
    recs = {"A": {1: ["a", "b"], 2: ["b"]}, "B": {1: ["b", "a"], 2: ["c"]}}
    truth = {1: {"a": 1}, 2: {"c": 1}}
    result = evaluate(recs, truth, "MRR")
    result.save(tmp_path / "x.receval")
    loaded = receval.load(tmp_path / "x.receval", recommendations=recs, relevance=truth)
    pd.testing.assert_frame_equal(loaded.lists(), result.lists())
    assert {"rank", "score"} & set(loaded.lists()) == {"rank"}
