"""A law: `read_table` reads every CSV and Parquet table that receval writes, and a ledger the CSV.

A function that writes tables belongs into `WRITERS`, which the first test checks.
"""

import csv
import re
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval
from receval import (
    Ledger,
    evaluate,
    evaluate_retrievers,
    ground_truth,
    pooled,
    published,
    read_table,
)
from receval.cli import main
from receval.tables import write_table

TRUTH = pd.DataFrame({"user": ["007", "7", "a b"], "item": ["x", "1.0", "y,z"], "relevance": 1})
RECS = pd.DataFrame({"user": ["007", "7", "7"], "item": ["x", "w", "1.0"], "score": [1.5, 2, 1]})
RESULT = evaluate({"first": RECS, "NA": RECS[:1]}, TRUTH, ["nDCG@3", "AUC"])
FOLDS = pooled({"spring": RESULT.where(["007", "7"]), "autumn": RESULT.where(["a b", "7"])})
CASES = {"x": 1.0, "y": 1 / 3, "z": 0.0}
TABLES = {
    "values of users": RESULT.per_user.reset_index(),
    "means": RESULT.summary.reset_index(),
    "counts": RESULT.counts.reset_index(),
    "ties": RESULT.ties().reset_index(),
    "lists": RESULT.lists(),
    "terms": RESULT.terms("nDCG@3"),
    "differences": RESULT.diff("NA", "first", "nDCG@3").reset_index(),
    "comparison": RESULT.compare(measures="nDCG@3").results.reset_index(),
    "intervals": RESULT.interval().reset_index(),
    "folds": FOLDS.by_fold.reset_index(),
    "conventions": receval.conventions().replace("", "none").reset_index(),
}


def same_answer(_query, cases):
    return dict(cases)


def write_retrievers(path):
    truth = {"q": same_answer(0, CASES)}
    result = evaluate_retrievers({"same": same_answer}, {"q": 0}, CASES, truth=truth)
    result.to_csv(path)


def write_by_command(path):
    folder = path.parent
    write_table(RECS, folder / "recs.csv")
    write_table(TRUTH, folder / "truth.csv")
    files = [str(folder / name) for name in ("recs.csv", "truth.csv")]
    with path.open("w", encoding="utf-8", newline="") as file, redirect_stdout(file):
        assert main(["evaluate", *files, "-m", "nDCG@3", "--format", "csv"]) == 0


def write_ground_truth(path):
    ground_truth(same_answer, {"q": 0}, CASES, path=path)


# For each writer, the room of its module, and a function that writes a file.
WRITERS = {
    **{name: ("tables", partial(write_table, table)) for name, table in TABLES.items()},
    "result": ("evaluation", RESULT.save),
    "pooled folds": ("evaluation", FOLDS.save),
    "ground truth": ("retrieval", write_ground_truth),
    "retrievers": ("retrieval", write_retrievers),
    "command": ("cli", write_by_command),
}
ONLY_CSV = ("ground truth", "retrievers", "command")
CALLS = re.compile(r"\b(?:write_table|write_as|to_csv|to_parquet)\(")


def test_the_law_knows_every_room_that_writes_tables():
    package = Path(receval.__file__).parent
    rooms = {
        path.relative_to(package).parts[0].removesuffix(".py")
        for path in package.rglob("*.py")
        if CALLS.search(re.sub("def .*", "", path.read_text(encoding="utf-8")))
    }
    assert rooms == {room for room, _ in WRITERS.values()}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".receval"])
@pytest.mark.parametrize("name", WRITERS)
def test_read_table_reads_what_receval_writes(name, ending, tmp_path):
    room, write = WRITERS[name]
    if name in ONLY_CSV and ending != ".csv":
        pytest.skip("written as CSV only")
    if ending == ".receval" and room != "evaluation":
        pytest.skip("only results have such files")
    path = tmp_path / f"table{ending}"
    write(path)
    if ending == ".receval":  # a Parquet file by another name
        path = path.rename(tmp_path / "table.parquet")
    table = read_table(path)
    assert len(table)
    if name in TABLES:
        expected = TABLES[name]
        for column in expected:
            if pd.api.types.is_float_dtype(expected[column]):
                np.testing.assert_array_equal(table[column], expected[column])
            else:
                assert table[column].astype(str).tolist() == expected[column].astype(str).tolist()
    if name == "result":
        assert table["user"].tolist()[:3] == ["007", "7", "a b"]
        np.testing.assert_array_equal(table[RESULT.per_user.columns], RESULT.per_user)


@pytest.mark.parametrize("name", WRITERS)
def test_a_ledger_reads_what_receval_writes(name, tmp_path, monkeypatch):
    _, write = WRITERS[name]
    path = tmp_path / "printed.csv"
    write(path)
    with path.open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    figure = '[figures.rows]\nwhat = "the number of rows"\nprinted = "1"\n'
    (tmp_path / "paper.toml").write_text(figure, encoding="utf-8")
    monkeypatch.setattr("receval.ledger.folder.shipped_ledger", lambda: Ledger(tmp_path))
    printed = published.table("printed")
    assert printed.to_numpy().tolist() == rows
    assert list(printed) == heading
