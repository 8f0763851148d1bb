"""Notebooks that a user has changed are never overwritten."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

from receval import InputError
from receval import ledger as published
from receval.ledger import running
from receval.ledger.running import reproduce, run


def write(path, *sources, **cell):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(text, **cell) for text in sources]), path)
    return path


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """The folder of two notebooks; running any of them fails the test."""
    monkeypatch.setattr(running, "run", None)
    write(tmp_path / "shipped" / "00_first.ipynb", "1")
    write(tmp_path / "shipped" / "learn" / "01_next.ipynb", "2")
    return tmp_path / "shipped"


@pytest.mark.parametrize(
    ("cells", "metadata"),
    [(["2 + 2"], {}), (["2", "3"], {}), (["2"], {"tags": ["mine"]})],
    ids=["source", "more cells", "tags"],
)
def test_reproduce_refuses_to_overwrite_what_a_user_changed(shipped, tmp_path, cells, metadata):
    target = write(tmp_path / "mine" / "learn" / "01_next.ipynb", *cells, metadata=metadata)
    before = target.read_bytes()
    with pytest.raises(InputError, match="output must hold no notebook that you have changed"):
        reproduce(shipped, tmp_path / "mine", quiet=True)
    assert target.read_bytes() == before


def test_reproduce_refuses_to_overwrite_what_is_no_notebook(shipped, file):
    target = file("00_first.ipynb", "notes")
    with pytest.raises(InputError, match="must be a notebook in format 4"):
        reproduce(shipped, target.parent, quiet=True)
    assert target.read_text(encoding="utf-8") == "notes"


def test_outputs_alone_are_no_change_and_notebooks_may_run_in_place(shipped, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "run", lambda paths, *_, **__: [[]] * len(paths))
    monkeypatch.setattr(running, "ledger", lambda *_: published.ledger([]))
    shown = new_output("stream", text="1")
    write(tmp_path / "mine" / "00_first.ipynb", "1", outputs=[shown])
    for output in (tmp_path / "mine", shipped):
        assert len(reproduce(shipped, output, quiet=True)[1]) == 2


def test_what_a_user_saves_while_a_notebook_runs_is_kept(tmp_path, monkeypatch):
    path = write(tmp_path / "mine.ipynb", "1")

    async def save_edits(client):
        assert client.timeout is None  # a cell may take as long as it takes
        path.write_text("edited", encoding="utf-8")

    monkeypatch.setattr(NotebookClient, "async_execute", save_edits)
    with pytest.raises(InputError, match=r"must stay as it is while it runs; got changes"):
        run([path], [path])
    assert path.read_text(encoding="utf-8") == "edited"
