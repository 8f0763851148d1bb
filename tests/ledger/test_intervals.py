"""Interval arithmetic, and whether printed figures can hold together."""

import ast
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import Interval, hold_together, printed_interval, propagate

ROOT = Path(__file__).parents[2]
NUMBERS = st.fractions(-10, 10, max_denominator=50)
SHARES = st.fractions(0, 1, max_denominator=20)


@st.composite
def intervals_with_a_point(draw):
    """An interval, closed or open at either end, and a number inside."""
    low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
    assume(low < high)
    share = draw(SHARES)
    low_closed, high_closed = draw(st.booleans()), draw(st.booleans())
    assume(low_closed or share > 0)
    assume(high_closed or share < 1)
    interval = Interval(low, high, low_closed=low_closed, high_closed=high_closed)
    return interval, low + share * (high - low)


@given(intervals_with_a_point(), intervals_with_a_point(), st.integers(0, 5))
def test_the_result_contains_that_of_every_pair_of_numbers(first, second, power):
    (x, p), (y, q) = first, second
    assert (x + y).contains(p + q)
    assert (x - y).contains(p - q)
    assert (x * y).contains(p * q)
    assert (x**power).contains(p**power)
    assert abs(x).contains(abs(p))
    assert (3 - x).contains(3 - p)
    assert (x * Fraction(1, 3)).contains(p / 3)
    if not y.contains(0) and 0 not in (y.low, y.high):
        assert (x / y).contains(p / q)
        assert (y**-2).contains(q**-2)


@given(intervals_with_a_point(), intervals_with_a_point())
def test_the_ends_of_a_result_are_taken_or_approached(first, second):
    (x, _), (y, _) = first, second
    products = [end * other for end in (x.low, x.high) for other in (y.low, y.high)]
    product = x * y
    assert product.low == pytest.approx(min(products))
    assert product.high == pytest.approx(max(products))
    total = x + y
    assert total.low_closed is (x.low_closed and y.low_closed)
    assert total.high_closed is (x.high_closed and y.high_closed)


@given(intervals_with_a_point())
def test_functions_of_numpy_contain_those_of_numbers(pair):
    x, point = pair
    exponential = np.exp(x)
    assert float(exponential.low) <= np.exp(float(point)) * (1 + 1e-12)
    assert float(exponential.high) >= np.exp(float(point)) * (1 - 1e-12)
    squares = x**2
    root = np.sqrt(squares)
    assert root.includes(abs(x))
    assert float(root.width) == pytest.approx(float(abs(x).width), abs=1e-12)
    if x.low > 0:
        assert np.exp(np.log(x)).includes(x)
        assert (2 ** np.log2(x)).includes(x)
        assert float(np.log10(x).high) == pytest.approx(np.log10(float(x.high)))


def test_open_ends_stay_open():
    half_open = Interval(1, 2, high_closed=False)
    assert repr(half_open * 3) == "[3, 6)"
    assert repr(-half_open) == "(-2, -1]"
    assert repr(1 / half_open) == "(0.5, 1]"
    assert repr(Interval(-1, 2, high_closed=False) ** 2) == "[0, 4)"
    assert repr(Interval(-2, 1, low_closed=False) ** 2) == "[0, 4)"
    assert repr(Interval(-2, 1) ** 3) == "[-8, 1]"
    assert repr(Interval(0, 1) * Interval(2, 3, high_closed=False)) == "[0, 3)"
    assert repr(0 * half_open) == "[0, 0]"
    assert repr(abs(Interval(-3, 3, low_closed=False))) == "[0, 3]"


def test_infinite_ends_are_no_bounds():
    above = Interval(1, Decimal("Infinity"))
    assert repr(above) == "[1, ∞)"
    assert repr(1 / above) == "[0, 1]" or repr(1 / above) == "(0, 1]"
    assert repr(above * 0) == "[0, 0]"
    assert repr(above - above) == "(-∞, ∞)"
    assert repr(above / above) in ("[0, ∞)", "(0, ∞)")


def test_an_interval_that_occurs_twice_gives_a_wider_bound():
    x = Interval("0.1", "0.2")
    assert repr(x - x) == "[-0.1, 0.1]"
    assert (x * (1 - x)).includes(Interval("0.09", "0.16"))


