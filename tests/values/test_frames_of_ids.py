"""Frames with a row for each id: a column named like the id holds the ids."""

import pandas as pd
import pytest

from receval import InputError, evaluate, evaluate_retrievers
from receval.fuzzy import agreement_matrix
from receval.fuzzy.recommend import cosine_similarities

RECS = pd.DataFrame({"user": [1, 1, 2, 2], "item": [0, 1, 1, 3], "score": [0.9, 0.4, 0.8, 0.7]})
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 0], "relevance": 1})
ITEMS = pd.DataFrame(
    {"item": [3, 2, 1, 0], "awards": [9, 1, 1, 1], "f": [1.0, 0.0, 2.0, 1.0], "g": [0, 1, 1, 1]}
)
INDEXED = ITEMS.set_index("item")
NAMES = ["LTP@2", "ILD@2", "CC@2"]


def summary(items, recs=RECS, truth=TRUTH, **names):
    return evaluate(recs, truth, NAMES, items=items, **names).summary


@pytest.mark.parametrize(
    ("label", "of_recs", "of_truth", "names"),
    [
        ("item", "item", "item", {}),
        ("book", "book", "book", {"item": "book"}),
        ("book", "book", "work", {"item": ("book", "work")}),
        ("work", "book", "work", {"item": ("book", "work")}),
        ("item", "book", "work", {"item": ("book", "work")}),
        ("item_id", "item_id", "item_id", {"item": "item_id", "rank": "rank"}),
    ],
)
def test_a_column_named_like_the_item_holds_the_ids(label, of_recs, of_truth, names):
    recs = RECS.rename(columns={"item": of_recs}).assign(rank=[1, 2, 1, 2])
    truth = TRUTH.rename(columns={"item": of_truth})
    items = ITEMS.rename(columns={"item": label})
    assert summary(items, recs, truth, **names).equals(summary(INDEXED))
    assert items.columns[0] == label  # the user's frame stays as it is


@pytest.mark.parametrize(
    "items",
    [
        ITEMS.set_index("item", drop=False),  # not a feature as well
        ITEMS.rename(columns={"item": "product"}).set_index("product").rename_axis("item"),
    ],
    ids=["index and column", "a named index"],
)
def test_an_index_holds_the_ids(items):
    assert summary(items).equals(summary(INDEXED))


@pytest.mark.parametrize(
    ("items", "line"),
    [
        (ITEMS.rename(columns={"item": "item_id"}), r"set_index\('item_id'\)"),
        (ITEMS.rename(columns={"item": "movieId"}), r"set_index\('movieId'\)"),
        (ITEMS.set_axis([0, 2, 1, 3]), r"set_index\('item'\)"),
        (ITEMS[ITEMS["item"] < 3], r"set_index\('item'\)"),
        (ITEMS.set_axis(list("abcd")), r"set_index\('item'\)"),
        (ITEMS.rename_axis("item"), r"items\.reset_index\(drop=True\)\.set_index\('item'\)"),
    ],
)
def test_a_doubtful_catalogue_is_refused_with_the_line_to_write(items, line):
    with pytest.raises(InputError, match=f"items must have its ids in its index.*{line}"):
        summary(items)


def test_a_frame_of_cases_with_a_column_of_ids_is_refused():
    cases = pd.DataFrame({"case": ["a", "b"], "size": [1, 2]})
    indexed, queries = cases.set_index("case"), cases.rename(columns={"case": "query"})
    truth = {"a": {"a": 0, "b": -1}, "b": {"b": 0, "a": -1}}
    with pytest.raises(InputError, match=r"case_base must have its .*set_index\('case'\)"):
        evaluate_retrievers({"x": dict}, indexed, cases, truth=truth)
    with pytest.raises(InputError, match="queries must have its ids in its index"):
        evaluate_retrievers({"x": dict}, queries, indexed, truth=truth)


def test_tables_of_systems_and_features_of_items_with_columns_of_ids():
    offline = pd.DataFrame({"system": [1, 0, 2], "AUC": [0.6, 0.7, 0.8]})
    online = pd.DataFrame({"CTR": [0.3, 0.2, 0.1]}, index=[0, 1, 2])
    assert agreement_matrix(offline, online).to_dict() == {"CTR": {"AUC": pytest.approx(-1 / 3)}}
    features = pd.DataFrame({"item": [7, 8], "sea": [1, 0], "hike": [0, 1]})
    assert cosine_similarities(features).equals(cosine_similarities(features.set_index("item")))
