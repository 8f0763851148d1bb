"""Ranking metrics: printed values, cases by hand, properties, refusals."""

import amount
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import cutoffs, judged_list

from receval import InputError, working
from receval import ledger as published
from receval.metrics import (
    clipped_log2,
    exponential_gain,
    reciprocal,
    relison_gain,
)
from receval.metrics.discounts import undiscounted
from receval.metrics.formula import cumulative
from receval.metrics.ranking import (
    auc,
    average_precision,
    cumulative_gain,
    dcg,
    dcg_terms,
    err,
    f1,
    hit,
    ideal_dcg,
    ideal_dcg_terms,
    ndcg,
    precision,
    r_precision,
    rbp,
    recall,
    reciprocal_rank,
)

nan = np.nan
RNG = np.random.default_rng(3)
DOCUMENT = published.load("001")
FIGURES = DOCUMENT["figures"]
OWN = np.array(DOCUMENT["inputs"]["points"]["U1"], float)
SHOWN = [DOCUMENT["inputs"]["items"].index(item) for item in FIGURES["group_ranking"]["printed"]]
GAINS = OWN[SHOWN]

# Printed values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "value"),
    [
        ("001/cg_terms", working.cumulative_gain(GAINS)["term"]),
        ("001/cg", cumulative_gain(GAINS)),
        ("001/dcg_terms", dcg_terms(GAINS, discount=clipped_log2)),
        ("001/dcg", dcg(GAINS, discount=clipped_log2)),
        ("001/idcg_terms", ideal_dcg_terms(OWN, k=4, discount=clipped_log2)),
        ("001/idcg", ideal_dcg(OWN, k=4, discount=clipped_log2)),
        ("001/ndcg", ndcg(GAINS, OWN, k=4, discount=clipped_log2)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_document_001(id, value):
    found = published.check(id, value, variant=published.figure(id).get("variant"))
    assert found.as_expected, found


# By hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(lambda: hit([0, 0, 1], k=2), 0, id="hit below the cut"),
        pytest.param(lambda: hit([0, 0, 1], k=3), 1, id="hit at the cut"),
        pytest.param(lambda: hit([]), 0, id="hit of an empty list"),
        pytest.param(lambda: reciprocal_rank([0, 0, 1], k=2), 0, id="rr below the cut"),
        pytest.param(lambda: recall([1, 0, 1], 4, k=2), 1 / 4, id="recall above the cut"),
        pytest.param(
            lambda: recall([1, 0, 1], 5, k=2, denominator="reachable"),
            1 / 2,
            id="reachable recall above the cut",
        ),
        pytest.param(
            lambda: precision([1, 0, 1], k=2, denominator="retrieved"),
            1 / 2,
            id="precision by what was retrieved above the cut",
        ),
        pytest.param(
            lambda: precision([1, 0, 1, 1], k=2, denominator="reachable", n_relevant=3),
            1 / 2,
            id="precision by what is reachable above the cut",
        ),
        pytest.param(lambda: reciprocal_rank([0, 0.5, 3]), 1 / 2, id="rr takes the first hit"),
        pytest.param(lambda: reciprocal_rank([0, 0, 0]), 0, id="rr without a hit"),
        pytest.param(lambda: precision([1, 0], k=4), 1 / 4, id="precision by cut-off"),
        pytest.param(
            lambda: precision([1, 0, nan], k=4, denominator="retrieved"),
            1 / 2,
            id="precision by what was retrieved",
        ),
        pytest.param(
            lambda: precision([1, 0], k=4, denominator="reachable", n_relevant=1),
            1,
            id="precision by what is reachable",
        ),
        pytest.param(lambda: precision([1, 0, nan]), 1 / 2, id="precision without cut-off"),
        pytest.param(lambda: precision([]), nan, id="precision of nothing"),
        pytest.param(
            lambda: precision([], k=2, denominator="retrieved"), nan, id="nothing retrieved"
        ),
        pytest.param(lambda: precision([], k=2), 0, id="an empty list, cut at 2"),
        pytest.param(lambda: recall([1, 0, 1], 4), 1 / 2, id="recall"),
        pytest.param(
            lambda: recall([1, 0], 5, k=2, denominator="reachable"), 1 / 2, id="reachable recall"
        ),
        pytest.param(lambda: recall([0], 0), nan, id="recall without relevant items"),
        pytest.param(lambda: recall([0], 3), 0, id="recall of a miss is 0, not NaN"),
        pytest.param(lambda: f1(0.5, 1.0), 2 / 3, id="f1"),
        pytest.param(lambda: f1(0, 0), 0, id="f1 of two zeros"),
        pytest.param(lambda: f1(nan, 1.0), nan, id="f1 of an undefined part"),
        pytest.param(lambda: r_precision([1, 0, 1, 1], 3), 2 / 3, id="R-precision"),
        pytest.param(lambda: r_precision([1], 2), 1 / 2, id="R-precision of a short list"),
        pytest.param(lambda: average_precision([1, 0, 1], 4), (1 + 2 / 3) / 4, id="AP, relevant"),
        pytest.param(
            lambda: average_precision([1, 0, 1], 4, k=3, denominator="reachable"),
            (1 + 2 / 3) / 3,
            id="AP, reachable",
        ),
        pytest.param(
            lambda: average_precision([1, 0, 1], 4, k=2, denominator="reachable"),
            1 / 2,
            id="AP, reachable above the cut",
        ),
        *(
            pytest.param(
                lambda k=k, n=n: average_precision([1, 0, 1, nan], n, k=k, denominator="listed"),
                expected,
                id=f"AP, listed, {n} relevant, cut at {k}",
            )
            for n, k, expected in ((4, None, 5 / 9), (2, None, 5 / 6), (4, 2, 1 / 2), (4, 9, 5 / 9))
        ),
        pytest.param(
            lambda: average_precision([1, 0, 1], 4, k=5, denominator="cutoff"),
            (1 + 2 / 3) / 5,
            id="AP, cutoff",
        ),
        pytest.param(
            lambda: average_precision([1, 0, 1], 4, denominator="found"),
            (1 + 2 / 3) / 2,
            id="AP, found",
        ),
        pytest.param(
            lambda: average_precision([0, 0], 1, denominator="found"), 0, id="AP, nothing found"
        ),
        pytest.param(lambda: average_precision([], 2, denominator="reachable"), 0, id="AP, empty"),
        *(
            pytest.param(
                lambda k=k, how=how: average_precision([1, 0, 1], 4, k=k, denominator=how),
                expected,
                id=f"AP, {how}, cut at {k}",
            )
            for how, k, expected in (
                ("relevant", 2, 1 / 4),
                ("found", 2, 1),
                ("cutoff", None, 5 / 9),
            )
        ),
        pytest.param(
            lambda: average_precision([[1, 0], [1, 1]], 2, denominator="found"),
            [1, 1],
            id="AP, found, of each list",
        ),
        pytest.param(lambda: cumulative_gain([3, 2, 1], k=2), 5, id="CG above the cut"),
        pytest.param(lambda: average_precision([0], 0), nan, id="AP without relevant items"),
        pytest.param(lambda: cumulative_gain([3, 2, nan], k=2), 5, id="CG"),
        pytest.param(lambda: dcg([0, 0, 1]), 1 / 2, id="rank 3 counts half"),
        pytest.param(lambda: dcg([0, 1], discount=clipped_log2), 1, id="clipped: rank 2 whole"),
        pytest.param(lambda: dcg([2, nan]), 2, id="an empty rank adds nothing"),
        pytest.param(
            lambda: dcg(np.array([1, 2.5], dtype=object), discount=undiscounted), 3.5, id="objects"
        ),
        pytest.param(lambda: dcg([2], gain=exponential_gain), 3, id="exponential gain"),
        pytest.param(lambda: ideal_dcg([0, 2, nan, 1], k=1), 2, id="best one first"),
        pytest.param(lambda: ndcg([0, 1], [1]), 1 / np.log2(3), id="nDCG of a hit at rank 2"),
        pytest.param(lambda: ndcg([0], [0]), nan, id="nDCG without relevant items"),
        pytest.param(lambda: ndcg([0], [2]), 0, id="nDCG of a miss is 0, not NaN"),
        pytest.param(lambda: ndcg([3, 2], [3, 2, 2, 1], k=2), 1, id="more relevant than k"),
        pytest.param(
            lambda: ideal_dcg(OWN, k=4, gain=exponential_gain),
            1015.6010269503357,
            id="ideal DCG by the printed formula of document 001",
        ),
        pytest.param(
            lambda: ideal_dcg(OWN, gain=exponential_gain), 1059.4155855572703, id="the same, uncut"
        ),
        pytest.param(
            lambda: ndcg([0, 1, 1, 0], [1, 1, 1], gain=relison_gain(threshold=0.5)),
            ndcg([0, 1, 1, 0], [1, 1, 1]),
            id="RELISON's gain cancels for yes and no",
        ),
        pytest.param(lambda: exponential_gain(1e-17), 1e-17 * np.log(2), id="a gain near 0"),
        pytest.param(lambda: rbp([1, 0, 3], p=0.5), 0.5 + 0.125, id="RBP asks yes or no"),
        pytest.param(lambda: rbp([1, 1, nan], p=0), 1, id="RBP of a user who stops at once"),
        pytest.param(lambda: rbp([0, 1, 1], k=2), (1 - 0.8) * 0.8, id="RBP above the cut"),
        pytest.param(lambda: rbp([]), 0, id="RBP of an empty list"),
        pytest.param(
            lambda: err([3, 2, 4], max_grade=4),
            7 / 16 + 9 / 16 * 3 / 16 / 2 + 9 / 16 * 13 / 16 * 15 / 16 / 3,
            id="ERR",
        ),
        pytest.param(lambda: err([3, 2, 4], max_grade=4, k=1), 7 / 16, id="ERR above the cut"),
        pytest.param(lambda: err([0, nan], max_grade=0), 0, id="ERR without a grade above 0"),
        pytest.param(lambda: err([0, 1], max_grade=1), 1 / 4, id="ERR of yes and no"),
        pytest.param(lambda: auc([1, 1, 0]), 1, id="AUC, perfect"),
        pytest.param(lambda: auc([0, 1, 0]), 1 / 2, id="AUC, in the middle"),
        pytest.param(lambda: auc([1, 1]), nan, id="AUC of one class"),
        pytest.param(lambda: auc([0, 1], scores=[1, 1]), 1 / 2, id="AUC, all tied"),
        pytest.param(
            lambda: auc([1, 0, 1, 0, 0], scores=[3, 2, 2, 1, 3]),
            (1 + 1 + 1 / 2 + 1 / 2 + 1 + 0) / 6,
            id="AUC, six pairs",
        ),
        pytest.param(lambda: auc([0, 1], scores=[1, 1 + 1e-13]), 1, id="AUC, a tiny gap"),
        pytest.param(
            lambda: auc([1, 0, 1, nan], scores=[-np.inf, np.inf, 2, nan]), 0, id="AUC, infinities"
        ),
    ],
)
def test_ranking_metrics_by_hand(call, expected):
    assert_allclose(call(), expected, rtol=1e-15)


