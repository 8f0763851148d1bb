"""Claims that follow from the figures of documents 000, 001, 003 and 004; errata and variants.

The audits check every figure too. These tests compute figures in another way, or test what the
reasons on record say of them.
"""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from receval import datasets, metrics
from receval import ledger as published
from receval.ledger import printed_interval
from receval.ledger.verdicts import as_values
from receval.metrics import retrieval
from receval.metrics.ranking import dcg_terms, ideal_dcg_terms

RESULTS = published.table("000_results")
COLUMNS = ["hr10", "mrr10", "cc10", "pc", "ltp10"]


# Document 000 -----------------------------------------------------------------------------------


def test_the_reasons_name_the_cells_with_a_trailing_zero_and_with_a_wrong_bold():
    cells = RESULTS[COLUMNS].melt()["value"]
    assert cells[cells.str.fullmatch(r"\d\.\d*0")].tolist() == ["0.80"]
    assert "0.80" in published.figure("000/decimals")["reason"]
    coverage = pd.to_numeric(RESULTS["cc10"])
    is_best = coverage == coverage.groupby([RESULTS["approach"], RESULTS["table"]]).transform("max")
    is_wrong = RESULTS["bold"].str.split().map({"cc10"}.issubset) & ~is_best
    assert RESULTS.loc[is_wrong, ["table", "configuration"]].to_numpy().tolist() == [
        ["query-expansion", "0 1 0.1"]
    ]


@pytest.mark.parametrize(
    ("low", "high", "factor"),
    [("mrr10", "hr10", 1), ("hr10", "pc", 1), ("hr10", "mrr10", Fraction(1, 10))],
)
def test_unrounded_values_with_the_inequalities_of_measures_exist(low, high, factor):
    for _, row in RESULTS[RESULTS[high] != ""].iterrows():
        lowest = printed_interval(row[low], decimals=3).low
        highest = printed_interval(row[high], decimals=3).high
        assert factor * lowest <= highest


def test_the_rows_that_the_toml_repeats_are_those_of_the_table():
    def cell(table, row, column="hr10"):
        found = RESULTS[(RESULTS["table"] == table) & (RESULTS["configuration"] == row)]
        return found[column].item()

    for figure, *where in [
        ("random_hr", "blind-matchmakers", "Random"),
        ("random_mrr", "blind-matchmakers", "Random", "mrr10"),
        ("random_cc", "blind-matchmakers", "Random", "cc10"),
        ("random_ltp", "blind-matchmakers", "Random", "ltp10"),
        ("top_ltp", "blind-matchmakers", "Top winning bidders", "ltp10"),
        ("rescal_price", "discretization-actual-price", "pc:actualPrice"),
        ("rescal_object", "initialization-methods", "Eigenvalues"),
    ]:
        assert published.figure(f"000/{figure}")["printed"] == cell(*where)
    blind = RESULTS[RESULTS["table"] == "blind-matchmakers"]
    assert published.figure("000/constant_cc")["printed"] == blind["cc10"].tolist()[1:]
    features = RESULTS[RESULTS["table"] == "individual-features"]
    assert published.figure("000/rescal_features")["printed"] == features["hr10"].tolist()


def test_unrounded_hit_rates_are_shares_of_the_number_of_contracts():
    n = published.load("000")["inputs"]["n_contracts"]
    for printed in published.table("000_rescal_hits")["hr10"]:
        assert published.agrees(round(float(printed) * n) / n, printed)


# Errata and variants, both ways: the printed value from the slip or the named variant, the
# corrected or stated one without it. ------------------------------------------------------------

POINTS = datasets.borda_example()
OWN = POINTS.loc["U1"]
TOTALS = metrics.borda_count(POINTS)
GAINS = OWN[["M8", "M4", "M10", "M2"]]
SLIP = GAINS.replace({OWN["M2"]: OWN["M7"]})  # 7, the rating of M7, for 4, that of M2
FORMULA = {"discount": metrics.shifted_log2, "gain": metrics.exponential_gain}


def first_four(points, *rules):
    """Return the first four films by points, with each rule for ties."""
    return [
        POINTS.columns[metrics.rank_items(points, tie_break=rule)][:4].tolist() for rule in rules
    ]


def example_001():
    best = metrics.ideal_dcg(OWN, k=4, discount=metrics.clipped_log2)
    terms = ideal_dcg_terms(OWN, k=4, discount=metrics.clipped_log2)
    of_both_gains = {
        "001/cg_terms": lambda gains: gains,
        "001/cg": metrics.cumulative_gain,
        "001/dcg_terms": lambda gains: dcg_terms(gains, discount=metrics.clipped_log2),
        "001/dcg": lambda gains: metrics.dcg(gains, discount=metrics.clipped_log2),
        "001/ndcg": lambda gains: metrics.dcg(gains, discount=metrics.clipped_log2) / best,
    }
    return {
        "001/group_ranking": first_four(TOTALS, -np.arange(10), np.arange(10)),
        "001/own_ranking": first_four(OWN, TOTALS, None),
        "001/idcg_terms": (terms, ideal_dcg_terms(OWN, k=4, **FORMULA)),
        "001/idcg": (best, metrics.ideal_dcg(OWN, **FORMULA)),
        **{id: (measure(SLIP), measure(GAINS)) for id, measure in of_both_gains.items()},
    }


def example_003():
    example = datasets.retrieval_example()
    pair = example["truth"], example["retrieved"]

    def by_pairing(function):
        return [function(*pair, pairing=pairing) for pairing in ("position", "case")]

    values = {
        "003/mae": by_pairing(retrieval.mae),
        "003/mse": by_pairing(retrieval.mse),
        "003/mse_sum": [terms.sum() for terms in by_pairing(retrieval.mse_terms)],
        "003/mae_fraction": [
            (terms.sum(), terms.size) for terms in by_pairing(retrieval.mae_terms)
        ],
    }
    for suffix, k in (("", None), ("_k2", 2)):
        by_count = [{"k": k, "count": count} for count in ("matches", "misses")]
        weights = retrieval.quality_stromer_weights(k or 3)
        terms = [retrieval.quality_stromer_terms(*pair, **options) for options in by_count]
        values |= {
            f"003/quality_stromer{suffix}": [
                retrieval.quality_stromer(*pair, **options) for options in by_count
            ],
            f"003/stromer_err{suffix}": [each / weights for each in terms],
            f"003/stromer_fraction{suffix}": [(each.sum(), weights.sum()) for each in terms],
        }
    return values


BOTH_WAYS = {**example_001(), **example_003()}
MISPRINTS = {"003/mse_divisor"}  # 150 for 3, which no slip of the arithmetic gives


def test_every_erratum_and_variant_is_computed_both_ways():
    marked = {
        f"{document}/{name}"
        for document in ("000", "001", "003", "004")
        for name, entry in published.load(document)["figures"].items()
        if entry.keys() & {"corrected", "variant"}
    }
    assert marked == BOTH_WAYS.keys() | MISPRINTS


@pytest.mark.parametrize("id", BOTH_WAYS)
def test_figures_agree_as_printed_and_as_stated(id):
    (as_printed, other), entry = BOTH_WAYS[id], published.figure(id)
    found = published.check(id, as_printed, variant=entry.get("variant"))
    assert found.verdict == ("reproduced" if "corrected" in entry else "under a variant")
    if "corrected" in entry:
        assert published.check(id, other).verdict == "erratum"
    if "stated" in entry:
        given, stated = (as_values(v, "printed") for v in (other, entry["stated"]))
        assert all(map(published.agrees, given, stated))
    if other is not None:
        assert published.check(id, other).verdict != "reproduced"
