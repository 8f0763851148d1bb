"""Claims that follow from the figures of documents 000, 001, 003 and 004; errata and variants.

The audits check every figure too. These tests compute figures in another way, or test what the
reasons on record say of them.
"""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

from receval import datasets, metrics
from receval import ledger as published
from receval.ledger.verdicts import as_values
from receval.metrics import retrieval
from receval.metrics.ranking import dcg_terms, ideal_dcg_terms
from receval.people.grid import read_grid

RESULTS = published.table("000_results")
COLUMNS = ["hr10", "mrr10", "cc10", "pc", "ltp10"]
INPUTS = published.load("000")["inputs"]
N, K = INPUTS["n_bidders"], INPUTS["cutoff"]


def as_on_record(id, value=None, **options):
    found = published.check(id, value, **options)
    assert found.as_expected, found


# Document 000 -----------------------------------------------------------------------------------


def test_lists_that_are_the_same_for_a_whole_fold():
    n_folds = INPUTS["n_folds"]
    alike = [list(range(K))] * n_folds
    different = np.arange(K * n_folds).reshape(n_folds, K)
    bounds = [metrics.catalog_coverage(lists, N) for lists in (alike, different)]
    as_on_record("000/constant_cc", bounds * 2)
    # what the bound excludes, and what the reason says of the printed value
    assert [f"{bound:.3f}" for bound in bounds] == ["0.001", "0.003"]
    printing = [n for n in range(1, 100) if f"{n / N:.3f}" == "0.001"]
    assert (printing[0], printing[-1]) == (8, 21)


def test_the_printed_tail_of_random_picks_depends_on_a_number_that_is_not_printed():
    as_on_record("000/random_ltp", 1 - INPUTS["n_short_head"] / N)
    printed = published.figure("000/random_ltp")["printed"]
    printing = [n for n in range(101, N + 1) if f"{1 - 101 / n:.3f}" == printed]
    assert (printing[0], printing[-1]) == (11_883, 13_466)


def test_reciprocal_rank_is_average_precision_with_one_relevant_item():
    lists = np.vstack([np.eye(K), np.zeros(K)])  # all that can happen
    expected = np.array([1 / rank for rank in range(1, K + 1)] + [0])
    for denominator in ("relevant", "reachable", "found"):
        precision = metrics.average_precision(lists, np.ones(K + 1), denominator=denominator)
        same = np.nan_to_num(precision) == metrics.reciprocal_rank(lists)
        as_on_record("000/mrr_is_map", [same.sum(), same.size], holds=same.all())
    assert (metrics.reciprocal_rank(lists) == expected).all()


def reading_by_reading(*readings):
    """Return the verdict on a sentence, from whether it is true in each reading."""
    if any(readings) and not all(readings):
        return "under a variant"
    return all(readings)


def test_auc_is_skewed_in_one_reading_and_not_in_another():
    as_on_record("000/class_imbalance", N - 1, holds=N - 1 > 1)
    no_answer, with_the_winner = (N - 1) / N, (N - (K - 1)) / N
    late = float(metrics.auc([0] * 99 + [1] + [0] * (N - 100)))
    random_order = [float(np.mean(metrics.auc(np.eye(20))))]
    # with one winner, AUC is the share of the others below it
    random_order.append(float(np.mean((N - np.arange(1, N + 1)) / (N - 1))))
    is_near_1 = min(no_answer, late) > 0.99  # of useless answers
    depends_on_non_matches = not np.allclose(random_order, 0.5)
    values = [no_answer, with_the_winner, late, *random_order]
    holds = reading_by_reading(is_near_1, depends_on_non_matches)
    as_on_record("000/skewed_measures", values, holds=holds)
    assert set(metrics.ranking.precision(np.eye(20), k=K)) == {0, 1 / K}


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


