"""The simulated values behind 004/tutorial: recomputes some, and checks the links."""

import pytest
from recorded import tutorial

from receval import datasets
from receval import ledger as published


def test_recorded_values_come_out_again():
    on_record = published.table("004_simulated").astype(float).set_index("seed").loc[99]
    assert tutorial.simulated(99) == pytest.approx(on_record.to_dict(), rel=1e-9)


def test_links_are_drawn_as_the_tutorial_prints():
    train, test = datasets.tutorial_links(7)
    ways = [set(zip(links["user"], links["item"], strict=True)) for links in (train, test)]
    assert [len(way) for way in ways] == [2 * (396 + 1), 2 * 99]
    assert ways[0].isdisjoint(ways[1])
    assert all((v, u) in way and u != v for way in ways for u, v in way)
    assert {(u, v) for u, v in ways[0] if max(u, v) > 99} == {(100, 101), (101, 100)}
    assert not train.equals(datasets.tutorial_links(8)[0])