TENTHS = [0.1, 0.2, 0.3]
LARGE = [np.array([2**53 + 1, 2**53], kind) for kind in (np.int64, np.uint64)]
STEEP = {"discount": reciprocal, "gain": exponential_gain}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(lambda: ndcg(TENTHS, TENTHS, discount=undiscounted), 1, id="nDCG of the best"),
        pytest.param(
            lambda: working.ndcg(TENTHS, TENTHS, discount=undiscounted)["nDCG"].max(),
            1,
            id="nDCG of the best in the working",
        ),
        pytest.param(
            lambda: ideal_dcg([1, 3, 2], **STEEP), 7 + 3 / 2 + 1 / 3, id="ideal, discounted"
        ),
        pytest.param(lambda: ideal_dcg([1, 3, 2], k=2, **STEEP), 7 + 3 / 2, id="ideal above a cut"),
        pytest.param(
            lambda: ndcg([1e-17], [1e-17], gain=exponential_gain), 1, id="nDCG of a gain near 0"
        ),
        pytest.param(
            lambda: exponential_gain(np.arange(60.0)), [2**g - 1 for g in range(60)], id="gains"
        ),
        pytest.param(lambda: np.shape(f1(0.5, 1)), (), id="f1 of two numbers"),
        pytest.param(lambda: np.shape(f1([0.5], 1)), (1,), id="f1 of a list and a number"),
        pytest.param(lambda: np.shape(f1(0.5, [1, 0])), (2,), id="f1 of a number and a list"),
        pytest.param(
            lambda: [auc([[1, 0], [0, 1]], scores=[scores, scores]) for scores in LARGE],
            [[1, 0], [1, 0]],
            id="AUC of scores beyond 2**53",
        ),
        pytest.param(
            lambda: cumulative(np.ones((3, 2), bool).T), [[1, 2, 3]] * 2, id="counts of hits"
        ),
    ],
)
def test_to_the_last_bit(call, expected):
    assert_array_equal(call(), expected)


