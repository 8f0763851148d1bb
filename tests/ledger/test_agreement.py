"""When a computed value agrees with a printed figure; `test_published` has the basic cases."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import agrees, printed_interval


@pytest.mark.parametrize(
    ("value", "printed", "options", "verdict"),
    [
        (0.3956, "39.6 %", {}, True),
        (39.56, "39.6 %", {}, False),  # a share is wanted
        (0.0104, "±0.010", {}, True),
        (0.0106, "±0.010", {}, False),
        (1374327, "1,374,327", {}, True),
        (1374328, "1,374,327", {}, False),
        (-0.156, "−0.156", {}, True),
        (1.1981263, "1.198126...", {}, True),
        (1.1981269, "1.198126...", {}, True),
        (1.1981269, "1.198126", {}, False),
        (26_703_169, "26M", {"kind": "truncated"}, True),
        (26_703_169, "27M", {"kind": "truncated"}, False),
        (26_703_169, "26M", {}, False),
        (26_703_169, "26M", {"kind": "either"}, True),
        (26_703_169, "27M", {"kind": "either"}, True),
        (Fraction(27_000_000), "26M", {"kind": "truncated"}, False),
        (31.2, "31", {}, False),  # whole numbers are mostly counts
        (31.2, "31", {"decimals": 0}, True),
        (0.641667, "0.6416", {}, False),
        (0.641667, "0.6416", {"kind": "either"}, True),
        (0.641667, "0.6417", {"kind": "either"}, True),
        (0.641667, "0.6418", {"kind": "either"}, False),
    ],
)
def test_forms_and_rules(value, printed, options, verdict):
    assert agrees(value, printed, **options) is verdict


@pytest.mark.parametrize("kind", ["rounded", "either"])
def test_a_float_on_a_tie_fits_either_way(kind):
    assert agrees(0.5625, "0.563", kind=kind)
    assert agrees(0.5625, "0.562", kind=kind)
    assert agrees(np.float32(0.1235), "0.124", kind=kind)


def test_exact_numbers_are_compared_without_tolerance():
    assert agrees(Fraction(5625, 10000), "0.562")
    assert not agrees(Fraction(56251, 100000), "0.562")
    assert agrees(Decimal("0.5629"), "0.562", kind="truncated")
    assert not agrees(Decimal("0.563"), "0.562", kind="truncated")
    assert agrees(Decimal("-0.5629"), "-0.562", kind="truncated")


def test_minus_zero_is_a_small_negative_number():
    assert agrees(-0.004, "-0.00")
    assert not agrees(0.004, "-0.00")
    assert agrees(-0.004, "0.00")
    assert agrees(0.009, "0.00", kind="truncated")


ROUNDINGS = {"rounded": ROUND_HALF_EVEN, "truncated": ROUND_DOWN}


@given(st.integers(-3000, 3000), st.integers(-20, 20), st.sampled_from(sorted(ROUNDINGS)))
def test_intervals_are_those_of_decimal_rounding(twentieths, offset, kind):
    # Values in steps of a twentieth of the printed unit, so that all ties occur.
    value = Decimal(twentieths) / 2000
    rounded = value.quantize(Decimal("0.01"), rounding=ROUNDINGS[kind])
    printed = f"{abs(rounded):f}"
    if rounded < 0:
        printed = f"-{printed}"
    assert printed_interval(printed, kind=kind).contains(Fraction(value))
    assert printed_interval(printed, kind="either").contains(Fraction(value)) or kind == "rounded"
    other = value + Decimal(offset) / 2000
    is_tie = kind == "rounded" and abs(other - rounded) == Decimal("0.005")
    same = other.quantize(Decimal("0.01"), rounding=ROUNDINGS[kind]) == rounded
    assert printed_interval(printed, kind=kind).contains(Fraction(other)) is (same or is_tie)


@given(st.floats(-1e6, 1e6), st.integers(1, 8))
def test_a_value_agrees_with_its_own_print(value, decimals):
    assert agrees(value, f"{value:.{decimals}f}")
    assert agrees(value, f"{100 * Decimal(value):.{decimals}f} %")
    unit = 10.0**-decimals
    assert not agrees(value + 1.01 * unit + 1e-9 * abs(value), f"{value:.{decimals}f}")


def test_rounded_inputs_widen_the_interval():
    assert repr(printed_interval("0.51", input_digits=2)) == "[0.5, 0.52]"
    assert repr(printed_interval("0.51%", input_digits=2)) == "[0.005, 0.0052]"


@pytest.mark.parametrize(
    ("printed", "options", "interval"),
    [
        ("0.563", {}, "[0.5625, 0.5635]"),
        ("-0.563", {"kind": "either"}, "(-0.564, -0.5625]"),
        ("0.00", {}, "[-0.005, 0.005]"),
        ("-0.00", {}, "[-0.005, 0]"),
        ("0.00", {"kind": "truncated"}, "(-0.01, 0.01)"),
        ("0.66", {"kind": "truncated"}, "[0.66, 0.67)"),
        ("0.66", {"kind": "exact"}, "[0.66, 0.66]"),
        ("31", {}, "[31, 31]"),
        ("31", {"decimals": 0}, "[30.5, 31.5]"),
        ("40 %", {}, "[0.395, 0.405]"),
        ("1.5e3", {}, "[1450, 1550]"),
        ("1.2...", {}, "[1.2, 1.3)"),
    ],
)
def test_intervals_of_printed_figures(printed, options, interval):
    assert repr(printed_interval(printed, **options)) == interval


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agrees(0.4, "39.6 x"), "must be a number in a form"),
        (lambda: agrees(0.4, "n.s."), "must be a number in a form"),
        (lambda: agrees(0.396, "0.396 ± 0.002"), "Give a value and its spread as two numbers"),
        (lambda: printed_interval("—"), "must be a number in a form"),
        (lambda: agrees(0.4, "0.4", kind="round"), "Did you mean 'rounded'"),
        (lambda: agrees(0.4, "0.4", kind="exact", input_digits=1), "left out if kind is 'exact'"),
        (lambda: agrees(0.4, "0.4…", kind="exact"), "be 'truncated' for a number that is cut"),
        (lambda: agrees(0.4, "0.456", decimals=2), "at most 2 decimals"),
        (lambda: agrees(0.4, 0.4), "be a text; got 0.4"),
        (lambda: agrees(True, "1"), "value must be a single number or text; got True"),
        (lambda: agrees(0.4, "0.4", input_digits=-1), "input_digits must be a whole number"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
