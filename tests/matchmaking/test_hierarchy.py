"""Expansion of values along a hierarchy, and ageing of `case_based`."""

from functools import reduce

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from receval.matchmaking import case_based
from receval.metrics import connectives

# A tree of three levels: divisions A and B, groups A1, A2, B1, and classes below them.
CODES = pd.DataFrame(
    {
        "child": ["A", "B", "A1", "A2", "B1", "A1x", "A1y", "A2x", "B1x"],
        "parent": [None, None, "A", "A", "B", "A1", "A1", "A2", "B1"],
    }
)
PARENT = {"A1": "A", "A2": "A", "B1": "B", "A1x": "A1", "A1y": "A1", "A2x": "A2", "B1x": "B1"}
RANDOM = np.random.default_rng(8)
VALUES = [*CODES["child"], None, "not in the tree"]
AWARDS = pd.DataFrame(
    {
        "object": RANDOM.choice(VALUES, 50),
        "place": RANDOM.integers(0, 3, 50),
        "bidder": [*range(12), *RANDOM.integers(0, 12, 38)],
        "date": RANDOM.integers(0, 300, 50).astype(float),
    }
)
AWARDS.loc[[3, 40], "date"] = np.nan
CONTRACTS = pd.DataFrame(
    {
        "contract": range(18),
        "object": RANDOM.choice(VALUES, 18),
        "place": RANDOM.integers(0, 4, 18),
    }
)
WEIGHTS = {"object": 0.7, "place": 0.5}


def family(name):
    return tuple(getattr(connectives, f"{name}_{kind}") for kind in ("conjunctor", "disjunctor"))


def ancestors(value, n_hops):
    """The ancestor exactly n hops above, or None."""
    for _ in range(n_hops):
        value = PARENT.get(value)
    return value


def hops_between(value, other, hops):
    """The fewest allowed hops from one value to another in the tree, or None."""
    up, down, sideways = hops
    if value not in set(CODES["child"]):
        return None
    for hop in range(1, max(hops) + 1):
        above = ancestors(value, hop)
        if hop <= up and above == other:
            return hop
        if hop <= down and ancestors(other, hop) == value:
            return hop
        if hop <= sideways and above is not None and above == ancestors(other, hop):
            return hop
    return None


def naive_scores(hops, weight_of_hop, conjunctor, disjunctor, *, rate=0.0):
    """The scores of `case_based` by loops over all contracts, bidders and awards."""
    dates = AWARDS["date"].fillna(sorted(AWARDS["date"].dropna())[23])  # the earlier of 48
    scores = {}
    for contract in CONTRACTS.itertuples():
        for bidder, won in AWARDS.groupby("bidder"):
            degrees = []
            for field, weight in WEIGHTS.items():
                value = getattr(contract, field)
                for row, award_value in won[field].items():
                    if value is None or award_value is None:
                        continue
                    degree = conjunctor(weight, weight)
                    if value != award_value:
                        hop = hops_between(value, award_value, hops) if field == "object" else None
                        if hop is None:
                            continue
                        degree = conjunctor(degree, weight_of_hop(hop, award_value))
                    degree = conjunctor(degree, np.exp(-rate * (dates.max() - dates[row])))
                    degrees.append(degree)
            scores[contract.contract, bidder] = float(reduce(disjunctor, degrees, 0.0))
    return {pair: score for pair, score in scores.items() if score}


def compare(found, wanted):
    scores = found.set_index(["contract", "bidder"])["score"]
    assert scores.to_dict() == pytest.approx(wanted, abs=1e-11)
    # Rounding errors may exchange bidders of equal scores.
    assert (scores.groupby("contract").diff().dropna() < 1e-11).all()


@pytest.mark.parametrize(
    ("name", "rate", "hops"),
    [
        ("goedel", 0.0, (0, 0, 0)),
        ("product", 0.005, (0, 1, 0)),
        ("lukasiewicz", 0.005, (2, 2, 0)),
        ("product", 0.0, (0, 0, 2)),
        ("goedel", 0.005, (1, 2, 1)),
        ("lukasiewicz", 0.0, (1, 2, 1)),
    ],
)
def test_expansion_and_ageing_give_the_scores_of_a_loop(name, rate, hops):
    conjunctor, disjunctor = family(name)
    found = case_based(
        AWARDS,
        CONTRACTS,
        WEIGHTS,
        hierarchy={"object": CODES},
        hops=hops,
        weight=0.9,
        ageing=rate or None,
        conjunctor=conjunctor,
        disjunctor=disjunctor,
        k=12,
    )
    wanted = naive_scores(hops, lambda hop, _: 0.9, conjunctor, disjunctor, rate=rate)
    compare(found, wanted)


def test_inverse_document_frequency_gives_the_scores_of_a_loop():
    counts = AWARDS["object"].value_counts()
    idf = {v: np.log(len(AWARDS) / (1 + counts.get(v, 0))) for v in CODES["child"]}
    greatest = max(idf.values())
    found = case_based(
        AWARDS, CONTRACTS, WEIGHTS, hierarchy={"object": CODES}, hops=(2, 1, 0), weight="idf", k=12
    )
    wanted = naive_scores((2, 1, 0), lambda _, v: idf[v] / greatest, *family("product"))
    compare(found, wanted)


DATES = pd.Series(pd.to_datetime(["2020-01-01", "2020-08-08"]))


@pytest.mark.parametrize(
    "dates",
    [
        pytest.param(DATES, id="NumPy"),
        pytest.param(DATES.dt.tz_localize("UTC"), id="time zone"),
        pytest.param(DATES.astype(pd.ArrowDtype(pa.timestamp("us"))), id="Arrow"),
        pytest.param(pd.Series([-120, 100], dtype="int8"), id="days in int8"),
    ],
)
def test_the_age_of_dates_is_counted_in_days(dates):
    awards = pd.DataFrame({"bidder": ["a", "b"], "object": ["road", "road"], "date": dates})
    asked = pd.DataFrame({"contract": [1], "object": ["road"]})
    found = case_based(awards, asked, {"object": 1.0}, ageing=0.1)
    assert found["bidder"].tolist() == ["b", "a"]
    assert_allclose(found["score"], [1, np.exp(-22)])


def test_a_value_with_two_ways_counts_once():
    table = pd.DataFrame({"child": ["c", "c", "m"], "parent": ["top", "m", "top"]})
    awards = pd.DataFrame({"bidder": ["a"], "object": ["top"]})
    asked = pd.DataFrame({"contract": [1], "object": ["c"]})
    options = {"hierarchy": {"object": table}, "hops": (2, 0, 0), "weight": 0.5}
    assert case_based(awards, asked, {"object": 1.0}, **options)["score"].tolist() == [0.5]


def test_a_value_that_all_awards_have_weighs_nothing():
    table = pd.DataFrame({"child": ["c"], "parent": ["top"]})
    awards = pd.DataFrame({"bidder": ["a", "b"], "object": "top"})
    asked = pd.DataFrame({"contract": [1], "object": ["c"]})
    options = {"hierarchy": {"object": table}, "hops": (1, 0, 0), "weight": "idf"}
    assert case_based(awards, asked, {"object": 1.0}, **options).empty
