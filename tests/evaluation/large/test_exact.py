"""Sums without rounding equal sums of fractions, in any order and grouping."""

import math
import pickle
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval._exact import ExactSum, mean

FINITE = st.floats(allow_nan=False, allow_infinity=False)
ANY = st.floats()


def oracle(values):
    """The mean of finite numbers, rounded once."""
    return float(sum(map(Fraction, values)) / len(values))


@given(st.lists(FINITE, min_size=1))
def test_mean_is_the_rounded_exact_mean(values):
    assert ExactSum.of(values).mean() == oracle(values)


@given(st.lists(st.lists(ANY)), st.randoms())
def test_any_order_and_grouping_give_the_same_sum(groups, random):
    whole = ExactSum.of([value for group in groups for value in group])
    parts = [ExactSum.of(group) for group in groups]
    random.shuffle(parts)
    assert reduce(add, parts, ExactSum()) == whole
    flat = [value for group in groups for value in group]
    random.shuffle(flat)
    assert ExactSum.of(flat) == whole


@given(st.lists(ANY))
def test_goes_through_pickle(values):
    found = ExactSum.of(values)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([1.7976931348623157e308] * 3, 1.7976931348623157e308, id="sum overflows"),
        pytest.param([5e-324, 0.0], 0.0, id="half the smallest rounds to even"),
        pytest.param([5e-324, 5e-324, 0.0], 5e-324, id="smallest numbers are not lost"),
        pytest.param([1e16, 1.0, -1e16], 1 / 3, id="nothing cancels"),
        pytest.param([-0.5, 0.25], -0.125, id="negative"),
        pytest.param([math.nan, 0.5], 0.5, id="NaN is left out"),
        pytest.param([math.inf, 1.0], math.inf, id="infinite"),
        pytest.param([-math.inf, math.inf], math.nan, id="both infinities"),
        pytest.param([math.nan], math.nan, id="only NaN"),
        pytest.param([], math.nan, id="empty"),
    ],
)
def test_mean_by_hand(values, expected):
    np.testing.assert_equal(mean(np.array(values)), expected)


def test_counts_what_it_left_out():
    found = ExactSum.of([1.0, math.nan, math.inf, -math.inf, math.nan])
    assert (found.count, found.missing, found.above, found.below) == (3, 2, 1, 1)


def test_a_long_input_is_summed_in_chunks_without_a_difference():
    values = np.random.default_rng(7).normal(size=200_000) * 10.0 ** np.arange(-100, 100).repeat(
        1000
    )
    assert ExactSum.of(values).mean() == math.fsum(values) / values.size
    assert ExactSum.of(values[::-2]) + ExactSum.of(values[::2]) == ExactSum.of(values)
