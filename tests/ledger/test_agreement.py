"""Printed numbers in all their forms, and when a computed value agrees with one."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import agrees, printed_interval

BOTH = ("rounded", "either")  # kinds of rounding


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
        # a float on a tie fits either way
        *(
            (0.5625, printed, {"kind": kind}, True)
            for printed in ("0.563", "0.562")
            for kind in BOTH
        ),
        *((np.float32(0.1235), "0.124", {"kind": kind}, True) for kind in BOTH),
        # exact numbers are compared without tolerance
        (Fraction(5625, 10000), "0.562", {}, True),
        (Fraction(56251, 100000), "0.562", {}, False),
        (Decimal("0.5629"), "0.562", {"kind": "truncated"}, True),
        (Decimal("0.563"), "0.562", {"kind": "truncated"}, False),
        (Decimal("-0.5629"), "-0.562", {"kind": "truncated"}, True),
        # minus zero is a small negative number
        (-0.004, "-0.00", {}, True),
        (0.004, "-0.00", {}, False),
        (-0.004, "0.00", {}, True),
        (0.009, "0.00", {"kind": "truncated"}, True),
        pytest.param(23.785, "23.79", {}, True, id="half a unit"),
        pytest.param(23.7849, "23.79", {}, False, id="more than half a unit"),
        pytest.param(0.896, "0.90", {}, True, id="trailing zero"),
        pytest.param(0.9, "0.90", {}, True, id="trailing zero, exact"),
        pytest.param(0.94, "0.90", {}, False, id="the digits set the precision"),
        pytest.param(0.94, "0.9", {}, True, id="one digit"),
        pytest.param(2 / 3, "0.6666", {"kind": "truncated"}, True, id="truncated"),
        pytest.param(2 / 3, "0.6666", {}, False, id="not rounded"),
        pytest.param(0.66669, "0.6667", {"kind": "truncated"}, False, id="truncated below"),
        pytest.param(0.66, "0.66", {"kind": "truncated"}, True, id="truncated, on the digit"),
        pytest.param(-0.669, "-0.66", {"kind": "truncated"}, True, id="towards zero"),
        pytest.param(31, "31", {}, True, id="whole"),
        pytest.param(31.4, "31", {}, False, id="whole numbers compare exactly"),
        pytest.param(1e-9, "0", {}, False, id="zero is zero"),
        pytest.param(0.1 + 0.2, "0.3", {"kind": "exact"}, True, id="exact up to rounding errors"),
        pytest.param(0.3001, "0.3", {"kind": "exact"}, False, id="exact"),
        pytest.param("M8", "M8", {"kind": "exact"}, True, id="label"),
        pytest.param("M4", "M8", {"kind": "exact"}, False, id="other label"),
        pytest.param(8, "M8", {"kind": "exact"}, False, id="number for a label"),
        pytest.param("8", "8", {}, False, id="text for a number"),
        pytest.param(float("nan"), "0.5", {}, False, id="NaN"),
        pytest.param(float("inf"), "0.5", {}, False, id="infinite"),
        pytest.param(0.5149, "0.51", {"input_digits": 2}, True, id="rounded inputs"),
        pytest.param(0.5201, "0.51", {"input_digits": 2}, False, id="rounded inputs, too far"),
        pytest.param(0.0005, "0", {"decimals": 3}, True, id="0 is 0.000"),
        pytest.param(0.0006, "0", {"decimals": 3}, False, id="0.001 would be printed"),
        pytest.param(1, "1", {"decimals": 3}, True, id="1 is 1.000"),
        pytest.param(0.074, "0.07", {"decimals": 3}, False, id="0.07 is 0.070"),
        # NumPy drops the zeros after a point.
        (1 - 3e-9, "1.", {"decimals": 8}, True),
        (1 - 6e-9, "1.", {"decimals": 8}, False),
        pytest.param(1 - 3e-9, "1.", {}, False, id="a count without decimals"),
    ],
)
def test_a_value_agrees_at_the_printed_precision(value, printed, options, verdict):
    assert agrees(value, printed, **options) is verdict


ROUNDINGS = {"rounded": ROUND_HALF_EVEN, "truncated": ROUND_DOWN}


@given(st.integers(-3000, 3000), st.integers(-20, 20), st.sampled_from(sorted(ROUNDINGS)))
def test_intervals_are_those_of_decimal_rounding(twentieths, offset, kind):
    # Values in steps of a twentieth of the printed unit, so that all ties occur.
    value = Decimal(twentieths) / 2000
    rounded = value.quantize(Decimal("0.01"), rounding=ROUNDINGS[kind])
    printed = f"{rounded:f}" if rounded else "0.00"  # without the sign of a minus zero
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
        ("0.00", {"kind": "exact"}, "[0, 0]"),
        ("31", {}, "[31, 31]"),
        ("31", {"decimals": 0}, "[30.5, 31.5]"),
        ("40 %", {}, "[0.395, 0.405]"),
        ("1.5e3", {}, "[1450, 1550]"),
        ("1.2...", {}, "[1.2, 1.3)"),
        ("0.51", {"input_digits": 2}, "[0.5, 0.52]"),
        ("0.51%", {"input_digits": 2}, "[0.005, 0.0052]"),
        ("0", {"decimals": 3}, "[-0.0005, 0.0005]"),
        ("12.5 %", {"decimals": 2}, "[0.12495, 0.12505]"),
    ],
)
def test_intervals_of_printed_figures(printed, options, interval):
    assert repr(printed_interval(printed, **options)) == interval


NO_NUMBERS = [
    "", ".", "%", "—", "1/6", "nan", "inf", "0x1F", "1_000", "0,396", "0.396 0.412", "1,37,000",
    "p<0.01", "396..", "0.396*", "0.396 (2)", "26M %", "1e999",
    "٣",  # only ASCII digits are digits
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agrees(0.4, "39.6 x"), "must be a number in a form"),
        (lambda: agrees(0.4, "n.s."), "must be a number in a form"),
        (lambda: agrees(0.396, "0.396 ± 0.002"), "Give a value and its spread as two numbers"),
        *((lambda text=text: printed_interval(text), "must be a number") for text in NO_NUMBERS),
        (lambda: printed_interval("M8"), 'state kind = "exact"'),
        (lambda: agrees(0.4, "0.4", kind="round"), "Did you mean 'rounded'"),
        (lambda: agrees(0.4, "0.456", decimals=2), "at most 2 decimals"),
        (lambda: agrees(0.4, "0.4", kind="exact", input_digits=1), "left out if kind is 'exact'"),
        (lambda: agrees(0.4, "0.4…", kind="exact"), "be 'truncated' for a number that is cut"),
        (lambda: agrees(0.4, 0.4), "be a text; got 0.4. Quote it"),
        (lambda: agrees(True, "1"), "value must be a single number or text; got True"),
        (lambda: agrees(0.4, "0.4", input_digits=-1), "input_digits must be a whole number"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize(
    ("text", "value", "power"),
    [
        ("0.396", "0.396", -3),
        ("0.50", "0.5", -2),
        (".396", "0.396", -3),
        ("-0.2", "-0.2", -1),
        ("−0.2", "-0.2", -1),  # the true minus
        ("±0.010", "0.010", -3),
        ("31", "31", 0),
        ("1,374,327", "1374327", 0),
        ("1,508.5", "1508.5", -1),
        ("39.6 %", "0.396", -3),
        ("0.35%", "0.0035", -4),
        ("26M", "26000000", 6),
        ("3.2e-4", "0.00032", -5),
        ("3.2E+04", "32000", 3),
        ("1.198126...", "1.198126", -6),
        ("0.", "0", 0),  # as NumPy prints 0.0 in an array
        ("-12.", "-12", 0),
        ("1,508.", "1508", 0),  # the full stop of a sentence, perhaps
        ("5. %", "0.05", -2),
        ("123456789012345678901234567890.5", "123456789012345678901234567890.5", -1),
        ("0.396\n", "0.396", -3),
    ],
)
def test_value_and_power(text, value, power):
    printed = printed_interval(text)
    assert (printed.value, printed.power) == (Fraction(value), power)
