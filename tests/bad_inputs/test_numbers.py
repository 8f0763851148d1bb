"""Rows 55 to 61: tiny differences, long sums, and undefined values."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError, evaluate, fuzzy, metrics, significance

ROWS = 10**7


@pytest.mark.row(55)
@pytest.mark.parametrize("gap", [1e-13, 1e-9, np.spacing(1.0), 5e-324])
def test_auc_sees_the_smallest_gap_and_a_tie(gap):
    scores = np.array([gap, 0.0, gap, 0.0]) if gap < 1e-300 else np.array([1 + gap, 1, 1 + gap, 1])
    assert metrics.auc([1, 0, 0, 1], scores=scores) == (1 / 2 + 1 + 0 + 1 / 2) / 4
    assert metrics.auc([1, 0], scores=scores[:2]) == 1
    assert metrics.auc([0, 1], scores=scores[:2]) == 0


@pytest.mark.row(56)
def test_auc_of_many_float32_scores_is_that_of_float64():
    rng, rows = np.random.default_rng(0), ROWS // 5  # enough for float32 to tie and to lose counts
    scores = rng.random(rows, dtype=np.float32)
    gains = (rng.random(rows) < 0.01).astype(np.float32)
    order = np.argsort(scores, kind="stable")  # by hand: mean ranks of the relevant, in integers
    _, first, count = np.unique(scores[order], return_index=True, return_counts=True)
    twice_rank = np.repeat(2 * first + count + 1, count)
    relevant = gains[order] > 0
    positive = int(relevant.sum())
    u = int(twice_rank[relevant].sum()) - positive * (positive + 1)
    expected = u / (2 * positive * (rows - positive))
    assert_allclose(metrics.auc(gains, scores=scores), expected, rtol=1e-12)


@pytest.mark.row(57)
def test_precision_with_nothing_predicted_is_undefined_or_what_is_asked_for_and_so_is_f1():
    nothing = [[4, 0], [3, 0]]
    parts = metrics.classification
    assert math.isnan(parts.precision(nothing))
    assert math.isnan(parts.f1(nothing))
    assert parts.precision(nothing, undefined=0) == parts.f1(nothing, undefined=0) == 0
    assert math.isnan(metrics.ranking.f1(math.nan, 0.5))
    assert_array_equal(metrics.ranking.precision(np.empty((2, 0)), k=3), [0, 0])
    assert math.isnan(metrics.ranking.precision([], denominator="retrieved"))


@pytest.mark.row(58)
@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: metrics.kendall(x, y, variant="b"),
        lambda x, y: metrics.spearman(x, y),
    ],
    ids=["kendall", "spearman"],
)
@pytest.mark.parametrize(
    "other", [{"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.0}, {}], ids=["constant", "n < 2", "empty"]
)
def test_a_correlation_with_nothing_that_varies_is_undefined(call, other):
    varying = {"a": 3.0, "b": 2.0, "c": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(call({case: varying[case] for case in other}, other))


@pytest.mark.row(58)
def test_tables_of_correlations_with_a_constant_column():
    results = pd.DataFrame({"x": [1.0, 2.0, 3.0], "constant": 1.0})
    assert fuzzy.kendall_matrix(results)["constant"].isna().all()
    found = fuzzy.agreement_matrix(results, results.rename(columns=str.upper))
    assert found["CONSTANT"].isna().all()


@pytest.mark.row(59)
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_correlation_with_nan(value):
    varying = {"a": 3.0, "b": 2.0}
    for metric in (metrics.kendall, metrics.spearman, metrics.correctness):
        with pytest.raises(InputError, match=r"retrieved must have finite numbers"):
            metric(varying, {"a": 1.0, "b": value})
    with pytest.raises(InputError, match=r"must .*finite|must hold|must not"):
        fuzzy.kendall_matrix(pd.DataFrame({"x": [1.0, value], "y": [1.0, 2.0]}))


@pytest.mark.row(60)
def test_long_sums_of_float32_ratings_are_sums_in_float64():
    actual = np.full(ROWS, 0.1, np.float32)
    one = float(np.float32(0.1))
    predicted = np.zeros_like(actual)
    assert_allclose(metrics.rmse(predicted, actual), one, rtol=1e-12)
    assert_allclose(metrics.prediction.mae(predicted, actual), one, rtol=1e-12)


@pytest.mark.row(61)
def test_undefined_values_are_nan():
    tied = {"a": 1.0, "b": 1.0}
    assert math.isnan(metrics.correctness(tied, {"a": 0.5, "b": 0.1}))
    assert math.isnan(metrics.correctness({"a": 1.0, "b": 0.5}, tied))
    assert math.isnan(metrics.long_tail_percentage([[-1, -1]], [True, False]))
    assert math.isnan(metrics.quality_mueller({}, {}))
    items = pd.DataFrame({"awards": [1, 2]}, index=[1, 2])
    nobody = pd.DataFrame({"user": [9], "item": [1], "score": [1.0]}).iloc[:0]
    truth = pd.DataFrame({"user": [1], "item": [1], "relevance": [1]})
    found = evaluate(nobody, truth, ["LTP", "CC"], items=items)
    assert math.isnan(found.summary.loc["", "LTP"])
    assert found.summary.loc["", "CC"] == 0


@pytest.mark.row(58)
def test_tests_without_a_difference_and_of_one_user():
    assert significance.wilcoxon([1, 2, 3], [1, 2, 3]).p == 1
    assert significance.mean_interval([0.5]).low != significance.mean_interval([0.5]).low  # NaN


@pytest.mark.row(60)
def test_a_mean_whose_sum_lies_beyond_float64():
    truth = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 1], "relevance": 1.7e308})
    recs = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 2], "score": 1.0})
    mean = evaluate(recs, truth, "CG").summary.loc["", "CG"]
    assert_allclose(mean, 2 * (1.7e308 / 3), rtol=1e-15)
