"""The command ``receval reproduce FOLDER``, for the ledger of any paper.

Notebooks that were not written for receval run as Jupyter runs them.
"""

import json

import nbclient
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
ONE_FIGURE = '[figures.sum]\nprinted = "3"\n'
CHECK = 'import receval\nreceval.Ledger(".").check("sum", 3)'
KERNEL = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
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


def write_notebook(path, *sources, tags=(), kernel=None):
    """Write a notebook; the tags are those of its first cell."""
    cells = [
        new_code_cell(source, id=f"mine-{number}", metadata={"editable": False})
        for number, source in enumerate(sources)
    ]
    cells[0].metadata["tags"] = list(tags)
    notebook = new_notebook(cells=cells)
    if kernel is not None:
        notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
    nbformat.write(notebook, path)


def run(folder, *options):
    return cli.main(["reproduce", str(folder), "--quiet", *options])


def test_notebooks_run_in_place_and_a_wrong_figure_is_named(paper, capsys):
    write_notebook(paper / "01_check.ipynb", *CHECKS)
    assert run(paper) == 1
    printed = capsys.readouterr().out
    assert "UNEXPECTED product: unexplained, on record reproduced" in printed
    assert "1 notebooks run, 0 cells failed; 2 figures, 1 not as recorded" in printed
    executed = nbformat.read(paper / "01_check.ipynb", 4)
    assert [cell.id for cell in executed.cells] == ["mine-0", "mine-1"]
    assert executed.cells[0].metadata["editable"] is False
    table = receval.Ledger(paper).table()
    assert table["verdict"].to_dict() == {"sum": "reproduced", "product": "unexplained"}
    assert table.loc["sum", "cell"] == "01_check.ipynb#cell-id=mine-1"


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
    (paper / "figures.toml").write_text(FIGURES + 'corected = "0.48"', encoding="utf-8")
    for folder, message in (
        (tmp_path / "missing", "folder must exist and hold a TOML file"),
        (paper, "figures.toml, figure 'product': keys must be among "),
    ):
        assert run(folder) == 2
        assert message in capsys.readouterr().err


@pytest.fixture
def paper_with_one_figure(paper):
    (paper / "figures.toml").write_text(ONE_FIGURE, encoding="utf-8")
    return paper


def test_a_cell_that_shall_raise_is_no_failure(paper_with_one_figure):
    path = paper_with_one_figure / "checks.ipynb"
    write_notebook(path, "1 / 0", CHECK, tags=["raises-exception"])
    assert run(paper_with_one_figure) == 0


def test_a_notebook_runs_in_its_own_kernel(paper_with_one_figure, tmp_path, monkeypatch):
    folder = tmp_path / "jupyter" / "kernels" / "mine"
    folder.mkdir(parents=True)
    spec = {"argv": KERNEL, "display_name": "mine", "env": {"MY_KERNEL": "mine"}}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    source = "import os\nassert os.environ['MY_KERNEL'] == 'mine'"
    write_notebook(paper_with_one_figure / "checks.ipynb", source, CHECK, kernel="mine")
    assert run(paper_with_one_figure) == 0


def test_a_kernel_that_is_not_there_is_named(paper_with_one_figure, capsys):
    write_notebook(paper_with_one_figure / "checks.ipynb", CHECK, kernel="julia-0.6")
    assert run(paper_with_one_figure) == 2
    assert "kernel must be installed; got 'julia-0.6'" in capsys.readouterr().err


def test_a_cell_may_take_longer_than_ten_minutes(paper_with_one_figure, monkeypatch):
    limits = []
    original = nbclient.NotebookClient.__init__

    def begin(client, *arguments, **options):
        original(client, *arguments, **options)
        limits.append(client.timeout)

    monkeypatch.setattr(nbclient.NotebookClient, "__init__", begin)
    write_notebook(paper_with_one_figure / "checks.ipynb", CHECK)
    assert run(paper_with_one_figure) == 0
    assert limits == [None]