def test_the_first_hit_follows_from_a_logarithmic_hit_rate():
    baseline = RESULTS[RESULTS["table"] == "properties-evaluation"].set_index("configuration")
    hr, mrr = baseline.loc["pc:mainObject", ["hr10", "mrr10"]].astype(float)
    ranks = np.arange(1, K + 1)

    def mean_reciprocal_rank(first, last):
        hit_rates = first + (last - first) * np.log(ranks) / np.log(K)
        return (np.diff(hit_rates, prepend=0) / ranks).sum()

    def first_hit(last, mean):
        return brentq(lambda first: mean_reciprocal_rank(first, last) - mean, 0, last)

    half = 0.0005
    ends = [first_hit(hr + half, mrr - half), first_hit(hr - half, mrr + half)]
    as_on_record("000/first_hit", ends)
    assert 0.065 < ends[0] < ends[1] < 0.075  # no other whole percentage is possible
    # without the logarithm: all other hits at rank 10, or all at rank 2
    highest, lowest = (10 * mrr - hr) / 9, 2 * mrr - hr
    assert highest + (hr - highest) / 10 == pytest.approx(mrr)
    assert lowest + (hr - lowest) / 2 == pytest.approx(mrr)
    assert (round(lowest, 3), round(highest, 2)) == (0, 0.11)


def half_a_unit(printed):
    return Fraction(10) ** Decimal(printed).as_tuple().exponent / 2


def at_most(low, high, factor=1):
    """Check whether unrounded values exist with factor * low <= high."""
    return factor * (Fraction(low) - half_a_unit(low)) <= Fraction(high) + half_a_unit(high)


@pytest.mark.parametrize(
    ("low", "high", "factor"),
    [("mrr10", "hr10", 1), ("hr10", "pc", 1), ("hr10", "mrr10", Fraction(1, 10))],
)
def test_inequalities_of_the_printed_rows(low, high, factor):
    rows = RESULTS[RESULTS[high] != ""]
    assert all(at_most(a, b, factor) for a, b in zip(rows[low], rows[high], strict=True))


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


def hits_out_of(n, printed):
    """Check whether each printed share can be a whole number divided by n."""
    return all(published.agrees(round(float(p) * n) / n, p) for p in printed)


def test_unrounded_hit_rates_have_one_denominator():
    printed = published.table("000_rescal_hits")["hr10"].tolist()
    n = INPUTS["n_contracts"]
    # For a denominator d, the nearest share that has it must be the printed one.
    denominators = np.arange(10_000, 2 * n)
    first = float(printed[0])
    distance = np.abs(np.round(first * denominators) / denominators - first)
    one_digit = 10.0 ** -len(printed[0].partition(".")[2])
    candidates = denominators[distance <= one_digit].tolist()
    assert [d for d in candidates if hits_out_of(d, printed)] == [n]


# Errata and variants, both ways: the printed value from the slip or the named variant, the
# corrected or stated one without it. ------------------------------------------------------------

POINTS = datasets.borda_example()
OWN = POINTS.loc["U1"]
TOTALS = metrics.borda_count(POINTS)
GAINS = OWN[["M8", "M4", "M10", "M2"]]
SLIP = GAINS.replace({OWN["M2"]: OWN["M7"]})  # 7, the rating of M7, for 4, that of M2
FORMULA = {"discount": metrics.shifted_log2, "gain": metrics.exponential_gain}


def both(measure, one, other):
    return measure(one), measure(other)


def first_four(points, *rules):
    lists = [POINTS.columns[metrics.rank_items(points, tie_break=rule)][:4] for rule in rules]
    return tuple(names.tolist() for names in lists)


def sums(gains):
    return metrics.dcg(gains, discount=metrics.clipped_log2)


def example_001():
    best = metrics.ideal_dcg(OWN, k=4, discount=metrics.clipped_log2)
    terms = ideal_dcg_terms(OWN, k=4, discount=metrics.clipped_log2)
    return {
        "001/group_ranking": first_four(TOTALS, -np.arange(10), np.arange(10)),
        "001/own_ranking": first_four(OWN, TOTALS, None),
        "001/cg_terms": (SLIP, GAINS),
        "001/cg": both(metrics.cumulative_gain, SLIP, GAINS),
        "001/dcg_terms": both(lambda g: dcg_terms(g, discount=metrics.clipped_log2), SLIP, GAINS),
        "001/dcg": both(sums, SLIP, GAINS),
        "001/ndcg": both(lambda gains: sums(gains) / best, SLIP, GAINS),
        "001/idcg_terms": (terms, ideal_dcg_terms(OWN, k=4, **FORMULA)),
        "001/idcg": (best, metrics.ideal_dcg(OWN, **FORMULA)),
    }


