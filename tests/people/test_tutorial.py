"""The simulated values behind 004/tutorial: recomputes some, and checks the recommenders."""

import numpy as np
import pytest
from recorded import tutorial

from receval import datasets
from receval import ledger as published


@pytest.mark.parametrize("seed", [0, 41, 99])
def test_recorded_values_come_out_again(seed):
    on_record = published.table("004_simulated").astype(float).set_index("seed").loc[seed]
    assert tutorial.simulated(seed) == pytest.approx(on_record.to_dict(), rel=1e-9)


def test_links_are_drawn_as_the_tutorial_prints():
    train, test = datasets.tutorial_links(7)
    ways = [set(zip(links["user"], links["item"], strict=True)) for links in (train, test)]
    assert [len(way) for way in ways] == [2 * (396 + 1), 2 * 99]
    assert ways[0].isdisjoint(ways[1])
    assert all((v, u) in way and u != v for way in ways for u, v in way)
    assert {(u, v) for u, v in ways[0] if max(u, v) > 99} == {(100, 101), (101, 100)}
    assert not train.equals(datasets.tutorial_links(8)[0])


@pytest.fixture
def links():
    upper = np.triu(np.random.default_rng(5).random((12, 12)) < 0.4, 1).astype(float)
    return upper + upper.T


def test_bm25_as_the_program_adds_it_up(links):
    found, degree, n = tutorial.bm25(links), links.sum(axis=1), 12
    for u in range(n):
        for v in range(n):
            terms = [
                1.1 * np.log((n - degree[w] + 0.5) / (degree[w] + 0.5))
                / (0.1 * (1 - 0.1 + 0.1 * degree[v] / degree.mean()) + 1)
                for w in range(n) if links[u, w] and links[w, v]
            ]  # fmt: skip
            assert found[u, v] == pytest.approx(sum(terms))


def test_imf_in_terms_of_factors(links):
    def solved(of):
        return np.array([
            np.linalg.solve(of.T @ ((1 + 40 * row)[:, None] * of) + 15 * np.eye(30),
                            of.T @ (41 * row))
            for row in links
        ])  # fmt: skip

    users = np.sqrt(1 / 30) * np.random.default_rng(1).random((12, 30))
    for _ in range(3):
        items = solved(users)
        users = solved(items)
    found = tutorial.imf(links, np.random.default_rng(1), 30, 15, rounds=3)
    np.testing.assert_allclose(found, users @ items.T, atol=1e-9)
