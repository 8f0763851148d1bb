"""What a paper needs of a table: chosen measures, digits, spread, the second best, both forms."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from receval import InputError, evaluate

N = 12
TRUTH = {user: {"x": 2, "y": 1} for user in range(N)}
ORDERS = {"A": ["xyz", "yxz", "zxy"], "B": ["yxz", "zyx", "zxy"], "C_1": ["zzx", "zyx", "xyz"]}
LISTS = {
    name: {user: list(dict.fromkeys(orders[user % 3])) for user in range(N)}
    for name, orders in ORDERS.items()
}
RESULT = evaluate(LISTS, TRUTH, ["nDCG@3", "MRR", "CC"], items=pd.DataFrame(index=list("xyzw")))


def test_measures_and_their_digits_are_chosen():
    cells = RESULT.table({"MRR": 4}, measures=["mrr", "nDCG@3"]).to_frame()
    means = RESULT.summary
    expected = {
        "MRR": means["MRR"].map("{:.4f}".format),
        "nDCG@3": means["nDCG@3"].map("{:.2f}".format),
    }
    assert cells.to_dict("list") == {name: texts.tolist() for name, texts in expected.items()}
    assert "0." in repr(RESULT.compare().table(digits=np.int64(2)))


def test_the_second_best_is_underlined():
    order = RESULT.summary["MRR"].sort_values(ascending=False)
    shown = RESULT.table(4, "second", measures="MRR")
    latex = shown.to_latex()
    best, second = (f"{mean:.4f}" for mean in order[:2])
    assert (latex.count(rf"\textbf{{{best}}}"), latex.count("textbf")) == (1, 1)
    # Two systems are equal.
    assert (latex.count(rf"\underline{{{second}}}"), latex.count("underline")) == (2, 2)
    assert f"<u>{second}</u>" in shown._repr_html_()
    assert "underline" not in RESULT.table(4).to_latex()


def test_lower_is_better_for_errors():
    recs = {name: {1: {"x": score}} for name, score in (("near", 1.9), ("mid", 1.5), ("far", 9.0))}
    latex = evaluate(recs, {1: {"x": 2}}, "MAE").to_latex(2, bold="second")
    assert r"\textbf{0.10}" in latex
    assert r"\underline{0.50}" in latex


def interval_of(values):
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    return f"[{low:.3f}, {high:.3f}]"


@pytest.mark.parametrize(
    ("spread", "text_of"),
    [("sd", lambda values: f"± {np.std(values, ddof=1):.3f}"), ("ci", interval_of)],
)
def test_the_spread_is_shown_after_means_over_users(spread, text_of):
    cells = RESULT.table(3, spread=spread).to_frame()
    for system, means in RESULT.summary.iterrows():
        values = RESULT.per_user.loc[system]["MRR"]
        expected = [f"{means['MRR']:.3f} {text_of(values)}", f"{means['CC']:.3f}"]
        assert cells.loc[system, ["MRR", "CC"]].tolist() == expected
    assert (r"$\pm$" in RESULT.to_latex(spread=spread)) == (spread == "sd")


@pytest.mark.parametrize(
    ("spread", "note"),
    [
        ("sd", "±: standard deviation over users; a mean of fewer than two users has none"),
        ("ci", "[low, high]: 95% interval of the mean, Student's, or Wilson's if all values"),
    ],
)
def test_a_note_explains_the_spread_and_why_it_is_missing(spread, note):
    table = RESULT.where([0]).table(spread=spread)
    assert table.to_latex().startswith(f"% {note}")
    assert table.to_frame()["MRR"].tolist() == ["1.00", "1.00", "0.50"]


def test_a_transposed_table_has_the_same_cells():
    plain, transposed = (RESULT.table(3, spread="sd", transposed=way) for way in (False, True))
    assert transposed.to_frame().equals(plain.to_frame().T.rename_axis(index="measure"))
    first_line = transposed.to_markdown().splitlines()[0]
    assert first_line == r"| measure | A | B | C\_1 |"
    assert r"C\_1" in transposed.to_latex()
    assert "<th>nDCG@3</th>" in transposed._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bold": "third"}, "bold must be one of"),
        ({"spread": "range"}, "spread must be one of"),
        ({"digits": {"MRR": -1}}, "digits must be a whole number"),
        ({"digits": {"MAP": 2}}, "digits must be one of 'nDCG@3', .*; got 'MAP'"),
        ({"measures": "MAP"}, "measures must be one of"),
        ({"transposed": 1}, "transposed must be True or False"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(InputError, match=message):
        RESULT.table(**options)
