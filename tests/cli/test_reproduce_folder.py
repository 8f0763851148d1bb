"""The command ``receval reproduce FOLDER``, for the ledger of any paper."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import receval
from receval import cli

FIGURES = """
[figures.sum]
printed = "3"
[figures.product]
printed = "0.40"
"""
RECORD = 'corrected = "0.48"\nreason = "digits swapped"\n'
CHECKS = (
    'import receval\nledger = receval.Ledger(".")\nledger.check("product", 0.48)',
    'ledger.check("sum", 3)',
)


@pytest.fixture
def paper(tmp_path):
    folder = tmp_path / "my-paper"
    folder.mkdir()
    (folder / "figures.toml").write_text(FIGURES, encoding="utf-8")
    return folder


def write_notebook(path, *sources):
    cells = [
        new_code_cell(source, id=f"mine-{number}", metadata={"editable": False})
        for number, source in enumerate(sources)
    ]
    nbformat.write(new_notebook(cells=cells), path)


def run(folder, *options):
    return cli.main(["reproduce", str(folder), "--quiet", *options])


def test_notebooks_run_in_place_and_a_wrong_figure_is_put_on_record(paper, capsys):
    write_notebook(paper / "01_check.ipynb", *CHECKS)
    assert run(paper) == 1
    printed = capsys.readouterr().out
    assert "UNEXPECTED product: unexplained, on record reproduced" in printed
    assert "1 notebooks run, 0 cells failed; 2 figures: 1 recomputed and as recorded" in printed
    executed = nbformat.read(paper / "01_check.ipynb", 4)
    assert [cell.id for cell in executed.cells] == ["mine-0", "mine-1"]
    assert executed.cells[0].metadata["editable"] is False
    table = receval.Ledger(paper).table()
    assert table["verdict"].to_dict() == {"sum": "reproduced", "product": "unexplained"}
    assert table.loc["sum", "cell"] == "01_check.ipynb#cell-id=mine-1"
    (paper / "figures.toml").write_text(FIGURES + RECORD, encoding="utf-8")
    assert run(paper) == 0
    assert "2 figures: 2 recomputed and as recorded" in capsys.readouterr().out


UNEXPECTED = """
[figures.a]
printed = "3"
[figures.b]
printed = "3"
[figures.c]
printed = "3"
corrected = "4"
reason = "slip"
[figures.d]
printed = "most rise"
claim = "holds"
"""
CHECKS_OF_UNEXPECTED = """
from receval import Ledger, published
ledger = Ledger(".")
published.Checks([ledger.check("a", 4), ledger.check("c", 3), ledger.check("d", holds=False)])
"""


def test_the_advice_fits_each_unexpected_verdict(paper, capsys):
    (paper / "figures.toml").write_text(UNEXPECTED, encoding="utf-8")
    write_notebook(paper / "checks.ipynb", CHECKS_OF_UNEXPECTED)
    assert run(paper) == 1
    printed = capsys.readouterr().out
    for line in (
        "UNEXPECTED a: unexplained, on record reproduced",
        "UNEXPECTED b: not checked, on record reproduced",
        "UNEXPECTED c: reproduced, on record erratum",
        "UNEXPECTED d: claim fails, on record claim holds",
        "unexplained: Correct the computation, or put the reason on record in the TOML file",
        "not checked: Correct the cells that failed. A check must be the last line of its cell",
        "reproduced: The values lead to another verdict than the one on record.",
        "claim fails: The values lead to another verdict than the one on record.",
    ):
        assert f"\n{line}" in printed


def test_a_folder_without_notebooks_has_nothing_checked(paper, capsys):
    assert run(paper) == 1
    printed = capsys.readouterr().out
    assert "UNEXPECTED sum: not checked, on record reproduced" in printed
    assert "0 notebooks run" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--output", "elsewhere"], "output must be left out with a folder"),
        (["--jobs", "0"], "jobs must be a positive integer"),
        (["--timeout", "0"], "timeout must be a positive integer"),
    ],
)
def test_bad_usage_has_the_status_2(paper, capsys, options, message):
    assert run(paper, *options) == 2
    assert message in capsys.readouterr().err


def test_a_missing_folder_and_a_broken_file_have_the_status_2(paper, tmp_path, capsys):
    assert run(tmp_path / "missing") == 2
    assert "folder must exist and hold a TOML file" in capsys.readouterr().err
    (paper / "figures.toml").write_text(FIGURES + 'corected = "0.48"', encoding="utf-8")
    assert run(paper) == 2
    message = capsys.readouterr().err
    assert "figure 'product'" in message
    assert "Did you mean 'corrected'?" in message
