"""Comparison with ranx, ir-measures (trec_eval), scikit-learn and SciPy on random lists.

Scores are distinct, so that no tool's rule for ties matters here.
"""

import warnings

import amount
import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from numpy.testing import assert_allclose

from receval.metrics import exponential_gain
from receval.metrics.ranking import (
    auc,
    average_precision,
    f1,
    hit,
    ndcg,
    precision,
    r_precision,
    recall,
    reciprocal_rank,
)

USERS, LONGEST, ITEMS = amount.of(500, 3_000), 15, 40
CUTOFFS = (1, 5, 10)
TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}


@pytest.fixture(scope="module")
def judged():
    """Return random lists of 1 to 15 of 40 items, graded 0 to 3; every user has a relevant item."""
    rng = np.random.default_rng(2026)
    truth, lists = [], []
    for _ in range(USERS):
        grades = rng.choice(4, size=ITEMS, p=(0.7, 0.1, 0.1, 0.1))
        grades[rng.integers(ITEMS)] = rng.integers(1, 4)
        truth.append(grades)
        lists.append(rng.permutation(ITEMS)[: rng.integers(1, LONGEST + 1)])
    return np.array(truth), lists


@pytest.fixture(scope="module")
def gains(judged):
    truth, lists = judged
    table = np.full((USERS, LONGEST), np.nan)
    for user, items in enumerate(lists):
        table[user, : len(items)] = truth[user][items]
    return table


def ours(gains, truth):
    """Return every metric that the other tool defines as receval does, by the tool's name."""
    relevant = (truth > 0).sum(axis=-1)
    values = {"mrr": reciprocal_rank(gains), "r-precision": r_precision(gains, relevant)}
    for k in CUTOFFS:
        p, r = precision(gains, k=k), recall(gains, relevant, k=k)
        values |= {
            f"hit_rate@{k}": hit(gains, k=k),
            f"mrr@{k}": reciprocal_rank(gains, k=k),
            f"precision@{k}": p,
            f"recall@{k}": r,
            f"f1@{k}": f1(p, r),
            f"map@{k}": average_precision(gains, relevant, k=k),
            f"ndcg@{k}": ndcg(gains, truth, k=k),
            f"ndcg_burges@{k}": ndcg(gains, truth, k=k, gain=exponential_gain),
        }
    return values


def as_dictionaries(truth, lists):
    qrels = {
        f"u{user:05d}": {f"i{item}": int(grade) for item, grade in enumerate(row) if grade}
        for user, row in enumerate(truth)
    }
    run = {
        f"u{user:05d}": {f"i{item}": float(len(items) - rank) for rank, item in enumerate(items)}
        for user, items in enumerate(lists)
    }
    return qrels, run


@pytest.mark.usefixtures("interpreted_ranx")
def test_ranx(judged, gains):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ranx and numba warn while they compile
        import ranx

        qrels, run = map(dict, as_dictionaries(*judged))
        values = ours(gains, judged[0])
        theirs = ranx.evaluate(
            ranx.Qrels(qrels),
            ranx.Run(run),
            list(values),
            return_mean=False,
            make_comparable=True,
        )
    for name, expected in theirs.items():
        assert len(expected) == USERS
        assert_allclose(values[name], expected, err_msg=name, **TOLERANCE)


def test_ir_measures_and_trec_eval(judged, gains):
    import ir_measures
    from ir_measures import AP, RR, P, R, Rprec, Success, nDCG

    qrels, run = as_dictionaries(*judged)
    values = ours(gains, judged[0])
    names = {RR: "mrr", Rprec: "r-precision"}
    burges = {}  # asked for apart: in one call ir-measures can mix up its two nDCGs
    for k in CUTOFFS:
        names |= {
            Success @ k: f"hit_rate@{k}",
            P @ k: f"precision@{k}",
            R @ k: f"recall@{k}",
            AP @ k: f"map@{k}",
            nDCG @ k: f"ndcg@{k}",
        }
        burges[nDCG(gains={g: 2**g - 1 for g in range(4)}) @ k] = f"ndcg_burges@{k}"
    for asked in (names, burges):
        seen = dict.fromkeys(asked.values(), 0)
        for result in ir_measures.iter_calc(list(asked), qrels, run):
            name = asked[result.measure]
            seen[name] += 1
            value = values[name][int(result.query_id[1:])]
            assert_allclose(value, result.value, err_msg=f"{name} {result.query_id}", **TOLERANCE)
        assert set(seen.values()) == {USERS}


@pytest.mark.parametrize("k", [None, *CUTOFFS])
def test_ndcg_of_scikit_learn(k):
    rng = np.random.default_rng(7)
    grades = rng.integers(0, 4, (2_000, 12))
    grades[:, 0] += 1
    scores = rng.permuted(np.tile(np.arange(12.0), (2_000, 1)), axis=1)
    by_rank = np.take_along_axis(grades, np.argsort(-scores, axis=1), axis=1)
    expected = [
        sklearn.metrics.ndcg_score([g], [s], k=k) for g, s in zip(grades, scores, strict=True)
    ]
    assert_allclose(ndcg(by_rank, grades, k=k), expected, **TOLERANCE)


def test_average_precision_of_scikit_learn_on_full_rankings():
    rng = np.random.default_rng(8)
    relevant = rng.random((2_000, 15)) < 0.4
    relevant[:, 3] = True
    scores = -np.arange(15.0)
    expected = [sklearn.metrics.average_precision_score(row, scores) for row in relevant]
    assert_allclose(average_precision(relevant, relevant.sum(axis=1)), expected, **TOLERANCE)


def test_auc_of_scikit_learn_and_mann_whitney_with_ties():
    rng = np.random.default_rng(9)
    relevant = rng.random((USERS // 2, 20)) < 0.3
    relevant[:, 0], relevant[:, 1] = True, False
    scores = rng.integers(0, 8, relevant.shape).astype(float)
    values = auc(relevant, scores=scores)
    for row, score, value in zip(relevant, scores, values, strict=True):
        assert_allclose(value, sklearn.metrics.roc_auc_score(row, score), **TOLERANCE)
        u = scipy.stats.mannwhitneyu(score[row], score[~row]).statistic
        assert_allclose(value, u / (row.sum() * (~row).sum()), **TOLERANCE)


def test_auc_of_float32_scores_at_size():
    rng = np.random.default_rng(10)
    relevant = rng.random(1_000_000) < 0.01
    scores = (rng.random(relevant.size) + 0.3 * relevant).astype(np.float32)
    ranks = scipy.stats.rankdata(scores)
    n = relevant.sum()
    expected = (ranks[relevant].sum() - n * (n + 1) / 2) / (n * (relevant.size - n))
    assert_allclose(auc(relevant, scores=scores), expected, rtol=1e-12)
