"""RESCAL, compared with an implementation that forms dense tensors."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from receval.matchmaking import factorize_tensor, rescal

RANDOM = np.random.default_rng(12)
SLICES = [(RANDOM.random((14, 14)) < share) * RANDOM.random((14, 14)) for share in (0.2, 0.1, 0.3)]
AWARDS = pd.DataFrame(
    {
        "contract": range(40),
        "bidder": RANDOM.choice(list("hgfedcba"), 40),
        "object": RANDOM.choice(["road", "bridge", "food", None], 40),
        "place": RANDOM.integers(0, 5, 40),
    }
)
NEW = pd.DataFrame(
    {
        "contract": range(100, 108),
        "object": ["road", "bridge", "food", "new", None, "road", None, "bridge"],
        "place": [0, 1, 2, 3, 4, 7, None, 1],
    }
)


def dense_rescal(slices, entities, penalty, n_iterations):
    """Nickel et al.'s updates, with Kronecker products and inverses as they are printed."""
    rank = entities.shape[1]

    def relations_for(entities):
        z = np.kron(entities, entities)
        inverse = np.linalg.inv(z.T @ z + penalty * np.eye(rank**2))
        return [(inverse @ z.T @ x.ravel()).reshape(rank, rank) for x in slices]

    relations = relations_for(entities)
    for _ in range(n_iterations):
        pairs = list(zip(slices, relations, strict=True))
        gram = entities.T @ entities
        numerator = sum(x @ entities @ r.T + x.T @ entities @ r for x, r in pairs)
        denominator = sum(r @ gram @ r.T + r.T @ gram @ r for _, r in pairs)
        entities = numerator @ np.linalg.inv(denominator + penalty * np.eye(rank))
        relations = relations_for(entities)
    return entities, relations


@pytest.mark.parametrize("penalty", [0.1, 0.5, 1e-6])
@pytest.mark.parametrize("rank", [1, 4])
def test_factors_reconstruct_what_a_dense_implementation_does(rank, penalty):
    total = sum(x + x.T for x in SLICES)
    eigenvalues, vectors = np.linalg.eigh(total)
    largest = np.argsort(-np.abs(eigenvalues))[:rank]
    wanted, relations = dense_rescal(SLICES, vectors[:, largest], penalty, 7)
    factors = factorize_tensor(
        [csr_array(x) for x in SLICES],
        rank,
        regularization=penalty,
        max_iterations=7,
        tolerance=1e-300,
    )
    error = 0.0
    for x, relation, found in zip(SLICES, relations, factors.relations, strict=True):
        reconstructed = factors.entities @ found @ factors.entities.T
        assert_allclose(reconstructed, wanted @ relation @ wanted.T, atol=1e-8)
        error += ((x - reconstructed) ** 2).sum()
    assert_allclose(factors.fit, 1 - error / sum((x**2).sum() for x in SLICES), atol=1e-12)
    assert not factors.has_converged


def test_a_tensor_of_low_rank_is_reconstructed():
    entities = RANDOM.random((30, 3))
    tensor = [entities @ RANDOM.random((3, 3)) @ entities.T for _ in range(4)]
    factors = factorize_tensor(tensor, 3, tolerance=1e-13, max_iterations=600)
    assert factors.has_converged
    assert factors.fit > 1 - 1e-6


def dense_lists(k, *, rank, penalty):
    """The lists of `rescal` from dense slices."""
    bidders = sorted(AWARDS["bidder"].unique())
    n_contracts = len(AWARDS) + len(NEW)
    features = pd.concat([AWARDS, NEW], ignore_index=True)
    values = [
        (feature, value)
        for feature in ("object", "place")
        for value in features[feature].dropna().unique()
    ]
    n = n_contracts + len(bidders) + len(values)
    award_slice = np.zeros((n, n))
    for row, bidder in enumerate(AWARDS["bidder"]):
        award_slice[row, n_contracts + bidders.index(bidder)] = 1
    slices = [award_slice]
    for feature in ("object", "place"):
        links = np.zeros((n, n))
        for row, value in enumerate(features[feature]):
            if pd.notna(value):
                column = n_contracts + len(bidders) + values.index((feature, value))
                links[row, column] = 1
        slices.append(links)
    eigenvalues, vectors = np.linalg.eigh(sum(x + x.T for x in slices))
    largest = np.argsort(-np.abs(eigenvalues))[:rank]
    entities, relations = dense_rescal(slices, vectors[:, largest], penalty, 6)
    scores = (entities @ relations[0] @ entities.T)[len(AWARDS) : n_contracts]
    scores = scores[:, n_contracts : n_contracts + len(bidders)]
    lists = {}
    for contract, row in zip(NEW["contract"], scores, strict=True):
        order = np.argsort(-row, kind="stable")[:k]
        lists[contract] = [(bidders[position], row[position]) for position in order]
    return lists


def test_lists_are_those_of_dense_slices(monkeypatch):
    wanted = dense_lists(6, rank=10, penalty=0.5)
    six_steps = partial(factorize_tensor, max_iterations=6, tolerance=1e-300)
    monkeypatch.setattr("receval.matchmaking.graph.factorize_tensor", six_steps)
    found = rescal(AWARDS, NEW, ["object", "place"], rank=10, regularization=0.5, k=6)
    del wanted[106]  # no known value, so no list
    assert found["contract"].unique().tolist() == list(wanted)
    for contract, ranked in wanted.items():
        here = found[found["contract"] == contract]
        assert here["bidder"].tolist() == [bidder for bidder, _ in ranked]
        assert_allclose(here["score"], [score for _, score in ranked], atol=1e-8)


def test_a_contract_with_two_rows_has_one_entity():
    twice = pd.concat([AWARDS, AWARDS[:5]], ignore_index=True)
    once_listed = rescal(AWARDS, NEW, ["object", "place"], rank=6)
    twice_listed = rescal(twice, NEW, ["object", "place"], rank=6)
    pd.testing.assert_frame_equal(once_listed, twice_listed)


def test_a_contract_that_shares_no_value_with_an_award_has_no_list():
    new = pd.DataFrame({"contract": [100, 101, 102], "object": ["road", "ship", "ship"]})
    lists = rescal(AWARDS, new, ["object"], rank=3)
    assert set(lists["contract"]) == {100}


def test_lists_have_only_bidders_with_an_award():
    lists = rescal(AWARDS[:10], NEW, ["object", "place"], rank=4, k=100)
    assert set(lists["bidder"]) == set(AWARDS["bidder"][:10])
    assert_array_equal(lists.groupby("contract").size().unique(), [AWARDS["bidder"][:10].nunique()])
