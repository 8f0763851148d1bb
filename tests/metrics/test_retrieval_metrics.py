"""Retrieval metrics: printed values, cases by hand, slow oracles from the formulas, refusals."""

import math
from fractions import Fraction
from itertools import combinations, zip_longest

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from numpy.testing import assert_allclose
from retrieval_strategies import CUTOFFS, METRICS, READINGS, rankings

from receval import InputError, datasets
from receval import ledger as published
from receval.metrics import retrieval
from receval.metrics.case_ranking import as_ranking
from receval.metrics.retrieval import pair_counts

DOCUMENT = published.load("003")
EXAMPLE = datasets.retrieval_example()
TRUTH, RETRIEVED = EXAMPLE["truth"], EXAMPLE["retrieved"]
FINITE = "retrieved must have finite numbers as similarities"
NO_ID = "retrieved must have an id for every case; got none at place"
FULL = {"a": 0.9, "b": 0.7, "c": 0.4, "d": 0.1}


def metric(name):
    return getattr(retrieval, name)


# Printed values -------------------------------------------------------------------------------


def text_figures():
    """Return every figure that the text prints in addition to the table, by name."""
    counts = pair_counts(TRUTH, RETRIEVED)
    moved = retrieval.distance_terms(TRUTH, RETRIEVED)
    missing = retrieval.quality_mueller_terms(TRUTH, RETRIEVED)
    mueller_2 = retrieval.quality_mueller(TRUTH, RETRIEVED, k=2)
    squares = retrieval.mse_terms(TRUTH, RETRIEVED)
    decided = counts.concordant + counts.discordant
    difference = counts.concordant - counts.discordant
    figures = {
        "mae_fraction": [retrieval.mae_terms(TRUTH, RETRIEVED).sum(), moved.size],
        "mse_sum": squares.sum(),
        "mse_divisor": squares.size,
        "mueller_missing": [missing.size, missing.sum()],
        "mueller_missing_k2": retrieval.quality_mueller_terms(TRUTH, RETRIEVED, k=2).sum(),
        "mueller_fraction_k2": Fraction(mueller_2).limit_denominator(100).as_integer_ratio(),
        "pair_counts": [counts.concordant, counts.discordant, counts.pairs],
        "correctness_fraction": [difference, decided],
        "kendall_fraction": [difference, math.comb(moved.size, 2)],
        "distance_terms": sorted(moved, reverse=True),
        "distance_fraction": [moved.sum(), moved.size],
        "distance_text": moved.mean(),
        "kendall_text": retrieval.kendall(TRUTH, RETRIEVED),
    }
    for suffix, k in (("", None), ("_k2", 2)):
        weights = retrieval.quality_stromer_weights(k or 3)
        terms = retrieval.quality_stromer_terms(TRUTH, RETRIEVED, k=k)
        figures |= {
            f"stromer_weights{suffix}": weights,
            f"stromer_err{suffix}": terms / weights,
            f"stromer_fraction{suffix}": [terms.sum(), weights.sum()],
        }
    at_2 = ["hits", "hits_normalized", "quality_stromer", "quality_mueller"]
    figures |= {name: metric(name)(TRUTH, RETRIEVED) for name in METRICS}
    figures |= {f"{name}_k2": metric(name)(TRUTH, RETRIEVED, k=2) for name in at_2}
    return figures


@pytest.mark.parametrize("name", text_figures())
def test_figures_that_the_text_prints(name):
    """The audit of document 003 checks its sentences."""
    variant = published.figure(f"003/{name}").get("variant")
    found = published.check(f"003/{name}", text_figures()[name], variant=variant)
    assert found.as_expected, found


