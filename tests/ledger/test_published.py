"""Printed figures, agreement, verdicts, the ledger."""

import re
from graphlib import TopologicalSorter
from unittest.mock import Mock

import pytest

from receval import InputError, Ledger, datasets
from receval import ledger as published
from receval.ledger import folder
from receval.ledger.checking import COLOURS


@pytest.fixture
def document(tmp_path, monkeypatch):
    """A document with a figure of each kind, in a new folder."""
    (tmp_path / "900_test.toml").write_text(
        """
title = "A test"
source = "nowhere"
[figures.right]
where = "here"
what = "a sum"
printed = ["1.5", "2"]
[figures.wrong]
where = "here"
what = "a slip"
printed = "31"
corrected = "28"
reason = "misread"
[figures.other]
where = "here"
what = "under another rule"
printed = "0.7"
variant = "ties shared"
[figures.hidden]
where = "here"
what = "from private data"
printed = "0.992"
not_computable = "the data are not public"
[figures.beside]
where = "here"
what = "from private data, with a public part"
printed = ["260000", "0.99"]
not_computable = "a part of the data is not public"
expected_value = ["250368", "0.985"]
[figures.copied]
where = "here"
what = "from an unrounded table"
printed = ["0.12", "0.57"]
transcribed = "the authors' notebook, cell 1"
[figures.drawn]
where = "here"
what = "a mean of picks at random"
printed = ["0.992", "1"]
decimals = 3
consistent = "ten of 90 picked 1,000 times"
[figures.bare]
where = "here"
what = "a sentence"
printed = "most rise"
claim = "fails"
[figures.counted]
where = "here"
what = "a sentence with a count"
printed = "all but one rise"
claim = "holds"
expected_value = ["11", "12"]
[figures.puzzle]
where = "here"
what = "a last digit"
printed = "0.014"
left_open = "neither derived nor disproved"
expected_value = "0.0146"
[figures.open]
where = "here"
what = "a sentence that three systems cannot decide; power of the test"
printed = "the best of all"
claim = "not established"
expected_value = "0.53"
[figures.made_up]
where = "here"
what = "a sentence about made-up data"
printed = "it rises"
claim = "by construction"
[figures.two_ways]
where = "here"
what = "a sentence with two readings"
printed = "it is an area"
claim = "under a variant"
expected_value = ["300", "12"]
reason = "true of steps, false of straight lines"
[figures.far]
where = "here"
what = "from a downloaded file"
printed = "7"
inputs = ["cars/cars-1k.csv"]
[figures.further]
where = "here"
what = "from a figure that takes a downloaded file"
printed = "14"
corrected = "21"
reason = "misread"
inputs = ["900/far"]
""",
        encoding="utf-8",
    )
    monkeypatch.setattr(folder, "shipped_ledger", lambda: Ledger(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value", "options", "verdict", "as_expected"),
    [
        ("right", [1.52, 2], {}, "reproduced", True),
        ("right", [1.52, 3], {}, "unexplained", False),
        ("wrong", 28, {}, "erratum", True),
        ("wrong", 31, {}, "reproduced", False),
        ("wrong", 30, {}, "unexplained", False),
        ("other", 0.7, {"variant": "ties shared"}, "under a variant", True),
        ("other", 0.7, {}, "reproduced", False),
        ("other", 0.8, {"variant": "ties shared"}, "unexplained", False),
        ("hidden", None, {}, "not computable", True),
        ("beside", [250368, 0.9851], {}, "not computable", True),
        ("beside", [250369, 0.9851], {}, "unexplained", False),
        ("beside", [260000, 0.99], {}, "unexplained", False),
        ("copied", [0.1249, 0.5651], {}, "transcribed", True),
        ("copied", [0.1249, 0.5649], {}, "unexplained", False),
        ("drawn", [(0.9911, 0.9922), (0.9996, 1)], {}, "consistent", True),
        (
            "drawn",
            [(0.9911, float("inf")), (0.9996, float("inf"))],
            {},
            "consistent",
            True,
        ),  # at least
        ("drawn", [(0.99261, 0.9929), (0.9996, 1)], {}, "unexplained", False),
        ("drawn", [(0.9911, 0.9922), (0.9990, 0.9994)], {}, "unexplained", False),
        ("bare", None, {"holds": False}, "claim fails", True),
        ("bare", None, {"holds": True}, "claim holds", False),
        ("counted", [11, 12], {"holds": True}, "claim holds", True),
        ("counted", [10, 12], {"holds": True}, "unexplained", False),
        ("counted", [11, 12], {"holds": False}, "claim fails", False),
        ("counted", [11, 12], {"holds": "not established"}, "claim not established", False),
        ("puzzle", 0.0146, {}, "left open", True),
        ("puzzle", 0.0141, {}, "reproduced", False),
        ("puzzle", 0.016, {}, "unexplained", False),
        ("open", [0.53], {"holds": "not established"}, "claim not established", True),
        ("open", [0.97], {"holds": "not established"}, "unexplained", False),
        ("open", [0.53], {"holds": True}, "claim holds", False),
        ("made_up", None, {"holds": "by construction"}, "true by construction", True),
        ("made_up", None, {"holds": True}, "claim holds", False),
        ("two_ways", [300, 12], {"holds": "under a variant"}, "under a variant", True),
        ("two_ways", [300, 12], {"holds": False}, "claim fails", False),
        ("two_ways", [12, 12], {"holds": "under a variant"}, "unexplained", False),
    ],
)
def test_comparison_verdicts(document, name, value, options, verdict, as_expected):
    found = published.check(f"900/{name}", value, **options)
    assert (found.verdict, found.as_expected) == (verdict, as_expected)
    assert ("on record" in repr(found)) is not as_expected


def test_an_interval_and_a_sentence_are_shown(document):
    drawn = published.check("900/drawn", [(0.9911, 0.9922), (0.9996, 1)])
    assert drawn.computed == ("0.99110 to 0.99220", "0.99960 to 1")
    shown = repr(published.check("900/counted", [11, 12], holds=True))
    assert shown == "900/counted: printed all but one rise, computed 11 12 -> claim holds"


def test_the_ledger_has_each_figure_once_and_leads_to_its_cell(document, tmp_path, notebook):
    right = published.check("900/right", [1.5, 2])
    (tmp_path / "books").mkdir()
    notebook(tmp_path / "books" / "one.ipynb", right, published.check("900/wrong", 28))
    notebook(tmp_path / "two.ipynb", right)
    table = published.ledger(tmp_path)
    text = (document / "900_test.toml").read_text(encoding="utf-8")
    assert table.index.tolist() == [f"900/{name}" for name in re.findall(r"figures\.(\w+)", text)]
    assert table["verdict"].tolist()[:4] == ["reproduced", "erratum", "not checked", "not checked"]
    assert table.loc["900/wrong", "reason"] == "misread"
    assert table.loc["900/wrong", "cell"] == "books/one.ipynb#cell-id=first"
    totals = published.summary(table)
    assert (totals.loc["reproduced", "900"], totals.loc["all", "all"]) == (1, 15)


def test_several_checks_are_one_table_and_several_rows(document, tmp_path, notebook):
    both = published.Checks(
        [published.check("900/right", [1.5, 2]), published.check("900/wrong", 28)]
    )
    html = both._repr_mimebundle_()[0]["text/html"]
    assert (html.count("<table>"), html.count("misread")) == (1, 1)
    apart, together = (notebook(tmp_path / "one.ipynb", *shown) for shown in (both, [both]))
    assert published.ledger(together).equals(published.ledger(apart))


def test_unexpected_verdicts_have_the_colour_of_a_problem(document, tmp_path, notebook):
    wrong = published.check("900/wrong", 30)
    html = wrong._repr_mimebundle_()[0]["text/html"]
    html += published.ledger(notebook(tmp_path / "one.ipynb", wrong))._repr_html_()
    for verdict in ("unexplained", "not checked"):
        assert re.search(f"solid {COLOURS['erratum']}[^>]*>{verdict}<", html)
    assert "#000000" not in html


def test_the_ledger_is_read_in_a_terminal_and_in_a_notebook(document, tmp_path, notebook):
    table = published.ledger(notebook(tmp_path / "one.ipynb", published.check("900/wrong", 28)))
    table.loc["900/wrong", ["printed", "reason"]] = ["1.25 " * 60, "why " * 60]
    lines = repr(table).splitlines()
    assert max(map(len, lines)) <= 100
    assert any(line.startswith("    a slip [here] why why") for line in lines)
    assert "900/bare: printed most rise, computed  -> not checked" in lines
    html = table._repr_html_()
    assert html.count("<details>") == 2  # the sources, and a long value that is not cut
    for part in ('<a href="one.ipynb#cell-id=', "1.25 " * 60, "solid #D55E00"):
        assert part in html
    for shown in (repr(table[["what"]]), table[["what"]]._repr_html_()):
        assert "a slip" in shown


def test_notebooks_that_disagree_are_found(document, tmp_path, notebook):
    one, two, three = (
        notebook(tmp_path / f"{name}.ipynb", published.check("900/right", [value, 2]))
        for name, value in [("one", 1.5), ("two", 1.54), ("three", 1.5)]
    )
    table = published.ledger([one, two, three])
    assert len(table) == 15
    assert table.loc["900/right", ["verdict", "expected", "reason", "cell"]].tolist() == [
        "notebooks disagree", "reproduced", "Notebooks show 1.500 2 in one; 1.540 2 in two.",
        "one.ipynb#cell-id=first",
    ]  # fmt: skip
    assert published.ledger([two, two]).loc["900/right", "verdict"] == "reproduced"


@pytest.mark.parametrize(
    ("fetch", "verdict"),
    [
        (Mock(), "not checked"),
        (Mock(side_effect=datasets.DataUnavailable("no network")), "data not here"),
    ],
    ids=["there", "not there"],
)
def test_a_figure_that_nobody_checks_is_excused_only_without_its_file(
    document, tmp_path, monkeypatch, notebook, fetch, verdict
):
    monkeypatch.setattr("receval.datasets.downloads.fetch", fetch)
    table = published.ledger(notebook(tmp_path / "empty.ipynb")).loc[["900/far", "900/further"]]
    assert set(table["verdict"]) == {verdict}
    is_excused = verdict == "data not here"
    assert (table["expected"] == "data not here").all() == is_excused
    assert table["reason"].str.contains("cars/cars-1k.csv").all() == is_excused


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: published.load("999"), r"document must be one of '900'; got '999'"),
        (lambda: published.figure("900/wrongg"), r"Did you mean '900/wrong'\?"),
        (lambda: published.check("900/right", 1.5), r"value must hold 2 values.*; got 1"),
        (lambda: published.check("900/hidden", 0.993), r"value must hold 0 values.*900/hidden"),
        (
            lambda: published.check("900/beside"),
            r"value must hold 2 values, as many as are on record for 900/beside; got 0",
        ),
        (lambda: published.check("900/right"), r"value must hold 2 values.*900/right; got 0"),
        (lambda: published.check("900/drawn", 1), r"value must hold 2 intervals.*; got 1"),
        (lambda: published.check("900/drawn", [1, 1]), r"value must hold 2 intervals.*; got 2"),
        (
            lambda: published.check("900/bare"),
            r"holds must be given for figures with 'claim' on record.*got None",
        ),
        (lambda: published.check("900/right", [1.5, 2], holds=True), r"holds must be .*got True"),
        (
            lambda: published.check("900/bare", holds="not establised"),
            r"Did you mean 'not established'",
        ),
        (
            lambda: published.check("900/other", 0.7, variant="x"),
            r"variant must be .*'ties shared'",
        ),
    ],
)
def test_refuses(document, call, message):
    with pytest.raises(InputError, match=message):
        call()


