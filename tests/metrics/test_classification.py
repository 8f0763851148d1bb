"""Confusion matrix: cases by hand, scikit-learn as oracle, refusals."""

import re

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError
from receval.metrics import confusion_matrix
from receval.metrics.classification import f1, precision, recall

DECISIONS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12)


@given(DECISIONS)
def test_agrees_with_scikit_learn(decisions):
    predicted, actual = map(list, zip(*decisions, strict=True))
    matrix = confusion_matrix(predicted, actual)
    assert_array_equal(
        matrix, sklearn.metrics.confusion_matrix(actual, predicted, labels=[False, True])
    )
    for ours, theirs in (
        (precision, sklearn.metrics.precision_score),
        (recall, sklearn.metrics.recall_score),
        (f1, sklearn.metrics.f1_score),
    ):
        expected = theirs(actual, predicted, zero_division=0.0)
        assert_allclose(ours(matrix, undefined=0.0), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("matrix", "p", "r", "f"),
    [
        pytest.param([[4, 2], [2, 2]], 1 / 2, 1 / 2, 1 / 2, id="all defined"),
        pytest.param([[4, 1], [1, 0]], 0, 0, 0, id="no hit"),
        pytest.param([[4, 0], [3, 0]], np.nan, 0, np.nan, id="nothing recommended"),
        pytest.param([[4, 3], [0, 0]], 0, np.nan, np.nan, id="nothing relevant"),
        pytest.param([[4, 0], [0, 0]], np.nan, np.nan, np.nan, id="neither"),
    ],
)
def test_f1_is_undefined_where_its_parts_are(matrix, p, r, f):
    assert_array_equal([precision(matrix), recall(matrix), f1(matrix)], [p, r, f])
    filled = [function(matrix, undefined=0) for function in (precision, recall, f1)]
    assert_array_equal(filled, np.nan_to_num([p, r, f]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: confusion_matrix([1, 0], [1]), r"predicted and actual must have the same length"),
        (
            lambda: confusion_matrix([1, 2], [1, 0]),
            r"predicted must be boolean.*; got 2.0 at index 1",
        ),
        (
            lambda: confusion_matrix([1, 0], [1, np.nan]),
            r"actual must be True or False for every item",
        ),
        (lambda: confusion_matrix([1, np.nan], [1, 0]), r"predicted must be True or False for"),
        (lambda: confusion_matrix(True, [True]), r"predicted must be a list or an array"),
        (
            lambda: confusion_matrix([[1], [1]], [[1]] * 3),
            r"predicted and actual must agree in their leading axes",
        ),
        (
            lambda: precision([1, 2, 3, 4]),
            r"matrix must have the shape \(\.\.\., 2, 2\); got \(4,\)$",
        ),
        (
            lambda: recall([[1, -1], [0, 0]]),
            r"matrix must hold counts, .*; got -1.0 at index \[0, 1\]",
        ),
        (lambda: f1([[1, np.nan], [0, 0]]), r"matrix must hold counts, .*; got nan"),
        (lambda: f1([[1, np.inf], [0, 0]]), r"matrix must hold counts, .*; got inf"),
        (lambda: precision([[1.5, 0], [0, 1]]), r"matrix must hold counts, whole .*; got 1.5 at"),
        *(
            (
                lambda metric=metric, value=value: metric([[5, 0], [0, 0]], undefined=value),
                f"undefined must be a number or NaN; got {re.escape(repr(value))}$",
            )
            for metric in (precision, recall, f1)
            for value in ("zero", None, True, [0.0])
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
