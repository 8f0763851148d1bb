"""Rows 55 to 61: tiny differences, long sums, and undefined values."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from receval import evaluate, metrics

ROWS = 10**6


@pytest.mark.row(55)
@pytest.mark.parametrize("gap", [1e-13, 1e-9, np.spacing(1.0), 5e-324])
def test_auc_sees_the_smallest_gap_and_a_tie(gap):
    low = 0.0 if gap < 1e-300 else 1.0
    scores = [low + gap, low, low + gap, low]
    assert metrics.auc([1, 0, 0, 1], scores=scores) == (1 / 2 + 1 + 0 + 1 / 2) / 4
    assert [metrics.auc(gains, scores=scores[:2]) for gains in ([1, 0], [0, 1])] == [1, 0]


@pytest.mark.row(56)
def test_auc_of_many_float32_scores_is_that_of_float64():
    rng, rows = np.random.default_rng(0), ROWS // 5  # enough for float32 to tie and to lose counts
    scores = rng.random(rows, dtype=np.float32)
    gains = (rng.random(rows) < 0.01).astype(np.float32)
    n_relevant = int(gains.sum())
    u = rankdata(scores.astype(float))[gains > 0].sum() - n_relevant * (n_relevant + 1) / 2
    expected = u / (n_relevant * (rows - n_relevant))
    assert_allclose(metrics.auc(gains, scores=scores), expected, rtol=1e-12)


@pytest.mark.row(60)
def test_long_sums_of_float32_ratings_are_sums_in_float64():
    actual = np.full(ROWS, 0.1, np.float32)
    one = float(np.float32(0.1))
    predicted = np.zeros_like(actual)
    assert_allclose(metrics.rmse(predicted, actual), one, rtol=1e-12)
    assert_allclose(metrics.prediction.mae(predicted, actual), one, rtol=1e-12)


@pytest.mark.row(60)
def test_a_mean_whose_sum_lies_beyond_float64():
    truth = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 1], "relevance": 1.7e308})
    recs = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 2], "score": 1.0})
    mean = evaluate(recs, truth, "CG").summary.loc["", "CG"]
    assert_allclose(mean, 2 * (1.7e308 / 3), rtol=1e-15)
