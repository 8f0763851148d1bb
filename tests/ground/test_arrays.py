"""Means and exact sums: neither the order nor the groups of values change them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval._arrays import mean, sum_exactly

FINITE = st.floats(min_value=-1e290, max_value=1e290)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([1.7976931348623157e308] * 4, 1.7976931348623157e308, id="sum overflows"),
        pytest.param([1e16, 1.0, -1e16], 1 / 3, id="nothing cancels"),
        pytest.param([math.nan, 0.5], 0.5, id="NaN is left out"),
        pytest.param([math.nan], math.nan, id="only NaN"),
        pytest.param([], math.nan, id="empty"),
    ],
)
def test_mean_by_hand(values, expected):
    np.testing.assert_equal(mean(values), expected)


@given(st.lists(FINITE, min_size=1), st.randoms())
def test_the_mean_does_not_depend_on_the_order(values, random):
    found = mean(values)
    assert found == pytest.approx(float(sum(map(Fraction, values)) / len(values)), rel=4e-16)
    random.shuffle(values)
    assert mean(values) == found


@given(st.lists(st.lists(FINITE)))
def test_groups_have_the_exact_sum_of_all_values(groups):
    values = [value for group in groups for value in group]
    parts = [part for group in groups for part in sum_exactly(group)]
    assert sum(map(Fraction, parts)) == sum(map(Fraction, values))
    assert sum(map(Fraction, sum_exactly(parts))) == sum(map(Fraction, values))
    assert math.fsum(parts) == math.fsum(values)
