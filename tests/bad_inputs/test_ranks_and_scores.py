"""Rows 26 to 33: invalid ranks, invalid scores, and odd but valid scores."""

import numpy as np
import pytest
from bad_inputs.cases import put_through, table_cases

from receval import InputError, auc, evaluate, hits, metrics


@pytest.mark.parametrize(("case", "form"), table_cases(range(26, 34)))
def test_tables(case, form, tmp_path):
    put_through(case, form, tmp_path)


@pytest.mark.row(27)
@pytest.mark.parametrize(
    "discount", [metrics.shifted_log2, metrics.clipped_log2, metrics.reciprocal]
)
def test_rank_0_has_no_discount(discount):
    with pytest.raises(InputError, match=r"rank must be at least 1; got 0.0"):
        discount([0, 1])


@pytest.mark.row(29)
@pytest.mark.parametrize("score", [float("nan"), None, "0.5", 1j, True], ids=repr)
def test_a_similarity_that_is_no_number(score):
    with pytest.raises(InputError, match=r"retrieved must have finite numbers as similarities"):
        hits({"a": 1.0, "b": 0.5}, {"a": 0.3, "b": score})


@pytest.mark.row(29)
def test_a_nan_score_of_an_item_in_an_array():
    with pytest.raises(InputError, match=r"scores must not be NaN where there is an item; got nan"):
        auc([1, 0], scores=[0.5, np.nan])


@pytest.mark.row(30)
def test_infinite_scores_in_an_array():
    assert auc([1, 0, 0], scores=[np.inf, 0.0, -np.inf]) == 1
    assert auc([1, 0, 0], scores=[-np.inf, 0.0, np.inf]) == 0
    assert auc([1, 0, 0], scores=[np.inf, np.inf, 0.0]) == 0.75


@pytest.mark.row(31)
@pytest.mark.parametrize("tiny", [1e-9, 1e-13, np.spacing(1.0)])
def test_tiny_gaps_are_gaps(tiny):
    assert auc([1, 0], scores=[1 + tiny, 1.0]) == 1
    assert hits({"a": 1.0, "b": 0.5}, {"b": 1.0, "a": 1 + tiny}, k=1) == 1


@pytest.mark.row(32)
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint64"])
def test_scores_of_any_type_in_an_array(dtype):
    assert auc([0, 1, 0], scores=np.array([1, 3, 2], dtype)) == 1


@pytest.mark.row(32)
def test_counts_of_a_float16_column_go_beyond_2048():
    gains = np.ones(5000, np.float16)
    assert metrics.cumulative_gain(gains) == 5000
    assert metrics.ranking.precision(gains) == 1


@pytest.mark.row(26)
def test_rows_in_any_order_are_the_same_to_the_last_bit():
    from bad_inputs.cases import MEASURES, RECS, TRUTH

    plain = evaluate(RECS, TRUTH, MEASURES)
    for order in ([2, 1, 0], [1, 0, 2], [1, 2, 0]):
        mixed = evaluate(RECS.iloc[order], TRUTH.iloc[order], MEASURES)
        np.testing.assert_array_equal(plain.per_user, mixed.per_user)
