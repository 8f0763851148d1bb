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


@pytest.fixture(scope="module")
def result():
    systems = {"A": RECS, "B": RECS.assign(score=[0.1, 0.5, 0.9, 0.7, 0.1])}
    return evaluate(systems, TRUTH, ["nDCG@2", "MRR"], relevant_from=4)


def test_a_list_has_original_grades_and_tells_unjudged_from_irrelevant(result):
    expected = {
        "user": [1, 1, 1],
        "rank": [1, 2, 3],
        "item": [5, 6, 7],
        "score": [0.9, 0.8, 0.1],
        "grade": [np.nan, 3.0, np.nan],
        "relevant": [False, False, False],
        "judged": [False, True, False],
    }
    pd.testing.assert_frame_equal(result.lists(1, system="A"), pd.DataFrame(expected))
    assert result.lists(2, system="A")["relevant"].tolist() == [True]


def test_all_lists_of_all_systems_are_below_one_another(result):
    lists = result.lists()
    assert lists.columns[0] == "system"
    # User 9 is not judged, user 3 has no list.
    rows = [("A", 1, 5), ("A", 1, 6), ("A", 1, 7), ("A", 2, 7)]
    rows += [("B", 1, 7), ("B", 1, 6), ("B", 1, 5), ("B", 2, 7)]
    assert [*lists[["system", "user", "item"]].itertuples(index=False, name=None)] == rows
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


HISTORY = pd.DataFrame({"user": [1], "item": [5]})
RANKED = RECS.assign(rank=[2, 1, 3, 1, 1]).drop(columns="score")


@pytest.mark.parametrize(
    ("recs", "options", "columns"),
    [
        (RECS, {"history": HISTORY}, {"item": [5, 6, 7], "seen": [True, False, False]}),
        (RECS, {"history": HISTORY, "seen": "drop"}, {"item": [6, 7]}),
        (RANKED, {"rank": "rank"}, {"item": [6, 5, 7]}),
    ],
)
def test_lists_of_seen_items_and_of_ranks(recs, options, columns):
    lists = evaluate(recs, TRUTH, "MRR", **options).lists(1)
    assert lists[[*columns]].to_dict("list") == columns
    assert ("score" in lists) == ("rank" not in options)


@pytest.fixture
def results(result, tmp_path):
    """Return a result of memory, of a file, and of tables that were read in parts."""
    paths = [tmp_path / "recs.parquet", tmp_path / "truth.parquet"]
    for table, path in zip((RECS, TRUTH), paths, strict=True):
        table.to_parquet(path)
    result.save(tmp_path / "values.receval")
    return {
        "memory": result,
        "file": receval.load(tmp_path / "values.receval"),
        "parts": evaluate_in_parts(*paths, "MRR"),
    }


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("memory", {"user": 9}, r"^user must be a judged user, such as \[1, 2, 3\]; got 9$"),
        ("memory", {"system": "C"}, r"^system must be one of \['A', 'B'\]; got 'C'$"),
        ("file", {"user": 1}, r"^evaluation must have its lists in memory; got values only"),
        ("parts", {}, r"^evaluation must have its lists in memory; .* name a user"),
    ],
)
def test_lists_reject(results, name, arguments, message):
    with pytest.raises(InputError, match=message):
        results[name].lists(**arguments)


def test_of_tables_in_parts_the_list_of_one_user_is_read(results):
    assert results["parts"].lists(1)["item"].tolist() == [5, 6, 7]
