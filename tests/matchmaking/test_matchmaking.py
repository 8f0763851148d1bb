"""Document 000's matchmakers, and the disjunctors that combine their associations."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from receval import InputError
from receval.matchmaking import case_based, most_awarded, random_bidders
from receval.metrics import connectives as implicators

FAMILIES = ["goedel", "product", "lukasiewicz"]
WEIGHTS = {"object": 0.75, "kind": 0.25, "place": 0.5}
RANDOM = np.random.default_rng(3)
AWARDS = pd.DataFrame(RANDOM.integers(0, 4, (60, 3)), columns=[*WEIGHTS]).assign(
    bidder=RANDOM.integers(0, 25, 60).astype(str)
)
ASKED = pd.DataFrame(RANDOM.integers(0, 5, (90, 3)), columns=[*WEIGHTS]).assign(contract=range(90))


def family(name):
    return tuple(getattr(implicators, f"{name}_{kind}") for kind in ("conjunctor", "disjunctor"))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_disjunctor_is_the_dual_of_its_conjunctor(name):
    conjunctor, disjunctor = family(name)
    a, b = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
    assert_allclose(disjunctor(a, b), 1 - conjunctor(1 - a, 1 - b), atol=1e-15)
    assert disjunctor(a, b).max() <= 1


@pytest.mark.parametrize("name", FAMILIES)
def test_a_degree_outside_the_unit_interval_is_refused(name):
    with pytest.raises(InputError, match=r"^b must be in \[0, 1\]; got .*1\.5"):
        family(name)[1](0.5, [0.5, 1.5])


def test_a_missing_or_new_value_agrees_with_nothing():
    awards = pd.DataFrame({"bidder": ["a", "b"], "object": ["road", None]})
    asked = pd.DataFrame({"contract": [1, 2, 3], "object": ["road", None, "bridge"]})
    found = case_based(awards, asked, {"object": 1.0})
    assert found.to_numpy().tolist() == [[1, "a", 1.0]]


def test_random_bidders_are_different_and_every_list_is_equally_likely():
    awards = pd.DataFrame({"bidder": list("abcdaa")})
    lists = random_bidders(awards, pd.DataFrame({"contract": range(12_000)}), k=2, rng=1)
    pairs = lists.groupby("contract")["bidder"].agg("".join).value_counts()
    assert len(pairs) == 12  # ordered pairs of four, none twice the same
    assert abs(pairs - 1000).max() < 5 * np.sqrt(1000)


def test_no_contract_has_no_list():
    assert case_based(AWARDS, ASKED[:0], WEIGHTS).empty


def test_random_bidders_of_fewer_than_k_are_all():
    lists = random_bidders(AWARDS, ASKED, k=100)
    each = lists.groupby("contract")["bidder"].agg(set)
    assert (each.map(len) == AWARDS["bidder"].nunique()).all()
    assert set(lists["contract"]) == set(ASKED["contract"])


def test_most_awarded_go_by_number_of_awards_then_id():
    found = most_awarded(AWARDS, ASKED.head(2), k=5)
    counts = AWARDS["bidder"].value_counts()
    wanted = sorted(counts.index, key=lambda bidder: (-counts[bidder], bidder))[:5]
    assert_array_equal(found["bidder"], wanted * 2)
    assert_array_equal(found["score"], counts[wanted].to_list() * 2)


def test_categories_of_bidders_are_in_order_of_ids():
    awards = pd.DataFrame({"bidder": pd.Categorical(list("zam"), categories=list("zma"))})
    plain = awards.astype({"bidder": str})
    for matchmaker in (most_awarded, random_bidders):
        found = matchmaker(awards, ASKED.head(2), k=2)
        assert_frame_equal(found, matchmaker(plain, ASKED.head(2), k=2))


@pytest.mark.parametrize("k", [1, 3, 40])
def test_equal_scores_are_listed_in_order_of_ids_up_to_the_last_place(k):
    awards = pd.DataFrame({"bidder": list("dacbe"), "object": ["road"] * 4 + ["bridge"]})
    found = case_based(
        awards, pd.DataFrame({"contract": [1], "object": "road"}), {"object": 1}, k=k
    )
    assert found["bidder"].tolist() == list("abcd")[:k]
