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
    files = [str(path.parent / name) for name in ("recs.csv", "truth.csv")]
    for table, file in zip((RECS, TRUTH), files, strict=True):
        write_table(table, file)
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
CALLS = re.compile(r"\b(?:write_table|write_as|to_csv|to_parquet)\(")


def test_the_law_knows_every_room_that_writes_tables():
    package = Path(receval.__file__).parent
    rooms = {
        path.relative_to(package).parts[0].removesuffix(".py")
        for path in package.rglob("*.py")
        if CALLS.search(re.sub("def .*", "", path.read_text(encoding="utf-8")))
    }
    assert rooms == {room for room, _ in WRITERS.values()}


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        (name, ending)
        for name, (room, _) in WRITERS.items()
        for ending in (".csv", ".tsv", ".parquet", ".receval")
        if ending == ".csv" or room in ("tables", "evaluation")
        if ending != ".receval" or room == "evaluation"
    ],
)
def test_read_table_reads_what_receval_writes(name, ending, tmp_path):
    path = tmp_path / f"table{ending}"
    WRITERS[name][1](path)
    if ending == ".receval":  # a Parquet file by another name
        path = path.rename(tmp_path / "table.parquet")
    table = read_table(path)
    assert len(table)
    for column, expected in TABLES.get(name, pd.DataFrame()).items():
        if pd.api.types.is_float_dtype(expected):
            np.testing.assert_array_equal(table[column], expected)
        else:
            assert table[column].astype(str).tolist() == expected.astype(str).tolist()
    if name == "result":
        assert table["user"].tolist()[:3] == ["007", "7", "a b"]
        np.testing.assert_array_equal(table[RESULT.per_user.columns], RESULT.per_user)


@pytest.mark.parametrize("name", WRITERS)
def test_a_ledger_reads_what_receval_writes(name, tmp_path, monkeypatch):
    path = tmp_path / "printed.csv"
    WRITERS[name][1](path)
    (tmp_path / "paper.toml").write_text('[figures.rows]\nprinted = "1"\n', encoding="utf-8")
    monkeypatch.setattr("receval.ledger.folder.shipped_ledger", lambda: Ledger(tmp_path))
    printed = published.table("printed")
    with path.open(encoding="utf-8", newline="") as file:
        assert [list(printed), *printed.to_numpy().tolist()] == list(csv.reader(file))
