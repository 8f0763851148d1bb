"""The pages for users of other tools print the values that the tools return."""

from pathlib import Path

import pandas as pd
import pytest

import receval
from receval.measure.names import CONVENTIONS

PAGES = Path(__file__).parents[2] / "docs/coming_from"
RUN = {"ann": {"a": 0.9, "b": 0.8, "c": 0.7}, "bob": {"x": 0.5, "y": 0.5, "z": 0.4}}
QRELS = {"ann": {"a": 1, "c": 3, "d": 2}, "bob": {"y": 1}, "cem": {"z": 1}}
# The means that each tool returned for the tables of its page, with every digit.
RETURNED = {
    "rectools": [0.15633336444022497, 0.44494928086853075, 0.5, 0.27777777777777773],
    "recommenders": [0.15, 0.8333333333333333, 0.5277777777777777, 0.4449492808685307],
    "pyterrier": [0.5083349964616367, 0.6666666666666666, 0.4444444444444444],
}


@pytest.mark.parametrize("tool", RETURNED)
def test_the_page_prints_what_the_tool_returned(tool):
    """The doctests of the page say that receval's values are the same."""
    prose = (PAGES / f"{tool}.md").read_text(encoding="utf-8")
    for value in RETURNED[tool]:
        assert f"{value:.4f}".rstrip("0") in prose


def test_receval_has_the_values_that_rectools_and_recommenders_returned():
    rectools = receval.evaluate(
        RUN, QRELS, ["nDCG@10", "MRR@10", "MAP@2"], convention="rectools"
    ).summary.iloc[0]
    expected = [RETURNED["rectools"][place] for place in (0, 2, 3)]
    assert rectools.tolist() == pytest.approx(expected, rel=1e-12)
    names = ["Precision@10", "Recall@10", "MAP@10", "nDCG@10"]
    recommenders = receval.evaluate(RUN, QRELS, names, convention="recommenders").summary.iloc[0]
    assert recommenders.tolist() == pytest.approx(RETURNED["recommenders"], rel=1e-12)


def test_receval_has_the_values_that_pyterrier_returned():
    measures = ["nDCG@10", "RR", "AP@2"]
    ours = receval.evaluate(RUN, QRELS, measures, convention="ir_measures").summary.iloc[0]
    assert ours.tolist() == pytest.approx(RETURNED["pyterrier"], rel=1e-12)


@pytest.mark.long  # ranx compiles for a minute
@pytest.mark.filterwarnings("ignore")
def test_ranx_returns_what_its_page_says():
    ranx = pytest.importorskip("ranx")
    found = ranx.evaluate(
        ranx.Qrels(QRELS), ranx.Run(RUN), ["ndcg@10", "mrr"], make_comparable=True
    )
    ours = receval.evaluate(RUN, QRELS, ["nDCG@10", "MRR"], convention="ranx").summary.iloc[0]
    assert list(found.values()) == pytest.approx(ours.tolist(), rel=1e-12)
    assert pd.Series(found).round(4).tolist() == [0.3853, 0.5]


def test_each_page_links_to_a_convention():
    for page in PAGES.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert any(f"conventions/{name}>" in text for name in [*CONVENTIONS, "index"]), page
