"""The pages for users of other tools print the values that the tools return."""

import json
import re
from dataclasses import replace
from doctest import DocTestParser
from pathlib import Path

import pandas as pd
import pytest

import receval
from receval.definitions import convention
from receval.definitions.names import CONVENTIONS

PAGES = Path(__file__).parents[2] / "docs/coming_from"
RECORDS = Path(__file__).parents[1] / "recorded"
RUN = {"ann": {"a": 0.9, "b": 0.8, "c": 0.7}, "bob": {"x": 0.5, "y": 0.5, "z": 0.4}}
QRELS = {"ann": {"a": 1, "c": 3, "d": 2}, "bob": {"y": 1}, "cem": {"z": 1}}
RECORDED = {
    tool: json.loads((RECORDS / f"page_{tool}.json").read_text(encoding="utf-8"))
    for tool in ("rectools", "recommenders", "pyterrier")
}


def tables_of(tool):
    """Return the frames that the first block of a page makes."""
    examples = DocTestParser().get_examples((PAGES / f"{tool}.md").read_text(encoding="utf-8"))
    names = {}
    for example in examples:
        if "pd.DataFrame" in example.source or example.source.startswith(("import", "from")):
            exec(example.source, names)
    return [value for value in names.values() if isinstance(value, pd.DataFrame)]


@pytest.mark.parametrize("package", ["RecTools", "recommenders", "pyterrier"])
def test_the_page_prints_what_the_tool_returned_and_names_its_version(package):
    """The doctests of the page say that receval's values are the same."""
    record = RECORDED[package.lower()]
    prose = (PAGES / f"{package.lower()}.md").read_text(encoding="utf-8")
    assert all(f"{value:.4f}".rstrip("0") in prose for value in record["values"].values())
    version = re.escape(record["versions"][package])
    assert re.search(rf"{package} {version}\b", prose, re.IGNORECASE)


@pytest.mark.parametrize("tool", RECORDED)
def test_the_tool_was_run_on_the_tables_of_its_page(tool):
    record = RECORDED[tool]
    assert record["run"] == RUN
    assert record["qrels"] == QRELS
    run, qrels = tables_of(tool)
    for frame, numbers_by_user in [(run, RUN), (qrels, QRELS)]:
        user, item = frame.columns[:2]
        expected = [(user, item) for user, numbers in numbers_by_user.items() for item in numbers]
        assert list(zip(frame[user], frame[item], strict=True)) == expected
        for column in {"score", "label", "prediction", "rating"} & {*frame.columns}:
            numbers = [
                number for by_item in numbers_by_user.values() for number in by_item.values()
            ]
            assert frame[column].tolist() == numbers


OURS = {
    "rectools": ("rectools", {"nDCG@10": "NDCG@10", "MRR@10": "MRR@10", "MAP@2": "MAP@2"}),
    "recommenders": (
        "recommenders",
        {
            "Precision@10": "precision_at_k",
            "Recall@10": "recall_at_k",
            "MAP@10": "map_at_k",
            "nDCG@10": "ndcg_at_k",
        },
    ),
    "pyterrier": ("ir_measures", {"nDCG@10": "nDCG@10", "RR": "RR", "AP@2": "AP@2"}),
}
"""For each tool, the convention, and the tool's name of each of our measures."""


@pytest.mark.parametrize("tool", RECORDED)
def test_receval_has_the_values_that_the_tool_returned(tool):
    name, theirs_by_ours = OURS[tool]
    ours = receval.evaluate(RUN, QRELS, [*theirs_by_ours], convention=name).summary.iloc[0]
    expected = [RECORDED[tool]["values"][theirs] for theirs in theirs_by_ours.values()]
    assert ours.tolist() == pytest.approx(expected, rel=1e-12)


def test_receval_has_the_achievable_ideal_of_rectools():
    achievable = replace(convention("rectools"), ideal=convention("receval").ideal)
    ours = receval.evaluate(RUN, QRELS, "nDCG@10", convention=achievable).summary.squeeze()
    expected = RECORDED["rectools"]["values"]["NDCG@10 achievable"]
    assert ours == pytest.approx(expected, rel=1e-12)


@pytest.mark.usefixtures("interpreted_ranx")
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