# Cases by hand --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "truth", "retrieved", "options", "expected"),
    [
        # The other reading of the example of document 003
        ("mae", TRUTH, RETRIEVED, {"pairing": "case"}, 0.2 / 3),  # E3-1
        ("mse", TRUTH, RETRIEVED, {"pairing": "case"}, 0.02 / 3),
        ("quality_stromer", TRUTH, RETRIEVED, {"count": "misses"}, 5 / 9),  # E3-3
        ("quality_stromer", TRUTH, RETRIEVED, {"count": "misses", "k": 2}, 2 / 5),
        ("kendall", TRUTH, RETRIEVED, {"variant": "b"}, 1 / 3),  # E3-10: no ties, so b is a
        ("completeness", TRUTH, RETRIEVED, {"pairs": "untied_truth"}, 1),  # E3-8: no ties
        ("hits_normalized", TRUTH, RETRIEVED, {"denominator": "length"}, 1),  # E3-13
        # A retriever that answers two of four cases, one of them wrongly placed.
        ("hits", FULL, {"a": 1, "c": 0.5}, {}, 2),
        ("hits", FULL, {"a": 1, "c": 0.5}, {"k": 2}, 1),
        ("hits_normalized", FULL, {"a": 1, "c": 0.5}, {}, 1),
        ("hits_normalized", FULL, {"a": 1, "c": 0.5}, {"k": 4}, 1 / 2),
        ("hits_normalized", FULL, {"a": 1, "c": 0.5}, {"k": 4, "denominator": "length"}, 1),
        ("mae", FULL, {"a": 1, "c": 0.5}, {}, (0.1 + 0.2) / 2),
        ("mae", FULL, {"a": 1, "c": 0.5}, {"pairing": "case"}, (0.1 + 0.1) / 2),
        ("mse", FULL, {"a": 1, "c": 0.5}, {}, (0.01 + 0.04) / 2),
        ("quality_stromer", FULL, {"a": 1, "c": 0.5}, {}, 5 / 14),
        ("quality_stromer", FULL, {"a": 1, "c": 0.5}, {"count": "misses"}, 9 / 14),
        ("quality_mueller", FULL, {"a": 1, "c": 0.5}, {}, 1 - 0.7 / 2),
        ("quality_mueller", FULL, {"a": 1, "c": 0.5}, {"k": 3}, 1 - 0.7 / 2),
        ("quality_mueller", FULL, {"d": 1, "c": 0.5}, {}, 1 - (0.9 + 0.7) / 2),
        ("distance", FULL, {"a": 1, "c": 0.5}, {}, (0 + 1) / 2),
        ("kendall", FULL, {"a": 1, "c": 0.5}, {}, 1),
        ("spearman", FULL, {"c": 1, "a": 0.5}, {}, -1),
        # k above the number of cases
        ("quality_stromer", FULL, FULL, {"k": 6}, 1),
        ("quality_stromer", FULL, FULL, {"k": 10**12}, 1),  # no memory for each place
        ("quality_stromer", {"a": 1}, {"b": 1}, {"k": 2}, 0),
        ("quality_stromer", {"a": 1}, {"b": 1}, {"k": 2, "count": "misses"}, 1),
        ("hits_normalized", FULL, FULL, {"k": 8}, 1 / 2),
        ("quality_mueller", FULL, {"a": 1, "b": 1, "d": 1, "e": 1}, {"k": 9}, 1 - 0.4 / 4),
        # Nothing in common
        ("hits", FULL, {"e": 1, "f": 0.5}, {}, 0),
        ("quality_stromer", FULL, {"e": 1}, {}, 0),
        ("mae", FULL, {"e": 1}, {}, 0.1),
        ("mae", FULL, {"e": 1}, {"pairing": "case"}, math.nan),
        ("distance", FULL, {"e": 1}, {}, math.nan),
        ("kendall", FULL, {"e": 1}, {}, math.nan),
        ("spearman", FULL, {"e": 1}, {}, math.nan),
        # One case in common: no pair
        ("correctness", FULL, {"a": 1, "e": 0.5}, {}, math.nan),
        ("completeness", FULL, {"a": 1, "e": 0.5}, {}, math.nan),
        ("distance", FULL, {"e": 1, "a": 0.5}, {}, 1),
        ("spearman", FULL, {"a": 1, "e": 0.5}, {}, math.nan),
        # Ties: in the retrieved ranking a = b, in the truth c = d
        *[
            (name, {"a": 0.9, "b": 0.7, "c": 0.4, "d": 0.4}, {"a": 1, "b": 1, "d": 0.3, "c": 0.2},
             options, expected)
            for name, options, expected in (
                ("correctness", {}, 1),
                ("completeness", {}, 4 / 6),
                ("completeness", {"pairs": "untied_truth"}, 4 / 5),
                ("kendall", {}, 4 / 6),
                ("kendall", {"variant": "b"}, 4 / 5),
                ("distance", {}, 2 / 4),
            )
        ],
        # Everything tied
        ("correctness", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {}, math.nan),
        ("completeness", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {}, 0),
        ("completeness", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"pairs": "untied_truth"}, math.nan),
        ("kendall", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {}, 0),
        ("kendall", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"variant": "b"}, math.nan),
        ("spearman", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {}, math.nan),
        # Equal similarities keep the given order, which decides places and cuts
        ("hits", {"a": 1, "b": 1}, {"b": 1, "a": 1}, {"k": 1}, 0),
        ("hits", {"b": 1, "a": 1}, {"b": 1, "a": 1}, {"k": 1}, 1),
        ("distance", {"a": 1, "b": 1}, {"b": 1, "a": 1}, {}, 1),
        # Similarities are compared as float64
        ("kendall", {"a": 0.5 + 1e-9, "b": 0.5, "c": 0.1}, {"a": 3, "b": 2, "c": 1}, {}, 1),
        # Terms
        ("quality_stromer_terms", FULL, {"a": 1, "c": 0.5}, {}, [5, 0, 0, 0]),
        ("quality_stromer_terms", FULL, FULL, {"k": 6}, [5, 4, 3, 2]),
        ("mae_terms", FULL, {"c": 1, "b": 0.5}, {}, [0.1, 0.2]),
        ("mae_terms", FULL, {"c": 1, "b": 0.5}, {"pairing": "case"}, [0.6, 0.2]),
        ("mae_terms", FULL, {"c": 1, "e": 0.5}, {"pairing": "case"}, [0.6]),
        ("mse_terms", FULL, {"c": 1, "b": 0.5}, {}, [0.01, 0.04]),
        ("mse_terms", FULL, {"c": 1, "b": 0.5}, {"pairing": "case", "k": 1}, []),
    ],
)  # fmt: skip
def test_retrieval_metrics_by_hand(name, truth, retrieved, options, expected):
    assert_allclose(metric(name)(truth, retrieved, **options), expected, rtol=1e-12)


