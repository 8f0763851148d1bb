"""Page rank of bidders, compared with networkx."""

import networkx
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval.matchmaking import page_rank

RANDOM = np.random.default_rng(4)
AWARDS = pd.DataFrame(
    {
        "contract": RANDOM.integers(0, 50, 70),
        "bidder": RANDOM.choice(list("abcdefghij"), 70),
        "authority": RANDOM.choice(["x", "y", "z", None], 70),
        "kind": RANDOM.integers(0, 3, 70),
    }
)
NEW = pd.DataFrame({"contract": [100, 101]})


def network(features):
    graph = networkx.Graph()
    for award in AWARDS.to_dict("records"):
        graph.add_edge(("contract", award["contract"]), ("bidder", award["bidder"]))
        for feature in features:
            if pd.notna(award[feature]):
                graph.add_edge(("contract", award["contract"]), (feature, award[feature]))
    return graph


@pytest.mark.parametrize("features", [[], ["authority"], ["authority", "kind"]])
def test_page_rank_is_that_of_networkx(features):
    graph = network(features)
    oracle = networkx.pagerank(graph, alpha=0.85, tol=1e-13, max_iter=10_000)
    for _, found in page_rank(AWARDS, NEW, features=features, k=20).groupby("contract"):
        expected = [oracle["bidder", bidder] * len(graph) for bidder in found["bidder"]]
        assert_allclose(found["score"], expected, rtol=1e-8)
        assert found["score"].is_monotonic_decreasing


def test_bidders_in_the_same_position_are_in_order_of_ids():
    awards = pd.DataFrame({"contract": range(6), "bidder": list("cabfed")})
    lists = page_rank(awards, NEW[:1], k=5)
    assert lists["bidder"].tolist() == list("abcde")
    assert lists["score"].max() == lists["score"].min()
