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
    """A function that makes the folder of a paper with the text of its TOML file."""
    folder = tmp_path / "my-paper"
    folder.mkdir()

    def write(figures=ONE_FIGURE):
        (folder / "figures.toml").write_text(figures, encoding="utf-8")
        return folder

    return write


def write_notebook(path, *sources, tags=(), **kernel):
    """Write a notebook; the tags are those of its first cell."""
    cells = [
        new_code_cell(source, id=f"mine-{number}", metadata={"editable": False})
        for number, source in enumerate(sources)
    ]
    cells[0].metadata["tags"] = list(tags)
    nbformat.write(new_notebook(cells=cells, metadata=kernel), path)


def kernel(name):
    return {"name": name, "display_name": name}


def run(folder, *options):
    return cli.main(["reproduce", str(folder), "--quiet", *options])


def test_notebooks_run_in_place_and_a_wrong_figure_is_named(paper, capsys):
    folder = paper(FIGURES)
    write_notebook(folder / "01_check.ipynb", *CHECKS)
    assert run(folder) == 1
    printed = capsys.readouterr().out
    assert "UNEXPECTED product: unexplained, on record reproduced" in printed
    assert (
        "1 notebooks run, 0 cells failed; 2 figures, 1 not as recorded, 0 without data" in printed
    )
    executed = nbformat.read(folder / "01_check.ipynb", 4)
    assert [cell.id for cell in executed.cells] == ["mine-0", "mine-1"]
    assert executed.cells[0].metadata["editable"] is False
    table = receval.Ledger(folder).table()
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


ADVICE = [
    "UNEXPECTED a: unexplained, on record reproduced",
    "UNEXPECTED b: not checked, on record reproduced",
    "UNEXPECTED c: reproduced, on record erratum",
    "UNEXPECTED d: claim fails, on record claim holds",
    "unexplained: Correct the computation, or put the reason on record in the TOML file",
    "not checked: Correct the cells that failed. A check must be the last line of its cell",
    "reproduced: The values lead to another verdict than the one on record.",
    "claim fails: The values lead to another verdict than the one on record.",
]


def test_the_advice_fits_each_unexpected_verdict(paper, capsys):
    folder = paper(UNEXPECTED)
    write_notebook(folder / "checks.ipynb", CHECKS_OF_UNEXPECTED)
    assert run(folder) == 1
    printed = capsys.readouterr().out
    assert [line for line in ADVICE if f"\n{line}" not in printed] == []


def test_a_folder_without_notebooks_has_nothing_checked(paper, capsys):
    assert run(paper()) == 1
    printed = capsys.readouterr().out
    assert "UNEXPECTED sum: not checked, on record reproduced" in printed
    assert "0 notebooks run" in printed


@pytest.mark.parametrize(
    ("figures", "options", "message"),
    [
        (ONE_FIGURE, ["--output", "elsewhere"], "output must be left out with a folder"),
        (ONE_FIGURE, ["--jobs", "0"], "jobs must be a positive integer"),
        (ONE_FIGURE, ["--timeout", "0"], "timeout must be a positive integer"),
        (
            FIGURES + 'corected = "0.48"',
            [],
            "figures.toml, figure 'product': keys must be among ",
        ),
        (ONE_FIGURE, [], "kernel must be installed; got 'julia-0.6'"),
    ],
)
def test_bad_usage_has_the_status_2(paper, capsys, figures, options, message):
    folder = paper(figures)
    write_notebook(folder / "checks.ipynb", CHECK, kernelspec=kernel("julia-0.6"))
    assert run(folder, *options) == 2
    assert message in capsys.readouterr().err


def test_a_missing_folder_has_the_status_2(tmp_path, capsys):
    assert run(tmp_path / "missing") == 2
    assert "folder must exist and hold a TOML file" in capsys.readouterr().err


def test_a_notebook_runs_in_its_own_kernel_without_a_limit_of_time(paper, tmp_path, monkeypatch):
    """A cell that shall raise is no failure, and a cell may take longer than ten minutes."""
    limits = []
    original = nbclient.NotebookClient.__init__

    def begin(client, *arguments, **options):
        original(client, *arguments, **options)
        limits.append(client.timeout)

    monkeypatch.setattr(nbclient.NotebookClient, "__init__", begin)
    specs = tmp_path / "jupyter" / "kernels" / "mine"
    specs.mkdir(parents=True)
    spec = {"argv": KERNEL, "display_name": "mine", "env": {"MY_KERNEL": "mine"}}
    (specs / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    path = paper() / "checks.ipynb"
    source = "import os\nassert os.environ['MY_KERNEL'] == 'mine'"
    sources = ("1 / 0", source, CHECK)
    write_notebook(path, *sources, tags=["raises-exception"], kernelspec=kernel("mine"))
    assert run(path.parent) == 0
    assert limits == [None]