def test_relations_of_intervals():
    left, right = Interval(0, 1, high_closed=False), Interval(1, 2)
    assert not left.overlaps(right)
    assert Interval(0, 1).intersection(right) == Interval(1, 1)
    assert left.intersection(right) is None
    assert Interval(0, 2).includes(left)
    assert not left.includes(Interval(0, 1))
    assert right.contains("1.5")
    assert not right.contains(2.0000001)
    assert right.midpoint == Decimal("1.5")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Interval(2, 1), "low must be below high"),
        (lambda: Interval(1, 1, low_closed=False), "low must be below high"),
        (lambda: Interval("x", 1), "low must be a number"),
        (lambda: Interval(float("nan"), 1), "low must be a number"),
        (lambda: Interval(True, 1), "low must be a number"),
        (lambda: 1 / Interval(-1, 1), "divisors without 0"),
        (lambda: np.sqrt(Interval(-1, 1)), "roots of numbers of at least 0"),
        (lambda: np.log(Interval(0, 1)), "logarithms of numbers above 0"),
        (lambda: Interval(1, 2) ** 0.5, "exponent of an interval must be a whole number"),
        (lambda: Interval(1, 2) ** 10**6, "exponent of an interval must be a whole number"),
        (lambda: Interval(1, float("inf")).midpoint, "two finite ends"),
        (lambda: propagate(lambda x: sorted([x, 1]), x="0.5"), "computes with intervals"),
        (lambda: propagate(lambda x: x.mean(), x="0.5"), "computes with intervals"),
        (lambda: propagate(lambda x: "text", x="0.5"), "return a number or an interval"),
        (lambda: propagate(lambda x: x, x="M8"), "^x: printed must"),
        (lambda: propagate(lambda x: x, x=None), "x must be a printed text"),
        (lambda: hold_together({"x": "0.5"}, {}), "at least one figure"),
        (lambda: hold_together({"x": "< 0.5"}, {"f": ("1", lambda x: x)}), "two finite ends"),
        (lambda: hold_together({"x": "0.5"}, {"f": ("1", lambda y: y)}), r"inputs among \['x'\]"),
        (lambda: hold_together({"x": "0.5"}, {"f": "1"}), "be a pair such as"),
        (lambda: hold_together({"x": "0.5"}, {"f": ("1", 2)}), "be a function"),
        (lambda: hold_together({"x": "0.5"}, {"f": ("n.s.", abs)}), "^figure f: .*no number"),
        (lambda: hold_together({"x": "0.5"}, {"f": ("1", lambda x: x)}, rounding="up"), "rounding"),
    ],
)
def test_refuses(call, message):
    with pytest.raises((InputError, TypeError), match=message):
        call()


# Click rates in percent of a published table, and their quotients with the first. --------------

RATES = {
    "all_random": "0.35%",
    "all_bts": "0.50%",
    "men_random": "0.51%",
    "men_bts": "0.67%",
    "women_random": "0.48%",
    "women_bts": "0.64%",
}
QUOTIENTS = {
    "all_bts": ("1.43", lambda all_bts, all_random: all_bts / all_random),
    "men_random": ("1.48", lambda men_random, all_random: men_random / all_random),
    "men_bts": ("1.94", lambda men_bts, all_random: men_bts / all_random),
    "women_random": ("1.39", lambda women_random, all_random: women_random / all_random),
    "women_bts": ("1.84", lambda women_bts, all_random: women_bts / all_random),
}


def half_width(rate, n):
    """Return half the 95 % interval of a rate, by the normal approximation."""
    return Decimal("1.959964") * np.sqrt(rate * (1 - rate) / n)


def test_five_quotients_hold_together_in_a_narrow_interval_only():
    joint = hold_together(RATES, QUOTIENTS)
    assert joint.verdict == "consistent"
    assert joint.is_possible is True
    narrow = joint.narrowed["all_random"]
    assert narrow.short == "0.00345 to 0.00348837"
    # The upper end is that of men: at most 0.675 % with a quotient of at least 1.935.
    assert float(narrow.high) == pytest.approx(0.00675 / 1.935, rel=1e-9)
    for name, printed in RATES.items():
        assert printed_interval(printed).contains(joint.witness[name])
    for name, (printed, _) in QUOTIENTS.items():
        quotient = Fraction(joint.witness[name]) / Fraction(joint.witness["all_random"])
        assert printed_interval(printed).contains(quotient)
    # No wider rate for all has a quotient of 1.94 with any rate of men, so that this is tight.
    above = Interval("0.0034884", "0.00355")
    assert hold_together({**RATES, "all_random": above}, QUOTIENTS).verdict == "erratum"
    assert "for example with all_random = 0.00347, all_bts = 0.00496" in repr(joint)


def test_a_bound_proves_a_slip_by_a_factor_of_ten():
    bound = propagate(half_width, rate="0.64%", n="7,765,497")
    assert not bound.overlaps(printed_interval("±0.056", percent=True))
    assert bound.overlaps(printed_interval("±0.006", percent=True))
    assert 0.005586 < 100 * float(bound.low) < 100 * float(bound.high) < 0.005631


