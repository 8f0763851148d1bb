"""Whether a printed figure can be a count over n."""

from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.ledger import check_count

RULES = {
    "half_up": [ROUND_HALF_UP],
    "half_even": [ROUND_HALF_EVEN],
    "truncated": [ROUND_DOWN],
    "nearest": [ROUND_HALF_UP, ROUND_HALF_DOWN],
    "any": [ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_DOWN],
}


def prints(count, n, decimals, rules):
    """Return how a share is printed under each rule, exactly."""
    unit = 10**decimals
    texts = set()
    for rule in rules:
        # Round the share as a fraction: Decimal rounds whole numbers of units over n.
        units, rest = divmod(count * unit, n)
        remainder = {0: "0"}.get(rest) or (
            "0.5" if 2 * rest == n else "0.2" if 2 * rest < n else "0.8"
        )
        rounded = (Decimal(units) + Decimal(remainder)).quantize(Decimal(1), rounding=rule)
        texts.add(f"{rounded.scaleb(-decimals):.{decimals}f}")
    return texts


@given(st.integers(1, 130), st.integers(1, 2), st.sampled_from(sorted(RULES)))
def test_possible_figures_are_those_that_some_count_prints_as(n, decimals, rounding):
    by_print = {}
    for count in range(n + 1):
        for text in prints(count, n, decimals, RULES[rounding]):
            by_print.setdefault(text, []).append(count)
    printable = [f"{Decimal(i).scaleb(-decimals):.{decimals}f}" for i in range(10**decimals + 1)]
    for text in printable:
        result = check_count(text, n, rounding=rounding)
        counts = by_print.get(text)
        assert result.is_possible is (counts is not None), (text, n)
        if counts is not None:
            # Above n there are further counts, whose share is above 1.
            assert result.counts[0] == min(counts)
            assert min(result.counts[1], n) == max(counts)
    assert result.share == Fraction(len(by_print), len(printable))


@pytest.mark.parametrize(
    ("n", "share"), [(1000, 0.10), (6040, 0.60), (9999, 1.0), (10_000, 1.0), (138_493, 1.0)]
)
def test_the_strength_with_four_decimals(n, share):
    result = check_count("0.3333", n)
    assert float(result.share) == pytest.approx(share, abs=0.005)
    assert result.is_informative is (n < 10_000)


def test_an_impossible_figure_names_the_nearest_n():
    result = check_count("0.3333", 1000)
    assert not result.is_possible
    assert result.nearest_n == (999,)
    assert "impossible with 1,000, possible with 999 (10 % of" in repr(result)
    for n in range(990, 1010):
        assert check_count("0.3333", n).is_possible is (n % 3 == 0)


def test_two_numbers_may_be_equally_near():
    assert check_count("0.5000", "1/11").nearest_n == (10, 12)


def test_percentages_whole_numbers_and_zero():
    assert check_count("33.3 %", 1000).counts == (333, 333)
    assert check_count("33.33 %", 1000).nearest_n == (999,)
    assert check_count("0.00", 7).counts == (0, 0)
    assert check_count("2", 3).counts == (5, 7)  # a mean number of hits, rounded
    assert check_count("-0.33", 3).nearest_n == ()
    assert check_count("26M", 3).share == 1


def test_the_repr_says_how_strong_the_check_is():
    assert repr(check_count("0.3333", 10_000)).endswith(
        "(no check: every printable value is possible)"
    )
    assert "99.99 % of" in repr(check_count("0.3333", 9999))
    assert repr(check_count("0.33", 1000)).startswith("0.33: 325 to 335 of 1,000")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_count("0.3333", 0), "multiple_of must be a number from 1"),
        (lambda: check_count("0.3333", "1/0"), '"1/n"; got'),
        (lambda: check_count("0.3333", "2/6040"), '"1/n"; got'),
        (lambda: check_count("0.3333", 10.5), '"1/n"; got 10.5'),
        (lambda: check_count("0.3333", True), '"1/n"; got True'),
        (lambda: check_count("0.3333", 10**12), '"1/n"; got'),
        (
            lambda: check_count("0.3333", "x", where="a.toml, line 2"),
            r"^a\.toml, line 2: multiple_of",
        ),
        (lambda: check_count("n.s.", 10), "without < or >"),
        (lambda: check_count("< 0.3", 10), "without < or >"),
        (lambda: check_count("M8", 10), "must be a number in a form"),
        (lambda: check_count("0.5", 10, kind="exact"), "'rounded' or 'truncated'"),
        (lambda: check_count("0.12345678", 2 * 10**6, rounding="any"), "more than a million"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
