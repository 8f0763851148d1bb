"""Social links: the real ones, RELISON's cleaning rules, small graphs."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from receval import InputError
from receval.datasets import clean_links, social_graph

RULES = [
    "removed: origin without a training link",
    "removed: destination without a training link",
    "removed: from a user to itself",
    "removed: already a training link",
    "removed: the reverse of a training link",
]


def links(*pairs):
    return pd.DataFrame(list(pairs), columns=["user", "item"], dtype="int64")


@pytest.mark.parametrize(
    ("link", "rule"),
    [
        pytest.param((9, 1), 0, id="origin"),
        pytest.param((9, 9), 0, id="the first rule that applies"),
        pytest.param((1, 9), 1, id="destination"),
        pytest.param((2, 2), 2, id="itself"),
        pytest.param((1, 2), 3, id="known"),
        pytest.param((2, 1), 4, id="reverse"),
    ],
)
def test_each_rule_by_hand(link, rule):
    train, test = links((1, 2), (3, 2)), links((1, 3), link)
    before = test.copy()
    kept, report = clean_links(train, test)
    assert kept.values.tolist() == [[1, 3]]
    assert {what for what, rows in report.changes.items() if len(rows)} == {RULES[rule]}
    assert_frame_equal(test, before)


pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


@given(pairs, pairs)
def test_cleaning_by_a_slow_oracle(trained, tested):
    train, test = links(*trained), links(*tested)
    known = {user for pair in trained for user in pair}
    expected = [
        [u, v]
        for u, v in tested
        if u in known and v in known and u != v and (u, v) not in trained and (v, u) not in trained
    ]
    kept, report = clean_links(train, test)
    assert kept.values.tolist() == expected
    assert sum(map(len, report.changes.values())) == len(tested) - len(expected)


@pytest.mark.parametrize(
    ("name", "n", "weights"),
    [("les_miserables", 254, 820), ("karate_club", 78, 231), ("florentine_families", 20, 20)],
)
def test_small_graphs(name, n, weights):
    train, test = social_graph(name, share=0.25)
    assert len(test) == 2 * (n // 4)
    both = pd.concat([train, test])
    assert both["weight"].sum() == 2 * weights
    graph = nx.from_pandas_edgelist(both, "user", "item", "weight")
    assert nx.utils.graphs_equal(
        nx.Graph(graph.edges), nx.Graph(getattr(nx, f"{name}_graph")().edges)
    )
    for part in (train, test):
        back = part.rename(columns={"user": "item", "item": "user"})
        ordered = back.sort_values(["user", "item"], ignore_index=True)
        assert_frame_equal(ordered[part.columns], part)
    assert clean_links(train, test)[1].changes[RULES[4]].size == 0


def test_the_seed_decides():
    assert_frame_equal(social_graph(rng=3)[1], social_graph(rng=np.random.default_rng(3))[1])
    assert not social_graph(rng=3)[1].equals(social_graph(rng=4)[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: social_graph("les_mis"), "name must be one of .*Did you mean 'les_miserables'"),
        (lambda: social_graph(share=1), "share must be a number in"),
        (lambda: social_graph(rng=-1), "rng must be"),
        (lambda: clean_links(links((1, 2)), [1]), "test must be a pandas DataFrame; got list"),
        (
            lambda: clean_links(links((1, 2)), links((1, 2)).rename(columns={"item": "to"})),
            "one column .item.",
        ),
        (
            lambda: clean_links(links((1, 2)), links((1, 2)).astype({"item": str})),
            "ids of train.'user'. and of test.'item'. must be ids of one kind; got int64",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()