# Properties ------------------------------------------------------------------------------------

METRICS = {
    "hit": lambda g, r, k: hit(g, k=k),
    "reciprocal_rank": lambda g, r, k: reciprocal_rank(g, k=k),
    "precision": lambda g, r, k: precision(g, k=k),
    "precision/retrieved": lambda g, r, k: precision(g, k=k, denominator="retrieved"),
    "precision/reachable": lambda g, r, k: precision(
        g, k=k, denominator="reachable", n_relevant=(r > 0).sum(-1)
    ),
    "recall": lambda g, r, k: recall(g, (r > 0).sum(-1), k=k),
    "recall/reachable": lambda g, r, k: recall(g, (r > 0).sum(-1), k=k, denominator="reachable"),
    "r_precision": lambda g, r, k: r_precision(g, (r > 0).sum(-1)),
    **{
        f"average_precision/{name}": lambda g, r, k, name=name: average_precision(
            g, (r > 0).sum(-1), k=k, denominator=name
        )
        for name in ("relevant", "reachable", "listed", "cutoff", "found")
    },
    "ndcg": lambda g, r, k: ndcg(g, r, k=k),
    "ndcg/clipped": lambda g, r, k: ndcg(g, r, k=k, discount=clipped_log2),
    "ndcg/exponential": lambda g, r, k: ndcg(g, r, k=k, gain=exponential_gain),
    "auc": lambda g, r, k: auc(g),
    "rbp": lambda g, r, k: rbp(g, k=k),
    "err": lambda g, r, k: err(g, max_grade=4, k=k),
    "cumulative_gain": lambda g, r, k: cumulative_gain(g, k=k),
    "dcg": lambda g, r, k: dcg(g, k=k),
    "ideal_dcg": lambda g, r, k: ideal_dcg(r, k=k),
}


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@settings(max_examples=amount.of(15, 1_000))
@given(st.lists(judged_list(max_length=16), min_size=1, max_size=5), cutoffs())
def test_a_batch_is_each_list_alone_whatever_the_padding(metric, lists, k):
    alone = [metric(gains, relevance, k) for gains, relevance in lists]
    gains = np.full((len(lists), 33), nan)
    relevance = np.full((len(lists), 41), nan)
    for row, (g, r) in enumerate(lists):
        gains[row, : len(g)], relevance[row, : len(r)] = g, r
    assert_array_equal(metric(gains, relevance, k), alone)  # to the last bit
    assert_array_equal(metric(gains[np.newaxis], relevance[np.newaxis], k), [alone])


