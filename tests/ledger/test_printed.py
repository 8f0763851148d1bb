"""Printed numbers in all their forms."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import agrees, read_printed


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("0.396", "0.396", "0.001"),
        ("0.50", "0.50", "0.01"),
        (".396", "0.396", "0.001"),
        ("-0.2", "-0.2", "0.1"),
        ("−0.2", "-0.2", "0.1"),  # the true minus
        ("–.25", "-0.25", "0.01"),  # a dash in its place
        ("+0.2", "0.2", "0.1"),
        ("31", "31", "1"),
        ("1,374,327", "1374327", "1"),
        ("1 508", "1508", "1"),
        ("1\u202f508", "1508", "1"),  # a narrow no-break space
        ("1{,}508", "1508", "1"),
        ("1,508.5", "1508.5", "0.1"),
        ("39.6 %", "0.396", "0.001"),
        ("0.35%", "0.0035", "0.0001"),
        ("39.6\u00a0%", "0.396", "0.001"),
        (r"39.6\,\%", "0.396", "0.001"),
        ("26M", "26000000", "1000000"),
        ("1.2k", "1200", "100"),
        ("3 million", "3000000", "1000000"),
        ("3.2e-4", "0.00032", "0.00001"),
        ("3.2E+04", "32000", "1000"),
        ("3.2 × 10⁻⁴", "0.00032", "0.00001"),
        (r"$3.2\times10^{-4}$", "0.00032", "0.00001"),
        ("3.2 · 10^{-4}", "0.00032", "0.00001"),
        ("0.", "0", "0.00000001"),  # as NumPy prints 0.0 in an array
        ("1.", "1", "0.00000001"),
        ("-12.", "-12", "0.00000001"),
        ("1.e-05", "0.00001", "0.0000000000001"),
        ("123456789012345678901234567890.5", "123456789012345678901234567890.5", "0.1"),
        ("0.396\n", "0.396", "0.001"),
    ],
)
def test_value_and_unit(text, value, unit):
    printed = read_printed(text)
    assert (printed.value, printed.unit) == (Decimal(value), Decimal(unit))
    assert not printed.is_statement


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("0.396±0.002", {"spread": Decimal("0.002"), "spread_unit": Decimal("0.001")}),
        ("0.396 (0.002)", {"spread": Decimal("0.002"), "spread_unit": Decimal("0.001")}),
        (r"$0.396_{\pm 0.002}$", {"value": Decimal("0.396"), "spread": Decimal("0.002")}),
        ("3.2e−4", {"value": Decimal("0.00032"), "unit": Decimal("0.00001")}),
        ("0.396 +/- 0.0025", {"spread": Decimal("0.0025"), "spread_unit": Decimal("0.0001")}),
        ("39.6 ± 0.2 %", {"value": Decimal("0.396"), "spread": Decimal("0.002"), "percent": True}),
        ("39.6% (0.2%)", {"value": Decimal("0.396"), "spread": Decimal("0.002"), "percent": True}),
        (r"0.396 $\pm$ 0.002", {"spread": Decimal("0.002")}),
        ("12 (3)", {"value": Decimal(12), "spread": Decimal(3)}),
        ("±0.010", {"value": Decimal("0.010"), "relation": "±"}),
        ("0.396*", {"marks": "*", "letters": ""}),
        ("0.396 **", {"marks": "**"}),
        ("0.396†‡", {"marks": "†‡"}),
        ("↑ 5.6%", {"marks": "↑", "value": Decimal("0.056")}),
        ("0.396¹", {"marks": "1"}),
        (r"0.396$^{\dagger}$", {"marks": "†"}),
        ("-0.2$^*$%", {"marks": "*", "value": Decimal("-0.002")}),
        ("0.451ᵃᵇ", {"letters": "ab", "marks": ""}),
        ("0.451$^{a,b}$", {"letters": "ab"}),
        ("0.451<sup>A</sup>", {"letters": "A"}),
        ("0.451ᵃ ± 0.002*", {"letters": "a", "marks": "*", "spread": Decimal("0.002")}),
        ("1.198126...", {"is_truncated": True, "unit": Decimal("0.000001")}),
        ("1.198126…", {"is_truncated": True}),
        ("**0.396**", {"is_bold": True, "marks": ""}),
        ("**0.396***", {"is_bold": True, "marks": "*"}),
        ("*0.396*", {"is_bold": False, "marks": ""}),
        (r"\textbf{0.396}", {"is_bold": True, "value": Decimal("0.396")}),
        (r"$\mathbf{\underline{0.396}}$", {"is_bold": True, "value": Decimal("0.396")}),
        (r"{\bfseries 0.396}", {"is_bold": True, "value": Decimal("0.396")}),
        ("< 0.001", {"relation": "<", "value": Decimal("0.001")}),
        ("&lt;0.001", {"relation": "<"}),
        (r"$\geq$ 0.5", {"relation": "≥"}),
        ("-0.00", {"is_negative": True, "value": Decimal("0.00")}),
        ("0.00", {"is_negative": False}),
    ],
)
def test_what_is_printed_with_a_number(text, parts):
    printed = read_printed(text)
    assert {name: getattr(printed, name) for name in parts} == parts


@pytest.mark.parametrize("text", ["n.s.", "N.S.", "—", "–", "-", "n/a", "NA", "---", " n.s. "])
def test_statements_have_no_number(text):
    printed = read_printed(text)
    assert printed.is_statement
    assert printed.statement == text.strip()
    assert printed.value is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("0,396", "0.396"), ("1.374.327", "1374327"), ("1 508,5", "1508.5"), ("39,6 %", "0.396")],
)
def test_decimal_commas_are_read_if_the_file_says_so(text, value):
    assert read_printed(text, decimal_comma=True).value == Decimal(value)
    with pytest.raises(InputError, match="decimal_comma = true"):
        read_printed(text)


def test_a_decimal_point_is_refused_if_the_file_says_decimal_comma():
    with pytest.raises(InputError, match="states decimal_comma = true, but"):
        read_printed("0.3965", decimal_comma=True)


def test_percent_points_without_a_sign():
    printed = read_printed("±0.010", percent=True)
    assert (printed.value, printed.unit) == (Decimal("0.00010"), Decimal("0.00001"))
    assert read_printed("0.35%", percent=True).value == Decimal("0.0035")


def test_dropped_zeros_are_restored():
    assert read_printed("0", decimals=3).unit == Decimal("0.001")
    assert read_printed("12.5 %", decimals=2).unit == Decimal("0.0001")
    with pytest.raises(InputError, match="have at most 3 decimals"):
        read_printed("0.3956", decimals=3)


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
        ("1/6", "must be a number"),
        ("nan", "must be a number"),
        ("inf", "must be a number"),
        ("٣", "must be a number"),  # only ASCII digits are digits
        ("0x1F", "must be a number"),
        ("1_000", "must be a number"),
        ("0.396 0.412", "must be a number"),
        ("1,37,000", "must be a number"),
        ("p<0.01", "must be a number"),
        ("396..", "must be a number"),
        ("0.396.", "must be a number"),
        ("1,508.", "trailing point only after digits"),
        ("5. %", "trailing point only after digits"),
        ("0.396a", "must be a number"),
        (r"\unknown{0.396}", "must be a number"),
        ("<script>0.3</script>", "must be a number"),
        ("0.396 (2)", "spread with decimals"),
        ("5²", "may be a power"),
        ("0.5^{x+1}", "letters or marks"),
        ("26M ± 1", "only after a plain number"),
        ("26M %", "must be a number|percent sign or"),
        ("1e999", "exponent up to 300"),
        ("9" * 101, "at most 100 characters"),
    ],
)
def test_other_forms_are_refused_with_their_place(text, message):
    with pytest.raises(InputError, match=message) as error:
        read_printed(text, where="figures.toml, line 12")
    assert str(error.value).startswith("figures.toml, line 12: printed must ")


def test_numbers_must_be_quoted():
    with pytest.raises(InputError, match=r"be a text; got 0.5\. Quote it"):
        read_printed(0.5)


DIGITS = st.integers(0, 10**9)
DECIMALS = st.integers(1, 6)


@given(DIGITS, DECIMALS, st.booleans())
def test_all_forms_of_a_number_have_the_same_value(digits, n_decimals, negative):
    value = Decimal(digits).scaleb(-n_decimals)
    sign = "-" * negative
    whole, decimals = f"{value:.{n_decimals}f}".split(".")
    grouped = f"{int(whole):,}"
    bare = f"{sign}{whole}.{decimals}"
    forms = [
        bare,
        f"{sign.replace('-', '−')}{grouped}.{decimals}",
        f"{sign}{grouped.replace(',', ' ')}.{decimals}",
        rf"\textbf{{{bare}}}",
        f"**{bare}**",
        f"${bare}$",
        f"{bare}*",
        f"{bare}e0",
        f"{bare}…",
    ]
    wanted = (Decimal(bare), Decimal(1).scaleb(-n_decimals))
    for form in forms:
        printed = read_printed(form)
        assert (printed.value, printed.unit) == wanted, form
    comma = read_printed(f"{sign}{grouped.replace(',', '.')},{decimals}", decimal_comma=True)
    assert (comma.value, comma.unit) == wanted
    percent = read_printed(f"{bare} %")
    assert (percent.value * 100, percent.unit * 100) == wanted


FORMS = st.sampled_from(
    [
        r"\textbf{%s}",
        "**%s**",
        "%s*",
        "%sᵃᵇ",
        "%s^{q}",
        "%s %%",
        "$%s^{\\dagger}$",
        "%s ± 0.1",
        "< %s",
    ]
)


@given(DIGITS, DECIMALS, FORMS)
def test_the_plain_text_is_read_as_the_text(digits, n_decimals, form):
    text = form % f"{Decimal(digits).scaleb(-n_decimals):f}"
    printed = read_printed(text)
    again = read_printed(printed.plain)
    assert "\\" not in printed.plain
    for name in ("value", "unit", "spread", "letters", "marks", "relation", "percent"):
        assert getattr(again, name) == getattr(printed, name), text


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        printed = read_printed(text)
    except InputError:
        return
    assert printed.is_statement or printed.unit > 0
