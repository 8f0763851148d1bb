"""The commands ``receval ledger new`` and ``receval ledger run``."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import receval
from receval import cli
from receval.ledger import listing

FIGURES = """
[figures.sum]
printed = "3"
[figures.product]
printed = "0.40"
"""
RECORD = 'corrected = "0.48"\nreason = "digits swapped"\n'
SCRIPT = """
import receval
ledger = receval.Ledger(".")
ledger.check("sum", 3)
ledger.check("product", 0.48)
"""


@pytest.fixture
def paper(tmp_path):
    folder = tmp_path / "my-paper"
    folder.mkdir()
    (folder / "figures.toml").write_text(FIGURES, encoding="utf-8")
    return folder


def run(folder, *options):
    return cli.main(["ledger", "run", str(folder), "--quiet", *options])


def test_a_script_is_listed_and_run_and_its_wrong_figure_put_on_record(paper, capsys):
    (paper / "checks.py").write_text(SCRIPT, encoding="utf-8")
    (paper / "other.py").write_text("raise SystemExit('must not run')", encoding="utf-8")
    assert run(paper) == 1
    printed = capsys.readouterr().out
    assert "Runs in" in printed
    assert "script   checks.py" in printed
    assert "other.py" not in printed
    assert "UNEXPECTED product: unexplained, on record reproduced" in printed
    assert "1 scripts run, 0 failed; 2 figures: 1 recomputed and as recorded; 1 not as" in printed
    for name in ("ledger.csv", "ledger.md", "ledger.html"):
        assert "digits swapped" not in (paper / name).read_text(encoding="utf-8")
        assert "0.4800" in (paper / name).read_text(encoding="utf-8")
    (paper / "figures.toml").write_text(FIGURES + RECORD, encoding="utf-8")
    (paper / "checks.py").write_text("1 / 0  # Ledger(", encoding="utf-8")  # would fail if it ran
    assert run(paper, "--no-execute") == 0
    assert "2 figures: 2 recomputed and as recorded" in capsys.readouterr().out
    assert "digits swapped" in (paper / "ledger.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["ledger.md", "ledger.html"])
def test_the_written_ledger_begins_with_the_source_record(paper, name):
    record = '[source]\nauthors = ["A. Author"]\nseen = "by OCR"\n'
    (paper / "figures.toml").write_text(FIGURES + record, encoding="utf-8")
    assert run(paper, "--no-execute") == 1  # nothing is checked yet
    text = (paper / name).read_text(encoding="utf-8")
    assert text.index("A. Author") < text.index("Seen by OCR") < text.rindex("not checked")


def test_a_script_that_fails_is_named_with_its_error(paper, capsys):
    (paper / "checks.py").write_text(SCRIPT + "raise KeyError('lost')", encoding="utf-8")
    (paper / "figures.toml").write_text(FIGURES + RECORD, encoding="utf-8")
    assert run(paper) == 1
    printed = capsys.readouterr().out
    assert "FAILED checks.py:" in printed
    assert "KeyError: 'lost'" in printed
    assert "1 scripts run, 1 failed; 2 figures: 2 recomputed and as recorded" in printed


def test_only_one_script_runs_and_the_others_count_with_their_last_checks(paper, capsys):
    (paper / "figures.toml").write_text(FIGURES + RECORD, encoding="utf-8")
    head, tail = SCRIPT.rsplit("\n", 2)[0], 'ledger.check("product", 0.48)'
    (paper / "a_sum.py").write_text(head, encoding="utf-8")
    (paper / "b_product.py").write_text(
        SCRIPT.replace('ledger.check("sum", 3)', ""), encoding="utf-8"
    )
    assert run(paper, "--jobs", "2") == 0
    (paper / "a_sum.py").write_text("1 / 0  # Ledger(", encoding="utf-8")
    assert tail in (paper / "b_product.py").read_text(encoding="utf-8")
    assert run(paper, "--only", "b_*") == 0
    assert "script   a_sum.py" not in capsys.readouterr().out.rpartition("Runs in")[2]
    checks = json.loads((paper / listing.CHECKS_FILE).read_text(encoding="utf-8"))
    assert sorted(checks) == ["a_sum.py", "b_product.py"]


def test_a_notebook_is_executed_in_place_and_keeps_its_metadata(paper, capsys):
    cells = [
        new_code_cell(f"{SCRIPT}", id="mine", metadata={"editable": False}),
        new_code_cell("ledger.check('sum', 3)", id="second"),
    ]
    nbformat.write(new_notebook(cells=cells), paper / "01_check.ipynb")
    assert run(paper) == 1
    assert "notebook 01_check.ipynb" in capsys.readouterr().out
    executed = nbformat.read(paper / "01_check.ipynb", 4)
    assert [cell.id for cell in executed.cells] == ["mine", "second"]
    assert executed.cells[0].metadata["editable"] is False
    table = receval.Ledger(paper).table()
    assert table["verdict"].to_dict() == {"sum": "reproduced", "product": "unexplained"}
    assert table.loc["sum", "cell"] == "01_check.ipynb#cell-id=second"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "missing"], "only must name notebooks or scripts of the ledger; got 'missing'"),
        (["--no-execute", "--only", "checks"], "only must be left out with --no-execute"),
        (["--jobs", "0"], "jobs must be a positive integer"),
    ],
)
def test_bad_usage_has_the_status_2(paper, capsys, options, message):
    (paper / "checks.py").write_text(
        "raise SystemExit('must not run')  # Ledger(", encoding="utf-8"
    )
    assert run(paper, *options) == 2
    assert message in capsys.readouterr().err


def test_a_missing_folder_and_a_broken_file_have_the_status_2(paper, tmp_path, capsys):
    assert run(tmp_path / "missing") == 2
    assert "which does not exist" in capsys.readouterr().err
    (paper / "figures.toml").write_text(FIGURES + 'corected = "0.48"', encoding="utf-8")
    assert run(paper) == 2
    assert "line 6" in (told := capsys.readouterr().err)
    assert "Did you mean 'corrected'?" in told


def test_a_changed_input_is_unexpected(paper, capsys):
    (paper / "figures.toml").write_text(
        f'[source.sha256]\n"a.csv" = "{"0" * 64}"\n{FIGURES}', encoding="utf-8"
    )
    (paper / "a.csv").write_text("x\n", encoding="utf-8")
    assert run(paper) == 1
    told = "UNEXPECTED figures.toml: a.csv has another SHA-256 than the one on record"
    assert told in capsys.readouterr().out


def test_new_makes_a_ledger_of_tables_and_overwrites_nothing(tmp_path, capsys):
    table = tmp_path / "table2.csv"
    table.write_text("system,nDCG@10,HR@10\nEASE,0.396,39.6 %\nkNN,0.31,—\n", encoding="utf-8")
    other = tmp_path / "table3.md"
    other.write_text("| system | MAP |\n| --- | --- |\n| **EASE** | 0.2 |\n", encoding="utf-8")
    folder = tmp_path / "paper"
    new = ["ledger", "new", str(folder), "--table"]
    assert cli.main([*new, str(table), "--title", "A paper"]) == 0
    assert "3 figures, 1 statements without a number" in capsys.readouterr().out
    ledger = receval.Ledger(folder)
    assert len(ledger.ids) == 4
    assert ledger.file("figures")["title"] == "A paper"
    assert ledger.printed_table("table2").loc["EASE", "HR@10"] == "39.6 %"
    assert ledger.check("ease_ndcg_10", 0.3956).verdict == "reproduced"
    assert cli.main([*new, str(other)]) == 0
    assert len(ledger.ids) == 5
    assert cli.main([*new, str(other)]) == 2
    assert "must be a new file" in capsys.readouterr().err
    assert cli.main([*new, str(tmp_path / "missing.csv")]) == 3
    with pytest.raises(SystemExit) as left:
        cli.main(["ledger", "new", str(folder)])
    assert left.value.code == 2


def test_the_first_notebook_runs_and_is_unexplained_until_the_value_is_there(tmp_path, capsys):
    table = tmp_path / "table2.csv"
    table.write_text("system,nDCG@10\nEASE,0.396\n", encoding="utf-8")
    folder = tmp_path / "paper"
    assert cli.main(["ledger", "new", str(folder), "--table", str(table)]) == 0
    assert run(folder) == 1
    assert "UNEXPECTED ease_ndcg_10: unexplained" in capsys.readouterr().out
    path = folder / "check_table2.ipynb"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('float(\\"nan\\")', "0.3956"), encoding="utf-8")
    assert run(folder) == 0
