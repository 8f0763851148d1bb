"""The command ``receval reproduce FOLDER``, for the ledger of any paper.

`test_check_your_paper.py` runs it on a wrong and on a right figure.
"""

import json
from unittest.mock import Mock

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from receval import Ledger, cli, datasets
from receval.ledger import running

ONE_FIGURE = '[figures.sum]\nprinted = "3"\n'
CHECK = 'import receval\nreceval.Ledger(".").check("sum", 3)'
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
[figures.far]
printed = "8"
inputs = ["cars/cars-1k.csv"]
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
    "data not here ",  # in the table of counts
    "1 notebooks run, 0 cells failed; 5 figures, 4 not as recorded, 1 without data",
]


def run(folder, *options):
    return cli.main(["reproduce", str(folder), "--quiet", *options])


def test_the_advice_fits_each_unexpected_verdict(file, notebook, monkeypatch, capsys):
    monkeypatch.setattr(running, "run", lambda paths, *_, **__: [[]] * len(paths))
    unavailable = Mock(side_effect=datasets.DataUnavailable("no network"))
    monkeypatch.setattr("receval.datasets.downloads.fetch", unavailable)
    folder = file("figures.toml", UNEXPECTED).parent
    ledger = Ledger(folder)
    checks = ledger.check("a", 4), ledger.check("c", 3), ledger.check("d", holds=False)
    notebook(folder / "checks.ipynb", *checks)
    assert run(folder) == 1
    printed = capsys.readouterr().out
    assert [line for line in ADVICE if f"\n{line}" not in printed] == []


def test_a_folder_without_notebooks_has_nothing_checked(file, capsys):
    assert run(file("figures.toml", ONE_FIGURE).parent) == 1
    last = "\n0 notebooks run, 0 cells failed; 1 figures, 1 not as recorded, 0 without data\n"
    assert last in capsys.readouterr().out


def write_notebook(path, kernel, *cells):
    """Write a notebook that runs in the kernel with this name."""
    metadata = {"kernelspec": {"name": kernel, "display_name": kernel}}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (".", ["--output", "elsewhere"], "output must be left out with a folder"),
        (".", ["--jobs", "0"], "jobs must be a positive integer"),
        (".", ["--timeout", "0"], "timeout must be a positive integer"),
        (".", [], "kernel must be installed; got 'julia-0.6'"),
        ("missing", [], "folder must exist and hold a TOML file"),
    ],
)
def test_bad_usage_has_the_status_2(file, capsys, name, options, message):
    folder = file("figures.toml", ONE_FIGURE).parent
    write_notebook(folder / "checks.ipynb", "julia-0.6", new_code_cell(CHECK))
    assert run(folder / name, *options) == 2
    assert message in capsys.readouterr().err


def test_a_notebook_runs_in_its_own_kernel_and_a_cell_that_shall_raise_is_no_failure(
    file, monkeypatch
):
    folder = file("figures.toml", ONE_FIGURE).parent
    specs = folder / "kernels" / "mine"
    specs.mkdir(parents=True)
    command = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "mine", "env": {"MY_KERNEL": "mine"}}
    (specs / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(folder))
    raises = new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]})
    kernel = new_code_cell("import os\nassert os.environ['MY_KERNEL'] == 'mine'")
    write_notebook(folder / "checks.ipynb", "mine", raises, kernel, new_code_cell(CHECK))
    assert run(folder) == 0
