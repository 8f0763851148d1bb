"""Notebooks that were not written for receval run as Jupyter runs them.

`run` is the only place that names the command, so that these tests survive its rewriting.
"""

import json

import nbclient
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from receval import cli

FIGURES = '[figures.sum]\nprinted = "3"\n'
CHECK = 'import receval\nreceval.Ledger(".").check("sum", 3)'
KERNEL = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]


@pytest.fixture
def paper(tmp_path):
    """A folder with one figure, for a notebook."""
    folder = tmp_path / "my-paper"
    folder.mkdir()
    (folder / "figures.toml").write_text(FIGURES, encoding="utf-8")
    return folder


def run(folder, *cells, **metadata):
    """Write a notebook into the folder, run the folder, and return the exit status."""
    notebook = new_notebook(cells=[*cells, new_code_cell(CHECK)], metadata=metadata)
    nbformat.write(notebook, folder / "checks.ipynb")
    return cli.main(["reproduce", str(folder), "--quiet"])


def kernelspec(name):
    return {"name": name, "display_name": name, "language": "python"}


def test_a_cell_that_shall_raise_is_no_failure(paper):
    assert run(paper, new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]})) == 0


def test_a_notebook_runs_in_its_own_kernel(paper, monkeypatch):
    folder = paper.parent / "jupyter" / "kernels" / "mine"
    folder.mkdir(parents=True)
    spec = {"argv": KERNEL, "display_name": "mine", "env": {"MY_KERNEL": "mine"}}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(folder.parents[1]))
    cell = new_code_cell("import os\nassert os.environ['MY_KERNEL'] == 'mine'")
    assert run(paper, cell, kernelspec=kernelspec("mine")) == 0


def test_a_kernel_that_is_not_there_is_named(paper, capsys):
    assert run(paper, new_code_cell("1 + 1"), kernelspec=kernelspec("julia-0.6")) != 0
    assert "julia-0.6" in "".join(capsys.readouterr())


def test_a_cell_may_take_longer_than_ten_minutes(paper, monkeypatch):
    limits = []
    original = nbclient.NotebookClient.__init__

    def begin(client, *arguments, **options):
        original(client, *arguments, **options)
        limits.append(client.timeout)

    monkeypatch.setattr(nbclient.NotebookClient, "__init__", begin)
    assert run(paper) == 0
    assert limits == [None]
