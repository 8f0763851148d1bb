"""The data of document 003 and its study, and errors if they are not available."""

import pytest

from receval import datasets

needs_cars = pytest.mark.skipif(
    not datasets.available("cars/cars-1k.csv"),
    reason="cars/cars-1k.csv can be neither found nor fetched; set RECEVAL_DATA to its folder",
)


def test_the_example_of_document_003_is_fresh_each_time():
    first = datasets.retrieval_example()
    assert first.to_dict("list") == {"truth": [0.5, 0.3, 0.2], "retrieved": [0.5, 0.2, 0.3]}
    first.loc["G2", "truth"] = 9
    assert datasets.retrieval_example().loc["G2", "truth"] == 0.5


@needs_cars
def test_cars_are_as_in_the_source():
    cars = datasets.cars()
    assert cars.shape == (999, 11)
    assert cars.index.tolist() == list(range(1, 1000))
    assert cars.notna().all(axis=None)
    assert {column: cars[column].dtype.kind for column in ("price", "year", "miles")} == {
        "price": "i", "year": "i", "miles": "i",
    }  # fmt: skip
    first = cars.loc[1]
    assert (first["price"], first["make"], first["fuel"]) == (22168, "viano", "diesel")
