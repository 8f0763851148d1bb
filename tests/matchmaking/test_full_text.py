"""Matchmaking by full text, compared with BM25 written out."""

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval.matchmaking import full_text

WORDS = ["road", "bridge", "office", "food", "repair", "supply", "school", "water"]
RANDOM = np.random.default_rng(2)
TEXTS = [" ".join(RANDOM.choice(WORDS, RANDOM.integers(1, 7))) for _ in range(45)]
AWARDS = pd.DataFrame({"bidder": RANDOM.integers(0, 9, 30), "description": TEXTS[:30]})
NEW = pd.DataFrame({"contract": range(15), "description": TEXTS[30:]})


def bm25(query, k1=1.5, b=0.75):
    """The score of every document for a query, by Lucene's formula."""
    documents = [text.split() for text in AWARDS["description"]]
    mean_length = np.mean([len(words) for words in documents])
    scores = np.zeros(len(documents))
    for word in query.split():
        n_with_word = sum(word in words for words in documents)
        idf = np.log(1 + (len(documents) - n_with_word + 0.5) / (n_with_word + 0.5))
        for row, words in enumerate(documents):
            n_times = Counter(words)[word]
            length = 1 - b + b * len(words) / mean_length
            scores[row] += idf * n_times / (n_times + k1 * length)
    return scores


@pytest.mark.parametrize("aggregate", ["max", "sum"])
def test_scores_are_those_of_the_formula(aggregate):
    found = full_text(AWARDS, NEW, aggregate=aggregate, k=9)
    for contract, query in zip(NEW["contract"], NEW["description"], strict=True):
        by_bidder = pd.Series(bm25(query)).groupby(AWARDS["bidder"]).agg(aggregate)
        here = found[found["contract"] == contract].set_index("bidder")["score"]
        assert_allclose(here, by_bidder[here.index], rtol=1e-5)
        assert_allclose(here, by_bidder[by_bidder > 0].nlargest(9), rtol=1e-5)


def test_texts_of_equal_scores_are_in_order_of_bidders():
    words = np.random.default_rng(120).choice(["a road", "a road and a bridge"], 120)
    bidders = [f"b{number:03}" for number in range(120)]
    awards = pd.DataFrame({"bidder": bidders, "description": words})
    lists = full_text(awards, pd.DataFrame({"contract": [1], "description": ["road"]}), k=100)
    in_order = lists.sort_values(["score", "bidder"], ascending=[False, True])
    assert len(lists) == 100
    assert lists["bidder"].tolist() == in_order["bidder"].tolist()


def test_a_contract_without_a_common_word_has_no_list():
    new = pd.DataFrame({"contract": [1, 2, 3], "description": ["submarine", None, "road"]})
    assert set(full_text(AWARDS, new)["contract"]) == {3}


def test_texts_of_stop_words_alone_give_no_lists():
    awards = pd.DataFrame({"bidder": ["a"], "description": ["the of"]})
    assert full_text(awards, NEW).empty


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(ImportError, match=r'full_text needs bm25s: pip install "receval\[text\]"'):
        full_text(AWARDS, NEW)
