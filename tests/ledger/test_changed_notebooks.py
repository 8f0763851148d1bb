"""Notebooks that a user has changed are never overwritten."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from receval import InputError
from receval.ledger import reproduce, run, running


def write(path, *sources, **cell):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(text, **cell) for text in sources]), path)
    return path


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """The folder of two notebooks; running any of them fails the test."""

    def never(*_, **__):
        pytest.fail("ran")

    monkeypatch.setattr(running, "run", never)
    write(tmp_path / "shipped" / "00_first.ipynb", "1")
    write(tmp_path / "shipped" / "learn" / "01_next.ipynb", "2")
    return tmp_path / "shipped"


@pytest.mark.parametrize("change", ["source", "tags", "more cells", "no notebook"])
def test_reproduce_refuses_to_overwrite_what_a_user_changed(shipped, tmp_path, change):
    target = tmp_path / "mine" / "learn" / "01_next.ipynb"
    cells = {"source": ["2 + 2"], "more cells": ["2", "3"]}.get(change, ["2"])
    metadata = {"tags": ["mine"]} if change == "tags" else {}
    write(target, *cells, metadata=metadata)
    if change == "no notebook":
        target.write_text("notes", encoding="utf-8")
    before = target.read_bytes()
    with pytest.raises(InputError, match=r"output must hold no notebook that you have changed"):
        reproduce(shipped, tmp_path / "mine", quiet=True)
    assert target.read_bytes() == before


def test_outputs_alone_are_no_change(tmp_path):
    source = write(tmp_path / "source.ipynb", "1")
    target = write(tmp_path / "target.ipynb", "1", outputs=[new_output("stream", text="1")])
    assert not running._differ(source, target)


def test_the_notebooks_themselves_may_be_executed_in_place(shipped):
    for path in shipped.rglob("*.ipynb"):
        assert not running._differ(path, path)


def test_what_a_user_saves_while_a_notebook_runs_is_kept(tmp_path):
    path = tmp_path / "mine.ipynb"
    write(path, f"from pathlib import Path; _ = Path({str(path)!r}).write_text('edited')")
    with pytest.raises(InputError, match=r"must stay as it is while it runs; got changes"):
        run([path], [path])
    assert path.read_text(encoding="utf-8") == "edited"
