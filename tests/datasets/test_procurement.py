"""The generator's data have the properties that document 000 states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval import ledger as published
from receval.datasets import procurement, procurement_codes, procurement_texts
from receval.datasets.generated import award_counts
from receval.metrics import short_head
from receval.splitting import k_fold, single_winner


@pytest.fixture(scope="module")
def awards():
    return procurement()


def test_the_figures_of_the_document(awards):
    kept, _ = single_winner(awards)
    assert len(kept) == 94_929
    assert kept["bidder"].nunique() == 14_388
    counts = np.bincount(kept["bidder"])
    assert short_head(counts).sum() == 101
    assert round(np.sort(counts)[-10:].sum() / len(kept), 3) == 0.07
    contracts = awards.drop_duplicates("contract")
    several = awards["contract"].value_counts().gt(1).mean()
    assert several == pytest.approx(0.01, abs=1e-5)
    assert contracts["date"].isna().mean() == pytest.approx(0.023, abs=1e-5)


def test_more_bidders_have_one_award_than_two_and_random_picks_print_as_published(awards):
    kept, _ = single_winner(awards)
    counts = np.bincount(kept["bidder"])
    of_size = np.bincount(counts)
    assert of_size[1] > of_size[2] > of_size[3]
    # A random matchmaker can pick all who have a training award.
    n_known = [kept["bidder"].iloc[train].nunique() for train, _ in k_fold(len(kept), 5, rng=0)]
    expected = np.mean([1 - 101 / n for n in n_known])
    assert f"{expected:.3f}" == published.figure("000/random_ltp")["printed"]


def test_a_contract_is_one_whoever_wins_it(awards):
    several = awards[awards["contract"].duplicated(keep=False)]
    assert not several.duplicated(["contract", "bidder"]).any()
    attributes = several.drop(columns="bidder").astype({"date": str})
    assert len(attributes.drop_duplicates()) == several["contract"].nunique()
    assert awards["contract"].is_monotonic_increasing
    assert awards["contract"].nunique() == awards["contract"].max() + 1


def test_the_kind_follows_from_the_main_object(awards):
    assert awards.groupby("main_object", observed=True)["kind"].nunique().max() == 1


@given(st.integers(100, 200_000))
def test_every_size_keeps_the_proportions(n):
    bidders = round(n * 14_388 / 94_929)
    counts = award_counts(n, bidders)
    assert counts.sum() == n
    assert counts.min() >= 1
    assert n < 200 or (counts == 1).sum() > (counts == 2).sum()
    assert short_head(counts).sum() == pytest.approx(101 / 14_388 * bidders, abs=1.5)


def test_the_seed_decides():
    first = procurement(500)
    assert not first.equals(procurement(500, rng=1))
    # Recorded once: the notebooks show numbers from this stream.
    assert first["bidder"].tolist()[:2] == [5, 48]
    assert first["date"].astype(str).tolist()[:2] == ["2015-11-17", "2015-01-20"]


@pytest.mark.parametrize("n", range(100, 140, 3))
def test_small_ones_are_whole(n):
    awards = procurement(n)
    assert not awards.duplicated(["contract", "bidder"]).any()
    assert len(single_winner(awards)[0]) == n


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"n_contracts": n}, "n_contracts must be a whole number from 100 to")
            for n in (99, -1, 1e3, True, "1000", None)
        ),
        *(
            ({"related_share": share}, r"related_share must be a number in \[0, 1\]")
            for share in (-0.1, 1.1, "half", None)
        ),
        ({"rng": "today"}, "rng must be"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InputError, match=f"^{message}"):
        procurement(**options)


def test_every_object_of_the_awards_is_in_the_hierarchy_of_three_levels():
    parent = procurement_codes().set_index("child")["parent"]
    objects = parent[parent.index.str.startswith("object")]
    assert set(procurement(2_000)["main_object"].cat.categories) == set(objects.index)
    assert objects.map(parent).map(parent).isna().all()  # the divisions are at the top
    assert objects.value_counts().unique().tolist() == [15]


def test_related_contracts_are_for_the_group_of_the_usual_object():
    def same_group(awards):
        """The share of pairs of a bidder's contracts that are in one group, not for one object."""
        codes = awards["main_object"].cat.codes.to_numpy()
        pairs = awards.assign(code=codes, group=codes % 100)[["bidder", "code", "group"]]
        pairs = pairs.merge(pairs, on="bidder")
        pairs = pairs[pairs["code_x"] != pairs["code_y"]]
        return (pairs["group_x"] == pairs["group_y"]).mean()

    plain, related = (same_group(procurement(5_000, related_share=share)) for share in (0, 0.8))
    assert plain < 0.05
    assert related > 0.4


def test_texts_share_words_within_an_object_and_a_group():
    awards = procurement(3_000)
    texts = procurement_texts(awards).str.split().map(set)
    assert (texts.map(len) >= 5).all()
    object_words = texts.groupby(awards["main_object"], observed=True)
    n_common = object_words.agg(lambda sets: len(set.intersection(*sets)))
    assert (n_common >= 2).all()  # the kind and the word of the group
    assert (
        texts[awards.duplicated("contract", keep=False)]
        .groupby(awards["contract"])
        .agg(lambda sets: all(words == sets.iloc[0] for words in sets))
        .all()
    )


def test_texts_have_the_index_of_the_awards():
    awards = procurement(200)
    # From the last row to the first, without every other one, and with other labels.
    for rows in (awards, awards.iloc[::-2], awards.set_axis([f"award {i}" for i in awards.index])):
        texts = procurement_texts(rows)
        assert texts.index.equals(rows.index)
    assert texts.tolist() == procurement_texts(awards).tolist()
    assert texts.tolist() != procurement_texts(awards, rng=1).tolist()
