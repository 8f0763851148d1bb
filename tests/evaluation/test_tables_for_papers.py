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
    assert cells.columns.tolist() == ["MRR", "nDCG@3"]
    assert "0." in repr(RESULT.compare().table(digits=np.int64(2)))
    for measure, digits in (("MRR", 4), ("nDCG@3", 2)):
        wanted = [f"{mean:.{digits}f}" for mean in RESULT.summary[measure]]
        assert cells[measure].tolist() == wanted


def test_the_second_best_is_underlined():
    order = RESULT.summary["MRR"].sort_values(ascending=False)
    shown = RESULT.table(4, "second", measures="MRR")
    latex = shown.to_latex()
    assert rf"\textbf{{{order.iloc[0]:.4f}}}" in latex
    assert rf"\underline{{{order.iloc[1]:.4f}}}" in latex
    assert latex.count("textbf") == 1
    assert latex.count("underline") == (order == order.iloc[1]).sum() == 2  # equal ones, too
    assert f"<u>{order.iloc[1]:.4f}</u>" in shown._repr_html_()
    assert "underline" not in RESULT.table(4).to_latex()


def test_lower_is_better_for_errors():
    recs = {name: {1: {"x": score}} for name, score in (("near", 1.9), ("mid", 1.5), ("far", 9.0))}
    latex = evaluate(recs, {1: {"x": 2}}, "MAE").to_latex(2, bold="second")
    assert r"\textbf{0.10}" in latex
    assert r"\underline{0.50}" in latex


@pytest.mark.parametrize("spread", ["sd", "ci"])
def test_the_spread_is_shown_after_means_over_users(spread):
    cells = RESULT.table(3, spread=spread).to_frame()
    for system in LISTS:
        values = RESULT.per_user.loc[system]["MRR"]
        if spread == "sd":
            wanted = f"± {np.std(values, ddof=1):.3f}"
        else:
            low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
            wanted = f"[{low:.3f}, {high:.3f}]"
        assert cells.loc[system, "MRR"] == f"{values.mean():.3f} {wanted}"
        assert cells.loc[system, "CC"] == f"{RESULT.summary.loc[system, 'CC']:.3f}"
    assert (r"$\pm$" in RESULT.to_latex(spread=spread)) == (spread == "sd")


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
