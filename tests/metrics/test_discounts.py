"""Rank weights and gains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from receval import InputError
from receval.metrics import (
    binary_gain,
    clipped_log2,
    dcg,
    exponential_gain,
    ideal_dcg,
    linear_gain,
    reciprocal,
    relison_gain,
    shifted_log2,
)
from receval.metrics.discounts import undiscounted

DISCOUNTS = [shifted_log2, clipped_log2, reciprocal, undiscounted]


@pytest.mark.parametrize(
    ("discount", "expected"),
    [
        (shifted_log2, [1, 1 / np.log2(3), 1 / 2, 1 / np.log2(5)]),
        (clipped_log2, [1, 1, 1 / np.log2(3), 1 / 2]),
        (reciprocal, [1, 1 / 2, 1 / 3, 1 / 4]),
        (undiscounted, [1, 1, 1, 1]),
    ],
)
def test_weights_of_the_first_four_ranks(discount, expected):
    assert_allclose(discount([[1, 2], [3, 4]]), np.reshape(expected, (2, 2)), rtol=1e-15)
    assert discount(3) == expected[2]
    assert np.ndim(discount(3)) == 0


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        (linear_gain, [0, 0.25, 1, 3, np.nan]),
        (binary_gain, [0, 1, 1, 1, np.nan]),
        (exponential_gain, [0, 2**0.25 - 1, 1, 7, np.nan]),
        (relison_gain, [0, 0, 2**1.5 - 1, 2**3.5 - 1, np.nan]),
        (relison_gain(threshold=2), [0, 0, 0, 3, np.nan]),
        (relison_gain(threshold=0), [0, 2**1.25 - 1, 3, 15, np.nan]),
    ],
)
def test_gains_of_four_grades_and_an_empty_rank(gain, expected):
    grades = np.array([0, 0.25, 1, 3, np.nan])
    gains = gain(grades)
    assert_allclose(gains, expected, rtol=1e-15)
    assert not np.shares_memory(gains, grades)
    assert gain(1) == gains[2]
    assert np.ndim(gain(1)) == 0


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: exponential_gain(1e-20), 1e-20 * np.log(2)),
        (lambda: exponential_gain(1023), 2.0**1023),
        (lambda: dcg([1], gain=relison_gain), relison_gain(1, threshold=0.5)),
        (lambda: dcg([1], gain=relison_gain(threshold=1)), 1),
        (lambda: linear_gain(2), 2),
    ],
)
def test_gains_to_the_last_bit(call, expected):
    assert call() == expected


@pytest.mark.parametrize("gain_of_nan", [1.0, np.inf, -1.0])
def test_an_empty_rank_has_no_gain_whatever_the_function_returns_for_nan(gain_of_nan):
    def gain(grades):
        return np.where(np.isnan(grades), gain_of_nan, 2.0)

    assert dcg([1, np.nan, np.nan], gain=gain) == 2
    assert ideal_dcg([np.nan, 1, np.nan], gain=gain) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear_gain([-1]), r"grades must be at least 0; got -1.0 at index 0"),
        (lambda: linear_gain(["a"]), r"grades must hold numbers; got type <U1$"),
        (lambda: shifted_log2(["a"]), r"rank must hold numbers; got type <U1$"),
        (lambda: reciprocal([0]), r"rank must be at least 1; got 0.0 at index 0"),
        *(
            (
                lambda discount=discount, rank=rank: discount(rank),
                r"rank must be at least 1; got .*. The best item has rank 1$",
            )
            for discount in DISCOUNTS
            for rank in (0, -1, 0.5, np.nan, [1, 0])
        ),
        *(
            (
                lambda gain=gain: gain([1, 2000]),
                "grades must have a gain below .*; got 2000.0 at in",
            )
            for gain in (exponential_gain, relison_gain)
        ),
        (lambda: exponential_gain([np.inf]), r"grades must be finite; got inf"),
        (lambda: relison_gain(threshold=-1), r"threshold must be a number of at least 0; got -1"),
        (
            lambda: relison_gain([1], threshold="0.5"),
            r"threshold must be a number of at least 0; got '0.5'$",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