FIGURES = {id: published.figure(id) for id in published.ledger().index}


@pytest.mark.parametrize("id", FIGURES)
def test_the_real_entries_say_more_than_the_form_asks_for(id):
    entry = FIGURES[id]
    assert {"where", "what", "inputs"} <= entry.keys()
    # What cannot be decided needs the power of the test that could not decide it, or, if there is
    # no test, the reason why the data cannot decide it.
    is_undecided = entry.get("claim") == "not established"
    assert not is_undecided or "power" in entry["what"] or "can't decide" in entry["reason"]
    # A variant needs the reading that makes it true, and the one that makes it false.
    assert entry.get("claim") != "under a variant" or entry["reason"]


def test_no_figure_depends_on_itself_and_inputs_are_those_of_its_own_document():
    elsewhere = {path.stem for path in folder.published_folder().rglob("*.csv")}
    elsewhere |= {*FIGURES, *datasets.sources()}
    for id, entry in FIGURES.items():
        own_inputs = published.load(id.partition("/")[0]).get("inputs", {})
        assert {*entry["inputs"]} <= {*own_inputs, *elsewhere}, id
    arrows = {id: {*entry["inputs"]} & {*FIGURES} for id, entry in FIGURES.items()}
    TopologicalSorter(arrows).prepare()
