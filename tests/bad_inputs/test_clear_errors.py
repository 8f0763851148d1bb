"""Clear errors instead of tracebacks, and advice that gives the right number if you follow it."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from systems import can_name_files

from receval import InputError, evaluate, load
from receval.learn import copies
from receval.ledger import running
from receval.people.grid import read_grid
from receval.tables import (
    read_qrels,
    read_ratings,
    read_run,
    read_table,
    write_qrels,
    write_run,
    write_table,
)

RECS = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]})
TRUTH = pd.DataFrame({"user": [1, 2], "item": ["b", "a"], "relevance": [1, 2]})
HALF = "\ud800"  # half a surrogate pair
SOURCE = Path(__file__).parents[2] / "notebooks"


# Files -----------------------------------------------------------------------------------------

LONG = "x" * 300
ENDINGS = ["", ".csv", ".parquet", ".run", ".receval", ".json", ".yaml"]
# Both are longer than 4,096 characters, although each name in them is allowed.
LONG_PATH = "/".join(["d" * 200] * 21)
DEEP_PATH = "/".join("d" * 2100)  # slow, so it is tried with one ending
BAD_NAMES = [LONG, f"{LONG}/x", "a\0b", LONG_PATH, f"*{LONG}", HALF]
WRITERS = [
    *(lambda path, write=write: write(RECS, path) for write in (write_run, write_table)),
    lambda path: write_qrels(TRUTH, path),
    lambda path: evaluate(RECS, TRUTH, "MRR").save(path),
    lambda path: copies.copy(SOURCE, path),
]
READERS = [
    *(read_table, read_run, read_qrels, read_ratings),
    *(load, read_grid),
    lambda path: evaluate(path, TRUTH, "MRR"),
    lambda path: evaluate([path], TRUTH, "MRR"),
    lambda path: evaluate({"A": path, "B": path}, TRUTH, "MRR"),
    lambda path: evaluate(RECS, path, "MRR"),
    lambda path: evaluate(RECS, TRUTH, "nov_u", history=path),
    lambda path: copies.copy(path, Path("never")),
]


@pytest.mark.parametrize(
    ("name", "ending"),
    [*product(BAD_NAMES, ENDINGS), (DEEP_PATH, ".csv")],
    ids=lambda text: ascii(text[:5]),
)
def test_file_names_that_the_system_does_not_allow(name, ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (*READERS, *WRITERS):
        for path in (name + ending, Path(name + ending)):
            with pytest.raises(InputError, match="must"):
                call(path)


@pytest.mark.parametrize("path", ["C:\\grid.yaml", "C:/grid", "d:\\a b\\g.yml", "a:b.yaml"])
def test_the_path_of_a_grid_may_hold_colons(path):
    with pytest.raises(InputError, match=r"path must be an existing file"):
        read_grid(path)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: copies.copy(SOURCE, path),
        lambda path: copies.copy(SOURCE, path / "below"),
        lambda path: running.reproduce(SOURCE, path),
    ],
)
def test_notebooks_are_not_written_onto_a_file(file, write):
    path = file("file", "mine")
    with pytest.raises(InputError, match=r"(folder|output) must be a folder; got the file"):
        write(path)
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("names", [["user"], ["user", "item"]])
def test_the_named_index_of_a_parquet_file_holds_columns(names, tmp_path):
    path = tmp_path / "indexed.parquet"
    RECS.set_index(names).to_parquet(path)
    assert evaluate(path, TRUTH, "nDCG") == evaluate(RECS, TRUTH, "nDCG")


def test_the_nameless_index_of_a_parquet_file_needs_a_name(tmp_path):
    path = tmp_path / "indexed.parquet"
    RECS.set_index("user").rename_axis(None).to_parquet(path)
    with pytest.raises(InputError, match=r"table\.reset_index\(names='user'\)"):
        evaluate(path, TRUTH, "nDCG")


# Messages --------------------------------------------------------------------------------------


def test_items_of_another_kind_are_converted_and_not_indexed_anew():
    items = pd.DataFrame({"awards": [5, 1]}, index=[1, 2])
    recs = pd.DataFrame({"user": "u", "item": ["2", "1"], "score": [2.0, 1.0]})
    with pytest.raises(InputError, match=r"^(?!.*set_index).*turn the numbers into text"):
        evaluate(recs, {"u": ["1"]}, "LTP", items=items)


# The command line ------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "utf-16"])
def test_any_encoding_prints_every_command(encoding, tmp_path):
    recs, truth = tmp_path / "recs.csv", tmp_path / "truth.csv"
    recs.write_text("user,item,score\n\u00e9,\u65e5\u00d8,1\n", "utf-8")
    truth.write_text("user,item,relevance\n\u00e9,\u65e5\u00d8,1\n", "utf-8")
    commands = [
        ["conventions"],
        ["explain", "\u00e9", "nDCG", str(recs), str(truth)],
        ["explain", "\u4eba", "nDCG", str(recs), str(truth)],
        ["evaluate", str(recs), str(truth), "-m", "nDCG"],
        ["evaluate", str(tmp_path / "\u4eba.csv"), str(truth), "-m", "nDCG"],
    ]
    code = (
        f"from receval.cli import main\nprint([main(command) for command in {commands!a}])\n"
        "main(['compare', '--help'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    printed = done.stdout.decode(encoding)
    missing_file = 3 if can_name_files("\u4eba") else 2
    assert f"[0, 0, 2, 0, {missing_file}]" in printed
    assert "\u00e9".encode(encoding, "backslashreplace").decode(encoding) in printed