@pytest.mark.parametrize("k", [None, 3])
@pytest.mark.parametrize(
    ("truth", "retrieved", "zero"),
    [
        (FULL, {}, {"hits", "quality_stromer"}),
        ({}, FULL, {"hits", "hits_normalized"}),
        ({}, {}, {"hits"}),
    ],
)
def test_empty_rankings(truth, retrieved, zero, k):
    values = {name: metric(name)(truth, retrieved, k=k) for name in METRICS}
    if k is not None:
        zero = zero | {"hits_normalized"}
    one = {"quality_mueller"} if retrieved else set()
    expected = {n: 0.0 if n in zero else 1.0 if n in one else math.nan for n in METRICS}
    assert values == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_every_form_of_a_ranking_is_the_same_to_every_metric(name):
    forms = [
        (RETRIEVED.to_dict()),
        list(RETRIEVED.items()),
        (pair for pair in RETRIEVED.items()),
        as_ranking(RETRIEVED),
        RETRIEVED.astype("float32").astype("float64").round(6),
        RETRIEVED[::-1],
    ]
    values = [metric(name)(TRUTH, form) for form in forms]
    assert_allclose(values, values[0], rtol=1e-12)


# Oracles from the formulas, and properties ----------------------------------------------------


def in_order(ranking, k):
    """Return the pairs of a ranking by falling similarity; equal ones keep their order."""
    return sorted(ranking.items(), key=lambda pair: -pair[1])[:k]


def centred(values):
    return [value - sum(values) / len(values) for value in values]


def slow(name, truth, retrieved, k, **options):
    """Compute every metric again, as literally as its formula allows."""
    t, r = in_order(truth, k), in_order(retrieved, k)
    sim, fsim = dict(t), dict(r)
    common = [case for case, _ in r if case in sim]
    place_t, place_r = [*sim], [*fsim]
    products = [
        ((sim[one] - sim[two]), (fsim[one] - fsim[two])) for one, two in combinations(common, 2)
    ]
    concordant = sum(a * b > 0 for a, b in products)
    discordant = sum(a * b < 0 for a, b in products)
    decided_t = sum(a != 0 for a, _ in products)
    decided_r = sum(b != 0 for _, b in products)
    by_case = [abs(sim[case] - fsim[case]) for case in common]
    by_place = [abs(x[1] - y[1]) for x, y in zip(t, r, strict=False)]
    errors = by_case if options else by_place
    weights = [len(t) + 1 - i for i in range(len(t))]
    right = [a[0] == b[0] for a, b in zip_longest(t, r[: len(t)], fillvalue=(None,))]
    if "count" in options:
        right = [not is_right for is_right in right]
    x, y = ([slow_rank(case, side, common) for case in common] for side in (sim, fsim))
    quotients = {
        "hits": (len(common), 1),
        "hits_normalized": (len(common), len(r) if k is None or options else k),
        "mae": (sum(errors), len(errors)),
        "mse": (sum(error**2 for error in errors), len(errors)),
        "quality_stromer": (
            sum(w * is_right for w, is_right in zip(weights, right, strict=True)),
            sum(weights),
        ),
        "quality_mueller": (
            len(r) - sum(s for case, s in t[: len(r)] if case not in fsim),
            len(r),
        ),
        "distance": (
            sum(abs(place_t.index(case) - place_r.index(case)) for case in common),
            len(common),
        ),
        "correctness": (concordant - discordant, concordant + discordant),
        "completeness": (concordant + discordant, decided_t if options else len(products)),
        "kendall": (
            concordant - discordant,
            math.sqrt(decided_t * decided_r) if options else len(products),
        ),
        "spearman": (
            sum(a * b for a, b in zip(centred(x), centred(y), strict=True)),
            math.hypot(*centred(x)) * math.hypot(*centred(y)),
        ),
    }
    numerator, divisor = quotients[name]
    return numerator / divisor if divisor else math.nan


