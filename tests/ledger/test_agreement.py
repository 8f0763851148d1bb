"""When a computed value agrees with a printed figure; `test_published` has the basic cases."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import Interval, agrees, is_excluded, printed_interval, prints_same


@pytest.mark.parametrize(
    ("value", "printed", "options", "verdict"),
    [
        (0.3956, "39.6 %", {}, True),
        (39.56, "39.6 %", {}, False),  # a share is wanted
        (0.0001, "±0.010", {"percent": True}, True),
        (0.010, "±0.010", {"percent": True}, False),
        (1374327, "1,374,327", {}, True),
        (1374328, "1,374,327", {}, False),
        (-0.156, "−0.156", {}, True),
        (1.1981263, "1.198126...", {}, True),
        (1.1981269, "1.198126...", {}, True),
        (1.1981269, "1.198126", {}, False),
        (0.4512, "0.451ᵃᵇ", {}, True),
        (26_703_169, "26M", {}, True),
        (26_703_169, "27M", {}, True),
        (26_703_169, "26M", {"rounding": "truncated"}, True),
        (26_703_169, "27M", {"rounding": "truncated"}, False),
        (26_703_169, "26M", {"rounding": "nearest"}, False),
        (26.7, "26", {"rounding": "truncated"}, True),
        (31.2, "31", {"rounding": "half_up"}, False),  # whole numbers are mostly counts
        (31.2, "31", {"rounding": "half_up", "decimals": 0}, True),
        (0.0009, "< 0.001", {}, True),
        (0.001, "< 0.0005", {}, False),
        (Fraction(1, 1000), "< 0.001", {}, False),
        (0.5, "≥ 0.5", {}, True),
        (0.396, "0.396 ± 0.002", {}, True),
        ((0.3958, 0.0017), "0.396 ± 0.002", {}, True),
        ((0.3958, 0.0027), "0.396 ± 0.002", {}, False),
        ((0.3948, 0.0017), "0.396 ± 0.002", {}, False),
        ((0.3958, 0.0017), "0.396 ± 0.002", {"rounding": "truncated"}, False),
        ((12, 3.2), "12 (3)", {}, True),
        ((0.396, 0.002), "39.6 ± 0.2 %", {}, True),
        (float("nan"), "< 0.001", {}, False),
        (float("-inf"), "< 0.001", {}, False),
        ("n.s.", "n.s.", {}, True),
        (0.641667, "0.6416", {}, False),
        (0.641667, "0.6416", {"rounding": "any"}, True),
        (0.641667, "0.6417", {"rounding": "any"}, True),
        (0.641667, "0.6418", {"rounding": "any"}, False),
    ],
)
def test_forms_and_rules(value, printed, options, verdict):
    assert agrees(value, printed, **options) is verdict


@pytest.mark.parametrize("rounding", ["half_up", "half_even", "nearest", "any"])
def test_a_float_on_a_tie_fits_either_way(rounding):
    assert agrees(0.5625, "0.563", rounding=rounding)
    assert agrees(0.5625, "0.562", rounding=rounding)
    assert agrees(np.float32(0.1235), "0.124", rounding=rounding)


def test_exact_numbers_on_a_tie_follow_the_rule():
    tie = Fraction(5625, 10000)
    assert agrees(tie, "0.563", rounding="half_up")
    assert not agrees(tie, "0.562", rounding="half_up")
    assert agrees(Decimal("0.5625"), "0.562", rounding="half_even")
    assert not agrees(Decimal("0.5625"), "0.563", rounding="half_even")
    assert not agrees(-tie, "-0.562", rounding="half_up")
    assert agrees(-tie, "-0.563", rounding="half_up")


def test_minus_zero_is_a_small_negative_number():
    assert agrees(-0.004, "-0.00")
    assert not agrees(0.004, "-0.00")
    assert agrees(-0.004, "0.00")
    assert agrees(0.009, "0.00", rounding="truncated")


ORACLES = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncated": ROUND_DOWN}


@given(st.integers(-3000, 3000), st.integers(-20, 20), st.sampled_from(sorted(ORACLES)))
def test_intervals_are_those_of_decimal_rounding(twentieths, offset, rule):
    # Values in steps of a twentieth of the printed unit, so that all ties occur.
    value = Decimal(twentieths) / 2000
    rounded = value.quantize(Decimal("0.01"), rounding=ORACLES[rule])
    printed = f"{abs(rounded):f}"
    if rounded < 0:
        printed = f"-{printed}"
    interval = printed_interval(printed, rounding=rule)
    assert interval.contains(value)
    other = value + Decimal(offset) / 2000
    same = other.quantize(Decimal("0.01"), rounding=ORACLES[rule]) == rounded
    assert interval.contains(other) is same
    assert printed_interval(printed, rounding="any").includes(interval)


@given(st.floats(-1e6, 1e6), st.integers(1, 8))
def test_a_value_agrees_with_its_own_print(value, decimals):
    assert agrees(value, f"{value:.{decimals}f}")
    assert agrees(value, f"{100 * Decimal(value):.{decimals}f} %")
    unit = 10.0**-decimals
    assert not agrees(value + 1.01 * unit + 1e-9 * abs(value), f"{value:.{decimals}f}")


def test_rounded_inputs_widen_the_interval():
    assert printed_interval("0.51", input_digits=2) == Interval("0.5", "0.52")
    assert printed_interval("0.51%", input_digits=2) == Interval("0.0050", "0.0052")


@pytest.mark.parametrize(
    ("printed", "options", "interval"),
    [
        ("0.563", {"rounding": "half_up"}, "[0.5625, 0.5635)"),
        ("-0.563", {"rounding": "half_up"}, "(-0.5635, -0.5625]"),
        ("0.563", {"rounding": "half_even"}, "(0.5625, 0.5635)"),
        ("0.562", {"rounding": "half_even"}, "[0.5615, 0.5625]"),
        ("0.00", {"rounding": "half_up"}, "(-0.005, 0.005)"),
        ("0.00", {"rounding": "half_even"}, "[-0.005, 0.005]"),
        ("-0.00", {"rounding": "half_up"}, "(-0.005, 0]"),
        ("0.00", {"rounding": "truncated"}, "(-0.01, 0.01)"),
        ("0.66", {"kind": "truncated"}, "[0.66, 0.67)"),
        ("0.66", {"kind": "exact"}, "[0.66, 0.66]"),
        ("31", {}, "[31, 31]"),
        ("31", {"decimals": 0}, "[30.5, 31.5]"),
        ("40 %", {}, "[0.395, 0.405]"),
        ("1.5e3", {}, "[1450, 1550]"),
        ("< 0.001", {}, "(-∞, 0.001)"),
        ("≥ 0.5", {}, "[0.5, ∞)"),
        ("1.2...", {"rounding": "half_up"}, "[1.2, 1.3)"),
    ],
)
def test_intervals_of_printed_figures(printed, options, interval):
    assert repr(printed_interval(printed, **options)) == interval


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agrees(0.4, "39.6 x"), "must be a number in a form"),
        (lambda: agrees(0.4, "M8", where="a.toml, line 3"), r"^a\.toml, line 3: printed must"),
        (lambda: agrees(0.4, "n.s.", where="line 3"), "^line 3: .*no number to compare"),
        (lambda: printed_interval("—"), "no number"),
        (lambda: agrees(0.4, "0.4", rounding="up"), "rounding must be one of 'half_up'"),
        (lambda: agrees(0.4, "0.4", rounding="halfup"), "Did you mean 'half_up'"),
        (lambda: agrees(0.4, "0.4", kind="exact", rounding="any"), "left out when kind is 'exact'"),
        (lambda: agrees(0.4, "0.4", kind="truncated", rounding="any"), "'truncated' or left out"),
        (lambda: agrees(0.4, "0.4…", kind="exact"), "with an ellipsis"),
        (lambda: agrees((0.4, 0.1), "0.4"), "have no spread; got '0.4'"),
        (lambda: agrees((0.4, 0.1, 0.2), "0.4 ± 0.1"), "a value and its spread"),
        (lambda: agrees(0.4, "0.456", decimals=2), "at most 2 decimals"),
        (lambda: agrees(0.4, 0.4), "be a text; got 0.4"),
        (lambda: agrees(0.4, "0.4", input_digits=-1), "input_digits must be a whole number"),
        (lambda: is_excluded(0.4, "0.4"), "bound must be an Interval"),
        (lambda: is_excluded((0.4, "x"), "0.4"), "bound must be an Interval"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_bound_excludes_a_figure_without_a_common_value():
    assert is_excluded((float("-inf"), 0.3), "0.56")
    assert not is_excluded((0.555 - 1e-17, 0.6), "0.55", rounding="half_up")  # a rounding error
    assert is_excluded(Interval("0.555", "0.6"), "0.55", rounding="half_up")
    assert not is_excluded(Interval("0.555", "0.6"), "0.55", rounding="nearest")


def test_a_figure_may_not_distinguish_two_definitions():
    assert prints_same(0.775910, 0.776119, "0.776")
    assert not prints_same(0.775910, 0.776119, "0.7759")
