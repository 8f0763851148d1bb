"""What the figures of documents 000 and 004 determine by themselves."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from receval import InputError, metrics, published
from receval.grid import read_grid

RESULTS = published.table("000_results")
INPUTS = published.load("000")["inputs"]
N, K = INPUTS["n_bidders"], INPUTS["cutoff"]


def test_picks_and_constant_lists():
    always = [list(range(K))] * 3
    head = [i < INPUTS["n_short_head"] for i in range(N)]
    values = {
        "random_hr": K / N,
        "random_mrr": sum(1 / rank for rank in range(1, K + 1)) / N,
        "random_cc": 1 - (1 - K / N) ** INPUTS["n_contracts"],
        "random_ltp": 1 - INPUTS["n_short_head"] / N,
        "constant_cc": [metrics.catalog_coverage(always, N)] * 2,
        "top_ltp": metrics.long_tail_percentage(always, head),
    }
    for name, value in values.items():
        check = published.check(f"000/{name}", value)
        assert check.as_expected, check
    assert published.check("000/random_mrr", values["random_mrr"]).computed == ("0.00020",)
    # what stands beside a figure that cannot be computed is compared too
    assert not published.check("000/random_ltp", values["random_ltp"] + 1e-4).as_expected


def half_a_unit(printed):
    return Fraction(10) ** Decimal(printed).as_tuple().exponent / 2


def at_most(low, high, factor=1):
    """Whether the unrounded values can obey factor * low <= high."""
    return factor * (Fraction(low) - half_a_unit(low)) <= Fraction(high) + half_a_unit(high)


@pytest.mark.parametrize(
    ("name", "low", "high", "factor"),
    [
        ("mrr_below_hr", "mrr10", "hr10", 1),
        ("hr_below_pc", "hr10", "pc", 1),
        ("hr_below_ten_mrr", "hr10", "mrr10", Fraction(1, 10)),
    ],
)
def test_inequalities_of_the_printed_rows(name, low, high, factor):
    rows = RESULTS[RESULTS[high] != ""]
    obey = sum(at_most(a, b, factor) for a, b in zip(rows[low], rows[high], strict=True))
    assert obey == len(rows)
    assert published.check(f"000/{name}", obey).as_expected


def test_every_printed_measure_is_a_share():
    for column in ("hr10", "mrr10", "cc10", "pc", "ltp10"):
        printed = RESULTS.loc[RESULTS[column] != "", column].astype(float)
        assert printed.between(0, 1).all()


def test_the_rows_that_the_toml_repeats_are_those_of_the_table():
    blind = RESULTS[RESULTS["table"] == "blind-matchmakers"].set_index("configuration")
    for figure, row, column in [
        ("random_hr", "Random", "hr10"),
        ("random_mrr", "Random", "mrr10"),
        ("random_cc", "Random", "cc10"),
        ("random_ltp", "Random", "ltp10"),
        ("top_ltp", "Top winning bidders", "ltp10"),
    ]:
        assert published.figure(f"000/{figure}")["printed"] == blind.loc[row, column]
    assert published.figure("000/constant_cc")["printed"] == blind["cc10"].tolist()[1:]


def hits_out_of(n, printed):
    """Whether each printed share is a whole number out of n."""
    return all(published.agrees(round(float(p) * n) / n, p) for p in printed)


def test_unrounded_hit_rates_have_one_denominator():
    printed = published.figure("000/rescal_hr")["printed"]
    assert printed == published.table("000_rescal_hits")["hr10"].tolist()
    n = INPUTS["n_contracts"]
    hits = [round(float(p) * n) for p in printed]
    assert published.check("000/rescal_hr", [h / n for h in hits]).verdict == "reproduced"
    # The first value alone leaves few candidates; all together leave one (and its multiples).
    candidates = [d for d in range(10_000, 2 * n) if hits_out_of(d, printed[:1])]
    assert [d for d in candidates if hits_out_of(d, printed)] == [n]


def test_the_snippets_of_document_004():
    snippets = published.load("004")["inputs"]["snippets"]
    grid = read_grid("metrics:\n" + "\n".join("  " + line for line in snippets.splitlines()))
    cutoffs = [int(measure.split("@")[1]) for measure in grid.measures]
    assert published.check("004/cutoffs", cutoffs).verdict == "reproduced"
    # As printed, without the section around them, they say nothing of algorithms or metrics.
    with pytest.raises(InputError, match="Put all else under its section"):
        read_grid(snippets)


def test_the_tutorial_is_not_computable():
    assert published.check("004/tutorial").as_expected
    with pytest.raises(InputError, match=r"value must be left out.*004/tutorial"):
        published.check("004/tutorial", [math.nan] * 8)


def test_an_unknown_table():
    with pytest.raises(InputError, match="name must be one of '000_rescal_hits', '000_results'"):
        published.table("000_result")


def test_a_table_keeps_every_digit():
    assert RESULTS.loc[2, ["hr10", "ltp10"]].tolist() == ["0.03", "0.80"]
    assert len(RESULTS) == 83
    assert (RESULTS["pc"] != "").sum() == 42
