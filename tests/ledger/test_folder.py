"""The ledger of any folder: checks, tables, files with mistakes, and what is shown."""

import json
from fractions import Fraction
from types import SimpleNamespace

import nbformat
import numpy as np
import pandas as pd
import pytest

from receval import InputError, Ledger
from receval.ledger.checking import MIME

PAPER = """
title = "A small paper"
tables = ["table2.csv"]
[source]
authors = ["A. Author", "B. <b>Bold</b>"]
doi = "10.1000/1"
place = "Table 2"
seen = "first-hand"
licence = "CC BY 4.0"
may_be_copied = true

[figures."table2/kNN/nDCG@10"]
variant = "with exponential gain"

[figures.best]
printed = "EASE"
kind = "exact"

[figures.vector]
printed = ["0.1", "0.2"]
"""
TABLE2 = "system,nDCG@10,Recall@10\nEASE,0.40,39.6 %\nkNN,0.31,\n"

FRAME = pd.DataFrame({"Recall@10": [0.5, 0.3956], "nDCG@10": [0.31, 0.3956]}, index=["kNN", "EASE"])


def write(folder, text, name="figures.toml"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def paper(tmp_path):
    write(tmp_path / "paper", TABLE2, "table2.csv")
    return write(tmp_path / "paper", PAPER)


@pytest.mark.parametrize(
    ("id", "value", "verdict"),
    [
        pytest.param("table2/EASE/nDCG@10", 0.3956, "reproduced", id="number"),
        pytest.param("table2/EASE/nDCG@10", np.float32(0.3956), "reproduced", id="NumPy number"),
        pytest.param("table2/EASE/nDCG@10", Fraction(2, 5), "reproduced", id="fraction"),
        pytest.param("table2/EASE/nDCG@10", 0.41, "unexplained", id="another number"),
        pytest.param("table2/EASE/nDCG@10", float("nan"), "unexplained", id="NaN"),
        pytest.param("table2/EASE/Recall@10", 0.3956, "reproduced", id="per cent"),
        pytest.param("table2/EASE/Recall@10", 39.6, "unexplained", id="a percentage for a share"),
        pytest.param("table2/EASE/nDCG@10", pd.Series([0.3956]), "reproduced", id="Series"),
        pytest.param("table2/EASE/nDCG@10", pd.DataFrame([[0.3956]]), "reproduced", id="frame"),
        pytest.param(
            "table2/EASE/nDCG@10", SimpleNamespace(summary=pd.DataFrame([[0.3956]])), "reproduced",
            id="something with a summary",
        ),
        pytest.param(
            "vector", pd.DataFrame({"summary": [0.1], "x": [0.2]}), "reproduced",
            id="frame with a column called summary",
        ),
        pytest.param(
            "vector", pd.Series({"summary": 0.1, "x": 0.2}), "reproduced",
            id="Series with a label called summary",
        ),
        pytest.param("best", "EASE", "reproduced", id="label"),
        pytest.param("best", "kNN", "unexplained", id="another label"),
        pytest.param("vector", np.array([0.1, 0.2]), "reproduced", id="array"),
        pytest.param("vector", [0.1, 0.3], "unexplained", id="one of two differs"),
    ],
)  # fmt: skip
def test_a_figure_without_verdict_on_record_is_expected_to_be_reproduced(paper, id, value, verdict):
    check = Ledger(paper).check(id, value)
    assert (check.verdict, check.expected) == (verdict, "reproduced")


def test_a_large_count_is_shown_exactly(tmp_path):
    ledger = Ledger(write(tmp_path, '[figures.n]\nprinted = "9007199254740993"\n'))
    assert ledger.check("n", 2**53 + 1).computed == ("9007199254740993",)


@pytest.mark.parametrize(
    ("id", "value", "message"),
    [
        ("bestt", "EASE", "figure must be one of .*Did you mean 'best'"),
        (["best"], "EASE", "figure must be one of"),
        ("table2", 0.5, "figure must be one of"),  # a table has many figures
        ("table2/kNN/Recall@10", 0.5, "figure must be one of"),  # nothing is printed there
        ("vector", 0.5, "value must hold 2 values, as many as are on record for vector; got 1"),
        *(
            ("best", value, "value for best must be")
            for value in (True, {"a": 1}, pd.Timestamp(0), 1j, object(), [0.3, None], ...)
        ),
        ("best", np.array([True]), "value for best must be"),
        ("best", np.ma.masked_array([0.3], [True]), "value for best must be"),
    ],
)
def test_a_check_names_what_is_wrong(paper, id, value, message):
    with pytest.raises(InputError, match=message):
        Ledger(paper).check(id, value)


def test_a_table_is_matched_by_labels_and_judged_cell_by_cell(paper):
    checks = Ledger(paper).check_table("table2", FRAME, variant="with exponential gain")
    assert [(check.id, check.what, check.verdict, check.as_expected) for check in checks] == [
        (f"table2/{row}/{column}", f"{column} of {row}", verdict, True)
        for row, column, verdict in [
            ("EASE", "nDCG@10", "reproduced"),
            ("EASE", "Recall@10", "reproduced"),
            ("kNN", "nDCG@10", "under a variant"),  # nothing is printed for its recall
        ]
    ]
    assert checks[0].where == "table2"
    wrong = repr(Ledger(paper).check_table("table2", FRAME.replace(0.31, 0.48)))
    assert "table2/kNN/nDCG@10: printed 0.31, computed 0.4800 -> unexplained" in wrong


@pytest.mark.parametrize(
    ("id", "frame", "message"),
    [
        (
            "table2", FRAME.rename(index={"EASE": "Ease"}),
            "value must have the rows as printed, 'EASE', 'kNN'; got 'kNN', 'Ease'",
        ),
        ("table2", pd.concat([FRAME, FRAME]), "rows as .*'EASE', 'kNN'; got 'kNN', 'EASE', 'kNN'"),
        (
            "table2", FRAME[["nDCG@10"]],
            "have the columns as printed, 'nDCG@10', 'Recall@10'; got 'nDCG@10'",
        ),
        ("table2", FRAME.astype(object).where(FRAME < 0.3, None), "must hold 1 values, .*2/EASE/"),
        ("table2", [[1]], "value must be a frame"),
        (
            "table2", FRAME,
            r"variant must be .* cell of table2 \('with exponential gain'\); got 'clipped'",
        ),
        ("table3", FRAME, "table must be one of 'table2'"),
    ],
)  # fmt: skip
def test_a_frame_with_other_labels_and_unknown_names_are_refused(paper, id, frame, message):
    with pytest.raises(InputError, match=message):
        Ledger(paper).check_table(id, frame, variant="clipped")


def test_cells_of_a_csv_file_are_figures_that_an_entry_can_put_on_record(tmp_path):
    write(tmp_path, " name, summary ,y\nA,0.5,\nB,0.07,\n", "t.csv")
    entry = '[figures."t/B/summary"]\ncorrected = "0.70"\nreason = "digits swapped"\n'
    ledger = Ledger(write(tmp_path, f'tables = ["t.csv"]\n{entry}'))
    assert ledger.table()["printed"].to_dict() == {"t/B/summary": "0.07", "t/A/summary": "0.5"}
    frame = pd.DataFrame({"summary": [0.5, 0.7], "y": [0, 1]}, index=["A", "B"])
    verdicts = {check.id: check.verdict for check in ledger.check_table("t", frame)}
    assert verdicts == {"t/A/summary": "reproduced", "t/B/summary": "erratum"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "t.csv: No columns"),
        (b"a,b\nc,1,2,3\n", "t.csv: .*Expected 2 fields"),
        (b"a,b\n\xff,1\n", "t.csv: .*can't decode byte 0xff"),
        (b"m,HR\nEASE,about half\n", r"figures.toml, figure 't/EASE/HR': printed must be a number"),
        (
            b"m,HR\nEASE,0.5\nEASE,0.6\n",
            "t.csv: the table must hold each row once; got 'EASE' 2 times",
        ),
        (
            b"m,HR,HR\nEASE,0.5,0.6\n",
            "t.csv: the table must hold each column once; got 'HR' 2 times",
        ),
        (
            b"m,c,b/c\na/b,0.3,0.2\na,0.1,0.4\n",
            "t.csv: t must hold each cell's name once; got 't/a/b/c'",
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path, content, message):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        Ledger(write(tmp_path, 'tables = ["t.csv"]\n'))


SUM = '[figures.sum]\nprinted = "3"\n'


def test_ids_have_the_file_if_there_are_several_or_it_is_numbered(tmp_path):
    several, numbered = tmp_path / "several", tmp_path / "numbered"
    write(several, SUM, "second.toml")
    write(several, SUM, "901_first.toml")
    write(several, "[project]\nname = 'x'\n", "pyproject.toml")
    write(several / "other", "not TOML", "ignored.toml")
    assert Ledger(several).table().index.tolist() == ["901/sum", "second/sum"]
    with pytest.raises(InputError, match="one of '901/sum', 'second/sum'; got 'sum'"):
        Ledger(several).check("sum", 3)
    assert Ledger(write(numbered, SUM, "901_paper.toml")).check("901/sum", 3).as_expected


def test_numbers_of_files_must_differ(tmp_path):
    write(tmp_path, SUM, "901_a.toml")
    with pytest.raises(InputError, match="folder must hold each file id once; got '901'"):
        Ledger(write(tmp_path, SUM, "901_b.toml"))


def test_entries_are_handed_out_as_copies(paper):
    ledger = Ledger(paper)
    ledger.figure("vector")["printed"].append("9")
    assert ledger.figure("vector")["printed"] == ["0.1", "0.2"]


# Evidence in numbers -----------------------------------------------------------------------------


EVIDENCE = """
[figures.ci]
printed = "0.056"
bound = ["0.005587", "0.005630"]
reason = "ten times too wide"
[figures.from_0]
printed = "0.2"
bound = ["0.00", "0.30"]
reason = "too wide"
[figures.ideal]
printed = ["10.52", "11.21"]
corrected = ["10.53", "11.22"]
reason = "see the cause"
cause = "terms rounded before adding"
[figures.kappa]
printed = "0.776"
does_not_distinguish = "separate marginals"
[figures.ipw]
printed = "0.004553"
consistent = "bootstrap"
interval = ["0.001531", "0.009254"]
[figures.clicks]
printed = "50"
consistent = "bootstrap"
interval = ["0", "71"]
"""


@pytest.mark.parametrize(
    ("id", "arguments", "verdict"),
    [
        ("ci", {"value": (0.0055871, 0.0056298)}, "erratum"),
        ("ci", {"value": (0.0055871, 0.06)}, "unexplained"),
        # Each end must round to the one on record.
        ("ci", {"value": (0.0055864, 0.0056298)}, "unexplained"),
        ("ci", {"value": (0.0055876, 0.0056298)}, "unexplained"),
        ("ci", {"value": (0.0055871, 0.0056306)}, "unexplained"),
        # A computed end of 0 may have a rounding error.
        ("from_0", {"value": (-1e-17, 0.3)}, "reproduced"),
        ("from_0", {"value": (-0.006, 0.3)}, "unexplained"),
        ("ideal", {"value": [10.5278, 11.2174], "cause": [10.52, 11.21]}, "erratum"),
        ("ideal", {"value": [10.5278, 11.2174], "cause": [10.52, 11.23]}, "unexplained"),
        ("kappa", {"value": 0.77591, "also": 0.776119}, "reproduced"),
        ("kappa", {"value": 0.77591, "also": 0.7766}, "unexplained"),
        ("ipw", {"value": (0.00153148, 0.00925421)}, "consistent"),
        ("ipw", {"value": (0.0014, 0.00925421)}, "unexplained"),
        ("ipw", {"value": (0.0015319, 0.00925421)}, "unexplained"),  # rounds to 0.001532
        ("ipw", {"value": (0.00153148, 0.0092548)}, "unexplained"),
        # Whole numbers at the ends aren't counts, which would have to be exact.
        ("clicks", {"value": (1e-17, 70.6)}, "consistent"),
        ("clicks", {"value": (0.6, 70.6)}, "unexplained"),
        ("clicks", {"value": (1e-17, 70.4)}, "unexplained"),
    ],
)
def test_evidence_in_numbers_decides_the_verdict(tmp_path, id, arguments, verdict):
    assert Ledger(write(tmp_path, EVIDENCE)).check(id, **arguments).verdict == verdict


@pytest.mark.parametrize(
    ("id", "arguments", "message"),
    [
        (
            "ideal",
            {"value": [10.53, 11.22]},
            "cause must be given for figures with 'cause' on record",
        ),
        ("kappa", {"value": 0.776}, "also must be given for figures with 'does_not_distinguish'"),
        (
            "ipw",
            {"value": (0.1, 0.2), "also": 0.4},
            "also must be given for .*, and for no others; got 0.4 for ipw",
        ),
        ("ci", {"value": 0.056}, "value must hold 1 intervals, each a low and a high end.*; got 1"),
        ("ci", {"value": (0.2, 0.1)}, "value must hold the low end .*; got 0.2 and 0.1"),
        ("ci", {"value": (float("nan"), 1)}, "value must hold the low end .*; got nan and 1"),
        ("ipw", {"value": (float("nan"), 1)}, "value must hold the low end .*; got nan and 1"),
    ],
)
def test_evidence_on_record_must_be_given(tmp_path, id, arguments, message):
    with pytest.raises(InputError, match=message):
        Ledger(write(tmp_path, EVIDENCE)).check(id, **arguments)


def test_the_interval_of_a_process_is_in_the_reason(tmp_path):
    table = Ledger(write(tmp_path, EVIDENCE)).table()
    assert table.loc["ipw", "reason"] == "bootstrap (interval 0.001531 to 0.009254)"


def test_a_variant_is_shown_whole_beside_the_one_on_record(paper):
    variant = f"with a gain of {'2 ' * 40}"
    with pytest.raises(InputError, match=f"'with exponential gain'; got '{variant}'$"):
        Ledger(paper).check("table2/kNN/nDCG@10", 0.31, variant=variant)


def test_a_table_without_variants_says_so(tmp_path):
    write(tmp_path, "system,HR\nA,0.5\n", "t.csv")
    ledger = Ledger(write(tmp_path, 'tables = ["t.csv"]\n'))
    with pytest.raises(InputError, match=r"for a cell of t \(none is\); got 'v'"):
        ledger.check_table("t", pd.DataFrame({"HR": [0.5]}, ["A"]), variant="v")


def test_a_value_in_the_place_of_an_id_is_cut(paper):
    with pytest.raises(InputError, match=r"got [\s\S]{,200}…$"):
        Ledger(paper).check(pd.DataFrame(1, range(50), range(50)), "best")


def test_an_entry_for_a_cell_that_is_not_printed_has_advice(tmp_path):
    write(tmp_path, TABLE2, "table2.csv")
    entry = 'tables = ["table2.csv"]\n[figures."table2/kNN/nDCG@1O"]\nvariant = "v"\n'
    with pytest.raises(InputError, match=r"got 'table2/kNN/nDCG@1O'\. .* 'table2/kNN/nDCG@10'"):
        Ledger(write(tmp_path, entry))


# Files with mistakes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[figures.a]\nprinted = "1"\nprinted = "2"', "figures.toml: Cannot overwrite a value"),
        ('[figures.a]\nprinted = "1', "figures.toml: .*"),
        (
            '[figures.a]\nprinted = "1"\n[figures.a]\nprinted = "1"',
            r"figures.toml: .*line 3",
        ),
        (
            '[figures.a]\nprinted = "1"\ncorected = "2"\nreason = "r"',
            "figure 'a': keys must be among .*; got 'corected'. Did you mean 'corrected'",
        ),
        ("[figures.a]\nprinted = 0.50", "figure 'a': printed must be in quotes, because"),
        ('[figures.a]\nwhat = "x"', "figure 'a': a figure must have 'printed'"),
        (
            '[figures.a]\nwhat = 3\nprinted = "1"',
            "figure 'a': what must be in quotes, because 0.50 is not 0.5; got 3",
        ),
        ("[figures.a]\nprinted = []", "figure 'a': a figure must have 'printed'"),
        ('[figures.a]\nprinted = "1"\nclaim = "hold"', "Did you mean 'holds'"),
        (
            '[figures.a]\nprinted = "1"\nvariant = "v"\nclaim = "holds"',
            r"a figure must have one verdict; got \['under a variant', 'claim holds'\]",
        ),
        (
            '[figures.a]\nprinted = "1"\ncorrected = "2"',
            "figure 'a': a figure must have 'reason' too; got 'corrected'",
        ),
        (
            '[figures.a]\nprinted = ["1", "2"]\ncorrected = "2"\nreason = "r"',
            "figure 'a': corrected must hold 2 values, as many as are printed; got 1",
        ),
        (
            '[figures.a]\nprinted = "0.15"\nbound = ["0.3"]\nreason = "r"',
            "figure 'a': the interval must have a low and a high end",
        ),
        (
            '[figures.a]\nprinted = "0.15"\nconsistent = {process = "x"}',
            "figure 'a': consistent must be numbers, text",
        ),
        (
            '[figures.a]\nprinted = "0.15"\ninterval = ["0.1", "0.2"]',
            "figure 'a': a figure must have 'consistent' too; got 'interval'",
        ),
        (
            '[figures.a]\nprinted = "about half"',
            r'figure \'a\': .*If it is a label, state kind = "ex',
        ),
        ('[figures.a]\nprinted = "1"\nkind = "round"', "figure 'a': kind must be one of"),
        (
            '[figures.a]\nprinted = "1"\nclaim = "holds"\nkind = "exakt"',
            "figure 'a': kind must be one of .*Did you mean 'exact'",
        ),
        (b"\xff", "figures.toml: .*can't decode byte 0xff"),
        ('tables = ["u.csv"]', "tables must be one of"),
        ('title = "no figures"', "figures must hold a figure"),
        ('[figures]\na = "1"', "figure 'a': a figure must be a TOML table"),
        (
            '[figures.a]\nprinted = "0.70"\nvariant = "ties shared"\nstated = "0.704"',
            r"figure 'a': stated must differ from the figure as printed, .*; got \['0.704'\]",
        ),
        (
            '[figures.a]\nprinted = ["M8"]\nkind = "exact"\nvariant = "v"\nstated = "M8"',
            r"figure 'a': stated must differ from the figure as printed",
        ),
    ],
)
def test_mistakes_are_named_with_file_and_figure(file, text, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        Ledger(file("figures.toml", text).parent)


def test_files_may_begin_with_the_mark_that_windows_adds(file):
    file("t.csv", "\ufeffm,HR\nEASE,0.5\n")
    folder = file("figures.toml", '\ufefftables = ["t.csv"]\n').parent
    assert Ledger(folder).table().index.tolist() == ["t/EASE/HR"]


@pytest.mark.parametrize("name", ["", "missing"])
def test_an_empty_and_a_missing_folder_are_named(tmp_path, name):
    folder = tmp_path / name
    with pytest.raises(InputError, match=rf"must exist and hold a TOML .*; got .*{folder.name}'"):
        Ledger(folder)


# What is shown -----------------------------------------------------------------------------------


def test_the_ledger_has_the_checks_of_notebooks_and_of_this_session(paper, notebook):
    earlier, id = Ledger(paper), "table2/EASE/nDCG@10"
    path = notebook(paper / "one.ipynb", earlier.check(id, 0.48), earlier.check("best", "EASE"))
    ledger = Ledger(paper)
    table = ledger.table()
    found = table.loc[[id, "best", "vector"], "verdict"].tolist()
    assert found == ["unexplained", "reproduced", "not checked"]
    assert table.loc["best", "cell"] == "one.ipynb#cell-id=first"
    ledger.check(id, 0.40)  # replaces the one that the notebook shows
    assert ledger.table().loc[id, "verdict"] == "reproduced"
    assert ledger.table(path).loc[id, "verdict"] == "unexplained"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("figures.toml", 'printed = "EASE"', 'printed = "kNN"'),
        ("figures.toml", 'printed = "EASE"', 'printed = "EASE"\nclaim = "holds"'),
        ("figures.toml", 'corrected = "28"', 'corrected = "29"'),
        ("table2.csv", "EASE,0.40", "EASE,0.48"),
    ],
)
def test_a_verdict_on_an_entry_that_was_edited_later_is_not_shown(
    paper, name, before, after, notebook
):
    slip = '[figures.slip]\nprinted = "31"\ncorrected = "28"\nreason = "misread"\n'
    ledger = Ledger(write(paper, PAPER + slip))
    values = {"best": "EASE", "slip": 28, "table2/EASE/nDCG@10": 0.4}
    notebook(paper / "one.ipynb", *[ledger.check(id, value) for id, value in values.items()])
    assert (Ledger(paper).table().loc[[*values], "verdict"] != "not checked").all()
    path = paper / name
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    rows = Ledger(paper).table().loc[[*values]]
    edited = rows[rows["verdict"] == "not checked"]
    assert edited[["reason", "computed"]].to_numpy().tolist() == [
        ["Its entry was edited after the check. Run the notebook again.", ""]
    ]