def slow_rank(case, similarities, cases):
    """Return the mean place of a case and those of the same similarity among some cases."""
    own = [similarities[other] - similarities[case] for other in cases]
    return sum(s > 0 for s in own) + (own.count(0) + 1) / 2


@pytest.mark.parametrize(("name", "options"), READINGS)
@given(pair=rankings(), k=CUTOFFS)
def test_agrees_with_a_slow_reading_of_the_formula(name, options, pair, k):
    expected = slow(name, *pair, k, **options)
    assert_allclose(metric(name)(*pair, k=k, **options), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 7, 64, 65, 1000])
@pytest.mark.parametrize("levels", [2, 5, 10**6])
def test_kendall_b_and_spearman_agree_with_scipy(n, levels):
    rng = np.random.default_rng(n + levels)
    for _ in range(10):
        x, y = rng.integers(0, levels, (2, n)) / levels
        x[:2] = y[-2:] = [0, 1]  # neither is constant
        truth, retrieved = dict(enumerate(x)), dict(enumerate(y))
        tau = scipy.stats.kendalltau(x, y).statistic
        assert_allclose(retrieval.kendall(truth, retrieved, variant="b"), tau, atol=1e-12)
        rho = scipy.stats.spearmanr(x, y).statistic
        assert_allclose(retrieval.spearman(truth, retrieved), rho, atol=1e-12)


def test_pair_counts_are_exact_above_two_to_the_31():
    rising, turned = dict(enumerate(range(70_000))), dict(enumerate(range(70_000, 0, -1)))
    counts = pair_counts(rising, turned)
    assert counts.pairs == counts.discordant == 2_449_965_000 > 2**31
    # One swap of neighbours is one pair, which no rounded count would show.
    rising[0], rising[1] = 1, 0
    assert pair_counts(rising, turned) == (1, counts.pairs - 1, 0, 0, counts.pairs)
    halves = pair_counts({c: c % 2 for c in rising}, {c: c % 2 for c in rising})
    assert halves == (1_225_000_000, 0, 1_224_965_000, 1_224_965_000, counts.pairs)


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("truth", "retrieved", "options", "message"),
    [
        pytest.param(FULL, [("a", 1), ("b", 1), ("a", 0)], {},
                     "retrieved must hold each case once; got 'a' 2 times$", id="duplicate"),
        pytest.param(FULL, [(case, 1) for case in "aabbccddeeffg"], {},
                     "retrieved must hold .* once; got 'a' 2 times, .*, 'e' 2 times and 1 more$",
                     id="many duplicates"),
        pytest.param({"a": math.nan}, FULL, {},
                     "truth must have finite numbers as similarities; got nan for case 'a'$",
                     id="nan"),
        pytest.param(FULL, {"b": -math.inf}, {}, f"{FINITE}; got -inf for case 'b'$", id="inf"),
        pytest.param(FULL, {"b": None, "c": 1}, {}, f"{FINITE}; got None for case 'b'$", id="none"),
        pytest.param(FULL, {"b": 10**400}, {}, rf"{FINITE}; got 10{{58}}… .* 'b'$", id="huge"),
        pytest.param(FULL, {"b": "0.5"}, {}, f"{FINITE}; got '0.5' for case 'b'$", id="text"),
        pytest.param(FULL, {"b": True}, {}, f"{FINITE}; got True for case 'b'$", id="bool"),
        pytest.param(FULL, {"b": np.True_}, {}, f"{FINITE}; got True for case 'b'$", id="np bool"),
        pytest.param(FULL, dict.fromkeys("abcde", math.nan), {},
                     f"{FINITE}; got nan for case 'a', .*, nan for case 'e'$", id="five"),
        pytest.param(FULL, dict.fromkeys("abcdefg"), {},
                     f"{FINITE}; got None for case 'a', .*, None for case 'e' and 2 more$",
                     id="seven"),
        pytest.param(FULL, {None: 1.0}, {}, rf"{NO_ID} \[0\]$", id="no id"),
        pytest.param(FULL, [("a", 1), (math.nan, 1.0)], {}, rf"{NO_ID} \[1\]$", id="nan id"),
        pytest.param(FULL, [(pd.NA, 1.0), (pd.NaT, 1.0)], {}, rf"{NO_ID} \[0, 1\]$", id="NA ids"),
        pytest.param(FULL, [(None, 1.0)] * 6, {}, rf"{NO_ID} \[0, 1, 2, 3, 4\]$", id="six NA ids"),
        pytest.param(FULL, {True: 1.0}, {}, "retrieved must name cases by text or by numbers; "
                     "got boolean$", id="boolean id"),
        pytest.param(FULL, {np.True_: 1.0}, {}, "retrieved must name .*; got boolean$", id="np id"),
        pytest.param(FULL, {"a": 1, 1: 1}, {}, "retrieved must name cases by text or by numbers; "
                     "got number and text$", id="mixed ids"),
        pytest.param(FULL, {1: 1, 2: 1}, {}, "truth and retrieved must name cases by ids of one "
                     "type; got text and number$", id="other ids"),
        pytest.param({(1, 2): 1.0}, {np.int8(1): 1.0}, {}, "truth and retrieved must name cases "
                     "by ids of one type; got tuple and number$", id="tuples and numbers"),
        pytest.param(FULL, [(["a"], 1)], {}, "retrieved must name each case by a hashable id such "
                     "as text$", id="unhashable"),
        pytest.param(FULL, None, {}, "retrieved must be a mapping of cases to similarities or "
                     "pairs of the two; got None$", id="nothing"),
        pytest.param(["a", "b"], FULL, {}, "truth must be a mapping .*; got ..a', 'b'.$",
                     id="cases only"),
        pytest.param(FULL, FULL, {"k": 0}, "k must be a positive integer or None; got 0", id="k 0"),
        pytest.param(FULL, FULL, {"k": -1}, "k must be .*; got -1", id="k -1"),
        pytest.param(FULL, FULL, {"k": 2.5}, "k must be .*; got 2.5", id="k 2.5"),
        pytest.param(FULL, FULL, {"k": True}, "k must be .*; got True", id="k True"),
        pytest.param(FULL, FULL, {"k": "3"}, "k must be .*; got '3'", id="k text"),
    ],
)  # fmt: skip
def test_refuses(name, truth, retrieved, options, message):
    with pytest.raises(InputError, match=f"^{message}"):
        metric(name)(truth, retrieved, **options)


