"""RESCAL, compared with an implementation that forms dense tensors."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from receval.matchmaking import graph, rescal

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
def test_factors_reconstruct_what_a_dense_implementation_does(rank, penalty, monkeypatch):
    monkeypatch.setattr(graph, "MAX_ITERATIONS", 7)
    monkeypatch.setattr(graph, "FIT_TOLERANCE", 0)  # so it makes all seven iterations
    total = sum(x + x.T for x in SLICES)
    eigenvalues, vectors = np.linalg.eigh(total)
    largest = np.argsort(-np.abs(eigenvalues))[:rank]
    wanted, relations = dense_rescal(SLICES, vectors[:, largest], penalty, 7)
    matrices = [csr_array(x) for x in SLICES]
    entities, found_relations = graph._factorize(matrices, rank, penalty)
    norm = sum((x**2).sum() for x in SLICES)
    error = 0.0
    for x, relation, found in zip(SLICES, relations, found_relations, strict=True):
        reconstructed = entities @ found @ entities.T
        assert_allclose(reconstructed, wanted @ relation @ wanted.T, atol=1e-8)
        error += ((x - reconstructed) ** 2).sum()
    fit = graph._fit(matrices, entities, found_relations, norm)
    assert_allclose(fit, 1 - error / norm, atol=1e-12)


def test_a_tensor_of_low_rank_is_reconstructed(monkeypatch):
    monkeypatch.setattr(graph, "MAX_ITERATIONS", 600)
    monkeypatch.setattr(graph, "FIT_TOLERANCE", 1e-13)
    entities = RANDOM.random((30, 3))
    tensor = [entities @ RANDOM.random((3, 3)) @ entities.T for _ in range(4)]
    found, relations = graph._factorize([csr_array(x) for x in tensor], 3, 0.0)
    for x, relation in zip(tensor, relations, strict=True):
        assert_allclose(found @ relation @ found.T, x, rtol=0.01)


def test_lists_are_those_of_dense_slices():
    table = pd.concat([AWARDS, NEW], ignore_index=True)
    values = [
        (field, value) for field in ("object", "place") for value in table[field].dropna().unique()
    ]
    bidders = sorted(AWARDS["bidder"].unique())
    entities = [*range(len(table)), *bidders, *values]
    slices = np.zeros((3, len(entities), len(entities)))
    for row, bidder in enumerate(AWARDS["bidder"]):
        slices[0, row, entities.index(bidder)] = 1
    for number, field in enumerate(("object", "place"), start=1):
        for row, value in table[field].dropna().items():
            slices[number, row, entities.index((field, value))] = 1
    factors, relations = graph._factorize([csr_array(x) for x in slices], 10, 0.5)
    of_contracts = factors[len(AWARDS) : len(table)]
    of_bidders = factors[len(table) : len(table) + len(bidders)]
    scores = pd.DataFrame(of_contracts @ relations[0] @ of_bidders.T, NEW["contract"])
    found = rescal(AWARDS, NEW, ["object", "place"], rank=10, regularization=0.5, k=6)
    for contract, row in scores.set_axis(bidders, axis=1).drop(106).iterrows():  # 106 has no value
        here = found[found["contract"] == contract]
        best = row.sort_values(ascending=False)[:6]
        assert here["bidder"].tolist() == best.index.tolist()
        assert_allclose(here["score"], best, atol=1e-8)
    assert 106 not in set(found["contract"])


def test_a_contract_with_two_rows_has_one_entity():
    twice = pd.concat([AWARDS, AWARDS[:5]], ignore_index=True)
    once_listed = rescal(AWARDS, NEW, ["object", "place"], rank=6)
    twice_listed = rescal(twice, NEW, ["object", "place"], rank=6)
    pd.testing.assert_frame_equal(once_listed, twice_listed)


@pytest.mark.parametrize("seed", range(4))
def test_bidders_with_equal_scores_are_in_order_of_ids_in_every_order_of_rows(seed):
    awards = pd.DataFrame({"contract": range(12), "bidder": list("abcdef") * 2})
    awards["object"] = list("rrbbxx") * 2
    new = pd.DataFrame({"contract": [100], "object": ["r"]})
    shuffled = awards.sample(frac=1, random_state=seed)
    lists = rescal(shuffled, new, ["object"], rank=3, regularization=0.01)
    assert lists["bidder"].tolist() == list("abcdef")


def test_ids_of_contracts_are_compared_exactly():
    awards = AWARDS.assign(contract=AWARDS["contract"] + 2**60)
    new = pd.DataFrame({"contract": [2**60 + 100], "object": ["road"]})
    expected = rescal(awards, new, ["object"], rank=3)
    found = rescal(awards, new.astype({"contract": "uint64"}), ["object"], rank=3)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_exact=True)


def test_a_contract_that_shares_no_value_with_an_award_has_no_list():
    new = pd.DataFrame({"contract": [100, 101, 102], "object": ["road", "ship", "ship"]})
    lists = rescal(AWARDS, new, ["object"], rank=3)
    assert set(lists["contract"]) == {100}


def test_lists_have_only_bidders_with_an_award():
    lists = rescal(AWARDS[:10], NEW, ["object", "place"], rank=4, k=100)
    by_contract = lists.groupby("contract")["bidder"].agg(sorted)
    assert all(bidders == sorted({*AWARDS["bidder"][:10]}) for bidders in by_contract)
