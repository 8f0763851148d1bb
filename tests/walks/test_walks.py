"""The form of the walks: their length, pictures, exercises, and the cell for your own table."""

import re

import pandas as pd
import pytest
from exercises import WALKS, cells_of, exercises_of, prose_of, tags_of

from receval.learn import copies
from receval.learn.exercises import kind_of

OWN_TABLES = {
    "1": {
        "lists.csv": "contract,bidder,rank\n1,a,1\n1,b,2\n2,b,1\n",
        "won.csv": "contract,bidder\n1,b\n2,c\n3,a\n",
        "awards.csv": "bidder,awards\na,3\nb,1\nc,1\n",
    },
    "2": {
        "ratings.csv": "member,alien,brazil,casino,dumbo,exodus\n"
        "ann,5,1,3.5,2,1\nben,1,2,3,5,4\ncem,1,,3,4,5\n"
    },
    "3": {
        "offline.csv": "system,nDCG,diversity\na,0.2,0.9\nb,0.4,0.5\nc,0.6,0.7\n",
        "online.csv": "system,clicks\nb,0.02\nc,0.03\na,0.01\n",
    },
    "5": {
        "recommended.csv": "user,item,score\nann,ben,2\nann,cem,1\nben,ann,2\ncem,ann,1\n",
        "hidden.csv": "user,item,relevance\nann,cem,3\nben,ann,1\n",
    },
    "4": {
        "exact.csv": "case,similarity\nw1,0.9\nw2,0.7\nw3,0.4\nw4,0.1\n",
        "fast.csv": "case,similarity\nw3,0.8\nw1,0.6\nw2,0.5\nw5,0.2\n",
    },
}
"""The CSV files that the own-table cell of each walk reads, by the walk's number: name and text."""

each_walk = pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)


def pictures_of(cell):
    """Return the outputs of a cell that are pictures."""
    return [output for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]


@each_walk
def test_a_walk_is_short(path):
    copied = [cell for cell in cells_of(path) if not tags_of(cell) & copies.TAGS_OF_ANSWERS]
    assert len(copied) <= 30
    assert len(" ".join(prose_of(path)).split()) <= 1000
    assert max(len(c.source.splitlines()) for c in copied if c.cell_type == "code") <= 15


@each_walk
def test_a_picture_is_within_the_first_six_cells_and_there_are_three_at_least(path):
    with_pictures = [number for number, cell in enumerate(cells_of(path)) if pictures_of(cell)]
    assert with_pictures[0] < 6
    assert len(with_pictures) >= 3


@each_walk
def test_each_picture_has_an_alternative_text(path):
    for cell in cells_of(path):
        for picture in pictures_of(cell):
            text = picture.metadata["image/png"]["alt"]
            assert len(text.split()) >= 8, f"{text!r} says too little"
            if "learn.live(" not in cell.source:
                assert text == cell.metadata["alt"]


@each_walk
def test_a_walk_has_a_prediction_two_exercises_and_a_live_view(path):
    exercises = exercises_of(path).values()
    assert sorted(map(kind_of, exercises)) == ["answer", "answer", "prediction"]
    assert all(len(texts["mistakes"]) >= 2 for texts in exercises if "answer" in texts)
    assert sum("learn.live(" in cell.source for cell in cells_of(path)) == 1


@each_walk
def test_the_ledger_is_one_folded_cell_at_the_end(path):
    (ledger,) = cells_of(path, "ledger")
    assert ledger == cells_of(path)[-1]
    assert ledger.metadata.jupyter == {"source_hidden": True, "outputs_hidden": True}


@each_walk
def test_a_walk_says_where_to_go_next(path):
    (text,) = [text for text in prose_of(path) if "## Where to go next" in text]
    links = re.findall(r"\]\(([^)#]+\.(?:ipynb|md))", text)
    assert len(links) >= 2


@each_walk
def test_the_same_with_your_own_table_runs(path, tmp_path, monkeypatch):
    """The code under this heading is text, because the reader's files aren't there."""
    (text,) = [text for text in prose_of(path) if "with your own table" in text]
    (code,) = re.findall(r"```python\n(.+?)```", text, flags=re.DOTALL)
    assert len(code.strip().splitlines()) <= 5
    tables = OWN_TABLES[path.stem[0]]
    for name, content in tables.items():
        assert name in code
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    setup = next(cell.source for cell in cells_of(path) if "import" in cell.source)
    namespace = {}
    with pd.option_context("display.precision", 6):  # the walk sets its own
        exec(setup, namespace)
        exec(code, namespace)