# Refusals --------------------------------------------------------------------------------------

OVERFLOW = (
    r" must be small enough to be added up and multiplied in float64 \(below about 1e308\); got an "
    r"overflow\. Divide all of them by one large number first$"
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dcg([-1] * 7),
            r"gains must be at least 0; got .*, -1.0 at index 4 and 2 more. 0 means not rel",
        ),
        (lambda: dcg(np.array([1, True], object)), r"gains must hold numbers; got True at index 1"),
        (lambda: dcg(np.array([1, 1j], object)), r"gains must hold numbers; got 1j at index 1"),
        (lambda: dcg([10**400]), r"gains must hold whole numbers of at most 2\*\*53"),
        (lambda: dcg(np.array(1)), r"gains must be a list or an array; got array\(1\)"),
        (lambda: dcg("3"), r"gains must be a list or an array; got '3'"),
        (lambda: recall([1], 1e300), r"n_relevant must fit into 64 bits; got 1e\+300"),
        (
            lambda: dcg([1], gain=lambda g: g + 1j),
            r"gain must return real numbers .*; got array",
        ),
        (lambda: dcg([1], gain=lambda g: "no"), r"gain must return real numbers of .*; got 'no'"),
        (
            lambda: dcg([1], discount=lambda r: r * 1j),
            r"discount must return real numbers .*; got",
        ),
        (
            lambda: recall([1, 1], 1),
            (
                r"n_relevant must be at least the number of relevant items in the list; got 1. "
                r"It counts all relevant items, retrieved or not$"
            ),
        ),
        (
            lambda: recall([[1, 1], [1, 0]], [2, 0]),
            r"n_relevant must be at least .*; got 0 at index 1",
        ),
        (lambda: recall([1], -1), r"n_relevant must be at least 0; got -1"),
        (lambda: recall([1], 1.5), r"n_relevant must hold whole numbers; got 1.5"),
        (lambda: recall([1], nan), r"n_relevant must hold whole numbers; got nan"),
        (lambda: recall([1], True), r"n_relevant must hold whole numbers; got type bool"),
        (lambda: recall([[1], [1]], [1, 1, 1]), r"n_relevant and gains must agree .* \(3,\)"),
        (lambda: recall([1], 1, denominator="all"), r"denominator must be one of 'relevant', "),
        (
            lambda: precision([1], denominator="cut-off"),
            r"denominator must be one of 'cutoff', .* Did you mean 'cutoff'\?$",
        ),
        (
            lambda: precision([1], denominator="reachable"),
            r"n_relevant must be given when denominator is 'reachable', and only then; got None$",
        ),
        (
            lambda: average_precision([1], 1, denominator="x"),
            r"denominator must be one of 'relevant', 'reachable', 'listed', 'cutoff', 'found'; got",
        ),
        (lambda: rbp([1], p=1), r"p must be a number of at least 0 and below 1; got 1$"),
        (lambda: rbp([1], p="x"), r"p must be a number of at least 0 and below 1; got 'x'$"),
        (lambda: err([1], max_grade=-1), r"max_grade must be a number from 0 to 1000; got -1$"),
        (lambda: err([2000], max_grade=2e3), r"max_grade must be a number from 0 to 1000; got 20"),
        (
            lambda: err([[0, 1], [2, 0]], max_grade=1),
            r"gains must be at most max_grade, 1; got 2.0 at index \[1, 0\]$",
        ),
        (lambda: f1(1.5, 1), r"precision must be between 0 and 1; got 1.5"),
        (lambda: f1(1, -0.5), r"recall must be between 0 and 1; got -0.5"),
        (lambda: f1("a", 1), r"precision must hold numbers; got type <U1"),
        (lambda: f1(1, np.array(["a"])), r"recall must hold numbers; got type <U1"),
        (lambda: f1([1, 1], [1, 1, 1]), r"precision and recall must agree"),
        (
            lambda: ndcg([3, 2], [1]),
            (
                r"relevance must hold every grade that is in gains, so that no DCG is above its "
                r"ideal DCG; got 4\.26185\d*\. relevance is the grades of all relevant items"
            ),
        ),
        (
            lambda: ndcg([[1], [3]], [[1], [1]]),
            r"relevance must hold every .* got 3\.0 at index 1\.",
        ),
        (
            lambda: ndcg([[[1], [3]]], [[[1], [1]]]),
            r"relevance must hold .* got 3\.0 at index \[0, 1\]\.",
        ),
        (lambda: ndcg([[1], [1]], [[1], [1], [1]]), r"gains and relevance must agree"),
        (lambda: ndcg([1], [-1]), r"relevance must be at least 0; got -1.0 at index 0"),
        (lambda: ndcg([1], [np.inf]), r"relevance must be finite; got inf at index 0"),
        (lambda: ideal_dcg("abc"), r"relevance must be a list or an array"),
        (lambda: dcg([1], discount=1), r"discount must be a function such as shifted_log2"),
        (
            lambda: dcg([1, 2], discount=np.sum),
            r"discount must return real numbers of shape \(2,\); got numbers of shape \(\)$",
        ),
        (lambda: dcg([1], gain="linear"), r"gain must be a function such as linear_gain"),
        (
            lambda: dcg([1, 2], gain=np.sum),
            r"gain must return real numbers of shape \(2,\); got numbers of shape \(\)$",
        ),
        (
            lambda: dcg([2000], gain=exponential_gain),
            r"grades must have a gain below about 1e308, .*; got 2000.0 at index 0$",
        ),
        (
            lambda: dcg([2], gain=lambda g: g * np.inf),
            r"gain must return finite .*; got inf at index 0\. The first .* grade 2: return 0",
        ),
        (lambda: dcg([1], gain=lambda g: -g), r"gain must return numbers of at least 0; got -1.0"),
        (
            lambda: dcg([1], discount=lambda r: r * np.inf),
            r"discount must be finite; got inf at index 0",
        ),
        (
            lambda: auc([1, 0], scores=[1]),
            r"gains and scores must have the same length; got 2 and 1",
        ),
        (lambda: auc([1, 0], scores=[1, nan]), r"scores must not be NaN where there is an item"),
        (lambda: auc([[1, 0]], scores=[1, 0]), r"scores must have the shape \(1, 2\); got \(2,\)$"),
        (lambda: dcg([1e308] * 3), f"gains{OVERFLOW}"),
        (lambda: cumulative_gain([1e308] * 3), f"gains{OVERFLOW}"),
        (lambda: ideal_dcg([1e308] * 3), f"relevance{OVERFLOW}"),
        (lambda: ndcg([0.0] * 3, [1e308] * 3), f"relevance{OVERFLOW}"),
        (lambda: dcg([1e308], discount=lambda rank: 10 * rank), f"discount{OVERFLOW}"),
        (
            lambda: dcg([1.7e308], discount=lambda rank: np.full(rank.shape, 1.5)),
            f"discount{OVERFLOW}",
        ),
    ],
)
def test_refuses_what_does_not_fit(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()


@pytest.mark.parametrize("shape", [(2, 3), (4, 6), (3, 4, 6), (2, 0)])
@pytest.mark.parametrize("step", [np.add, np.multiply])
def test_running_sums_and_products_are_the_same_however_memory_lies(step, shape):
    values = RNG.random(shape)
    expected = step.accumulate(values, axis=-1)
    first_axis_last = np.moveaxis(np.moveaxis(values, 0, -1).copy(), -1, 0)
    for same in (values, np.asfortranarray(values), first_axis_last):
        assert_array_equal(cumulative(same, step), expected)  # to the bit