def test_figures_that_hold_alone_may_not_hold_together():
    width = (
        printed_interval("±0.014", percent=True),
        lambda women_random: half_width(women_random, 864585),
    )
    alone = hold_together(RATES, {"width": width})
    assert alone.verdict == "consistent"
    assert float(alone.narrowed["women_random"].high) == pytest.approx(0.0047546, abs=1e-7)
    joint = hold_together(RATES, {**QUOTIENTS, "width": width})
    assert joint.verdict == "erratum"
    assert joint.is_possible is False
    assert joint.conflict == ("women_random", "width")
    assert joint.witness is None
    assert "no inputs give all of these figures: women_random, width" in repr(joint)


def test_neither_a_witness_nor_a_proof_is_unexplained():
    # The square root of 2 is the only solution, which no decimal number reaches.
    figure = (Interval(2, 2), lambda x: x * x)
    joint = hold_together({"x": Interval(1, 2)}, {"square": figure}, max_boxes=20)
    assert joint.verdict == "unexplained"
    assert joint.is_possible is None
    assert joint.narrowed["x"].overlaps(Interval(2, 2).sqrt())
    assert float(joint.narrowed["x"].width) < 1e-9


@pytest.mark.parametrize(
    ("inputs", "figures", "witness"),
    [
        (
            dict.fromkeys("abcdef", "0.5"),
            {"sum": (Interval(3, 3), lambda **k: sum(k.values()))},
            "0.5",
        ),
        ({"n": "160", "rate": "0.24"}, {"hits": ("39", lambda n, rate: n * rate)}, "0.24375"),
    ],
)
def test_a_witness_of_an_exact_figure_is_reached(inputs, figures, witness):
    joint = hold_together(inputs, figures)
    assert joint.verdict == "consistent"
    assert joint.n_boxes == 1
    assert str(list(joint.witness.values())[-1]) == witness


def test_a_computation_may_be_undefined_in_a_part_of_the_inputs():
    figures = {"inverse": ("1.00", lambda x: 1 / x)}
    joint = hold_together({"x": Interval(-1, 2)}, figures)
    assert joint.verdict == "consistent"
    assert joint.witness["x"] == pytest.approx(Decimal(1), abs=Decimal("0.005"))


@given(
    st.integers(1, 999), st.integers(1, 999), st.sampled_from(["half_up", "half_even", "truncated"])
)
def test_figures_of_true_inputs_always_hold_together(first, second, rounding):
    """Print two numbers and their sum and quotient by a rule; receval must not call it an error."""
    rules = {"half_up": "ROUND_HALF_UP", "half_even": "ROUND_HALF_EVEN", "truncated": "ROUND_DOWN"}
    a, b = Decimal(first) / 1000 + 1, Decimal(second) / 1000 + 1

    def to_print(value):
        return f"{value.quantize(Decimal('0.01'), rounding=rules[rounding]):f}"

    inputs = {"a": to_print(a), "b": to_print(b)}
    figures = {
        "sum": (to_print(a + b), lambda a, b: a + b),
        "quotient": (to_print(a / b), lambda a, b: a / b),
    }
    joint = hold_together(inputs, figures, rounding=rounding, max_boxes=200)
    assert joint.verdict != "erratum"
    for name, value in (("a", a), ("b", b)):
        narrowed = joint.narrowed[name]
        assert narrowed.low <= value <= narrowed.high


def test_the_page_shows_what_its_examples_return():
    page = (ROOT / "docs" / "check_your_paper.md").read_text(encoding="utf-8")
    section = page.partition("## 6. ")[2]
    names = {}
    results = []
    for code in re.findall(r"```python\n(.*?)```", section, flags=re.S):
        *body, last = ast.parse(code).body
        exec(compile(ast.Module(body, []), "page", "exec"), names)
        results.append(eval(compile(ast.Expression(last.value), "page", "eval"), names))
    excluded, joint, count = results
    assert excluded is True
    assert "0.0000559 to 0.0000563" in section
    assert names["bound"].short == "5.58667e-05 to 5.63077e-05"
    assert joint.sentence in section
    assert float(joint.narrowed["base"].high) == pytest.approx(0.003489, abs=1e-6)
    assert repr(count) in section


def test_the_table_and_html_show_inputs_and_figures():
    joint = hold_together(
        {"<b>": "0.51", "base": "0.35"}, {"q": ("1.48", lambda base: 0.513 / base)}
    )
    table = joint.table()
    assert table.loc["q", "role"] == "figure"
    assert table.loc["q", "witness"] == pytest.approx(0.513 / float(joint.witness["base"]))
    html = joint._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