def example_003():
    pair = (datasets.retrieval_example()[name] for name in ("truth", "retrieved"))
    pair = tuple(pair)

    def readings(function, **options):
        ((name, values),) = options.items()
        return tuple(function(*pair, **{name: value}) for value in values)

    pairing = {"pairing": ("position", "case")}
    found = {
        "003/mae": readings(retrieval.mae, **pairing),
        "003/mse": readings(retrieval.mse, **pairing),
        "003/mse_sum": tuple(terms.sum() for terms in readings(retrieval.mse_terms, **pairing)),
        "003/mae_fraction": tuple(
            (terms.sum(), terms.size) for terms in readings(retrieval.mae_terms, **pairing)
        ),
    }
    for k in (None, 2):
        counts = ("matches", "misses")
        weights = retrieval.quality_stromer_weights(k or 3)
        terms = [retrieval.quality_stromer_terms(*pair, k=k, count=count) for count in counts]
        values = [retrieval.quality_stromer(*pair, k=k, count=count) for count in counts]
        suffix = "_k2" if k else ""
        found[f"003/quality_stromer{suffix}"] = values
        found[f"003/stromer_err{suffix}"] = [one / weights for one in terms]
        found[f"003/stromer_fraction{suffix}"] = [(one.sum(), weights.sum()) for one in terms]
    return found


BOTH_WAYS = {**example_001(), **example_003()}
MISPRINTS = {"003/mse_divisor": 3}  # 150 for 3, which no slip of the arithmetic gives


def test_every_erratum_and_variant_is_computed_both_ways():
    marked = {
        f"{document}/{name}"
        for document in ("000", "001", "003", "004")
        for name, entry in published.load(document)["figures"].items()
        if entry.keys() & {"corrected", "variant"}
    }
    assert marked == BOTH_WAYS.keys() | MISPRINTS.keys()


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


@pytest.mark.parametrize("id", MISPRINTS)
def test_misprints_have_the_verdict_on_record(id):
    as_on_record(id, MISPRINTS[id])


def test_sentences_of_document_001():
    best = metrics.dcg(np.sort(OWN)[:-5:-1], discount=metrics.clipped_log2)
    as_printed = best / metrics.ideal_dcg(OWN, **FORMULA)
    by_example = best / metrics.ideal_dcg(OWN, k=4, discount=metrics.clipped_log2)
    values = [as_printed, by_example]
    holds = reading_by_reading(*(math.isclose(value, 1) for value in values))
    as_on_record("001/perfect_list", values, holds=holds)


def test_average_precision_is_an_area_under_steps_and_not_under_straight_lines():
    rng = np.random.default_rng(0)
    hits = (rng.random((300, 10)) < 0.3).astype(int)
    n_relevant = hits.sum(axis=1) + rng.integers(1, 4, 300)
    average_precision = metrics.average_precision(hits, n_relevant)
    n_equal = [0, 0]
    for row, total, value in zip(hits, n_relevant, average_precision, strict=True):
        precision = [sum(row[:k]) / k for k in range(1, 11)]
        steps = sum(p / total for p, hit in zip(precision, row, strict=True) if hit)
        before = [precision[0], *precision]  # the curve starts at recall 0
        lines = sum(
            (p + q) / 2 / total for p, q, hit in zip(precision, before, row, strict=False) if hit
        )
        for i, area in enumerate((steps, lines)):
            n_equal[i] += math.isclose(area, value, abs_tol=1e-12)
    holds = reading_by_reading(*(n == 300 for n in n_equal))
    as_on_record("004/ap_area", n_equal, holds=holds)


def test_the_borda_points_of_document_001_are_not_the_means_of_tied_places():
    by_mean_places = metrics.borda_points(POINTS, ties="mean")
    holds = bool((by_mean_places == POINTS).all(axis=None))
    found = published.check("001/borda_points", by_mean_places.sum(axis=1), holds=holds)
    assert not found.as_expected


def test_the_snippets_of_document_004_are_read_as_printed():
    snippets = published.load("004")["inputs"]["snippets"]
    found = read_grid(snippets).measures
    as_on_record("004/cutoffs", [int(name.partition("@")[2]) for name in found])
    parts = [f"{name}:{text}" for name, text in re.findall(r"^(\w+):((?:\n .*)+)", snippets, re.M)]
    assert [name for part in parts for name in read_grid(part).measures] == found
