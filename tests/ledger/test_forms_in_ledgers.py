"""Printed forms, bounds and counts as the files of a ledger state them."""

import pytest

import receval
from receval import InputError
from receval.ledger import Interval

HEAD = 'title = "A test"\nsource = "nowhere"\n'


@pytest.fixture
def ledger_of(tmp_path):
    """Return a function that makes a ledger with a figure ``a`` of these lines."""

    def make(lines, forms=""):
        content = f"{HEAD}[forms]\n{forms}\n[figures.a]\n{lines}\n"
        (tmp_path / "figures.toml").write_text(content, encoding="utf-8")
        return receval.Ledger(tmp_path)

    return make


BOUND = 'printed = "±0.056"\nbound = ["0.005586", "0.005631"]\nreason = "normal approximation"'


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        ("0.0000558657", "0.0000563067", "erratum"),  # on record rounded outwards
        ("0.0000558557", "0.0000563067", "unexplained"),  # rounded inwards: no proof
        ("0.0000558657", "0.0000573067", "unexplained"),  # another bound
        ("0.0000548657", "0.0000563067", "unexplained"),
    ],
)
def test_a_bound_on_record_may_be_rounded(ledger_of, low, high, verdict):
    ledger = ledger_of(BOUND, "percent = true")
    check = ledger.check("a", Interval(low, high))
    assert (check.verdict, check.expected) == (verdict, "erratum")
    assert ledger.check("a", (float(low), float(high))).verdict == verdict


def test_a_bound_that_does_not_exclude_the_figure_is_refused(ledger_of):
    with pytest.raises(InputError, match=r"line 5: 'a': bound must exclude 0\.056; got 0\.055 to"):
        ledger_of('printed = "0.056"\nbound = ["0.055", "0.057"]\nreason = "none"')


def test_the_kind_of_a_figure_overrides_the_rounding_of_its_file(ledger_of):
    forms = 'rounding = "half_up"\ninput_digits = 3'
    assert ledger_of('printed = "yes"\nkind = "exact"', forms).check("a", "yes").as_expected
    truncated = ledger_of('printed = "0.66"\nkind = "truncated"', 'rounding = "half_up"')
    assert truncated.check("a", 2 / 3).verdict == "reproduced"
    rounded = ledger_of('printed = "0.67"\nrounding = "half_up"', 'kind = "truncated"')
    assert rounded.check("a", 2 / 3).verdict == "reproduced"


COUNT = 'printed = "0.3333"\nmultiple_of = "1/1000"'


def test_an_impossible_count_needs_no_value(ledger_of):
    ledger = ledger_of(f'{COUNT}\nimpossible = "1,000 users by section 4"')
    check = ledger.check("a")
    assert (check.verdict, check.as_expected) == ("impossible with n", True)
    assert ledger.check("a", 0.3333).verdict == "impossible with n"
    with pytest.raises(InputError, match="value must be given"):
        ledger_of(COUNT.replace("1000", "999")).check("a")


def test_a_possible_count_is_not_impossible_because_the_record_says_so(ledger_of):
    ledger = ledger_of(f'{COUNT.replace("1000", "999")}\nimpossible = "wrong"')
    check = ledger.check("a", 0.33333)
    assert (check.verdict, check.expected) == ("reproduced", "impossible with n")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            'printed = "0.5"\nkind = "exact"\nrounding = "any"',
            "rounding must be left out when kind",
        ),
        ('printed = "0.5"\nkind = "truncated"\nrounding = "any"', "'truncated' or left out"),
        ('printed = ["0.5", "n.s."]', "needs its own entry"),
        (
            'printed = "M8"\nkind = "exact"\nmultiple_of = "1/10"',
            "a rounded figure to be a multiple",
        ),
        ('printed = "n.s."\nmultiple_of = "1/10"', "without < or >"),
        ('printed = "0.396 (2)"', "spread with decimals"),
        ('printed = "0,396"', "decimal_comma = true"),
        ('printed = "39.6 x"', 'state kind = "exact"'),
    ],
)
def test_contradictions_are_refused_with_file_and_line(ledger_of, lines, message):
    with pytest.raises(InputError, match=rf"(?s)^figures\.toml.*line \d+: .*{message}"):
        ledger_of(lines).table()
