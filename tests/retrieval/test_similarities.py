"""The default similarity of attributes, and retrievers made of users' functions."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, evaluate_retrievers, ground_truth
from receval.retrieval import AttributeSimilarity, linear_retriever


@pytest.fixture
def cars():
    return pd.DataFrame(
        {
            "price": [1000, 3000, 2000],
            "paint": ["red", "red", "blue"],
            "doors": [4, 4, 4],
            "sold": [True, False, True],
        },
        index=["a", "b", "c"],
    )


def test_numbers_count_by_distance_and_other_values_by_equality(cars):
    query = cars.loc["a"].to_dict() | {"price": 1500}
    similarity = AttributeSimilarity.from_cases(cars)
    found = similarity(query, cars)
    # price: 1 - distance / 2000; paint; doors, where all cases have the same; sold
    expected = {
        "a": (0.75 + 1 + 1 + 1) / 4, "b": (0.25 + 1 + 1 + 0) / 4, "c": (0.75 + 0 + 1 + 1) / 4,
    }  # fmt: skip
    assert found == pytest.approx(expected)
    chosen = AttributeSimilarity.from_cases(cars, ["price"])
    assert chosen(query, cars) == {"a": 0.75, "b": 0.25, "c": 0.75}


def test_far_numbers_have_similarity_0_and_not_less(cars):
    similarity = AttributeSimilarity.from_cases(cars, ["price"])
    assert set(similarity({"price": 90000}, cars).values()) == {0}


def test_a_part_of_the_case_base_keeps_its_ranges(cars):
    similarity = AttributeSimilarity.from_cases(cars, ["price"])
    assert similarity({"price": 1500}, cars.loc[["a"]]) == {"a": 0.75}


@pytest.mark.parametrize("column", ["price", "paint"])
def test_missing_values_are_similar_to_nothing(cars, column):
    incomplete = cars.astype({"price": float})
    incomplete.loc["b", column] = np.nan
    similarity = AttributeSimilarity.from_cases(incomplete, [column])
    assert similarity({column: incomplete.loc["a", column]}, incomplete)["b"] == 0
    assert set(similarity({column: np.nan}, incomplete).values()) == {0}
    assert similarity({column: incomplete.loc["a", column]}, incomplete)["a"] == 1


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (["colour"], "attributes must be among price, paint.*got 'colour'"),
        ([], "at least one column"),
        (["price", "price"], "attributes"),
    ],
)
def test_wrong_attributes_are_named(cars, attributes, message):
    with pytest.raises(InputError, match=message):
        AttributeSimilarity.from_cases(cars, attributes)


def test_wrong_values_are_named(cars):
    similarity = AttributeSimilarity.from_cases(cars, ["price"])
    with pytest.raises(InputError, match=r"query\['price'\] must be a number.*'cheap'"):
        similarity({"price": "cheap"}, cars)
    with pytest.raises(InputError, match="query must have the attribute 'price'"):
        similarity({"paint": "red"}, cars)
    infinite = cars.assign(price=[1.0, np.inf, 2.0])
    with pytest.raises(InputError, match="finite"):
        AttributeSimilarity.from_cases(infinite)


def test_a_linear_retriever_evaluates_like_any_other(cars):
    def nearness(query, case):
        return 1 / (1 + abs(query["price"] - case["price"]))

    retriever = linear_retriever(nearness)
    truth = ground_truth(retriever, cars, cars)
    assert truth["case"].tolist() == ["a", "c", "b", "b", "c", "a", "c", "a", "b"]
    similarity = AttributeSimilarity.from_cases(cars, ["price"])
    result = evaluate_retrievers(
        {"linear": retriever, "attributes": similarity}, cars, cars, truth=truth, measures="hits@2"
    )
    assert result.summary["hits@2"].tolist() == [2, 2]


def test_a_linear_retriever_takes_mappings_too():
    retriever = linear_retriever(lambda query, case: -abs(query - case))
    assert retriever(3, {"a": 1, "b": 4}) == {"a": -2, "b": -1}


def test_a_similarity_that_returns_no_number_is_named(cars):
    retriever = linear_retriever(lambda query, case: "close")
    with pytest.raises(InputError, match="must return a number; got 'close' for case 'a'"):
        retriever(cars.loc["a"], cars)
    with pytest.raises(InputError, match="case_base"):
        retriever(cars.loc["a"], ["a"])


@pytest.mark.parametrize(
    ("prices", "price", "message"),
    [
        (["10", "cheap", "20"], 10, r"query\['price'\] must be text, as it is in the case base"),
        ([10, 30, 20], np.inf, r"query\['price'\] must be finite; got inf"),
        ([10, 10, 10], "10", r"query\['price'\] must be a number, as it is in the case base"),
    ],
)
def test_values_that_could_equal_no_case_are_refused(cars, prices, price, message):
    similarity = AttributeSimilarity.from_cases(cars.assign(price=prices))
    query = {**cars.loc["a"].to_dict(), "price": price}
    with pytest.raises(InputError, match=message):
        similarity(query, cars.assign(price=prices))
