"""Rows 1 to 9: columns that are missing, twice, or of wrong lengths or shapes; empty tables."""

import numpy as np
import pytest
from bad_inputs.cases import MEASURES, RECS, TRUTH, put_through, table_cases
from numpy.testing import assert_array_equal

from receval import InputError, evaluate, metrics
from receval.tables.columns import read_column


@pytest.mark.parametrize(("case", "form"), table_cases(range(1, 10)))
def test_tables(case, form, tmp_path):
    put_through(case, form, tmp_path)


TWO_ARRAYS = {
    "mae": metrics.prediction.mae,
    "mse": metrics.prediction.mse,
    "rmse": metrics.rmse,
    "r_squared": metrics.prediction.r_squared,
    "confusion_matrix": metrics.confusion_matrix,
    "auc": lambda one, other: metrics.auc(one, scores=other),
}


@pytest.mark.row(4)
@pytest.mark.parametrize("metric", TWO_ARRAYS.values(), ids=TWO_ARRAYS)
def test_paired_arrays_of_unequal_lengths(metric):
    with pytest.raises(InputError, match="must have the same length; got 2 and 3"):
        metric([1, 0], [1, 0, 1])


@pytest.mark.row(4)
def test_columns_of_unequal_lengths():
    uneven = {"user": [1, 2], "item": [1], "score": [1.0, 2.0]}
    with pytest.raises(InputError, match=r"columns of one length; got {'user': 2, 'item': 1"):
        evaluate(uneven, TRUTH, "MRR")


@pytest.mark.parametrize("label", [True, np.True_, 1 + 0j, (1,), slice(1), [1]], ids=repr)
def test_a_label_that_only_equals_a_column_name_is_refused(label):
    table = RECS.set_axis(range(RECS.shape[1]), axis=1)
    with pytest.raises(InputError, match=r"t must have one column .*; got the columns .0, 1, 2"):
        read_column(table, label, "t")


@pytest.mark.row(5)
@pytest.mark.parametrize("table", ["recommendations", "relevance", "history"])
def test_a_generator_is_no_table(table):
    tables = {"recommendations": RECS, "relevance": TRUTH, table: (row for row in [1])}
    with pytest.raises(InputError, match=rf"{table} must be a table"):
        evaluate(measures="MRR", **tables)


@pytest.mark.row(5)
def test_a_generator_of_measures_is_read_once_and_whole():
    once = evaluate(RECS, TRUTH, (name for name in MEASURES))
    assert_array_equal(once.per_user, evaluate(RECS, TRUTH, MEASURES).per_user)


@pytest.mark.row(5)
def test_a_ranking_given_as_a_generator_is_read_by_one_metric_only():
    truth = {"a": 0.9, "b": 0.5}
    pairs = list(truth.items())
    assert metrics.hits(truth, (pair for pair in pairs)) == metrics.hits(truth, pairs) == 2


@pytest.mark.row(8)
@pytest.mark.parametrize("name", ["user", "item", "score"])
@pytest.mark.parametrize("shape", [(3, 1), (1, 3), (3, 2), ()])
def test_a_column_of_other_than_one_axis(name, shape):
    table = {**{one: RECS[one].to_numpy() for one in RECS}, name: np.ones(shape)}
    with pytest.raises(
        InputError,
        match=rf"column '{name}' of recommendations must (have one axis|be a list or an array)",
    ):
        evaluate(table, TRUTH, "MRR")


@pytest.mark.row(8)
def test_array_functions_take_leading_axes():
    gains = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    assert metrics.dcg(gains).shape == metrics.auc(gains).shape == (1, 2)
    with pytest.raises(InputError, match="items must have the axes"):
        metrics.catalog_coverage(np.zeros((2, 2, 2), int), 3)
