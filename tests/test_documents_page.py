"""The page that says where everything of the five documents is: its names and commands exist."""

import importlib
import re
from pathlib import Path

import pytest

import receval
from receval.cli import build_parser

PAGE = Path(__file__).parents[1] / "docs" / "documents.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| ---")
]
PREFIXES = (
    "", "metrics.", "metrics.classification.", "matchmaking.", "groups.",
    "splitting.", "recommend.", "fuzzy.", "fuzzy.online.", "tables.", "retrieval.", "people.",
)  # fmt: skip


def names_of(cell):
    return [name for name in re.findall(r"`([^`]+)`", cell) if re.fullmatch(r"[\w.]+", name)]


def exists(name):
    for prefix in PREFIXES:
        value = receval
        try:
            for part in (prefix + name).split("."):
                if not hasattr(value, part):
                    importlib.import_module(f"{value.__name__}.{part}")
                value = getattr(value, part)
        except (ImportError, AttributeError):
            continue
        return True
    return False


def test_every_document_has_a_table():
    assert re.findall(r"^## Document (\d+)", TEXT, re.MULTILINE) == [
        "000", "001", "002", "003", "004",
    ]  # fmt: skip
    assert "not implemented" not in TEXT.lower()
    full_rows = [row for row in ROWS if len(row) == 5]
    assert len(full_rows) > 45
    assert all(all(row) for row in full_rows)


def test_the_names_of_rows_exist():
    names = [name for row in ROWS if len(row) == 5 for name in names_of(row[1])]
    assert [name for name in names if not exists(name)] == []


@pytest.mark.parametrize(
    "options", sorted(set(re.findall(r"`(receval [^`]+)`", TEXT))), ids=lambda text: text[:60]
)
def test_the_options_of_a_command_exist(options):
    (command, *words) = options.removeprefix("receval ").split()
    parser = build_parser()._subparsers._group_actions[0].choices[command]
    known = parser._option_string_actions
    assert [word for word in words if word.startswith("-") and word not in known] == []


CITING_ROWS = [row for row in ROWS if len(row) == 5 and "`tests/" in row[3]]


@pytest.mark.parametrize("row", CITING_ROWS, ids=lambda row: row[0][:40])
def test_the_cited_tests_call_what_the_row_is_about(row):
    for cited in re.findall(r"`(tests/[^`]+)`", row[3]):
        source = (PAGE.parents[1] / cited).read_text(encoding="utf-8")
        names = [name.split(".")[-1] for name in names_of(row[1])]
        called = [name for name in names if re.search(rf"\b{name}\b", source, re.IGNORECASE)]
        assert called, f"{cited} uses none of {names}"


def test_every_row_of_documents_001_and_002_cites_a_test():
    part = TEXT[TEXT.index("## Document 001") : TEXT.index("## Document 003")]
    rows = [line for line in part.splitlines() if line.startswith("| ") and "---" not in line]
    without = [line.split(" | ")[0] for line in rows if "`tests/" not in line]
    # The headers of the tables remain.
    assert without == [*["| the document describes"] * 2, "| receval adds"]


def rows_by_heading(document):
    """Return the first cells of each table of a document, by the first cell of its header."""
    part = TEXT.split(f"## Document {document}")[1].split("\n## ")[0]
    tables = [block.splitlines() for block in part.split("\n\n") if block.startswith("| ")]
    firsts = [[line.strip("| ").split(" | ")[0] for line in table] for table in tables]
    return {header: rows[1:] for header, *rows in firsts}


def test_a_document_describes_only_what_is_in_it():
    people = rows_by_heading("004")
    assert people["the document describes"] == [
        "MAP, nDCG, precision, recall of links",
        "configuration of measures and parameters in YAML",
    ]
    # The chapter names the matchmakers whose results it introduces, but describes none of them.
    matchmakers = rows_by_heading("000")
    assert "page rank of bidders" in matchmakers["the rest of the thesis describes"]
    assert "page rank of bidders" not in matchmakers["the document describes"]
    added = rows_by_heading("002")["receval adds"]
    assert "which off-line metric predicts on-line success" in added


def test_the_page_says_what_is_checked_of_a_stored_ground_truth(tmp_path):
    def nearest(query, case_base):
        return {case: -abs(query - size) for case, size in case_base.items()}

    queries, cases = {"q": 0}, {"a": 1, "b": 2}
    path = tmp_path / "truth.csv"
    receval.ground_truth(nearest, queries, cases, path=path)
    with pytest.raises(receval.InputError, match="must hold all 3 cases"):
        receval.retrieval.read_ground_truth(path, queries, {**cases, "c": 3})
    changed = {"a": 2, "b": 1}  # other cases, the same ids
    truth = receval.retrieval.read_ground_truth(path, queries, changed)
    result = receval.evaluate_retrievers(
        {"x": nearest}, queries, changed, truth=truth, measures=["hits"], k=1
    )
    assert result.summary["hits"].item() == 0
    row = next(row for row in ROWS if row[0].startswith("ground truth"))
    assert "doesn't check the contents of the cases" in row[4]