MIXED, NUMBERS = {("b", 1): 0.5, "a": 0.4, frozenset(): 0.3}, {1: 0.5}
KINDS = "frozenset, text, tuple"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (
                lambda name=name, option=option, value=value: metric(name)(
                    TRUTH, RETRIEVED, **{option: value}
                ),
                f"{option} must be one of",
            )
            for name, option, value in (
                ("hits_normalized", "denominator", "k"),
                ("mae", "pairing", "cases"),
                ("mse", "pairing", None),
                ("quality_stromer", "count", "match"),
                ("completeness", "pairs", "some"),
                ("kendall", "variant", "c"),
            )
        ),
        (
            lambda: retrieval.hits(MIXED, NUMBERS),
            f"truth and retrieved must .* ids of one type; got {KINDS} and number$",
        ),
        (lambda: retrieval.hits(NUMBERS, MIXED), f".* ids of one type; got number and {KINDS}$"),
        (
            lambda: retrieval.hits(as_ranking(MIXED).first(1), NUMBERS),
            f".* ids of one type; got {KINDS} and number$",
        ),
        (lambda: as_ranking([("a", 1), ("a", 0)]), "ranking must hold each case once"),
        (
            lambda: retrieval.quality_stromer_weights(-1),
            "n_cases must be a whole number of at least 0; got -1",
        ),
    ],
)
def test_refuses_readings_and_kinds_of_ids(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()


@pytest.mark.parametrize(
    ("similarities", "order"),
    [
        ([Fraction(1, 4), 0.5, 1], "cba"),
        ([np.int8(0), np.float32(0.5), 2**50], "cba"),
        ([np.float32(0.1), 0.1, 2.5], "cab"),
    ],
)
def test_similarities_are_numbers_of_any_type(similarities, order):
    given = dict(zip("abc", similarities, strict=True))
    ranking = as_ranking(given)
    expected = {case: float(given[case]) for case in order}
    assert list(ranking.items()) == list(expected.items())
    assert ranking.similarities.dtype == np.float64
    assert not ranking.similarities.flags.writeable
