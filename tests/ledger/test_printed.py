"""Printed numbers in all their forms."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import agrees, printed_interval


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
        ("0.", "0", -8),  # as NumPy prints 0.0 in an array
        ("1.", "1", -8),
        ("-12.", "-12", -8),
        ("123456789012345678901234567890.5", "123456789012345678901234567890.5", -1),
        ("0.396\n", "0.396", -3),
    ],
)
def test_value_and_power(text, value, power):
    printed = printed_interval(text)
    assert (printed.value, printed.power) == (Fraction(value), power)


def test_dropped_zeros_are_restored():
    assert printed_interval("0", decimals=3).power == -3
    assert printed_interval("12.5 %", decimals=2).power == -4
    with pytest.raises(InputError, match="have at most 3 decimals"):
        printed_interval("0.3956", decimals=3)


def test_numpy_drops_the_zeros_after_a_point():
    """NumPy's own output is the oracle: each element of an array, read back, holds its number."""
    numbers = np.array([0.0, 1.0, 1 / 3, -12.0, 1 - 3e-9])
    for precision in (8, 3):
        with np.printoptions(precision=precision):
            texts = str(numbers).strip("[]").split()
        assert texts[1] == texts[-1] == "1."
        for number, text in zip(numbers, texts, strict=True):
            assert agrees(number, text, decimals=precision), text
    # Eight decimals are NumPy's default, and the default here.
    assert agrees(1 - 3e-9, "1.")
    assert not agrees(1 - 6e-9, "1.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("M8", 'state kind = "exact"'),
        ("", "must be a number"),
        (".", "must be a number"),
        ("%", "must be a number"),
        ("1/6", "must be a number"),
        ("nan", "must be a number"),
        ("inf", "must be a number"),
        ("٣", "must be a number"),  # only ASCII digits are digits
        ("0x1F", "must be a number"),
        ("1_000", "must be a number"),
        ("0,396", "must be a number"),
        ("0.396 0.412", "must be a number"),
        ("1,37,000", "must be a number"),
        ("p<0.01", "must be a number"),
        ("396..", "must be a number"),
        ("1,508.", "must be a number"),  # the full stop of a sentence, perhaps
        ("5. %", "must be a number"),
        ("0.396*", "must be a number"),
        ("0.396 (2)", "must be a number"),
        ("26M %", "must be a number"),
        ("1e999", "must be a number"),
    ],
)
def test_other_forms_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        printed_interval(text)


def test_numbers_must_be_quoted():
    with pytest.raises(InputError, match=r"be a text; got 0.5. Quote it"):
        printed_interval(0.5)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        printed = printed_interval(text)
    except InputError:
        return
    assert isinstance(printed.value, Fraction)