def test_a_check_by_an_earlier_version_which_stored_no_entry_is_shown(paper, notebook):
    notebook(paper / "one.ipynb", Ledger(paper).check("best", "EASE"))
    executed = nbformat.read(paper / "one.ipynb", 4)
    executed.cells[0].outputs[0].metadata = {}
    nbformat.write(executed, paper / "one.ipynb")
    assert Ledger(paper).table().loc["best", "verdict"] == "reproduced"


def test_sources_are_above_the_ledger(paper):
    table = Ledger(paper).table()
    text = " ".join(repr(table).split())
    start = "figures: title: A small paper; authors: A. Author, B. <b>Bold</b>; doi: 10.1000/1; "
    assert text.startswith(f"{start}place: Table 2; seen: first-hand; licence: CC BY 4.0; may be ")
    assert "<b>Bold" not in table._repr_html_()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not JSON", "one.ipynb must be a notebook in format 4"),
        (
            json.dumps({"cells": [{"outputs": [{"data": {MIME: '[{"id": "sum"}]'}}]}]}),
            "one.ipynb must be a notebook in format 4, with checks as .* Run the notebook again",
        ),
    ],
)
def test_a_notebook_with_other_content_is_named(paper, content, message):
    (paper / "one.ipynb").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Ledger(paper).table()


def test_a_ledger_stays_where_it_was_when_the_program_changes_its_folder(paper, monkeypatch):
    monkeypatch.chdir(paper)
    ledger = Ledger()
    monkeypatch.chdir(paper.parent)
    assert ledger.check("best", "EASE").verdict == "reproduced"


@pytest.mark.parametrize("name", ["a/b", '"><img src=x onerror=alert(1)>', "$x$", "a b", "ä"])
def test_names_of_figures_may_hold_any_signs(tmp_path, name):
    ledger = Ledger(write(tmp_path, f"[figures.{json.dumps(name)}]\nprinted = '1'\n"))
    assert ledger.check(name, 1).verdict == "reproduced"
    assert "<img" not in ledger.table()._repr_html_()
