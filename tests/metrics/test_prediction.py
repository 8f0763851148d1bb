"""Rating errors: cases by hand, very small and very large units, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from receval import InputError
from receval.metrics import factorization_rmse, rmse
from receval.metrics.prediction import (
    factorization_rmse_terms,
    mae,
    mae_terms,
    min_max_scaled,
    mse,
    mse_terms,
    one_minus_mae,
    r_squared,
)

SHAPES = r"a, b and m must have the shapes \(U, K\), \(K, I\) and \(U, I\)"
MATRIX = r"must have the shape of a matrix \(two axes\)"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(lambda: mae([3, 5], [4, 3]), 1.5, id="mae"),
        pytest.param(lambda: mse([3, 5], [4, 3]), 2.5, id="mse"),
        pytest.param(lambda: rmse([3, 5], [4, 3]), np.sqrt(2.5), id="rmse"),
        pytest.param(lambda: mae_terms([3, 5], [4, 3]), [1, 2], id="terms of mae"),
        pytest.param(lambda: mse_terms([3, 5], [4, 3]), [1, 4], id="terms of mse"),
        pytest.param(lambda: rmse([], []), np.nan, id="no pair"),
        pytest.param(lambda: min_max_scaled([2, 3, 6]), [0, 1 / 4, 1], id="scaled"),
        pytest.param(lambda: min_max_scaled([3]), [np.nan], id="one score scaled"),
        pytest.param(lambda: min_max_scaled(np.empty((2, 0))), np.empty((2, 0)), id="none scaled"),
        pytest.param(lambda: one_minus_mae([2, 3, 6], [0, 1, 1]), 3 / 4, id="1 - mae"),
        pytest.param(lambda: one_minus_mae([2, 2], [0, 1]), np.nan, id="1 - mae of equal scores"),
        pytest.param(lambda: one_minus_mae([], []), np.nan, id="1 - mae of nothing"),
        pytest.param(lambda: r_squared([1, 2, 3], [1, 2, 4]), 11 / 14, id="r squared"),
        pytest.param(lambda: r_squared([3, 3], [1, 3]), -1, id="worse than the mean"),
        pytest.param(lambda: r_squared([1], [2]), np.nan, id="r squared of one pair"),
        pytest.param(lambda: r_squared([0.2, 0.3, 0.1], [0.1] * 3), np.nan, id="of equal values"),
        pytest.param(
            lambda: r_squared(np.empty((2, 0)), np.empty((2, 0))), [np.nan] * 2, id="of no pair"
        ),
        pytest.param(
            lambda: r_squared([[1, np.nan], [1, 2]], [1, 2]), [np.nan, 1], id="a missing prediction"
        ),
        pytest.param(lambda: mae(np.empty((2, 0)), np.empty((2, 0))), [np.nan] * 2, id="no pairs"),
        pytest.param(
            lambda: mse(np.array([120], np.int8), np.array([-120], np.int8)), 57600, id="int8"
        ),
        pytest.param(
            lambda: mae(np.array([1], np.uint8), np.array([3], np.uint8)), 2, id="unsigned"
        ),
        pytest.param(lambda: rmse([[1, 1], [1, 1]], [1, 3]), [np.sqrt(2)] * 2, id="folds"),
        pytest.param(
            lambda: factorization_rmse([[1], [2]], [[3, 4]], [[3, 4], [6, 6]]), 1, id="one factor"
        ),
        pytest.param(
            lambda: factorization_rmse_terms([[1], [2]], [[3, 4]], [[3, 4], [5, 6]]),
            [[0, 0], [1, 4]],
            id="terms of one factor",
        ),
        pytest.param(
            lambda: factorization_rmse([[1, 0, 0, 0]], [[1]] * 4, [[3]]), 1, id="four factors"
        ),
        pytest.param(
            lambda: factorization_rmse([[1, 0, 0, 0]], [[1]] * 4, [[3]], divide_by_factors=False),
            2,
            id="four factors, not divided by",
        ),
        pytest.param(
            lambda: factorization_rmse(np.empty((2, 0)), np.empty((0, 2)), np.ones((2, 2))),
            np.nan,
            id="no factor to divide by",
        ),
        pytest.param(
            lambda: factorization_rmse(np.ones((3, 2, 1)), np.ones((1, 2)), np.ones((2, 2))),
            [0, 0, 0],
            id="leading axes",
        ),
        pytest.param(
            lambda: (
                factorization_rmse(np.ones((0, 2, 3)), np.ones((0, 3, 2)), np.ones((0, 2, 2))).shape
            ),
            (0,),
            id="no factorization",
        ),
        pytest.param(
            lambda: r_squared([[1, 2]], [[1, 2], [2, 1]]),
            [1, -3],
            id="one prediction for two lists",
        ),
    ],
)
def test_prediction_errors_by_hand(call, expected):
    assert_allclose(call(), expected, rtol=1e-15)


@pytest.mark.parametrize("power", [-1000, -540, 0, 510, 1000])
def test_a_unit_in_which_squares_leave_float64_changes_no_root(power):
    predicted, actual, unit = [3, 5, 1], [4, 3, 1], 2.0**power
    assert rmse(np.array(predicted) * unit, np.array(actual) * unit) / unit == rmse(
        predicted, actual
    )
    assert r_squared(np.array(predicted) * unit, np.array(actual) * unit) == r_squared(
        predicted, actual
    )
    a, b, m = [[3], [5]], [[1, 2]], [[4, 6], [3, 8]]
    assert factorization_rmse(np.array(a) * unit, b, np.array(m) * unit) / unit == (
        factorization_rmse(a, b, m)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: one_minus_mae([1, 2], [0, 1.5]),
            r"relevance must lie in \[0, 1\]; got 1.5 at index 1$",
        ),
        (
            lambda: one_minus_mae([1, 2], [-0.5, 1]),
            r"relevance must lie in \[0, 1\]; got -0.5 at index 0",
        ),
        (
            lambda: one_minus_mae([1, 2], [0, np.nan]),
            r"relevance must be finite; got nan at index 1",
        ),
        (lambda: one_minus_mae([1, np.nan], [0, 1]), r"scores must be finite; got nan at index 1"),
        (lambda: rmse([0.0, 2**53 + 1], [0, 1]), r"predicted must hold whole numbers of at most 2"),
        (lambda: r_squared([1, np.inf], [0, 1]), r"predicted must be finite; got inf at index 1$"),
        (lambda: r_squared([1, 2], [0, np.nan]), r"actual must be finite; got nan at index 1"),
        (lambda: min_max_scaled([1.5e308, -1.5e308]), r"scores must be small enough"),
        (lambda: r_squared([1, 2, 3], [1.5e308, -1.5e308, -1.5e308]), r"actual must be small"),
        (lambda: r_squared([1, 2, 3], [1.5e308] * 3), r"actual must be small enough"),
        (lambda: r_squared([1e200, -1e200], [1, 2]), r"predicted must be small enough"),
        *(
            (
                lambda metric=metric, predicted=predicted, actual=actual: metric(predicted, actual),
                message,
            )
            for predicted, actual, message in (
                ([1, np.nan], [1, 2], r"predicted must be finite; got nan at index 1"),
                ([1, 2], [1, np.inf], r"actual must be finite; got inf at index 1"),
                (1, [1], r"predicted must be a list or an array; got 1"),
            )
            for metric in (mae, mse, rmse, mae_terms, mse_terms)
        ),
        *(
            (lambda arrays=arrays: factorization_rmse(*arrays), message)
            for arrays, message in (
                (([1], [[1]], [[1]]), rf"a {MATRIX}; got \(1,\)"),
                (([[1]], [1], [[1]]), rf"b {MATRIX}; got \(1,\)"),
                (([[1]], [[1]], [1]), rf"m {MATRIX}; got \(1,\)"),
                (
                    ([[1]], [[1], [1]], [[1]]),
                    rf"{SHAPES}; got \(\(1, 1\), \(2, 1\), \(1, 1\)\)$",
                ),
                (([[1]], [[1]], [[1, 2]]), rf"{SHAPES}; got"),
                (([[1]], [[1]], [[1], [2]]), rf"{SHAPES}; got"),
                (([[1]], [[1]], [[np.nan]]), r"m must be finite; got nan at index \[0, 0\]"),
                ((np.ones((2, 1, 1)), np.ones((3, 1, 1)), [[1]]), r"a and b and m must agree in"),
                (([[1e308, 1e308]], [[1], [1]], [[0]]), r"a, b and m must be small enough"),
                (([[1e308, 1e308]], [[10], [-10]], [[0]]), r"a, b and m must be small enough"),
            )
        ),
        *(
            (
                lambda metric=metric, predicted=predicted, actual=actual: metric(predicted, actual),
                "predicted and actual must be small enough",
            )
            for metric, predicted, actual in (
                *((one, [1.5e308], [-1.5e308]) for one in (mae, mse, rmse, mae_terms, mse_terms)),
                *((one, [1e200], [-1e200]) for one in (mse, mse_terms)),
                (mse, [1.2e154] * 2, [0, 0]),
                (mae, [1.5e308] * 2, [0, 0]),
            )
        ),
        (
            lambda: factorization_rmse([[1]], [[1]], [[1]], divide_by_factors="no"),
            r"divide_by_factors must be True or False; got 'no'$",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
