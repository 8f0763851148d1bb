"""Retrievers made of users' functions."""

import pandas as pd
import pytest

from receval import InputError, evaluate_retrievers, ground_truth
from receval.retrieval import linear_retriever


@pytest.fixture
def cars():
    return pd.DataFrame(
        {"price": [1000, 3000, 2000], "paint": ["red", "red", "blue"]}, index=["a", "b", "c"]
    )


def test_a_linear_retriever_evaluates_like_any_other(cars):
    def nearness(query, case):
        return 1 / (1 + abs(query["price"] - case["price"]))

    retriever = linear_retriever(nearness)
    truth = ground_truth(retriever, cars, cars)
    assert truth["case"].tolist() == ["a", "c", "b", "b", "c", "a", "c", "a", "b"]
    result = evaluate_retrievers({"x": retriever}, cars, cars, truth=truth, measures="hits@2")
    assert result.summary["hits@2"].tolist() == [2]


def test_a_linear_retriever_takes_mappings_too():
    retriever = linear_retriever(lambda query, case: -abs(query - case))
    assert retriever(3, {"a": 1, "b": 4}) == {"a": -2, "b": -1}


def test_a_linear_retriever_needs_the_contents_of_the_cases():
    retriever = linear_retriever(lambda query, case: 1)
    with pytest.raises(InputError, match="case_base must be a frame, a Series or a mapping"):
        retriever(3, ["a", "b"])


def test_a_similarity_that_returns_no_number_is_named(cars):
    retriever = linear_retriever(lambda query, case: "close")
    with pytest.raises(InputError, match="finite numbers as similarities; got 'close' for case 'a"):
        ground_truth(retriever, cars, cars)
